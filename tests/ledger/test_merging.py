"""Duplicates and fact keys, as the person sorts them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.acts import FEBRUARY, FUTURE, JANUARY, MARCH, actions, get, put, related
from tests.ledger.conftest import rows
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import lifecycle, read, store
from workbench.ledger.filters import IN_FORCE
from workbench.ledger.gate import SecretRefused
from workbench.ledger.model import PERSON, Evidence, Proposal, SourceType
from workbench.operations import memories, rulings
from workbench.operations.recall import recall_memories

Say = Callable[..., Proposal]


def in_force(home: Home, at: str) -> set[str]:
    """Ids of what is in force at an instant."""
    with store.reading(home) as connection:
        return {row[0] for row in connection.execute(f"SELECT id FROM memories m WHERE {IN_FORCE}", {"at": at})}


def test_the_one_kept_gets_the_evidence_and_the_sightings_of_the_others(home: Home, say: Say) -> None:
    quotes = [Evidence(SourceType.SESSION, f"s{n}#1", f"tea {n}", MARCH) for n in range(3)]
    kept = say("Likes tea.", evidence=(quotes[0], quotes[1]), observed_at=JANUARY).memory_id or ""
    double = say("Likes to drink tea.", evidence=(quotes[1], quotes[2]), observed_at=MARCH, explicit=False).memory_id
    other = say("Drinks tea.", evidence=(quotes[2],), observed_at=FEBRUARY).memory_id
    ruling = rulings.merge(home, PERSON, kept, [double[:12], other, double])
    assert (ruling.superseded, ruling.memory.seen_count) == ([double, other], 3)
    assert ruling.memory.last_seen_at == MARCH
    assert ruling.memory.trust == pytest.approx(0.95)
    assert related(home, kept) == {("supersedes", double), ("supersedes", other)}
    found = memories.show(home, kept).evidence
    assert {item.source_ref for item in found} == {"s0#1", "s1#1", "s2#1"}
    assert {item.source_ref for item in memories.show(home, double).evidence} == {"s1#1", "s2#1"}
    for lost in (double, other):
        row = get(home, lost)
        assert (row["status"], row["superseded_by"], row["review_reason"]) == ("superseded", kept, None)
    assert actions(home, kept)[-1] == "merged"


@pytest.mark.parametrize(
    ("keep", "lose", "said"),
    [
        ({}, {"scope_type": "project", "scope_key": "p"}, "another scope"),
        ({}, {"authority": "confirmed"}, "is confirmed and .* is not: keep .* or confirm"),
        ({"status": "needs_review"}, {}, "is in force and .* is needs_review: keep .* or accept"),
        ({"status": "archived"}, {}, "memory restore"),
        ({}, {"status": "rejected"}, "a verdict is final"),
    ],
)
def test_the_wrong_one_is_not_kept(home: Home, keep: dict[str, str], lose: dict[str, str], said: str) -> None:
    kept, lost = put(home, "Likes tea.", **keep), put(home, "Likes to drink tea.", **lose)
    before = rows(home)
    with pytest.raises(WorkbenchError, match=said):
        rulings.merge(home, PERSON, kept, [lost])
    assert rows(home) == before


def test_a_locked_double_asks_once_more(home: Home) -> None:
    kept, lost = put(home, "Likes tea.", authority="confirmed"), put(home, "Drinks tea.", authority="locked")
    before = rows(home)
    with pytest.raises(lifecycle.NeedsConfirmation, match=lost):
        rulings.merge(home, PERSON, kept, [lost])
    assert rows(home) == before
    assert rulings.merge(home, PERSON, kept, [lost], confirm_locked=True).memory.authority == "locked"


def test_nothing_to_merge_is_said(home: Home) -> None:
    kept = put(home, "Likes tea.")
    for others, error in (([], WorkbenchError), ([kept], WorkbenchError), (["m_00"], NotFound)):
        with pytest.raises(error):
            rulings.merge(home, PERSON, kept, others)


@pytest.mark.parametrize(
    ("keep", "lose", "gained"),
    [
        ({}, {"fact_key": "drink"}, {"fact_key": "drink"}),
        ({"fact_key": "tea"}, {"fact_key": "drink"}, {"fact_key": "tea"}),
        ({"status": "needs_review"}, {"status": "needs_review", "fact_key": "drink"}, {"fact_key": "drink"}),
        ({"authority": "confirmed"}, {"authority": "locked", "tier": "core"}, {"authority": "locked", "tier": "core"}),
        ({"authority": "locked", "tier": "core"}, {}, {"authority": "locked", "tier": "core"}),
        ({"authority": "inferred"}, {"fact_key": "drink"}, {"authority": "observed", "fact_key": "drink"}),
        ({}, {"privacy": "sensitive", "importance": 90}, {"privacy": "sensitive", "importance": 90}),
        ({"privacy": "secret", "importance": 70}, {}, {"privacy": "secret", "importance": 70}),
    ],
)
def test_the_one_kept_stands_as_the_best_of_them_stood(
    home: Home, keep: dict[str, str], lose: dict[str, str], gained: dict[str, object]
) -> None:
    kept, lost = put(home, "Likes tea.", **keep), put(home, "Likes to drink tea.", **lose)
    before = rows(home)
    rulings.merge(home, PERSON, kept, [lost], confirm_locked=True)
    row = get(home, kept)
    assert {name: row[name] for name in gained} == gained
    rulings.undo(home, PERSON, memory_id=kept)
    assert rows(home) == before


def test_the_one_kept_is_found_by_the_key_it_took_over(home: Home) -> None:
    kept = put(home, "Likes it strong.", valid_from=FEBRUARY)
    lost = put(home, "Takes it black.", fact_key="profile.espresso", valid_from=JANUARY)
    rulings.merge(home, PERSON, kept, [lost])
    assert [item.id for item in recall_memories(home, PERSON, "profile.espresso").items] == [kept]


@pytest.mark.parametrize("keys", [("drink", "taste"), ("drink", "drink")])
def test_a_key_of_several_or_of_another_memory_is_not_taken_over(home: Home, keys: tuple[str, str]) -> None:
    kept = put(home, "Likes tea.")
    first = put(home, "Likes to drink tea.", fact_key=keys[0], authority="inferred")
    other = put(home, "Drinks tea.", fact_key=keys[1])
    rulings.merge(home, PERSON, kept, [first, other] if keys[0] != keys[1] else [first])
    assert get(home, kept)["fact_key"] is None


def test_a_guess_under_the_key_of_another_memory_stays_one(home: Home) -> None:
    kept = put(home, "Likes tea.", authority="inferred", fact_key="drink")
    holder, lost = put(home, "Likes coffee.", fact_key="drink"), put(home, "Drinks tea.")
    assert rulings.merge(home, PERSON, kept, [lost]).memory.authority == "inferred"
    assert get(home, holder)["status"] == "active"


def test_what_held_the_key_before_ends_where_the_one_kept_begins(home: Home) -> None:
    earlier = put(home, "Likes coffee.", "superseded", fact_key="drink", valid_from=JANUARY, valid_to=MARCH)
    lost = put(home, "Drinks tea.", fact_key="drink", valid_from=MARCH)
    kept = put(home, "Likes tea.", valid_from=FEBRUARY)
    rulings.merge(home, PERSON, kept, [lost])
    assert get(home, earlier)["valid_to"] == FEBRUARY


def test_at_every_instant_one_of_the_doubles_is_in_force(home: Home) -> None:
    kept = put(home, "Likes tea.", valid_from=FEBRUARY)
    early = put(home, "Drinks tea.", valid_from=JANUARY)
    late = put(home, "Enjoys tea.", valid_from=MARCH)
    never = put(home, "Is fond of tea.", "needs_review", valid_from=JANUARY)
    rulings.merge(home, PERSON, kept, [early, late, never])
    assert [in_force(home, at) for at in (JANUARY, FEBRUARY, MARCH, FUTURE)] == [{early}, {kept}, {kept}, {kept}]


def test_rekey_moves_a_memory_and_changes_nothing_else(home: Home) -> None:
    memory_id = put(home, "Lives in Berlin.", authority="confirmed", fact_key="home")
    ruling = rulings.rekey(home, PERSON, memory_id, "Profile / Location")
    assert (ruling.memory.fact_key, ruling.memory.authority) == ("profile-location", "confirmed")
    assert rulings.rekey(home, PERSON, memory_id, "profile location").change_id is None
    (revision,) = memories.show(home, memory_id).revisions
    assert revision.snapshot["fact_key"] == "home"


def test_rekey_asks_before_it_replaces_the_holder(home: Home) -> None:
    holder = put(home, "Lives in Munich.", authority="locked", fact_key="home", valid_from=JANUARY)
    memory_id = put(home, "Lives in Berlin.", fact_key="town", valid_from=MARCH)
    before = rows(home)
    with pytest.raises(
        lifecycle.NeedsConfirmation, match=f"this replaces {holder}, which holds the key home: Lives in Munich"
    ):
        rulings.rekey(home, PERSON, memory_id, "home")
    assert rows(home) == before
    ruling = rulings.rekey(home, PERSON, memory_id, "home", replace=True)
    assert (ruling.superseded, ruling.memory.authority) == ([holder], "confirmed"), "it replaced what the person locked"
    assert get(home, holder)["valid_to"] == MARCH


@pytest.mark.parametrize(("status", "authority"), [("needs_review", "observed"), ("active", "inferred")])
def test_what_waits_holds_no_key_and_may_share_one(home: Home, status: str, authority: str) -> None:
    holder = put(home, "Lives in Munich.", fact_key="home")
    memory_id = put(home, "Lives in Berlin.", status, authority)
    assert rulings.rekey(home, PERSON, memory_id, "home").superseded == []
    assert get(home, holder)["status"] == "active"
    assert rulings.accept(home, PERSON, memory_id).superseded == [holder]


@pytest.mark.parametrize("key", ["", "  ", "%", "***", "//", "x" * 257])
@pytest.mark.parametrize("act", ["rekey", "split"])
def test_a_key_must_say_something(home: Home, key: str, act: str) -> None:
    memory_id = put(home, "Lives in Berlin.", "superseded" if act == "split" else "active")
    before = rows(home)
    with pytest.raises(WorkbenchError, match="is no fact key"):
        getattr(rulings, act)(home, PERSON, memory_id, key)
    with pytest.raises(SecretRefused, match="the key"):
        getattr(rulings, act)(home, PERSON, memory_id, "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert rows(home) == before


def test_split_puts_a_memory_in_force_again_under_its_own_key(home: Home, say: Say) -> None:
    old = say(fact_key="profile.location", observed_at="2026-01-05", valid_to="2027-01-01").memory_id or ""
    new = say("Lives in Munich.", fact_key="profile.location", observed_at="2026-02-05").memory_id or ""
    was_to_end = "2027-01-02T00:00:00.000000Z"
    assert get(home, new)["supersedes"] == old
    ruling = rulings.split(home, PERSON, old, "profile.second-home")
    row = get(home, old)
    assert (row["status"], row["authority"], row["fact_key"]) == ("active", "confirmed", "profile.second-home")
    assert (row["superseded_by"], row["retired_at"]) == (None, None)
    assert row["valid_to"] is not None
    assert row["valid_to"][:4] == was_to_end[:4], "it ends when it was to end before it was replaced"
    assert ruling.memory.trust == 0.95
    assert get(home, new)["supersedes"] is None
    assert related(home, new) == set()
    assert {old, new} <= in_force(home, "2026-03-01T00:00:00.000000Z")


def test_split_is_refused_where_the_key_is_taken_or_the_same(home: Home) -> None:
    memory_id = put(home, "Lives in Berlin.", "superseded", fact_key="home")
    holder = put(home, "Has a hut.", fact_key="hut")
    before = rows(home)
    with pytest.raises(lifecycle.KeyHeld, match=holder):
        rulings.split(home, PERSON, memory_id, "hut")
    with pytest.raises(WorkbenchError, match="has the key home already"):
        rulings.split(home, PERSON, memory_id, "HOME")
    assert rows(home) == before


def test_prefixes_name_the_others_too(home: Home) -> None:
    kept, lost = put(home, "Likes tea."), put(home, "Drinks tea.")
    assert rulings.merge(home, PERSON, kept[2:14], [lost[2:14]]).superseded == [lost]
    with store.reading(home) as connection:
        assert read.memory(connection, lost)["superseded_by"] == kept
