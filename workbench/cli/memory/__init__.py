"""``workbench memory``: see what is remembered, and rule on it."""

from __future__ import annotations

import click

from workbench.cli.lazy import LazyGroup

_LOOK, _RULE, _LEARN = (f"workbench.cli.memory.{name}" for name in ("look", "rule", "learn"))
COMMANDS = {
    "list": (f"{_LOOK}:list_", "List memories, newest first."),
    "show": (f"{_LOOK}:show", "Show one memory with its evidence and history."),
    "review": (f"{_LOOK}:review", "List what waits for you, with why and where it was found."),
    "add": ("workbench.cli.remember:add", "Remember a statement as your own word."),
    "accept": (f"{_RULE}:accept", "Accept a waiting memory: it becomes active and yours."),
    "reject": (f"{_RULE}:reject", "Reject a memory: it leaves every use."),
    "correct": (f"{_RULE}:correct", "Put your wording in place of a memory's."),
    "undo": (f"{_RULE}:undo", "Take back the last change, or the last of one memory."),
    "history": (f"{_LOOK}:history", "List what was done, newest first."),
    "dream": (f"{_LEARN}:dream", "Learn from conversations that were not learned from yet."),
    "migrate": ("workbench.cli.memory.bring:migrate", "Take over the memories of another program."),
    "refresh": (f"{_LEARN}:refresh", "Write the generated block of MEMORY.md anew."),
    "status": (f"{_LOOK}:status", "Say how many memories there are, by status."),
    "audit": (f"{_LOOK}:audit", "Check that the history of the ledger is whole."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def memory() -> None:
    """See and rule on what is remembered."""
