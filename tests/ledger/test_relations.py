"""Relations and links, forgetting, checkpoints: what each writes, and what is refused without a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.ledger.conftest import column, rows
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import checkpoint, forget, lifecycle, read, relations, review, store, undo, write
from workbench.ledger.change import Change
from workbench.ledger.filters import IN_FORCE, Reader
from workbench.ledger.gate import SecretRefused
from workbench.ledger.model import PERSON, Actor, Candidate, Kind, Proposal, Type
from workbench.ledger.quota import QuotaExceeded
from workbench.ledger.write import Policy

Say = Callable[..., Proposal]
CLAUDE, CODEX = Actor("agent", "claude"), Actor("agent", "codex")
KEEP = Policy(agents_wait=False)


def act(home: Home, function: Callable[..., Any], *args: Any, actor: Actor = CLAUDE) -> Any:
    with store.writing(home) as connection:
        return function(Change(connection, actor), *args)


def actions(home: Home, memory_id: str) -> list[tuple[str, str]]:
    with store.reading(home) as connection:
        return [(event["action"], event["actor"]) for event in read.events(connection, memory_id)]


def holds(home: Home, memory_id: str, at: str) -> bool:
    with store.reading(home) as connection:
        return read.holds(connection, memory_id, at)


@pytest.fixture
def pair(say: Say) -> tuple[str, str]:
    """A memory that an agent was told, and one that the dreamer observed."""
    return say(actor=CLAUDE).memory_id or "", say("Has a cat.", kind=Kind.FACT).memory_id or ""


@pytest.fixture
def endorsed(home: Home, say: Say) -> str:
    """A memory the person confirmed, seen often enough that a conflict would show in its trust."""
    found = say("Uses Postgres.", fact_key="project.database", observed_at="2026-01-01").memory_id or ""
    for day in range(2, 6):
        say("Uses Postgres.", observed_at=f"2026-01-0{day}")
    act(home, review.accept, found, actor=PERSON)
    assert column(home, found, "trust", "authority") == (1.0, "confirmed")
    return found


@pytest.mark.parametrize("kind", relations.LINKABLE)
def test_each_type_is_written_once(home: Home, pair: tuple[str, str], kind: str) -> None:
    assert act(home, relations.link, *pair, kind) is True
    before = rows(home)
    assert act(home, relations.link, *pair, kind) is False
    assert rows(home) == before
    ((_, one, other, written, actor, _),) = before["memory_relations"]
    assert ((one, other), written, actor) == (pair, kind, "agent:claude")
    assert actions(home, pair[0])[0] == ("linked", "agent:claude")
    mirrored = kind in ("contradicts", "related_to")
    assert act(home, relations.link, *reversed(pair), kind) is not mirrored


@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        ("supersedes", WorkbenchError, "workbench forget"),
        ("likes", WorkbenchError, "not one of"),
        ("'; DROP TABLE memories --", WorkbenchError, "not one of"),
    ],
)
@pytest.mark.parametrize("actor", [CLAUDE, PERSON])
def test_only_known_types_are_written_by_hand(
    home: Home, pair: tuple[str, str], kind: str, error: type[Exception], said: str, actor: Actor
) -> None:
    before = rows(home)
    with pytest.raises(error, match=said):
        act(home, relations.link, *pair, kind, actor=actor)
    assert rows(home) == before


def test_a_relation_has_two_memories_that_exist(home: Home, pair: tuple[str, str]) -> None:
    with pytest.raises(WorkbenchError, match="itself"):
        act(home, relations.link, pair[0], pair[0], "supports")
    for named in ((pair[0], "m_00"), ("m_00", pair[0])):
        with pytest.raises(NotFound, match="m_00"):
            act(home, relations.link, *named, "supports")


def test_an_agents_contradiction_waits_and_the_other_side_stands(home: Home, pair: tuple[str, str]) -> None:
    asserting, challenged = pair
    assert act(home, relations.link, asserting, challenged, "contradicts") is True
    assert column(home, asserting, "status", "review_reason", "trust") == ("needs_review", "contradicts", 0.55)
    assert column(home, challenged, "status", "review_reason", "trust") == ("active", None, 0.55)
    assert actions(home, challenged)[0] == ("challenged", "agent:claude")
    act(home, review.reject, asserting, actor=PERSON)
    assert column(home, challenged, "trust") == (0.85,)


def test_another_s_statement_stays_in_force_with_a_badge(home: Home, pair: tuple[str, str]) -> None:
    """No agent takes out of force what it did not write itself."""
    mine, theirs = pair
    before = column(home, theirs, "updated_at")
    assert act(home, relations.link, theirs, mine, "contradicts") is True
    assert column(home, theirs, "status", "review_reason", "trust") == ("active", "contradicts", 0.55)
    assert column(home, mine, "status", "review_reason") == ("active", None)
    assert column(home, theirs, "updated_at") >= before
    act(home, review.accept, theirs, actor=PERSON)
    assert column(home, theirs, "status", "review_reason") == ("active", None)


def test_a_badge_that_is_there_stays(home: Home, pair: tuple[str, str]) -> None:
    with store.writing(home) as connection:
        change = Change(connection, Actor("system", "maintenance"))
        change.update("memories", pair[1], review_reason="spot_check")
        change.record("drawn", pair[1])
    act(home, relations.link, pair[1], pair[0], "contradicts")
    assert column(home, pair[1], "status", "review_reason") == ("active", "spot_check")


def test_what_the_person_endorsed_is_not_touched_by_a_contradiction(home: Home, say: Say, endorsed: str) -> None:
    newcomer = say("The database is MySQL.", actor=CLAUDE).memory_id or ""
    before = column(home, endorsed, "*")
    act(home, relations.link, newcomer, endorsed, "contradicts")
    assert column(home, endorsed, "*") == before
    assert actions(home, endorsed)[0] == ("challenged", "agent:claude")
    # And it still is when one of two conflicts is settled.
    other = say("The database is SQLite.", actor=CODEX).memory_id or ""
    act(home, relations.link, other, endorsed, "contradicts", actor=CODEX)
    act(home, review.reject, newcomer, actor=PERSON)
    assert column(home, endorsed, "*") == before


def test_no_agent_puts_the_persons_word_in_the_inbox(home: Home, pair: tuple[str, str], endorsed: str) -> None:
    before = rows(home)
    with pytest.raises(lifecycle.PersonOnly, match="other way round"):
        act(home, relations.link, endorsed, pair[0], "contradicts")
    assert rows(home) == before
    assert act(home, relations.link, endorsed, pair[0], "contradicts", actor=PERSON) is True
    assert column(home, endorsed, "status", "review_reason") == ("active", None)


def test_what_waits_already_keeps_its_reason(home: Home, say: Say, pair: tuple[str, str]) -> None:
    waiting = say("Always deploy on Fridays.", kind=Kind.CONSTRAINT, actor=CLAUDE).memory_id or ""
    assert column(home, waiting, "review_reason") == ("instruction",)
    act(home, relations.link, waiting, pair[0], "contradicts")
    assert column(home, waiting, "status", "review_reason") == ("needs_review", "instruction")


def test_only_what_is_in_use_contradicts(home: Home, pair: tuple[str, str]) -> None:
    act(home, review.reject, pair[1], actor=PERSON)
    for named in (pair, pair[::-1]):
        with pytest.raises(lifecycle.InvalidTransition, match="rejected"):
            act(home, relations.link, *named, "contradicts")
    assert act(home, relations.link, *pair, "related_to") is True


def test_a_link_is_undone_whole(home: Home, pair: tuple[str, str]) -> None:
    before = rows(home)
    act(home, relations.link, *pair, "contradicts")
    with store.writing(home) as connection:
        change_id = undo.last_change(connection, pair[0])
        undo.undo(Change(connection, PERSON, undoes=change_id), change_id)
    assert rows(home) == before


def test_the_person_takes_a_link_away(home: Home, pair: tuple[str, str]) -> None:
    act(home, relations.link, *pair, "contradicts")
    with pytest.raises(lifecycle.PersonOnly):
        act(home, relations.unlink, *pair, "contradicts")
    act(home, relations.unlink, *reversed(pair), "contradicts", actor=PERSON)
    assert rows(home)["memory_relations"] == []
    assert column(home, pair[1], "trust") == (0.85,)
    with pytest.raises(NotFound, match="not linked"):
        act(home, relations.unlink, *pair, "contradicts", actor=PERSON)
    with pytest.raises(WorkbenchError, match="by hand"):
        act(home, relations.unlink, *pair, "supersedes", actor=PERSON)


@pytest.mark.parametrize(
    "resource",
    [
        ("note", "MEMORY.md#L3-4", "promoted_to"),
        ("note", "2026-01-01.md#L1", "derived_from"),
        ("session", "claude-code:s1#7", "derived_from"),
        ("file", "/srv/a/README.md#L3-7", "references"),
        ("url", "https://example.org/a?b=1", "references"),
        ("git", "b48adbd", "references"),
        ("file", "x" * 2_048, "references"),
    ],
)
def test_resources_are_linked_once(home: Home, pair: tuple[str, str], resource: tuple[str, str, str]) -> None:
    assert act(home, relations.link_resource, pair[0], *resource) is True
    assert act(home, relations.link_resource, pair[0], *resource) is False
    ((_, memory_id, *written, _),) = rows(home)["resource_links"]
    assert (memory_id, tuple(written)) == (pair[0], resource)
    with pytest.raises(lifecycle.PersonOnly):
        act(home, relations.unlink_resource, pair[0], *resource)
    act(home, relations.unlink_resource, pair[0], *resource, actor=PERSON)
    assert rows(home)["resource_links"] == []
    with pytest.raises(NotFound):
        act(home, relations.unlink_resource, pair[0], *resource, actor=PERSON)


@pytest.mark.parametrize(
    ("resource", "error", "said"),
    [
        (("memo", "x", "references"), WorkbenchError, "not one of note"),
        (("note", "x", "supports"), WorkbenchError, "not one of derived_from"),
        (("note", "  ", "references"), WorkbenchError, "what it leads to"),
        (("file", "x" * 2_049, "references"), WorkbenchError, "at most 2,048"),
        (("file", "a\x1b[2Jb", "references"), WorkbenchError, "control"),
        (("file", "a\nb", "references"), WorkbenchError, "control"),
        (("file", "a\u202eb", "references"), WorkbenchError, "control"),
        (("url", "javascript:alert(1)", "references"), WorkbenchError, "https://"),
        (("url", "https://example.org/?t=ghp_" + "a1B2" * 9, "references"), SecretRefused, "credential"),
    ],
)
def test_a_resource_is_refused(
    home: Home, pair: tuple[str, str], resource: tuple[str, str, str], error: type[Exception], said: str
) -> None:
    before = rows(home)
    with pytest.raises(error, match=said):
        act(home, relations.link_resource, pair[0], *resource)
    assert rows(home) == before


# What an agent may see.


@pytest.mark.parametrize(
    ("scope", "reader", "seen"),
    [
        ({}, Reader("claude"), True),
        ({"scope_type": "project", "scope_key": "/a"}, Reader("claude", "/a"), True),
        ({"scope_type": "project", "scope_key": "/a"}, Reader("claude", "/b"), False),
        ({"scope_type": "project", "scope_key": "/a"}, Reader("claude"), False),
        ({"scope_type": "workspace", "scope_key": "w"}, Reader("claude", None, "w"), True),
        ({"scope_type": "agent", "scope_key": "claude"}, Reader("claude"), True),
        ({"scope_type": "agent", "scope_key": "codex"}, Reader("claude"), False),
    ],
)
def test_what_an_agent_may_not_see_is_not_there(
    home: Home, say: Say, scope: dict[str, Any], reader: Reader, seen: bool
) -> None:
    memory_id = say(**scope).memory_id or ""
    with store.reading(home) as connection:
        assert read.resolve(connection, memory_id[:12]) == memory_id
        if seen:
            assert read.resolve(connection, memory_id, reader) == memory_id
            return
        with pytest.raises(NotFound) as hidden:
            read.resolve(connection, memory_id, reader)
        nowhere = "m_" + "0" * 24
        with pytest.raises(NotFound) as missing:
            read.resolve(connection, nowhere, reader)
    assert str(hidden.value).replace(memory_id, nowhere) == str(missing.value)


# Forgetting.


@pytest.mark.parametrize("reason", ["incorrect", "expired", "irrelevant"])
def test_forgetting_archives_and_expiry_ends(home: Home, say: Say, reason: str) -> None:
    memory_id = say(observed_at="2026-01-05").memory_id or ""
    assert act(home, forget.forget, memory_id, reason) == "archived"
    status, valid_to, retired_at = column(home, memory_id, "status", "valid_to", "retired_at")
    assert (status, valid_to is not None) == ("archived", reason == "expired")
    assert valid_to in (None, retired_at)
    assert actions(home, memory_id)[0] == ("archived", "agent:claude")
    before = rows(home)
    assert act(home, forget.forget, memory_id, reason) == "archived"
    assert rows(home) == before


def test_what_begins_later_and_expires_now_held_for_no_moment(home: Home, say: Say) -> None:
    memory_id = say(valid_from="2999-01-01T00:00:00Z").memory_id or ""
    act(home, forget.forget, memory_id, "expired")
    assert column(home, memory_id, "valid_to") == column(home, memory_id, "valid_from")


def test_the_superseded_ends_where_its_successor_begins(home: Home, say: Say) -> None:
    older = say("Lives in Berlin.", observed_at="2026-01-05").memory_id or ""
    newer = say("Lives in Munich.", observed_at="2026-02-01").memory_id or ""
    assert act(home, forget.forget, older, "superseded", newer) == "superseded"
    assert column(home, older, "status", "superseded_by", "valid_to") == (
        "superseded",
        newer,
        *column(home, newer, "valid_from"),
    )
    assert column(home, newer, "supersedes") == (older,)
    ((_, one, other, kind, *_),) = rows(home)["memory_relations"]
    assert (one, other, kind) == (newer, older, "supersedes")
    # As of any instant the one or the other is in force: never both, never none.
    for day, held in (("2026-01-20", older), ("2026-01-31", older), ("2026-03-01", newer)):
        at = f"{day}T00:00:00.000000Z"
        assert [each for each in (older, newer) if holds(home, each, at)] == [held]


def successor(say: Say, name: str) -> tuple[str, str, str]:
    """(forgotten, successor, what is said) of a replacement that is no replacement."""
    old = say("Lives in Berlin.", observed_at="2026-02-01", fact_key="profile.home").memory_id or ""
    made: dict[str, dict[str, Any]] = {
        "waits": {"explicit": False, "actor": CLAUDE},
        "older": {"observed_at": "2026-01-01"},
        "elsewhere": {"scope_type": "project", "scope_key": "/a", "observed_at": "2026-03-01"},
        "another fact": {"fact_key": "profile.work", "observed_at": "2026-03-01"},
    }
    said = {
        "itself": "itself",
        "waits": "not in force",
        "older": "before",
        "elsewhere": "another fact or scope",
        "another fact": "another fact or scope",
    }
    new = old if name == "itself" else say("Lives in Munich.", **made[name]).memory_id or ""
    return old, new, said[name]


@pytest.mark.parametrize("name", ["itself", "waits", "older", "elsewhere", "another fact"])
def test_only_a_successor_replaces(home: Home, say: Say, name: str) -> None:
    old, new, said = successor(say, name)
    before = rows(home)
    with pytest.raises(WorkbenchError, match=said):
        act(home, forget.forget, old, "superseded", new)
    assert rows(home) == before


def test_a_guess_ends_nothing_that_was_observed(home: Home, say: Say) -> None:
    old = say("Lives in Berlin.", observed_at="2026-02-01").memory_id or ""
    guess = say("Lives in Munich.", observed_at="2026-03-01").memory_id or ""
    with store.writing(home) as connection:
        change = Change(connection, CLAUDE)
        change.update("memories", guess, authority="inferred")
        change.record("test", guess)
    with pytest.raises(WorkbenchError, match="a guess"):
        act(home, forget.forget, old, "superseded", guess)


def test_a_waiting_memory_was_never_in_force(home: Home, say: Say) -> None:
    """Retiring what the person never saw would give it a past in which it held."""
    waiting = say("Lives in Berlin.", actor=CLAUDE, explicit=False, observed_at="2026-01-05").memory_id or ""
    newer = say("Lives in Munich.", observed_at="2026-02-01").memory_id or ""
    with pytest.raises(WorkbenchError, match="not in force"):
        act(home, forget.forget, waiting, "superseded", newer)
    assert act(home, forget.forget, waiting, "incorrect") == "archived"
    assert not holds(home, waiting, "2026-01-20T00:00:00.000000Z")


@pytest.mark.parametrize(("reason", "by"), [("superseded", False), ("incorrect", True), ("bored", False)])
def test_a_reason_and_its_successor_belong_together(home: Home, pair: tuple[str, str], reason: str, by: bool) -> None:
    before = rows(home)
    with pytest.raises(WorkbenchError, match=r"successor|not one of"):
        act(home, forget.forget, pair[0], reason, pair[1] if by else None)
    assert rows(home) == before


@pytest.mark.parametrize("reason", ["incorrect", "superseded", "expired", "irrelevant"])
@pytest.mark.parametrize("authority", ["confirmed", "locked"])
def test_no_agent_forgets_what_the_person_endorsed(
    home: Home, say: Say, endorsed: str, reason: str, authority: str
) -> None:
    with store.writing(home) as connection:
        change = Change(connection, PERSON)
        change.update("memories", endorsed, authority=authority)
        change.record("test", endorsed)
    newer = say("Uses MySQL.", observed_at="2026-05-01").memory_id or ""
    before = rows(home)
    with pytest.raises(lifecycle.PersonOnly, match=r"workbench remember TEXT --key project\.database"):
        act(home, forget.forget, endorsed, reason, newer if reason == "superseded" else None)
    assert rows(home) == before


def test_an_agent_takes_back_its_own_proposal_and_no_other(home: Home, say: Say) -> None:
    waiting = say("Prefers tea.", actor=CLAUDE, explicit=False).memory_id or ""
    with pytest.raises(lifecycle.PersonOnly, match="did not write it"):
        act(home, forget.forget, waiting, "irrelevant", actor=CODEX)
    assert act(home, forget.forget, waiting, "irrelevant") == "archived"
    assert column(home, waiting, "review_reason") == (None,)


def test_what_is_over_is_not_forgotten(home: Home, pair: tuple[str, str]) -> None:
    act(home, review.reject, pair[0], actor=PERSON)
    with pytest.raises(lifecycle.InvalidTransition, match="rejected already"):
        act(home, forget.forget, pair[0], "irrelevant")


# Checkpoints.


def proposals(*items: str, **fields: Any) -> tuple[Candidate, list[Candidate]]:
    def made(content: str, kind: Kind, type_: Type) -> Candidate:
        return Candidate(content, kind, type=type_, explicit=False, confidence=None, **fields)

    return made("Moved billing to Postgres.", Kind.EVENT, Type.EPISODIC), [
        made(item, Kind.FACT, Type.SEMANTIC) for item in items
    ]


def keep(home: Home, *items: str, policy: Policy = KEEP, **fields: Any) -> checkpoint.Checkpoint:
    checked, parts = checkpoint.check(*proposals(*items, **fields))
    return act(home, checkpoint.write_all, checked, parts, policy)


def test_a_checkpoint_is_one_change(home: Home, say: Say) -> None:
    known = say("Billing runs on port 8080.", kind=Kind.FACT).memory_id or ""
    before = rows(home)
    done = keep(home, "Billing uses Postgres 16.", "Billing runs on port 8080.", "Billing uses Postgres 16!")
    assert [part.outcome for part in done.items] == ["created", "seen_again", "seen_again"]
    assert [part.memory_id for part in done.items][1] == known
    parts = {(row[1], row[2], row[3]) for row in rows(home)["memory_relations"]}
    assert parts == {(part.memory_id, done.episode.memory_id, "part_of") for part in done.items}
    assert column(home, done.episode.memory_id, "kind", "type", "authority") == ("event", "episodic", "observed")
    with store.writing(home) as connection:
        change_id = undo.last_change(connection)
        undo.undo(Change(connection, PERSON, undoes=change_id), change_id)
    assert rows(home) == before


def test_a_checkpoint_said_twice_adds_nothing(home: Home) -> None:
    first = keep(home, "Billing uses Postgres 16.")
    before = rows(home)
    again = keep(home, "Billing uses Postgres 16.")
    assert (again.episode.memory_id, again.episode.outcome) == (first.episode.memory_id, "seen_again")
    assert rows(home) == before


def test_a_checkpoint_is_named_with_its_items(home: Home) -> None:
    def kept(*items: str) -> list[str]:
        episode, parts = proposals(*items)
        return [
            part.outcome
            for part in act(home, checkpoint.write_all, *checkpoint.check(named(episode), parts), KEEP).items
        ]

    def named(episode: Candidate) -> Candidate:
        return replace(episode, idempotency_key="k")

    assert kept("Billing uses Postgres 16.", "Backups run at three.") == ["created", "created"]
    before = rows(home)
    assert kept("Billing uses Postgres 16.", "Backups run at three.") == ["repeated", "repeated"]
    for items in (("Billing uses MariaDB.",), ("Billing uses Postgres 16.", "Backups run at three.", "More.")):
        with pytest.raises(write.Conflict, match=r"the checkpoint m_.* has other items"):
            kept(*items)
    assert rows(home) == before


def test_an_agents_checkpoint_waits(home: Home) -> None:
    done = keep(home, "Billing uses Postgres 16.", policy=Policy())
    assert {part.status for part in (done.episode, *done.items)} == {"needs_review"}
    with store.reading(home) as connection:
        at = {"at": "2999-01-01T00:00:00.000000Z"}
        assert connection.execute(f"SELECT count(*) FROM memories m WHERE {IN_FORCE}", at).fetchone()[0] == 0


@pytest.mark.parametrize(
    ("items", "error", "said"),
    [
        ((), WorkbenchError, "1 to 20 items"),
        (tuple(f"Fact {number}." for number in range(21)), WorkbenchError, "this has 21"),
        (("Fine.", "The password is: " + "hunter2-Xk9!vQ"), SecretRefused, "item 2: .*nothing of the checkpoint"),
        (("Fine.", "  "), WorkbenchError, "item 2: .*empty"),
        (("x" * 4_001,), WorkbenchError, "item 1: .*4,000"),
    ],
)
def test_one_bad_item_refuses_all(home: Home, items: tuple[str, ...], error: type[Exception], said: str) -> None:
    before = rows(home)
    with pytest.raises(error, match=said):
        keep(home, *items)
    assert rows(home) == before


def test_a_full_inbox_leaves_nothing_half_done(home: Home) -> None:
    before = rows(home)
    with pytest.raises(QuotaExceeded):
        keep(home, "One.", "Two.", "Three.", policy=Policy(max_waiting=3))
    assert rows(home) == before


def test_what_was_ruled_wrong_is_left_out_and_a_wrong_episode_is_refused(home: Home, say: Say) -> None:
    wrong = say("Billing uses MySQL.", kind=Kind.FACT).memory_id or ""
    act(home, review.reject, wrong, actor=PERSON)
    done = keep(home, "Billing uses MySQL.", "Billing uses Postgres 16.")
    assert [part.outcome for part in done.items] == ["rejected_before", "created"]
    act(home, review.reject, done.episode.memory_id, actor=PERSON)
    before = rows(home)
    with pytest.raises(WorkbenchError, match="nothing of the checkpoint"):
        keep(home, "Billing has a new logo.")
    assert rows(home) == before
