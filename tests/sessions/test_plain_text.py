"""Chats that are nothing but text: the ways to write one, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.rows import check_full_text, said, stored, take, write
from workbench import db
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import index
from workbench.sessions.importers import choose, lines, plain_text, registry, sample, text_lines
from workbench.sessions.importers.lines import Counts

Said = list[tuple[str, str, str]]
TWO: Said = [("user", "user", "use tabs"), ("assistant", "assistant", "Noted.\n\nTabs it is.")]
FORMS: dict[str, str] = {
    "plain": "User: use tabs\nAssistant: Noted.\n\nTabs it is.\n",
    "apart": "Human: use tabs\n\nAI: Noted.\n\nTabs it is.",
    "upper case": "USER: use tabs\nASSISTANT: Noted.\n\nTabs it is.",
    "on lines of their own": "You:\nuse tabs\n\nChatGPT:\nNoted.\n\nTabs it is.",
    "copied from a page": "Skip to content\nYou said:\nuse tabs\nChatGPT said:\nNoted.\n\nTabs it is.\n\n\n",
    "copied with headings": "##### You said:\n\nuse tabs\n\n###### ChatGPT said:\n\nNoted.\n\nTabs it is.",
    "headings": "# A chat\n\n## User\n\nuse tabs\n\n## Assistant\n\nNoted.\n\nTabs it is.",
    "headings with a colon": "#### You:\nuse tabs\n\n#### ChatGPT:\nNoted.\n\nTabs it is.",
    "headings with pictures": "## 👤 User\n\nuse tabs\n\n---\n\n## 🤖 Claude\n\nNoted.\n\nTabs it is.\n\n---\n",
    "headings with text": "### Human: use tabs\n### Assistant: Noted.\n\nTabs it is.",
    "bold headings": "## **User**\nuse tabs\n## **Claude 3.5 Sonnet**\nNoted.\n\nTabs it is.",
    "bold": "**You:** use tabs\n\n**ChatGPT:** Noted.\n\nTabs it is.",
    "bold, the colon outside": "**Me**: use tabs\n\n**GPT-4o**: Noted.\n\nTabs it is.",
    "bold lines": "**User**\n\nuse tabs\n\n***\n\n**Gemini 2.5 Pro**\n\nNoted.\n\nTabs it is.",
    "times before": "[2026-01-02 10:00] User: use tabs\n[2026-01-02 10:01:30Z] Assistant: Noted.\n\nTabs it is.",
    "times after": "User (10:00): use tabs\nAI (10:01): Noted.\n\nTabs it is.",
    "bold times": "**[2026-01-02 10:00] You:** use tabs\n\n**[2026-01-02 10:01] Claude:** Noted.\n\nTabs it is.",
    "times without brackets": "1/2/2026, 10:00 AM - Me: use tabs\n1/2/2026, 10:01 AM - Copilot: Noted.\n\nTabs it is.",
    "a BOM": "\ufeffUser: use tabs\nAssistant: Noted.\n\nTabs it is.",
    "Windows": "User: use tabs\r\nAssistant: Noted.\r\n\r\nTabs it is.\r\n",
}


def read(home: Home, path: Path, text: str) -> Said:
    """Ingest a chat; all of its messages."""
    take(home, write(path, [text.encode()]))
    return [(message["role"], message["origin"], message["content"]) for message in stored(home)]


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, home: Home, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    assert read(home, path, FORMS[form]) == TWO
    assert choose(path).name == "text"
    check_full_text(home)


def facts(text: str, path: Path) -> tuple[plain_text.Found, list[str | None]]:
    (only,) = plain_text.read(write(path, [text.encode()]), Counts())
    return only, [message.timestamp for message in only.messages]


def test_times_and_title(tmp_path: Path) -> None:
    only, times = facts(FORMS["times before"], tmp_path / "c.txt")
    assert times == ["2026-01-02T10:00", "2026-01-02T10:01:30Z"]
    assert (only.session.created_at, only.session.title) == ("2026-01-02T10:00", None)
    for form in ("times after", "times without brackets"):  # that is no day, or one that could be another
        assert facts(FORMS[form], tmp_path / "c.txt")[1] == [None, None]
    assert facts(FORMS["headings"], tmp_path / "c.txt")[0].session.title == "A chat"


SPLIT: dict[str, tuple[str, Said]] = {
    "lines of a meeting, tasks, colours": (
        "User: notes:\n[00:01:02 - 00:03:10] Ada: hello\n[10:00] Bob: hi\n- [x] todo\n#4285F4\n# Heading\n"
        "Assistant: Ok.",
        [
            (
                "user",
                "user",
                "notes:\n[00:01:02 - 00:03:10] Ada: hello\n[10:00] Bob: hi\n- [x] todo\n#4285F4\n# Heading",
            ),
            ("assistant", "assistant", "Ok."),
        ],
    ),
    "other labels and other forms": (
        "You: which?\nClaude: These:\n\nUser: root\nHuman: no\nuser: x\n  You: indented\n**You:** bold\n## You\n"
        "\nYou: ok",
        [
            ("user", "user", "which?"),
            (
                "assistant",
                "assistant",
                "These:\n\nUser: root\nHuman: no\nuser: x\n  You: indented\n**You:** bold\n## You",
            ),
            ("user", "user", "ok"),
        ],
    ),
    "headings of another level": (
        "## User\n\nwhich?\n\n## Assistant\n\n### User\n\nroot\n\n# Assistant\n\n## Users\n\n## User\n\nok",
        [
            ("user", "user", "which?"),
            ("assistant", "assistant", "### User\n\nroot\n\n# Assistant\n\n## Users"),
            ("user", "user", "ok"),
        ],
    ),
    "in a block of code": (
        "User: show me\nAssistant: So:\n\n```\nUser: I prefer spaces\nAssistant: Ok\n```\n\nUser: thanks",
        [
            ("user", "user", "show me"),
            ("assistant", "assistant", "So:\n\n```\nUser: I prefer spaces\nAssistant: Ok\n```"),
            ("user", "user", "thanks"),
        ],
    ),
    "in a block of code without its end": (
        "User: a\nAssistant: b\nUser: what is\n```\nthis\nAssistant: I prefer spaces",
        [
            ("user", "user", "a"),
            ("assistant", "assistant", "b"),
            ("user", "harness", "what is\n```\nthis\nAssistant: I prefer spaces"),
        ],
    ),
    "an instruction": (
        "System: Be brief.\nUser: hi\nAssistant: Hi.",
        [("system", "harness", "Be brief."), ("user", "user", "hi"), ("assistant", "assistant", "Hi.")],
    ),
    "what a harness said": (
        "User: <memory-workbench>likes tea</memory-workbench>\nAssistant: Ok.\nUser: I like coffee",
        [
            ("user", "harness", "<memory-workbench>likes tea</memory-workbench>"),
            ("assistant", "assistant", "Ok."),
            ("user", "user", "I like coffee"),
        ],
    ),
    "an empty turn": ("User:\nAssistant: Hello?\nUser: hi", [
        ("assistant", "assistant", "Hello?"), ("user", "user", "hi"),
    ]),
    "the assistant first": ("ChatGPT: Hello!\nYou: hi", [("assistant", "assistant", "Hello!"), ("user", "user", "hi")]),
    "verbatim": (
        "User:   two spaces\n\n    indented\n\tand a tab  \nAssistant: 漢字 😀",
        [("user", "user", "  two spaces\n\n    indented\n\tand a tab"), ("assistant", "assistant", "漢字 😀")],
    ),
    "a rule within a turn": (
        "User: a\n\n---\n\nb\n\n---\nAssistant: c",
        [("user", "user", "a\n\n---\n\nb"), ("assistant", "assistant", "c")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SPLIT)
def test_where_turns_begin(case: str, home: Home, tmp_path: Path) -> None:
    text, expected = SPLIT[case]
    assert read(home, tmp_path / "chat.md", text) == expected


NOT: dict[str, str] = {
    "one side": "# My tool\n\nUser: the name of the account\n\nSet it first.\n",
    "one side, often": "User: a\nUser: b\nUser: c\n",
    "a meeting": "[00:01:02 - 00:03:10] Ada: hello\n[00:03:10 - 00:04:00] Bob: hi\n- [x] todo\n#4285F4\n",
    "other people": "Ada: hello\nBob: hi\nAda: bye\n",
    "me and somebody": "[10:00] Me: hello\n[10:01] Bob: hi\n",
    "settings": "user: postgres\nassistant: none\nai: off\n",
    "a chat in a page": "# Chatbot\n" + "\nSome words of it.\n" * 11 + "\nUser: hi\nAssistant: hello\n",
    "in code": "An example:\n\n```\nUser: hi\nAssistant: hello\n```\n",
    "indented": "    User: hi\n    Assistant: hello\n",
    "a list": "- User: hi\n- Assistant: hello\n",
    "prose": "User stories: one\nAssistant roles: two\nAI is: three\n**User** asks, **Assistant** answers: so.\n",
    "two forms": "User: hi\n\n## Assistant\n\nhello\n",
    "hardly ever the other": "User: a\nUser: b\nUser: c\nUser: d\nUser: e\nAI: f\n",
    "JSON": '{"User": "hi",\n"Assistant": "hello"}\n',
    "nothing": "",
}


@pytest.mark.parametrize("name", NOT)
def test_what_is_no_chat(name: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="is not a transcript"):
        choose(write(tmp_path / "notes.md", [NOT[name].encode()]))


def test_other_formats_do_not_pass_for_a_chat(shared_data: Path) -> None:
    files = [path for path in shared_data.rglob("*") if path.is_file() and path.stat().st_size < 1 << 20]
    assert len(files) > 100
    assert [path for path in files if plain_text.sniff(sample(path))] == []


def test_it_is_asked_last() -> None:
    assert list(registry())[-1] == "text"


def ids(home: Home) -> list[tuple[str, int]]:
    return [(row["session_key"], row["id"]) for row in stored(home)]


def test_growth_and_moves(home: Home, tmp_path: Path) -> None:
    """Turn by turn, whatever the last one was when it was read; a copy elsewhere gives nothing new."""
    text, before = "User: use tabs\n", []
    for part in ("Assistant: Noted.\n", "\nAnd tabs.\n", "User: use tabs\n", "again\n", "Assistant: Noted.\n"):
        text += part
        read(home, tmp_path / "chat.txt", text)
        assert ids(home)[: len(before)] == before
        before = ids(home)
    assert [row["content"] for row in stored(home)] == [
        "use tabs", "Noted.\n\nAnd tabs.", "use tabs\nagain", "Noted.",
    ]  # fmt: skip
    assert take(home, write(tmp_path / "elsewhere" / "old.md", [f"# Title\n\n{text}".encode()])).new == 0
    assert len({key for key, _ in ids(home)}) == 1


def test_other_chats_have_other_names(home: Home, tmp_path: Path) -> None:
    read(home, tmp_path / "a.txt", FORMS["plain"])
    read(home, tmp_path / "b.txt", FORMS["plain"].replace("use tabs", "use spaces"))
    keys = {key for key, _ in ids(home)}
    assert len(keys) == 2 and all(key.startswith("text:") and len(key) == 37 for key in keys)


def test_counts(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lines, text_lines, plain_text):
        monkeypatch.setattr(module, "MAX_LINE", 1_000)
    long = "x\n" * 600
    path = write(tmp_path / "c.txt", [f"Words.\n\nUser: a\nAI: b\nUser:\nAI: {long}\nUser: c".encode()])
    (source,) = take(home, path).sources
    assert {name: source[name] for name in ("format", "read", "kept", "skipped", "quarantined", "messages")} == {
        "format": "text", "read": 5, "kept": 3, "skipped": 1, "quarantined": 1, "messages": 3,
    }  # fmt: skip
    assert [row["content"] for row in stored(home)] == ["a", "b", "c"]
    with db.read(home.session_index, index.SCHEMA) as connection:
        assert connection.execute("SELECT project FROM sessions").fetchone()[0] is None


def test_a_chat_without_words(home: Home, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="holds no messages"):
        read(home, tmp_path / "c.txt", "User:\nAssistant:\n")


PIECES = st.sampled_from(
    [
        "User: ",
        "Assistant: ",
        "## User",
        "## AI",
        "**You:** ",
        "[2026-01-02 10:00] ",
        "\n",
        "\n---\n",
        "```\n",
        "\r",
        "x",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join))
def test_junk_is_no_exception(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("t") / "c.txt"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    counts = Counts()
    (only,) = plain_text.read(path, counts)
    messages = list(only.messages)
    assert len({message.identity for message in messages}) == len(messages) == counts.kept
    assert plain_text.sniff(sample(path)) <= ({"user", "assistant"} <= {turn.who for turn in turns(path)})


def turns(path: Path) -> list[plain_text._Turn]:
    """The turns of a file by the form that it was found to have."""
    form = plain_text._form(path.read_bytes())[0] or "plain"
    return list(plain_text._turns(text_lines.lines_of(path), plain_text._Dialect(plain_text._PATTERNS[form])))


def test_a_first_turn_may_be_longer_than_what_is_looked_at_first(home: Home, tmp_path: Path) -> None:
    pasted = "\n".join(f"line {number} of what was pasted" for number in range(8_000))
    path = tmp_path / "long.txt"
    path.write_text(f"User: please read this\n{pasted}\n\nAssistant: Noted.\n\nUser: thanks\n")
    assert path.stat().st_size > 3 * 64 * 1024
    take(home, path)
    assert [(role, content[-20:]) for role, _, content in said(home)] == [
        ("user", pasted[-20:]),
        ("assistant", "Noted."),
        ("user", "thanks"),
    ]
    path.write_text(f"User: please read this\n{pasted}\n")
    with pytest.raises(WorkbenchError, match="is not a transcript"):
        choose(path)
