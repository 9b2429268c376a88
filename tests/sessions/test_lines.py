"""Lines as they come from disks that were full, editors that add a BOM, and programs that were killed."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.rows import dump, said, take, user, write
from workbench import db
from workbench.home import Home
from workbench.sessions import index, sources
from workbench.sessions.importers import lines

GOOD = dump([user("first", "u1")]), dump([user("last", "u9")])

# What stands between two good rows, and how many lines of it can't be used.
BETWEEN: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 0),
    "blank lines": (b"\n  \n\r\n", 0),
    "nul padding alone": (b"\x00" * 4096 + b"\n", 0),
    "nul padding before a row": (b"\x00" * 4096 + dump([user("more", "u2")]), 0),
    "a torn row, nul padding, a row": (b'{"type":"user","mess' + b"\x00" * 512 + dump([user("more", "u2")]), 0),
    "a torn row": (b'{"type":"user","mess\n', 1),
    "nan": (dump([user("more", "u2", cost=float("nan"))]), 0),
    "broken utf-8": (dump([user("more", "u2")]).replace(b"more", b"m\xffore"), 0),
    "raw control character": (dump([user("more", "u2")]).replace(b"more", b"mo\x01re"), 0),
    "a number of 5,000 digits": (b'{"type":"user","message":' + b"9" * 5_000 + b"}\n", 1),
    "100,000 levels": (b"[" * 100_000 + b"\n", 1),
    "utf-16": ("hello\n".encode("utf-16"), 1),
    "doubled keys": (
        b'{"type":"x","type":"user","sessionId":"5e551071-0000-4000-8000-000000000001","uuid":"u2",'
        b'"message":{"content":"more"}}\n',
        0,
    ),
}


@pytest.mark.parametrize("name", BETWEEN)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_one_bad_line_costs_one_line(name: str, ending: bytes, home: Home, tmp_path: Path) -> None:
    between, bad = BETWEEN[name]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + (GOOD[0] + between + GOOD[1]).replace(b"\n", ending))
    (source,) = take(home, path).sources
    texts = [content for _, _, content in said(home)]
    assert (texts[0], texts[-1]) == ("first", "last")
    assert len(texts) == (3 if b"u2" in between else 2)
    assert source["quarantined"] == bad


def test_quarantine_names_the_byte(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [user("é", "u1"), b"{oops\r\n", user("last", "u2")])
    take(home, path)
    ((offset, reason),) = [(row["byte_offset"], row["reason"]) for row in sources.quarantined(home)]
    assert path.read_bytes()[offset:].startswith(b"{oops")
    assert "not JSON" in reason


def test_a_line_over_the_limit_is_skipped_without_being_held(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as out:
        out.write(GOOD[0])
        out.truncate(len(GOOD[0]) + 200 * 1024 * 1024)  # 200 MB of nothing, no line end
        out.seek(0, io.SEEK_END)
        out.write(b"x\n" + GOOD[1])
    tracemalloc.start()
    (source,) = take(home, path).sources
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [content for _, _, content in said(home)] == ["first", "last"]
    assert source["quarantined"] == 1
    assert peak < 60 * 1024 * 1024


def test_an_unfinished_last_line_waits(home: Home, tmp_path: Path) -> None:
    whole = GOOD[0] + GOOD[1]
    path = tmp_path / "s.jsonl"
    path.write_bytes(whole[:-20])
    (source,) = take(home, path).sources
    assert (source["read"], source["quarantined"], len(said(home))) == (1, 0, 1)
    path.write_bytes(whole)
    assert take(home, path).new == 1
    path.write_bytes(whole.rstrip(b"\n"))  # finished, though without a line end
    assert take(home, path).new == 0
    assert len(said(home)) == 2


def test_a_file_that_holds_only_an_unfinished_line_is_read_when_it_is_finished(home: Home, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", [user("hello", "u1", sessionId="other")])
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD[0][:-20])
    assert [str(path) in error for error in take(home, other, path).errors] == [True]
    path.write_bytes(GOOD[0])
    report = take(home, other, path)
    assert (report.errors, report.new) == ([], 1)


@given(st.lists(st.binary(max_size=40).filter(lambda piece: b"\n" not in piece and b"\r" not in piece)), st.booleans())
def test_lines_are_what_split_gives(pieces: list[bytes], ended: bool) -> None:
    data = b"\n".join(pieces) + (b"\n" if ended and pieces else b"")
    found = [(offset, line) for offset, line, _ in lines.read_lines(io.BytesIO(data))]
    expected, offset = [], 0
    for piece in data.split(b"\n"):
        if piece.strip(b" \t\n\r\x00\x0b\x0c"):
            expected.append((offset, piece))
        offset += len(piece) + 1
    assert [item for item in found if item[1] and item[1].strip(b" \t\n\r\x00\x0b\x0c")] == expected


@pytest.mark.parametrize("size", [1, 7, 64])
def test_lines_do_not_depend_on_chunks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a\n" + b"b" * 50 + b"\n\n" + b"c" * 9 + b"\r\nd"
    whole = list(lines.read_lines(io.BytesIO(data), limit=20))
    monkeypatch.setattr(lines, "_CHUNK", size)
    assert list(lines.read_lines(io.BytesIO(data), limit=20)) == whole
    assert whole == [(0, b"a", True), (2, None, True), (54, b"c" * 9, True), (65, b"d", False)]


def test_the_index_takes_what_lines_give(home: Home, tmp_path: Path) -> None:
    """Text that SQLite can't hold as it is was made storable on the way in."""
    take(home, write(tmp_path / "s.jsonl", [user("a\x00b \ud800 c", "u\x001")]))
    with db.read(home.session_index, index.SCHEMA) as connection:
        row = connection.execute("SELECT identity, content FROM messages").fetchone()
    assert tuple(row) == ("u1", "ab \ufffd c")
