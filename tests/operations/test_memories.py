"""Looking at memories: lists with their filters, what explains one, how the ledger stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import claude_row, write_transcript
from workbench.home import Home
from workbench.ledger.model import PERSON
from workbench.operations import dream, memories, review, rulings, why
from workbench.operations.memories import list_memories
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest


@pytest.fixture
def learned(home: Home, tmp_path: Path) -> Home:
    """A home that has read a conversation: two facts of one key, one guess."""
    path = write_transcript(
        tmp_path / "s1.jsonl",
        claude_row(0, "Hi! I live in Berlin."),
        claude_row(1, "Noted. Your token is ghp_" + "a1B2" * 9, "assistant"),
        claude_row(2, "Actually, I moved to Munich."),
        claude_row(3, "Fine.", "assistant"),
        claude_row(4, "I think I prefer dark themes, I'm not sure."),
    )
    ingest(home, expand(path))
    dream.dream(home)
    return home


def named(home: Home, words: str) -> str:
    (found,) = [item.id for item in list_memories(home, status=None).items if words in item.content]
    return found


def test_why_tells_the_whole_story(learned: Home) -> None:
    berlin, munich = named(learned, "Berlin"), named(learned, "Munich")
    found = why.why(learned, munich[:12])
    assert (found.memory.id, found.in_force, found.waits) == (munich, True, None)
    (said,) = found.evidence
    assert (said.role, said.session_key, said.excerpt) == ("user", "claude-code:s1", "Actually, I moved to Munich.")
    assert said.before is not None and said.before.role == "assistant"
    assert "ghp_" not in said.before.content and "[secret" in said.before.content
    assert said.after is not None and said.after.content == "Fine."
    assert [(each.id, each.this, each.status) for each in found.versions] == [
        (munich, True, "active"),
        (berlin, False, "superseded"),
    ]
    assert found.versions[1].valid_to == found.versions[0].valid_from
    assert found.versions[1].superseded_by == munich
    assert [(each.type, each.outgoing, each.other_id) for each in found.relations] == [("supersedes", True, berlin)]
    assert found.trust == found.memory.trust == pytest.approx(sum(part.value for part in found.trust_parts))
    assert [(event.action, event.verified) for event in found.events] == [("created", True)]
    assert not why.why(learned, berlin).in_force


def test_why_says_why_it_waits_and_what_was_corrected(learned: Home) -> None:
    guess = named(learned, "dark themes")
    assert why.why(learned, guess).waits == review.REASONS[review.Reason(review.inbox(learned).items[0].reason)]
    rulings.correct(learned, PERSON, guess, "Prefers dark themes at night.")
    rulings.correct(learned, PERSON, guess, "Prefers light themes at night.")
    found = why.why(learned, guess)
    assert (found.waits, found.memory.authority) == (None, "confirmed")
    newest, oldest = found.revisions
    assert [(part.how, part.text.strip()) for part in newest.diff] == [
        ("same", "Prefers"),
        ("removed", "dark"),
        ("added", "light"),
        ("same", "themes at night."),
    ]
    assert (newest.content, oldest.actor, oldest.stands_for) == ("Prefers dark themes at night.", "person:owner", 1)
    assert [part.name for part in found.trust_parts if part.value == max(p.value for p in found.trust_parts)] == [
        "base"
    ]


def test_why_works_without_the_conversation(learned: Home) -> None:
    munich = named(learned, "Munich")
    learned.session_index.write_bytes(b"not a database")
    (said,) = why.why(learned, munich).evidence
    assert (said.excerpt, said.before, said.role) == ("Actually, I moved to Munich.", None, None)


@pytest.mark.parametrize(
    ("older", "newer", "changed"),
    [
        ("Lives in Berlin.", "Lives in Berlin.", []),
        ("", "New words", [("added", "New words")]),
        ("One two three", "One three", [("removed", "two ")]),
        ("住在柏林", "住在慕尼黑", [("removed", "柏林"), ("added", "慕尼黑")]),
        ("a\nb", "a b", [("removed", "a\n"), ("added", "a ")]),
    ],
)
def test_a_word_diff_rebuilds_both_wordings(older: str, newer: str, changed: list[tuple[str, str]]) -> None:
    diff = why.word_diff(older, newer)
    assert [(part.how, part.text) for part in diff if part.how != "same"] == changed
    assert "".join(part.text for part in diff if part.how != "added") == older
    assert "".join(part.text for part in diff if part.how != "removed") == newer


def test_the_inbox_is_filtered_and_paged(learned: Home) -> None:
    (waiting,) = review.inbox(learned).items
    assert waiting.evidence[0].excerpt.startswith("I think")
    assert review.inbox(learned, reason=waiting.reason, source="claude-code:s1", kind=waiting.memory.kind).total == 1
    for filters in ({"reason": "sensitive"}, {"source": "codex"}, {"kind": "skill"}, {"project": "/nowhere"}):
        assert review.inbox(learned, **filters).total == 0
    assert review.inbox(learned, limit=1, offset=1).items == []
    (group,) = review.groups(learned)
    assert (group.reason, group.source, group.waiting, group.oldest) == (
        *(waiting.reason, "claude-code:s1", 1, waiting.memory.id),
    )


def test_how_the_ledger_stands(learned: Home) -> None:
    found = memories.standing(learned)
    assert (found.stored, found.in_force, found.waiting) == (3, 1, 1)
    assert found.by_status == {"active": 1, "needs_review": 1, "superseded": 1}
    assert found.by_writer == {"dreamer": 3}
    assert found.oldest_waiting == memories.show(learned, named(learned, "dark")).memory.created_at
    assert found.maintenance.conjectures == 0


@pytest.mark.parametrize("read", [memories.standing, list_memories, review.inbox, review.groups])
def test_an_empty_ledger_has_nothing(home: Home, read: Callable[[Home], object]) -> None:
    found = read(home)
    counts = [getattr(found, name) for name in ("total", "stored", "waiting") if hasattr(found, name)]
    assert found == [] or set(counts) == {0}
