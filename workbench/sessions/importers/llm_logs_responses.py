"""The logs of llm before 0.32: a row for each response, with the prompt that it answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from workbench.sessions.importers.llm_logs_parts import Log, Said, attachment, fragment, spoken, usage
from workbench.sessions.importers.values import call, dumps, moment, rows_of, string
from workbench.sessions.model import Message

_COLUMNS = (
    "id model resolved_model prompt system response reasoning input_tokens output_tokens token_details datetime_utc"
)


class Responses:
    """The responses of a database."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.calls, self.results = (self._places(table) for table in ("tool_calls", "tool_results"))
        self.response = log.select("responses", _COLUMNS, "id = ?")

    def _places(self, table: str) -> dict[str, list[tuple[int]]]:
        """Where the rows of each response are in a table that has no index of them."""
        places: dict[str, list[tuple[int]]] = defaultdict(list)
        if "response_id" in self.log.columns.get(table, ()):
            for name, number in self.log.all(f"SELECT response_id, id FROM {table} ORDER BY id"):
                places[name].append((number,))
        return places

    def told(self, name: str, said: Said) -> list[Message] | None:
        """What was said in one exchange: instructions, results of tools, the prompt, the answer; None when it can't be
        read."""
        row = self.log.one(self.response, name)
        if not row:
            return None
        time = moment(row.get("datetime_utc"))
        made = [*self._system(name, row, time, said), *self._results(name, time)]
        prompt = string(row.get("prompt"))
        marks = [attachment(self.log, number) for number in self._linked("prompt_attachments", "attachment_id", name)]
        given = [fragment(self.log, number) for number in self._linked("prompt_fragments", "fragment_id", name)]
        texts = [*(mark for mark, _ in given), *([prompt] if prompt else []), *marks]
        fragments = [f"{mark}\n{content}" for mark, content in given]
        made += spoken(f"{name}#prompt", ["\n".join(texts)], fragments, time)
        answer = Message(name, "assistant", "assistant", string(row.get("response")) or "", time)
        answer.thinking = string(row.get("reasoning"))
        answer.tool_calls = self._calls(name) or None
        answer.model = string(row.get("resolved_model")) or string(row.get("model"))
        answer.usage = usage(row)
        if answer.content or answer.thinking or answer.tool_calls:
            made.append(answer)
        return made

    def _system(self, name: str, row: dict[str, Any], time: str | None, said: Said) -> Iterable[Message]:
        """The instructions, when they are others than before."""
        given = [fragment(self.log, number)[1] for number in self._linked("system_fragments", "fragment_id", name)]
        text = "\n\n".join(filter(None, (part.strip() for part in [*given, string(row.get("system")) or ""])))
        if text and text != said.system:
            said.system = text
            yield Message(f"{name}#system", "system", "harness", text, time)

    def _results(self, name: str, time: str | None) -> Iterable[Message]:
        sql = self.log.select("tool_results", "name output tool_call_id exception", "id = ?")
        rows = rows_of(self.log.connection, sql, self.results.get(name, ()), self.log.counts)
        for number, (_, found) in enumerate(rows):
            row = dict(found)
            text = "\n".join(dumps(row[key]) for key in ("output", "exception") if row.get(key) is not None)
            result = Message(f"{name}#result{number}", "tool", "tool", text, time)
            result.tool_call_id, result.name = string(row.get("tool_call_id")), string(row.get("name"))
            yield result

    def _calls(self, name: str) -> list[dict[str, Any]]:
        sql = "SELECT tool_call_id, name, arguments FROM tool_calls WHERE id = ?"
        rows = rows_of(self.log.connection, sql, self.calls.get(name, ()), self.log.counts)
        return [call(row["tool_call_id"], row["name"], row["arguments"]) for _, row in rows]

    def _linked(self, table: str, column: str, name: str) -> list[Any]:
        """What a table links to a response, in order."""
        if not {"response_id", column, "order"} <= set(self.log.columns.get(table, ())):
            return []
        sql = f'SELECT {column} FROM {table} WHERE response_id = ? ORDER BY "order", rowid'
        return [row[0] for row in self.log.all(sql, name)]
