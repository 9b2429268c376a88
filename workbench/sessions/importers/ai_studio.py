"""Google AI Studio: one JSON document a prompt, in the Drive folder "Google AI Studio".

``chunkedPrompt.chunks`` are the turns (thoughts, answers and code in chunks of their own), ``systemInstruction`` and
``runSettings`` stand beside them; ``pendingInputs`` were never sent. The document holds no id, so that a prompt is told
by what it begins with: its first chunk, and the prompt it is a branch of. Of chunks that say of one another that they
are versions of the same turn (the same ``branchParent`` within the prompt), the last is the one that is seen.

Built from: Sinity/polylogue (polylogue/sources/parsers/drive.py, tests/data/gemini_chunked_prompt), vercel/ai
(packages/google/src/google-generative-ai-prompt.ts, for the parts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from workbench.sessions.importers import Found, Importer, Sample, documents, gemini_parts
from workbench.sessions.importers.lines import Counts, Json
from workbench.sessions.importers.readable import Readable
from workbench.sessions.importers.values import moment, record, sequence, string
from workbench.sessions.model import Message, Role, Session, derived_identity
from workbench.sessions.times import earliest, latest
from workbench.text import sha256

NAME = "ai-studio"
_INSTRUCTION = "systemInstruction"
_ROLES: dict[str, Role] = {"user": "user", "model": "assistant", "assistant": "assistant", "system": "system"}
# Of a document that is too long (images are in it) only the beginning is known.
_HEAD = re.compile(rb'\A[\s\xef\xbb\xbf]*\{\s*"(?:runSettings|systemInstruction|chunkedPrompt)"\s*:')
_CHUNKS = re.compile(rb'"chunkedPrompt"\s*:\s*\{\s*"chunks"\s*:\s*\[')


def sniff(sample: Sample) -> bool:
    """A ``chunkedPrompt``, or ``chunks`` by a user and a model."""
    if any(isinstance(value, dict) and _is_prompt(value) for value in (*sample.elements, *sample.rows)):
        return True
    if sample.elements or any(isinstance(row, dict) for row in sample.rows):
        return False
    return _HEAD.match(sample.head) is not None and _CHUNKS.search(sample.head) is not None


def read(file: Readable, counts: Counts) -> Iterator[Found]:
    """The prompt of a file."""
    for offset, value in documents.items(file, counts):
        if not isinstance(value, dict) or not _is_prompt(value):
            counts.quarantine(offset, "not a prompt of AI Studio")
            continue
        session = _session(value, file.name.removesuffix(".json"))
        session.source = str(file)
        again = None if string(value.get("id")) else partial(_messages, value, offset, Counts())
        yield Found(session, _messages(value, offset, counts), again=again, alone=True)


def _is_prompt(value: dict[str, Any]) -> bool:
    prompt = value.get("chunkedPrompt")
    if isinstance(prompt, dict):
        return isinstance(prompt.get("chunks"), list)
    chunks = gemini_parts.listed(value.get("chunks"))
    return bool(chunks) and all(chunk.get("role") in ("user", "model") for chunk in chunks)


def _chunks(value: dict[str, Any]) -> list[Json]:
    return sequence(record(value.get("chunkedPrompt")).get("chunks")) or sequence(value.get("chunks"))


def _session(value: dict[str, Any], name: str) -> Session:
    chunks = gemini_parts.listed(_chunks(value))
    origins = [record(chunk.get("branchParent")) for chunk in chunks]
    origin = next((parent for parent in origins if string(parent.get("promptId"))), {})
    first: dict[str, Any] = next((chunk for chunk in chunks if gemini_parts.split(_content(chunk)).said), {})
    beginning = (moment(first.get("createTime")), gemini_parts.split(_content(first)).text, origin.get("promptId"))
    session = Session(f"{NAME}:{string(value.get('id')) or sha256(repr(beginning))[:32]}")
    session.title = string(value.get("title")) or string(value.get("displayName")) or name
    times = [time for chunk in chunks if (time := moment(chunk.get("createTime")))]
    session.created_at = moment(value.get("createTime")) or earliest(*times)
    session.updated_at = moment(value.get("updateTime")) or latest(*times)
    session.metadata = {
        "agent": NAME,
        "model": string(record(value.get("runSettings")).get("model")),
        "branch_of": string(origin.get("displayName")) or string(origin.get("promptId")),
    }
    return session


def _messages(value: dict[str, Any], offset: int, counts: Counts) -> Iterator[Message]:
    model = string(record(value.get("runSettings")).get("model"))
    left = _replaced(gemini_parts.listed(_chunks(value)))
    seen = {_INSTRUCTION}
    occurrences: dict[str, int] = {}
    instruction = value.get(_INSTRUCTION)
    if text := gemini_parts.split(record(instruction).get("parts") or instruction).text.strip():
        counts.kept += 1
        yield Message(_INSTRUCTION, "system", "harness", text)
    for chunk in _chunks(value):
        if not isinstance(chunk, dict) or (role := _ROLES.get(str(chunk.get("role")).lower())) is None:
            counts.quarantine(offset, "not a chunk of a user or a model")
            continue
        made = _said(chunk, role, model)
        for message in made:
            message.identity = message.identity or derived_identity(message, occurrences)
            message.state = "withdrawn" if string(chunk.get("id")) in left else "active"
        made = [message for message in made if message.identity not in seen]
        seen.update(message.identity for message in made)
        counts.kept += bool(made)
        counts.skipped += not made
        yield from made


def _said(chunk: dict[str, Any], role: Role, model: str | None) -> list[Message]:
    parts = gemini_parts.split(_content(chunk))
    said = Message(string(chunk.get("id")) or "", role, gemini_parts.origin_of(role, parts.text), parts.text)
    said.timestamp = moment(chunk.get("createTime"))
    if role == "assistant":
        said.model = model
        said.usage = gemini_parts.usage_of({"reasoning" if parts.thinking else "output": chunk.get("tokenCount")})
    return gemini_parts.messages(parts, said)


def _content(chunk: dict[str, Any]) -> Json:
    """A chunk is a part itself; only without a text of its own, the text is in its parts."""
    if string(chunk.get("text")):
        return chunk
    thought = bool(chunk.get("isThought"))
    parts = [part | {"isThought": thought or part.get("thought")} for part in gemini_parts.listed(chunk.get("parts"))]
    return [*parts, chunk]


def _replaced(chunks: list[dict[str, Any]]) -> set[str]:
    """The ids of chunks that a later version of the same turn replaces."""
    versions: dict[str, str] = {}
    left: set[str] = set()
    for chunk in chunks:
        parent = string(record(chunk.get("branchParent")).get("id"))
        if parent and (name := string(chunk.get("id"))):
            if parent in versions:
                left.add(versions[parent])
            versions[parent] = name
    return left


IMPORTER = Importer(NAME, sniff, read)
