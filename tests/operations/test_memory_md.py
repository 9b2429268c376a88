"""MEMORY.md and the ledger: what is edited inside the block is not lost, what is ours is kept in step."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.conftest import say  # noqa: F401 - a fixture
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger.model import PERSON, Privacy, Proposal
from workbench.notes.projection import END, START
from workbench.operations import memory_md, review, rulings

Say = Callable[..., Proposal]


@pytest.fixture
def written(home: Home, say: Say) -> Home:  # noqa: F811
    """A home whose MEMORY.md holds three memories, one of them of a project."""
    say("Lives in Berlin.", fact_key="profile.location")
    say("Uses Podman for containers.")
    say("Decided: SQLite for storage.", scope_type="project", scope_key="/home/dana/a", fact_key="decision.storage")
    memory_md.refresh(home)
    return home


def edit(home: Home, before: str, after: str) -> None:
    content = home.memory_md.read_text()
    assert before in content
    home.memory_md.write_text(content.replace(before, after))


def test_an_unedited_block_proposes_nothing(written: Home) -> None:
    before = home_bytes(written)
    memory_md.refresh(written)
    assert home_bytes(written) == before
    assert review.inbox(written).total == 0


def test_an_edited_line_becomes_a_correction_that_waits(written: Home) -> None:
    edit(written, "- Lives in Berlin.", "- Lives in Potsdam.")
    memory_md.refresh(written)
    assert "- Lives in Berlin." in written.memory_md.read_text()
    (waiting,) = review.inbox(written).items
    assert (waiting.memory.content, waiting.memory.fact_key) == ("Lives in Potsdam.", "profile.location")
    assert [other.content for other in waiting.conflicts] == ["Lives in Berlin."]
    assert waiting.memory.created_by == "system:MEMORY.md"
    rulings.accept(written, PERSON, waiting.memory.id)
    content = written.memory_md.read_text()
    assert "- Lives in Potsdam." in content
    assert "Berlin" not in content


def test_a_line_of_a_project_keeps_its_scope(written: Home) -> None:
    edit(written, "Decided: SQLite for storage.", "Decided: DuckDB for storage.")
    memory_md.refresh(written)
    (waiting,) = review.inbox(written).items
    assert (waiting.memory.content, waiting.memory.scope_key) == ("Decided: DuckDB for storage.", "/home/dana/a")


def test_an_added_line_waits_and_a_removed_one_comes_back(written: Home) -> None:
    edit(written, "- Uses Podman for containers.", "- Has a cat called Miso.")
    memory_md.refresh(written)
    assert [item.memory.content for item in review.inbox(written).items] == ["Has a cat called Miso."]
    assert "- Uses Podman for containers." in written.memory_md.read_text()
    memory_md.refresh(written)
    assert review.inbox(written).total == 1


def test_a_credential_written_into_the_block_is_not_taken_over(written: Home) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    edit(written, "- Lives in Berlin.", f"- Token {token}")
    memory_md.refresh(written)
    assert token not in written.memory_md.read_text()
    assert review.inbox(written).total == 0


def test_a_copied_block_does_not_keep_what_was_rejected(written: Home, say: Say) -> None:  # noqa: F811
    private = say("Allergic to nuts.", privacy=Privacy.SENSITIVE).memory_id or ""
    rulings.accept(written, PERSON, private)
    content = written.memory_md.read_text()
    written.memory_md.write_text("mine\n" + content + "between\n" + content + "after\n")
    rulings.reject(written, PERSON, private)
    content = written.memory_md.read_text()
    assert "nuts" not in content
    assert (content.count(START), content.count(END)) == (1, 1)
    assert all(part in content for part in ("mine\n", "between\n", "after\n"))


def test_a_link_is_named(written: Home) -> None:
    real = written.memory_md.with_name("real.md")
    written.memory_md.rename(real)
    written.memory_md.symlink_to(real)
    with pytest.raises(WorkbenchError, match="symbolic link"):
        memory_md.refresh(written)


def home_bytes(home: Home) -> bytes:
    return home.memory_md.read_bytes()
