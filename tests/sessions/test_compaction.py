"""Compaction: what leaves a conversation's context, what stays, and that nothing is lost and nothing comes back."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.sessions.rows import KEY, assistant, call, check_full_text, result, stored, take, tally, user, write
from tests.sessions.talks import SMALL, Rows, compact, held, is_summary, source, states, talk
from workbench import files
from workbench.config import Compaction
from workbench.errors import NotFound, StorageFull
from workbench.home import Home
from workbench.sessions import canonical, compaction, extract, index, search, spoken, store, summary, turns, withdrawal
from workbench.sessions.importers import flowly
from workbench.sessions.importers.lines import Counts
from workbench.sessions.states import Changed, rows_of
from workbench.text import ERASED


def test_nothing_is_taken_away(home: Home, tmp_path: Path) -> None:
    path = held(home, talk(40), tmp_path)
    before = {row["id"]: row for row in stored(home)}
    assert len(before) == 80
    done = compact(home)
    after = stored(home)
    added = [row for row in after if row["id"] not in before]
    assert [(row["role"], row["origin"], row["state"]) for row in added] == [("system", "harness", "active")]
    for row in after:
        if row["id"] in before:
            old = before[row["id"]]
            assert (row["content"], row["timestamp"], row["identity"]) == (
                old["content"],
                old["timestamp"],
                old["identity"],
            )
    kept = done.plan.staying
    assert [state for _, state in states(home)] == ["compacted"] * (80 - kept) + ["active"] * kept
    # Whole turns stay, at most a quarter of the threshold.
    assert kept % 2 == 0 and kept >= 3 and sum(turns.tokens(row) for row in rows_of(path)[-kept:]) <= 650
    assert [is_summary(row) for row in rows_of(path)].index(True) == 80 - kept
    assert done.tokens < 2_600 < done.plan.tokens
    # What was compacted is found, and is learned from; the summary is neither.
    assert search.discover(home, "Question 3")["results"][0]["state"] == "compacted"
    assert len(list(spoken.new_messages(home, set()))) == 80
    check_full_text(home)
    rebuilt = stored(home)
    index.rebuild(home)
    assert [{**row, "n": 0} for row in stored(home)] == [{**row, "n": 0} for row in rebuilt]


def test_nothing_is_done_before_it_is_needed(home: Home, tmp_path: Path) -> None:
    path = held(home, talk(10), tmp_path)
    before = path.read_bytes(), path.stat().st_mtime_ns
    done = compact(home)
    assert (done.summary, done.plan.due, done.plan.tokens) == ("", False, done.tokens)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert compact(home, force=True).summary.startswith(summary.MARKER)


@pytest.mark.parametrize("force", [False, True])
def test_a_second_one_does_nothing(home: Home, tmp_path: Path, force: bool) -> None:
    path = held(home, talk(40), tmp_path)
    flushed: list[int] = []
    compact(home, flush=lambda plan: flushed.append(len(plan.learnable)))
    before = path.read_bytes(), path.stat().st_mtime_ns
    for _ in range(2):
        done = compact(home, force=force, flush=lambda plan: flushed.append(len(plan.learnable)))
        assert done.summary == "" and not done.flushed
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert len(flushed) == 1 and flushed[0] == len([state for _, state in states(home) if state == "compacted"])


def test_the_next_one_takes_the_summary_with_it(home: Home, tmp_path: Path) -> None:
    rows = talk(40)
    rows[4]["message"]["content"] = "We decided to keep the ledger in SQLite 3.51. It must never leave the machine."
    path = held(home, rows, tmp_path)
    first = compact(home)
    take(home, write(source(tmp_path), [*rows, *talk(30, 40)]))
    second = compact(home)
    found = [row for row in rows_of(path) if is_summary(row)]
    assert [row["state"] for row in found] == ["compacted", "active"]
    assert [row["content"] for row in found] == [first.summary, second.summary]
    for line in ("We decided to keep the ledger in SQLite 3.51.", "It must never leave the machine."):
        assert f"\n- {line}" in first.summary and f"\n- {line}" in second.summary
    assert summary.parse(second.summary)[summary.REQUEST] != summary.parse(first.summary)[summary.REQUEST]
    assert canonical.read_header(path)["metadata"]["compaction"]["cycles"] == 2
    assert [row["state"] for row in compaction.working(rows_of(path))] == ["active"] * (1 + second.plan.staying)


def test_the_same_messages_give_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.db.now", lambda: "2026-03-02T00:00:00.000000Z")
    images = []
    for name in ("one", "other"):
        home = fresh_home(tmp_path / name)
        path = held(home, talk(40), tmp_path)
        compact(home)
        images.append(path.read_bytes())
    assert images[0] == images[1]


def test_subagents_are_no_part_of_the_context(home: Home, tmp_path: Path) -> None:
    rows = talk(40)
    rows[10:10] = [assistant("side " * 4_000, "side", "q5", isSidechain=True)]
    path = held(home, rows, tmp_path)
    done = compact(home)
    assert tally(home)["assistant/subagent/compacted"] == 1
    assert "side side" not in done.summary and done.plan.tokens < 5_000
    assert all(row["origin"] != "subagent" for row in compaction.working(rows_of(path)))


def test_of_a_last_turn_too_large_question_and_answer_stay(home: Home, tmp_path: Path) -> None:
    rows = talk(30)
    rows += [user("And now?", "last", "a29"), call("Bash", "c", "last"), result("c", "out " * 3_000, "r", "c")]
    rows += [assistant("That is it.", "end", "r")]
    path = held(home, rows, tmp_path)
    compact(home)
    active = compaction.working(rows_of(path))
    assert [row["content"] for row in active[1:]] == ["And now?", "That is it."]
    assert compact(home, force=True).summary == ""


def test_the_sources_own_count_is_believed_until_it_is_compacted(home: Home, tmp_path: Path) -> None:
    """A request of 110,000 tokens, of which the conversation shows a part only."""

    def lines(count: int) -> Rows:
        head: Rows = [{"_type": "metadata", "key": KEY, "created_at": None, "updated_at": None, "metadata": {}}]
        usage = {"input": 110_000, "output": 60}
        for number in range(count):
            head.append({"role": "user", "content": f"Question {number} " + "w " * 400, "_event_id": f"q{number}"})
            said = {"role": "assistant", "content": "Answer " + "w " * 400, "_event_id": f"a{number}"}
            head.append(said | ({"usage": usage} if number == 39 else {}))
        return head

    held(home, lines(40), tmp_path)
    first = compaction.compact(home, KEY, Compaction())
    assert first.plan.tokens == 110_060 and first.summary
    assert compaction.compact(home, KEY, Compaction()).plan.tokens < 12_000
    take(home, write(source(tmp_path), lines(41)))
    assert not compaction.compact(home, KEY, Compaction()).summary


def test_a_conversation_that_is_not_there(home: Home) -> None:
    with pytest.raises(NotFound, match=r"there is no conversation claude-code:none$"):
        compaction.compact(home, "claude-code:none", SMALL)


@pytest.mark.parametrize("window", [4_000, 1_000])
def test_another_process_was_quicker(home: Home, tmp_path: Path, window: int) -> None:
    path = held(home, talk(40), tmp_path)

    def slow(rows: Sequence[dict[str, Any]], earlier: summary.Sections | None) -> summary.Sections:
        compact(home, window=window)
        return extract.extract(rows, earlier)

    with pytest.raises(Changed, match=r"another process changed claude-code:.* meanwhile"):
        compact(home, write=slow)
    assert len([row for row in rows_of(path) if is_summary(row)]) == 1

    take(home, write(source(tmp_path), talk(80)))

    def grown(rows: Sequence[dict[str, Any]], earlier: summary.Sections | None) -> summary.Sections:
        take(home, write(source(tmp_path), talk(81)))
        return extract.extract(rows, earlier)

    compact(home, write=grown)  # what came meanwhile stands behind it
    assert states(home)[-3:] == [("a79", "active"), ("q80", "active"), ("a80", "active")]


def test_a_full_disk_leaves_everything_as_it_was(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = held(home, talk(40), tmp_path)
    before = path.read_bytes()

    def full(handle: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(StorageFull, match="disk full"):
        broken.setattr(files, "write_all", full)
        compact(home)
    assert path.read_bytes() == before
    assert compact(home).summary


def test_what_is_erased_leaves_the_summary_too(home: Home, tmp_path: Path) -> None:
    rows = talk(40)
    rows[4]["message"]["content"] = "We decided to sell the house in Dornbach."
    path = held(home, rows, tmp_path)
    assert "Dornbach" in compact(home).summary
    number = next(row["id"] for row in rows_of(path) if "Dornbach" in row["content"])
    assert store.erase(home, KEY, {number}) == 1
    assert b"Dornbach" not in path.read_bytes()
    assert [row["content"] for row in rows_of(path) if is_summary(row)] == [ERASED]
    # It is not in the context any more, and the next one is made without it.
    assert not [row for row in compaction.working(rows_of(path)) if is_summary(row)]
    take(home, write(source(tmp_path), [*rows, *talk(30, 40)]))
    again = compact(home).summary
    assert again and "Dornbach" not in again and ERASED not in again


def test_flowly_can_go_on_with_it(home: Home, tmp_path: Path) -> None:
    """The context in Flowly's documented form; the canonical file itself can be read as one, too."""
    rows = talk(40)
    rows += [user("And?", "last", "a39"), call("Bash", "c", "last"), result("c", "done", "r", "c")]
    path = held(home, rows, tmp_path)
    compact(home)
    document = tmp_path / "claude-code_x.jsonl"
    document.write_bytes(compaction.as_flowly(home, KEY))
    first, *lines = [json.loads(line) for line in document.read_bytes().splitlines()]
    assert first["_type"] == "metadata" and first["created_at"] and isinstance(first["metadata"], dict)
    assert lines[0]["role"] == "system" and lines[0]["content"].startswith("[Previous conversation summary]")
    assert {name for line in lines for name in line} == {
        *("role", "content", "timestamp", "tool_calls", "tool_call_id"),
    }
    for file, shown in ((document, compaction.working(rows_of(path))), (path, rows_of(path))):
        (found,) = flowly.read(file, Counts())
        expected = [(row["role"], row["origin"], row["content"], row["state"]) for row in shown]
        assert [(m.role, m.origin, m.content, m.state) for m in found.messages] == expected


# A source that is read again


EDITS: dict[str, Callable[[Rows], Rows]] = {
    "as it was": lambda rows: rows,
    "grown": lambda rows: [*rows, *talk(3, 40)],
    "with one message written anew": lambda rows: [
        {**rows[0], "message": {"role": "user", "content": "Else."}},
        *rows[1:],
    ],
    "cut to its end": lambda rows: rows[60:],
}


@pytest.mark.parametrize("name", EDITS)
def test_a_source_that_is_read_again_changes_no_state(home: Home, tmp_path: Path, name: str) -> None:
    path = held(home, talk(40), tmp_path)
    compact(home)
    before, image = states(home), path.read_bytes()
    again = EDITS[name](talk(40))
    take(home, write(source(tmp_path), again))
    found = [(identity, state) for identity, state in states(home) if not identity.startswith("later:")]
    assert found[: len(before)] == before
    assert [state for _, state in found[len(before) :]] == ["active"] * (len(again) - 80 if name == "grown" else 0)
    assert len([row for row in rows_of(path) if is_summary(row)]) == 1
    if name in ("as it was", "cut to its end"):
        assert path.read_bytes() == image
    if name == "with one message written anew":
        assert [(row["content"], row["state"]) for row in rows_of(path)[:2]] == [
            (rows_of(path)[0]["content"], "compacted"),
            ("Else.", "withdrawn"),
        ]
        assert rows_of(path)[0]["content"] == talk(40)[0]["message"]["content"]


def test_a_source_may_show_less_than_it_did(home: Home, tmp_path: Path) -> None:
    """What its source takes back is withdrawn though it was compacted, and compacted again when it brings it back."""
    rows = talk(40)
    held(home, rows, tmp_path)
    compact(home)
    branch = [user("Rather this", "other", "a3"), assistant("Fine", "fine", "other")]
    take(home, write(source(tmp_path), [*rows, *branch]))
    assert dict(states(home))["q4"] == "withdrawn" and dict(states(home))["q3"] == "compacted"
    home.session_index.unlink()
    take(home, write(source(tmp_path), rows))
    assert dict(states(home))["q4"] == "compacted"


STEPS = st.lists(
    st.sampled_from(["grow", "grow", "ingest", "compact", "force", "undo", "retry", "rewrite", "forget", "rebuild"]),
    min_size=3,
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, sizes=st.lists(st.integers(1, 300), min_size=8, max_size=8))
def test_whatever_happens_states_stay_and_nothing_doubles(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], sizes: list[int]
) -> None:
    """A model of the file: each message of the source once, in the order it came, in the state that shows least."""
    folder = tmp_path_factory.mktemp("property")
    home, rows, marked = fresh_home(folder / "home"), talk(4, words=sizes[0]), dict[str, str]()
    path = held(home, rows, folder)
    for number, step in enumerate(steps):
        before = {row["identity"]: row for row in rows_of(path)}
        if step == "grow":
            turn = sum(row["type"] == "user" for row in rows)
            rows = [*rows, *talk(3, turn, words=sizes[number % len(sizes)])]
            take(home, write(source(folder), rows))
        elif step == "rewrite":
            anew = {**rows[0], "message": {"role": "user", "content": f"Anew {number}"}}
            take(home, write(source(folder), [anew, *rows[1:]]))
        elif step == "forget":
            store_index = [home.session_index.with_name(home.session_index.name + end) for end in ("", "-wal", "-shm")]
            for file in store_index:
                file.unlink(missing_ok=True)
            take(home, source(folder))
        elif step == "rebuild":
            index.rebuild(home)
        elif step in ("undo", "retry"):
            try:
                marked |= {row["identity"]: "withdrawn" for row in withdrawal.withdraw(home, KEY, turn=step == "undo")}
            except NotFound:
                assert before.keys() == {row["identity"] for row in rows_of(path)}
        elif step in ("compact", "force"):
            done = compact(home, force=step == "force")
            if done.summary:
                gone = {before_id for before_id, row in before.items() if row["id"] in set(done.plan.ids)}
                assert not gone & marked.keys()
                marked |= dict.fromkeys((name for name in gone if not is_summary(before[name])), "compacted")
            image = path.read_bytes()
            assert compact(home, force=True).summary == "" or step == "compact"
            if step == "force":
                assert path.read_bytes() == image
            else:  # what a forced one took besides
                now = {row["identity"]: row for row in rows_of(path) if not is_summary(row)}
                marked |= {name: "compacted" for name, row in now.items() if row["state"] == "compacted"}
        else:
            take(home, source(folder))
        now_rows = rows_of(path)
        own = [row for row in now_rows if not is_summary(row) and not row["identity"].startswith("later:")]
        assert [row["identity"] for row in own] == [row["uuid"] for row in rows]
        assert [row["state"] for row in own] == [marked.get(row["identity"], "active") for row in own]
        assert own[0]["content"] == rows[0]["message"]["content"]
        assert len({row["id"] for row in now_rows}) == len(now_rows)
        assert all(before[row["identity"]]["id"] == row["id"] for row in now_rows if row["identity"] in before)
        active = [row for row in now_rows if is_summary(row) and row["state"] == "active"]
        assert len(active) == any(row["state"] == "compacted" for row in own)
    index.sync(home)
    assert [(row["id"], row["state"]) for row in stored(home)] == [(row["id"], row["state"]) for row in rows_of(path)]
    check_full_text(home)
