"""What memories say to the knowledge graph: as a sentence, under a key, and after a correction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import text
from workbench.graph.names import IMPORTS, TAKES, entity_id, object_id, phrase

_KEY = "graph"


def sentence(subject: str, predicate: str, object_: str, begins: str | None = None, ends: str | None = None) -> str:
    """A fact as a statement: ``Ada works at Acme``; with an end the time is part of what is said.

    :param begins: as the writer wrote it, and ``ends``.
    """
    said = f"{subject} {phrase(predicate)} {object_}"
    if ends is None:
        return said
    return f"{said} (from {begins} to {ends})" if begins else f"{said} (to {ends})"


def denial(subject: str, predicate: str, object_: str) -> str:
    """That a fact holds no more, as a statement."""
    return f"{subject} no longer {phrase(predicate)} {object_}"


def key(subject: str, predicate: str, object_: str | None) -> str:
    """The fact key of a fact: ``graph.works-at.`` and a digest, the same for all that can't be in force together.

    :param subject: the id of the entity; ``object_``: of the object, None where a subject has one value at a time.
    """
    digest = text.sha256("\x1f".join([subject, predicate, object_ or ""]))[:16]
    return f"{_KEY}.{text.fact_key(predicate)}.{digest}"


def corrected(row: Mapping[str, Any], content: str) -> dict[str, Any]:
    """What a memory says to the graph after a correction: the same of another object where its new wording begins as
    the fact does, and nothing where it does not."""
    if row["predicate"] in (None, IMPORTS, TAKES):
        return {}
    begins = f"{row['subject']} {phrase(row['predicate'])} "
    rest = content[len(begins) :].strip().rstrip(".")
    if rest and text.normal_form(content).startswith(f"{text.normal_form(begins)} "):
        was, now = (
            key(entity_id(row["subject"]), row["predicate"], object_id(row["predicate"], each))
            for each in (row["object"], rest)
        )
        return {"object": rest} | ({"fact_key": now} if row["fact_key"] == was else {})
    return dict.fromkeys(("subject", "predicate", "object", "subject_type", "object_type"))
