"""MEMORY.md and the ledger: what is edited inside the block is not lost, what is ours is kept in step."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ledger.conftest import say  # noqa: F401 - a fixture
from workbench import config
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger.model import PERSON, Privacy, Proposal
from workbench.notes.projection import END, START
from workbench.operations import effects, memories, memory_md, review, rulings
from workbench.sessions import index

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


def below(home: Home) -> str:
    """What stands behind the block."""
    return home.memory_md.read_bytes().decode().partition(END)[2]


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
    assert "deleting a line does not remove the memory" in written.memory_md.read_text()
    memory_md.refresh(written)
    assert review.inbox(written).total == 1


def test_a_credential_written_into_the_block_is_not_taken_over_and_stays_the_persons(written: Home) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    edit(written, "- Lives in Berlin.", f"- Token {token}")
    memory_md.refresh(written)
    assert below(written) == f"\n\n- Token {token}\n"
    assert review.inbox(written).total == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("A paragraph: call Bob.", "A paragraph: call Bob."),
        ("1. Buy milk on Mondays.", "Buy milk on Mondays."),
        ("2) Buy milk on Tuesdays.", "Buy milk on Tuesdays."),
        ("+ Likes plus signs.", "Likes plus signs."),
        ("* Likes stars.", "Likes stars."),
        ("  - Keeps a nested bullet.", "Keeps a nested bullet."),
        ("- [x] Moved the repository.", "Moved the repository."),
        ("> Quoted from a colleague.", "Quoted from a colleague."),
    ],
)
def test_a_line_of_any_form_becomes_a_proposal(written: Home, line: str, said: str) -> None:
    edit(written, "- Uses Podman", f"{line}\n- Uses Podman")
    memory_md.refresh(written)
    assert [item.memory.content for item in review.inbox(written).items] == [said]
    assert said not in written.memory_md.read_text()


@pytest.mark.parametrize("line", ["- " + "long " * 900 + "END", "## My own heading", "-----", "```"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_can_be_no_proposal_stays_below_the_block(written: Home, line: str, newline: str) -> None:
    edit(written, "- Uses Podman", f"{line}\n- Uses Podman")
    content = written.memory_md.read_text() + "My own text.\n"
    written.memory_md.write_bytes(content.replace("\n", newline).encode())
    for _ in range(2):
        memory_md.refresh(written)
        assert below(written) == f"\n\n{line}\nMy own text.\n".replace("\n", newline)
    assert review.inbox(written).total == 0


def test_what_the_ledger_has_no_room_for_stays_below_the_block(written: Home) -> None:
    (written.root / "config.json").write_text('{"ledger": {"maxMemories": 3}}')
    edit(written, "- Uses Podman", "- The cat is called Miso.\n- Uses Podman")
    memory_md.refresh(written)
    assert (below(written), review.inbox(written).total) == ("\n\n- The cat is called Miso.\n", 0)


def test_what_was_ruled_wrong_goes_but_another_spelling_of_it_stays_the_persons(
    written: Home,
    say: Say,  # noqa: F811
) -> None:
    wrong = say("Runs on Windows.").memory_id or ""
    memory_md.refresh(written)
    edit(written, "- Runs on Windows.", "- Runs on Windows.\n- RUNS on Windows!")
    rulings.reject(written, PERSON, wrong)
    assert below(written) == "\n\n- RUNS on Windows!\n"
    assert "Runs on Windows." not in written.memory_md.read_text()
    assert review.inbox(written).total == 0


def test_a_stray_pair_of_marks_swallows_no_notes(written: Home) -> None:
    own = f"{START}\n## My notes\n\nCall the lawyer on Tuesday.\n{END}\n"
    written.memory_md.write_text(own + written.memory_md.read_text())
    memory_md.refresh(written)
    assert below(written).startswith("\n\n## My notes\n")
    assert [item.memory.content for item in review.inbox(written).items] == ["Call the lawyer on Tuesday."]
    assert written.memory_md.read_text().count(START) == 1


def test_bytes_that_are_no_text_stay(written: Home) -> None:
    content = written.memory_md.read_bytes().replace(b"- Uses Podman", b"# caf\xe9\n- Uses Podman")
    written.memory_md.write_bytes(content)
    memory_md.refresh(written)
    assert written.memory_md.read_bytes().endswith(b"\n\n# caf\xe9\n")


def test_a_statement_that_begins_like_a_mark_is_known(written: Home, say: Say) -> None:  # noqa: F811
    say("[x] marks what is done.")
    say("1. comes before 2.")
    memory_md.refresh(written)
    edit(written, "- Lives in Berlin.", "- Lives in Potsdam.")
    memory_md.refresh(written)
    assert [item.memory.content for item in review.inbox(written).items] == ["Lives in Potsdam."]


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


def test_a_former_wording_that_is_still_in_the_block_proposes_nothing(written: Home) -> None:
    stale = written.memory_md.read_text().replace("- Lives in Berlin.", "- Lives in Potsdam.")
    (podman,) = [item for item in memories.list_memories(written).items if "Podman" in item.content]
    rulings.correct(written, PERSON, podman.id, "Uses Docker for containers.")
    rulings.reject(written, PERSON, podman.id)
    written.memory_md.write_text(stale)
    memory_md.refresh(written)
    assert [item.memory.content for item in review.inbox(written).items] == ["Lives in Potsdam."]
    assert "Podman" not in written.memory_md.read_text()


@pytest.mark.parametrize(
    ("content", "scope"),
    [
        ("Has <b>bold</b> ![plans] --> soon.", {}),
        ("Hides\u200b something.\nAnd has\ttwo  lines.", {}),
        ("Likes (project: tea)", {}),
        ("Likes (project: tea)", {"scope_type": "project", "scope_key": "/a (b)"}),
        ("Löscht niemals Ähnliches!", {"scope_type": "agent", "scope_key": "codex"}),
    ],
)
def test_a_line_of_what_is_not_shown_any_more_proposes_nothing(
    home: Home,
    say: Say,  # noqa: F811
    content: str,
    scope: dict[str, str],
) -> None:
    say("Lives in Berlin.")
    memory_id = say(content, **scope).memory_id or ""
    memory_md.refresh(home)
    stale = home.memory_md.read_text().replace("- Lives in Berlin.", "- Lives in Potsdam.")
    rulings.archive(home, PERSON, memory_id)
    home.memory_md.write_text(stale)
    memory_md.refresh(home)
    assert [item.memory.content for item in review.inbox(home).items] == ["Lives in Potsdam."]


def _linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


ODD: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (_linked, "is a symbolic link"),
    "a pipe": (_piped, "is no plain file"),
    "a folder": (_made_a_folder, "is no plain file"),
    "write-protected": (lambda path: path.chmod(0o444), "is write-protected"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_can_not_be_written_hinders_no_act_and_is_said(written: Home, say: Say, kind: str) -> None:  # noqa: F811
    spoil, why = ODD[kind]
    spoil(written.memory_md)
    waiting = say("Prefers tabs.", explicit=False).memory_id or ""
    assert rulings.accept(written, PERSON, waiting).backlog == 1
    assert memories.show(written, waiting).memory.status == "active"
    (reason,) = effects.troubles(written)
    assert reason.startswith(str(written.memory_md)) and why in reason
    written.audit_head.write_text(re.sub(r'"20(\d\d-)', r'"19\1', written.audit_head.read_text()))  # long ago
    spoil(written.audit_head)
    assert rulings.undo(written, PERSON).backlog == 2
    assert memories.show(written, waiting).memory.status == "needs_review"
    assert any(str(written.audit_head) in reason for reason in effects.troubles(written))


def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(written: Home) -> None:
    os.mkfifo(written.config)
    with pytest.raises(WorkbenchError, match=r"config\.json: it is no plain file"):
        config.load(written)
    os.mkfifo(written.memory / "2026-01-01.md")
    os.mkfifo(written.sessions / "x.jsonl")
    (damaged,) = index.sync(written).damaged
    assert "x.jsonl: it is no plain file" in damaged
