"""Opening a home: what is missing is made, what is there is left as it is."""

from __future__ import annotations

from workbench import access, db
from workbench.home import Home
from workbench.ledger import store
from workbench.sessions import index


def open_home(home: Home) -> Home:
    """Make the folders and databases that are missing."""
    home.prepare()
    store.ensure(home)
    index.ensure(home)
    access.ensure(home)
    return home


def migrate(home: Home) -> dict[str, int]:
    """Bring every database of the home to this program's schema, each after a backup.

    :returns: how many migrations ran, by file name.
    """
    files = ((home.ledger, store.SCHEMA), (home.session_index, index.SCHEMA), (home.access, access.SCHEMA))
    return {path.name: db.migrate(path, schema, home.backups) for path, schema in files if db.exists(path)}
