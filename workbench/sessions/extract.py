"""A summary without a model: the sentences, actions and identifiers of a conversation that tell how it stands.

The same messages give the same summary. Sentences are told by English words; the last request, what tools did and the
identifiers are found in any language.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench import guard
from workbench.sessions import harness, turns
from workbench.sessions.identifiers import Identifiers
from workbench.sessions.summary import IDENTIFIERS, MAX_ITEM, MAX_REQUEST, REQUEST, Sections, clean, empty
from workbench.text import normal_form, one_line

Row = dict[str, Any]

_LONG = 200_000
_ACTIONS, _FILES, _RESULT = 12, 5, 100
_DECIDED = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)? (?:now |finally |just )?(?:decided|agreed|settled on|chose|picked|dropped)|decision:"
    r"|(?:i|we)(?:'m|'re| am| are) (?:going|sticking) with|let'?s (?:use|go with|keep|switch|stick|drop|call|put|do)"
    r"|we(?:'ll| will| are going to) (?:use|go with|keep|switch|ship|store|do|put|call|drop)|we use"
    r"|(?:i|we)(?:'ll|'d| will| would) (?:like to )?go with"
    r"|(?:switch|switched|switching) (?:from .{1,60} )?to|the plan is|approved)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:todo|fixme|still (?:needs?|have to|has to|missing|open|to do)|next steps?:?|left to do|remains to"
    r"|remaining (?:work|tasks?|steps?|items?|issues?)|not yet (?:done|implemented|fixed|supported|tested|written)"
    r"|follow[- ]?up|don'?t forget to|pending|open questions?|(?:we|i) (?:should|must|need to|have to))\b",
    re.IGNORECASE,
)
_PAST = (
    r"(?:fixed|added|created|updated|removed|renamed|moved|implemented|wrote|written|deleted|installed|merged|committed"
    r"|pushed|deployed|refactored|migrated|verified|released|replaced|changed|configured|tested|set up)"
)
_DONE = re.compile(
    rf"^(?:done|{_PAST})\b|\b(?:i|we)(?:'ve| have)? (?:just |now |also )?{_PAST}\b"
    rf"|\b(?:is|are) now (?:{_PAST}|in place)\b"
    r"|\b(?:tests?|checks?|build|lint) (?:now )?(?:pass|passes|passed|succeeds|succeeded)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:(?:please|also|and|but|so),? )*(?:don'?t|do not|never|always|make sure|ensure|avoid|only|keep|no)\b"
    r"|\b(?:must(?:n'?t)?|not allowed|forbidden|mandatory|under no circumstances|no (?:more|less|longer|later) than"
    r"|at most|(?:has|have|needs?) to (?:be|stay|run|work)"
    r"|should(?:n'?t| not) (?:be|use|have|need|change|break|touch))\b",
    re.IGNORECASE,
)
# Advice to the person is no decision; what they tell of themselves is no limit to the work.
_TO_YOU = re.compile(r"\byou(?:r|'re|'ll|'ve|'d)?\b", re.IGNORECASE)
_OF_ME = re.compile(r"\bI(?:'m|'ve|'d|'ll)?\b(?! must)")
# A longer paragraph was pasted, and so was the middle of a longer message of the person.
_PARAGRAPH, _MESSAGE, _EDGE = 1_000, 6_000, 1_500
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)]|#{1,6})\s+")
_BOX = re.compile(r"^\s*(?:[-*•]\s+)?\[([ xX])\]\s+(\S.*)")
_ENDS = re.compile(r"(?<=[.!?。！？])\s+")
_COMMANDS = ("command", "cmd", "script")
_PATHS = ("file_path", "path", "filename", "notebook_path", "target_file")
_OTHERS = ("pattern", "query", "url", "prompt", "description")
_CHANGES = re.compile(r"edit|write|patch|replace|create|delete|move|rename", re.IGNORECASE)
_LISTS = re.compile(r"todo|plan", re.IGNORECASE)
_FINISHED = ("completed", "complete", "done", "finished")


@dataclass
class _Found:
    """What is gathered while a conversation is read."""

    sections: Sections = field(default_factory=empty)
    names: Identifiers = field(default_factory=Identifiers)
    done: set[str] = field(default_factory=set)
    tools: Counter[str] = field(default_factory=Counter)
    calls: dict[str, int] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    question: str | None = None
    answer: str | None = None
    listed: list[str] = field(default_factory=list)


def extract(rows: Sequence[Row], earlier: Sections | None = None) -> Sections:
    """The sections of a summary of these messages.

    :param earlier: the summary of what was before them; what it says stays as long as there is room.
    """
    found = _Found()
    if earlier:
        found.sections = {name: list(earlier.get(name, [])) for name in found.sections}
        found.names.remember(earlier.get(IDENTIFIERS, []))
    for row in rows:
        if row["role"] == "tool":
            _result(found, row)
        elif row["origin"] in ("user", "assistant", "automation"):
            _spoken(found, row)
    return _finish(found)


def _spoken(found: _Found, row: Row) -> None:
    said = guard.mask(harness.spoken(row["content"]))[:_LONG]
    by_person = row["role"] == "user"
    found.names.read(said, 3 if by_person else 1)
    pasted = by_person and len(said) > _MESSAGE
    sentences = list(_sentences(found, f"{said[:_EDGE]}\n{said[-_EDGE:]}" if pasted else said))
    if turns.begins(row):
        found.sections[REQUEST] = [said[: 4 * MAX_REQUEST]] if said else found.sections[REQUEST]
        found.question = next((sentence for sentence in reversed(sentences) if sentence.endswith("?")), None)
    elif said and row["role"] == "assistant":
        found.answer = one_line(sentences[0] if sentences else said, MAX_ITEM)
        if found.question:
            pair = f"{one_line(found.question, MAX_ITEM // 2)} → {one_line(found.answer, MAX_ITEM // 2)}"
            found.sections["Resolved Questions"].append(pair)
            found.question = None
    for sentence in sentences:
        _sort(found, sentence, by_person)
    for call in row.get("tool_calls") or ():
        _call(found, call)


def _sentences(found: _Found, said: str) -> Iterator[str]:
    """The sentences outside of code and quotations; boxes to tick are taken on the way."""
    fenced = False
    for line in said.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced or line.lstrip().startswith((">", "|")):
            continue
        elif box := _BOX.match(line):
            _task(found, box[2], box[1] != " ")
        elif len(line) <= _PARAGRAPH:
            plain = _MARK.sub("", line).replace("**", "").strip()
            yield from (sentence for sentence in _ENDS.split(plain) if len(sentence) >= 8)


def _sort(found: _Found, sentence: str, by_person: bool) -> None:
    """Put a sentence into the sections it belongs to."""
    if sentence.endswith(("?", ":")):
        return
    if by_person and _ORDER.search(sentence) and not _OF_ME.search(sentence):
        found.sections["Constraints"].append(sentence)
    if not by_person and _TO_YOU.search(sentence):
        return
    if _DECIDED.search(sentence):
        found.sections["Decisions"].append(sentence)
    if _OPEN.search(sentence):
        found.sections["Open TODOs"].append(sentence)
    elif not by_person and _DONE.search(sentence):
        found.sections["Completed Actions"].append(sentence)


def _task(found: _Found, task: str, done: bool) -> None:
    if done:
        found.done.add(normal_form(task))
        found.sections["Completed Actions"].append(task)
    else:
        found.done.discard(normal_form(task))
        found.sections["Open TODOs"].append(task)


def _call(found: _Found, call: object) -> None:
    """What a tool was asked to do."""
    made = call if isinstance(call, dict) else {}
    function = made.get("function")
    told = function if isinstance(function, dict) else made
    name = str(told.get("name") or "tool")
    arguments = _arguments(told.get("arguments", told.get("input")))
    found.tools[name] += 1
    if _LISTS.search(name) and (tasks := _tasks(arguments)):
        found.listed = [task for task, done in tasks if not done]
        for task, done in tasks:
            if done:
                _task(found, task, done=True)
            else:
                found.done.discard(normal_form(task))
        return
    command, path = _first(arguments, _COMMANDS), _first(arguments, _PATHS)
    if command:
        found.names.add("commands", command.splitlines()[0])
    if path:
        found.names.add("paths", path)
        found.files.pop(path, None)
        found.files[path] = None
        if _CHANGES.search(name):
            found.sections["Completed Actions"].append(f"{name}: {path}")
    found.calls[str(made.get("id"))] = len(found.actions)
    action = f"{name}: {command or path or _first(arguments, _OTHERS)}".rstrip(": ")
    found.actions.append(one_line(action, MAX_ITEM // 2))


def _result(found: _Found, row: Row) -> None:
    """What came of it: the first line, behind the action."""
    number = found.calls.get(str(row.get("tool_call_id")))
    content = guard.mask(row["content"][: 40 * _RESULT])
    told = next((line for line in content.splitlines() if line.strip()), "")
    if number is not None and told:
        found.actions[number] += f" → {one_line(told, _RESULT)}"


def _arguments(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"command": value}
    return guard.mask_all(value) if isinstance(value, dict) else {}


def _first(arguments: dict[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, list):
            value = " ".join(str(part) for part in value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _tasks(arguments: dict[str, Any]) -> list[tuple[str, bool]]:
    """(task, whether it is done) of a list that an agent keeps by a tool."""
    found = []
    for value in arguments.values():
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict) and (task := _first(item, ("content", "step", "title", "description"))):
                found.append((task, str(item.get("status")).casefold() in _FINISHED))
    return found


def _finish(found: _Found) -> Sections:
    sections = found.sections
    sections["Open TODOs"] += found.listed
    sections["Open TODOs"] = [task for task in sections["Open TODOs"] if normal_form(task) not in found.done]
    if found.tools:
        counted = ", ".join(f"{name} {count}" for name, count in found.tools.most_common(12))
        sections["Tool Results & Actions Taken"].append(f"{found.tools.total()} calls: {counted}")
    sections["Tool Results & Actions Taken"] += found.actions[-_ACTIONS:]
    state = [f"last answer: {found.answer}"] if found.answer else sections["Active State"]
    if found.files:
        files = f"files in work: {', '.join(list(found.files)[-_FILES:])}"
        state = [*(line for line in state if not line.startswith("files in work: ")), files]
    sections["Active State"] = state
    sections[IDENTIFIERS] = found.names.lines()
    return {name: clean(lines, name) for name, lines in sections.items()}
