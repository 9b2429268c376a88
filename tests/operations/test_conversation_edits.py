"""Compacting and what is learned before, and taking back: what the ledger, search and a later reading make of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.homes import at_defaults
from tests.sessions.rows import KEY, assistant, call, result, stored, take, user, write
from workbench import db
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, read, store
from workbench.ledger.lifecycle import PersonOnly
from workbench.ledger.model import PERSON, Actor
from workbench.operations import compaction, dream, evidence, memories, review, rulings
from workbench.sessions import search, spoken, summary
from workbench.sessions import store as sessions
from workbench.sessions.states import rows_of

WINDOW = 4_000
AGENT = Actor("agent", "claude-code")


def talk(count: int, start: int = 0, **said: str) -> list[dict[str, Any]]:
    """Turns of some 100 tokens each; ``said`` is what some questions say, by their identity."""
    rows = []
    for number in range(start, start + count):
        before = f"a{number - 1}" if number else None
        at = f"2026-03-01T{10 + number // 60:02}:{number % 60:02}:00Z"
        asked = said.get(f"q{number}", f"Question {number}?")
        rows.append(user(f"{asked}\n\n" + "word " * 40, f"q{number}", before, timestamp=at))
        rows.append(assistant("more " * 40, f"a{number}", f"q{number}", timestamp=at))
    return rows


def held(home: Home, tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    take(home, write(tmp_path / "s.jsonl", rows))
    return sessions.path_of(home, KEY)


def ids(home: Home, **wanted: str) -> set[int]:
    return {row["id"] for row in stored(home) if all(row[name] == value for name, value in wanted.items())}


def learned(home: Home) -> set[int]:
    with store.reading(home) as connection:
        return read.learned(connection)


def known(home: Home) -> dict[str, str]:
    """Status by content of every memory."""
    return {item.content: item.status for item in memories.list_memories(home, status=None, limit=1_000).items}


def test_what_is_about_to_be_compacted_is_learned_from_once(home: Home, tmp_path: Path) -> None:
    said = {"q2": "I prefer tabs over spaces.", "q3": "I think I live in Berlin.", "q39": "I work at Acme."}
    path = held(home, tmp_path, talk(40, **said))
    lines = len(rows_of(path))
    done = compaction.compact(home, KEY[:15], window=WINDOW)
    assert done.session_key == KEY and done.learned is not None
    assert (done.learned.activated, done.learned.waiting) == (1, 1)
    assert known(home) == {"Prefers tabs over spaces.": "active", "Lives in Berlin.": "needs_review"}
    compacted = ids(home, state="compacted")
    assert learned(home) == compacted and len(compacted) == done.compacted
    # It makes candidates, and no line of the conversation but the summary.
    assert len(rows_of(path)) == lines + 1
    assert {item.created_by for item in memories.list_memories(home, status=None, limit=10).items} == {"dreamer:rules"}
    for force, why in ((False, "not needed yet"), (True, "nothing to compact")):
        again = compaction.compact(home, KEY, window=WINDOW, force=force)
        assert (again.compacted, again.learned, again.message.partition(":")[0]) == (0, None, why)
    # Dreaming reads the rest, and each message once.
    assert dream.dream(home).messages == 80 - len(compacted)
    assert known(home)["Works at Acme."] == "active"
    assert dream.dream(home).messages == 0
    item = memories.list_memories(home, limit=10).items[-1]
    assert item.source_session == KEY and item.seen_count == 1
    audit.anchor(home, at=db.now())
    assert audit.verify(home).problems == []


def test_what_was_learned_before_is_left_alone(home: Home, tmp_path: Path) -> None:
    held(home, tmp_path, talk(40, q2="I prefer tabs over spaces."))
    dream.dream(home)
    done = compaction.compact(home, KEY, window=WINDOW)
    assert done.compacted and done.learned is not None
    assert (done.learned.messages, done.learned.statements) == (0, 0)
    assert [item.seen_count for item in memories.list_memories(home, limit=10).items] == [1]


def test_learning_begins_a_little_before_there_is_too_much(home: Home, tmp_path: Path) -> None:
    """Between the two thresholds it is learned from, once a cycle; compacted is nothing yet."""
    home.config.write_text(json.dumps(at_defaults("compaction", {"memoryFlush": {"softThresholdTokens": 1_000}})))
    rows = talk(16, q2="I prefer tabs over spaces.", q13="I work at Acme.")
    path = held(home, tmp_path, rows)
    first = compaction.compact(home, KEY, window=WINDOW)
    assert 1_600 < first.tokens_before < 2_600 and first.compacted == 0
    assert first.learned is not None and first.learned.activated == 1
    image = path.read_bytes()
    assert compaction.compact(home, KEY, window=WINDOW).learned is None and path.read_bytes() == image
    held(home, tmp_path, [*rows, *talk(30, 16, q16="I live in Berlin.")])
    second = compaction.compact(home, KEY, window=WINDOW)
    assert second.compacted and second.learned is None
    held(home, tmp_path, [*rows, *talk(70, 16, q16="I live in Berlin.")])
    third = compaction.compact(home, KEY, window=WINDOW)  # the next cycle
    assert third.compacted and third.learned is not None
    # What none of them read, dreaming does.
    dream.dream(home)
    assert known(home).keys() == {"Prefers tabs over spaces.", "Works at Acme.", "Lives in Berlin."}


def test_learning_can_be_turned_off(home: Home, tmp_path: Path) -> None:
    home.config.write_text(json.dumps(at_defaults("compaction", {"memoryFlush": {"enabled": False}})))
    held(home, tmp_path, talk(40, q2="I prefer tabs over spaces."))
    done = compaction.compact(home, KEY, window=WINDOW)
    assert done.compacted and done.learned is None and learned(home) == set()


def test_a_dry_run_writes_nothing(home: Home, tmp_path: Path) -> None:
    held(home, tmp_path, talk(40, q2="I prefer tabs over spaces. We decided to use MariaDB."))

    def image() -> dict[str, tuple[int, bytes]]:
        files = [path for path in home.root.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = image()
    would = compaction.compact(home, KEY, window=WINDOW, dry_run=True)
    assert image() == before
    did = compaction.compact(home, KEY, window=WINDOW)
    assert would.dry_run and not did.dry_run
    assert (would.compacted, would.kept, would.summary) == (did.compacted, did.kept, did.summary)
    assert would.tokens_before == did.tokens_before > did.threshold > did.tokens_after
    assert "- We decided to use MariaDB." in (did.summary or "")


def test_a_summary_is_never_learned_from(home: Home, tmp_path: Path) -> None:
    held(home, tmp_path, talk(40, q2="I prefer tabs over spaces."))
    compaction.compact(home, KEY, window=WINDOW)
    dream.dream(home)
    (number,) = ids(home, origin="harness")
    assert number not in learned(home)
    assert [row.id for row in spoken.by_id(home, [number])] == []


# Taking back


def test_retry_and_undo(home: Home, tmp_path: Path) -> None:
    rows = talk(2)
    rows += [user("I live in Berlin.", "q2", "a1"), call("Bash", "c2", "q2"), result("c2", "out", "r2", "c2")]
    rows += [assistant("Side.", "s2", "c2", isSidechain=True), assistant("Noted.", "a2", "r2")]
    held(home, tmp_path, rows)
    again = compaction.retry(home, PERSON, KEY[:15])
    names = {row["id"]: row["identity"] for row in stored(home)}
    assert again.session_key == KEY and (again.role, again.learned) == ("assistant", 0)
    assert {names[number] for number in again.withdrawn} == set(names.values()) - {"q0", "a0", "q1", "a1", "q2"}
    with pytest.raises(NotFound, match=f"there is no answer in {KEY} to take back"):
        compaction.retry(home, PERSON, KEY)
    back = compaction.undo(home, PERSON, KEY)
    assert [names[number] for number in back.withdrawn] == ["q2"]
    assert (back.role, back.said) == ("user", "I live in Berlin.")
    assert [names[number] for number in compaction.undo(home, PERSON, KEY).withdrawn] == ["q1", "a1"]
    assert {row["identity"] for row in stored(home) if row["state"] == "active"} == {"q0", "a0"}
    # Withdrawn, not gone: it is shown, not found, not learned from.
    assert len(stored(home)) == len(names)
    assert search.discover(home, "Berlin")["results"] == []
    assert dream.dream(home).messages == 2 and known(home) == {}


EDITS = {
    "as it was": lambda rows: rows,
    "grown": lambda rows: [*rows, *talk(2, 3)],
    "the answer goes on": lambda rows: [*rows[:-1], assistant("Noted. And more.", "a2", "q2")],
}


@pytest.mark.parametrize("name", EDITS)
def test_no_source_brings_back_what_was_taken_back(home: Home, tmp_path: Path, name: str) -> None:
    rows = [*talk(2), user("I live in Berlin.", "q2", "a1"), assistant("Noted.", "a2", "q2")]
    path = held(home, tmp_path, rows)
    compaction.undo(home, PERSON, KEY)
    (tmp_path / "s.jsonl").touch()
    held(home, tmp_path, EDITS[name](rows))
    states = {row["identity"]: row["state"] for row in rows_of(path)}
    assert (states["q2"], states["a2"]) == ("withdrawn", "withdrawn")
    assert [state for key, state in states.items() if key not in ("q2", "a2")] == ["active"] * (len(states) - 2)
    dream.dream(home)
    assert known(home) == {}


def test_what_was_learned_from_it_is_marked(home: Home, tmp_path: Path) -> None:
    """The memory waits, as its source is gone; what is locked stays in force with a badge."""
    said = user("I live in Berlin. I prefer tabs over spaces.", "q2", "a1")
    held(home, tmp_path, [*talk(2), said, assistant("Noted.", "a2", "q2")])
    dream.dream(home)
    (locked,) = memories.list_memories(home, q="tabs").items
    rulings.lock(home, PERSON, locked.id)
    assert evidence.sweep(home).changed == 0
    done = compaction.undo(home, PERSON, KEY)
    assert (done.learned, done.memories) == (2, 2)
    assert done.message == "2 messages taken back; 2 that were learned from it are in the inbox"
    found = {item.memory.content: item for item in review.inbox(home).items}
    assert {item.reason for item in found.values()} == {"evidence_stale"}
    assert {content: item.memory.status for content, item in found.items()} == {
        "Lives in Berlin.": "needs_review",
        "Prefers tabs over spaces.": "active",
    }
    (source,) = memories.show(home, locked.id).evidence
    assert source.missing_at is not None
    assert "Berlin" not in home.memory_md.read_text() and "tabs" in home.memory_md.read_text()
    assert evidence.sweep(home) == evidence.Swept(checked=2)
    back = compaction.restore(home, PERSON, KEY)
    assert (back.withdrawn, back.memories) == (done.withdrawn, 2)
    assert back.message == "2 messages brought back; 2 have their source again"
    assert memories.show(home, locked.id).evidence[0].missing_at is None


def test_compaction_marks_no_evidence(home: Home, tmp_path: Path) -> None:
    held(home, tmp_path, talk(40, q2="I prefer tabs over spaces."))
    assert compaction.compact(home, KEY, window=WINDOW).compacted
    swept = evidence.sweep(home)
    assert (swept.checked, swept.changed, swept.gone) == (1, 0, 0)


def test_of_what_is_compacted_nothing_is_taken_back(home: Home, tmp_path: Path) -> None:
    path = held(home, tmp_path, talk(40))
    kept = compaction.compact(home, KEY, window=WINDOW).kept
    for _ in range(kept // 2):
        compaction.undo(home, PERSON, KEY)
    with pytest.raises(NotFound, match=r"no turn in .* to take back; what was said before is compacted"):
        compaction.undo(home, PERSON, KEY)
    assert [row["state"] for row in rows_of(path) if row["content"].startswith(summary.MARKER)] == ["active"]


@pytest.mark.parametrize("act", [compaction.retry, compaction.undo, compaction.restore])
def test_only_the_person_takes_back(home: Home, tmp_path: Path, act: Any) -> None:
    path = held(home, tmp_path, talk(2))
    before = path.read_bytes()
    for actor in (AGENT, Actor("dreamer", "rules"), Actor("system", "maintenance")):
        with pytest.raises(PersonOnly, match=f"not {actor}"):
            act(home, actor, KEY)
    assert path.read_bytes() == before
    with pytest.raises(NotFound, match="there is no conversation 'nobody'"):
        act(home, PERSON, "nobody")


# Models


def test_without_llm_a_model_is_refused_before_anything_is_done(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llm", None)
    path = held(home, tmp_path, talk(40, q2="I prefer tabs over spaces."))
    before = path.read_bytes()
    for options in ({"model": "gpt"}, {}):
        home.config.write_text(json.dumps(at_defaults("compaction", {"model": "" if options else "gpt"})))
        with pytest.raises(WorkbenchError, match=r"gpt can't be asked: the package llm is not installed \(pip"):
            compaction.compact(home, KEY, window=WINDOW, **options)
    assert path.read_bytes() == before and learned(home) == set()
    # "" asks for an extract though the settings name a model.
    assert compaction.compact(home, KEY, window=WINDOW, model="").compacted


def test_a_model_of_llm(home: Home, tmp_path: Path) -> None:
    llm = pytest.importorskip("llm")
    from llm.plugins import pm

    class Writer(llm.Model):
        model_id = "workbench-writer"
        said = ""

        def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Any:
            assert "## Open TODOs" in prompt.system and "user:\n| Question " in prompt.prompt
            if not self.said:
                raise llm.ModelError("no money left")
            yield self.said

    class Plugin:
        @llm.hookimpl
        def register_models(self, register: Any) -> None:
            register(Writer())

    path = held(home, tmp_path, talk(40))
    before = rows_of(path)
    with pytest.raises(WorkbenchError, match="llm knows no model 'nobody'"):
        compaction.compact(home, KEY, window=WINDOW, model="nobody")
    pm.register(Plugin(), name="workbench-writer")
    try:
        with pytest.raises(
            WorkbenchError, match=r"the model workbench-writer failed, nothing was compacted: .*no money"
        ):
            compaction.compact(home, KEY, window=WINDOW, model="workbench-writer")
        assert rows_of(path) == before
        sections = "\n".join(f"## {name}\n- Said of {name}." for name in summary.SECTIONS)
        Writer.said = f"{sections}\n\nEND OF SUMMARY"
        done = compaction.compact(home, KEY, window=WINDOW, model="workbench-writer")
        assert "- Said of Open TODOs." in (done.summary or "") and done.compacted
    finally:
        pm.unregister(name="workbench-writer")
