"""Evidence: a sweep marks what its source no longer says, and leaves alone what the person has settled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.acts import claim
from tests.ledger.conftest import column, rows
from tests.sessions.rows import KEY, assistant, stored, take, user, write
from workbench import db, guard
from workbench.home import Home
from workbench.ledger import audit, evidence, outbox, review, store, undo
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON, Actor, Authority, Evidence, Proposal, Reason, SourceType
from workbench.ledger.sources import GENERATED, Finding, Sources
from workbench.operations.evidence import MAINTENANCE, Swept, sweep

Say = Callable[..., Proposal]
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
SAID = "I live in Berlin, near the river"


@pytest.fixture
def message(home: Home, tmp_path: Path) -> Evidence:
    """A message of the person that was read into the home, as evidence."""
    take(home, write(tmp_path / "s.jsonl", [user(SAID, "u1"), assistant("Noted.", "u2", "u1")]))
    number = next(row["id"] for row in stored(home, KEY) if row["content"] == SAID)
    return Evidence(SourceType.SESSION, f"{KEY}#{number}", "I live in Berlin")


def marks(home: Home, memory_id: str | None) -> set[str]:
    """Which marks the evidence of a memory has."""
    with store.reading(home) as connection:
        found = connection.execute(
            "SELECT stale_at, missing_at FROM memory_evidence WHERE memory_id = ?", (memory_id,)
        ).fetchall()
    return {name for row in found for name in ("stale_at", "missing_at") if row[name] is not None}


def standing(home: Home, memory_id: str | None) -> tuple[Any, ...]:
    return column(home, memory_id, "status", "review_reason", "authority")


def rule(home: Home, act: Callable[..., Any], *args: Any) -> None:
    with store.writing(home) as connection:
        act(Change(connection, PERSON), *args)


def take_back(home: Home, memory_id: str | None) -> None:
    with store.writing(home) as connection:
        last = undo.last_change(connection, memory_id)
        undo.undo(Change(connection, PERSON, undoes=last), last)


def assert_whole(home: Home) -> None:
    audit.anchor(home, at=db.now())
    assert audit.verify(home).problems == []


def canonical(home: Home) -> Path:
    (path,) = home.sessions.glob("*.jsonl")
    return path


def edit(home: Home, **fields: Any) -> None:
    """Change the message of the person in the canonical file."""
    lines = [json.loads(line) for line in canonical(home).read_text().splitlines()]
    changed = [{**line, **fields} if line.get("content") == SAID else line for line in lines]
    canonical(home).write_text("".join(json.dumps(line) + "\n" for line in changed))


# Conversations

SESSION_CASES: dict[str, tuple[Callable[[Home, Path], object], set[str]]] = {
    "as it was": (lambda home, path: None, set()),
    "the agent deleted its transcript": (lambda home, path: (path / "s.jsonl").unlink(), set()),
    "the message reads otherwise": (lambda home, path: edit(home, content="I live in Bonn"), {"stale_at"}),
    "more was added to the message": (lambda home, path: edit(home, content=SAID + "!\r\nAnd work there."), set()),
    "the message was withdrawn": (lambda home, path: edit(home, state="withdrawn"), {"missing_at"}),
    "the message was compacted": (lambda home, path: edit(home, state="compacted"), set()),
    "the conversation is gone": (lambda home, path: canonical(home).unlink(), {"missing_at"}),
    "nobody knows, something is damaged": (
        lambda home, path: (canonical(home).unlink(), (home.sessions / "x.jsonl").write_text("{broken\n" * 3)),
        set(),
    ),
    "nobody knows, the index is no index": (
        lambda home, path: (canonical(home).unlink(), home.session_index.write_bytes(b"not a database at all" * 99)),
        set(),
    ),
}


@pytest.mark.parametrize("name", SESSION_CASES)
def test_a_message(name: str, home: Home, tmp_path: Path, say: Say, message: Evidence) -> None:
    act, expected = SESSION_CASES[name]
    memory_id = say(evidence=(message,)).memory_id
    act(home, tmp_path)
    sweep(home)
    assert marks(home, memory_id) == expected


@pytest.mark.parametrize("reference", ["no-number", f"{KEY}#", f"{KEY}#12x", f"{KEY}#{'9' * 30}", "#"])
def test_a_reference_that_names_no_message_is_not_judged(home: Home, say: Say, reference: str) -> None:
    memory_id = say(evidence=(Evidence(SourceType.SESSION, reference, "x"),)).memory_id
    assert sweep(home) == Swept(unchecked=1)
    assert marks(home, memory_id) == set()


def test_a_message_of_another_conversation_is_not_the_one_named(home: Home, say: Say, message: Evidence) -> None:
    number = message.source_ref.rpartition("#")[2]
    memory_id = say(evidence=(replace(message, source_ref=f"claude-code:other#{number}"),)).memory_id
    sweep(home)
    assert marks(home, memory_id) == {"missing_at"}


def test_credentials_are_masked_on_both_sides(home: Home, tmp_path: Path, say: Say) -> None:
    words = f"I live in Berlin and my token is {TOKEN}, keep it"
    take(home, write(tmp_path / "s.jsonl", [user(words, "u1")]))
    (row,) = stored(home, KEY)
    memory_id = say(evidence=(Evidence(SourceType.SESSION, f"{KEY}#{row['id']}", words),)).memory_id
    with store.reading(home) as connection:
        assert TOKEN not in connection.execute("SELECT excerpt FROM memory_evidence").fetchone()[0]
    assert sweep(home) == Swept(checked=1)
    assert marks(home, memory_id) == set()


def test_a_scanner_that_fails_judges_nothing(
    home: Home, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(home, write(tmp_path / "s.jsonl", [user(f"the token is {TOKEN} today", "u1")]))
    (row,) = stored(home, KEY)
    quoted = Evidence(SourceType.SESSION, f"{KEY}#{row['id']}", f"another token: {TOKEN}")
    memory_id = say(evidence=(quoted,)).memory_id
    monkeypatch.setattr(guard, "mask", lambda text: guard.NOT_SHOWN)
    assert sweep(home).unchecked == 1
    assert marks(home, memory_id) == set()


def test_what_the_harness_put_into_a_message_and_where_a_quotation_was_cut(
    home: Home, tmp_path: Path, say: Say
) -> None:
    raw = "I live in <system-reminder>be brief</system-reminder>Berlin, since 2019"
    take(home, write(tmp_path / "s.jsonl", [user(raw, "u1")]))
    (row,) = stored(home, KEY)
    place = f"{KEY}#{row['id']}"
    for words in ("I live in Berlin", "…in Berlin, since…", ""):
        say(words or "Lives somewhere.", evidence=(Evidence(SourceType.SESSION, place, words),))
    assert sweep(home) == Swept(checked=3)


# Files, notes, commits


def file_cases(project: Path, outside: Path) -> dict[str, tuple[Callable[[], object], set[str], int]]:
    notes = project / "notes.txt"
    return {
        "as it was": (lambda: None, set(), 0),
        "edited elsewhere": (lambda: notes.write_text("new\nzero\none\ntwo\nthree\n"), set(), 0),
        "other line ends": (lambda: notes.write_bytes(b"one\r\ntwo\r\nthree\r\n"), set(), 0),
        "line removed": (lambda: notes.write_text("one\nthree\n"), {"stale_at"}, 0),
        "emptied": (lambda: notes.write_text(""), {"stale_at"}, 0),
        "gone": (notes.unlink, {"missing_at"}, 0),
        "folder gone": (lambda: shutil.rmtree(project), {"missing_at"}, 0),
        "a link inside": (lambda: (notes.rename(project / "real"), notes.symlink_to("real")), set(), 0),
        "a link out": (lambda: (notes.unlink(), notes.symlink_to(outside)), set(), 1),
        "a link to itself": (lambda: (notes.unlink(), notes.symlink_to(notes)), set(), 1),
        "a pipe": (lambda: (notes.unlink(), os.mkfifo(notes)), set(), 1),
        "a folder": (lambda: (notes.unlink(), notes.mkdir()), set(), 1),
        "too large": (lambda: os.truncate(notes, 9 * 1024 * 1024), set(), 1),
        "bytes of no text": (lambda: notes.write_bytes(b"\xff\xfe\x00two\xff"), {"stale_at"}, 0),
    }


@pytest.mark.parametrize("name", file_cases(Path("x"), Path("y")))
def test_a_file(name: str, home: Home, tmp_path: Path, say: Say) -> None:
    project, outside = tmp_path / "project", tmp_path / "secret.txt"
    project.mkdir()
    (project / "notes.txt").write_text("one\ntwo\nthree\n")
    outside.write_text("nothing of it")
    quoted = Evidence(SourceType.FILE, "notes.txt#L1-2", "one\ntwo")
    memory_id = say(evidence=(quoted,), scope_type="project", scope_key=str(project)).memory_id
    act, expected, unchecked = file_cases(project, outside)[name]
    act()
    assert sweep(home).unchecked == unchecked
    assert marks(home, memory_id) == expected


PLACES = {
    "by a path of its own": ("{outside}", "dreamer", {"stale_at"}),
    "an agent may not name it": ("{outside}", "agent", set()),
    "nor climb out": ("../outside.txt", "agent", set()),
    "climbing out is never right": ("../outside.txt", "dreamer", set()),
    "an agent names what is inside": ("{project}/a.txt", "agent", {"stale_at"}),
    "with a NUL": ("a\x00.txt", "dreamer", set()),
    "longer than a name can be": ("a" * 1_000, "dreamer", set()),
}


@pytest.mark.parametrize("name", PLACES)
def test_where_a_file_may_lie(name: str, home: Home, tmp_path: Path, say: Say) -> None:
    """What an agent wrote must not make the sweep tell what other files hold."""
    reference, who, expected = PLACES[name]
    project, outside = tmp_path / "project", tmp_path / "outside.txt"
    project.mkdir()
    for path in (outside, project / "a.txt"):
        path.write_text("something else")
    memory_id = say(
        actor=Actor("agent", "x") if who == "agent" else Actor("dreamer", "rules"),
        evidence=(Evidence(SourceType.FILE, reference.format(outside=outside, project=project), "the words"),),
        scope_type="project",
        scope_key=str(project),
    ).memory_id
    sweep(home)
    assert marks(home, memory_id) == expected


def test_a_relative_path_outside_a_project_lies_in_the_workspace(home: Home, say: Say) -> None:
    (home.memory.parent / "USER.md").write_text("likes tea")
    memory_id = say(evidence=(Evidence(SourceType.FILE, "USER.md", "likes coffee"),)).memory_id
    sweep(home)
    assert marks(home, memory_id) == {"stale_at"}


BLOCK = "<!-- FLOWLY-GENERATED-START -->\n- I like tea\n<!-- FLOWLY-GENERATED-END -->\n"
NOTES: dict[str, tuple[str, str | None, set[str]]] = {
    "an entry that stands": ("2026-03-01.md", "## Tea\nI like tea\n", set()),
    "an entry that was taken out": ("2026-03-01.md#tea", "## Tea\n", {"stale_at"}),
    "a note that is gone": ("2026-03-01.md", None, {"missing_at"}),
    "our own block is no source": ("MEMORY.md", f"# Mine\n\n{BLOCK}", {"stale_at"}),
    "the person's part is": ("MEMORY.md", f"I like tea\n\n{BLOCK}", set()),
    "a line of the block was moved by us": (GENERATED, "# Mine\n", set()),
    "no note": ("../../memory_governance.sqlite3", None, set()),
}


@pytest.mark.parametrize("name", NOTES)
def test_a_note(name: str, home: Home, say: Say) -> None:
    reference, content, expected = NOTES[name]
    if content is not None:
        (home.memory / reference.partition("#")[0]).write_text(content)
    memory_id = say(evidence=(Evidence(SourceType.NOTE, reference, "I like tea"),)).memory_id
    sweep(home)
    assert marks(home, memory_id) == expected


@pytest.mark.parametrize("kind", [SourceType.URL, SourceType.MANUAL, SourceType.IMPORT])
def test_what_is_never_looked_at(home: Home, say: Say, kind: SourceType, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = say(evidence=(Evidence(kind, "https://example.org/gone", "x"),)).memory_id
    monkeypatch.setattr(Sources, "compare", lambda *_: pytest.fail("it was looked at"))
    assert sweep(home) == Swept()
    assert marks(home, memory_id) == set()


def git(folder: Path, *args: str) -> str:
    settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *settings, *args], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_commits(home: Home, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """There, missing, ambiguous or no commit, no repository; nothing that a repository brings along is run."""
    folder, plain, ran = tmp_path / "repo", tmp_path / "plain", tmp_path / "ran"
    folder.mkdir(), plain.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    sha = git(folder, "rev-parse", "HEAD").strip()
    tree = git(folder, "rev-parse", "HEAD^{tree}").strip()
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "remote.origin.uploadpack"):
        git(folder, "config", name, f"touch {ran}")
    git(folder, "config", "extensions.partialClone", "origin")
    git(folder, "config", "remote.origin.url", f"ext::touch {ran}")
    monkeypatch.setenv("GIT_DIR", str(plain))
    expected = {
        f"{folder}#{sha}": set(),
        f"{folder}#{sha[:10]}": set(),
        f"{folder}#{tree}": {"missing_at"},
        f"{plain}#{sha}": set(),
        f"{folder}#HEAD": set(),
        f"{folder}#--help": set(),
        f"{tmp_path / 'nowhere'}#{sha}": {"missing_at"},
    }
    kept = {
        reference: say(f"Memory {n}.", evidence=(Evidence(SourceType.GIT, reference, "first"),)).memory_id
        for n, reference in enumerate(expected)
    }
    sweep(home)
    assert {reference: marks(home, memory_id) for reference, memory_id in kept.items()} == expected
    assert not ran.exists()


def test_a_commit_that_is_not_there(home: Home, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q", "repo")
    memory_id = say(evidence=(Evidence(SourceType.GIT, f"{tmp_path / 'repo'}#{'ab' * 20}", "x"),)).memory_id
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert sweep(home) == Swept(unchecked=1)
    monkeypatch.undo()
    sweep(home)
    assert marks(home, memory_id) == {"missing_at"}


# What a mark does to its memory

GONE, CHANGED, SAME, WITHDRAWN = Finding.GONE, Finding.CHANGED, Finding.SAME, Finding.WITHDRAWN


def put(home: Home, say: Say, authority: str, count: int = 1, content: str = "Lives in Berlin.") -> str:
    """A memory in force with ``count`` pieces of evidence."""
    quoted = tuple(Evidence(SourceType.FILE, f"/nowhere/{n}", f"words {n}") for n in range(count))
    memory_id = say(content, evidence=quoted).memory_id or ""
    if authority != Authority.OBSERVED:
        rule(home, review.accept, memory_id)
    if authority == Authority.LOCKED:
        with store.writing(home) as connection:
            change = Change(connection, PERSON)
            change.update("memories", memory_id, authority=authority)
            change.record("locked", memory_id)
    return memory_id


def find(home: Home, memory_id: str, *findings: Finding) -> evidence.Marked:
    """Mark the evidence of a memory, in the order of its references."""
    with store.writing(home) as connection:
        ids = connection.execute(
            "SELECT id FROM memory_evidence WHERE memory_id = ? ORDER BY source_ref", (memory_id,)
        ).fetchall()
        return evidence.mark(
            Change(connection, MAINTENANCE), {row[0]: found for row, found in zip(ids, findings, strict=False)}
        )


STANDINGS = {
    "observed, all gone": ("observed", (GONE, GONE), "active", "evidence_stale"),
    "observed, all withdrawn": ("observed", (WITHDRAWN, WITHDRAWN), "needs_review", "evidence_stale"),
    "observed, withdrawn and gone": ("observed", (WITHDRAWN, GONE), "needs_review", "evidence_stale"),
    "observed, one withdrawn": ("observed", (WITHDRAWN, SAME), "active", "evidence_stale"),
    "confirmed, all withdrawn": ("confirmed", (WITHDRAWN, WITHDRAWN), "active", "evidence_stale"),
    "observed, one left": ("observed", (GONE, SAME), "active", "evidence_stale"),
    "observed, changed only": ("observed", (CHANGED, CHANGED), "active", "evidence_stale"),
    "confirmed, all gone": ("confirmed", (GONE, GONE), "active", "evidence_stale"),
    "locked, all gone": ("locked", (GONE, GONE), "active", "evidence_stale"),
    "locked, changed": ("locked", (CHANGED, CHANGED), "active", "evidence_stale"),
    "nothing is known": ("observed", (Finding.UNKNOWN, Finding.UNKNOWN), "active", None),
}


@pytest.mark.parametrize("name", STANDINGS)
def test_what_becomes_of_the_memory(name: str, home: Home, say: Say) -> None:
    authority, findings, status, reason = STANDINGS[name]
    memory_id = put(home, say, authority, len(findings))
    before = column(home, memory_id, "content", "tier", "trust", "valid_from", "valid_to", "retired_at")
    find(home, memory_id, *findings)
    assert standing(home, memory_id) == (status, reason, authority)
    assert column(home, memory_id, "content", "tier", "trust", "valid_from", "valid_to", "retired_at") == before


def test_one_after_the_other_is_all_of_them(home: Home, say: Say) -> None:
    memory_id = put(home, say, "observed", 2)
    find(home, memory_id, WITHDRAWN)
    assert standing(home, memory_id)[0] == "active"
    find(home, memory_id, WITHDRAWN, WITHDRAWN)
    assert standing(home, memory_id)[0] == "needs_review"


REASONS = {
    Reason.SPOT_CHECK: Reason.EVIDENCE_STALE,
    Reason.CONTRADICTS: Reason.CONTRADICTS,
    Reason.INJECTION_FLAGGED: Reason.INJECTION_FLAGGED,
    Reason.PATROL: Reason.PATROL,
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_graver_reason_stays(home: Home, say: Say, reason: Reason) -> None:
    memory_id = put(home, say, "confirmed")
    with store.writing(home) as connection:
        change = Change(connection, MAINTENANCE)
        change.update("memories", memory_id, review_reason=reason)
        change.record("flagged", memory_id)
    find(home, memory_id, GONE)
    assert standing(home, memory_id)[:2] == ("active", REASONS[reason])


def test_what_waits_keeps_its_reason(home: Home, say: Say) -> None:
    memory_id = say(explicit=False, confidence=0.7, evidence=(Evidence(SourceType.FILE, "/nowhere/0", "x"),)).memory_id
    find(home, memory_id or "", GONE)
    assert standing(home, memory_id)[:2] == ("needs_review", "inferred")
    assert marks(home, memory_id) == {"missing_at"}
    find(home, memory_id or "", SAME)
    assert standing(home, memory_id)[:2] == ("needs_review", "inferred")


@pytest.mark.parametrize("status", ["rejected", "archived", "superseded"])
def test_what_is_retired_is_left_alone(home: Home, say: Say, status: str) -> None:
    where: dict[str, Any] = {"scope_type": "project", "scope_key": "/nowhere", "fact_key": "home"}
    first = say(evidence=(Evidence(SourceType.FILE, "/nowhere/0", "x"),), observed_at="2026-01-01", **where).memory_id
    if status == "superseded":
        say("Lives in Bonn.", observed_at="2026-02-01", **where)
    elif status == "rejected":
        rule(home, review.reject, first)
    else:
        with store.writing(home) as connection:
            change = Change(connection, PERSON)
            change.update("memories", first or "", status="archived")
            change.record("archived", first)
    assert standing(home, first)[0] == status
    before = rows(home)
    assert sweep(home) == Swept()
    find(home, first or "", GONE)
    assert rows(home) == before


@pytest.mark.parametrize("authority", ["observed", "confirmed", "locked"])
@pytest.mark.parametrize("finding", [GONE, WITHDRAWN, CHANGED])
def test_a_source_that_comes_back_clears_its_mark(home: Home, say: Say, authority: str, finding: Finding) -> None:
    memory_id = put(home, say, authority, 2)
    before = column(home, memory_id, "status", "review_reason", "authority", "content", "fact_key")
    assert find(home, memory_id, finding, finding).memories == 1
    find(home, memory_id, SAME, finding)
    assert standing(home, memory_id)[:2] == ("active", "evidence_stale")
    find(home, memory_id, SAME, SAME)
    assert marks(home, memory_id) == set()
    assert column(home, memory_id, "status", "review_reason", "authority", "content", "fact_key") == before
    assert_whole(home)


def test_one_source_back_puts_it_in_force_with_a_badge(home: Home, say: Say) -> None:
    memory_id = put(home, say, "observed", 2)
    find(home, memory_id, WITHDRAWN, WITHDRAWN)
    find(home, memory_id, CHANGED)
    assert standing(home, memory_id)[:2] == ("active", "evidence_stale")
    assert marks(home, memory_id) == {"stale_at", "missing_at"}


@pytest.mark.parametrize("taken", ["key", "text"])
def test_its_place_may_be_taken_meanwhile(home: Home, say: Say, taken: str) -> None:
    quoted = (Evidence(SourceType.FILE, "/nowhere/0", "words"),)
    memory_id = say(evidence=quoted, fact_key="user.home", observed_at="2026-01-01").memory_id or ""
    find(home, memory_id, WITHDRAWN)
    other = "Lives in Bonn." if taken == "key" else "Lives in Berlin!"
    with store.writing(home) as connection:
        change = Change(connection, MAINTENANCE)
        row = dict(connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone())
        key = "user.home" if taken == "key" else None
        print_ = "0" * 64 if taken == "key" else row["fingerprint"]
        fields = {"id": "m_" + "a" * 24, "seq": None, "content": other, "fact_key": key, "fingerprint": print_}
        change.insert("memories", **{**row, **fields, "status": "active", "review_reason": None, "seq": 99})
        change.record("created", "m_" + "a" * 24)
    find(home, memory_id, SAME)
    assert standing(home, memory_id)[:2] == ("needs_review", "evidence_stale")
    assert marks(home, memory_id) == set()


def test_a_mark_that_was_ruled_on_stays(home: Home, say: Say) -> None:
    """The person has looked at it; a source that comes and goes does not ask them again."""
    memory_id = put(home, say, "observed")
    find(home, memory_id, GONE)
    rule(home, review.accept, memory_id)
    before = rows(home)
    for finding in (SAME, CHANGED, GONE):
        assert find(home, memory_id, finding) == evidence.Marked()
    assert rows(home) == before
    assert standing(home, memory_id) == ("active", None, "confirmed")


def test_what_was_ruled_on_as_changed_can_still_vanish(home: Home, say: Say) -> None:
    memory_id = put(home, say, "observed")
    find(home, memory_id, CHANGED)
    rule(home, review.accept, memory_id)
    find(home, memory_id, GONE)
    assert marks(home, memory_id) == {"stale_at", "missing_at"}
    assert standing(home, memory_id)[:2] == ("active", "evidence_stale")


@pytest.mark.parametrize("finding", [GONE, WITHDRAWN, CHANGED])
def test_undo_restores_every_row_and_the_mark_is_not_made_again(home: Home, say: Say, finding: Finding) -> None:
    memory_id = put(home, say, "observed", 2)
    before = rows(home)
    find(home, memory_id, finding, finding)
    assert rows(home) != before
    take_back(home, memory_id)
    assert rows(home) == before
    assert find(home, memory_id, finding, finding) == evidence.Marked()
    assert rows(home) == before
    assert_whole(home)


def test_marking_twice_is_once(home: Home, say: Say) -> None:
    memory_id = put(home, say, "observed", 2)
    find(home, memory_id, GONE, CHANGED)
    before = rows(home)
    assert find(home, memory_id, GONE, CHANGED) == evidence.Marked()
    assert rows(home) == before


def test_what_left_force_is_asked_out_of_memory_md(home: Home, say: Say) -> None:
    memory_id = put(home, say, "observed")
    outbox.finish(home, [effect.id for effect in claim(home)], {})
    find(home, memory_id, WITHDRAWN)
    assert [effect.kind for effect in claim(home)] == ["memory_md"]


def test_a_badge_leaves_the_order_of_the_lens(home: Home, say: Say) -> None:
    memory_id = put(home, say, "locked")
    before = column(home, memory_id, "updated_at")
    find(home, memory_id, GONE)
    assert standing(home, memory_id)[1] == "evidence_stale"
    assert column(home, memory_id, "updated_at") == before


def test_evidence_that_is_gone_itself_and_an_unknown_id(home: Home, say: Say) -> None:
    put(home, say, "observed")
    with store.writing(home) as connection:
        assert evidence.mark(Change(connection, MAINTENANCE), {"e_none": GONE}) == evidence.Marked()


def test_a_sweep_takes_all_in_batches(home: Home, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch is one change; a second sweep finds nothing new."""
    monkeypatch.setattr("workbench.operations.evidence.BATCH", 4)
    kept = [
        say(f"Fact {n}.", evidence=(Evidence(SourceType.FILE, str(tmp_path / f"f{n % 3}"), "words"),)).memory_id
        for n in range(10)
    ]
    (tmp_path / "f0").write_text("the words")
    (tmp_path / "f1").write_text("other")
    assert sweep(home) == Swept(checked=10, changed=3, gone=3, memories=6)
    expected = [set(), {"stale_at"}, {"missing_at"}]
    assert [marks(home, memory_id) for memory_id in kept] == [expected[n % 3] for n in range(10)]
    before = rows(home)
    assert sweep(home) == Swept(checked=10)
    assert rows(home) == before
    with store.reading(home) as connection:
        changes = connection.execute(
            "SELECT count(DISTINCT change_id), count(DISTINCT actor), max(actor) FROM memory_events"
            " WHERE action LIKE 'evidence%'"
        ).fetchone()
    assert 1 <= changes[0] <= 3 and tuple(changes[1:]) == (1, "system:maintenance")


def test_nothing_is_locked_while_sources_are_read(
    home: Home, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer gets through while a source is read, and what it rejected is not marked."""
    memory_id = say(evidence=(Evidence(SourceType.FILE, str(tmp_path / "none"), "x"),)).memory_id
    compare = Sources.compare

    def meanwhile(self: Sources, found: Any) -> dict[str, Finding]:
        rule(home, review.reject, memory_id)
        return compare(self, found)

    monkeypatch.setattr(Sources, "compare", meanwhile)
    sweep(home)
    assert marks(home, memory_id) == set()
    assert standing(home, memory_id)[0] == "rejected"


def test_a_clock_set_back_clears_and_marks_all_the_same(home: Home, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = put(home, say, "observed")
    monkeypatch.setattr(db, "now", lambda: "2001-01-01T00:00:00.000000Z")
    find(home, memory_id, GONE)
    rule(home, review.accept, memory_id)
    assert find(home, memory_id, SAME) == evidence.Marked()
    assert marks(home, memory_id) == {"missing_at"}
