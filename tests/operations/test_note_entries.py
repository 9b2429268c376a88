"""Entries of notes and memories, both ways: recorded from one, promoted to one, found from either side."""

from __future__ import annotations

from datetime import datetime

import pytest

from workbench.errors import NotFound
from workbench.home import Home
from workbench.ledger.filters import Reader
from workbench.ledger.lifecycle import PersonOnly
from workbench.ledger.model import PERSON, Actor, Candidate, Kind
from workbench.operations import entry_effects, erase, evidence, linking, memories, note_entries, notes, rulings
from workbench.operations.append import memory_append
from workbench.operations.models_memories import ResourceLinkOut
from workbench.operations.remember import remember
from workbench.operations.why import why

CODEX = Actor("agent", "codex")
DAY = "# 2026-03-01\n\n- Met Anna about the harvest.\n- [ ] Call Bob ^bob\n"


@pytest.fixture
def noted(home: Home) -> Home:
    """A home with a daily note."""
    (home.memory / "2026-03-01.md").write_text(DAY)
    return home


def reference(home: Home, said: str, note: str = "2026-03-01.md") -> str:
    return next(each.reference for each in note_entries.entries_of(home, note) if each.text == said)


def found(home: Home, note: str = "2026-03-01.md", reader: Reader | None = None) -> dict[str, list[tuple[str, str]]]:
    """By what an entry says, its memories."""
    every = note_entries.entries_of(home, note, reader=reader)
    return {each.text: [(memory.relation, memory.id) for memory in each.memories] for each in every}


def links(home: Home, memory_id: str) -> list[ResourceLinkOut]:
    return why(home, memory_id).links


def test_a_memory_is_recorded_from_an_entry_and_both_find_each_other(noted: Home) -> None:
    anna = reference(noted, "Met Anna about the harvest.")
    done = note_entries.record(noted, PERSON, "memory/2026-03-01.md#L3")
    assert (done.reference, done.changed, done.backlog) == (anna, True, 0)
    assert (done.memory.content, done.memory.authority) == ("Met Anna about the harvest.", "confirmed")
    (link,) = links(noted, done.memory.id)
    assert (link.type, link.resource_ref, link.where, link.text) == (
        "derived_from",
        anna,
        "2026-03-01.md:3",
        "Met Anna about the harvest.",
    )
    assert found(noted)["Met Anna about the harvest."] == [("derived_from", done.memory.id)]
    note = noted.memory / "2026-03-01.md"
    note.write_bytes(b"\xef\xbb\xbf- Above\r\n\r\n" + DAY.replace("\n", "\r\n").encode())
    assert (links(noted, done.memory.id)[0].where, reference(noted, "Met Anna about the harvest.")) == (
        "2026-03-01.md:5",
        anna,
    )
    again = note_entries.record(noted, PERSON, anna)
    assert (again.changed, again.memory.id) == (False, done.memory.id)
    evidence.sweep(noted)
    (item,) = why(noted, done.memory.id).evidence
    assert (item.source_ref, item.stale_at, item.missing_at) == (anna, None, None)
    note.write_text("- Above\n")
    assert (links(noted, done.memory.id)[0].where, found(noted)) == (None, {"Above": []})


def test_a_block_id_names_an_entry_that_is_reworded(noted: Home) -> None:
    done = note_entries.record(noted, PERSON, "2026-03-01.md#bob", "Bob waits for a call.", kind=Kind.GOAL)
    assert (done.reference, done.memory.content, done.memory.kind) == (
        "2026-03-01.md#^bob",
        "Bob waits for a call.",
        "goal",
    )
    (noted.memory / "2026-03-01.md").write_text("- [x] Bob was called ^bob\n")
    assert links(noted, done.memory.id)[0].text == "Bob was called"
    assert found(noted) == {"Bob was called": [("derived_from", done.memory.id)]}


def test_a_memory_is_promoted_to_todays_note_once(noted: Home) -> None:
    said = Candidate("Uses tabs.\n\nIn Go.", Kind.FACT, explicit=False, confidence=None)
    one = remember(noted, PERSON, said).memory
    assert one is not None
    days = {f"{datetime.now():%Y-%m-%d}"}
    done = note_entries.promote(noted, PERSON, one.id[:12])
    days.add(f"{datetime.now():%Y-%m-%d}")
    day = done.reference.partition(".md")[0]
    assert (day in days, done.reference) == (True, f"{day}.md#^{one.id.replace('_', '-')}")
    note = noted.memory / f"{day}.md"
    lines = note.read_text().splitlines()
    assert lines[:2] == [f"# {day}", ""]
    assert lines[2].startswith(f"<!-- {day} ")
    assert lines[3:] == ["Uses tabs.", "", f"In Go. ^{one.id.replace('_', '-')}"]
    (link,) = links(noted, one.id)
    assert (link.type, link.resource_ref) == ("promoted_to", done.reference)
    assert [each for each in found(noted, note.name).values() if each] == [[("promoted_to", one.id)]]
    before = note.read_text()
    assert note_entries.promote(noted, PERSON, one.id).changed is False
    entry_effects.keep_in_step(noted, {"memory_id": one.id, "day": day})
    assert note.read_text() == before
    rulings.undo(noted, PERSON)
    assert note.read_text() == f"# {day}\n"


def test_a_promotion_is_undone_unless_the_entry_was_reworded(noted: Home) -> None:
    said = Candidate("Uses tabs.", Kind.FACT, explicit=False, confidence=None)
    one = remember(noted, PERSON, said).memory
    assert one is not None
    done = note_entries.promote(noted, PERSON, one.id)
    note = noted.memory / done.reference.partition("#")[0]
    with note.open("a") as file:
        file.write("\n- Mine.\n")
    undone = rulings.undo(noted, PERSON)
    assert note.read_text() == f"# {note.stem}\n\n- Mine.\n"
    rulings.undo(noted, PERSON, change_id=undone.undone_by)
    assert [text for text, linked in found(noted, note.name).items() if linked] == ["Uses tabs."]
    note.write_text(note.read_text().replace("Uses tabs.", "Uses tabs, says Dana."))
    assert [text for text, linked in found(noted, note.name).items() if linked] == ["Uses tabs, says Dana."]
    rulings.undo(noted, PERSON)
    assert "Uses tabs, says Dana." in note.read_text()


def test_an_erase_takes_a_promoted_entry_out(noted: Home) -> None:
    one = remember(noted, PERSON, Candidate("Uses zebras.", Kind.FACT, explicit=False, confidence=None)).memory
    assert one is not None
    note = noted.memory / note_entries.promote(noted, PERSON, one.id).reference.partition("#")[0]
    assert "zebras" in note.read_text()
    report = erase.erase(noted, PERSON, [one.id])
    assert (report.notes, report.backlog) == ([f"memory/{note.name}:4"], 0)
    assert note.read_text().splitlines()[3:] == ["[erased]"]


def test_an_agent_sees_what_it_may_and_promotes_nothing(noted: Home) -> None:
    done = note_entries.record(noted, PERSON, "2026-03-01.md#^bob", "Bob has diabetes.")
    assert done.memory.privacy == "sensitive"
    assert found(noted, reader=Reader("codex"))["Call Bob"] == []
    with pytest.raises(PersonOnly):
        note_entries.record(noted, CODEX, "2026-03-01.md#^bob")
    with pytest.raises(PersonOnly):
        note_entries.promote(noted, CODEX, done.memory.id)
    for missing in ("2026-03-01.md#nope", "2026-03-02.md#^bob", "../x.md#^bob", "2026-03-01.md"):
        with pytest.raises(NotFound):
            note_entries.record(noted, PERSON, missing)


def test_an_entry_of_memory_md_finds_its_memory_and_a_link_keeps_the_id(noted: Home) -> None:
    one = memory_append(noted, PERSON, "Prefers dark themes.\n\nEverywhere.").memory
    assert one is not None
    assert found(noted, "MEMORY.md") == {"Prefers dark themes.": [("promoted_to", one.id)], "Everywhere.": []}
    linking.link_resource(noted, CODEX, one.id, "note", "memory/2026-03-01.md#L4", "references")
    assert [each.resource_ref for each in links(noted, one.id)][1:] == ["2026-03-01.md#^bob"]
    assert found(noted)["Call Bob"] == [("references", one.id)]
    assert memories.show(noted, one.id).memory.status == "active"


def test_an_entry_with_code_is_found_with_its_memory_and_hides_none_below_it(home: Home) -> None:
    said = ["Run:\n```\nmake\n\nmake test\n```", "Build:\n```\nmake all", "Prefers tea in the morning."]
    keys = [memory.id for each in said if (memory := memory_append(home, PERSON, each).memory)]
    every = note_entries.entries_of(home, "MEMORY.md")
    assert [[memory.id for memory in each.memories] for each in every] == [[key] for key in keys]


def test_entries_stand_at_the_lines_that_are_shown_whatever_the_encoding(noted: Home) -> None:
    (noted.memory / "2026-03-02.md").write_bytes("Größe\r\n\r\n- Met Änne ^anne\r\n".encode("utf-16"))
    every = note_entries.entries_of(noted, "2026-03-02.md")
    assert [(each.line, each.reference, each.text) for each in every[1:]] == [(3, "2026-03-02.md#^anne", "Met Änne")]
    assert notes.memory_get(noted, "2026-03-02.md", 3, 1).text == "- Met Änne ^anne"
