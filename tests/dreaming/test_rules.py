"""The extractor without a model, on sentences of three sets.

Set A was written with the rules and passes in full. Sets B and C were written after the rules of their time were
frozen, without a run, and are never tuned on: they stand with what was measured, see ``test_fresh_sentences``.
"""

import json
import re
import string
from pathlib import Path

import pytest

from workbench import guard
from workbench.dreaming import wordings
from workbench.dreaming.extract import Heard, Statement
from workbench.dreaming.rules import RulesExtractor
from workbench.dreaming.rules.english import ENGLISH
from workbench.ledger.model import Kind, Privacy
from workbench.text import fact_key

HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "workbench" / "sample" / "projects"


def load(name):
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def heard(text, number=7, role="user", project="/home/dana/projects/ledgerline"):
    return Heard(number, "cli:s", role, text, "2026-03-03T08:41:07Z", project)


def learned(text):
    return [
        {
            "content": s.content,
            "kind": s.kind.value,
            "explicit": s.explicit,
            "key": s.fact_key,
            "privacy": s.privacy.value,
            "scope": s.scope,
        }
        for s in RulesExtractor().extract([heard(text)])
    ]


def expected(case):
    plain = {"explicit": True, "key": None, "privacy": "normal", "scope": "global"}
    return [plain | statement for statement in case["expect"]]


@pytest.mark.parametrize("case", load("sentences_a.jsonl"), ids=lambda case: case["say"][:40])
def test_sentence(case):
    assert learned(case["say"]) == expected(case)


@pytest.mark.parametrize(("name", "right_lines", "junk_lines"), [("b", 66, 0), ("c", 70, 2)])
def test_fresh_sentences(name, right_lines, junk_lines):
    """Lines that are exactly right (content, kind, explicit, key, privacy and scope), and lines of pure junk.

    Set B, 80 lines, 45 with something to learn and 35 without. As first measured, before any change to the rules: 66
    lines right; of 38 statements 35 were right (precision 92 %); of the 48 to be found 35 were (recall 73 %); 1 of 35
    lines with nothing to learn gave junk (3 %). After the rules learned of reports, retractions and standing orders:
    66 lines; of 37 statements 34 (92 %); 34 of the 48 (71 %); no junk. One line of it is no longer right by intent,
    since an order keeps its "from now on". On the way its count with a pattern switched off, though no line of it,
    was used to find that too many labels before a colon ("setup:") were taken for names: so its second figures are
    not quite fresh.

    Set C, 84 lines, 41 with something to learn and 43 without, was written after those rules were frozen, without a
    run. As first measured: 70 lines right; of 40 statements 34 (precision 85 %); of the 46 to be found 34 (recall
    74 %); 2 of 43 lines with nothing to learn gave junk (5 %).

    A change that helps one of these sets by looking at it is not allowed; write a set D.
    """
    cases = load(f"sentences_{name}.jsonl")
    right = [case["say"] for case in cases if learned(case["say"]) == expected(case)]
    junk = [case["say"] for case in cases if not case["expect"] and learned(case["say"])]
    assert (len(right) >= right_lines, len(junk) <= junk_lines) == (True, True), (len(right), len(junk))


def test_the_sets_are_apart():
    a, b, c = ({case["say"].casefold() for case in load(f"sentences_{name}.jsonl")} for name in "abc")
    assert not a & b and not (a | b) & c
    assert len(b) >= 45 and len(c) >= 60
    assert (len(b) + len(c)) * 3 >= len(a | b | c) >= 120


def test_statements_are_sentences_that_stand_alone():
    for case in load("sentences_a.jsonl"):
        for statement in RulesExtractor().extract([heard(case["say"])]):
            assert re.fullmatch(r"[A-Z0-9].*[^.]\.", statement.content)
            assert not re.search(r"\b(?:I|me|my|I'm)\b", statement.content)
            assert statement.evidence == (7,)
            assert 0.8 <= statement.confidence <= 0.95 if statement.explicit else 0.55 <= statement.confidence < 0.8
            assert statement.fact_key is None or statement.fact_key == fact_key(statement.fact_key)


@pytest.mark.parametrize(
    "said",
    [
        "Do not remember this. My favourite colour is puce.",
        "My favourite colour is puce. Please don't save that.",
        "This is off the record. I prefer Vim for everything.",
        "Forget what I said. I live in Oslo.",
        "I use Windows. Forget it.",
        "Please forget it: I use Windows.",
        "Not true:\nI hate Go.",
        "The following is false. I live on Mars.",
        "I live in Oslo. I work at Saab. None of this is true.",
        "I live in Oslo. I work at Saab. That was a lie.",
        "I live in Oslo. I use Windows. Nice weather. I was only joking.",
        "I used to smoke. I use Bazaar. That was ten years ago.",
        "- I use Windows\n- just kidding",
        "Merk dir das nicht. I live in Oslo.",
        "不要记住这个。 I live in Oslo.",
    ],
)
def test_what_is_taken_back_or_off_the_record_teaches_nothing_and_bears_nothing_out(said):
    assert learned(said) == []
    sentences = {"puce", "Vim", "Oslo", "Windows", "Go.", "Mars", "Saab", "Bazaar"}
    assert not [line for line in wordings.meant_sentences(said) if any(word in line for word in sentences)]


@pytest.mark.parametrize(
    ("said", "contents"),
    [
        ("That's not true. I live in Oslo.", ["Lives in Oslo."]),
        ("Don't forget this: I live in Oslo.", ["Lives in Oslo."]),
        ("I use Windows. Just kidding. I live in Oslo.", ["Lives in Oslo."]),
        ("I left Saab. That was ten years ago. I live in Oslo.", ["Lives in Oslo."]),
        ("I always forget it. I live in Oslo.", ["Lives in Oslo."]),
        ("Ignore that error. I live in Oslo.", ["Lives in Oslo."]),
    ],
)
def test_what_only_sounds_like_taking_back_takes_nothing_back(said, contents):
    assert [statement["content"] for statement in learned(said)] == contents


def test_only_the_user_is_heard():
    assert RulesExtractor().extract([heard("I live in Berlin.", role="assistant")]) == []


def test_a_correction_follows_what_it_corrects():
    said = ["I live in Berlin.", "The staging server is on port 8080.", "Actually, I moved to Munich.",
            "Sorry, the staging server is on port 9090, not 8080."]  # fmt: skip
    found = RulesExtractor().extract([heard(text, number) for number, text in enumerate(said, 1)])
    assert [(s.fact_key, s.evidence) for s in found] == [
        ("profile.location", (1,)),
        ("environment.staging-server.port", (2,)),
        ("profile.location", (3,)),
        ("environment.staging-server.port", (4,)),
    ]


@pytest.mark.parametrize(
    "spellings",
    [
        [
            "I live in Berlin.",
            "By the way, I’m currently living in Berlin!",
            "hey, I live in Berlin, so no calls at night",
        ],
        ["I prefer tabs to spaces", "Remember that I prefer tabs over spaces.", "I still prefer tabs over spaces :)"],
        ["my editor is Zed", "I use Zed as my editor", "I've switched to Zed"],
        ["We decided to use Redis for the queue", "we've decided to go with Redis for the queue."],
    ],
)
def test_the_same_fact_reads_the_same(spellings):
    found = [RulesExtractor().extract([heard(text)]) for text in spellings]
    assert [len(statements) for statements in found] == [1] * len(spellings)
    assert len({(s[0].content, s[0].fact_key, s[0].kind) for s in found}) == 1


@pytest.mark.parametrize(
    ("said", "retracted"),
    [
        ("I use Docker for local development.", "I don't use Docker any more."),
        ("I've switched to Zed.", "I stopped using Zed."),
        ("I work at Volvo as an engineer", "I left Volvo last week."),
        ("I live in Berlin", "I no longer live in Berlin"),
        ("I'm vegan", "I'm not vegan anymore"),
        ("My manager is Henrike.", "Henrike is no longer my manager."),
        ("We use Jenkins.", "we stopped using Jenkins"),
    ],
)
def test_a_retraction_replaces_what_it_retracts(said, retracted):
    [first], [second] = ([*RulesExtractor().extract([heard(text)])] for text in (said, retracted))
    assert first.fact_key == second.fact_key is not None
    assert (second.kind, second.explicit, second.scope) == (Kind.CORRECTION, True, first.scope)


def test_two_tools_do_not_replace_one_another():
    found = RulesExtractor().extract([heard("I use Docker."), heard("I use Obsidian for notes.")])
    assert [s.fact_key for s in found] == ["uses.docker", "uses.obsidian"]


@pytest.mark.parametrize(
    "order",
    [
        "From now on use pnpm instead of npm.",
        "Going forward use sudo for everything",
        "In future skip the tests",
        "Use tabs from now on.",
        "Remember that you may push without asking",
        "Remember that you can deploy on your own",
        "Remember that you don't need to ask before committing",
        "Remember that I want you to use tabs",
        "never change the warehouse schema without asking me first",
        "Please don't use emojis in your answers",
        "Stop using emojis in your answers",
        "No emojis in your replies please",
    ],
)
def test_an_order_is_still_seen_for_one(order):
    [statement] = RulesExtractor().extract([heard(order)])
    assert statement.kind == Kind.CONSTRAINT and statement.explicit
    assert guard.inspect(statement.content).instruction


def test_outside_a_project_nothing_is_the_project_s():
    [statement] = RulesExtractor().extract([heard("We never deploy on Fridays.", project=None)])
    assert statement.scope == "global"


def test_a_long_message_is_read_at_its_edges():
    filler = "The quick brown fox jumps over the lazy dog again.\n"
    text = "I live in Berlin.\n" + filler * 300 + "I prefer tabs over spaces.\n" + filler * 300 + "I use fish.\n"
    assert [s["content"] for s in learned(text)] == ["Lives in Berlin.", "Uses fish as shell."]
    assert learned("```\n" + "x = 1\n" * 5_000 + "```\nI live in Berlin.")[0]["content"] == "Lives in Berlin."


@pytest.mark.parametrize(
    "unit",
    ["i ", "I prefer ", '"', "`", "' ", "(", ". ", "and I ", "I am A A ", "the a-", "I live in A, ", "My wife, Anna, ",
     "email:\n", "From now on ", "in this repo ", "sorry, ", "I no longer ", "no wait ", "Bob: ", ": I ", "that's ",
     "I do data ", "any more ", "I work at a as a ", "I prefer a over ", "all a a ", "well, ",
     "😂", "\u202e", "\ud800"],
)  # fmt: skip
def test_hostile_text_ends(unit):
    """A rule that backtracks without bound runs into the suite's time limit here."""
    text = unit * (262_144 // len(unit))
    wrapped = "\n".join(text[i : i + 590] for i in range(0, 19_000, 590))
    assert isinstance(RulesExtractor().extract([heard(text), heard(wrapped)]), list)


def test_every_rule_is_well_formed():
    tables = {rule for rules in ENGLISH.rules.values() for rule in rules}
    for rule in (*tables, *ENGLISH.habits, *ENGLISH.remembered, *ENGLISH.corrected, *ENGLISH.onward, *ENGLISH.ruled):
        slots = set(rule.pattern.groupindex)
        assert slots <= set(ENGLISH.clean), rule
        assert {name for _, name, _, _ in string.Formatter().parse(rule.content) if name} <= slots, rule
        assert 0.55 <= rule.confidence <= 0.95 and (rule.explicit == (rule.confidence >= 0.8)), rule


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def typed(path):
    """What a person typed in one transcript: not tools, harness, subagents or withdrawn branches."""
    kept = rows(path)
    on_branch = set()
    at = next(row["uuid"] for row in reversed(kept) if not row.get("isSidechain"))
    parents = {row["uuid"]: row.get("parentUuid") or row.get("logicalParentUuid") for row in kept if "uuid" in row}
    while at:
        on_branch.add(at)
        at = parents[at]
    for row in kept:
        if row["type"] != "user" or row["uuid"] not in on_branch or row.get("isMeta") or row.get("isCompactSummary"):
            continue
        content = row["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        if text:
            yield row, text


def sample_paths():
    paths = sorted(SAMPLE.glob("*/*.jsonl"))
    return sorted(paths, key=lambda path: next(row["timestamp"] for row in rows(path) if "timestamp" in row))


def sample_statements() -> list[Statement]:
    messages = [
        Heard(number, path.stem, "user", text, row["timestamp"], row["cwd"])
        for number, (path, row, text) in enumerate((p, row, text) for p in sample_paths() for row, text in typed(p))
    ]
    return RulesExtractor().extract(messages)


SAMPLE_STATEMENTS = """\
profile profile.name Name is Dana.
profile profile.employer Works at Quentlow as a backend engineer.
project project.name Project is called Ledgerline.
preference preference.indentation Prefers tabs over spaces.
preference? - Prefers an explicit error over a silent zero.
decision decision.billing-service Decided: PostgreSQL for the billing service.
environment environment.staging-server.port Staging server is on port 8080.
constraint - Constraint: never deploy on Fridays.
relationship relationship.manager.name Manager is called Priya.
profile profile.location Lives in Lisbon.
environment environment.editor Uses Neovim as editor.
profile profile.location Lives in Porto.
goal - Goal is to walk the whole coastal route before October.
fact - Allergic to bee stings.
preference preference.indentation Prefers spaces over tabs.
preference? - Usually writes the UI code at night.
correction environment.staging-server.port Correction: the staging server is on port 9090, not 8080.
constraint - Constraint: always ask before touching customer data.
environment environment.editor Uses Zed as editor.
temporal temporal.deadline Deadline is 12 May 2026.
decision decision.billing-service Decided: MariaDB for the billing service.
"""


def test_what_the_sample_teaches():
    found = sample_statements()
    lines = [f"{s.kind}{'' if s.explicit else '?'} {s.fact_key or '-'} {s.content}\n" for s in found]
    assert "".join(lines) == SAMPLE_STATEMENTS
    assert [s.content for s in found if s.privacy != Privacy.NORMAL] == ["Allergic to bee stings."]


def test_the_sample_holds_what_must_not_be_learned():
    """The traps are really there: the rules would take each of them if the person had said it."""
    whole = "".join(path.read_text(encoding="utf-8") for path in sample_paths())
    for trap in ("I live in Reykjavik", "I live in the subagent", "I work at the retry queue", "I hate short names"):
        assert trap in whole
    assert len({row["cwd"] for path in sample_paths() for row in rows(path) if "cwd" in row}) == 2
    assert all(20 <= len(rows(path)) <= 40 for path in sample_paths())
