"""Compacting a conversation, and taking back its last answer or turn."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from workbench import config, guard, text
from workbench.dreaming import delta
from workbench.dreaming.extract import Heard
from workbench.home import Home
from workbench.ledger import read, store
from workbench.ledger.lifecycle import PersonOnly
from workbench.ledger.model import Actor
from workbench.operations import asking, dream, effects, evidence
from workbench.operations.models import DreamResult, MessageId
from workbench.sessions import browse, compaction, extract, harness, index, summarise, summary, withdrawal
from workbench.sessions import store as session_store
from workbench.sessions.summary import Sections
from workbench.sessions.turns import Row


class Compacted(BaseModel):
    """What became of compacting a conversation.

    :param tokens_before: of its context as it was; ``threshold``: what it may have; ``tokens_after``: as it is now.
    :param compacted: messages that left the context; ``kept``: those that stay in it.
    :param summary: what stands for them now; what would, where it was only looked at and no model is asked.
    :param learned: what was learned from them before; None when that was done already or is not wanted.
    :param backlog: what the index or MEMORY.md could not take yet.
    """

    session_key: str
    dry_run: bool
    window: int
    threshold: int
    tokens_before: int
    tokens_after: int
    compacted: int
    kept: int
    summary: str | None
    learned: DreamResult | None
    backlog: list[str]
    message: str


class Withdrawn(BaseModel):
    """What was taken back, or brought back.

    :param withdrawn: ids of the messages; ``role`` and ``said`` of the first: whose and what.
    :param learned: how many of them had been learned from.
    :param memories: how many memories went to the inbox, because they were found in what was taken back; or of how
        many the source is there again.
    :param backlog: what the index could not take yet.
    """

    session_key: str
    withdrawn: list[MessageId]
    role: str
    said: str
    learned: int
    memories: int
    backlog: list[str]
    message: str


def compact(
    home: Home,
    key: str,
    *,
    window: int | None = None,
    model: str | None = None,
    force: bool = False,
    dry_run: bool = False,
) -> Compacted:
    """Sum up what was said before the last turns of a conversation, when it nears what a model can take.

    What is about to be summed up is learned from first. Nothing is taken away: the messages stay, and are found.

    :param key: of the conversation, or a unique beginning of it.
    :param window: the model's context window in tokens (None: the setting).
    :param model: an ``llm`` model that writes the summary (None: the setting; with neither, it is an extract).
    :param force: also where there is not too much yet.
    :raises NotFound: when there is no such conversation.
    :raises SummaryRefused: when the model's summary is cut off, or is none; everything is as it was.
    :raises WorkbenchError: when the window is too small, the model can't be asked, or something can't be written.
    """
    settings = config.load(home).compaction
    name = _found(home, key)
    model = settings.model if model is None else model
    if dry_run:
        return _looked_at(compaction.plan(home, name, settings, window), model, force)
    room = int(settings.max_history_share * (window or settings.context_window))
    ask = asking.asker(model, "nothing was compacted") if model else None

    def write(rows: Sequence[Row], earlier: Sections | None) -> Sections:
        return summarise.by_model(ask, rows, earlier, room) if ask else extract.extract(rows, earlier)

    learned: list[DreamResult] = []
    done = compaction.compact(
        home,
        name,
        settings,
        window=window,
        force=force,
        flush=lambda made: learned.append(_learn(home, made)),
        write=write,
    )
    synced = index.sync(home)
    return _told(done, force, learned[0] if learned else None, [*synced.backlog, *synced.damaged])


def retry(home: Home, actor: Actor, key: str) -> Withdrawn:
    """Take back the last answer of a conversation, with all that tools and subagents did for it; the question stays.

    It stays in the conversation, withdrawn: out of its context, not found, not learned from; no source brings it back.
    What was learned from it goes to the inbox: its source is gone.

    :param key: of the conversation, or a unique beginning of it.
    :raises PersonOnly: when an agent asks.
    :raises NotFound: when there is no such conversation, or no answer in it to take back.
    """
    return _withdraw(home, actor, key, turn=False)


def undo(home: Home, actor: Actor, key: str) -> Withdrawn:
    """Take back the last message of the person, and all that answers it. The rest is as with ``retry``."""
    return _withdraw(home, actor, key, turn=True)


def restore(home: Home, actor: Actor, key: str) -> Withdrawn:
    """Bring back what ``retry`` or ``undo`` took back last; again for what they did before.

    What waits in the inbox because its source was gone waits for the person's ruling.

    :param key: of the conversation, or a unique beginning of it.
    :raises PersonOnly: when an agent asks.
    :raises NotFound: when there is no such conversation, or nothing was taken back in it.
    """
    name = _of_person(home, actor, key, "brings back")
    return _retold(home, name, withdrawal.restore(home, name), "brought back", "have their source again")


def _withdraw(home: Home, actor: Actor, key: str, *, turn: bool) -> Withdrawn:
    name = _of_person(home, actor, key, "takes back")
    rows = withdrawal.withdraw(home, name, turn=turn)
    return _retold(home, name, rows, "taken back", "that were learned from it are in the inbox")


def _of_person(home: Home, actor: Actor, key: str, act: str) -> str:
    if actor.kind != "person":
        raise PersonOnly(f"only the person {act} what was said, not {actor}; run it in a terminal of your own")
    return _found(home, key)


def _retold(home: Home, name: str, rows: Sequence[Row], did: str, memories: str) -> Withdrawn:
    """Let the index and the evidence know of messages that were taken or brought back."""
    ids = [row["id"] for row in rows]
    with store.reading(home) as connection:
        learned = len(read.learned(connection).intersection(ids))
    synced = index.sync(home)
    swept = evidence.recheck(home, name, ids)
    marked = swept.memories or swept.restored
    backlog = [*synced.backlog, *synced.damaged]
    if left := effects.drain(home):
        backlog.append(
            f"{text.counted(left, 'change')} to MEMORY.md could not be written yet; the next command tries again"
        )
    return Withdrawn(
        session_key=name,
        withdrawn=ids,
        role=rows[0]["role"],
        said=text.one_line(guard.mask(rows[0]["content"])),
        learned=learned,
        memories=marked,
        backlog=backlog,
        message=f"{text.counted(len(ids), 'message')} {did}" + (f"; {marked} {memories}" if marked else ""),
    )


def _found(home: Home, key: str) -> str:
    """The whole key of a conversation.

    :raises NotFound: when there is none.
    """
    if key and session_store.path_of(home, key).is_file():
        return key
    return str(browse.show(home, key, limit=1)["session"]["key"])


def _learn(home: Home, made: compaction.Plan) -> DreamResult:
    """Learn from what is about to be compacted, as dreaming would: what was learned before is left alone."""
    described = made.header.get("metadata")
    project = described.get("project") if isinstance(described, dict) else None
    heard = [
        Heard(row["id"], made.key, row["origin"], harness.spoken(row["content"]), row.get("timestamp"), project)
        for row in made.learnable
    ]
    with store.reading(home) as connection:
        known = read.learned(connection)
    fresh = [message for message in heard if message.message_id not in known]
    return dream.learn(home, [fresh[start : start + delta.BATCH] for start in range(0, len(fresh), delta.BATCH)])


def _looked_at(made: compaction.Plan, model: str, force: bool) -> Compacted:
    """What would be done; nothing is written, and no model is asked."""
    due = bool(made.leaving) and (force or made.due)
    shown = None
    if due and not model:
        shown = summary.render(compaction.fitted(made, extract.extract(made.leaving, made.earlier)))
    would = (
        f"{text.counted(len(made.ids), 'message')} would be compacted, {made.staying} stay"
        if due
        else _why_not(made, force)
    )
    return _compacted(made, made.tokens, len(made.ids) if due else 0, shown, would).model_copy(update={"dry_run": True})


def _told(done: compaction.Done, force: bool, learned: DreamResult | None, backlog: list[str]) -> Compacted:
    made = done.plan
    count = len(made.ids) if done.summary else 0
    did = f"{text.counted(count, 'message')} compacted, {made.staying} stay" if done.summary else _why_not(made, force)
    result = _compacted(made, done.tokens, count, done.summary or None, did)
    return result.model_copy(update={"learned": learned, "backlog": backlog})


def _compacted(made: compaction.Plan, after: int, count: int, shown: str | None, message: str) -> Compacted:
    return Compacted(
        session_key=made.key,
        dry_run=False,
        window=made.budget.window,
        threshold=made.budget.threshold,
        tokens_before=made.tokens,
        tokens_after=after,
        compacted=count,
        kept=made.staying,
        summary=shown,
        learned=None,
        backlog=[],
        message=message,
    )


def _why_not(made: compaction.Plan, force: bool) -> str:
    if made.tokens <= made.budget.threshold and not force:
        return f"not needed yet: {made.tokens:,} of {made.budget.threshold:,} tokens"
    if not made.leaving:
        return "nothing to compact: there are only the last turns, which stay"
    return "nothing was compacted: a summary would be no shorter than what it stands for"
