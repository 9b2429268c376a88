"""An erase leaves nothing of a memory in the home but an empty shell, and a history that still verifies."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.ledger.conftest import BASE, rows
from workbench import db, kept
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import audit, gate, store, tombstones, undo
from workbench.ledger import erase as erasing
from workbench.ledger.change import Change, new_id
from workbench.ledger.lifecycle import NeedsConfirmation, PersonOnly
from workbench.ledger.model import DREAMER, PERSON, Actor, Evidence, Kind, Proposal, SourceType
from workbench.ledger.sources import Finding, Sources
from workbench.ledger.write import propose
from workbench.notes import projection
from workbench.operations import bundle, erase, memories, memory_md, remember, rulings
from workbench.sessions import index, spoken
from workbench.sessions import store as sessions
from workbench.sessions.model import Message, Session

Say = Callable[..., Proposal]
# Words that nothing else in a home has, and that no stemmer changes.
RARE = ("zanzibarq", "quagganth", "vuvuzelk", "xylophont", "wombatzig", "yurtplomb")


def session(number: int, said: str, key: str = "claude:s1") -> Evidence:
    return Evidence(SourceType.SESSION, f"{key}#{number}", said, "2026-02-01")


def found_in(home: Home, *words: str) -> list[str]:
    """The files of the home that hold one of the words, in any case, read as bytes while nothing has them open."""
    wanted = [word.encode() for word in words]
    held = []
    kept.release()
    for path in sorted(home.root.rglob("*")):
        if path.is_file() and any(word in path.read_bytes().lower() for word in wanted):
            held.append(path.name)
    return held


def verified(home: Home) -> list[str]:
    """What the audit finds, once everything is anchored."""
    audit.anchor(home, at=db.now())
    return memories.verify_audit(home).problems


def shell(home: Home, memory_id: str) -> dict[str, Any]:
    with store.reading(home) as connection:
        return dict(connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone())


def sql(home: Home, query: str, *values: object) -> list[tuple[Any, ...]]:
    with store.reading(home) as connection:
        return [tuple(row) for row in connection.execute(query, values)]


@pytest.fixture
def told(home: Home, say: Say) -> str:
    """A memory with all that can tell of one: wordings, evidence, verdicts, relations, links, feedback, archives."""
    first = say("Lives in Zanzibarq.", fact_key="home", evidence=(session(1, "I live in Zanzibarq, in a yurtplomb."),))
    other = say("Has a tent.", evidence=(session(1, "I live in Zanzibarq, in a yurtplomb."),)).memory_id or ""
    quoting = say("Moved often.", evidence=(session(7, "Before, dana lives in Zanzibarq. Then not."),)).memory_id or ""
    memory_id = first.memory_id or ""
    rulings.correct(home, PERSON, memory_id, "Lives in Quagganth.")
    wrong = say("Lives in Zanzibarq.", fact_key="home.old", observed_at="2030-01-01").memory_id
    assert wrong is None  # the old wording was ruled wrong
    rulings.reject(home, PERSON, say("Likes rain.").memory_id or "", "no: lives in Quagganth, not in rain")
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        change.insert(
            "memory_feedback", id=new_id("f"), memory_id=memory_id, helpful=1, note="vuvuzelk", actor="x", given_at="t"
        )
        change.insert(
            "resource_links",
            id=new_id("l"),
            memory_id=memory_id,
            resource_type="url",
            type="references",
            resource_ref="https://xylophont.example",
            created_at=change.at,
        )
        for a, b in ((memory_id, other), (quoting, memory_id)):
            change.insert(
                "memory_relations",
                id=new_id("r"),
                memory_id=a,
                related_id=b,
                type="supports",
                actor="x",
                created_at=change.at,
            )
        change.update("memories", memory_id, tags='["wombatzig"]', source_agent="wombatzig")
        change.record("linked", other, why="lives in quagganth")
        connection.execute("INSERT INTO memory_use VALUES (?, 3, 1, 't')", (memory_id,))
        connection.execute(
            "INSERT INTO lens_archive (id, payload, included, truncated, created_at) VALUES ('x', ?, ?, '[]', 't')",
            ("- Lives in Quagganth.\n- Has a tent.", json.dumps([memory_id, other])),
        )
        connection.execute(
            "INSERT INTO lens_archive (id, payload, included, truncated, created_at) VALUES ('y', 'a tent', ?, ?, 't')",
            (json.dumps([other]), json.dumps([memory_id])),
        )
    memory_md.refresh(home)
    return memory_id


def test_no_byte_of_it_stays(home: Home, told: str) -> None:
    audit.anchor(home, at=db.now())
    assert set(found_in(home, *RARE)) >= {"memory_governance.sqlite3", "MEMORY.md"}
    report = erase.erase(home, PERSON, [told])
    assert found_in(home, *RARE) == []
    assert report.backlog == 0
    assert verified(home) == []


def test_what_stays_is_an_empty_shell(home: Home, told: str) -> None:
    before = shell(home, told)
    erase.erase(home, PERSON, [told])
    after = shell(home, told)
    kept = {name for name in after if after[name] == before[name] and after[name] not in (None, "[]", "")}
    assert kept == {"seq", "id", "created_at", "created_by", "type", "tier", "privacy", "importance", "seen_count"} | {
        "scope_type"
    }
    assert (after["status"], after["content"], after["fact_key"]) == ("erased", "", None)
    assert after["fingerprint"] not in (before["fingerprint"], "")
    shown = memories.show(home, told)
    assert (shown.memory.status, shown.memory.content) == ("erased", "")
    assert [shown.evidence, shown.revisions, shown.relations] == [[], [], []]
    assert shown.events[0].action == "erased"
    for table in ("memory_evidence", "memory_revisions", "resource_links", "memory_feedback", "memory_use"):
        assert sql(home, f"SELECT count(*) FROM {table} WHERE memory_id = ?", told) == [(0,)]
    assert sql(home, "SELECT count(*) FROM memory_relations WHERE ? IN (memory_id, related_id)", told) == [(0,)]


def test_other_memories_lose_the_quote_and_nothing_else(home: Home, told: str) -> None:
    before = {row["id"]: row for row in map(dict, _all(home)) if row["id"] != told}
    erase.erase(home, PERSON, [told])
    after = {row["id"]: row for row in map(dict, _all(home)) if row["id"] != told}
    assert after == before
    excerpts = sql(home, "SELECT excerpt FROM memory_evidence")
    assert excerpts == [("[erased]",)] * 2
    assert sql(home, "SELECT reason FROM rejections") == [("[erased]",)]
    assert sql(home, "SELECT payload, included FROM lens_archive ORDER BY id")[0][0] == "[erased]"
    included, truncated = sql(home, "SELECT included, truncated FROM lens_archive ORDER BY id")[1]
    assert (json.loads(truncated), len(json.loads(included))) == (["[erased]"], 1)
    assert sql(home, "SELECT payload FROM lens_archive WHERE id = 'y'") == [("a tent",)]


@pytest.mark.parametrize(
    ("erased", "said", "goes"),
    [
        ("for", "We use MariaDB for billing.", False),
        ("the", "The.", True),
        ("for", "for", True),
        ("Uses tea", "Dana uses tea daily.", False),
        ("Uses tea", "uses  TEA!", True),
        ("Likes green tea.", "Dana likes green tea, not black.", True),
        ("Likes green tea.", "Dislikes green tea.", False),
        ("Likes green tea.", "likes green teapots", False),
        ("Likes green tea.", "_likes green tea_", True),
        ("Любит чай с мёдом", "Нелюбит чай с мёдом", False),
        ("Любит чай с мёдом", "Она: любит чай с мёдом.", True),
        ("Zanzibarqquagganth", "In Zanzibarqquagganth, always.", True),
        ("住在柏林的一个安静的小区里面十年了", "我住在柏林的一个安静的小区里面十年了。", True),
        ("住在柏林", "我住在柏林。", False),
    ],
)
def test_what_counts_as_a_quote(home: Home, say: Say, erased: str, said: str, goes: bool) -> None:
    memory_id = say(erased, actor=Actor("agent", "a")).memory_id or ""
    other = say("Keeps accounts.", evidence=(session(1, said),)).memory_id or ""
    rulings.feedback(home, PERSON, other, False, said)
    payloads = sql(home, "SELECT seq FROM event_payloads JOIN memory_events USING (seq) WHERE memory_id = ?", other)
    assert erase.preview(home, [memory_id]).counts["quotes in other memories"] == 2 * goes
    erase.erase(home, PERSON, [memory_id])
    kept = "[erased]" if goes else said
    assert sql(home, "SELECT excerpt, note FROM memory_evidence JOIN memory_feedback") == [(kept, kept)]
    left = sql(home, "SELECT seq FROM event_payloads JOIN memory_events USING (seq) WHERE memory_id = ?", other)
    assert set(payloads) - set(left) == set(payloads if goes else [])
    assert verified(home) == []


def test_a_word_that_acts_are_named_by_takes_no_request_away(home: Home, say: Say) -> None:
    memory_id = say("lock", actor=Actor("agent", "b")).memory_id or ""
    target = say("Has a tent.").memory_id or ""
    request = rulings.ask(home, Actor("agent", "a"), "lock", target).request.id
    erase.erase(home, PERSON, [memory_id])
    rulings.accept(home, PERSON, request)
    assert shell(home, target)["authority"] == "locked"


def _all(home: Home) -> list[sqlite3.Row]:
    with store.reading(home) as connection:
        return connection.execute("SELECT * FROM memories").fetchall()


def test_the_preview_counts_what_goes_and_changes_nothing(home: Home, told: str) -> None:
    before, events = rows(home), memories.verify_audit(home).events
    seen = erase.preview(home, [told[:14]])
    assert (rows(home), memories.verify_audit(home).events) == (before, events)
    assert [memory.id for memory in seen.memories] == [told]
    counts = seen.counts
    assert {name: counts[name] for name in counts if name != "event payloads"} == {
        "memories": 1,
        "revisions": 1,
        "relations": 2,
        "resource_links": 1,
        "evidence": 1,
        "feedback": 1,
        "rejections": 1,
        "quotes in other memories": 3,
        "lens archives": 2,
    }
    assert seen.messages == ["claude:s1#1"]
    report = erase.erase(home, PERSON, [told])
    assert report.counts == counts
    assert sql(home, "SELECT count(*) FROM memory_events e LEFT JOIN event_payloads p USING (seq) WHERE p.seq IS NULL")[
        0
    ] == (counts["event payloads"],)


def test_the_erase_names_the_payloads_it_took(home: Home, told: str) -> None:
    erase.erase(home, PERSON, [told])
    (details,) = sql(
        home, "SELECT json_extract(payload, '$.details') FROM event_payloads WHERE payload LIKE '%payloads%'"
    )
    named = json.loads(details[0])["payloads"]
    gone = sql(home, "SELECT seq FROM memory_events WHERE seq NOT IN (SELECT seq FROM event_payloads)")
    assert named == sorted(seq for (seq,) in gone)
    (kept,) = sql(home, "SELECT min(seq) FROM event_payloads")[0]
    with closing(sqlite3.connect(home.ledger)) as raw, raw:
        raw.execute("DELETE FROM event_payloads WHERE seq = ?", (kept,))
    assert f"event {kept} has lost its payload without an erase" in verified(home)


def test_tombstones_altered_around_the_ledger_are_seen(home: Home, told: str) -> None:
    erase.erase(home, PERSON, [told])
    kept.release()
    with closing(sqlite3.connect(home.ledger)) as raw, raw:
        trigger = raw.execute("SELECT sql FROM sqlite_master WHERE name = 'tombstones_no_delete'").fetchone()[0]
        raw.execute("DROP TRIGGER tombstones_no_delete")
        raw.execute("DELETE FROM tombstones WHERE rowid = (SELECT min(rowid) FROM tombstones)")
        raw.execute(trigger)
        raw.execute("INSERT INTO tombstones VALUES ('00', 't'), ('01', 't')")
        raw.execute("UPDATE meta SET value = '00' WHERE key = 'tombstone_key'")
    assert [problem.partition(" around")[0] for problem in verified(home)] == [
        "1 tombstone(s) were removed",
        "2 tombstone(s) were added",
        "the key of the tombstones was altered: what was erased could be learned again",
    ]


def test_an_erase_is_final(home: Home, told: str) -> None:
    erase.erase(home, PERSON, [told])
    with pytest.raises(WorkbenchError, match="an erase is final"):
        rulings.undo(home, PERSON)
    with pytest.raises(WorkbenchError, match="an erase is final"):
        rulings.undo(home, PERSON, memory_id=told)
    for statement in ("UPDATE memories SET importance = 7 WHERE status = 'erased'", "DELETE FROM tombstones"):
        with pytest.raises(sqlite3.IntegrityError, match="an erase is final"), store.writing(home) as connection:
            connection.execute(statement)
    before = rows(home)
    again = erase.erase(home, PERSON, [told])
    assert (again.memory_ids, again.change_id) == ([], None)
    assert rows(home) == before


def test_an_earlier_change_of_it_can_not_be_undone_either(home: Home, told: str) -> None:
    (change,) = sql(home, "SELECT change_id FROM memory_events WHERE action = 'corrected'")
    erase.erase(home, PERSON, [told])
    with pytest.raises(WorkbenchError, match="final"), store.writing(home) as connection:
        undo.undo(Change(connection, PERSON, undoes=change[0]), change[0])


@pytest.mark.parametrize("statement", ["Lives in Quagganth.", "lives in  ZANZIBARQ"])
def test_no_wording_of_it_is_learned_again(home: Home, told: str, say: Say, statement: str) -> None:
    erase.erase(home, PERSON, [told])
    assert say(statement, observed_at="2031-01-01").outcome == "erased_before"
    assert say(statement, actor=Actor("agent", "a"), explicit=True).outcome == "erased_before"
    assert say(statement, actor=PERSON).outcome == "created"
    assert verified(home) == []


@pytest.mark.parametrize(
    ("statement", "there"),
    [
        ("Lives in Quagganth.", True),
        ("  lives in ZANZIBARQ", True),
        ("Lives in Quagganth now.", False),
        ("", False),
    ],
)
def test_a_tombstone_holds_in_every_scope(home: Home, told: str, statement: str, there: bool) -> None:
    elsewhere = gate.fingerprint(statement, "project", "/p")
    with store.reading(home) as connection:
        assert not tombstones.buried(connection, elsewhere, statement)
    erase.erase(home, PERSON, [told])
    with store.reading(home) as connection:
        assert tombstones.buried(connection, elsewhere, statement) is there
        assert not tombstones.buried(connection, elsewhere)
        assert tombstones.buried(connection, gate.fingerprint("Lives in Quagganth.", "global", ""), statement)


def test_the_names_of_its_writes_go(home: Home, say: Say) -> None:
    memory_id = say("Lives in Zanzibarq.", idempotency_key="one").memory_id or ""
    other = say("Has a tent.", idempotency_key="two").memory_id
    erase.erase(home, PERSON, [memory_id])
    assert sql(home, "SELECT idempotency_key, memory_id FROM writes") == [("two", other)]
    assert say("Lives in Zanzibarq.", idempotency_key="one").outcome == "erased_before"


def test_what_it_replaced_and_what_replaced_it_no_longer_name_it(home: Home, say: Say) -> None:
    old, mid, new = (
        say(f"Lives in {place}.", fact_key="home", observed_at=f"2026-0{month}-01").memory_id or ""
        for month, place in enumerate(("Berlin", "Zanzibarq", "Munich"), start=1)
    )
    assert shell(home, mid)["supersedes"] == old
    erase.erase(home, PERSON, [mid])
    pointers = [(shell(home, key)["supersedes"], shell(home, key)["superseded_by"]) for key in (old, mid, new)]
    assert pointers == [(None, None)] * 3
    assert [shell(home, key)["status"] for key in (old, mid, new)] == ["superseded", "erased", "active"]
    assert found_in(home, *RARE) == []
    assert verified(home) == []


def test_a_request_about_it_goes_with_it(home: Home, say: Say) -> None:
    memory_id = say("Lives in Zanzibarq.").memory_id or ""
    rulings.ask(home, Actor("agent", "a"), "lock", memory_id)
    (waiting,) = memories.list_memories(home, status="needs_review").items
    assert "Zanzibarq" in waiting.content
    seen = erase.preview(home, [memory_id])
    assert [(memory.id, memory.request) for memory in seen.memories] == [(memory_id, False), (waiting.id, True)]
    assert erase.erase(home, PERSON, [memory_id]).memory_ids == [memory_id, waiting.id]
    assert found_in(home, *RARE) == []
    assert verified(home) == []


def test_a_request_that_was_undone_goes_with_it(home: Home, say: Say) -> None:
    memory_id = say("Lives in Zanzibarq.").memory_id or ""
    request = rulings.ask(home, Actor("agent", "a"), "lock", memory_id).request.id
    rulings.undo(home, PERSON, memory_id=request)
    seen = erase.preview(home, [memory_id])
    assert [(memory.id, memory.request, memory.content) for memory in seen.memories] == [
        (memory_id, False, "Lives in Zanzibarq."),
        (request, True, ""),
    ]
    assert erase.erase(home, PERSON, [memory_id]).memory_ids == [memory_id, request]
    assert found_in(home, *RARE) == []
    assert verified(home) == []


def test_what_only_says_the_same_stays_and_is_named(home: Home, say: Say) -> None:
    first = say("Lives in Zanzibarq.").memory_id or ""
    rulings.archive(home, PERSON, first) if hasattr(rulings, "archive") else None
    second = say("Lives in Zanzibarq.", actor=PERSON).memory_id or ""
    if second == first:
        pytest.skip("an archived statement is taken up again")
    report = erase.erase(home, PERSON, [first])
    assert report.same == [second]
    assert any(second in line for line in report.not_reached)
    assert shell(home, second)["content"] == "Lives in Zanzibarq."
    assert verified(home) == []


def test_what_holds_the_same_words_stays_and_is_named(home: Home, say: Say) -> None:
    erased = say("Likes green tea.", actor=PERSON).memory_id or ""
    longer = say("Dana likes green tea, and cake.").memory_id or ""
    once = say("On Monday she LIKES  green tea.", actor=PERSON).memory_id or ""
    rulings.correct(home, PERSON, once, "On Monday she likes coffee.")
    same = say("Likes green tea.", actor=PERSON, scope_type="project", scope_key="/p").memory_id or ""
    for other in ("Likes green teapots.", "Likes tea."):
        say(other)
    wanted = sorted([longer, once, same])
    seen = erase.preview(home, [erased])
    assert sorted(seen.holding) == wanted
    report = erase.erase(home, PERSON, [erased])
    assert (report.holding, report.same) == (seen.holding, [])
    assert {f"{key} holds the same words" for key in wanted} <= set(report.not_reached)
    assert shell(home, longer)["content"] == "Dana likes green tea, and cake."
    assert verified(home) == []
    assert erase.preview(home, [longer]).holding == []


def test_several_erased_one_after_another_still_verify(home: Home, say: Say) -> None:
    ids = [
        say(f"Owns thing {number}.", evidence=(session(number // 2, f"thing {number // 2}"),)).memory_id or ""
        for number in range(12)
    ]
    for memory_id in ids[:3]:
        erase.erase(home, PERSON, [memory_id])
    erase.erase(home, PERSON, ids[3:6], count=3)
    assert verified(home) == []
    erase.erase(home, PERSON, ids[6:], count=6)
    assert verified(home) == []
    assert {row["status"] for row in _all(home)} == {"erased"}
    assert sql(home, "SELECT count(*) FROM memory_evidence") == [(0,)]


def test_a_row_altered_around_the_ledger_is_not_vouched_for(home: Home, say: Say) -> None:
    quote = (session(1, "I live in Zanzibarq and have a tent."),)
    memory_id = say("Lives in Zanzibarq.", evidence=quote).memory_id or ""
    other = say("Has a tent.", evidence=quote).memory_id or ""
    with closing(sqlite3.connect(home.ledger)) as raw, raw:
        raw.execute("UPDATE memories SET content = 'Has a palace.' WHERE id = ?", (other,))
    erase.erase(home, PERSON, [memory_id])
    assert [other in problem for problem in verified(home)] == [True]


def test_what_was_pending_elsewhere_is_dropped(home: Home, say: Say) -> None:
    memory_id = say("Lives in Zanzibarq.").memory_id or ""
    with store.writing(home) as connection:
        Change(connection, PERSON).enqueue("no_such_effect", memory=memory_id, text="Zanzibarq")
        Change(connection, PERSON).enqueue("no_such_effect", memory="m_0")
    report = erase.erase(home, PERSON, [memory_id])
    assert report.backlog == 1
    assert sql(home, "SELECT json_extract(payload, '$.memory') FROM outbox") == [("m_0",)]
    assert found_in(home, *RARE) == []


def test_the_full_text_index_still_finds_the_others(home: Home, told: str, say: Say) -> None:
    erase.erase(home, PERSON, [told])
    assert [item.content for item in memories.list_memories(home, q="tent").items] == ["Has a tent."]
    assert memories.list_memories(home, status=None, q="quagganth").total == 0
    assert db.integrity(home.ledger, store.SCHEMA) == []


@pytest.mark.parametrize("actor", [Actor("agent", "a"), DREAMER, Actor("system", "maintain")])
def test_only_the_person_erases(home: Home, told: str, actor: Actor) -> None:
    before = rows(home)
    with pytest.raises(PersonOnly, match="only the person can erase"):
        erase.erase(home, actor, [told])
    with pytest.raises(PersonOnly), store.writing(home) as connection:
        erasing.erase(connection, actor, erasing.plan(connection, [told]))
    assert rows(home) == before


@pytest.mark.parametrize("ids", [[], [""], ["*"], ["%"], ["m_"], ["m_%"], ["m_" + "0" * 24], [" "]])
def test_nothing_is_selected_by_nothing(home: Home, told: str, ids: list[str]) -> None:
    before = rows(home)
    with pytest.raises(WorkbenchError):
        erase.erase(home, PERSON, ids)
    assert rows(home) == before


def test_one_wrong_id_erases_none(home: Home, told: str) -> None:
    before = rows(home)
    with pytest.raises(NotFound):
        erase.erase(home, PERSON, [told, "m_" + "f" * 24])
    assert rows(home) == before


@pytest.mark.parametrize(
    ("there", "erased", "asks"),
    [(3, 1, False), (30, 2, False), (30, 3, False), (30, 4, True), (300, 20, False), (300, 21, True)],
)
def test_many_at_once_are_asked_about_again(home: Home, there: int, erased: int, asks: bool) -> None:
    ids = _many(home, there)
    assert erase.preview(home, ids[:erased]).asks_again == asks
    if asks:
        before = rows(home)
        for count in (None, erased - 1, erased + 1, 0):
            with pytest.raises(NeedsConfirmation, match=f"{erased} memories"):
                erase.erase(home, PERSON, ids[:erased], count=count)
        assert rows(home) == before
    done = erase.erase(home, PERSON, ids[:erased], count=erased if asks else None)
    assert len(done.memory_ids) == erased
    assert verified(home) == []


def _many(home: Home, number: int) -> list[str]:
    base = gate.check(BASE)
    ids = []
    with store.writing(home) as connection:
        for n in range(number):
            change = Change(connection, DREAMER)
            fields = {"content": f"Fact {n}.", "kind": Kind.FACT, "authority": "observed", "status": "active"}
            times = dict.fromkeys(("created_at", "updated_at"), change.at)
            row = {**fields, **times, "trust": 0.5, "created_by": "x", "fingerprint": f"{base.fingerprint}{n}"}
            ids.append(new_id("m"))
            change.insert("memories", id=ids[-1], **row)
            change.record("created", ids[-1])
    audit.anchor(home, at=db.now(), anew=True)
    return ids


NOTE = """# Mine

- Lives in Quagganth.
* [ ] lives in  quagganth
1. Lives in Quagganth. And more.
> - Lives in Quagganth
Lives in Quagganth.\r
Dana lives in Quagganth, she says.
- Lives in Zanzibarq!
"""


def test_entries_of_notes_that_say_it_are_replaced(home: Home, told: str) -> None:
    daily, user = home.memory / "2026-02-01.md", home.memory.parent / "USER.md"
    home.memory_md.write_bytes(NOTE.encode() + b"\n" + home.memory_md.read_bytes())
    daily.write_text("- Lives in Quagganth.\n- Has a tent.\n")
    user.write_text("Nothing of that.\n")
    stat = user.stat()
    report = erase.erase(home, PERSON, [told])
    lines = home.memory_md.read_bytes().split(b"\n")[:9]
    assert lines == [
        *(b"# Mine", b"", b"- [erased]", b"* [ ] [erased]", b"1. Lives in Quagganth. And more.", b"> - [erased]"),
        *(b"[erased]\r", b"Dana lives in Quagganth, she says.", b"- [erased]"),
    ]
    assert daily.read_text() == "- [erased]\n- Has a tent.\n"
    assert (user.stat().st_ino, user.stat().st_mtime_ns) == (stat.st_ino, stat.st_mtime_ns)
    assert report.notes == [
        *("memory/2026-02-01.md:1", "memory/MEMORY.md:3", "memory/MEMORY.md:4", "memory/MEMORY.md:6"),
        *("memory/MEMORY.md:7", "memory/MEMORY.md:9"),
    ]
    block = projection.blocks(home.memory_md.read_bytes())
    assert [ours for _, _, ours in block] == [True]


def test_an_entry_of_several_lines_and_one_of_a_project(home: Home, say: Say) -> None:
    scope = {"scope_type": "project", "scope_key": "/p"}
    memory_id = say("Order:\nfirst <zanzibarq>\nthen quagganth", actor=PERSON, **scope).memory_id or ""
    memory_md.refresh(home)
    shown = next(line for line in home.memory_md.read_text().splitlines() if "quagganth" in line)
    daily = home.memory / "2026-02-01.md"
    daily.write_text(f"a\n- Order:\n  first <zanzibarq>\n  then quagganth\nb\n{shown}\nOrder:\n")
    erase.erase(home, PERSON, [memory_id])
    assert daily.read_text() == "a\n- [erased]\nb\n- [erased]\nOrder:\n"
    assert found_in(home, *RARE) == []


def test_an_edited_block_brings_nothing_back(home: Home, say: Say) -> None:
    scope = {"scope_type": "project", "scope_key": "/p"}
    memory_id = say("Uses zanzibarq.", actor=PERSON, **scope).memory_id or ""
    say("Has a tent.", actor=PERSON)
    memory_md.refresh(home)
    edited = home.memory_md.read_text().replace("- Has a tent.", "- Has a big tent.")
    home.memory_md.write_text(edited)
    erase.erase(home, PERSON, [memory_id])
    assert [item.content for item in memories.list_memories(home, status="needs_review").items] == ["Has a big tent."]
    assert found_in(home, *RARE) == []


def test_a_linked_note_is_left_and_named(home: Home, told: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- Lives in Quagganth.\n")
    (home.memory / "link.md").symlink_to(outside)
    report = erase.erase(home, PERSON, [told])
    assert outside.read_text() == "- Lives in Quagganth.\n"
    assert any("link.md" in line for line in report.not_reached)


@pytest.fixture
def talked(home: Home, say: Say) -> tuple[str, list[int]]:
    """A memory learned from the second of three messages; (its id, ids of the messages)."""
    _merge(home)
    ids = sorted(_messages(home).values())
    number = _messages(home)["I live in Zanzibarq, since Quagganth."]
    said = "I live in Zanzibarq, since Quagganth."
    found = say(
        "Lives in Zanzibarq.",
        source_session="claude:s1",
        source_message_ids=(number,),
        evidence=(session(number, said),),
    )
    return found.memory_id or "", ids


def _merge(home: Home) -> sessions.Merged:
    talk = ("Hello there.", "I live in Zanzibarq, since Quagganth.", "I have a tent.")
    messages = [
        Message(f"i{n}", "user", "user", said, thinking=said, timestamp="2026-02-01") for n, said in enumerate(talk)
    ]
    merged = sessions.merge(home, Session("claude:s1", source="/x/transcript.jsonl"), messages)
    index.sync(home)
    return merged


def _messages(home: Home) -> dict[str, int]:
    with db.read(home.session_index, index.SCHEMA) as connection:
        return {row[0]: row[1] for row in connection.execute("SELECT content, id FROM messages ORDER BY seq")}


def test_longer_lines_and_other_messages_that_hold_its_words_are_named(home: Home, say: Say) -> None:
    erased = say("Lives in Zanzibarq, Straße 3.", actor=PERSON).memory_id or ""
    said = ("He lives in ZANZIBARQ, straße 3, he says.", "Lives in a Straße.", "Lives in Zanzibarq, Straße 30.")
    messages = [Message(f"i{n}", "tool", "tool", words) for n, words in enumerate(said)]
    sessions.merge(home, Session("claude:s1"), messages)
    index.sync(home)
    memory_md.refresh(home)
    with home.memory_md.open("a") as out:
        out.write("\n- lives in Zanzibarq, Straße 3.\n- Ada lives in Zanzibarq, Straße 3, since May.\n")
    daily = home.memory / "2026-02-01.md"
    daily.write_text("Nobody.\nShe still lives in\nZanzibarq, Straße 3 and\nis well.\n")
    number = home.memory_md.read_text().split("\n").index("- lives in Zanzibarq, Straße 3.") + 1
    seen = erase.preview(home, [erased])
    assert seen.notes[-1:] == [f"memory/MEMORY.md:{number}"]
    report = erase.erase(home, PERSON, [erased])
    assert [line for line in report.not_reached if line.endswith("holds the same words")] == [
        "note memory/2026-02-01.md:2 holds the same words",
        f"note memory/MEMORY.md:{number + 1} holds the same words",
        f"message claude:s1#{_messages(home)[said[0]]} holds the same words",
    ]
    assert report.not_reached == seen.not_reached
    assert "- [erased]\n- Ada lives in Zanzibarq" in home.memory_md.read_text()
    assert len(erase._capped(["x"] * 52, "note")) == 51


def test_messages_stay_unless_the_person_says_so(home: Home, talked: tuple[str, list[int]]) -> None:
    memory_id, ids = talked
    number = _messages(home)["I live in Zanzibarq, since Quagganth."]
    report = erase.erase(home, PERSON, [memory_id])
    assert sorted(_messages(home).values()) == ids
    assert "I live in Zanzibarq, since Quagganth." in _messages(home)
    assert report.messages == [f"claude:s1#{number}"]
    assert any("claude:s1" in line for line in report.not_reached)
    assert "memory_governance.sqlite3" not in found_in(home, *RARE)


def test_with_sources_the_messages_lose_their_text_and_keep_their_place(
    home: Home, talked: tuple[str, list[int]]
) -> None:
    memory_id, ids = talked
    number = _messages(home)["I live in Zanzibarq, since Quagganth."]
    report = erase.erase(home, PERSON, [memory_id], with_sources=True)
    assert found_in(home, *RARE) == []
    assert (report.messages, report.backlog) == ([f"claude:s1#{number}"], 0)
    assert list(_messages(home)) == ["Hello there.", "[erased]", "I have a tent."]
    assert sorted(_messages(home).values()) == ids
    assert verified(home) == []
    again = _merge(home)
    assert (again.new, again.updated, again.unchanged) == (0, 0, 3)
    assert list(_messages(home)) == ["Hello there.", "[erased]", "I have a tent."]
    assert index.rebuild(home).rows == 3
    assert found_in(home, *RARE) == []
    assert spoken.roles(home, ids)


def test_what_an_agent_attached_is_not_what_it_was_learned_from(home: Home, talked: tuple[str, list[int]]) -> None:
    memory_id, _ = talked
    everything = tuple(f"claude:s1#{number}" for number in _messages(home).values())
    agent = Actor("agent", "a")
    junk = remember.remember(
        home, agent, replace(BASE, content="Owns a zebra.", explicit=False), heard_in=everything
    ).memory
    quoting = remember.remember(
        home, agent, replace(BASE, content="I have a tent", explicit=False), heard_in=everything
    ).memory
    seen_again = remember.remember(home, agent, replace(BASE, content="Lives in Zanzibarq."), heard_in=everything)
    assert junk is not None
    assert quoting is not None
    assert seen_again.memory is not None
    assert seen_again.memory.id == memory_id
    said = "I live in Zanzibarq, since Quagganth."
    excerpts = "SELECT excerpt FROM memory_evidence WHERE memory_id = ? ORDER BY source_ref"
    before = sql(home, excerpts, memory_id)
    assert erase.preview(home, [junk.id], with_sources=True).messages == []
    erase.erase(home, PERSON, [junk.id], with_sources=True)
    assert sql(home, excerpts, memory_id) == before
    assert list(_messages(home)) == ["Hello there.", said, "I have a tent."]
    assert erase.erase(home, PERSON, [quoting.id], with_sources=True).messages == [everything[2]]
    assert list(_messages(home)) == ["Hello there.", said, "[erased]"]
    assert erase.erase(home, PERSON, [memory_id], with_sources=True).messages == [everything[1]]
    assert list(_messages(home)) == ["Hello there.", "[erased]"]
    assert verified(home) == []


def test_a_transcript_of_the_agent_is_named(home: Home, talked: tuple[str, list[int]], tmp_path: Path) -> None:
    from workbench.sessions import sources

    (name,) = [path.name for path in home.sessions.glob("*.jsonl")]
    state = sources.SourceState("/x/t.jsonl", 1, 1, "h", "claude", 1, 3, 3, 3, 0, 0, None, json.dumps([name]), 1)
    other = replace(state, path="/x/other.jsonl", files='["another.jsonl"]')
    sources.save(home, [(state, [], True), (other, [], True)])
    home.backups.mkdir()
    (home.backups / "old.sqlite3").write_bytes(b"x")
    lines = erase.preview(home, [talked[0]]).not_reached
    assert any("/x/t.jsonl" in line for line in lines)
    assert not any("/x/other.jsonl" in line for line in lines)
    assert any("old.sqlite3" in line for line in lines)


def test_a_vector_goes_and_does_not_come_back(home: Home, say: Say) -> None:
    np = pytest.importorskip("numpy")
    from workbench.index import memory_vectors
    from workbench.index import store as vectors

    class Fixed:
        model_id, dimension, remote = "fixed", 4, False

        def embed(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 4), np.float32)

    one, two = (say(f"Owns {thing}.").memory_id or "" for thing in ("zanzibarq", "a tent"))
    memory_vectors.sync(home, Fixed(), {one: "Owns zanzibarq.", two: "Owns a tent."})
    erase.erase(home, PERSON, [one])
    with vectors.reading(home) as connection:
        assert [row[0] for row in connection.execute("SELECT memory_id FROM memory_vectors")] == [two]


def test_a_reader_puts_off_the_emptying_of_the_log_and_it_is_said(
    home: Home, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_TIMEOUT_MS", 100)
    with store.reading(home) as connection:
        connection.execute("SELECT count(*) FROM memories").fetchone()
        assert erase.erase(home, PERSON, [told]).backlog == 1
    from workbench.operations import effects

    assert effects.drain(home) == 0
    assert found_in(home, *RARE) == []


def test_a_backup_of_before_does_not_bring_it_back(home: Home, told: str, tmp_path: Path) -> None:
    bundle.export(home, PERSON, tmp_path / "before.jsonl")
    erase.erase(home, PERSON, [told])
    bundle.import_own(home, PERSON, tmp_path / "before.jsonl", add_missing=True)
    assert found_in(home, *RARE) == []
    assert verified(home) == []


def test_a_backup_of_after_verifies_elsewhere(home: Home, told: str, say: Say, tmp_path: Path) -> None:
    erase.erase(home, PERSON, [told])
    bundle.export(home, PERSON, tmp_path / "after.jsonl")
    elsewhere = fresh_home(tmp_path / "elsewhere")
    assert bundle.import_own(elsewhere, PERSON, tmp_path / "after.jsonl").problems == []
    assert rows(elsewhere) == rows(home)
    assert found_in(elsewhere, *RARE) == []
    with store.writing(elsewhere) as connection:
        assert propose(Change(connection, DREAMER), gate.check(replace(BASE, content="Lives in Quagganth."))) == (
            Proposal("erased_before")
        )


def test_what_an_undo_removed_can_be_erased_from_the_history(home: Home, say: Say) -> None:
    memory_id = say("Lives in Zanzibarq.", actor=PERSON).memory_id or ""
    say("Has a tent.")
    rulings.undo(home, PERSON, memory_id=memory_id)
    with pytest.raises(NotFound):
        memories.show(home, memory_id)
    assert found_in(home, *RARE) != []
    seen = erase.preview(home, [memory_id[:20]])
    assert [(item.id, item.content) for item in seen.memories] == [(memory_id, "")]
    assert erase.erase(home, PERSON, [memory_id[:20]]).memory_ids == [memory_id]
    assert found_in(home, *RARE) == []
    assert verified(home) == []
    assert say("Lives in Zanzibarq.").outcome == "erased_before"
    assert erase.erase(home, PERSON, [memory_id]).memory_ids == []


def test_an_erased_quote_is_no_changed_evidence(home: Home, talked: tuple[str, list[int]], say: Say) -> None:
    said = "I live in Zanzibarq, since Quagganth."
    other = say("Has moved.", evidence=(session(_messages(home)[said], said),)).memory_id or ""
    erase.erase(home, PERSON, [talked[0]], with_sources=True)
    (row,) = sql(home, "SELECT id, source_type, source_ref, excerpt FROM memory_evidence WHERE memory_id = ?", other)
    evidence = dict(zip(("id", "source_type", "source_ref", "excerpt"), row, strict=True))
    scope = {"scope_type": "global", "scope_key": "", "created_by": "dreamer:rules"}
    assert evidence["excerpt"] == "[erased]"
    assert Sources(home).compare([{**evidence, **scope}]) == {row[0]: Finding.SAME}


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "accept", "reject", "correct", "undo", "erase", "request"]),
        st.integers(0, 30),
        st.sampled_from([*RARE[:4], "berlin"]),
        st.integers(1, 3),
    ),
    min_size=6,
    max_size=25,
)


@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(acts=ACTS, seed=st.integers(0, 5))
def test_whatever_came_before_all_of_it_goes_and_the_chain_holds(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, str, int]], seed: int
) -> None:
    """Any history, with erases in between; then everything that was ever said is erased, and no word is left."""
    home = fresh_home(tmp_path_factory.mktemp("any"))
    for number, (act, which, word, source) in enumerate(acts):
        with contextlib.suppress(WorkbenchError):
            _act(
                home,
                act,
                which,
                word,
                f"2026-02-{number + 1:02}",
                session(source, f"I live in {word}, number {source}."),
            )
    assert verified(home) == []
    gone = "SELECT memory_id FROM memory_events WHERE action = 'erased'"
    left = [
        row[0]
        for row in sql(
            home, f"SELECT DISTINCT memory_id FROM memory_events WHERE memory_id NOT NULL AND memory_id NOT IN ({gone})"
        )
    ]
    kept = left.pop(seed % len(left)) if left and seed else None
    if left:
        erase.erase(home, PERSON, left, count=len(left))
    assert verified(home) == []
    if kept:
        erase.erase(home, PERSON, [kept])
    assert verified(home) == []
    assert found_in(home, *RARE) == []
    assert {row["status"] for row in _all(home)} <= {"erased"}


def _act(home: Home, act: str, which: int, word: str, day: str, quote: Evidence) -> None:
    known = [row["id"] for row in _all(home)]
    if act == "say":
        candidate = replace(BASE, content=f"Lives in {word}.", fact_key="home", observed_at=day, evidence=(quote,))
        with store.writing(home) as connection:
            actor = (PERSON, DREAMER, Actor("agent", "a"))[which % 3]
            propose(Change(connection, actor), gate.check(replace(candidate, explicit=which % 2 == 0)))
    elif act == "undo":
        rulings.undo(home, PERSON)
    elif known:
        chosen = known[which % len(known)]
        if act == "erase":
            erase.erase(home, PERSON, [chosen])
        elif act == "request":
            rulings.ask(home, Actor("agent", "a"), "correct", chosen, content=f"Lives near {word}.")
        elif act == "correct":
            rulings.correct(home, PERSON, chosen, f"Lives near {word}.", confirm_locked=True)
        elif act == "reject":
            rulings.reject(home, PERSON, chosen, f"never lived in {word}")
        else:
            rulings.accept(home, PERSON, chosen, confirm_locked=True)
