"""Conversations without an id that begin alike are kept apart, wherever their files are and in whatever order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.homes import fresh_home
from tests.sessions.rows import stored, take
from workbench.home import Home
from workbench.sessions import index, store

Turns = list[str]
HI, A, B, C = ["hi", "Hello!"], ["tabs", "Noted."], ["tea", "A cup?"], ["tea", "Green?"]


def as_text(*talks: Turns) -> str:
    """Chats as plain text; there is one a file."""
    (talk,) = talks
    return "".join(f"{'Assistant' if number % 2 else 'User'}: {said}\n" for number, said in enumerate(talk))


def _messages(talk: Turns, role: str, content: str, names: tuple[str, str]) -> list[dict[str, str]]:
    return [{role: names[number % 2], content: said} for number, said in enumerate(talk)]


def as_lines(*talks: Turns) -> str:
    """Messages, one a line."""
    (talk,) = talks
    return "".join(json.dumps(row) + "\n" for row in _messages(talk, "role", "content", ("user", "assistant")))


def as_share_gpt(*talks: Turns) -> str:
    """Records of one array."""
    return json.dumps([{"conversations": _messages(talk, "from", "value", ("human", "gpt"))} for talk in talks])


def as_studio(*talks: Turns) -> str:
    """A prompt of AI Studio."""
    (talk,) = talks
    chunks = [{"role": ("user", "model")[number % 2], "text": said} for number, said in enumerate(talk)]
    return json.dumps({"runSettings": {"model": "m"}, "chunkedPrompt": {"chunks": chunks}})


WAYS = [as_text, as_lines, as_share_gpt, as_studio]
Way = Callable[..., str]


def talks(home: Home) -> list[Turns]:
    """What each conversation of a home holds."""
    found: dict[str, Turns] = {}
    for row in stored(home):
        found.setdefault(row["session_key"], []).append(row["content"])
    return sorted(found.values())


def keys(home: Home) -> list[str]:
    return sorted({row["session_key"] for row in stored(home)})


@pytest.mark.parametrize("way", WAYS)
def test_files_that_begin_alike(way: Way, tmp_path: Path) -> None:
    """Read in any order, again, moved, grown, after the index was lost: three conversations, none doubled."""
    told = {"a": [*HI, *A], "b": [*HI, *B], "c": [*HI, *C]}
    for number, order in enumerate(("abc", "cab", "bca")):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        paths = [folder / name for name in order]
        for path in paths:
            path.write_text(way(told[path.name]))
        each = fresh_home(tmp_path / f"home{number}")
        assert take(each, *paths).new == 12
        assert talks(each) == sorted(told.values())
    before = keys(each)
    moved = [path.rename(path.with_name(f"moved-{path.name}")) for path in reversed(paths)]
    assert (take(each, *moved).new, keys(each)) == (0, before)
    each.session_index.unlink()
    index.sync(each)
    assert (take(each, *moved).new, keys(each)) == (0, before)
    for path in moved:
        path.write_text(way([*told[path.name[-1]], "more of", path.name]))
    assert (take(each, *moved).new, keys(each)) == (6, before)
    assert all(len(talk) == 6 for talk in talks(each))


def test_records_of_one_array(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(as_share_gpt([*HI, *A], [*HI, *B], [*HI, *C], [*HI, *A]))
    assert take(home, path).new == 12
    assert talks(home) == sorted([[*HI, *A], [*HI, *B], [*HI, *C]])
    path.write_text(as_share_gpt([*HI, "new", "New."], [*HI, *C], [*HI, *A], [*HI, *B, "more"]))
    assert take(home, path).new == 5
    assert talks(home) == sorted([[*HI, "new", "New."], [*HI, *A], [*HI, *B, "more"], [*HI, *C]])


@pytest.mark.parametrize("way", [as_text, as_lines, as_studio])
def test_a_file_that_was_edited_stays_the_same_conversation(way: Way, home: Home, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(way([*HI, *A]))
    two.write_text(way([*HI, *B]))
    take(home, one, two)
    before = keys(home)
    two.write_text(way([*HI, "coffee", *B]))
    take(home, one, two)
    assert keys(home) == before and [*HI, *A] in talks(home)
    assert sum("coffee" in talk for talk in talks(home)) == 1
    two.rename(tmp_path / "three")
    one.rename(two)  # what is there now is what the other one was
    assert take(home, two).new == 0
    assert keys(home) == before


@pytest.mark.parametrize("way", [as_text, as_lines])
def test_two_that_part_later(way: Way, home: Home, tmp_path: Path) -> None:
    """As far as they are the same they are one; who goes on otherwise is another."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(way([*HI, *A]))
    two.write_text(way(HI))
    assert take(home, one, two).new == 4
    two.write_text(way([*HI, *B]))
    assert take(home, one, two).new == 4
    assert talks(home) == sorted([[*HI, *A], [*HI, *B]])
    headers = [store.canonical.read_header(Path(entry.path)) for entry in store.canonical_files(home)]
    assert sorted(header["metadata"]["source"] for header in headers) == [str(one), str(two)]
