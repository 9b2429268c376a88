"""Conversations as they are shown: credentials masked everywhere, whose words are searched."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cli.conftest import environment
from tests.commands import command
from tests.sessions.rows import KEY, SESSION, call, result, stored, take, user, write
from workbench import dates, db
from workbench.cli import cli
from workbench.home import Home
from workbench.ledger.model import PERSON, Actor
from workbench.operations import conversations, dream, evidence, lens, memories, recall, why
from workbench.sessions import index, store
from workbench.sessions.model import Message, Session

TOKEN = "ghp_" + "A1b2C3d4E5f6" * 3
MASKED = "[secret: GitHub token]"
TALK = [
    user("How tall is a giraffe?", "u1", cwd=f"/home/ada/{TOKEN}"),
    call("Bash", "a1", "u1"),
    result("a1", "zebra: command not found", "r1", "a1"),
    {"type": "custom-title", "customTitle": f"Use {TOKEN}", "sessionId": SESSION},
]


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    take(home, write(tmp_path / "s.jsonl", TALK))
    return home


def workbench(home: Home, *args: str) -> subprocess.CompletedProcess[str]:
    return command(environment(home.root.parent), "--home", str(home.root), *args)


def test_a_credential_in_title_and_project_is_masked(filled: Home) -> None:
    shown = conversations.show(filled, KEY).session
    (listed,) = conversations.list_sessions(filled).items
    for session in (shown, listed):
        assert (session.title, session.project) == (f"Use {MASKED}", f"/home/ada/{MASKED}")
    for args in (["sessions", "list"], ["sessions", "show", SESSION]):
        for output in (workbench(filled, *args), workbench(filled, "--json", *args)):
            assert MASKED in output.stdout and TOKEN not in output.stdout + output.stderr, args


def test_a_credential_is_masked_in_whatever_json_holds(filled: Home) -> None:
    hit, *_ = json.loads(workbench(filled, "--json", "sessions", "search", "giraffe").stdout)["results"]
    assert (hit["title"], hit["project"]) == (f"Use {MASKED}", f"/home/ada/{MASKED}")
    with db.write(filled.session_index, index.SCHEMA) as connection:
        connection.execute("UPDATE sessions SET source = ?", (f"/home/ada/{TOKEN}/s.jsonl",))
    for args in (["search", "giraffe"], ["scroll", KEY, hit["anchor_id"]], ["get", KEY], ["show", KEY], ["list"]):
        done = workbench(filled, "--json", "sessions", *args)
        assert done.returncode == 0 and TOKEN not in done.stdout, args


def test_ids_are_texts_in_json_and_taken_as_they_are_printed(filled: Home) -> None:
    (hit,) = json.loads(workbench(filled, "--json", "sessions", "search", "giraffe").stdout)["results"]
    first, *_ = json.loads(workbench(filled, "--json", "sessions", "show", KEY).stdout)["messages"]
    number = first["id"]
    assert number == hit["anchor_id"] == hit["context"][0]["id"] == str(stored(filled)[0]["id"])
    printed = workbench(filled, "sessions", "search", "giraffe").stdout.split()
    assert printed[:2] == [KEY, number]
    for named in (number, f"#{number}", "u1"):
        around = json.loads(workbench(filled, "--json", "sessions", "scroll", KEY, named).stdout)
        got = json.loads(workbench(filled, "--json", "sessions", "get", KEY, named).stdout)
        assert around["around_message_id"] == got["messages"][0]["id"] == number
    for act in ("scroll", "get"):
        for named in ("5", "9" * 30, "nope"):
            done = workbench(filled, "sessions", act, KEY, named)
            said = f"there is no message '{named}' in {KEY}; `workbench sessions show {KEY}` shows their ids"
            assert (done.returncode, done.stderr) == (1, f"workbench: {said}\n")


def test_calls_are_read_as_calls(filled: Home) -> None:
    assert '  → Bash({"path":"a.py"})' in workbench(filled, "sessions", "show", KEY).stdout.splitlines()


TOOLS: dict[tuple[str, ...], list[str]] = {
    ("list", "--tool", "bash"): ["key"],
    ("search", "giraffe", "--tool", "BASH"): ["user"],
    ("search", "zebra", "--tool", "Bash", "--role", "tool"): ["tool"],
    ("search", "zebra", "--tool", "Read", "--role", "tool"): [],
    ("list", "--tool", "Read"): [],
}


@pytest.mark.parametrize("args", TOOLS)
def test_a_tool_narrows_by_who_called_it(args: tuple[str, ...], filled: Home) -> None:
    with db.write(filled.session_index, index.SCHEMA) as connection:  # a result says the id of its call alone
        connection.execute("UPDATE messages SET name = NULL")
    done = workbench(filled, "--json", "sessions", *args)
    found = json.loads(done.stdout)
    assert [each.get("role", "key") for each in found.get("results", found.get("items"))] == TOOLS[args]
    assert done.stderr == ("" if TOOLS[args] else "no conversation of tool Read; there are: Bash\n")


UNKNOWN = {
    ("--channel", "CODEX", "--channel", "Claude-Code"): "no conversation of channel CODEX; there are: claude-code",
    ("--agent", "nobody"): "no conversation of agent nobody; there are: claude-code",
    ("--model", "gpt"): "no conversation of model gpt; there is none",
    ("--project", "zebra"): f"no conversation of project zebra; there are: /home/ada/{MASKED}",
    ("--channel", "CLAUDE-code", "--agent", "Claude Code", "--project", TOKEN.upper()): "",
    ("--session", SESSION[:9].upper()): "",
    ("--session", "nope"): "workbench: there is no conversation 'nope'; `workbench sessions list` shows them",
    ("--on", "2020"): "nothing found; try other words",
    (
        "--on",
        "2026-05-08T10:00",
    ): "workbench: '2026-05-08T10:00' is a moment; --on takes a day, a week, a month or a year",
    (
        "--since",
        "2026",
        "--until",
        "2020",
    ): "workbench: this time ends (2021-01-01 00:00) before it begins (2026-01-01 00:00)",
}


@pytest.mark.parametrize("args", UNKNOWN)
def test_what_a_filter_names_in_vain_is_said(args: tuple[str, ...], filled: Home) -> None:
    done = workbench(filled, "sessions", "search", "giraffe", *args)
    assert done.stderr.rstrip("\n") == UNKNOWN[args]
    assert bool(done.stdout) == (not UNKNOWN[args] or "Claude-Code" in args)


def test_a_filter_that_is_empty_is_a_slip(filled: Home) -> None:
    for option in ("--channel", "--agent", "--model", "--project", "--tool", "--since", "--until", "--on", "--session"):
        done = workbench(filled, "sessions", "search", "giraffe", option, " ")
        assert done.returncode == 2 and done.stderr.endswith("it is empty\n"), option


def test_a_query_without_words_says_so(filled: Home) -> None:
    for args in (["sessions", "search"], ["search"], ["recall"]):
        done = workbench(filled, *args, "?!")
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.splitlines()[0] == "nothing in this can be searched; give a word of it"


def test_times_are_those_of_the_person_and_json_those_of_the_source(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user("A giraffe.", "u1", timestamp="2026-03-01T23:30:00Z")]))
    shown = dates.local("2026-03-01T23:30:00Z")
    for args in (["search", "giraffe"], ["list"], ["show", KEY], ["get", KEY]):
        assert shown in workbench(home, "sessions", *args).stdout, args
        assert shown not in workbench(home, "--json", "sessions", *args).stdout


def test_a_long_key_moves_no_other_row_of_a_list(filled: Home) -> None:
    store.merge(filled, Session("x:" + "long" * 50), [Message("1", "user", "user", "Hello.")])
    index.sync(filled)
    first, second = workbench(filled, "sessions", "list").stdout.splitlines()
    assert first.endswith(f"{KEY}  Use {MASKED}")
    assert second.endswith(f"x:{'long' * 50}  Hello.")


def test_past_the_end_is_said(filled: Home) -> None:
    for args in (["list"], ["show", KEY]):
        done = workbench(filled, "sessions", *args, "--offset", "99")
        total = 1 if args == ["list"] else len(stored(filled))
        assert done.stderr == f"there are only {total}; use a smaller --offset\n"


ROLES = {
    ("giraffe",): 1,
    ("giraffe", "--role", "user"): 1,
    ("giraffe", "--role", "assistant"): 0,
    ("zebra",): 0,
    ("zebra", "--role", "tool"): 1,
    ("zebra", "--role", "all"): 1,
}


@pytest.mark.parametrize("args", ROLES)
def test_whose_words_are_searched(args: tuple[str, ...], filled: Home) -> None:
    found = json.loads(workbench(filled, "--json", "sessions", "search", *args).stdout)
    assert found["count"] == ROLES[args]


def test_more_results_than_there_can_be_are_refused(filled: Home) -> None:
    refused = workbench(filled, "sessions", "search", "giraffe", "--limit", "50")
    assert refused.returncode == 2 and "1<=x<=10" in refused.stderr


def test_what_is_marked_private_is_kept_and_not_shown(home: Home, tmp_path: Path) -> None:
    said = "I prefer tabs over spaces. <private>My locker is zebra-seven.</private> Mention giraffes?"
    take(home, write(tmp_path / "s.jsonl", [user(said, "u1")]))
    dream.dream(home)
    (item,) = memories.list_memories(home).items
    told = [
        conversations.show(home, KEY).model_dump_json(),
        conversations.list_sessions(home).model_dump_json(),
        *(str(conversations.search(home, word)) for word in ("giraffes", "locker", "tabs")),
        str(conversations.lookup(home, KEY)),
        why.why(home, item.id).model_dump_json(),
        recall.recall_memories(home, PERSON, "tabs").model_dump_json(),
        lens.compile_lens(home, Actor("agent", "codex")).payload,
    ]
    assert item.content == "Prefers tabs over spaces."
    assert not [one for one in told if "zebra" in one or "locker is" in one]
    assert sum("[private] Mention giraffes?" in one for one in told) >= 4
    assert said in next(home.sessions.glob("*.jsonl")).read_text()
    assert evidence.sweep(home) == evidence.Swept(checked=1), "what is masked in an excerpt is no change"


def test_a_line_is_that_of_the_file_whatever_else_is_in_it(home: Home, tmp_path: Path) -> None:
    said = [user("One giraffe.", "u1"), user("Two zebras.", "u2", "u1"), user("Three gnus.", "u3", "u2")]
    take(home, write(tmp_path / "s.jsonl", said))
    (path,) = home.sessions.glob("*.jsonl")
    head, one, two, three = path.read_text().splitlines()
    other = json.dumps(json.loads(two), indent=None, separators=(" , ", " : "))
    path.write_text("\n".join([head, "", "{broken", one, json.dumps({"id": 5}), "", other, three]) + "\n")
    assert index.sync(home).damaged == []
    lines = path.read_text().splitlines()

    def line_of(found: dict[str, Any]) -> str:
        return lines[found["line"] - 1]

    for word, line in (("giraffe", one), ("zebras", other), ("gnus", three)):
        (result,) = conversations.search(home, word)["results"]
        assert line_of(result) == line
        around = conversations.scroll(home, KEY, result["anchor_id"])["messages"]
        assert [line_of(message) for message in around] == [one, other, three]
    path.write_text("\n".join([head, one, three]) + "\n")
    assert [each["line"] for each in conversations.lookup(home, KEY, span=(0, 2))["messages"]] == [2, None, 3]


def test_a_long_prompt_finds_by_its_rare_words(home: Home, tmp_path: Path) -> None:
    talk = [user("The zanzibar ledger runs on MariaDB.", "u1"), *(user(f"About {n} gnus.", f"g{n}") for n in range(9))]
    take(home, write(tmp_path / "s.jsonl", talk))
    filler = " ".join(f"about gnus and {number}" for number in range(900))
    prompt = f"{filler} tell me all of the zanzibar ledger {filler}\nAnswer in one short sentence, please."
    assert "zanzibar" in conversations.search(home, prompt)["results"][0]["snippet"]


def test_the_agent_that_kept_a_conversation_is_no_channel(home: Home, tmp_path: Path) -> None:
    flowly = {"role": "user", "content": "A giraffe on Telegram.", "timestamp": "2026-03-01T09:00:00"}
    head = {"_type": "metadata", "key": "telegram:7", "created_at": "2026-03-01T09:00:00", "metadata": {}}
    take(home, write(tmp_path / ".flowly" / "sessions" / "telegram_7.jsonl", [head, flowly]))
    take(home, write(tmp_path / "s.jsonl", [user("A giraffe.", "u1")]))

    def kept(**chosen: Any) -> list[str]:
        wanted = conversations.wanted(**chosen)
        listed = [item.key for item in conversations.list_sessions(home, chosen=wanted).items]
        assert (
            sorted(hit["session_key"] for hit in conversations.search(home, "giraffe", 5, wanted)["results"]) == listed
        )
        return listed

    assert kept(agent="flowly") == kept(channels=["telegram"]) == ["telegram:7"]
    assert kept(agent="Claude Code") == kept(channels=["claude-code"]) == [KEY]
    assert kept(agent="telegram") == kept(channels=["flowly"]) == []
    # As in an index that was made before agents were in it.
    with db.write(home.session_index, index.SCHEMA) as connection:
        connection.execute("UPDATE sessions SET agent = NULL, file_size = -1")
    assert (index.sync(home).rows, kept(agent="flowly")) == (0, ["telegram:7"])
    asked = ["--home", str(home.root), "--json", "sessions", "list", "--agent", "flowly"]
    found = json.loads(CliRunner().invoke(cli, asked).stdout)
    assert [item["key"] for item in found["items"]] == ["telegram:7"]
