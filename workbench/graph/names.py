"""Names as the graph compares them: entities by an id made of their name, values and predicates by a normal form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from workbench import text
from workbench.errors import WorkbenchError

TYPES = ("person", "company", "project", "event", "place", "tool", "concept", "unknown")
UNKNOWN = "unknown"
# Their object is a text of its own, not an entity.
VALUE_PREDICATES = frozenset(
    ("email", "phone", "url", "website", "address", "location", "birthday", "age", "role", "title", "salary", "note")
)
# What one subject has one of at a time, unless the registry of the graph says otherwise.
SINGLE_VALUED = frozenset(
    (
        *("works_at", "lives_in", "born_in", "reports_to", "managed_by", "headquartered_in", "status"),
        *("email", "phone", "website", "address", "location", "birthday", "age", "role", "title", "salary"),
    )
)
# Objects of these may hold a comma.
_LISTED = frozenset(("email", "phone", "address", "note", "url"))
# Not facts, but what the graph is to know about its names.
SAME_AS = "same_as"
ALSO_CALLED = "also_called"
# Subject: a file; object: the id of the batch of facts that was read from it.
IMPORTS = "imports_facts"
# Subject: a predicate; object: how many values of it a subject has at a time.
TAKES = "takes_values"
ONE, MANY = "one value at a time", "many values at a time"
RESERVED = frozenset((SAME_AS, ALSO_CALLED, IMPORTS, TAKES))
_PHRASES = {TAKES: "takes", SAME_AS: "is the same as", ALSO_CALLED: "is also called"}
MAX_NAME = 200
MAX_PREDICATE = 64
MAX_VALUE = 2_000
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc\uff07]")
_SPACE = re.compile(r"\s")
_ASCII = str.maketrans(dict.fromkeys((c for c in map(chr, range(128)) if c.isspace()), "_") | {"'": None})


class BadName(WorkbenchError):
    """A name, a predicate or a value that the graph can't hold."""


def entity_id(name: str) -> str:
    """The id of an entity: NFKC, case folded, apostrophes off, spaces as ``_``.

    Of ASCII names it is what Flowly makes of them: ``Bob's Cafe`` → ``bobs_cafe``; ``Straße`` → ``strasse``.
    """
    if name.isascii():
        return name.strip().lower().translate(_ASCII)
    folded = unicodedata.normalize("NFKC", text.INVISIBLE.sub("", name)).casefold()
    return _SPACE.sub("_", _APOSTROPHES.sub("", unicodedata.normalize("NFKC", folded).strip()))


def predicate_id(name: str) -> str:
    """A predicate in its normal form: ``Works At`` → ``works_at``."""
    return _SPACE.sub("_", unicodedata.normalize("NFKC", text.INVISIBLE.sub("", name)).casefold().strip())


def object_id(predicate: str, name: str, values: Container[str] = VALUE_PREDICATES) -> str:
    """What the object of a fact is compared by: the id of an entity, or the normal form of a value.

    :param predicate: in its normal form.
    :param values: predicates whose objects are values.
    """
    return text.normal_form(name) if predicate in values else entity_id(name)


def phrase(predicate: str) -> str:
    """A predicate as a part of a sentence: ``works_at`` → ``works at``, ``email`` → ``has the email``."""
    return _PHRASES.get(predicate) or ("has the " if predicate in VALUE_PREDICATES else "") + predicate.replace(
        "_", " "
    )


def entity_name(given: str, role: str) -> str:
    """A name fit to be kept: on one line, with something to tell it by.

    :param role: what it is in the fact, for messages.
    :raises BadName: when it is empty, too long, or several names.
    """
    name = _line(given, role, MAX_NAME)
    if not entity_id(name):
        raise BadName(f"'{role}' required: a name has at least one letter or digit")
    if "," in name:
        raise BadName(f"ONE entity per {role}: {text.quoted(name)} has a comma; add a fact for each")
    return name


def predicate_name(given: str) -> str:
    """A predicate fit to be kept, in its normal form.

    :raises BadName: when it is empty or too long.
    """
    name = predicate_id(_line(given, "predicate", MAX_PREDICATE))
    if not name:
        raise BadName("'predicate' required: say how the two are related, such as works_at")
    return name


def object_name(given: str, predicate: str, values: Container[str] = VALUE_PREDICATES) -> str:
    """The object of a fact fit to be kept: the name of an entity, or the text of a value as it was written.

    :raises BadName: as ``entity_name`` does; a comma may stand in an address, a note and the like.
    """
    if predicate not in values and predicate not in _LISTED:
        return entity_name(given, "object")
    value = _line(given, "object", MAX_VALUE)
    if "," in value and predicate not in _LISTED:
        raise BadName(f"ONE entity per object: {text.quoted(value)} has a comma; add a fact for each")
    return value


def _line(given: str, role: str, limit: int) -> str:
    line = " ".join(text.storable(given).split()) if "\n" in given or "\r" in given else text.storable(given).strip()
    if not text.INVISIBLE.sub("", line).strip():
        raise BadName(f"'{role}' required: it is empty")
    if len(line) > limit:
        raise BadName(f"the {role} has at most {limit} characters, this has {len(line):,}; shorten it")
    return line
