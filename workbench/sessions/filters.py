"""Which messages a search may find, as conditions of its query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# What a person or an agent looks for: not what was taken back or hidden, not the harness's own words.
VISIBLE = "m.state NOT IN ('withdrawn', 'hidden') AND m.origin <> 'harness' AND m.content <> ''"

# Windows writes \ where others write /.
_FOLDER = "replace(s.project, '\\', '/')"
# SpecStory names agents as people do: Claude Code.
_AGENT = "lower(replace(coalesce(s.agent, s.channel), ' ', '-'))"


@dataclass(frozen=True)
class Filter:
    """Conditions on messages ``m`` and their conversations ``s``; what is None or empty does not matter.

    :param roles: who wrote it: user, assistant, tool.
    :param channels: as session keys begin: ``claude-code``, ``codex``, ``telegram``, …
    :param agent: the program that kept the conversation: of Flowly, Pi and SpecStory the channel does not say it.
    :param model: a part of the name of a model that took part in the conversation.
    :param project: the folder the conversation was about, or one above it, or its last part.
    :param since: seconds since 1970; ``until`` is not included.
    :param tool: the name of a tool that was called in the message, or whose result it is.
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

    def __post_init__(self) -> None:
        spoken, whole, values = list[str](), list[str](), dict[str, Any]()

        def add(parts: list[str], condition: str, **given: object) -> None:
            parts.append(condition)
            values.update(given)

        for parts, name, column, listed in (
            (spoken, "role", "m.role", self.roles),
            (whole, "channel", "s.channel", self.channels),
        ):
            if listed:
                marks = {f"{name}{n}": value for n, value in enumerate(listed)}
                add(parts, f"{column} IN ({', '.join(':' + mark for mark in marks)})", **marks)
        if self.agent:
            add(whole, f"{_AGENT} = :agent", agent=self.agent.strip().lower().replace(" ", "-"))
        if self.model:
            add(whole, "instr(lower(s.models), lower(:model)) > 0", model=self.model)
        if self.project:
            add(
                whole,
                f"({_FOLDER} = :project OR {_FOLDER} GLOB :below OR {_FOLDER} GLOB :last)",
                project=(folder := self.project.replace("\\", "/").rstrip("/")),
                below=f"{_glob(folder)}/*",
                last=f"*/{_glob(folder.lstrip('/'))}",
            )
        if self.session:
            add(whole, "s.key = :session", session=self.session)
        told = len(spoken)
        if self.since is not None:
            add(spoken, "m.at >= :since", since=self.since)
        if self.until is not None:
            add(spoken, "m.at < :until", until=self.until)
        if self.tool:
            add(
                spoken,
                "(m.name = :tool"
                " OR EXISTS (SELECT 1 FROM json_each(m.tool_calls) AS c WHERE c.value ->> 'name' = :tool))",
                tool=self.tool,
            )
        if len(spoken) > told:  # one message of the conversation must be so
            some = f"EXISTS (SELECT 1 FROM messages m WHERE m.session_key = s.key AND {' AND '.join(spoken[told:])})"
            whole_some = [*whole, some]
        else:
            whole_some = whole
        object.__setattr__(self, "of_sessions", " AND ".join(whole_some) or "1")
        object.__setattr__(self, "sql", " AND ".join([VISIBLE, *spoken, *whole]))
        object.__setattr__(self, "values", values)


# What people and assistants said.
ANY = Filter()


def _glob(text: str) -> str:
    """``text`` as a pattern that fits itself alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in text)
