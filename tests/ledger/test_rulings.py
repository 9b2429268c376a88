"""The person's verdicts, and taking them back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.conftest import column, rows
from workbench.errors import NotFound, WorkbenchError
from workbench.home import Home
from workbench.ledger import lifecycle, store
from workbench.ledger.change import Change
from workbench.ledger.gate import SecretRefused
from workbench.ledger.model import DREAMER, PERSON, Actor, Privacy, Proposal, Status
from workbench.ledger.undo import LaterChange, last_change
from workbench.operations import memories, review, rulings

Say = Callable[..., Proposal]


def test_accept_confirms_and_replaces_the_holder(home: Home, say: Say) -> None:
    held = say(fact_key="profile.location", observed_at="2026-01-05")
    waiting = say(
        "Lives in Munich.", fact_key="profile.location", explicit=False, confidence=0.7, observed_at="2026-02-01"
    )
    ruling = rulings.accept(home, PERSON, waiting.memory_id or "")
    assert (ruling.memory.status, ruling.memory.authority, ruling.memory.review_reason) == ("active", "confirmed", None)
    assert (ruling.superseded, ruling.memory.supersedes) == ([held.memory_id], held.memory_id)
    assert column(home, held.memory_id, "status", "superseded_by", "valid_to") == (
        "superseded",
        waiting.memory_id,
        ruling.memory.valid_from,
    )
    assert ruling.memory.trust == 0.95
    assert review.inbox(home).total == 0


def test_reject_gives_the_holder_its_trust_back(home: Home, say: Say) -> None:
    held = say(fact_key="profile.location")
    waiting = say("Lives in Munich.", fact_key="profile.location", explicit=False, confidence=0.7)
    assert column(home, held.memory_id, "trust") == (pytest.approx(0.55),)
    assert rulings.reject(home, PERSON, waiting.memory_id or "").memory.status == "rejected"
    assert column(home, held.memory_id, "trust") == (pytest.approx(0.85),)


def test_correct_keeps_the_old_wording_as_a_revision(home: Home, say: Say) -> None:
    waiting = say(privacy=Privacy.SENSITIVE)
    ruling = rulings.correct(home, PERSON, waiting.memory_id or "", "Lives near Berlin.")
    assert (ruling.memory.content, ruling.memory.status) == ("Lives near Berlin.", "active")
    (revision,) = memories.show(home, waiting.memory_id or "").revisions
    assert (revision.content, revision.snapshot["status"]) == ("Lives in Berlin.", "needs_review")
    assert memories.list_memories(home, q="near").total == 1
    assert memories.list_memories(home, q="lives in berlin").items[0].content == "Lives near Berlin."


def test_a_correction_may_not_hold_a_credential(home: Home, say: Say) -> None:
    memory_id = say().memory_id or ""
    before = rows(home)
    with pytest.raises(SecretRefused):
        rulings.correct(home, PERSON, memory_id, "The password is: " + "hunter2-Xk9!vQ")
    assert rows(home) == before


def test_a_locked_holder_asks_once_more(home: Home, say: Say) -> None:
    held = say(fact_key="profile.location").memory_id or ""
    rulings.lock(home, PERSON, held)
    waiting = say("Lives in Munich.", fact_key="profile.location").memory_id or ""
    with pytest.raises(lifecycle.NeedsConfirmation, match="locked"):
        rulings.accept(home, PERSON, waiting)
    assert column(home, held, "status") == ("active",)
    assert rulings.accept(home, PERSON, waiting, confirm_locked=True).memory.authority == "confirmed"


@pytest.mark.parametrize("actor", [DREAMER, Actor("agent", "owner"), Actor("system", "maintenance")])
@pytest.mark.parametrize("act", ["accept", "reject", "correct", "undo"])
def test_only_the_person_rules(home: Home, say: Say, actor: Actor, act: str) -> None:
    memory_id = say().memory_id or ""
    before = rows(home)
    with pytest.raises(lifecycle.PersonOnly, match=f"not {actor}"):
        if act == "undo":
            rulings.undo(home, actor, memory_id=memory_id)
        elif act == "correct":
            rulings.correct(home, actor, memory_id, "x")
        else:
            getattr(rulings, act)(home, actor, memory_id)
    assert rows(home) == before


@pytest.mark.parametrize("before", list(Status))
@pytest.mark.parametrize("after", list(Status))
def test_the_lifecycle_is_the_table(before: Status, after: Status) -> None:
    allowed = after in lifecycle.ALLOWED[before] or after is Status.ERASED
    if before is after:
        assert lifecycle.check("m_1", before, after) is False
    elif allowed:
        assert lifecycle.check("m_1", before, after) is True
    else:
        with pytest.raises(lifecycle.InvalidTransition, match="m_1"):
            lifecycle.check("m_1", before, after)


def test_a_verdict_is_final(home: Home, say: Say) -> None:
    memory_id = say().memory_id or ""
    rulings.reject(home, PERSON, memory_id)
    with pytest.raises(lifecycle.InvalidTransition, match="undo"):
        rulings.accept(home, PERSON, memory_id)
    before = rows(home)
    assert rulings.reject(home, PERSON, memory_id).change_id is None
    assert rows(home) == before


@pytest.mark.parametrize("act", ["accept", "reject", "correct"])
def test_undo_is_exact(home: Home, say: Say, act: str) -> None:
    say(fact_key="profile.location", observed_at="2026-01-05")
    waiting = say("Lives in Munich.", fact_key="profile.location", explicit=False, confidence=0.7).memory_id or ""
    before = rows(home)
    text_before = home.memory_md.read_bytes() if home.memory_md.exists() else b""
    if act == "correct":
        rulings.correct(home, PERSON, waiting, "Lives in Munich, Bavaria.")
    else:
        getattr(rulings, act)(home, PERSON, waiting)
    assert rows(home) != before
    result = rulings.undo(home, PERSON)
    assert rows(home) == before
    assert waiting in result.memory_ids
    if text_before:
        assert home.memory_md.read_bytes() == text_before


def newest(home: Home) -> str:
    """The newest change that stands, whoever made it."""
    with store.reading(home) as connection:
        return last_change(connection)


def test_undoing_everything_leaves_an_empty_ledger(home: Home, say: Say) -> None:
    empty = rows(home)
    say(fact_key="profile.location")
    waiting = say("Lives in Munich.", fact_key="profile.location", explicit=False, confidence=0.7).memory_id or ""
    rulings.accept(home, PERSON, waiting)
    for _ in range(3):
        rulings.undo(home, PERSON, change_id=newest(home))
    assert rows(home) == empty
    with pytest.raises(NotFound, match="nothing to undo"):
        newest(home)
    assert memories.verify_audit(home).ok


@pytest.mark.parametrize("act", ["accept", "correct"])
def test_what_was_superseded_comes_back_by_undo_alone(home: Home, say: Say, act: str) -> None:
    old = say(fact_key="profile.location", observed_at="2026-01-05").memory_id or ""
    say("Lives in Munich.", fact_key="profile.location", observed_at="2026-02-05")
    before = rows(home)
    with pytest.raises(lifecycle.InvalidTransition, match="undo"):
        getattr(rulings, act)(home, PERSON, old, *(["x"] if act == "correct" else []))
    assert rows(home) == before


def test_a_wording_that_was_corrected_stays_wrong(home: Home, say: Say) -> None:
    memory_id = say("Likes coffee.").memory_id or ""
    rulings.correct(home, PERSON, memory_id, "Likes tea, never coffee.")
    assert say("Likes coffee.").outcome == "rejected_before"
    rulings.undo(home, PERSON, memory_id=memory_id)
    assert say("Likes coffee.").outcome == "seen_again"


def test_rejecting_a_double_does_not_silence_the_original(home: Home, say: Say) -> None:
    original = say("Likes tea.").memory_id or ""
    double = say("Likes green tea.", explicit=False, confidence=0.7).memory_id or ""
    rulings.correct(home, PERSON, original, "Likes green tea!")
    with pytest.raises(WorkbenchError, match=original):
        rulings.accept(home, PERSON, double)
    rulings.reject(home, PERSON, double)
    assert say("Likes green tea.").memory_id == original


def test_undo_names_what_is_in_the_way(home: Home, say: Say) -> None:
    wrong = say("Likes coffee.").memory_id or ""
    other = say("Likes tea.").memory_id or ""
    rejected = rulings.reject(home, PERSON, wrong)
    rulings.correct(home, PERSON, other, "Likes coffee.")
    with pytest.raises(LaterChange, match=other):
        rulings.undo(home, PERSON, change_id=rejected.change_id)


def test_undo_of_an_older_change_is_refused_while_a_later_one_stands_on_it(home: Home, say: Say) -> None:
    first = say(fact_key="profile.location").memory_id or ""
    accepted = rulings.accept(home, PERSON, first)
    corrected = rulings.correct(home, PERSON, first, "Lives in Potsdam.")
    before = rows(home)
    with pytest.raises(LaterChange, match=str(corrected.change_id)):
        rulings.undo(home, PERSON, change_id=accepted.change_id)
    assert rows(home) == before


@pytest.mark.parametrize("act", ["accept", "reject", "correct"])
def test_a_ruling_on_what_has_changed_meanwhile_is_refused(home: Home, say: Say, act: str) -> None:
    waiting = say(privacy=Privacy.SENSITIVE).memory_id or ""
    seen = memories.show(home, waiting).memory.updated_at
    arguments = ["Lives near Berlin."] if act == "correct" else []
    rulings.reject(home, PERSON, waiting)
    rulings.undo(home, PERSON)
    getattr(rulings, act)(home, PERSON, waiting, *arguments, expected=seen)
    before = rows(home)
    with pytest.raises(lifecycle.ChangedMeanwhile, match=rf"{act}.*person:owner"):
        rulings.reject(home, PERSON, waiting, expected=seen)
    assert rows(home) == before


def test_undo_says_what_became_of_what(home: Home, say: Say) -> None:
    waiting = say(explicit=False, confidence=0.7).memory_id or ""
    rulings.accept(home, PERSON, waiting)
    for became in ("needs_review again", "gone"):
        undone = rulings.undo(home, PERSON, memory_id=waiting)
        assert undone.message == f"undone: {waiting} is {became}: Lives in Berlin."
    rulings.undo(home, PERSON, change_id=undone.undone_by)
    assert column(home, waiting, "status") == ("needs_review",)


def test_an_overlong_reason_is_refused(home: Home, say: Say) -> None:
    memory_id = say().memory_id or ""
    with pytest.raises(WorkbenchError, match="501"):
        rulings.reject(home, PERSON, memory_id, "x" * 501)
    assert column(home, memory_id, "status") == ("active",)


def test_an_id_prefix_must_be_unique(home: Home, say: Say) -> None:
    first = say("Lives in Berlin.").memory_id or ""
    say("Prefers tabs over spaces.")
    assert memories.show(home, first[:12]).memory.id == first
    assert memories.show(home, first[2:12]).memory.id == first
    with pytest.raises(lifecycle.Ambiguous):
        memories.show(home, _shared_prefix(home))


def _shared_prefix(home: Home) -> str:
    """Add memories until two share a first digit."""
    with store.writing(home) as connection:
        from tests.ledger.conftest import BASE
        from workbench.ledger.gate import check
        from workbench.ledger.write import propose

        for number in range(20):
            propose(Change(connection, DREAMER), check(type(BASE)(f"Fact {number}.", BASE.kind, True, 0.9)))
    digits = [item.id[2] for item in memories.list_memories(home).items]
    return "m_" + next(d for d in digits if digits.count(d) > 1)


@pytest.mark.parametrize("wrong", ["", "m_", "%", "m_%", "*", "m_zz", "' OR 1=1 --", "m_" + "0" * 24])
def test_an_unknown_id_is_named(home: Home, say: Say, wrong: str) -> None:
    say()
    with pytest.raises(NotFound):
        memories.show(home, wrong)
    with pytest.raises(WorkbenchError):
        rulings.reject(home, PERSON, wrong)


@pytest.mark.parametrize(
    ("was", "content", "level"),
    [
        (Privacy.NORMAL, "Takes 50 mg sertraline daily.", "sensitive"),
        (Privacy.NORMAL, "Lives in Munich.", "normal"),
        (Privacy.SENSITIVE, "Lives in Munich.", "sensitive"),
        (Privacy.SECRET, "Takes 50 mg sertraline daily.", "secret"),
    ],
)
def test_a_new_wording_is_as_private_as_it_says(home: Home, say: Say, was: Privacy, content: str, level: str) -> None:
    memory_id = say(privacy=was).memory_id or ""
    assert rulings.correct(home, PERSON, memory_id, content).memory.privacy == level
    assert rulings.undo(home, PERSON).memory_ids == [memory_id]
    assert column(home, memory_id, "privacy") == (was,)
