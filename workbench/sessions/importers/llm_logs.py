"""The log of Simon Willison's ``llm``: the SQLite database ``logs.db``, of both generations: one row a response, and
since 0.32 a store of messages that conversations share. A database that was there before holds both.

Built from ``llm/migrations.py``, ``llm/logs.py``, ``llm/parts.py`` and ``llm/models.py`` of llm 0.36 (simonw/llm).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench import foreign_db
from workbench.errors import WorkbenchError
from workbench.sessions.importers import Found, Importer, Place, Sample, log_beside
from workbench.sessions.importers.lines import Counts
from workbench.sessions.importers.llm_logs_parts import Log, Said
from workbench.sessions.importers.llm_logs_responses import Responses
from workbench.sessions.importers.llm_logs_turns import Turns
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.values import moment, string, widen
from workbench.sessions.model import Message, Session

NAME = "llm"
_RESPONSES = {"id", "model", "prompt", "system", "response", "conversation_id", "datetime_utc"}
_TURNS = {"id", "thread_id", "parent_message_hash", "tip_message_hash", "datetime_utc"}
_MESSAGES = {"hash", "parent_hash", "role"}


def sniff(sample: Sample) -> bool:
    """A database with the responses, or the turns and messages, of llm."""
    tables = {name: sample.tables.get(name, frozenset()) for name in ("responses", "turns", "messages")}
    return tables["responses"] >= _RESPONSES or (tables["turns"] >= _TURNS and tables["messages"] >= _MESSAGES)


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The conversations of a database."""
    if not isinstance(file, Path):
        raise WorkbenchError(f"{file} is a database in an archive; unpack it first")
    with foreign_db.read(file) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        sql = "SELECT name FROM pragma_table_info(?)"
        log = Log(connection, counts, {name: [row[0] for row in connection.execute(sql, (name,))] for name in tables})
        yield from _Conversations(log, file).found()


class _Conversations:
    """The conversations of a database; a thread that goes on with one has its name."""

    def __init__(self, log: Log, file: Path) -> None:
        self.log, self.file = log, file
        self.responses, self.turns = Responses(log), Turns(log)
        # By conversation: (response or turn, its time), in their order.
        self.answered = self._grouped("responses", "conversation_id", _RESPONSES)
        self.taken = self._grouped("turns", "thread_id", _TURNS)

    def _grouped(self, table: str, column: str, needed: set[str]) -> dict[str, list[tuple[str, Any]]]:
        groups: dict[str, list[tuple[str, Any]]] = {}
        if needed <= set(self.log.columns.get(table, ())):
            sql = f"SELECT coalesce(nullif({column}, ''), id), id, datetime_utc FROM {table} ORDER BY datetime_utc, id"
            for place, (name, identity, time) in enumerate(self.log.all(sql)):
                if string(name) and string(identity):
                    groups.setdefault(name, []).append((identity, time))
                else:
                    self.log.counts.quarantine(place, f"a row of {table} without an id")
        return groups

    def found(self) -> Iterator[Found]:
        """Every conversation."""
        threads = self.log.all("SELECT id FROM threads") if "id" in self.log.columns.get("threads", ()) else []
        named = [name for (name,) in threads if string(name)]
        for name in sorted({*self.answered, *self.taken, *named}):
            thread = self._described("threads", "name tip_message_hash forked_from datetime_utc", name)
            conversation = self._described("conversations", "name model", name)
            title = string(conversation.get("name")) or string(thread.get("name"))
            session = Session(f"{NAME}:{name}", title, source=str(self.file))
            session.metadata = {
                "agent": NAME,
                "model": string(conversation.get("model")),
                "forked_from": string(thread.get("forked_from")),
            }
            for _, time in (*self.answered.get(name, ()), *self.taken.get(name, ())):
                widen(session, moment(time))
            yield Found(session, self._messages(name, thread))

    def _described(self, table: str, columns: str, name: str) -> dict[str, Any]:
        if "id" not in self.log.columns.get(table, ()):
            return {}
        return self.log.one(self.log.select(table, f"id {columns}", "id = ?"), name)

    def _messages(self, name: str, thread: dict[str, Any]) -> Iterator[Message]:
        said = Said()
        responses, turns = ([row[0] for row in group.get(name, ())] for group in (self.answered, self.taken))
        for response in responses:
            yield from self._counted(self.responses.told(response, said))
        if self.turns.places or thread:
            for made in self.turns.told(turns, thread, bool(responses), said):
                yield from self._counted(made)

    def _counted(self, made: list[Message] | None) -> list[Message]:
        """What was made of a response or a turn; what could not be read is counted already."""
        if made is None:
            return []
        self.log.counts.kept += bool(made)
        self.log.counts.skipped += not made
        return made


_MAC = "Library/Application Support/io.datasette.llm"
_PLACES = (
    Place(".config/io.datasette.llm", "", "logs.db", "LLM_USER_PATH", deep=False),
    Place(".config", "io.datasette.llm", "logs.db", "XDG_CONFIG_HOME", deep=False),
    Place(_MAC, "", "logs.db", deep=False),
)
IMPORTER = Importer(NAME, sniff, read, _PLACES, beside=log_beside)
