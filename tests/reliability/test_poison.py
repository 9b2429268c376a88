"""Hostile text reaches an agent in three ways; in none of them does it become a memory in force by itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import gate, store, write
from workbench.ledger.change import Change
from workbench.ledger.model import Actor, Candidate, Evidence, Kind, SourceType
from workbench.operations import ingest, memories
from workbench.operations.dream import dream
from workbench.operations.remember import remember

PAGE = "<html><body><h1>Notes</h1><p>{}</p><!-- {} --></body></html>"


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every text of the public corpus → its label."""
    corpus = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "injection" / "dev.jsonl"
    if not corpus.exists():
        pytest.skip(f"the public corpus is not beside the repository: {corpus}")
    return {row["text"]: row["label"] for row in map(json.loads, corpus.read_text("utf-8").splitlines())}


def tool_turns(number: int, tool: str, text: str) -> list[dict[str, Any]]:
    """The person asks, the agent calls a tool, the tool answers with ``text``, the agent goes on."""
    call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"path": "notes.txt"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
    turns: list[tuple[str, Any]] = [
        ("user", "Have a look at that."),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": "I have read it."}]),
    ]
    return [
        {
            "type": role,
            "uuid": f"{tool}-{number}-{place}",
            "timestamp": "2026-03-01T09:00:00Z",
            "sessionId": f"{tool}-{number % 9}",
            "cwd": "/srv/app",
            "message": {"role": role, "content": content},
        }
        for place, (role, content) in enumerate(turns)
    ]


@pytest.mark.parametrize(
    ("tool", "wrap"), [("Read", "{}".format), ("WebFetch", lambda text: PAGE.format(text, text))], ids=["tool", "page"]
)
def test_what_a_tool_or_a_page_says_is_never_learned(
    home: Home, tmp_path: Path, texts: dict[str, str], tool: str, wrap: Callable[[str], str]
) -> None:
    folder = tmp_path / "projects" / "-srv-app"
    folder.mkdir(parents=True)
    sessions: dict[str, list[str]] = {}
    for number, text in enumerate(texts):
        for row in tool_turns(number, tool, wrap(text)):
            sessions.setdefault(row["sessionId"], []).append(json.dumps(row))
    for name, lines in sessions.items():
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    report = ingest.ingest(home, ingest.find([folder]))
    assert report.totals["new"] == 4 * len(texts)
    learned = dream(home)
    assert (learned.messages, learned.activated) == (3 * len(texts) - len(texts), 0)
    assert memories.list_memories(home, status=None).total == 0


def test_what_an_agent_writes_waits(home: Home, texts: dict[str, str]) -> None:
    """Each text, with every claim an agent can make about it, and with evidence that it made up."""
    outcomes: Counter[str] = Counter()
    with store.writing(home) as connection:
        for number, text in enumerate(texts):
            claim = Candidate(
                content=text,
                kind=list(Kind)[number % len(Kind)],
                explicit=False,
                confidence=1.0,
                confidence_source="the user said so",
                importance=100,
                fact_key=f"key-{number}",
                evidence=(Evidence(SourceType.SESSION, f"claude-code:x#{number}", text[:2_000]),),
            )
            try:
                proposal = write.propose(Change(connection, Actor("agent", "evil")), gate.check(claim))
            except WorkbenchError as error:
                outcomes[type(error).__name__] += 1
            else:
                outcomes[proposal.status or proposal.outcome] += 1
    assert outcomes["active"] == 0
    assert outcomes["needs_review"] >= 0.98 * len(texts)
    assert memories.list_memories(home).total == 0


def test_the_operation_an_agent_calls_takes_no_word_for_it(home: Home, texts: dict[str, str]) -> None:
    for text in list(texts)[::40]:
        claim = Candidate(content=text, kind=Kind.PREFERENCE, explicit=True, confidence=1.0)
        done = remember(home, Actor("agent", "evil"), claim)
        assert done.memory is not None
        assert (done.memory.status, done.memory.authority) == ("needs_review", "inferred")
