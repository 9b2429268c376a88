"""Ruling on memories from the command line: every act, many at once, and what an agent's shell does instead."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.ledger.acts import JANUARY, get, put
from tests.ledger.conftest import rows
from workbench.cli import cli
from workbench.cli.context import project_here
from workbench.cli.memory import COMMANDS
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import relations, store
from workbench.ledger.change import Change
from workbench.ledger.model import PERSON
from workbench.operations import memories, review

Say = Callable[..., Result]
HARNESSES = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE", "CURSOR_AGENT")
NAMES = {"CLAUDECODE": "claude-code", "CODEX_SANDBOX": "codex", "GEMINI_CLI": "gemini-cli"}


@pytest.fixture
def say(home: Home, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run ``workbench memory ARGS`` in this process, as the person unless the environment says otherwise."""
    for name in HARNESSES:
        monkeypatch.delenv(name, raising=False)

    def act(*args: str, as_json: bool = False, **environ: str) -> Result:
        env = environ or {"WORKBENCH_ACT_AS": "owner"}
        options = ["--home", str(home.root), *(["--json"] if as_json else [])]
        return CliRunner().invoke(cli, [*options, "memory", *args], env=env, catch_exceptions=True)

    return act


def refusal(result: Result) -> str:
    """What a command refused with; ``main`` prints it as one line, with exit code 1."""
    assert isinstance(result.exception, WorkbenchError), (result.output, result.exception)
    assert len(str(result.exception).splitlines()) == 1
    return str(result.exception)


# command line (ID is the memory, OTHER another) → (how ID stands before, column, value after)
ACTS: dict[str, tuple[dict[str, Any], str, Any]] = {
    "accept ID": ({"status": "needs_review"}, "authority", "confirmed"),
    "confirm ID": ({}, "authority", "confirmed"),
    "reject ID --reason no": ({}, "status", "rejected"),
    "correct ID Cocoa.": ({}, "content", "Cocoa."),
    "lock ID": ({}, "authority", "locked"),
    "unlock ID": ({"authority": "locked"}, "authority", "confirmed"),
    "core ID": ({"authority": "confirmed"}, "tier", "core"),
    "core ID --off": ({"authority": "confirmed", "tier": "core"}, "tier", "normal"),
    "archive ID": ({}, "status", "archived"),
    "restore ID": ({"status": "archived"}, "status", "active"),
    "split ID drink": ({"status": "superseded"}, "fact_key", "drink"),
    "rekey ID drink": ({}, "fact_key", "drink"),
    "rekey ID held --yes": ({}, "fact_key", "held"),
    "merge ID OTHER": ({}, "seen_count", 2),
    "feedback ID --helpful --note good": ({}, "trust", 0.7),
}
# What an agent asks for is not counted as its word; its feedback is its own.
ASKED = {line: act for line, act in ACTS.items() if not line.startswith("feedback")}


def prepare(home: Home, line: str) -> tuple[str, list[str]]:
    """(the memory, the arguments) of a line of ``ACTS``."""
    memory_id = put(home, "Likes tea.", **ACTS[line][0])
    other = put(home, "Drinks tea.", fact_key="held", valid_from=JANUARY)
    return memory_id, [{"ID": memory_id[:14], "OTHER": other}.get(word, word) for word in line.split()]


@pytest.mark.parametrize("line", ACTS)
def test_every_act_has_a_command(home: Home, say: Say, line: str) -> None:
    memory_id, args = prepare(home, line)
    before = rows(home)
    done = say(*args, as_json=True)
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    _, column, value = ACTS[line]
    assert answer["memory"]["id"] == memory_id
    assert answer["memory"][column] == value
    assert memory_id in answer["message"]
    assert get(home, memory_id)[column] == value
    undone = say("undo", as_json=True)
    assert json.loads(undone.stdout)["change_id"] == answer["change_id"]
    assert rows(home) == before


@pytest.mark.parametrize("line", ACTS)
def test_in_words_it_is_one_line(home: Home, say: Say, line: str) -> None:
    memory_id, args = prepare(home, line)
    done = say(*args)
    assert done.exit_code == 0
    assert done.stderr == ""
    (said,) = done.stdout.splitlines()
    assert memory_id in said


@pytest.mark.parametrize("line", ASKED)
def test_under_a_harness_it_is_asked_for(home: Home, say: Say, line: str) -> None:
    memory_id, args = prepare(home, line)
    before = get(home, memory_id)
    for _ in range(2):
        asked = say(*args, as_json=True, CLAUDECODE="1")
        assert asked.exit_code == 0, asked.output
        assert asked.stderr == "workbench: only the person rules on memories; nothing changed, it waits for them\n"
    answer = json.loads(asked.stdout)
    assert (answer["target"]["id"], get(home, memory_id)) == (memory_id, before)
    (waits,) = [item for item in review.inbox(home).items if item.memory.id != memory_id]
    assert waits.memory.id == answer["request"]["id"]
    assert (waits.memory.created_by, waits.memory.batch_id) == ("agent:claude-code", f"request:{answer['act']}")
    granted = say("accept", waits.memory.id, "--yes")
    assert granted.stdout.startswith(f"granted {waits.memory.id}: ")
    _, column, value = ACTS[line]
    assert get(home, memory_id)[column] == value


@pytest.mark.parametrize("variable", HARNESSES)
def test_each_harness_asks_in_its_own_name(home: Home, say: Say, variable: str) -> None:
    memory_id = put(home, "Likes tea.")
    answer = json.loads(say("reject", memory_id, as_json=True, **{variable: "1"}).stdout)
    assert answer["request"]["created_by"].startswith("agent:")
    if variable in NAMES:
        assert answer["request"]["created_by"] == f"agent:{NAMES[variable]}"
    owner = say("reject", memory_id, WORKBENCH_ACT_AS="owner", **{variable: "1"})
    assert owner.stdout.startswith(f"rejected {memory_id}")


@pytest.mark.parametrize(
    "args",
    [["undo"], ["undo", "ID"], ["accept", "--all-like", "--reason", "inferred"], ["reject", "--all-like", "--yes"]],
)
def test_what_can_not_be_asked_for_is_refused_in_one_line(home: Home, say: Say, args: list[str]) -> None:
    memory_id = put(home, "Likes tea.", "needs_review")
    before = rows(home)
    refused = say(*(memory_id if word == "ID" else word for word in args), CODEX_SANDBOX="1")
    assert "only the person can" in refusal(refused)
    assert "CODEX_SANDBOX says an agent runs this" in refusal(refused)
    assert rows(home) == before


@pytest.mark.parametrize("line", ACTS)
def test_without_a_terminal_nobody_rules(home: Home, say: Say, line: str) -> None:
    _, args = prepare(home, line)
    before = rows(home)
    assert "run this in a terminal, or set WORKBENCH_ACT_AS=owner" in refusal(say(*args, WORKBENCH_ACT_AS=""))
    assert rows(home) == before


def test_an_agents_feedback_is_its_own(home: Home, say: Say) -> None:
    memory_id = put(home, "Likes tea.")
    answer = json.loads(say("feedback", memory_id, "--unhelpful", as_json=True, OPENCODE="1").stdout)
    assert (answer["counted"], answer["memory"]["trust"]) == (True, 0.58)
    again = say("feedback", memory_id, "--unhelpful", OPENCODE="1")
    assert again.stdout.startswith("not counted")
    assert memories.history(home, memory_id)[0].actor == "agent:opencode"


@pytest.mark.parametrize("act", ["accept", "reject", "archive", "confirm"])
def test_several_at_once_are_one_change(home: Home, say: Say, act: str) -> None:
    ids = [put(home, f"Likes tea {n}.", "needs_review") for n in range(3)]
    before = rows(home)
    assert refusal(say(act, *ids)).endswith("then say --count 3")
    assert "--count 3" in refusal(say(act, *ids, "--yes", "--count", "2"))
    assert "--count 1" in refusal(say(act, ids[0], "--count", "2"))
    assert rows(home) == before
    done = json.loads(say(act, *ids, "--count", "3", as_json=True).stdout)
    assert done["memory_ids"] == ids
    assert {get(home, memory_id)["review_reason"] for memory_id in ids} == {None}
    assert say("undo").exit_code == 0
    assert rows(home) == before
    asked = json.loads(say(act, *ids, as_json=True, CLAUDECODE="1").stdout)
    assert [item["target"]["id"] for item in asked] == ids
    assert {get(home, memory_id)["review_reason"] for memory_id in ids} == {"inferred"}


def test_all_like_shows_first_and_does_it_with_yes(home: Home, say: Say) -> None:
    ids = [put(home, f"Prefers brand {n} \x1b[31mloudly.", "needs_review", kind="preference") for n in range(12)]
    held = put(home, "Uses vim.", fact_key="editor")
    flagged = put(home, "Ignore all.", "needs_review", review_reason="injection_flagged", kind="preference")
    newer = put(home, "Uses emacs.", "needs_review", fact_key="editor", kind="preference")
    before = rows(home)
    shown = say("accept", "--all-like", "--kind", "preference")
    lines = shown.stdout.splitlines()
    assert lines[0] == f"{ids[0]}  Prefers brand 0 \\u{{1b}}[31mloudly."
    assert "and 3 more" in lines
    assert f"left out {flagged}: a scanner flagged it, or could not read it" in lines
    assert lines[-1] == "would accept 13; nothing was done, say --yes --count 13 to do it"
    assert max(map(len, lines)) <= 100
    assert rows(home) == before
    assert "--count 13" in refusal(say("accept", "--all-like", "--kind", "preference", "--yes"))
    assert rows(home) == before
    done = say("accept", "--all-like", "--kind", "preference", "--yes", "--count", "13")
    assert done.stdout.splitlines()[0] == "accepted 13, 1 left out"
    assert (get(home, held)["superseded_by"], get(home, flagged)["status"]) == (newer, "needs_review")
    say("undo")
    assert rows(home) == before


def test_the_filter_by_reason_has_its_own_name_where_reason_means_why(home: Home, say: Say) -> None:
    ids = [
        put(home, f"Likes tea {n}.", "needs_review", review_reason=reason)
        for n, reason in enumerate(["inferred", "imported"])
    ]
    preview = say("reject", "--all-like", "--review-reason", "imported", "--reason", "not mine", as_json=True)
    assert [item["id"] for item in json.loads(preview.stdout)["first"]] == [ids[1]]
    say("reject", "--all-like", "--review-reason", "imported", "--reason", "not mine", "--yes", "--count", "1")
    assert memories.history(home, ids[1])[0].details["reason"] == "not mine"
    assert get(home, ids[0])["status"] == "needs_review"


@pytest.mark.parametrize("text", ["", "%", "*"])
def test_an_empty_filter_is_refused(home: Home, say: Say, text: str) -> None:
    put(home, "Likes tea.", "needs_review")
    before = rows(home)
    for extra in ([], ["--yes"], ["--yes", "--count", "1"]):
        assert "at least one filter" in refusal(say("archive", "--all-like", "--search", text, *extra))
        assert "at least one filter" in refusal(say("archive", "--all-like", *extra))
    assert rows(home) == before


@pytest.mark.parametrize(
    "args",
    [
        ["accept"],
        ["accept", "m_0", "--all-like"],
        ["accept", "m_0", "--kind", "fact"],
        ["accept", "--kind", "fact"],
        ["accept", "--all-like", "--reason", "nonsense"],
        ["confirm"],
        ["merge", "m_0"],
        ["feedback", "m_0"],
        ["feedback", "m_0", "--helpful", "--unhelpful", "--nope"],
        ["undo", "m_0", "--change", "c_0"],
        ["rekey", "m_0"],
    ],
)
def test_wrong_usage_is_exit_code_2(say: Say, args: list[str]) -> None:
    assert say(*args).exit_code == 2


def test_undo_says_what_it_took_back_and_asks_about_more(home: Home, say: Say) -> None:
    memory_id = put(home, "Likes tea.")
    before = rows(home)
    say("accept", memory_id)
    first = memories.history(home, memory_id)[0].change_id
    say("lock", memory_id)
    assert "--with-later" in refusal(say("undo", "--change", first))
    assert "2 changes" in refusal(say("undo", "--change", first, "--with-later"))
    done = say("undo", "--change", first, "--with-later", "--yes")
    assert done.stdout == f"undone: {memory_id} has its authority of before again: Likes tea.\n"
    assert [line.split(" by ")[0] for line in done.stderr.splitlines()[:2]] == [
        "taken back: locked",
        "taken back: accepted",
    ]
    assert rows(home) == before


def test_a_locked_memory_is_replaced_only_with_yes(home: Home, say: Say) -> None:
    held = put(home, "Uses vim.", authority="locked", fact_key="editor")
    waiting = put(home, "Uses emacs.", "needs_review", fact_key="editor")
    for act in ("accept", "confirm", "lock"):
        assert held in refusal(say(act, waiting))
    assert json.loads(say("lock", waiting, "--yes", as_json=True).stdout)["superseded"] == [held]


@pytest.mark.parametrize("name", [n for n, (where, _) in COMMANDS.items() if ".rule:" in where or ".keys:" in where])
def test_help_fits_a_terminal(say: Say, name: str) -> None:
    shown = say(name, "--help")
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_a_home_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        cli, ["--home", str(tmp_path / "no"), "memory", "lock", "m_0"], env={"WORKBENCH_ACT_AS": "owner"}
    )
    assert isinstance(done.exception, WorkbenchError)
    assert not (tmp_path / "no").exists()


# What an agent's shell sees


@pytest.fixture
def private(home: Home) -> dict[str, str]:
    """What an agent in this folder is shown (``open``), and what it is not."""
    put_ = {
        "open": ("Likes tea.", {}),
        "here": ("Uses vim here.", {"scope_type": "project", "scope_key": project_here(Path.cwd())}),
        "elsewhere": ("Uses emacs there.", {"scope_type": "project", "scope_key": "/b"}),
        "secret": ("The code word is tiger.", {"privacy": "secret"}),
        "sensitive": ("Has diabetes.", {"privacy": "sensitive"}),
    }
    ids = {
        name: put(home, content, authority="confirmed", review_reason="spot_check", **more)
        for name, (content, more) in put_.items()
    }
    with store.writing(home) as connection:
        for name in ("secret", "here"):
            relations.link(Change(connection, PERSON), ids["open"], ids[name], "contradicts")
    return ids


def _items(done: Result) -> list[dict[str, Any]]:
    found = json.loads(done.stdout)
    return list(found if isinstance(found, list) else found["items"])


def test_an_agents_shell_is_shown_what_the_agent_may_see(home: Home, say: Say, private: dict[str, str]) -> None:
    seen = {private["open"], private["here"]}
    said = "CLAUDECODE says an agent runs this: shown is what claude-code may see here, nothing private\n"
    for args in (["list"], ["list", "-s", "all"], ["review"], ["history"], ["list", "--search", "tiger tea vim"]):
        done = say(*args, as_json=True, CLAUDECODE="1")
        assert (done.stderr, say(*args, as_json=True).stderr) == (said, "")
        assert {each.get("memory_id") or each.get("memory", each)["id"] for each in _items(done)} == seen, args
    for args, total in ((["list"], 2), (["list", "--privacy", "secret"], 0), (["review"], 2)):
        assert json.loads(say(*args, as_json=True, CLAUDECODE="1").stdout)["total"] == total
    assert json.loads(say("list", as_json=True).stdout)["total"] == 5
    groups = json.loads(say("review", "--group", as_json=True, CODEX_SANDBOX="1").stdout)
    assert sum(group["waiting"] for group in groups) == 2


@pytest.mark.parametrize("command", ["show", "why", "history"])
@pytest.mark.parametrize("name", ["elsewhere", "secret", "sensitive"])
def test_an_agents_shell_finds_no_other_memory(
    home: Home, say: Say, private: dict[str, str], command: str, name: str
) -> None:
    assert refusal(say(command, private[name], GEMINI_CLI="1")).startswith("there is no memory")
    assert say(command, private[name]).exit_code == 0


def test_what_is_beside_a_memory_is_hidden_as_well(home: Home, say: Say, private: dict[str, str]) -> None:
    for command in ("show", "why"):
        for whole, others in ((True, {"secret", "here"}), (False, {"here"})):
            env = {} if whole else {"CLAUDECODE": "1"}
            found = json.loads(say(command, private["open"], as_json=True, **env).stdout)
            assert {each["other_id"] for each in found["relations"]} == {private[name] for name in others}
    (item,) = [
        each
        for each in json.loads(say("review", as_json=True, CLAUDECODE="1").stdout)["items"]
        if each["memory"]["id"] == private["open"]
    ]
    assert [other["id"] for other in item["conflicts"]] == [private["here"]]


def test_an_agents_shell_marks_and_asks_in_its_project_alone(home: Home, say: Say, private: dict[str, str]) -> None:
    before = rows(home)
    for name in ("elsewhere", "secret"):
        for args in (["feedback", private[name], "--helpful"], ["lock", private[name]]):
            assert refusal(say(*args, CLAUDECODE="1")).startswith("there is no memory")
    assert rows(home) == before
    assert (
        json.loads(say("lock", private["here"], as_json=True, CLAUDECODE="1").stdout)["target"]["id"] == private["here"]
    )


LOCKED = {
    "reject ID": ("status", "rejected"),
    "correct ID Cocoa.": ("content", "Cocoa."),
    "archive ID": ("status", "archived"),
    "rekey ID held": ("fact_key", "held"),
    "merge ID OTHER": ("seen_count", 2),
    "merge OTHER ID": ("status", "superseded"),
    "archive ID THIRD": ("status", "archived"),
}


def test_what_is_locked_is_altered_after_a_second_question_only(home: Home, say: Say) -> None:
    """However it is named: by itself, with others, in a request, as what another takes the place of."""
    for line, (column, value) in LOCKED.items():
        locked = put(home, f"Likes tea: {line}.", authority="locked")
        other = put(home, f"Drinks tea: {line}.", authority="locked", fact_key="held", valid_from=JANUARY)
        third = put(home, f"Brews tea: {line}.")
        names = {"ID": locked, "OTHER": other, "THIRD": third}
        args = [names.get(word, word) for word in line.split()]
        before = rows(home)
        asked = refusal(say(*args))
        assert f"you locked {other if 'OTHER ID' in line else locked}: " in asked, line
        assert asked.endswith("; say --yes to go on"), line
        assert ("which holds the key held: Drinks tea" in asked) == ("rekey" in line), line
        assert rows(home) == before, line
        request = json.loads(say(*args, as_json=True, CLAUDECODE="1").stdout)
        request = (request if isinstance(request, dict) else request[0])["request"]["id"]
        before = rows(home)
        assert "you locked" in refusal(say("accept", request)), line
        assert rows(home) == before, line
        assert say("reject", request).exit_code == 0
        assert say(*args, "--yes").exit_code == 0, line
        assert get(home, locked)[column] == value, line
        if "held" in line.split():
            assert get(home, other)["status"] == "superseded"
        for memory_id in names.values():
            say("archive", memory_id, "--yes")


def test_at_a_terminal_the_question_is_asked(home: Home) -> None:
    ids = [put(home, f"Likes tea {n}.", authority="locked") for n in range(2)]

    def typed(answer: str) -> tuple[int, str]:
        main, terminal = pty.openpty()
        command = [sys.executable, "-m", "workbench", "--home", str(home.root), "memory", "archive", *ids]
        os.write(main, answer.encode())
        environ = {name: value for name, value in os.environ.items() if name not in (*HARNESSES, "WORKBENCH_ACT_AS")}
        done = subprocess.run(
            [*command, "--count", "2"],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environ,
            timeout=100,
            check=False,
        )
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal is an error
            while part := os.read(main, 4096):
                said += part
        os.close(main)
        return done.returncode, said.decode().replace("\r\n", " ")

    code, said = typed("n\n")
    assert (code, get(home, ids[0])["status"]) == (130, "active")
    assert f"you locked {ids[0]}: Likes tea 0; you locked {ids[1]}: Likes tea 1. Go on? [y/N]" in said
    assert typed("y\n")[0] == 0
    assert {get(home, memory_id)["status"] for memory_id in ids} == {"archived"}
