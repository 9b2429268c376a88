"""Canonical files: names, merging, and what a crash or a full disk leaves."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.errors import StorageFull, WorkbenchError
from workbench.home import Home
from workbench.sessions import canonical, merging, store
from workbench.sessions.merging import Merged
from workbench.sessions.model import Message, Session, message_id

KEY = "cli:direct"


def say(identity: str, content: str = "", **fields: str) -> Message:
    return Message(identity, **{"role": "user", "origin": "user", "content": content or identity, **fields})


def merge(home: Home, *messages: Message, dropped: tuple[str, ...] = (), title: str | None = None) -> Merged:
    done = store.merge(home, Session(KEY, title=title), iter(messages), dropped)
    assert done.file == (path(home).name if path(home).exists() else "")
    return replace(done, file="")


def path(home: Home) -> Path:
    return store.path_of(home, KEY)


def rows(home: Home) -> list[dict[str, Any]]:
    return [row for _, _, row in canonical.read_messages(path(home)) if row]


def contents(home: Home) -> list[str]:
    return [row["content"] for row in rows(home)]


NAMES = {
    "claude-code:abc": "claude-code_abc",
    "cli:direct": "cli_direct",
    "a_b:c_d": "a%5Fb_c_d",
    "plain": "plain",
    "a:b:c": "a_b%3Ac",
    "x:../../etc/passwd": "x_..%2F..%2Fetc%2Fpasswd",
    ".hidden": "%2Ehidden",
    "x:log.full": "x_log%2Efull",
    "私:話": "%E7%A7%81_%E8%A9%B1",
    "x:~": "x_%7E",
}


@pytest.mark.parametrize("key", NAMES)
def test_name(key: str) -> None:
    assert canonical.name_of(key) == NAMES[key]


@given(st.text(st.characters(), min_size=1))
@example("a_b_c:d_e:f%20")
@example("x:.full")
def test_names_can_be_read_back(key: str) -> None:
    name = canonical.name_of(key)
    assert len(name) <= canonical.MAX_NAME
    assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-%")
    if len(name) < canonical.MAX_NAME - 20:
        assert canonical.key_of(name) == key


def test_long_and_clashing_names(home: Home) -> None:
    long, other = "x:" + "a" * 300, "x:" + "a" * 299 + "b"
    assert canonical.name_of(long) != canonical.name_of(other)
    store.merge(home, Session(long), [say("1")])
    assert canonical.read_header(store.path_of(home, long))["key"] == long
    # A file of this name that holds another conversation (a case-blind disk, a copy) is not written to.
    merge(home, say("1"))
    path(home).write_bytes(path(home).read_bytes().replace(b'"cli:direct"', b'"cli:Direct"'))
    merge(home, say("2"))
    assert canonical.read_header(home.sessions / "cli_direct.jsonl")["key"] == "cli:Direct"
    assert canonical.read_header(path(home))["key"] == KEY


def test_merge(home: Home) -> None:
    """Known messages keep their places, changed ones change there, new ones follow, missing ones stay."""
    assert merge(home, say("a"), say("b"), say("c")) == Merged(new=3)
    before = path(home).read_bytes()
    assert merge(home, say("a"), say("b"), say("c")) == Merged(unchanged=3)
    assert path(home).read_bytes() == before
    assert merge(home, say("d")) == Merged(new=1)
    assert path(home).read_bytes().startswith(before)
    assert merge(home, say("c"), say("b", "b, a"), say("e"), dropped=("a", "zzz")) == Merged(1, 1, 1, 1)
    assert contents(home) == ["b, a", "c", "d", "e"]
    assert stat.S_IMODE(path(home).stat().st_mode) == 0o600
    assert [entry.name for entry in os.scandir(home.sessions) if entry.is_file()] == ["cli_direct.jsonl"]


def test_no_source_takes_back_what_was_said(home: Home) -> None:
    """Told otherwise, a message stays as it was first, and the later version stands behind it; a text may grow."""
    merge(home, say("a", "I deploy on Fridays"), say("b", "Fri"), say("c", "kept"))
    ids = [row["id"] for row in rows(home)]
    forged = (say("a", "I never deploy"), say("b", "Friday"), say("c", "gone", role="assistant", origin="assistant"))
    assert merge(home, *forged, dropped=("c",)) == Merged(updated=3)
    told = [(row["state"], row["content"]) for row in rows(home)]
    assert told == [
        ("active", "I deploy on Fridays"),
        ("withdrawn", "I never deploy"),
        ("active", "Friday"),
        ("active", "kept"),
        ("withdrawn", "gone"),
    ]
    assert [row["id"] for row in rows(home) if "parent" not in row] == ids
    assert [row["parent"] for row in rows(home) if row["id"] not in ids] == ["a", "c"]
    image = path(home).read_bytes()
    assert merge(home, *forged) == Merged(unchanged=3)
    assert path(home).read_bytes() == image
    assert merge(home, say("a", "I never deploy", state="withdrawn")).updated == 1
    assert (rows(home)[0]["state"], rows(home)[0]["content"]) == ("withdrawn", "I deploy on Fridays")


def test_what_was_said_later_of_an_erased_message_goes_with_it(home: Home) -> None:
    merge(home, say("a", "I deploy on Fridays"), say("b", "kept"))
    merge(home, say("a", "I deploy on Sundays"))
    first = rows(home)[0]["id"]
    assert store.erase(home, KEY, {first}) == 1
    assert contents(home) == ["[erased]", "[erased]", "kept"]
    merge(home, say("a", "I deploy on Mondays"))
    assert contents(home) == ["[erased]", "[erased]", "kept"]


def test_an_identity_given_twice_is_one_message(home: Home) -> None:
    assert merge(home, say("a", "draft"), say("b"), say("a", "final")).new == 2
    assert contents(home) == ["final", "b"]


def test_metadata(home: Home) -> None:
    session = Session(KEY, "First", "/p", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z", "/src.jsonl", {"extra": 1})
    store.merge(home, session, [say("a")])
    later = Session(KEY, "Second", "/other", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "/other.jsonl")
    store.merge(home, later, [say("a")])
    assert canonical.read_header(path(home)) == {
        "_type": "metadata",
        "key": KEY,
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-03T00:00:00Z",
        "metadata": {"extra": 1, "title": "Second", "project": "/p", "source": "/other.jsonl"},
    }
    assert contents(home) == ["a"]


def test_no_messages_make_no_file(home: Home) -> None:
    assert merge(home) == Merged()
    assert not path(home).exists()


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_tail_is_cut_and_written_again(home: Home, cut: int) -> None:
    merge(home, say("a"), say("b"))
    whole = path(home).read_bytes()
    path(home).write_bytes(whole[:-cut])
    merge(home, say("a"), say("b"), say("c"))
    assert contents(home) == ["a", "b", "c"]
    assert all(orjson.loads(line) for line in path(home).read_bytes().splitlines())


def test_bad_lines_are_kept_as_they_are_until_there_are_too_many(home: Home) -> None:
    merge(home, say("a"), say("b"))
    with path(home).open("ab") as out:
        out.write(b"{scribble\n")
    merge(home, say("a", "a, whole"), say("c"))
    assert contents(home) == ["a, whole", "b", "c"]
    assert b"{scribble\n" in path(home).read_bytes()
    with path(home).open("ab") as out:
        out.write(b"{scribble\n" * 51)
    before = path(home).read_bytes()
    with pytest.raises(WorkbenchError, match=r"damaged \(52 unreadable lines, 3 good ones\)"):
        merge(home, say("d"))
    assert path(home).read_bytes() == before


TORN = {
    "a line cut short": (b'{"id": 5, "ident', b""),
    "zeros of a power cut": (b"\0" * 100, b"\0" * 100 + b"\n"),
    "scribble without an end": (b"precious words", b"precious words\n"),
    "a line cut short, then zeros": (b'{"id": 5, "ident' + b"\0" * 100, b""),
}


@pytest.mark.parametrize("name", TORN)
def test_only_a_torn_line_is_cut(name: str, home: Home) -> None:
    """What no write of ours leaves behind stays where it is; what follows is readable all the same."""
    tail, kept = TORN[name]
    merge(home, say("a"))
    before = path(home).read_bytes()
    path(home).write_bytes(before + tail)
    merge(home, say("b"))
    assert contents(home) == ["a", "b"]
    assert path(home).read_bytes().startswith(before + kept + b'{"id"')


@pytest.mark.parametrize("garbage", [b"garbage", b"{broken\n" * 60, bytes(5_000), b'{"id": 5, "ident', b'{"a": 1}\n'])
def test_a_file_that_holds_nothing_readable_is_kept_under_another_name(garbage: bytes, home: Home) -> None:
    merge(home, say("a"))
    whole = path(home).read_bytes()
    path(home).write_bytes(garbage)
    done = merge(home, say("a"))
    assert done.new == 1 and done.aside is not None
    assert path(home).read_bytes() == whole
    assert (home.sessions / done.aside).read_bytes() == garbage
    assert [entry.name for entry in store.canonical_files(home)] == [path(home).name]


def test_an_odd_header_is_replaced(home: Home) -> None:
    merge(home, say("a"))
    lines = path(home).read_bytes().splitlines(keepends=True)
    odd = b'{"_type":"metadata","key":"cli:direct","created_at":5,"updated_at":[],"metadata":"x"}\n'
    path(home).write_bytes(odd + lines[1])
    merge(home, say("b"), title="T")
    assert canonical.read_header(path(home))["metadata"] == {"title": "T"}
    assert contents(home) == ["a", "b"]


def test_the_metadata_line_is_renewed_when_the_source_rests(home: Home) -> None:
    def times(*, quiet: bool, **span: str) -> tuple[str, str]:
        store.merge(home, Session(KEY, **span), [say(span["updated_at"])], quiet=quiet)
        header = canonical.read_header(path(home))
        return header["created_at"], header["updated_at"]

    assert times(quiet=False, created_at="2026-01-02", updated_at="2026-01-03") == ("2026-01-02", "2026-01-03")
    assert times(quiet=False, created_at="2026-01-02", updated_at="2026-01-04") == ("2026-01-02", "2026-01-03")
    assert times(quiet=True, created_at="2026-01-02", updated_at="2026-01-05") == ("2026-01-02", "2026-01-05")
    before = path(home).stat()
    for time in ("2026-01-05", "2026-01-01", "nonsense", None):
        store.renew(home, path(home).name, time)
    assert path(home).stat() == before
    store.renew(home, path(home).name, "2026-01-06")
    assert canonical.read_header(path(home))["updated_at"] == "2026-01-06"
    assert contents(home) == ["2026-01-03", "2026-01-04", "2026-01-05"]


def failing(*messages: Message) -> Iterator[Message]:
    yield from messages
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("existing", [False, True])
def test_a_failure_on_the_way_leaves_everything_as_it_was(home: Home, existing: bool) -> None:
    if existing:
        merge(home, say("a"))
    before = path(home).read_bytes() if existing else None
    many = [say(str(number), "x" * 10_000) for number in range(300)]
    with pytest.raises(StorageFull, match="disk full"):
        store.merge(home, Session(KEY), failing(say("a", "A"), *many))
    assert (path(home).read_bytes() if path(home).exists() else None) == before
    assert [entry.name for entry in os.scandir(home.sessions) if entry.is_file()] == (
        [path(home).name] if existing else []
    )
    assert merge(home, say("a"), *many).new == (300 if existing else 301)


def test_leftovers_of_a_killed_process_go(home: Home) -> None:
    merge(home, say("a"))
    leftover = home.sessions / f".{path(home).name}.{'0' * 16}.tmp"
    leftover.write_bytes(b"half")
    assert store.remove_leftovers(home) == 1
    assert not leftover.exists()
    assert contents(home) == ["a"]


def test_links_are_not_followed(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "precious.jsonl"
    target.write_bytes(b"precious\n")
    path(home).symlink_to(target)
    with pytest.raises(WorkbenchError, match="symbolic link"):
        merge(home, say("a"))
    assert target.read_bytes() == b"precious\n"


def test_ids_are_for_ever(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The published derivation, and a collision that is settled the same way each time."""
    assert message_id("claude-code:s", "u1") == 5_043_229_846_782_607_108
    monkeypatch.setattr(merging, "message_id", lambda key, identity, taken=(): max(taken, default=4) + 1)
    merge(home, say("a"), say("b"))
    merge(home, say("b"), say("a"), say("c"))
    assert [(row["identity"], row["id"]) for _, _, row in canonical.read_messages(path(home)) if row] == [
        ("a", 5),
        ("b", 6),
        ("c", 7),
    ]
