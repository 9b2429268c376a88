"""The contract of the command line: help, exit codes, one-line errors, what is imported."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tests.cli.conftest import Run, claude_row, environment, write_transcript
from tests.homes import at_defaults, fresh_home
from workbench import text
from workbench.cli import COMMANDS, cli
from workbench.cli.context import HARNESSES
from workbench.home import Home
from workbench.operations import overview

HEAVY = ("datasette", "numpy", "pandas", "torch", "onnxruntime", "llm", "mcp", "uvicorn", "playwright")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_listed_help_is_the_commands_own(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.help or "").split("\n")[0] == COMMANDS[name][1]


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["status"],
        ["ingest", "PATH"],
        ["sources"],
        ["rebuild"],
        ["sessions", "list"],
        ["sessions", "search", "x"],
        ["memory", "list"],
        ["memory", "review"],
        ["memory", "dream"],
        ["memory", "refresh"],
        ["memory", "audit", "--verify"],
        ["up", "--no-serve"],
    ],
)
def test_no_command_imports_what_it_does_not_use(tmp_path: Path, transcript: Path, args: list[str]) -> None:
    code = (
        "import sys\nfrom workbench.cli import main\nsys.argv[0] = 'workbench'\n"
        f"try:\n    main()\nfinally:\n    print([n for n in {HEAVY!r} if n in sys.modules], file=sys.stderr)\n"
    )
    fresh_home(tmp_path / "home")
    named = [str(transcript) if arg == "PATH" else arg for arg in args]
    done = subprocess.run(
        [sys.executable, "-c", code, *named], env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # What was read and learned is embedded, where the model is there.
    # A database is made by sqlite-utils, which imports pandas where that is.
    used = {"numpy", "onnxruntime", "pandas"} if args[0] in ("up", "ingest", "rebuild") else set()
    assert set(ast.literal_eval(done.stderr.splitlines()[-1])) <= used


def test_help_imports_no_library_but_click(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom workbench.cli import main\nsys.argv = ['workbench', '--help']\n"
        "try:\n    main()\nfinally:\n    print([n for n in ('pydantic', 'sqlite_utils', 'orjson', 're2', 'sqlite3',"
        " 'detect_secrets') if n in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"


def bad_inputs(folder: Path) -> dict[str, list[str]]:
    """Name → arguments; the files they name are made here."""
    empty = folder / "empty"
    empty.mkdir()
    (folder / "text.jsonl").write_text("this is no JSON\nnor is this\n")
    (folder / "blank.jsonl").write_text("\n\n")
    (folder / "unknown.jsonl").write_text('{"silly": "this"}\n')
    (folder / "binary.jsonl").write_bytes(os.urandom(4096))
    (folder / "home-file").write_text("")
    return {
        "missing path": ["ingest", str(folder / "nowhere")],
        "empty folder": ["ingest", str(empty)],
        "not JSON": ["ingest", str(folder / "text.jsonl")],
        "blank": ["ingest", str(folder / "blank.jsonl")],
        "unknown format": ["ingest", str(folder / "unknown.jsonl")],
        "binary": ["ingest", str(folder / "binary.jsonl")],
        "a device": ["ingest", "/dev/null"],
        "source of up": ["up", "--no-serve", "--source", str(folder / "nowhere")],
        "profile": ["--profile", "../x", "status"],
        "home is a file": ["--home", str(folder / "home-file"), "status"],
        "home below a file": ["--home", str(folder / "home-file" / "x"), "status"],
        "unknown memory": ["memory", "show", "m_00"],
        "no memory id": ["memory", "show", "%"],
        "unknown session": ["sessions", "show", "nowhere"],
        "empty session": ["sessions", "show", ""],
        "nothing to undo": ["memory", "undo"],
        "no home: status": ["status"],
        "no home: mistyped": ["--home", str(folder / "mistyped"), "memory", "list"],
    }


NAMES = (
    *("missing path", "empty folder", "not JSON", "blank", "unknown format", "binary", "a device", "source of up"),
    *("profile", "home is a file", "home below a file", "unknown memory", "no memory id", "unknown session"),
    *("empty session", "nothing to undo", "no home: status", "no home: mistyped"),
)
NO_HOME = ("home", "no home", "profile")


@pytest.mark.parametrize("name", NAMES)
def test_bad_input_is_one_clear_line(run: Run, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    inputs = bad_inputs(folder)
    assert tuple(inputs) == NAMES
    if not name.startswith(NO_HOME):
        fresh_home(tmp_path / "home")
    done = run(*inputs[name], owner=True)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("workbench: ")
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr
    assert not (folder / "mistyped").exists()
    if name.startswith("home "):
        assert (
            done.stderr
            == f"workbench: {folder / 'home-file'} is a file, and a home is a folder; name another with --home\n"
        )


def test_a_fault_of_ours_is_one_line_too(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(home: Home) -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr(overview, "status", broken)
    fresh_home(tmp_path / "home")
    done = run("status")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "workbench: unexpected: KeyError: 'a\\nb'; please report it (WORKBENCH_DEBUG=1 shows where)"
    ]


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["memory", "list", "--status", "x"],
        ["memory", "list", "--kind", "x"],
        ["memory", "accept"],
        ["--nope"],
        ["up", "--no-serve", "--source", ""],
        ["ingest", ""],
    ],
)
def test_wrong_usage_is_exit_code_2(run: Run, args: list[str]) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["status", "--json"], "--json goes before the command: workbench --json status"),
        (["memory", "list", "--home", "x"], "--home goes before the command: workbench --home DIR memory list"),
        (["-q", "sessions", "show", "-q"], "-q goes before the command: workbench -q sessions show"),
        (["recall", "-x"], "No such option '-x'. Put -- before a text that begins with -."),
        (["status", "-x"], "No such option '-x'."),
    ],
)
def test_an_option_that_is_not_there_is_answered_with_what_to_do(run: Run, args: list[str], said: str) -> None:
    done = run(*args)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"Error: {said}")


def test_no_list_of_commands_cuts_a_sentence() -> None:
    groups = [name for name in COMMANDS if isinstance(cli.get_command(click.Context(cli), name), click.Group)]
    for name in groups:
        shown = CliRunner().invoke(cli, [name, "--help"], terminal_width=80).stdout
        assert "..." not in shown.partition("Commands:")[2], name
        assert all(len(line) <= 80 for line in shown.splitlines()), name
    assert {"sessions", "memory"} <= set(groups)


def test_open_without_a_server_is_exit_code_3(run: Run, tmp_path: Path) -> None:
    fresh_home(tmp_path / "home")
    (tmp_path / "home" / "serving").mkdir()
    (tmp_path / "home" / "serving" / "1.json").write_text('{"url": "http://127.0.0.1:1"}')
    done = run("open")
    assert done.returncode == 3
    assert "workbench serve" in done.stderr
    assert list((tmp_path / "home" / "serving").iterdir()) == []


def test_open_finds_the_server_that_still_runs(run: Run, tmp_path: Path) -> None:
    fresh_home(tmp_path / "home")
    serving = tmp_path / "home" / "serving"
    serving.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        alive = f"http://127.0.0.1:{listener.getsockname()[1]}"
        (serving / "1.json").write_text(json.dumps({"url": alive}))
        (serving / "2.json").write_text('{"url": "http://127.0.0.1:1"}')
        os.utime(serving / "1.json", ns=(0, 0))
        done = run("open", owner=True)
        others = [run("open", CLAUDECODE="1"), run("open")]
    assert done.returncode == 0
    assert done.stdout.startswith(f"{alive}/-/memory/sign-in#")
    assert [path.name for path in serving.iterdir()] == ["1.json"]
    for refused, why in zip(others, ("CLAUDECODE", "run this in a terminal"), strict=True):
        assert (refused.returncode, refused.stdout) == (1, "")
        assert why in refused.stderr and "sign-in#" not in refused.stderr


def test_serving_without_a_terminal_withholds_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves all the same, and says how the person gets the link."""
    home = fresh_home(tmp_path / "home")
    start = SimpleNamespace(load=lambda: lambda home, port, ready: ready(f"http://127.0.0.1:{port}/"))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [start])
    monkeypatch.delenv("WORKBENCH_ACT_AS", raising=False)

    def said(**env: str) -> tuple[str, str]:
        args = ["--home", str(home.root), "--json", "serve", "--port", "4711"]
        done = CliRunner().invoke(cli, args, env={**dict.fromkeys(HARNESSES), **env})
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["url"], done.stderr

    url, remark = said()
    assert url == "http://127.0.0.1:4711/"
    assert "run this in a terminal, or set WORKBENCH_ACT_AS=owner; then `workbench open` prints the link" in remark
    url, remark = said(CLAUDECODE="1")
    assert url == "http://127.0.0.1:4711/" and "CLAUDECODE" in remark
    assert said(WORKBENCH_ACT_AS="owner")[0].startswith("http://127.0.0.1:4711/-/memory/sign-in#")
    assert list(home.serving.iterdir()) == []


@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_a_lost_ledger_is_not_replaced_by_an_empty_one(run: Run, tmp_path: Path, transcript: Path, how: str) -> None:
    assert run("up", "--no-serve").returncode == 0
    ledger = tmp_path / "home" / "memory_governance.sqlite3"
    for path in ledger.parent.glob(ledger.name + "*"):
        path.unlink()
    if how == "emptied":
        ledger.touch()
    for args in (["up", "--no-serve"], ["status"], ["memory", "list"]):
        done = run(*args)
        assert done.returncode == 1
        assert "restore it from a backup" in done.stderr
    (tmp_path / "home" / "audit_head.json").unlink()
    assert run("up", "--no-serve").returncode == 0


def test_what_was_read_is_said_on_one_line(run: Run, tmp_path: Path) -> None:
    file = write_transcript(tmp_path / "one.jsonl", claude_row(0, "Hello there."))
    assert run("ingest", str(file)).stdout == "1 new message in 1 file\n"
    assert run("ingest", str(file)).stdout == "0 new messages in 1 file, 1 of them as before\n"
    write_transcript(
        tmp_path / "two.jsonl", claude_row(1, "Hello."), {"type": "system", "subtype": "x", "content": "", "uuid": "s1"}
    )
    (tmp_path / "two.jsonl").write_bytes((tmp_path / "two.jsonl").read_bytes() + b'{"type":\n')
    assert run("ingest", str(tmp_path / "two.jsonl")).stdout == (
        "1 new message in 1 file (left out: 1 entry without a message, 1 line that could not be read)\n"
    )
    assert "2 messages, 2 not learned from yet: `workbench memory dream` does\n" in run("status").stdout
    assert run("memory", "dream").returncode == 0
    assert "2 messages, all learned from\n" in run("status").stdout


def test_a_bad_file_among_good_ones_is_a_counted_skip(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    write_transcript(folder / "good.jsonl", claude_row(0, "Hello there."))
    (folder / "bad.jsonl").write_text("no JSON\n")
    done = run("--json", "ingest", str(folder))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["totals"]["messages"] == 1
    assert report["totals"]["errors"] == 1
    assert "bad.jsonl" in done.stderr


def test_a_setting_that_can_not_be_is_named_and_left_alone(run: Run, tmp_path: Path) -> None:
    fresh_home(tmp_path / "home")
    config = tmp_path / "home" / "config.json"
    config.write_text(text := json.dumps(at_defaults("memoryDreaming", {"autoFloor": "high"})))
    done = run("memory", "dream")
    assert done.returncode == 1
    assert 'memoryDreaming.autoFloor must be a number from 0 to 1, not "high"' in done.stderr
    assert config.read_text() == text


def test_the_floors_of_the_config_are_used(run: Run, tmp_path: Path, transcript: Path) -> None:
    fresh_home(tmp_path / "home")
    floors = at_defaults("memoryDreaming", {"autoFloor": 1, "reviewFloor": 0.99})
    (tmp_path / "home" / "config.json").write_text(json.dumps(floors))
    report = json.loads(run("--json", "up", "--no-serve").stdout)
    assert report["dream"]["activated"] == 0
    assert report["dream"]["dropped"] == report["dream"]["statements"] > 0


def test_control_characters_never_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    write_transcript(
        tmp_path / "x.jsonl", claude_row(0, "Hello \x1b[31m red \x1b[0m \u202egnp.exe\x07 I live in Berlin.")
    )
    assert run("ingest", str(tmp_path / "x.jsonl")).returncode == 0
    for args in (["sessions", "show", "s1"], ["sessions", "list"], ["sessions", "search", "red"]):
        output = run(*args).stdout
        assert "red" in output
        assert not [c for c in output if c in "\x1b\x07\u202e"], args


HOSTILE = "d\x1b[31mx\x07\x9b\u202e\u2028\ny"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["ingest", HOSTILE], 1),
        (["sessions", "show", HOSTILE], 1),
        (["sessions", "list", "--since", HOSTILE], 1),
        (["sessions", "get", "s1", HOSTILE], 1),
        (["memory", "show", HOSTILE], 1),
        (["get", HOSTILE], 1),
        (["sessions", "list", "--limit", HOSTILE], 2),
        (["sessions", "list", "--channel", HOSTILE], 0),
        (["--home", HOSTILE, "status"], 1),
        (["sessions", HOSTILE], 2),
        ([f"--{HOSTILE}"], 2),
    ],
)
def test_what_is_named_is_visible_in_what_is_said_of_it(run: Run, transcript: Path, args: list[str], code: int) -> None:
    run("ingest", str(transcript))
    done = run(*args)
    assert done.returncode == code
    assert done.stderr and not set(done.stderr) & set("\x1b\x07\x9b\u202e\u2028")
    assert "\\\\" not in done.stderr, "nothing is escaped twice"
    assert len(done.stderr.splitlines()) == (4 if code == 2 else 1)


def test_json_holds_nothing_that_acts_on_a_terminal(tmp_path: Path, run: Run, ask: Callable[..., Any]) -> None:
    said = "a \x7f\x85\x9b\u2028\u2029\u202e\u200b\U000e0041 数据 é 🎉 zebra"
    run("ingest", str(write_transcript(tmp_path / "s.jsonl", claude_row(0, said))))
    document = run("--json", "sessions", "show", "s1").stdout
    assert text.visible(document) == document and "数据 é 🎉" in document
    assert ask("sessions", "show", "s1")["messages"][0]["content"] == said
