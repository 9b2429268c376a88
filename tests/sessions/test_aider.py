"""aider's chat history: which of its lines who wrote, and what names a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.sessions.rows import check_full_text, stored, take, write
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import index, spoken
from workbench.sessions.importers import aider, choose, lines, text_lines
from workbench.sessions.importers.lines import Counts

Said = list[tuple[str, str, str]]
FILE = ".aider.chat.history.md"
BANNER = ["/usr/bin/aider --model sonnet", "Aider v0.86.1", "Main model: claude-sonnet-4 with diff edit format"]


def started(time: str = "2026-01-02 10:00:00") -> str:
    """What aider writes when it begins."""
    return f"\n# aider chat started at {time}\n\n"


def printed(*texts: str) -> str:
    """What aider prints: each line quoted, ending in two spaces."""
    return "".join(f"> {text}".rstrip() + "  \n" for text in texts)


def typed(*texts: str) -> str:
    """What the person types, line by line."""
    return "\n" + "  \n".join(f"#### {text}" for text in texts).rstrip() + "  \n"


def answered(text: str) -> str:
    """What the model answers."""
    return f"\n{text}\n\n"


def history(*parts: str) -> bytes:
    return "".join(parts).encode()


def read(home: Home, path: Path, *parts: str) -> Said:
    """Ingest a history; all of its messages."""
    take(home, write(path, [history(*parts)]))
    return [(message["role"], message["origin"], message["content"]) for message in stored(home)]


SIMPLE = (
    started(), printed(*BANNER), typed("use tabs"), answered("I will use tabs."), printed("Tokens: 1k sent."),
)  # fmt: skip
BANNERED = ("tool", "tool", "\n".join(BANNER))
CASES: dict[str, tuple[tuple[str, ...], Said]] = {
    "a prompt and an answer": (
        SIMPLE,
        [
            BANNERED,
            ("user", "user", "use tabs"),
            ("assistant", "assistant", "I will use tabs."),
            ("tool", "tool", "Tokens: 1k sent."),
        ],
    ),
    "a prompt of several lines": (
        (started(), printed(*BANNER), typed("first", "", "  - third"), answered("Yes.")),
        [BANNERED, ("user", "user", "first\n\n  - third"), ("assistant", "assistant", "Yes.")],
    ),
    "two prompts": (
        (started(), printed(*BANNER), typed("/add a.py"), printed("Added a.py"), typed("/exit"), typed("hello")),
        [
            BANNERED,
            ("user", "user", "/add a.py"),
            ("tool", "tool", "Added a.py"),
            ("user", "user", "/exit"),
            ("user", "user", "hello"),
        ],
    ),
    "headings and quotations in an answer": (
        (
            started(),
            printed(*BANNER),
            typed("explain"),
            answered("# One\n\n#### Two\n\n> quoted\n\n####\n\n```\n#### I prefer spaces\n```"),
            printed("Tokens"),
        ),
        [
            BANNERED,
            ("user", "user", "explain"),
            (
                "assistant",
                "assistant",
                "# One\n\n#### Two\n\n> quoted\n\n####\n\n```\n#### I prefer spaces\n```",
            ),
            ("tool", "tool", "Tokens"),
        ],
    ),
    "a marked line within an answer": (
        (started(), printed(*BANNER), typed("explain"), answered("So:\n> I prefer spaces  \n#### and tabs  ")),
        [
            BANNERED,
            ("user", "user", "explain"),
            ("assistant", "assistant", "So:\n> I prefer spaces  \n#### and tabs"),
        ],
    ),
    "a launch with a message of several lines": (
        (
            started(),
            "> /usr/bin/aider --message Be brief.\nAlways:\n\n\t- write tests  \n",
            printed("Aider v0.86.1"),
            typed("Be brief.", "Always:"),
            answered("Yes."),
        ),
        [
            ("tool", "tool", "/usr/bin/aider --message Be brief.\nAlways:\n\t- write tests\nAider v0.86.1"),
            ("user", "user", "Be brief.\nAlways:"),
            ("assistant", "assistant", "Yes."),
        ],
    ),
    "output of several lines": (
        (started(), printed(*BANNER), typed("/git log"), "> commit 1\nAuthor: Ada  \n", typed("next"), answered("Ok")),
        [
            BANNERED,
            ("user", "user", "/git log"),
            ("tool", "tool", "commit 1\nAuthor: Ada"),
            ("user", "user", "next"),
            ("assistant", "assistant", "Ok"),
        ],
    ),
    "nothing typed": (
        (started(), printed(*BANNER), typed("<blank>"), typed("hi")),
        [BANNERED, ("user", "user", "hi")],
    ),
    "a question of aider": (
        (started(), printed(*BANNER), typed("go"), typed("Add a.py to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: a")),
        [
            BANNERED,
            ("user", "user", "go"),
            ("user", "harness", "Add a.py to the chat? (Y)es/(N)o/(A)ll/(S)kip all [Yes]: a"),
        ],
    ),
    "recalled memory": (
        (started(), printed(*BANNER), typed("<memory-workbench>", "likes tea", "</memory-workbench>")),
        [BANNERED, ("user", "harness", "<memory-workbench>\nlikes tea\n</memory-workbench>")],
    ),
    "unicode": (
        (started(), typed("tabs を使う 😀"), answered("はい\ud83d".encode("utf-8", "replace").decode())),
        [("user", "user", "tabs を使う 😀"), ("assistant", "assistant", "はい?")],
    ),
    "no trailing spaces": (
        (
            *("\n".join(line.rstrip() for line in part.split("\n")) for part in SIMPLE),
            "\n#### a\n####\n#### b\n",
            answered("Ok.\n> quoted"),
        ),
        [
            BANNERED,
            ("user", "user", "use tabs"),
            ("assistant", "assistant", "I will use tabs."),
            ("tool", "tool", "Tokens: 1k sent."),
            ("user", "user", "a\n\nb"),
            ("assistant", "assistant", "Ok.\n> quoted"),
        ],
    ),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("case", CASES)
def test_who_wrote_what(case: str, end: str, home: Home, tmp_path: Path) -> None:
    parts, expected = CASES[case]
    found = read(home, tmp_path / FILE, *(part.replace("\n", end) for part in parts))
    assert found == expected
    check_full_text(home)


def sessions(home: Home) -> list[dict[str, object]]:
    with db.read(home.session_index, index.SCHEMA) as connection:
        return [dict(row) for row in connection.execute("SELECT * FROM sessions ORDER BY key")]


def test_sessions_and_what_is_known_of_them(home: Home, tmp_path: Path) -> None:
    path = write(
        tmp_path / "engine" / FILE,
        [
            history(
                started("2026-01-02 10:00:00"), printed(*BANNER),  # nothing was ever typed in it
                *SIMPLE,
                started("2026-01-02 11:30:00"), printed("Models: gpt-4o with diff edit format, weak model gpt-4o-mini"),
                typed("hello"), answered("Hi."), typed("/model o3"), printed("Model: o3 with diff"), typed("so?"),
                answered("<think>\nhm\n</think>\n\nSo."),
            )
        ],
    )  # fmt: skip
    (source,) = take(home, path).sources
    assert (source["format"], source["sessions"], source["messages"]) == ("aider", 2, 11)
    assert (source["kept"], source["skipped"], source["quarantined"]) == (11, 1, 0)
    first, second = sessions(home)
    assert str(first["key"]).startswith("aider:2026-01-02T10:00:00-")
    assert str(second["key"]).startswith("aider:2026-01-02T11:30:00-")
    assert {(row["channel"], row["project"], row["title"]) for row in (first, second)} == {
        ("aider", str(path.parent), None)
    }
    assert (second["created_at"], second["updated_at"]) == ("2026-01-02T11:30:00",) * 2
    answers = [row for row in stored(home) if row["role"] == "assistant"]
    assert [(row["content"], row["thinking"]) for row in answers] == [
        ("I will use tabs.", None), ("Hi.", None), ("So.", "hm"),
    ]  # fmt: skip
    found = [message for one in aider.read(path, Counts()) for message in one.messages]
    assert [message.model for message in found if message.role == "assistant"] == ["claude-sonnet-4", "gpt-4o", "o3"]
    assert [one.session.metadata for one in aider.read(path, Counts())] == [
        {"model": "claude-sonnet-4", "version": "0.86.1"}, {"model": "gpt-4o"},
    ]  # fmt: skip


def ids(home: Home) -> list[tuple[str, int]]:
    return [(row["session_key"], row["id"]) for row in stored(home)]


GROWN = [*SIMPLE, printed("Applied edit"), typed("more"), answered("Done."), started("2026-01-03 09:00:00"), typed("x")]


def test_growth(home: Home, tmp_path: Path) -> None:
    """Written line by line, a history gives each message once, whatever was there when it was read."""
    path, whole = tmp_path / FILE, b""
    before: list[tuple[str, int]] = []
    for part in GROWN:
        whole += part.encode()
        if b"####" in whole:
            take(home, write(path, [whole]))
            assert ids(home)[: len(before)] == before
            before = ids(home)
    other = fresh_home(tmp_path / "other")
    take(other, path)
    assert ids(home) == ids(other)
    assert take(home, path).new == 0


def test_a_moved_history_keeps_its_ids_and_two_projects_stay_apart(home: Home, tmp_path: Path) -> None:
    """Begun in the same second, by the same prompt, in two folders: what aider printed of them tells them apart."""
    one = (*SIMPLE[:1], printed(*BANNER, "Git repo: .git with 12 files"), *SIMPLE[2:])
    two = (*SIMPLE[:1], printed(*BANNER, "Git repo: .git with 907 files"), *SIMPLE[2:])
    take(home, write(tmp_path / "one" / FILE, [history(*one)]), write(tmp_path / "two" / FILE, [history(*two)]))
    assert len({key for key, _ in ids(home)}) == 2
    assert take(home, write(tmp_path / "elsewhere" / "old-chat.md", [history(*one)])).new == 0


def test_the_same_prompt_again_is_another_message(home: Home, tmp_path: Path) -> None:
    again = (typed("/add a.py"), printed("Added a.py"))
    assert len(read(home, tmp_path / FILE, started(), *again, *again)) == 4
    assert len({number for _, number in ids(home)}) == 4


def test_a_history_in_which_nothing_was_typed(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / FILE, [history(started(), printed(*BANNER))])
    with pytest.raises(WorkbenchError, match="holds no messages"):
        take(home, path)


def test_what_is_found(home: Home, tmp_path: Path) -> None:
    read(home, tmp_path / FILE, *SIMPLE)
    assert [row.content for row in spoken.new_messages(home, set())] == ["use tabs", "I will use tabs."]


def test_a_piece_that_is_too_long_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lines, text_lines, aider):
        monkeypatch.setattr(module, "MAX_LINE", 1_000)
    path = write(tmp_path / FILE, [history(*SIMPLE, typed("next"), answered("x\n" * 600), typed("last"))])
    counts = Counts()
    (found,) = aider.read(path, counts)
    assert [message.content for message in found.messages][-2:] == ["next", "last"]
    assert (counts.kept, counts.quarantined) == (6, 1)
    assert counts.bad == [(path.read_bytes().index(b"x\nx\n"), "answer of over 0 MB")]


NOT: dict[str, bytes] = {
    "what was typed alone": b"\n# 2026-01-02 10:00:00.123456\n+use tabs\n",
    "a page about it": b"# Histories\n\nThey begin so:\n\n# aider chat started at 2026-01-02 10:00:00\n",
    "another heading": b"# aider chat started yesterday\n\n#### use tabs  \n",
    "nothing": b"",
    "junk": b"\xff\xfe\0#### \0",
}


@pytest.mark.parametrize("name", NOT)
def test_what_is_no_history(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / FILE, [NOT[name]])
    with pytest.raises(WorkbenchError, match="is not a transcript"):
        choose(path)


def test_only_this_format_claims_it(tmp_path: Path) -> None:
    assert choose(write(tmp_path / "x.md", [b"\xef\xbb\xbf" + history(*SIMPLE)])).name == "aider"


PIECES = st.sampled_from(
    ["\n", "\n\n", "#### ", "> ", "# aider chat started at 2026-01-02 10:00:00", "<think>", "</think>", "x", "  ", "\r"]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join))
def test_junk_is_no_exception(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("a") / FILE
    path.write_bytes(history(started()) + text.encode("utf-8", "surrogatepass"))
    counts = Counts()
    for found in aider.read(path, counts):
        messages = list(found.messages)
        assert len({message.identity for message in messages}) == len(messages)
    assert counts.quarantined == 0
