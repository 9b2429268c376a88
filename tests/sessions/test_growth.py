"""A source that grows is read on from where reading ended; what comes of it is what reading all of it gives."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sessions import test_openclaw as openclaw
from tests.sessions.rows import KEY, assistant, check_full_text, dump, said, stored, take, user, write
from tests.sessions.test_codex import PARENT, event, item, line, meta, shown, spoken
from workbench.home import Home
from workbench.sessions import canonical, growth, prefix, sources, store
from workbench.sessions.importers import lines

Row = dict[str, Any]


def _claude(chance: random.Random, plain: bool) -> Iterator[Row]:
    """A session of Claude Code: prompts, answers in several rows, tools side by side, subagents; where it is not plain,
    prompts that are taken back, queued or repeated, rows that are told twice, titles and rows without a name."""
    tip, uuids, texts = None, [], ["go on"]
    base = {"sessionId": "s", "cwd": "/p", "isSidechain": False}
    for turn in range(12):
        at = f"2026-01-01T10:{turn:02}:00Z"
        text = chance.choice([*texts, f"prompt {turn}"])
        if not plain and chance.random() < 0.2:
            yield {**base, "type": "queue-operation", "operation": "enqueue", "content": text, "timestamp": at}
        if not plain and chance.random() < 0.2:
            yield {**base, "type": "ai-title", "aiTitle": f"title {turn}", "sessionId": "s"}
        if not plain and uuids and chance.random() < 0.25:
            tip = chance.choice(uuids)
        named = plain or chance.random() < 0.9
        said = {"role": "user", "content": text}
        row = {**base, "type": "user", "parentUuid": tip, "timestamp": at, "message": said}
        if named:
            tip = row["uuid"] = f"u{turn}"
            uuids.append(tip)
        yield row
        calls = chance.randint(0, 3)
        blocks: list[Row] = [{"type": "thinking", "thinking": f"hm {turn}"}, {"type": "text", "text": f"answer {turn}"}]
        blocks += ({"type": "tool_use", "id": f"t{turn}-{n}", "name": "Bash", "input": {}} for n in range(calls))
        heads = []
        for number, block in enumerate(blocks):
            name = f"a{turn}-{number}"
            answer = {"id": f"msg{turn}", "role": "assistant", "model": "m", "content": [block]}
            answer["usage"] = {"input_tokens": 5, "output_tokens": number + 1}
            row = {**base, "type": "assistant", "uuid": name, "parentUuid": tip, "timestamp": at, "message": answer}
            yield row
            if not plain and chance.random() < 0.1:
                longer = {**block, "text": f"answer {turn}, and more"} if "text" in block else block
                yield {**row, "uuid": f"{name}x", "message": {**answer, "content": [longer]}}
            if chance.random() < 0.1:
                side = {"role": "user", "content": f"to the subagent {turn}"}
                yield {
                    **base,
                    "type": "user",
                    "uuid": f"s{name}",
                    "parentUuid": None,
                    "isSidechain": True,
                    "message": side,
                }
            tip = name
            uuids.append(name)
            heads.append(name)
        for number in range(calls):
            result = {"type": "tool_result", "tool_use_id": f"t{turn}-{number}", "content": f"result {number}"}
            tip, parent = f"r{turn}-{number}", heads[2 + number]
            yield {
                **base, "type": "user", "uuid": tip, "parentUuid": parent, "timestamp": at,
                "message": {"role": "user", "content": [result]},
            }  # fmt: skip


def _codex(chance: random.Random, plain: bool) -> Iterator[Row]:
    """A rollout: what is said is told as an item and as an event, in either order, not always by both; calls of tools;
    where it is not plain, compactions, turns taken back, other models, what the screen did not show."""
    yield meta()
    for turn in range(12):
        if plain or chance.random() < 0.8:
            yield event("task_started", turn_id=str(turn))
        model = "gpt" if plain else chance.choice(["gpt", "gpt", "other"])
        yield line("turn_context", {"cwd": "/p", "model": model})
        text = chance.choice(["go on", f"prompt {turn}"])
        yield from chance.choice([[spoken("user", text), shown("user", text)], [spoken("user", text)]])
        answer = chance.choice(["Done.", f"answer {turn}"])
        for number in range(chance.randint(0, 2)):
            call = f"call{turn}-{number}"
            yield item("function_call", name="exec", arguments="{}", call_id=call)
            yield item("function_call_output", call_id=call, output="ok")
        told = [shown("assistant", answer), spoken("assistant", answer)]
        yield from chance.choice([told, told[::-1], told[:1]])
        yield event("token_count", info={"last_token_usage": {"input_tokens": turn, "output_tokens": 7}})
        if not plain and chance.random() < 0.15:
            yield line("compacted", {"message": f"summary {turn}"})
        if not plain and chance.random() < 0.15:
            yield event("thread_rolled_back", num_turns=1)


def _openclaw(chance: random.Random, plain: bool) -> Iterator[Row]:
    """A tree of entries; where it is not plain, other branches, compactions, other models."""
    yield openclaw.HEADER
    tip: str | None = None
    for number in range(30):
        if not plain and chance.random() < 0.1:
            target = f"e{chance.randrange(max(number, 1))}"
            tip = chance.choice([tip, target])
            yield openclaw.entry("leaf", f"l{number}", tip, targetId=target)
        if not plain and number and chance.random() < 0.1:
            yield openclaw.entry("compaction", f"c{number}", tip, summary="so far", firstKeptEntryId=f"e{number - 1}")
            tip = f"c{number}"
        if chance.random() < 0.2:
            yield openclaw.entry("thinking_level_change", f"t{number}", tip, thinkingLevel="high")
            tip = f"t{number}"
        name, text = f"e{number}", chance.choice(["go on", "HEARTBEAT", f"number {number}"])
        yield chance.choice([
            openclaw.user(text, name, tip),
            openclaw.assistant(text, name, tip, model=chance.choice(["one", "two"]), usage={"input": number}),
        ])  # fmt: skip
        tip = name


def _flowly(chance: random.Random, plain: bool) -> Iterator[Row]:
    yield {"_type": "metadata", "key": "cli:growing", "metadata": {}}
    for number in range(30):
        row: Row = {"role": chance.choice(["user", "assistant"]), "content": chance.choice(["ok", "yes", "more"])}
        yield row if chance.random() < 0.7 else {**row, "_event_id": f"e{number}"}


def _generic(chance: random.Random, plain: bool) -> Iterator[Row]:
    for number in range(30):
        row: Row = {
            "role": chance.choice(["user", "assistant"]) if number else "user",
            "content": chance.choice(["ok", "yes", "more"]),
        }
        yield row if plain or number == 0 else {**row, "id": f"i{chance.randint(0, 40)}"}


def _rows_of(home: Home) -> dict[str, list[str]]:
    return {
        Path(entry.path).name: sorted(
            json.dumps(row, sort_keys=True) for _, _, row in canonical.read_messages(Path(entry.path)) if row
        )
        for entry in store.canonical_files(home)
    }


def _rested(path: Path) -> Path:
    os.utime(path, (time.time() - 1_000,) * 2)
    return path


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each source that had grown: whether it was read on."""
    seen: list[bool] = []
    original = growth.read_on

    def watched(*given: Any) -> Any:
        done = original(*given)
        seen.append(done is not None)
        return done

    monkeypatch.setattr(growth, "read_on", watched)
    return seen


@pytest.mark.parametrize("made", [_claude, _codex, _openclaw, _flowly, _generic])
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_in_pieces_as_in_one(
    made: Callable[[random.Random, bool], Iterator[Row]], plain: bool, seed: int, tmp_path: Path, ways: list[bool]
) -> None:
    chance = random.Random(seed)
    told = [json.dumps(row).encode() + b"\n" for row in made(chance, plain)]
    # A rollout is read on where a turn ended: what says the same twice stands together.
    ends = [n for n, row in enumerate(told, 1) if b"token_count" in row] if plain and made is _codex else []
    cuts = [*sorted(chance.sample(ends[:-1] or range(6, len(told)), 6)), len(told)]
    grown, whole, path = (
        Home(tmp_path / "grown"),
        Home(tmp_path / "whole"),
        tmp_path / f"rollout-2026-03-01T10-00-00-{PARENT}.jsonl",
    )
    for start, end in zip([0, *cuts], cuts, strict=False):
        with path.open("ab") as out:
            out.write(b"".join(told[start:end]))
        take(grown, path)
    before = _rows_of(grown)
    take(grown, _rested(path))
    take(whole, path)
    assert _rows_of(grown) == _rows_of(whole)
    check_full_text(grown)
    assert ways.count(True) == 6 or not plain
    if plain and made in (_flowly, _generic):  # what an answer took is known when all of it was written
        assert before == _rows_of(grown)


def _talk(path: Path, start: int, end: int, size: int = 0) -> Path:
    """Append prompts to a session of Claude Code."""
    with path.open("ab") as out:
        for number in range(start, end):
            parent = f"u{number - 1:05}" if number else None
            text = f"number {number} " + "word " * size
            out.write(dump([user(text, f"u{number:05}", parent)]))
    return path


def _contents(home: Home) -> list[str]:
    return [content.split(" word")[0].strip() for _, _, content in said(home)]


def test_reading_on_reads_nothing_of_what_was_read(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ways: list[bool]
) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 300, 1_000)
    take(home, path)
    parsed: list[bytes] = []
    original = lines.parse
    monkeypatch.setattr(lines, "parse", lambda line, *rest: parsed.append(line) or original(line, *rest))
    monkeypatch.setattr(canonical, "parse", lambda line: parsed.append(line) or canonical.orjson.loads(line))
    report = take(home, _talk(path, 300, 302))
    assert (report.new, report.sources[0]["messages"], report.sources[0]["read"]) == (2, 302, 2)
    assert ways == [True]
    assert len(parsed) == 2 * 2 + 2  # the importer looks twice, the index once
    assert _contents(home) == [f"number {number}" for number in range(302)]


def test_a_beginning_that_changed_is_noticed(home: Home, tmp_path: Path, ways: list[bool]) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 300, 1_000)
    take(home, path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"number 0 ", b"other 0! "))
    take(home, _talk(path, 300, 301))
    assert ways == [False]
    assert _contents(home)[:2] == ["number 0", "other 0!"]  # the first telling stays
    assert len(_contents(home)) == 302


def test_a_middle_that_changed_is_noticed_when_the_source_rests(home: Home, tmp_path: Path, ways: list[bool]) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 600, 1_000)
    take(home, path)
    data = path.read_bytes()
    at = data.index(b"number 77 ")
    assert prefix.mark_of(path, len(data)) != prefix.mark_of(_changed(path, data, 1_000, b"X"), len(data))
    _changed(path, data, at, b"other! 77 ")
    take(home, _talk(path, 600, 601))
    assert ways == [True]  # samples do not tell
    assert _contents(home)[77] == "number 77"
    take(home, _rested(path))
    assert (_contents(home)[77:79], len(_contents(home))) == (["number 77", "other! 77"], 602)
    check_full_text(home)


def _changed(path: Path, data: bytes, at: int, by: bytes) -> Path:
    path.write_bytes(data[:at] + by + data[at + len(by) :])
    return path


def test_a_line_that_is_not_finished_waits(home: Home, tmp_path: Path) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 3)
    take(home, path)
    line = dump([user("the last", "last", "u00002")])
    with path.open("ab") as out:
        out.write(line[:40])
    assert take(home, path).new == 0
    with path.open("ab") as out:
        out.write(line[40:-1])
    assert take(home, path).new == 1
    with path.open("ab") as out:
        out.write(b"\n" + dump([user("the very last", "very", "last")]))
    assert take(home, path).new == 1
    assert _contents(home)[3:] == ["the last", "the very last"]


def test_what_is_unusable_is_counted_on(home: Home, tmp_path: Path, ways: list[bool]) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 2)
    with path.open("ab") as out:
        out.write(b"no JSON\n")
    take(home, path)
    first = path.stat().st_size - len(b"no JSON\n")
    second = path.stat().st_size
    with path.open("ab") as out:
        out.write(b"none either\n")
    report = take(home, _talk(path, 2, 3))
    assert ways == [True]
    assert [row["byte_offset"] for row in sources.quarantined(home)] == [first, second]
    assert (report.new, report.sources[0]["read"], report.sources[0]["quarantined"]) == (1, 2, 1)
    (state,) = sources.known(home).values()
    assert (state.messages, state.read, state.kept, state.quarantined) == (3, 5, 3, 2)


def test_a_conversation_that_was_changed_here_is_read_whole(home: Home, tmp_path: Path, ways: list[bool]) -> None:
    path = _talk(tmp_path / "s.jsonl", 0, 5)
    take(home, path)
    (number,) = [row["id"] for row in stored(home) if row["seq"] == 2]
    assert store.erase(home, KEY, [number]) == 1
    take(home, _talk(path, 5, 6))
    assert _contents(home) == ["number 0", "number 1", "[erased]", "number 3", "number 4", "number 5"]
    take(home, _talk(path, 6, 7))
    assert ways[-1]
    assert _contents(home)[2] == "[erased]"


def test_the_tokens_of_an_answer_are_counted_once_when_the_source_rests(
    home: Home, tmp_path: Path, ways: list[bool]
) -> None:
    def part(number: int) -> bytes:
        message = {"id": "msg1", "usage": {"output_tokens": 10 * number}}
        parent = f"a{number - 1}" if number > 1 else "u1"
        return dump([assistant(f"part {number}", f"a{number}", parent, message=message)])

    path = write(tmp_path / "s.jsonl", [user("tell me", "u1"), part(1)])
    take(home, path)
    with path.open("ab") as out:
        out.write(part(2))
    take(home, path)
    assert ways == [True]
    take(home, _rested(path))
    rows = [json.loads(row) for row in _rows_of(home)[store.path_of(home, KEY).name]]
    assert {row["identity"]: row.get("usage") for row in rows} == {"u1": None, "a1": None, "a2": {"output": 20}}
    before = len(ways)
    assert take(home, path).unchanged == 1
    assert len(ways) == before
