"""Entries that were erased leave a note in whatever encoding it is."""

from __future__ import annotations

import pytest

from workbench.notes import redaction

NOTE = "\ufeff# Größe\n\n- Prefers tea. ^tea\r\n- Ärger: prefers tea. and more\n\n`\U0001f642`"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_an_erased_entry_leaves_a_placeholder_and_all_else_byte_for_byte(encoding: str) -> None:
    document = NOTE.encode(encoding)
    made, lines = redaction.redact(document, lambda said: said == "Prefers tea.", {1})
    assert (made.decode(encoding), lines) == (NOTE.replace("Prefers tea. ^tea", "[erased]"), [3])
    assert redaction.redact(document, lambda said: False, {1}) == (document, [])
    assert redaction.holding(document, lambda said: False, {1}, lambda said: "prefers tea" in said.lower()) == [3, 4]


@pytest.mark.parametrize(("encoding", "tail"), [("utf-8", b""), ("utf-16-le", b"x"), ("utf-16-be", b"x")])
def test_a_mark_of_the_encoding_hides_no_entry_and_half_a_unit_stays(encoding: str, tail: bytes) -> None:
    document = "\ufeff- Prefers tea.\n- More".encode(encoding) + tail
    made = redaction.redact(document, lambda said: said == "Prefers tea.", {1})
    assert made == ("\ufeff- [erased]\n- More".encode(encoding) + tail, [1])
