"""When each of several statements about one subject and predicate holds, and which of them need not be shown.

What is made here depends on the statements alone, not on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

_NEVER = "\U0010ffff"


class Stated(NamedTuple):
    """A statement as it was made.

    :param object: what it is compared by.
    :param start: from when it holds, ``end`` until when; None where nobody said.
    :param loop: a merge has made its subject its object.
    :param weak: it was imported, and gives way to what was said of the same at that time.
    """

    id: int
    object: str
    start: str | None
    end: str | None
    recorded_at: str
    loop: bool = False
    weak: bool = False


class Window(NamedTuple):
    """When a statement holds, half-open; ``hidden`` says why it is not shown."""

    start: str | None
    end: str | None
    hidden: Literal["duplicate", "self_loop"] | None = None


def settle(stated: Sequence[Stated], *, single: bool) -> dict[int, Window]:
    """The window of each statement, by its id.

    :param single: the subject has one value at a time: each value ends where another one begins. Of two that begin
        together the one recorded later holds. What began nobody knows when, after something else that did, holds from
        the end of that, or from when it was recorded.
    """
    found = {row.id: Window(row.start, row.end, "self_loop") for row in stated if row.loop}
    strong = [row for row in stated if not row.loop and not row.weak]
    weak = [row for row in stated if not row.loop and row.weak]
    given_way = [row for row in weak if any(_overlap(row, other) for other in strong)] if strong else []
    found |= {row.id: Window(row.start, row.end, "duplicate") for row in given_way}
    rows = strong + [row for row in weak if row not in given_way]
    placed = _cut(_dated(rows)) if single else [(row, row.end) for row in rows]
    return found | _without_doubles(placed)


def _overlap(one: Stated, other: Stated) -> bool:
    """Whether two statements say the same of some time."""
    before, after = (one.end or _NEVER) > (other.start or ""), (other.end or _NEVER) > (one.start or "")
    return one.object == other.object and before and after


def _dated(rows: list[Stated]) -> list[Stated]:
    """The statements in the order in which they begin; one at most has no beginning."""
    undated = sorted(
        (row for row in rows if row.start is None), key=lambda row: (row.end or _NEVER, row.recorded_at, row.id)
    )
    known = [row for row in rows if row.start is not None]
    for before, row in zip([None, *undated], undated, strict=False):
        known.append(row if before is None else row._replace(start=before.end or row.recorded_at))
    return sorted(known, key=lambda row: (row.start or "", row.recorded_at, row.id))


def _cut(rows: list[Stated]) -> list[tuple[Stated, str | None]]:
    """Each statement with its end: the one that was said, or where the next other value begins."""
    ended: list[tuple[Stated, str | None]] = []
    follower: str | None = None
    for row, later in zip(reversed(rows), [None, *reversed(rows)], strict=False):
        if later is not None and later.object != row.object:
            follower = later.start
        ended.append((row, min(row.end or _NEVER, follower) if follower is not None else row.end))
    return ended[::-1]


def _without_doubles(placed: list[tuple[Stated, str | None]]) -> dict[int, Window]:
    """What says nothing that another statement of the same object does not say is a duplicate."""
    found: dict[int, Window] = {}
    reach: dict[str, str] = {}
    for row, end in sorted(placed, key=lambda at: (at[0].start or "", _reversed(at[1]), at[0].recorded_at, at[0].id)):
        until, empty = end or _NEVER, end is not None and row.start is not None and end <= row.start
        double = not empty and row.object in reach and until <= reach[row.object]
        if not empty:
            reach[row.object] = max(until, reach.get(row.object, ""))
        found[row.id] = Window(row.start, end, "duplicate" if double else None)
    return found


def _reversed(end: str | None) -> tuple[int, ...]:
    """Sorts later ends first."""
    return tuple(-ord(character) for character in end or _NEVER)
