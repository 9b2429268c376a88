"""Which messages a search may find, as conditions of its query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# What a person or an agent looks for: not what was taken back or hidden, not the harness's own words.
VISIBLE = "m.state NOT IN ('withdrawn', 'hidden') AND m.origin <> 'harness' AND m.content <> ''"

# Windows writes \ where others write /.
_FOLDER = "lower(replace(s.project, '\\', '/'))"
# The agent that kept a conversation; SpecStory names agents as people do: Claude Code.
AGENT = "lower(replace(coalesce(s.agent, s.channel), ' ', '-'))"


# A call as it is kept: {"id", "type", "function": {"name", "arguments"}}; a Flowly file may say the name outside.
_CALL = "CASE c.type WHEN 'object' THEN c.value ELSE '{}' END"
_CALLS_OF = (
    "SELECT o.session_key, {_CALL} ->> '$.id' FROM messages AS o, json_each(o.tool_calls) AS c"
    " WHERE lower(coalesce({_CALL} ->> '$.function.name', {_CALL} ->> '$.name')) = lower(:tool)"
).replace("{_CALL}", _CALL)


@dataclass(frozen=True)
class Filter:
    """Conditions on messages ``m`` and their conversations ``s``; what is None or empty does not matter, nor does the
    case of letters but for roles and the session.

    :param roles: who wrote it: user, assistant, tool.
    :param channels: as session keys begin: ``claude-code``, ``codex``, ``telegram``, …
    :param agent: the program that kept the conversation: of Flowly, Pi and SpecStory the channel does not say it.
    :param model: a part of the name of a model that took part in the conversation.
    :param project: the folder the conversation was about, or one above it, or its last part.
    :param since: seconds since 1970; ``until`` is not included.
    :param tool: the name of a tool that was called in the conversation; of results of tools only its own count.
    :param session: the key of one conversation.
    """

    roles: Sequence[str] = ("user", "assistant")
    channels: Sequence[str] = ()
    agent: str | None = None
    model: str | None = None
    project: str | None = None
    since: float | None = None
    until: float | None = None
    tool: str | None = None
    session: str | None = None
    values: dict[str, Any] = field(init=False, repr=False)
    sql: str = field(init=False, repr=False)
    of_sessions: str = field(init=False, repr=False)
    named: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the conditions: ``sql`` on messages, ``of_sessions`` on conversations, and ``named``: each of the
        latter by the name of its field."""
        spoken, named, values = list[str](), dict[str, str](), dict[str, Any]()
        if self.roles:
            spoken.append(f"m.role IN ({_marks('role', self.roles, values)})")
        times = []
        for condition, seconds in (("m.at >= :since", self.since), ("m.at < :until", self.until)):
            if seconds is not None:
                times.append(condition)
                values[condition.rpartition(":")[2]] = seconds
        if self.channels:
            channels = [channel.strip() for channel in self.channels]
            named["channel"] = f"s.channel COLLATE NOCASE IN ({_marks('channel', channels, values)})"
        if self.agent:
            named["agent"] = f"{AGENT} = lower(:agent)"
            values["agent"] = self.agent.strip().replace(" ", "-")
        if self.model:
            named["model"] = "instr(lower(s.models), lower(:model)) > 0"
            values["model"] = self.model
        if self.project:
            named["project"] = (
                f"({_FOLDER} = lower(:project) OR {_FOLDER} GLOB lower(:below) OR {_FOLDER} GLOB lower(:last))"
            )
            folder = self.project.replace("\\", "/").rstrip("/")
            values |= {"project": folder, "below": f"{_glob(folder)}/*", "last": f"*/{_glob(folder.lstrip('/'))}"}
        if self.tool:
            own = f"(lower(m.name) = lower(:tool) OR (m.session_key, m.tool_call_id) IN ({_CALLS_OF}))"
            spoken.append(f"(m.role <> 'tool' OR {own})")
            results = "SELECT session_key FROM messages WHERE role = 'tool' AND lower(name) = lower(:tool)"
            named["tool"] = f"(s.key IN (SELECT session_key FROM ({_CALLS_OF})) OR s.key IN ({results}))"
            values["tool"] = self.tool.strip()
        if self.session:
            named["session"] = "s.key = :session"
            values["session"] = self.session
        whole = list(named.values())
        some = f"EXISTS (SELECT 1 FROM messages m WHERE m.session_key = s.key AND {' AND '.join(times)})"
        object.__setattr__(self, "of_sessions", " AND ".join([*whole, *([some] if times else [])]) or "1")
        object.__setattr__(self, "sql", " AND ".join([VISIBLE, *spoken, *times, *whole]))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "named", named)


def _marks(name: str, listed: Sequence[str], values: dict[str, Any]) -> str:
    """Placeholders for the ``listed``, whose values join the others."""
    marks = {f"{name}{n}": value for n, value in enumerate(listed)}
    values.update(marks)
    return ", ".join(f":{mark}" for mark in marks)


# What people and assistants said.
ANY = Filter()


def _glob(text: str) -> str:
    """``text`` as a pattern that fits itself alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in text)
