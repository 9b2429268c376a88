"""Lists, explanations and the agents' commands as a user sees them: what fits the terminal, what is JSON."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import termios
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cli.conftest import Run, claude_row, environment, write_transcript
from tests.homes import fresh_home
from workbench import dates
from workbench.cli import cli, table
from workbench.cli.memory import phrases
from workbench.home import Home
from workbench.ledger.model import PERSON, Actor, Candidate, Evidence, Kind, RelationType, SourceType
from workbench.operations.models import RelationOut
from workbench.operations.remember import remember

Ask = Callable[..., Any]
CLAUDE = Actor("agent", "claude")
NASTY = "Uses \x1b[31mred\x1b[0m \u202eevil 数据库 " + "and a very long explanation of it " * 12


@pytest.fixture
def filled(tmp_path: Path) -> Home:
    """A home with the person's word, an agent's, and hostile text."""
    home = fresh_home(tmp_path / "home")
    for actor, content, fields in (
        (PERSON, "The database is Postgres.", {"fact_key": "project.database", "tags": ("db",)}),
        (PERSON, "Deploys go out on Fridays.", {"scope_type": "project", "scope_key": "/home/dana/projects/billing"}),
        (CLAUDE, "The cache is Redis.", {"source_agent": "claude"}),
        (CLAUDE, NASTY, {}),
    ):
        remember(home, actor, fact(content, **fields))
    return home


def fact(content: str, **fields: Any) -> Candidate:
    return Candidate(content, Kind.FACT, explicit=False, confidence=None, **fields)


def cells(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def listed(ask: Ask, *args: str) -> list[str]:
    return [item["content"] for item in ask("memory", "list", *args)["items"]]


@pytest.mark.parametrize("columns", ["80", "120", "60"])
def test_a_list_fits_the_terminal(run: Run, filled: Home, columns: str) -> None:
    for args in (["list", "-s", "all"], ["review", "--group"]):
        lines = run("memory", *args, COLUMNS=columns).stdout.splitlines()
        assert lines
        assert max(map(cells, lines)) <= int(columns)
        assert not [c for c in "".join(lines) if c in "\x1b\u202e"]


def test_a_line_of_a_list_names_its_memory(run: Run, ask: Ask, filled: Home) -> None:
    first, second = run("memory", "list").stdout.splitlines()
    assert first.split()[1:] == ["confirmed", "fact", "billing", "Deploys", "go", "out", "on", "Fridays."]
    assert second.split()[1:4] == ["confirmed", "fact", "global"]
    short = first.split()[0]
    assert len(short) == 10
    assert ask("memory", "show", short)["memory"]["content"] == "Deploys go out on Fridays."
    assert run("memory", "list", "-s", "needs_review").stdout.split()[1] == "waiting"


@pytest.mark.parametrize(
    ("args", "contents"),
    [
        ([], ["Deploys go out on Fridays.", "The database is Postgres."]),
        (["--key", "project.database"], ["The database is Postgres."]),
        (["--tag", "db"], ["The database is Postgres."]),
        (["--project", "/home/dana/projects/billing"], ["Deploys go out on Fridays."]),
        (["--scope-type", "global"], ["The database is Postgres."]),
        (["--agent", "claude", "-s", "all", "--search", "redis"], ["The cache is Redis."]),
        (["--waiting", "--search", "cache"], ["The cache is Redis."]),
        (["--reason", "sensitive"], []),
        (["--authority", "locked"], []),
        (["--core"], []),
        (["--until", "2020-01-01"], []),
        (["--since", "2020-01-01", "--limit", "1", "--offset", "1"], ["The database is Postgres."]),
        (["--as-of", "2020-01-01"], []),
        (["--as-of", "yesterday"], []),
        (["--as-of", "3m"], []),
        (["--as-of", "today"], ["Deploys go out on Fridays.", "The database is Postgres."]),
        (["--until", "last week"], []),
        (["--as-of", "2999-01-01"], ["Deploys go out on Fridays.", "The database is Postgres."]),
        (["--order", "trust"], ["The database is Postgres.", "Deploys go out on Fridays."]),
    ],
)
def test_filters_of_the_list(ask: Ask, filled: Home, args: list[str], contents: list[str]) -> None:
    assert listed(ask, *args) == contents


def test_what_is_older_than_the_history_shown_is_said(run: Run, filled: Home) -> None:
    done = run("memory", "history", "--limit", "1")
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "there are older ones; --limit 2 shows more\n")
    assert run("memory", "history").stderr == ""


def test_paging_is_said(run: Run, filled: Home) -> None:
    assert run("memory", "list", "--limit", "1").stderr.strip() == "1 to 1 of 2; go on with --offset 1"
    assert run("memory", "list", "--offset", "1").stderr == ""
    assert run("memory", "list", "--core").stderr.startswith("nothing fits; without filters")
    assert run("memory", "list", "--offset", "9").stderr.strip() == "there are only 2; use a smaller --offset"
    assert "1 to 1 of 2" in run("memory", "review", "--limit", "1").stderr
    assert run("memory", "review", "--reason", "sensitive").stderr.strip() == "nothing waits for you"


@pytest.mark.parametrize(
    "args",
    [
        ["list", "--project", "/a", "--scope-key", "b"],
        ["list", "--order", "age"],
        ["list", "--reason", "boredom"],
        ["review", "--kind", "x"],
    ],
)
def test_wrong_filters_are_usage_errors(run: Run, filled: Home, args: list[str]) -> None:
    assert run("memory", *args).returncode == 2


def test_a_wrong_date_is_one_line(run: Run, filled: Home) -> None:
    done = run("memory", "list", "--since", "yesterdoy")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "2026-03-14" in done.stderr


def test_json_rows_carry_every_field_of_the_ledger(ask: Ask, filled: Home) -> None:
    fields = ask("memory", "list")["items"][0].keys()
    wanted = (
        "id content kind type tags tier scope_type scope_key fact_key authority status review_reason confidence"
        " confidence_source trust importance privacy valid_from valid_to expires_at observed_at created_at retired_at"
        " seq supersedes superseded_by created_by source_agent source_session source_message_ids batch_id fingerprint"
        " idempotency_key seen_count last_seen_at"
    )
    assert set(wanted.split()) <= set(fields)


def test_review_groups(ask: Ask, filled: Home) -> None:
    groups = ask("memory", "review", "--group")
    assert {(each["reason"], each["source"]): each["waiting"] for each in groups} == {
        ("unreviewed_autonomous_write", "claude"): 1,
        ("injection_flagged", "claude"): 1,
    }
    assert ask("memory", "review", "--source", "nobody")["items"] == []


def test_status_says_what_waits_and_who_wrote(run: Run, ask: Ask, filled: Home) -> None:
    found = ask("memory", "status")
    assert (found["stored"], found["in_force"], found["waiting"]) == (4, 2, 2)
    assert found["by_writer"] == {"agent": 2, "person": 2}
    said = run("memory", "status").stdout
    assert "4  memories stored, 2 of them in force" in said
    assert "written by agent (50%)" in said


def test_why_fits_80_columns_and_hides_nothing_dangerous(run: Run, ask: Ask, filled: Home) -> None:
    nasty, redis, _, database = (item["id"] for item in ask("memory", "list", "-s", "all")["items"])
    ask("memory", "correct", database, "The database is Postgres 16.", owner=True)
    assert run("link", redis, database, "--type", "depends_on").returncode == 0
    assert run("link", redis, "--resource", "file", "/srv/" + "long/" * 40).returncode == 0
    for memory_id in (nasty, redis, database):
        done = run("memory", "why", memory_id)
        assert done.returncode == 0, done.stderr
        assert max(map(cells, done.stdout.splitlines())) <= 80
        assert not [c for c in done.stdout if c in "\x1b\u202e"]
    said = run("memory", "why", database[:10]).stdout
    for words in ("in force", "[-Postgres.-]{+Postgres 16.+}", "is needed by m_", "Trust 0.95", "corrected by"):
        assert words in said
    assert "waits for you: An agent wrote it" in run("memory", "why", redis).stdout
    assert ask("memory", "why", redis)["links"][0]["resource_type"] == "file"


def test_agents_link_forget_and_leave_checkpoints(run: Run, ask: Ask, filled: Home) -> None:
    done = ask("checkpoint", "Moved billing.", "--item", "Billing uses Kafka.", "--item", "The cache is Redis.")
    assert [part["outcome"] for part in done["items"]] == ["created", "seen_again"]
    kafka, redis = (part["memory"]["id"] for part in done["items"])
    linked = ask("link", kafka, redis)
    assert (linked["changed"], linked["related"]["id"]) == (True, redis)
    refused = run("forget", redis, "--reason", "incorrect", "--agent", "codex")
    assert refused.returncode == 1
    assert "did not write it" in refused.stderr
    assert ask("forget", kafka, "--reason", "incorrect")["memory"]["status"] == "archived"
    database = ask("memory", "list", "--key", "project.database")["items"][0]["id"]
    refused = run("forget", database, "--reason", "superseded", "--by", redis)
    assert (refused.returncode, "workbench remember TEXT" in refused.stderr) == (1, True)
    assert ask("memory", "audit", "--verify")["ok"]


def test_only_the_person_unlinks(run: Run, ask: Ask, filled: Home) -> None:
    one, other, *_ = (item["id"] for item in ask("memory", "list", "-s", "all")["items"])
    ask("link", one, other)
    for variables in ({}, {"CLAUDECODE": "1"}):
        assert "only the person can unlink" in run("link", one, other, "--remove", **variables).stderr
    assert run("link", one, other, "--remove", owner=True).stdout.startswith("removed: ")
    assert ask("memory", "why", one)["relations"] == []


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["link", "m_1"], 2),
        (["link", "m_1", "m_2", "--resource", "file", "x"], 2),
        (["link", "m_1", "m_2", "--type", "supersedes"], 2),
        (["link", "m_1", "--resource", "memo", "x"], 2),
        (["link", "m_1", "m_2"], 1),
        (["forget", "m_1"], 2),
        (["forget", "m_1", "--reason", "incorrect"], 1),
        (["checkpoint", "x"], 2),
        (["checkpoint", "x", "--item", "y", "--project", "a", "--workspace", "b"], 2),
        (["checkpoint", "x", "--item", "The password is: " + "hunter2-Xk9!vQ"], 1),
    ],
)
def test_refusals_of_the_agents_commands(run: Run, filled: Home, args: list[str], code: int) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "size", "fitted"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 5, "abcd…"),
        ("数据库", 6, "数据库"),
        ("数据库", 5, "数据…"),
        ("数据库", 4, "数… "),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("", 3, "   "),
    ],
)
def test_text_is_fitted_to_cells(text: str, size: int, fitted: str) -> None:
    assert table.fit(text, size) == fitted
    assert table.cells(table.fit(text, size)) == size


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three four", ["  one two", "  three four"]),
        ("a" * 25, ["  " + "a" * 10, "  " + "a" * 10, "  " + "a" * 5]),
        ("ab " + "数" * 7, ["  ab", "  " + "数" * 5, "  " + "数" * 2]),
        ("", ["  "]),
    ],
)
def test_text_is_wrapped_at_words(text: str, lines: list[str]) -> None:
    assert list(table.wrap(text, 12, "  ")) == lines


def on_a_terminal(tmp_path: Path, *args: str, **extra: str) -> list[str]:
    """What ``workbench ARGS`` prints on a terminal of 80 columns, as the person."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    env = environment(tmp_path, **extra)
    command = [sys.executable, "-m", "workbench", *args]
    done = subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    # A terminal that nobody writes to any more is an error on Linux.
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    assert done.wait(60) == 0, said
    return said.decode().splitlines()


def test_every_line_fits_a_terminal_of_80_columns(run: Run, ask: Ask, filled: Home, tmp_path: Path) -> None:
    write_transcript(
        tmp_path / ".claude" / "projects" / "-home-dana-projects-a" / "s1.jsonl",
        claude_row(0, "My name is Dana and " + "this is a very long sentence about it " * 6),
    )
    assert run("up", "--no-serve").returncode == 0
    long = "The deployment of the billing service is described in a long text " * 4
    one, other, third = (remember(filled, PERSON, fact(long + name)).memory.id for name in ("one", "two", "three"))
    remember(filled, CLAUDE, fact("An agent said: " + long, evidence=(Evidence(SourceType.MANUAL, "cli", long),)))
    for args in (
        ["memory", "history"],
        ["memory", "review"],
        ["memory", "show", one],
        ["memory", "why", one],
        ["memory", "archive", one, other, third, "--count", "3"],
        ["memory", "undo"],
        ["link", one, other, "--type", "depends_on"],
        ["sessions", "list"],
    ):
        lines = on_a_terminal(tmp_path, *args)
        assert lines, args
        assert max(map(cells, lines)) <= 80, args
    piped = run("memory", "show", one).stdout.splitlines()
    assert piped[0] == (long + "one").strip()


def test_an_undo_says_each_memory_on_a_line_of_its_own(run: Run, filled: Home) -> None:
    ids = [remember(filled, PERSON, fact(f"Likes tea {n}; m_ is not an id.")).memory.id for n in range(3)]
    assert run("memory", "archive", *ids, "--count", "3", owner=True).returncode == 0
    lines = run("memory", "undo", owner=True).stdout.splitlines()
    said = [f"{memory_id} is active again: Likes tea {n}; m_ is not an id." for n, memory_id in enumerate(ids)]
    assert lines[0].startswith("undone: m_")
    assert sorted(line.removeprefix("undone:").strip() for line in lines) == sorted(said)


BEGUN, OVER, AHEAD = map(dates.local, ("2020-01-01T00:00Z", "2026-03-21T15:18:30Z", "2999-03-21T15:18:30Z"))


@pytest.fixture
def timed(home: Home) -> dict[str, str]:
    """Active memories by how they stand in time."""
    times: dict[str, dict[str, str]] = {
        "confirmed": {},
        "ended": {"valid_from": "2020-01-01T00:00Z", "valid_to": "2026-03-21T15:18:30Z"},
        "expired": {"valid_from": "2020-01-01T00:00Z", "expires_at": "2026-03-21T15:18:30Z"},
        "not yet": {"valid_from": "2999-03-21T15:18:30Z"},
    }
    return {name: remember(home, PERSON, fact(f"It is {name}.", **more)).memory.id for name, more in times.items()}


def test_what_is_not_in_force_is_marked(run: Run, timed: dict[str, str]) -> None:
    marks = {line.split("  ")[1].strip() for line in run("memory", "list").stdout.splitlines()}
    assert marks == {"confirmed", "ended", "expired", "not yet"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("confirmed", ["fact; in force", "holds "]),
        ("ended", [f"not in force: it ended {OVER}", f"holds from {BEGUN} to {OVER}"]),
        ("expired", [f"not in force: it expired {OVER}", f"expires {OVER}"]),
        ("not yet", [f"not in force: it begins {AHEAD}", f"holds from {AHEAD}"]),
    ],
)
def test_why_and_show_say_when_it_holds(run: Run, timed: dict[str, str], name: str, said: list[str]) -> None:
    why = run("memory", "why", timed[name], COLUMNS="200").stdout
    assert [part for part in said if part not in why] == []
    shown = " ".join(run("memory", "show", timed[name]).stdout.split())
    assert said[1] in shown
    assert (said[0] in shown) == (name != "confirmed")


@pytest.mark.parametrize("option", ["--as-of", "--since", "--until"])
def test_an_empty_date_is_refused(run: Run, filled: Home, option: str) -> None:
    done = run("memory", "list", option, "")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "is not a date" in done.stderr


def test_every_relation_has_words_for_both_ends() -> None:
    assert set(phrases.RELATIONS) == {each.value for each in RelationType}


@pytest.mark.parametrize(
    ("relation", "outgoing", "asks", "said"),
    [
        ("contradicts", True, None, "contradicts m_1"),
        ("contradicts", False, None, "is contradicted by m_1"),
        ("part_of", False, None, "has the part m_1"),
        ("derived_from", True, None, "is derived from m_1"),
        ("contradicts", True, "lock", "asks to lock m_1"),
        ("contradicts", False, "lock", "m_1 asks to lock it"),
        ("contradicts", False, "core", "m_1 asks to make it core"),
        ("contradicts", True, "rekey", "asks to give m_1 another key"),
    ],
)
def test_a_relation_in_words(relation: str, outgoing: bool, asks: str | None, said: str) -> None:
    other = {"other_id": "m_1", "other_content": "x", "other_status": "active"}
    assert phrases.related(RelationOut(type=relation, outgoing=outgoing, asks=asks, **other)) == said


def test_a_request_is_named_as_one(run: Run, ask: Ask, home: Home) -> None:
    target = remember(home, PERSON, fact("The database is Postgres.")).memory.id
    request = ask("memory", "lock", target, CLAUDECODE="1")["request"]["id"]
    for command in ("show", "why"):
        assert f"  {request} asks to lock it (needs_review): Lock: The" in run("memory", command, target).stdout
        assert f"  asks to lock {target} (active): The database" in run("memory", command, request).stdout
    said = run("memory", "review").stdout
    assert f"    asks to lock {target} (confirmed): The database is Postgres." in said
    assert "contradicts" not in said
    (relation,) = ask("memory", "show", target)["relations"]
    assert (relation["outgoing"], relation["asks"]) == (False, "lock")


def test_two_memories_in_conflict_are_no_requests(run: Run, ask: Ask, filled: Home) -> None:
    ids = [item["id"] for item in ask("memory", "list", "-s", "all")["items"]]
    assert run("link", ids[1], ids[3], "--type", "contradicts").returncode == 0
    assert f"    contradicts {ids[3]} (confirmed, in force): The database" in run("memory", "review").stdout
    assert f"  is contradicted by {ids[1]} (needs_review): The cache" in run("memory", "show", ids[3]).stdout


def test_what_was_found_says_why_line_by_line(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = "The database is Postgres, and it runs in the cellar."
    quoted = Evidence(SourceType.FILE, "/srv/README.md#L3", said, "2026-03-01T00:00Z")
    remember(home, PERSON, fact("The database is Postgres.", evidence=(quoted,), fact_key="database"))
    assert CliRunner().invoke(cli, ["--home", str(home.root), "-q", "recall", "database"]).output.splitlines()[1:] == [
        "    The database is Postgres.",
        "    - found by its key and its words (score 11.14)",
        "    - the user confirmed it",
        f"    - written in /srv/README.md#L3, {dates.local('2026-03-01T00:00Z')}:",
        "      The database is Postgres, and it runs in the cellar.",
    ]


@pytest.mark.parametrize("flags", [[], ["--helpful", "--unhelpful"], ["--unhelpful", "--helpful"]])
def test_feedback_says_one_thing(run: Run, filled: Home, flags: list[str]) -> None:
    done = run("memory", "feedback", "m_1", *flags, owner=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "say --helpful or --unhelpful" in done.stderr


def test_reading_says_what_is_wrong_and_not_too_much(run: Run, tmp_path: Path) -> None:
    """Rows by line and reason, twenty lines at most, no secret of a file name; a damaged archive fails the command."""
    secret = "ghp_" + "a1B2" * 9
    folder = tmp_path / "talks"
    talk = write_transcript(folder / "a.jsonl", claude_row(0, "I prefer tabs."))
    with talk.open("a") as file:
        file.write("{broken\n" * 7)
    for number in range(30):
        (folder / f"{number:02}-{secret}.jsonl").symlink_to(folder / "gone")
    done = run("ingest", str(folder))
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines)) == (0, 21)
    assert lines[-1] == "workbench: and 11 more; --json names all of them"
    assert "is a link to nothing" in lines[0] and "[secret: GitHub token]" in lines[0] and secret not in done.stderr
    report = json.loads(run("--json", "ingest", str(talk)).stdout)
    assert (report["bad"], report["errors"]) == ([], [])  # it is as it was
    with talk.open("a") as file:
        file.write("{broken\n")
    again = run("ingest", str(talk))
    assert f"{talk}: 1 line could not be read and were left out (line 9: not JSON" in again.stderr
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("b.jsonl", json.dumps(claude_row(0, "hi", sessionId=f"s-{secret}")) + "\n")
        archive.writestr("c.jsonl", "{}\n" * 9)
    data = (tmp_path / "e.zip").read_bytes()
    (tmp_path / "e.zip").write_bytes(data.replace(b"{}\n{}", b"{}\n{]"))
    damaged = run("ingest", str(tmp_path / "e.zip"))
    assert damaged.returncode == 1 and "1 new message in 1 file" in damaged.stdout
    assert f"c.jsonl in {tmp_path}/e.zip is damaged (its checksum is another one); download it again" in damaged.stderr
    for shown in (run("sessions", "list"), run("sessions", "show", "claude-code:s-"), run("sessions", "show", secret)):
        assert secret not in shown.stdout + shown.stderr and "[secret: GitHub token]" in shown.stdout + shown.stderr
