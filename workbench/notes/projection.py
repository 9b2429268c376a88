"""MEMORY.md: one generated block of active memories inside the person's own text.

Everything outside the block is theirs and is kept byte for byte. Text in, text out: nothing here knows the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench import text

START = "<!-- FLOWLY-GENERATED-START -->"
END = "<!-- FLOWLY-GENERATED-END -->"
EMPTY = "_No active memory yet._"

HEADINGS = {
    "profile": "Profile",
    "preference": "Preferences",
    "project": "Projects",
    "environment": "Environment",
    "relationship": "Relationships",
    "procedure": "Procedures",
    "correction": "Corrections",
    "decision": "Decisions",
    "constraint": "Constraints",
    "goal": "Goals",
    "skill": "Skills",
    "temporal": "Time-bound",
    "fact": "Facts",
}
OTHER = "Other"


def block(memories: Iterable[Mapping[str, Any]]) -> str:
    """The generated block, markers included, of memories in the order given.

    :param memories: rows with ``kind``, ``content``, ``scope_type`` and ``scope_key``.
    """
    groups: dict[str, list[str]] = {}
    for memory in memories:
        groups.setdefault(HEADINGS.get(memory["kind"], OTHER), []).append(_bullet(memory))
    lines = [START, "# Memory", ""]
    for heading in (*HEADINGS.values(), OTHER):
        if heading in groups:
            lines += [f"## {heading}", "", *groups[heading], ""]
    if not groups:
        lines += [EMPTY, ""]
    return "\n".join([*lines[:-1], END])


def _bullet(memory: Mapping[str, Any]) -> str:
    # One line a memory; text that could end the block or open a comment is defused.
    line = text.one_line(memory["content"], limit=text.MAX_LINE).replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    scope = (
        "" if memory["scope_type"] == "global" else f" ({memory['scope_type']}: {text.one_line(memory['scope_key'])})"
    )
    return f"- {line}{scope.replace('<!--', '').replace('-->', '')}"


def splice(document: bytes, generated: str) -> bytes:
    """``document`` with its generated block replaced, or added at the end when it has none; line ends follow it.

    A stray marker in the person's text is theirs: the block is the nearest START before an END.
    """
    newline = b"\r\n" if b"\r\n" in document else b"\n"
    new = generated.encode("utf-8", "replace").replace(b"\n", newline)
    found = _find_block(document)
    if found is not None:
        return document[: found[0]] + new + document[found[1] :]
    if not document:
        return new + newline
    gap = b"" if document.endswith(newline * 2) else newline if document.endswith(newline) else newline * 2
    return document + gap + new + newline


def _find_block(document: bytes) -> tuple[int, int] | None:
    start_mark, end_mark = START.encode(), END.encode()
    end = document.find(end_mark)
    while end >= 0:
        start = document.rfind(start_mark, 0, end)
        if start >= 0:
            return start, end + len(end_mark)
        end = document.find(end_mark, end + 1)
    return None
