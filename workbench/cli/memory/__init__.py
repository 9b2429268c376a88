"""``workbench memory``: see what is remembered, and rule on it."""

from __future__ import annotations

import click

from workbench.cli.lazy import LazyGroup

_LOOK, _RULE, _KEYS, _LEARN = (f"workbench.cli.memory.{name}" for name in ("look", "rule", "keys", "learn"))
COMMANDS = {
    "list": (f"{_LOOK}:list_", "List memories, newest first."),
    "show": (f"{_LOOK}:show", "Show one memory with its evidence and history."),
    "why": ("workbench.cli.memory.why:why", "Explain a memory: its sources, versions, trust and history."),
    "review": (f"{_LOOK}:review", "List what waits for you, with why and where it was found."),
    "add": ("workbench.cli.remember:add", "Remember a statement as your own word."),
    "record": ("workbench.cli.memory.entries:record", "Remember what an entry of a note says."),
    "promote": ("workbench.cli.memory.entries:promote", "Write a memory into today's daily note."),
    "accept": (f"{_RULE}:accept", "Accept a waiting memory: it becomes active and yours."),
    "reject": (f"{_RULE}:reject", "Reject a memory: it leaves every use."),
    "correct": (f"{_RULE}:correct", "Put your wording in place of a memory's."),
    "confirm": (f"{_RULE}:confirm", "Confirm what was observed or guessed: it is yours."),
    "lock": (f"{_KEYS}:lock", "Pin a memory: nothing replaces it unasked."),
    "unlock": (f"{_KEYS}:unlock", "Take the pin off a memory; it stays yours."),
    "core": (f"{_KEYS}:core", "Put a memory among the few that are shown first."),
    "archive": (f"{_RULE}:archive", "Put a memory away: neither wrong nor replaced."),
    "restore": (f"{_KEYS}:restore", "Bring back a memory that was put away."),
    "split": (f"{_KEYS}:split", "Say that a memory was not replaced: it is another fact."),
    "rekey": (f"{_KEYS}:rekey", "Give a memory another fact key."),
    "merge": (f"{_KEYS}:merge", "Keep one of several memories that say the same."),
    "feedback": (f"{_RULE}:feedback", "Say whether a memory helped; it moves its trust."),
    "erase": ("workbench.cli.memory.erase:erase", "Erase memories for good, with all that tells of them."),
    "undo": (f"{_RULE}:undo", "Take back your last change, or the last of one memory."),
    "history": (f"{_LOOK}:history", "List what was done, newest first."),
    "dream": (f"{_LEARN}:dream", "Learn from conversations that were not learned from yet."),
    "migrate": ("workbench.cli.memory.bring:migrate", "Take over the memories of another program."),
    "refresh": (f"{_LEARN}:refresh", "Write the generated block of MEMORY.md anew."),
    "status": (f"{_LOOK}:status", "Say how the ledger stands: what holds, what waits, who wrote it."),
    "audit": (f"{_LOOK}:audit", "Check that the history of the ledger is whole."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def memory() -> None:
    """See and rule on what is remembered."""
