"""What went wrong for people who keep their conversations, part two: bytes, names and places of files, times, search,
several processes at once, and making the index again."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from tests.cli.conftest import environment
from tests.homes import fresh_home
from tests.sessions.rows import KEY, assistant, check_full_text, dump, said, stored, take, user, write
from tests.sessions.test_field_reports import WRITERS, Written, facts
from workbench import db, fts, kept
from workbench import home as homes
from workbench.errors import NotFound, SchemaMismatch
from workbench.home import Home
from workbench.operations import conversations, memories
from workbench.operations.dream import dream
from workbench.operations.home import migrate
from workbench.sessions import canonical, index, search, store
from workbench.sessions.discover import Source, expand, find
from workbench.sessions.filters import Filter
from workbench.sessions.importers import readable
from workbench.sessions.ingest import ingest
from workbench.sessions.model import Message, Session


def workbench(tmp_path: Path, *args: str | bytes, **extra: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a user whose folder is ``tmp_path``."""
    command = [sys.executable, "-m", "workbench", "--json", *args]
    env = environment(tmp_path, PYTHONPATH=str(Path.cwd()), **extra)
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, timeout=100, check=False)


# The same file with other line ends or a mark before its first byte, as Windows and some editors write it, that cannot
# be read, or is taken for another conversation.


@pytest.mark.parametrize("writer", WRITERS)
def test_line_ends_and_a_mark_at_the_start_change_nothing(
    writer: Callable[[list[str]], Written], home: Home, tmp_path: Path
) -> None:
    name, data = writer(["I prefer tabs.\nAnd dark themes.\n\nBye 😀 naïve", "And tea."])
    windows = data.replace(b"\n", b"\r\n")
    for number, variant in enumerate((data, windows, b"\xef\xbb\xbf" + data, b"\xef\xbb\xbf" + windows)):
        path = tmp_path / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_bytes(variant)
        report = take(home, path)
        if number:
            assert (report.new, report.updated, report.sources[0]["quarantined"]) == (0, 0, 0)
    assert [content for role, _, content in said(home) if role == "user"] == [
        "I prefer tabs.\nAnd dark themes.\n\nBye 😀 naïve", "And tea.",
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_in_wide_characters_is_read(encoding: str, home: Home, tmp_path: Path) -> None:
    """What a shell's redirection makes of a transcript on Windows: never silence, never half a conversation."""
    path = tmp_path / "redirected.jsonl"
    rows = [user("hello 漢字 😀", "u1"), user("bye", "u2")]
    path.write_bytes(dump(rows[:1]).decode().encode(encoding))
    chat = tmp_path / "chat.txt"
    chat.write_bytes("User: naïve\r\nAssistant: Yes.\r\n".encode(encoding))
    assert [(row["messages"], row["quarantined"]) for row in take(home, path, chat).sources] == [(1, 0), (2, 0)]
    assert take(home, path, chat).unchanged == 2
    path.write_bytes(dump(rows).decode().encode(encoding))
    assert take(home, path, chat).new == 1
    assert [content for _, _, content in said(home)] == ["hello 漢字 😀", "bye", "naïve", "Yes."]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_without_their_mark_are_named(encoding: str, home: Home, tmp_path: Path) -> None:
    """Alone and in a folder; what has no Latin letter, too. Nothing is read of them, nor half of it."""
    texts = {
        "rows.jsonl": dump([user("hello 漢字 😀", "u1")] * 3).decode(),
        "document.json": json.dumps({"mapping": {}}, indent=1),
        "chat.txt": "User: naïve\r\nAssistant: Yes.\r\n" * 4,
        "письмо.txt": "Привет, мир.\nДо свидания.\n",
    }
    files = [tmp_path / "t" / name for name in texts]
    (tmp_path / "t").mkdir()
    for file, text in zip(files, texts.values(), strict=True):
        file.write_bytes(text.encode(encoding))
    said_of = {
        f"{file} looks like {encoding[:6].upper()} text without its mark; save it as UTF-8; nothing was read"
        for file in files
    }
    good = write(tmp_path / "t" / "good.jsonl", [user("A giraffe.", "g")])
    assert set(take(home, good, *files).errors) == said_of
    assert set(ingest(home, expand(tmp_path / "t")).errors) == said_of
    assert [content for _, _, content in said(home)] == ["A giraffe."]


@pytest.mark.parametrize(
    "data", [b"\0" * 4096, b"{}\n" + b"\0" * 100, bytes(range(256)), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"]
)
def test_other_bytes_are_not_taken_for_wide_characters(data: bytes) -> None:
    assert readable.unmarked(data) is None


def test_bytes_that_are_no_text_are_said(home: Home, tmp_path: Path) -> None:
    path, chat = tmp_path / "s.jsonl", tmp_path / "chat.txt"
    path.write_bytes(dump([user("na?ve ?", "u1")]).replace(b"?", b"\xef"))
    chat.write_bytes(b"User: caf\xe9 \xef\xbf\xbd\nAssistant: Yes.\n")
    report = take(home, path, chat)
    assert report.remarks == [
        f"{path}: 2 characters not readable as UTF-8, shown as U+FFFD",
        f"{chat}: 1 character not readable as UTF-8, shown as U+FFFD",
    ]
    assert [content for _, _, content in said(home)] == ["na\ufffdve \ufffd", "caf\ufffd \ufffd", "Yes."]
    assert take(home, path, chat).remarks == []


# An emoji cut in two on its way: every answer fails from then on, for it stands in the history for ever.


def test_half_an_emoji_breaks_nothing(home: Home, tmp_path: Path) -> None:
    row = user("half \ud83d", "u\udc00", cwd="/home/\ud800")
    title = {"type": "custom-title", "customTitle": "title \ude00", "sessionId": KEY.partition(":")[2]}
    take(home, write(tmp_path / "s.jsonl", [row, title, assistant("whole 😀", "a1")]))
    for line in store.path_of(home, KEY).read_bytes().splitlines():
        assert json.loads(line.decode("utf-8"))
    shown = conversations.show(home, KEY).model_dump_json().encode()
    assert json.loads(shown)["session"]["title"] == "title \ufffd"
    assert [content for _, _, content in said(home)] == ["half \ufffd", "whole 😀"]
    take(home, write(tmp_path / "s.jsonl", [row, title, assistant("whole 😀", "a1"), user("more", "u2")]))
    assert (len(stored(home)), dream(home).messages) == (3, 3)


def test_half_an_emoji_in_a_question_breaks_no_answer(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user("whole 😀", "u1")]))
    answer = conversations.search(home, "whole \ud83d")
    assert answer["count"] == 1
    assert json.dumps(answer, ensure_ascii=False).encode()


# A name that is no text, a blank, a tilde: files that are skipped, folders called "~", a run that one name stops.


def test_a_name_that_is_no_text_stops_nothing(home: Home, tmp_path: Path) -> None:
    names = ("a.jsonl", os.fsdecode(b"caf\xe9.jsonl"), "z.jsonl")
    paths = [write(tmp_path / name, [user("tea", "u1", sessionId=name[0])]) for name in names]
    report = take(home, *paths)
    assert (report.new, report.errors, report.backlog) == (3, [], [])
    assert take(home, *paths).unchanged == 3
    assert len(stored(home)) == 3


def test_blanks_and_tildes_in_paths(tmp_path: Path) -> None:
    write(tmp_path / "my chats" / "a b.jsonl", [user("tea \ud83d", "u1")])
    done = workbench(tmp_path, "ingest", "~/my chats", WORKBENCH_HOME="~/my memory")
    assert (done.returncode, json.loads(done.stdout)["totals"]["new"]) == (0, 1), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my chats", "my memory"]
    asked = workbench(tmp_path, "sessions", "search", "--", "--tea", WORKBENCH_HOME="~/my memory")
    assert (asked.returncode, json.loads(asked.stdout)["count"]) == (0, 1), asked.stderr


def test_a_variable_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = write(tmp_path / "my config" / "projects" / "p" / "s.jsonl", [user("tea", "u1")])
    assert find({"CLAUDE_CONFIG_DIR": "~/my config"}, tmp_path / "nobody") == [Source(path, "claude-code")]
    assert homes.resolve("~/x y", environ={}).root == tmp_path / "x y"


def test_links_are_read_once_and_never_written(home: Home, tmp_path: Path) -> None:
    real = write(tmp_path / "real" / "s.jsonl", [user("tea", "u1")])
    folder = tmp_path / "t"
    folder.mkdir()
    links = {"one.jsonl": real, "two.jsonl": real, "dead.jsonl": tmp_path / "gone", "folder": real.parent}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    before = real.read_bytes()
    for _ in range(2):
        (dangling,) = ingest(home, expand(folder)).errors
        assert dangling.endswith("dead.jsonl is a link to nothing; it was not read")
        assert said(home) == [("user", "user", "tea")]
    assert real.read_bytes() == before and (folder / "one.jsonl").is_symlink()


# Keys put together without escaping: two conversations that become one, or a file outside of the folder.

SESSIONS = [
    "a:b", "a_b", "a/b", "a%3Ab", "a", "A", "a b", "a\nb", "../../evil", "..", ".", "~/x", "con", "x.full", "日本", "%",
    "_", "D:\\p\\v3_26", "D--p-v3-26", "x" * 299 + "y", "x" * 300,
]  # fmt: skip


def test_no_two_sessions_are_one(home: Home, tmp_path: Path) -> None:
    rows = [user(f"words of {n}", "u1", sessionId=name) for n, name in enumerate(SESSIONS)]
    path = write(tmp_path / "all.jsonl", rows)
    assert take(home, path).new == len(SESSIONS)
    index.rebuild(home)
    assert take(home, path).new == 0
    for n, name in enumerate(SESSIONS):
        assert [m.content for m in conversations.show(home, f"claude-code:{name}").messages] == [f"words of {n}"]
    assert len(list(home.sessions.glob("*.jsonl"))) == len(SESSIONS)
    assert {entry.name for entry in tmp_path.iterdir()} == {"all.jsonl", "home"}


def test_a_key_that_is_not_there_names_no_other(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user("tea", "u1", sessionId="con")]))
    for key in ("claude-code:con\x00x", "claude-code:c_n", "claude-code:%", "claude-code:con\\"):
        with pytest.raises(NotFound):
            conversations.show(home, key)


# The project told by a folder whose name lost its separators, so that two projects are one; paths of Windows that are
# taken apart at the wrong places.


def test_the_project_is_the_folder_that_was_worked_in(home: Home, tmp_path: Path) -> None:
    folders = ["/Users/me/admin/portal", "/Users/me/admin-portal", "D:\\p\\v3_26", "D:\\p\\v3-26"]
    for n, folder in enumerate(folders):
        row = user(f"In this project we use tool{n}.", "u1", sessionId=str(n), cwd=folder)
        take(home, write(tmp_path / "-Users-me-admin-portal" / f"{n}.jsonl", [row]))
    nowhere = user("Hello.", "u1", sessionId="nowhere")
    del nowhere["cwd"]
    take(home, write(tmp_path / "-Users-me-admin-portal" / "nowhere.jsonl", [nowhere]))
    listed = {item.key: item.project for item in conversations.list_sessions(home).items}
    assert listed == {f"claude-code:{n}": folder for n, folder in enumerate(folders)} | {"claude-code:nowhere": None}
    dream(home)
    assert {item.scope_key for item in memories.list_memories(home).items} <= set(folders)
    for n, folder in enumerate(folders):
        found = search.discover(home, "project", wanted=Filter(project=folder))["results"]
        assert [hit["session_key"] for hit in found] == [f"claude-code:{n}"]


@pytest.mark.parametrize("asked", ["v3_26", "D:\\p", "D:\\p\\v3_26\\"])
def test_a_project_on_windows_is_found_by_its_name_and_from_above(asked: str, home: Home, tmp_path: Path) -> None:
    rows = [user("tea", f"u{n}", sessionId=str(n), cwd=cwd) for n, cwd in enumerate(("D:\\p\\v3_26", "D:\\po\\v3_260"))]
    take(home, write(tmp_path / "s.jsonl", rows))
    found = search.discover(home, "tea", wanted=Filter(project=asked))["results"]
    assert [hit["session_key"] for hit in found] == ["claude-code:0"]


# Times: one that is none costs more than its line, offsets are compared as text, local time is taken for UTC, and the
# time of reading for the time of the words.


def span(home: Home) -> tuple[str, str]:
    """When the only conversation began and ended, in UTC."""
    (session,) = conversations.list_sessions(home).items
    moments = [datetime.fromisoformat(moment or "") for moment in (session.created_at, session.updated_at)]
    begin, end = (moment.astimezone(UTC).isoformat() for moment in moments)
    return begin, end


NO_TIMES: list[Any] = ["yesterday", "2026-13-45T00:00:00Z", "zzz", "", None, 5, True, [], {}]


@pytest.mark.parametrize("bad", NO_TIMES)
def test_a_time_that_is_none_costs_itself(bad: Any, home: Home, tmp_path: Path) -> None:
    rows = [
        user("first", "u1", timestamp="2026-03-01T10:00:00Z"),
        user("second", "u2", "u1", timestamp=bad),
        user("third", "u3", "u2", timestamp="2026-03-01T11:00:00Z"),
    ]
    (source,) = take(home, write(tmp_path / "s.jsonl", rows)).sources
    assert (source["kept"], source["quarantined"]) == (3, 0)
    assert [(row["content"], row["at"]) for row in stored(home)] == [
        ("first", 1_772_359_200.0), ("second", None), ("third", 1_772_362_800.0),
    ]  # fmt: skip
    for _ in range(2):
        assert span(home) == ("2026-03-01T10:00:00+00:00", "2026-03-01T11:00:00+00:00")
        index.rebuild(home)


def test_the_last_active_comes_first_whatever_its_offset(home: Home, tmp_path: Path) -> None:
    times = {  # in the order of their instants, which is not that of their texts
        "first": "2026-03-02T00:30:00+02:00",
        "second": "2026-03-01T23:00:00Z",
        "third": "2026-03-01T21:30:00-02:00",
        "last": "2026-03-01T23:45:00.5Z",
    }
    for name, moment in times.items():
        take(home, write(tmp_path / f"{name}.jsonl", [user("tea", "u1", sessionId=name, timestamp=moment)]))
    listed = [item.key.partition(":")[2] for item in conversations.list_sessions(home).items]
    assert listed == ["last", "third", "second", "first"]


def test_the_span_of_a_conversation_is_in_time_not_in_text(home: Home, tmp_path: Path) -> None:
    times = ["2026-03-01T23:00:00Z", "2026-03-02T00:30:00+02:00", "2026-03-01T21:30:00-02:00"]
    take(home, write(tmp_path / "s.jsonl", [user("tea", f"u{n}", timestamp=moment) for n, moment in enumerate(times)]))
    assert span(home) == ("2026-03-01T22:30:00+00:00", "2026-03-01T23:30:00+00:00")


INSTANTS = {
    "2026-03-01T00:00:00-02:00": "2026-03-01T02:00:00+00:00",
    "2026-03-01T01:00:00Z": "2026-03-01T01:00:00+00:00",
    "2026-01-15T12:00:00": "2026-01-15T11:00:00+00:00",
    "2026-07-15T12:00:00": "2026-07-15T10:00:00+00:00",
    "2026-03-29T03:30:00": "2026-03-29T01:30:00+00:00",
    "2026-10-25T03:30:00": "2026-10-25T02:30:00+00:00",
    "2026-03-01": "2026-02-28T23:00:00+00:00",
    "20260301T030000Z": "2026-03-01T03:00:00+00:00",
    "2026-03-01 03:00:00.123456789+05:30": "2026-02-28T21:30:00.123456+00:00",
}


@pytest.mark.usefixtures("berlin")
def test_moments_are_moments(home: Home, tmp_path: Path) -> None:
    """With an offset, without one in winter, in summer and on the days when clocks change, a date alone."""
    take(home, write(tmp_path / "s.jsonl", [user("tea", f"u{n}", timestamp=said) for n, said in enumerate(INSTANTS)]))
    assert {row["timestamp"]: datetime.fromtimestamp(row["at"], UTC).isoformat() for row in stored(home)} == INSTANTS
    one = datetime.fromisoformat("2026-03-01T01:00:00Z").timestamp()
    for wanted, found in ((Filter(since=one, until=one + 1), "u1"), (Filter(since=one + 1, until=one + 7_200), "u0")):
        (hit,) = search.discover(home, "tea", wanted=wanted)["results"]
        assert hit["event_id"] == found


@pytest.mark.parametrize("later_first", [True, False])
def test_the_later_word_holds_whatever_its_offset(later_first: bool, home: Home, tmp_path: Path) -> None:
    munich = user("I live in Munich.", "u1", sessionId="m", timestamp="2026-03-01T23:30:00Z")
    berlin = user("I live in Berlin.", "u1", sessionId="b", timestamp="2026-03-02T00:10:00+02:00")
    for n, row in enumerate([munich, berlin] if later_first else [berlin, munich]):
        take(home, write(tmp_path / f"{n}.jsonl", [row]))
        dream(home)
    assert facts(home) == {"Lives in Munich.": "active", "Lives in Berlin.": "superseded"}


def test_the_time_of_reading_is_no_time_of_words(home: Home, tmp_path: Path) -> None:
    rows = [{"role": "user", "content": "tea"}, {"role": "assistant", "content": "Fine."}]
    take(home, write(tmp_path / "log.jsonl", rows))
    index.rebuild(home)
    (session,) = conversations.list_sessions(home).items
    assert (session.created_at, session.updated_at, stored(home)[0]["at"]) == (None, None, None)


# Questions taken for the language of the index: a hyphen names a column, a quote opens a phrase, a whole sentence has
# to stand there word for word; and scripts without blanks, of which only what was written with blanks is found.

SAID = {
    "send": "Add a chat-send button to the toolbar.",
    "edit": "The pre-edit hook rejects my commits.",
    "multi": "We want a multi-agent setup here.",
    "dash": "Open the agentic-os dashboard in a tab.",
    "art": "This parser is state-of-the-art.",
    "agents": "Please don't use agents for this.",
    "down": "It lies in Downloads/transcripts on my laptop.",
    "speed": "The disk gives 3 GB/s on a good day.",
    "warn": "Build with --error-on-warnings in CI.",
    "mig": "The migration of the old database failed.",
    "spec": "Read SPEC 16 before you merge.",
    "spec2": "Read SPEC 17 before you merge.",
    "vine": "Our vineyard lies in the Douro valley.",
    "glued": "我在用雾凇拼音输入法",
    "apart": "雾凇 拼音 很好用",
    "gx": "广西的米粉很好吃", "gl": "我住在桂林", "lj": "漓江的风景",
    "youer": "修改youer服务端", "itgc": "重跑gen-itgc后再看", "neko": "猫が好きです", "ko": "한글입력기를 설치했다",
    "wide": "型番はＡＢＣ１２３です",
    "tr": "İstanbul", "ru": "Привет, Ёлка", "el": "Καλημέρα Ελλάς", "ar": "مرحبا بالعالم", "hi": "नमस्ते दुनिया",
    "de": "Große Straße", "yo": "ọ̀rẹ́ wá",
}  # fmt: skip
ASKED = {
    "chat-send": ["send"], "pre-edit": ["edit"], "edit:x": ["edit"], "multi-agent": ["multi"],
    "agentic-os dashboard": ["dash"], "content : dashboard": ["dash"], "state-of-the-art": ["art"],
    "don't use agents": ["agents"], "don’t use agents": ["agents"], "Downloads/transcripts": ["down"],
    "GB/s": ["speed"], '"--error-on-warnings"': ["warn"], "-error -on": ["warn"], "database migration": ["mig"],
    '"of the old"': ["mig"], "SPEC 16": ["spec"], "SPEC 17?": ["spec2"], "Where does our vineyard lie?": ["vine"],
    "In what valley was it, again, that the vineyard of ours lies in?": ["vine"],
    "NEAR(vineyard valley, 2)": ["vine"], "vineyard\x00": ["vine"], "vine*": ["vine"], '"a vineyard': ["vine"],
    "雾凇拼音": ["glued", "apart"], "雾凇 拼音": ["apart", "glued"], "拼": ["apart", "glued"],
    "广西 OR 桂林 OR 漓江": ["gx", "gl", "lj"], "服务端": ["youer"], "youer": ["youer"], "修改youer服务端": ["youer"],
    "gen-itgc": ["itgc"], "重跑gen-itgc后": ["itgc"], "猫": ["neko"], "好き": ["neko"], "한글": ["ko"],
    "입력기": ["ko"], "ABC123": ["wide"], "ＡＢＣ１２３": ["wide"], "İstanbul": ["tr"], "istanbul": ["tr"],
    "привет": ["ru"], "Ёлка": ["ru"], "Ελλάς": ["el"], "بالعالم": ["ar"], "दुनिया": ["hi"], "straße": ["de"],
    "ọ̀rẹ́": ["yo"], "ore": ["yo"],
}  # fmt: skip
PROMPT = "You are a careful assistant with a long memory. Follow the rules below in every answer that you give. " * 25


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = fresh_home(tmp_path_factory.mktemp("full") / "home")
    for name, text in SAID.items():
        store.merge(home, Session(f"x:{name}"), [Message("1", "user", "user", text)])
    for n in range(40):
        filler = Message("1", "assistant", "assistant", f"filler of another kind, part {n}")
        store.merge(home, Session(f"y:{n}"), [filler])
    index.sync(home)
    return home


def found(home: Home, question: str) -> list[str]:
    return [hit["session_key"].partition(":")[2] for hit in search.discover(home, question, limit=10)["results"]]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("question", ASKED)
def test_what_was_said_is_found(question: str, large: bool, full: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before everything else, in a small store and in one where questions are narrowed first."""
    if large:
        monkeypatch.setattr(fts, "LARGE_STORE", 1)
    wanted = ASKED[question]
    assert sorted(found(full, question)[: len(wanted)]) == sorted(wanted)


def test_a_quoted_phrase_stays_one(full: Home) -> None:
    assert found(full, '"database migration"') == []
    assert found(full, "no such thing whatsoever") == []


@pytest.mark.parametrize("question", ["Where does our vineyard lie?", "vineyard", "雾凇输入法", "Which pre-edit hook?"])
@pytest.mark.parametrize(
    "around",
    [
        (PROMPT, ""),
        (PROMPT + "\n\n", "\n"),
        (PROMPT.replace(". ", ".\n"), ""),
        ("# Rules\n- " + PROMPT.replace(". ", ".\n- ") + "\n\nUser: ", "\n\nAssistant:"),
        ("", "\n\n" + PROMPT),
    ],
)
def test_a_long_prompt_around_the_question_hides_nothing(question: str, around: tuple[str, str], full: Home) -> None:
    before, behind = around
    assert found(full, before + question + behind)[0] == found(full, question)[0]


def test_of_many_in_a_script_without_blanks_all_are_found(home: Home) -> None:
    for n in range(8):
        messages = [Message(str(m), "user", "user", f"第{n}天我们在漓江坐船看风景{m}") for m in range(2)]
        store.merge(home, Session(f"x:{n}"), messages)
    index.sync(home)
    assert sorted(found(home, "漓江坐船")) == [str(n) for n in range(8)]


# Several processes at once: a lock that fails a reader, three writers that all say "done" while the words of two are
# gone.

CHILD = """
import sys
from pathlib import Path
from workbench.home import Home
from workbench.sessions import importers
from workbench.sessions.discover import expand
from workbench.sessions.ingest import ingest
sources = expand(Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
report = ingest(Home(Path(sys.argv[1])), sources)
print(report.new, report.errors, report.damaged, report.backlog)
"""


def test_three_processes_that_read_at_once_lose_nothing(home: Home, tmp_path: Path) -> None:
    """Each has conversations of its own and a part of one that all three know; what each says is true when it ends."""
    children = []
    for n in range(3):
        for m in range(3):
            rows = [user(f"words {n} {m} {k}", f"u{k}", sessionId=f"own-{n}-{m}") for k in range(40)]
            write(tmp_path / str(n) / f"{m}.jsonl", rows)
        write(tmp_path / str(n) / "shared.jsonl", [user(f"shared {n} {k}", f"s{n}-{k}") for k in range(40)])
        command = [sys.executable, "-c", CHILD, str(home.root), str(tmp_path / str(n))]
        children.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
    answers = [child.communicate("go\n", timeout=60)[0].strip() for child in children]
    assert len(stored(home)) == 3 * 3 * 40 + 3 * 40
    assert len(stored(home, KEY)) == 120
    assert answers == ["160 [] [] []"] * 3
    check_full_text(home)


def test_what_another_process_indexed_meanwhile_holds_nothing_up(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took one of two conversations while this one read both: both are there, and nothing is left to do."""
    for name in ("a", "b"):
        store.merge(home, Session(f"x:{name}"), [Message("1", "user", "user", f"words of {name}")])
    read, hidden = canonical.read_messages, home.sessions / "hidden"
    path, calls = store.path_of(home, "x:b"), []

    def racing(*args: Any) -> Iterator[Any]:
        calls.append(args)
        if len(calls) == 1:
            path.rename(hidden)
            index.sync(home)
            hidden.rename(path)
        return read(*args)

    monkeypatch.setattr(canonical, "read_messages", racing)
    done = index.sync(home)
    assert sorted(row["content"] for row in stored(home)) == ["words of a", "words of b"]
    assert (done.backlog, done.damaged) == ([], [])
    check_full_text(home)


def test_readers_do_not_wait_for_a_writer(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user("tea", "u1")]))
    with db.write(home.session_index, index.SCHEMA) as connection:
        connection.execute("UPDATE messages SET content = 'coffee'")
        assert search.discover(home, "tea")["count"] == 1
        assert len(conversations.list_sessions(home).items) == 1


# Made again: a repair that keeps the first ten thousand and calls it complete, doubles after a rebuild, rows that the
# full text misses, a file that grows with every rebuild, a newer program that loses what an older one had.


def identities(home: Home) -> list[tuple[Any, ...]]:
    return [(row["id"], row["session_key"], row["seq"], row["state"], row["content"]) for row in stored(home)]


def test_rebuilt_and_read_again_is_the_same(home: Home, tmp_path: Path) -> None:
    rows = [user("I prefer tabs over spaces.", "u1"), assistant("Noted.", "a1", "u1"), user("Bye.", "u2", "a1")]
    path = write(tmp_path / "s.jsonl", [*rows, user("Other.", "u1", sessionId="other")])
    take(home, path)
    dream(home)
    before, known = identities(home), facts(home)
    for harm in (lambda: index.rebuild(home), lambda: os.utime(path), lambda: path.write_bytes(path.read_bytes())) * 2:
        harm()
        report = take(home, path)
        assert (report.new, report.updated, report.removed) == (0, 0, 0)
        assert identities(home) == before
        assert (dream(home).messages, facts(home)) == (0, known)
    check_full_text(home)


def test_an_edit_that_keeps_the_size_is_seen(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [user("I saw teh fox", "u1")])
    take(home, path)
    write(path, [user("I saw the fox", "u1")])
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert take(home, path).updated == 1
    assert said(home) == [("user", "user", "I saw teh fox"), ("user", "user", "I saw the fox")]


def test_a_repair_of_many_rows_keeps_them_all(home: Home) -> None:
    """67,580 messages, more than any batch holds."""
    for session in range(20):
        messages = [Message(f"m{n}", "user", "user", f"word{n % 977} of {session}") for n in range(3_379)]
        store.merge(home, Session(f"x:{session}"), messages)
    done = index.rebuild(home)
    assert (done.rows, done.damaged, done.backlog) == (67_580, [], [])
    with db.read(home.session_index, index.SCHEMA) as connection:
        count = "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM messages_fts_docsize),"
        count += " (SELECT sum(message_count) FROM sessions), (SELECT count(DISTINCT id) FROM messages)"
        assert tuple(connection.execute(count).fetchone()) == (67_580,) * 4


def test_a_file_larger_than_what_is_held_of_it_is_read_whole(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that takes a file whole gives up at some size, mostly in silence."""
    monkeypatch.setattr(index, "_BATCH_BYTES", 1 << 20)
    words = "x" * 80_000
    path = tmp_path / "s.jsonl"
    with path.open("wb") as out:
        for n in range(375):
            out.write(dump([user(f"{n} {words}", f"u{n}", f"u{n - 1}" if n else None)]))
    tracemalloc.start()
    (source,) = take(home, path).sources
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (source["kept"], source["messages"]) == (375, 375)
    assert path.stat().st_size > 30_000_000
    assert peak < 24_000_000


def test_the_index_does_not_grow_when_it_is_made_again(home: Home, tmp_path: Path) -> None:
    take(home, write(tmp_path / "s.jsonl", [user(f"word{n} and others", f"u{n}") for n in range(300)]))
    sizes = []
    for _ in range(6):
        index.rebuild(home)
        db.truncate_log(home.session_index, index.SCHEMA)
        sizes.append(home.session_index.stat().st_size)
    assert sizes[-1] == sizes[1]


@pytest.mark.parametrize("version", range(1, index.SCHEMA.version))
def test_an_index_of_an_earlier_program_is_brought_up_to_date(version: int, home: Home, tmp_path: Path) -> None:
    """Until then nothing is written to it and it says what to do; then every message is there, and found."""
    path = write(tmp_path / "s.jsonl", [user("I like tea", "u1"), user("我在用雾凇拼音", "u2", "u1")])
    take(home, path)
    before = identities(home)
    kept.release()
    for suffix in ("", "-wal", "-shm"):
        home.session_index.with_name(home.session_index.name + suffix).unlink(missing_ok=True)
    connection = sqlite3.connect(home.session_index)
    following = list(index.SCHEMA.load()._migrations)[version].name
    index.SCHEMA.load().apply(Database(connection), stop_before=following)
    connection.execute(f"PRAGMA user_version={version}")
    connection.execute(f"PRAGMA application_id={db.APPLICATION_ID}")
    gone = "INSERT INTO sessions (key, channel, message_count, file_name) VALUES ('x:gone', 'x', 0, 'x_gone.jsonl')"
    connection.execute(gone)
    connection.commit()
    connection.close()
    with pytest.raises(SchemaMismatch, match="workbench migrate"):
        search.discover(home, "tea")
    assert migrate(home)[home.session_index.name] == index.SCHEMA.version - version
    assert identities(home) == before
    assert (found(home, "tea"), found(home, "拼音")) == ([KEY.partition(":")[2]],) * 2
    assert [file.name.startswith(f"session_index-v{version}-") for file in home.backups.iterdir()] == [True]
    assert take(home, path).new == 0
    check_full_text(home)
