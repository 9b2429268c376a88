"""One ruling on many memories: looked at first, then done as one change that one undo takes back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench import text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import lifecycle, read, requests, store
from workbench.ledger.change import Change
from workbench.ledger.erase import needs_count
from workbench.ledger.model import Actor
from workbench.ledger.selection import Selection, left_out, matching, replaced
from workbench.operations import convert, effects
from workbench.operations.models_rulings import BulkPreview, BulkRuling, LeftOut

ACTS = ("accept", "reject", "archive")
SHOWN = 10


def preview_bulk(home: Home, act: str, selection: Selection) -> BulkPreview:
    """What an act on every memory of a selection would do; nothing is done.

    :param act: accept, reject or archive.
    """
    with store.reading(home) as connection:
        rows, apart = _chosen(connection, act, selection)
        wants = needs_count(connection, len(rows))
        holders = {row["id"]: replaced(connection, row) for row in rows} if act == "accept" else {}
    asks = f" --count {len(rows)}" if wants else ""
    return BulkPreview(
        act=act,
        count=len(rows),
        first=[convert.memory_out(row) for row in rows[:SHOWN]],
        replaces={memory_id: held["id"] for memory_id, held in holders.items() if held is not None},
        left_out=apart,
        wants_count=wants,
        message=f"would {act} {len(rows)}; nothing was done, say --yes{asks} to do it" if rows else "nothing fits",
    )


def rule_bulk(
    home: Home, actor: Actor, act: str, selection: Selection, *, count: int | None = None, reason: str | None = None
) -> BulkRuling:
    """Accept, reject or archive every memory of a selection, all or none.

    :param count: how many these are, as the preview said; needed for more than 20 or a tenth of the ledger.
    :param reason: why they are wrong, of a rejection.
    :raises NeedsConfirmation: when the number is needed, or is another one now.
    """
    lifecycle.require_person(actor, act)
    with effects.writing(home) as (connection, after):
        rows, apart = _chosen(connection, act, selection)
        _ask_about_many(connection, act, len(rows), count)
        arguments: dict[str, Any] = {"reason": reason} if act == "reject" else {}
        change = Change(connection, actor)
        done = [requests.carry_out(change, act, row["id"], **arguments) for row in rows]
        requests.close_dead(change, *(key for each in done for key in (each.memory_id, *each.retired)))
    return _answer(change, after, act, done, apart)


def rule_each(
    home: Home,
    actor: Actor,
    act: str,
    memory_ids: Sequence[str],
    *,
    confirmed: bool = False,
    count: int | None = None,
    reason: str | None = None,
) -> BulkRuling:
    """Accept, reject or archive the memories named, all or none; ``count`` as in ``rule_bulk``, and never for one.

    :raises NeedsConfirmation: when the number is needed, or is another one.
    :raises NeedsYes: when something locked would be altered or replaced, and ``confirmed`` is not said.
    """
    lifecycle.require_person(actor, act)
    arguments: dict[str, Any] = {"reason": reason} if act == "reject" else {}
    with effects.writing(home) as (connection, after):
        found = dict.fromkeys(read.resolve(connection, memory_id) for memory_id in memory_ids)
        _ask_about_many(connection, act, len(found), count)
        change = Change(connection, actor)
        done, questions = [], []
        for memory_id in found:
            try:
                with change.attempt():
                    done.append(requests.carry_out(change, act, memory_id, confirmed, **arguments))
            except lifecycle.NeedsYes as error:
                questions.append(error.question)
        if questions:
            more = f", and {len(questions) - SHOWN} more such" if len(questions) > SHOWN else ""
            raise lifecycle.NeedsYes("; ".join(questions[:SHOWN]) + more)
        requests.close_dead(change, *(key for each in done for key in (each.memory_id, *each.retired)))
    return _answer(change, after, act, done, [])


def _ask_about_many(connection: sqlite3.Connection, act: str, number: int, count: int | None) -> None:
    if count != number and (count is not None or needs_count(connection, number)):
        raise lifecycle.NeedsConfirmation(
            f"this would {act} {number} memories; make sure that they are the ones you mean, then say --count {number}"
        )


def _chosen(
    connection: sqlite3.Connection, act: str, selection: Selection
) -> tuple[list[dict[str, Any]], list[LeftOut]]:
    if act not in ACTS:
        raise WorkbenchError(f"{text.quoted(act, 40)} is not done in bulk; only {', '.join(ACTS)} are")
    rows = matching(connection, selection, act)
    apart = left_out(connection, rows, act)
    return (
        [row for row in rows if row["id"] not in apart],
        [LeftOut(memory=convert.memory_out(row), why=apart[row["id"]]) for row in rows if row["id"] in apart],
    )


def _answer(
    change: Change, after: effects.After, act: str, done: list[requests.Done], apart: list[LeftOut]
) -> BulkRuling:
    also = f", {len(apart)} left out" if apart else ""
    return BulkRuling(
        act=act,
        change_id=change.id if change.recorded else None,
        memory_ids=[each.memory_id for each in done],
        superseded=[memory_id for each in done for memory_id in each.retired],
        left_out=apart,
        backlog=after.backlog,
        message=f"{requests.ACTS[act].done} {len(done)}{also}",
    )
