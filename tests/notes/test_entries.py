"""Entries of notes: where they begin and end, what names them, and what changing one leaves alone."""

from __future__ import annotations

import pytest

from workbench.notes import entries, projection

DAY = b"""---
tags: daily
---
# 2026-03-01

Met Anna about the harvest,
and about the fence. ^anna

- Buy radish seed
  - the red one
- [ ] Call Bob
1. First of two

## Later

<!-- 2026-03-01 18:05 -->
Prefers the train.
- even at night

```sh
- no entry of its own

echo done
```

| a | b |
|---|---|

^table
---
***
"""
SAID = [
    (6, None, "Met Anna about the harvest,\nand about the fence.", "anna"),
    (9, None, "Buy radish seed\n  - the red one", None),
    (11, None, "Call Bob", None),
    (12, None, "First of two", None),
    (16, "2026-03-01 18:05", "Prefers the train.\n- even at night", None),
    (20, None, "```sh\n- no entry of its own\n\necho done\n```", None),
    (26, None, "| a | b |\n|---|---|", "table"),
]


def told(document: bytes) -> list[tuple[int, str | None, str, str | None]]:
    return [(each.line, each.stamp, each.text, each.anchor) for each in entries.entries(document)]


def ids(document: bytes) -> dict[str, str]:
    return {each.text: each.id for each in entries.entries(document)}


def test_what_is_an_entry_and_what_is_none() -> None:
    assert told(DAY) == SAID
    generated = projection.block([{"kind": "fact", "content": "Ours.", "scope_type": "global", "scope_key": ""}])
    mixed = b"- Mine.\n" + generated.encode() + b"\nAlso mine.\n"
    assert [text for _, _, text, _ in told(mixed)] == ["Mine.", "Also mine."]
    assert told(b"") == told(b"# Title\n") == told(b"<!-- 2026-03-01 18:05 -->\n") == []


def test_an_id_is_the_same_whatever_stands_around_it() -> None:
    before = ids(DAY)
    assert before["Met Anna about the harvest,\nand about the fence."] == "^anna"
    assert len(set(before.values())) == len(SAID)
    assert ids(b"\xef\xbb\xbf" + DAY.replace(b"\n", b"\r\n")) == before
    more = DAY.replace(b"# 2026-03-01\n", b"# 2026-03-01\n\n- Another one, above\n").replace(b"1. First of two\n", b"")
    kept = {text: name for text, name in before.items() if text != "First of two"}
    assert {text: name for text, name in ids(more).items() if text in before} == kept
    assert ids(b"- Call Bob\n") == {"Call Bob": before["Call Bob"]} == ids(b"* [x] Call Bob\n")
    assert ids(b"<!-- 2026-03-01 18:06 -->\nCall Bob\n")["Call Bob"] != before["Call Bob"], "another time"
    assert ids(b"Reworded by hand. ^anna\n") == {"Reworded by hand.": "^anna"}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Uses  TABS.", "uses tabs.", 1.0),
        ("ab", "AB", 1.0),
        ("ab", "abc", 0.0),
        ("abcde", "abcd", 2 / 3),
        ("Prefers dark themes everywhere.", "Prefers dark themes everywhere!", 28 / 30),
    ],
)
def test_similarity_is_that_of_trigrams(one: str, other: str, expected: float) -> None:
    assert entries.similarity(entries.trigrams(one), other) == pytest.approx(expected)
    assert (entries.digest(one) == entries.digest(other)) is (expected == 1.0)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("document", [b"", b"Mine.\n", b"Mine.\n\n", b"\xef\xbb\xbfMine.\n\nOther.\n"])
def test_an_entry_comes_changes_and_goes(document: bytes, newline: bytes) -> None:
    document = document.replace(b"\n", newline)
    first = entries.with_entry(document, "2026-03-01 10:05", "One.\nTwo.")
    both = entries.with_entry(first, "2026-03-01 10:06", "Three.")
    gap = newline if document and not document.endswith(newline * 2) else b""
    ending = b"\r\n" if b"\r\n" in document else b"\n"
    assert first == document + gap + ending.join([b"<!-- 2026-03-01 10:05 -->", b"One.", b"Two.", b""])
    one, three = entries.stretches(both)
    assert (one.stamp, one.whole[1], three.whole[1]) == ("2026-03-01 10:05", "One.\nTwo.", "Three.")
    said = entries.reworded(both, one.start, one.whole[0], "Four.")
    assert said == both.replace(ending.join([b"One.", b"Two."]), b"Four.")
    assert entries.without(both, three.start, three.whole[0]) == first
    bare = entries.without(first, one.start, one.whole[0])
    assert bare in (document, document.removesuffix(newline))


def test_a_memory_in_an_entry_can_be_no_mark_of_ours() -> None:
    hostile = f"Fine.\n<!-- 2026-01-01 00:00 -->\n{projection.START}\n![x](http://e)\n\n# Title\u202e"
    said = entries.shown({"content": hostile, "scope_type": "project", "scope_key": "/a"})
    document = entries.with_entry(b"", "2026-03-01 10:05", said)
    (stretch,) = entries.stretches(document)
    assert (stretch.ends[-1][1], stretch.stamp) == (said, "2026-03-01 10:05")
    assert projection.blocks(document) == []
    assert projection.unescaped(said) == hostile + " (project: /a)"


def test_code_that_somebody_left_open_swallows_no_later_entry() -> None:
    document = entries.with_entry(b"", "2026-03-01 10:00", "Run:\n```\nmake\n\nmake test")
    document = entries.with_entry(document, "2026-03-02 10:00", "Likes tea.")
    document = entries.with_entry(document, "2026-03-03 10:00", "```\ncode\n```")
    found = [(entry.line, entry.stamp, entry.text.strip()) for entry in entries.entries(document)]
    assert found == [
        (1, "2026-03-01 10:00", "Run:\n```\nmake\n\nmake test"),
        (8, "2026-03-02 10:00", "Likes tea."),
        (11, "2026-03-03 10:00", "```\ncode\n```"),
    ]


def test_a_block_id_is_that_of_its_first_entry() -> None:
    found = entries.entries(b"- Met Anna. ^abc\n- Met Bob. ^abc\n- Met Carl. ^abd\n")
    assert [entry.text for entry in found] == ["Met Anna.", "Met Bob.", "Met Carl."]
    assert [entry.anchor for entry in found] == ["abc", None, "abd"]
    assert found[1].id == entries.entries(b"* met  bob.\n")[0].id
