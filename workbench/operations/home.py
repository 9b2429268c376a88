"""Opening a home: what is missing is made, what is there is left as it is."""

from __future__ import annotations

from pathlib import Path

from workbench import access, db
from workbench.errors import NotFound
from workbench.graph import store as graphs
from workbench.home import Home
from workbench.index import store as vectors
from workbench.ledger import audit, store
from workbench.sessions import index


def open_home(home: Home) -> Home:
    """Make the folders and databases that are missing.

    :raises NotFound: when the ledger is gone that the anchor of its history speaks of: an empty one in its place
        would look as if nothing had ever been remembered.
    """
    if not db.exists(home.ledger) and (events := audit.anchored(home)):
        raise NotFound(
            f"{home.ledger} is missing, and {home.audit_head.name} says it held {events} events; restore it from a"
            f" backup, or remove {home.audit_head.name} to begin anew"
        )
    home.prepare()
    audit.begin(home)
    store.ensure(home)
    graphs.ensure(home)
    if index.ensure(home):
        index.sync(home)  # a lost index is made again from the conversations that are there
    access.ensure(home)
    return home


def existing(home: Home) -> Home:
    """The home, when there is one; looking at a mistyped name makes none.

    :raises NotFound: when nothing is there.
    """
    if not home.root.is_dir() or not (db.exists(home.ledger) or db.exists(home.session_index)):
        raise NotFound(f"there is no home at {home.root} yet; `workbench up` makes one, --home names another")
    return open_home(home)


def migrate(home: Home) -> dict[str, int]:
    """Bring every database of the home to this program's schema, each after a backup.

    :returns: how many migrations ran, by file name.
    """
    done = {path.name: db.migrate(path, schema, home.backups) for path, schema in databases(home)}
    if done.get(home.session_index.name):
        index.sync(home)  # a new schema may have left it empty
    return done


def databases(home: Home) -> list[tuple[Path, db.Schema]]:
    """The databases that are there, each with what it must look like."""
    known = (
        (home.ledger, store.SCHEMA),
        (home.graph, graphs.SCHEMA),
        (home.session_index, index.SCHEMA),
        (home.memory_index, vectors.SCHEMA),
        (home.access, access.SCHEMA),
    )
    return [(path, schema) for path, schema in known if db.exists(path)]
