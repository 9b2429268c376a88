"""Which project somebody means who gives no more than its name."""

from __future__ import annotations

from contextlib import suppress

from workbench import text
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import read, store
from workbench.sessions import browse


def key_of(home: Home, name: str, here: str) -> str:
    """The key of the project with this name: a key itself, or the last part of the one folder that has it.

    Folders are those of memories and of conversations, and ``here``. A name that nothing has is a key of its own.

    :raises WorkbenchError: when several folders have it.
    """
    with store.reading(home) as connection:
        found = read.projects_named(connection, name)
    if name in found:
        return name
    if here.endswith(f"/{name}"):
        return here
    with suppress(WorkbenchError):  # the index, which is derived, can't be read: then it names none
        found |= browse.projects_named(home, name)
    if len(found) > 1:
        several = ", ".join(text.one_line(each, 80) for each in sorted(found)[:5])
        raise WorkbenchError(f"{text.quoted(name, 80)} names several projects: {several}; give the folder")
    return found.pop() if found else name
