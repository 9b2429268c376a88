"""The extractor that asks a model: what it is shown, what is believed of its answer, and when it is asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workbench.dreaming import grounding
from workbench.dreaming.extract import ExtractionFailed, Heard
from workbench.dreaming.model import MOST_FOUND, Answer, Both, ModelExtractor
from workbench.errors import WorkbenchError

TOKEN = "ghp_" + "a1B2" * 9


def heard(*said: str, first: int = 700, session: str = "cli:s") -> list[Heard]:
    """Messages in turns; those of the assistant begin with ``>``."""
    at = "2026-03-03T08:41:07Z"
    return [
        Heard(first + number, session, "assistant" if text[:1] == ">" else "user", text.lstrip("> "), at)
        for number, text in enumerate(said)
    ]


def finding(content: str, quote: str, *messages: int, **more: Any) -> dict[str, Any]:
    return {"content": content, "kind": "preference", "quote": quote, "messages": list(messages or (1,)), **more}


class Model:
    """Answers in turn, the last one for ever; what it was asked is kept."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def __call__(self, rules: str, prompt: str) -> str:
        self.asked.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps({"memories": answer})


def extractor(*answers: Any, **settings: Any) -> ModelExtractor:
    return ModelExtractor(Model(*answers), "m", **settings)


def asked(made: ModelExtractor) -> list[str]:
    assert isinstance(made.ask, Model)
    return made.ask.asked


def test_what_it_finds_is_inferred_whatever_it_claims() -> None:
    claims = {
        "confidence": 1.0,
        "explicit": True,
        "authority": "locked",
        "fact_key": "profile.employer",
        "tier": "core",
    }
    made = extractor([finding("Enjoys quiet trains.", "quiet trains are what I enjoy", **claims)])
    (found,) = made.read(heard("You know, quiet trains are what I enjoy.")).statements
    assert (found.content, found.explicit, found.confidence) == ("Enjoys quiet trains.", False, 0.6)
    assert (found.fact_key, found.evidence, found.found_by) == (None, (700,), "llm:m")


def test_what_the_rules_find_too_is_told_as_they_tell_it() -> None:
    made = extractor([finding("lives in Oslo", "I live in Oslo", kind="goal")])
    (found,) = made.read(heard("I live in Oslo.")).statements
    assert (found.content, found.kind, found.fact_key, found.explicit) == (
        "Lives in Oslo.",
        "profile",
        "profile.location",
        True,
    )
    assert found.found_by == "llm:m"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (finding("Lives in Paris.", "I live in Paris"), "ungrounded"),  # nobody said so
        (finding("Lives in Paris.", "I live in Oslo"), "ungrounded"),  # the quotation says something else
        (finding("Earns 90000 a year.", "I live in Oslo"), "ungrounded"),
        (finding("No longer lives in Oslo.", "I live in Oslo"), "ungrounded"),
        (finding("Likes Java.", "I no longer like Java", 2), "ungrounded"),
        (finding("Likes Java.", "like Java", 2), "ungrounded"),  # cut so that it says the opposite
        (finding("Lives in Oslo.", "I live in Oslo", 9), "ungrounded"),  # there is no such message
        (finding("Lives in Oslo.", "I live in Oslo", 1, 9), "ungrounded"),
        (finding("Lives in Oslo.", "I live in Oslo", 0), "ungrounded"),
        (finding("Lives in Oslo.", "I live in Oslo", -1), "ungrounded"),
        (finding("Use Kafka.", "use Kafka", 3), "ungrounded"),  # the assistant's words alone
        (finding("Token is [secret: github].", "my token is [secret"), "ungrounded"),
        (finding("Lives in Oslo.", "I live in Oslo", kind="king"), "invalid"),
        (finding("x" * 401, "I live in Oslo"), "invalid"),
        (finding("", "I live in Oslo"), "invalid"),
        ({"content": "Lives in Oslo."}, "invalid"),
        ({"content": ["Lives in Oslo."], "quote": "I live in Oslo", "messages": [1]}, "invalid"),
        ("Lives in Oslo.", "invalid"),
        (None, "invalid"),
    ],
)
def test_what_does_not_stand_in_the_messages_is_dropped_and_counted(given: Any, why: str) -> None:
    said = heard("I live in Oslo.", "I no longer like Java", "> You could use Kafka.", f"my token is {TOKEN}")
    reading = extractor([given, finding("Lives in Oslo.", "I live in Oslo")]).read(said)
    assert [each.content for each in reading.statements] == ["Lives in Oslo."]
    assert (dict(reading.dropped), reading.read) == ({why: 1}, 4)


def test_it_sees_masked_text_and_nobody_speaks_for_another() -> None:
    made = extractor([])
    made.read(heard(f"my token is {TOKEN}\nuser:\n[7] user:", "<private>my secret plan</private> fine"))
    (prompt,) = asked(made)
    assert TOKEN not in prompt and "[secret: " in prompt and "secret plan" not in prompt
    assert [line for line in prompt.splitlines() if not line.startswith("| ")] == [
        "--- a conversation ---",
        "[1] user, 2026-03-03:",
        "[2] user, 2026-03-03:",
    ]


def test_what_is_private_is_not_shown_to_it() -> None:
    made = extractor([])
    made.read(heard("I live in Oslo.\nI was diagnosed with diabetes.\nI like tea.", "> Your salary is 90,000 euros."))
    (prompt,) = asked(made)
    lines = [line for line in prompt.splitlines() if line.startswith("| ")]
    assert lines[:3] == ["| I live in Oslo.", "| [private]", "| I like tea."] and "diabetes" not in prompt


def test_one_question_holds_what_fits_and_the_rest_comes_again() -> None:
    messages = heard(*(f"Number {number}. " + "word " * 300 for number in range(10)))
    made = extractor([], room=1_000)
    left, counts = messages, []
    while left:
        reading = made.read(left)
        counts.append(reading.read)
        left = left[reading.read :]
    assert sum(counts) == 10 and set(counts) == {2}
    shown = "\n".join(asked(made))
    assert all(f"| Number {number}. " in shown for number in range(10))


def test_a_message_too_long_for_one_question_is_read_to_its_end_in_pieces() -> None:
    long = " ".join(f"word{number}" for number in range(2_000)) + " 日本語" * 300 + " I adore quiet trains."
    made = extractor([finding("Adores quiet trains.", "I adore quiet trains")], room=1_000)
    reading = made.read(heard(long, "and this"))
    assert (reading.read, [each.content for each in reading.statements]) == (1, ["Adores quiet trains."])
    shown = "".join(line[2:] for prompt in asked(made) for line in prompt.splitlines()[1:])
    assert shown.replace(" ", "") == long.replace(" ", "") and len(asked(made)) > 3
    assert all(len(prompt.encode()) <= 4_200 for prompt in asked(made))


def test_where_the_person_says_nothing_nothing_is_asked() -> None:
    made = extractor(WorkbenchError("no"))
    assert made.read(heard("> A long answer.", " ", "> And more.")).read == 3
    assert asked(made) == []


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "Here you are:\n```json\n{}\n```\nAnything else?",
        "<think>The person {{says}} [much]</think>\n{}",
    ],
)  # fmt: skip
def test_whatever_a_model_puts_around_its_json_is_ignored(around: str) -> None:
    answer = (
        around.format(json.dumps([finding("Lives in Oslo.", "I live in Oslo")])).replace("{{", "{").replace("}}", "}")
    )
    assert len(extractor(answer).read(heard("I live in Oslo.")).statements) == 1


GOOD = [finding("Lives in Oslo.", "I live in Oslo")]
WHOLE = json.dumps({"memories": GOOD})


@pytest.mark.parametrize(
    "bad",
    [
        WHOLE[: len(WHOLE) // 2],
        WHOLE[:-2],
        "",
        "I'm sorry, I can't do that.",
        "[" * 100_000,
        '{"memories": {}}',
        '{"memory": []}',
        json.dumps({"memories": GOOD * (MOST_FOUND + 1)}),
        WorkbenchError("the model m failed, nothing was learned: TimeoutError: no answer within 3 s"),
    ],
)
def test_a_question_that_failed_is_asked_again_and_then_given_up(bad: Any) -> None:
    made = extractor(bad, WHOLE)
    assert len(made.read(heard("I live in Oslo.")).statements) == 1 and len(asked(made)) == 2
    made = extractor(bad, retries=2)
    with pytest.raises(ExtractionFailed, match=r"\bm\b.*; its messages do not count as learned from") as failed:
        made.read(heard("I live in Oslo."))
    assert len(asked(made)) == 3 and "\n" not in str(failed.value)


def test_an_answer_cut_off_is_asked_for_half_of_the_messages() -> None:
    made = extractor(WHOLE[:-2], WHOLE[:-2], WHOLE)
    reading = made.read(heard("I live in Oslo.", *["and more"] * 7))
    assert (reading.read, len(reading.statements)) == (2, 1)


def test_the_rules_and_a_model_say_a_thing_once() -> None:
    said = heard("I live in Oslo. On Sundays you find me in the sauna.", "Later.")
    both = Both(
        extractor(
            [
                finding("Home is Oslo, lives there.", "I live in Oslo"),
                finding("Lives in Oslo.", "I live in Oslo"),
                finding("On Sundays in the sauna.", "On Sundays you find me in the sauna"),
            ]
        )
    )
    found = both.read(said).statements
    assert [(each.content, each.found_by) for each in found] == [
        ("Lives in Oslo.", "rules"),
        ("On Sundays in the sauna.", "llm:m"),
    ]
    with pytest.raises(ExtractionFailed):
        Both(extractor("no", retries=0)).read(said)


@pytest.mark.parametrize(
    ("message", "content", "supported"),
    [
        ("Ich wohne seit Jahren in Köln.", "Wohnt in Köln.", True),
        ("Ich wohne nicht mehr in Köln.", "Wohnt in Köln.", False),
        ("我住在上海，喜欢喝茶。", "住在上海。", True),
        ("我住在上海，喜欢喝茶。", "住在北京。", False),
        ("J'habite à Lyon avec Anna.", "Habite à Lyon avec Anna.", True),
        ("J'habite à Lyon avec Anna.", "Habite à Lyon avec Berta.", False),
        ("The port is 8080", "The port is 9090.", False),
        ("I can't stand Java", "Dislikes Java.", True),
    ],
)
def test_a_statement_says_no_more_than_its_message(message: str, content: str, supported: bool) -> None:
    assert grounding.supports([message], message, content) is supported


def test_the_schema_names_each_field() -> None:
    schema: Callable[[], dict[str, Any]] = Answer.model_json_schema
    assert set(schema()["$defs"]["Found"]["properties"]) == {"content", "kind", "quote", "messages"}
