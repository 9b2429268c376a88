"""The failures a user can meet; each message is one line that names the thing and the remedy."""


class WorkbenchError(Exception):
    """Refused or bad input: printed as one line, exit code 1."""

    exit_code = 1


class NotFound(WorkbenchError):
    """The id, key or path named does not exist."""


class Busy(WorkbenchError):
    """Another process held the write lock for too long; nothing is damaged, try again."""


class StorageFull(WorkbenchError):
    """The disk is full; what was being written is not stored, everything before it is."""


class ReadOnly(WorkbenchError):
    """The file or its folder can't be written by this user."""


class Corrupt(WorkbenchError):
    """SQLite says a database is damaged; writing stops and the file is kept as it is."""


class SchemaMismatch(WorkbenchError):
    """A database is foreign, older or newer than this program; it is left untouched."""


class Unreachable(WorkbenchError):
    """A service did not answer: exit code 3."""

    exit_code = 3
