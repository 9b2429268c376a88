"""Claude Code transcripts of any size, made from a seed: prompts, answers, thinking, tool calls and their results."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import orjson

_SYLLABLES = (
    "ba",
    "con",
    "de",
    "fi",
    "gra",
    "hol",
    "in",
    "jo",
    "ka",
    "lum",
    "mer",
    "no",
    "or",
    "pre",
    "qui",
    "ra",
    "sto",
    "tri",
)
_WORDS = 20_000
_START = datetime(2026, 1, 1)


def vocabulary(seed: int = 7) -> list[str]:
    """Invented words; the first are the most used (Zipf)."""
    chance = random.Random(seed)
    return ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(_WORDS)]


def moment(second: int) -> str:
    """A second since the beginning, as Claude Code writes it."""
    return (_START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def rows(messages: int, sessions: int, seed: int = 7) -> Iterator[dict[str, object]]:
    """About ``messages`` rows in ``sessions`` conversations; each turn is a prompt, a call, its result, an answer."""
    chance = random.Random(seed)
    words = vocabulary(seed)
    weights = [1 / (rank + 3) for rank in range(_WORDS)]
    pool = chance.choices(words, weights, k=400_000)

    def text(size: int) -> str:
        start = chance.randrange(len(pool) - size)
        return " ".join(pool[start : start + size])

    per_session = messages // sessions
    for session in range(sessions):
        parent = None
        for number in range(per_session):
            step = number % 4
            uuid = f"{session:08x}-0000-4000-8000-{number:012x}"
            second = session * per_session + number
            row: dict[str, object] = {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": f"/home/someone/project-{session % 10}",
                "sessionId": f"{session:08x}-1111-4222-8333-444455556666",
                "version": "2.1.0",
                "gitBranch": "main",
                "uuid": uuid,
                "timestamp": moment(second),
            }
            call = f"toolu_{session:06x}{number - step:010x}"
            if step == 0:
                row |= {"type": "user", "message": {"role": "user", "content": text(chance.randint(5, 60))}}
            elif step == 2:
                block = {"type": "tool_result", "tool_use_id": call, "content": text(chance.randint(20, 160))}
                row |= {"type": "user", "message": {"role": "user", "content": [block]}}
            else:
                blocks: list[dict[str, object]] = [{"type": "text", "text": text(chance.randint(20, 120))}]
                if step == 1:
                    blocks.insert(0, {"type": "thinking", "thinking": text(30), "signature": "c2lnbmF0dXJl" * 8})
                    blocks.append({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text(8)}})
                usage = {"input_tokens": 10, "cache_read_input_tokens": 9_000, "output_tokens": 120}
                message = {
                    "id": f"msg_{session}_{number}",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude",
                    "content": blocks,
                }
                row |= {"type": "assistant", "requestId": f"req_{number}", "message": message | {"usage": usage}}
            parent = uuid
            yield row


def write(path: Path, messages: int, sessions: int = 1, seed: int = 7) -> Path:
    """Stream such rows to ``path``."""
    with path.open("wb") as out:
        for row in rows(messages, sessions, seed):
            out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    return path
