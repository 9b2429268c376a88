"""Which statements speak of the same fact."""

from __future__ import annotations

import pytest

from workbench.dreaming.extract import Statement
from workbench.dreaming.facts import settle
from workbench.ledger.model import Kind


@pytest.mark.parametrize(
    ("content", "given", "key", "retracts"),
    [
        ("Lives in Berlin.", "profile.location", "profile.location", None),
        ("No longer lives in Berlin.", "profile.location", "profile.location", "Lives in Berlin."),
        ("Manager is no longer Henrike.", "relationship.manager.name", "relationship.manager.name", None),
        ("Dog is called Rex.", "relationship.dog.name", None, None),
        ("Sister is called Lena.", "relationship.sister.name", None, None),
        ("Wife is called Jule.", "relationship.wife.name", "relationship.wife.name", None),
        ("Prefers tabs over spaces.", "preference.indentation", "preference.indentation", None),
        ("Prefers tabs in Go.", "preference.indentation", None, None),
        ("Favourite colour is green.", "preference.favourite-colour", "preference.favorite-color", None),
        ("Loves Chinese food.", None, "likes.chinese-food", None),
        ("Dislikes Chinese food.", None, "likes.chinese-food", None),
        ("No longer likes coffee.", None, "likes.coffee", "Likes coffee."),
        ("Likes long walks on the beach with friends.", None, None, None),
        ("Uses Podman.", "uses.podman", "uses.podman", None),
        ("Uses Redis for the queue.", "uses.redis", None, None),
    ],
)
def test_a_fact_has_one_key(content: str, given: str | None, key: str | None, retracts: str | None) -> None:
    found = settle(Statement(content, Kind.FACT, True, 0.9, (1,), fact_key=given))
    assert found.fact_key == key
    if "no longer" not in content or retracts:
        assert found.retracts == retracts


def test_a_person_who_is_no_longer_somebodys_manager() -> None:
    found = settle(Statement("Manager is no longer Henrike.", Kind.CORRECTION, True, 0.9, (1,)))
    assert found.retracts == "Manager is called Henrike."
