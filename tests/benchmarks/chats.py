"""Conversations of short messages (24 words, 125 characters in the mean), their words as common as in a language."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from uuid import UUID

import orjson

from tests.benchmarks import generate

WORDS = 200_000
MEAN = 24
_LONGEST = 200
_POOL = 1_000_000
_SEED = 11
_LETTERS = ("bcdfghjklmnprstvwz", "aeiou")
_LITTLE = """
the to and of a in is that it for you was with on as be at this have from or by one had not but what all were we when
there can an your which their said if do will each about how up out them then she many some so these would other
more her two like him see could no make than first been its who now my made over did down only way find use may
long little very after words called just where most know get through back much before go good new write our me man too
any day same right look think also around another came come work three must because does part even place well such here
"""


@cache
def vocabulary() -> list[str]:
    """The most used first: the little words of English, then invented ones, the rarer the longer."""
    chance = random.Random(_SEED)
    found = dict.fromkeys(_LITTLE.split())
    while len(found) < WORDS:
        rank = len(found)
        size = 4 if rank < 1_000 else 5 if rank < 10_000 else chance.randint(6, 8)
        found["".join(chance.choice(_LETTERS[at % 2]) for at in range(size))] = None
    return list(found)


@cache
def _pool() -> list[str]:
    """A million words, as common as they are in a language (Zipf–Mandelbrot)."""
    weights = list(accumulate(1 / (rank + 2.7) ** 1.1 for rank in range(WORDS)))
    return random.Random(_SEED).choices(vocabulary(), cum_weights=weights, k=_POOL)


def texts(seed: int = 0) -> Iterator[str]:
    """Texts without end, whose lengths fall off exponentially."""
    chance, pool = random.Random(_SEED + seed), _pool()
    while True:
        at = chance.randrange(_POOL - _LONGEST)
        yield " ".join(pool[at : at + min(1 + int(chance.expovariate(1 / (MEAN - 0.5))), _LONGEST)]) + "."


def rows(messages: int, start: int = 0, session: int = 0) -> Iterator[dict[str, object]]:
    """Rows of one Claude Code session, prompts and answers by turns, from the message with the number ``start`` on."""
    said = texts(session << 32 | start)
    for number in range(start, start + messages):
        answer = number % 2
        role = "assistant" if answer else "user"
        content: object = next(said)
        message: dict[str, object] = {"role": role, "content": content}
        if answer:
            message = {
                "id": f"msg_{session:06x}{number:010x}",
                "type": "message",
                "role": role,
                "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": content}],
            }
        yield {
            "parentUuid": _uuid(session, number - 1) if number else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": f"/home/someone/project-{session % 10}",
            "sessionId": _uuid(session, 0xFFFF),
            "version": "2.1.0",
            "uuid": _uuid(session, number),
            "timestamp": generate.moment(session * 10_000 + number),
            "type": role,
            "message": message,
        }


def write(path: Path, messages: int, session: int = 0, start: int = 0) -> Path:
    """Append such rows to ``path``."""
    with path.open("ab") as out:
        for row in rows(messages, start, session):
            out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    return path


def _uuid(session: int, number: int) -> str:
    return str(UUID(int=random.Random(session << 32 | number).getrandbits(128), version=4))
