"""Zip archives, whole and broken: what is in them is read as if it lay on disk, and nothing they say is believed."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.homes import fresh_home
from tests.sessions.rows import assistant, dump, said, stored, take, user, write
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions import archives
from workbench.sessions.discover import expand
from workbench.sessions.importers import choose, documents, lines, sample
from workbench.sessions.importers.lines import Counts
from workbench.sessions.importers.readable import size_of

TALK = dump([user("I prefer tabs", "u1"), assistant("Noted.", "a1", "u1")])
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """An archive of these files."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def patched(path: Path, change: Callable[[bytearray], None]) -> Path:
    """The archive with some of its bytes changed."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return path


def central(offset: int, form: str, value: int) -> Callable[[bytearray], None]:
    """A change of the field at ``offset`` in the first entry of the directory."""
    return lambda data: struct.pack_into(form, data, data.index(CENTRAL) + offset, value)


def contents(path: Path) -> dict[str, bytes]:
    """What is in an archive."""
    with archives.opened(path) as members:
        return {member.info.filename: member.open("rb").read() for member in members}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members(method: int, tmp_path: Path) -> None:
    """By path, without the folders; each with the names that a file on disk has."""
    files = {f"export/{n % 7}/part-{n:03}.json": json.dumps([n] * n).encode() for n in range(300)}
    path = zipped(tmp_path / "e.zip", {"export/": b"", **files}, method)
    assert contents(path) == files
    with archives.opened(path) as members:
        assert [member.info.filename for member in members] == sorted(files)
        last = members[-1]
    assert (last.name, last.stem, last.suffix) == ("part-293.json", "part-293", ".json")
    assert last.parts == (*path.parts, "export", "6", "part-293.json")
    assert str(last) == f"{path}/export/6/part-293.json"


def test_zip64(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w") as archive, archive.open("big.jsonl", "w", force_zip64=True) as member:
        member.write(TALK)
    assert contents(path) == {"big.jsonl": TALK}


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "tar"])
def test_archives_of_other_kinds_are_named(kind: str, home: Home, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("a.jsonl"), io.BytesIO(TALK))
    plain = (tmp_path / "t.tar").read_bytes()
    packed = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "tar": bytes}[kind](plain)
    path = write(tmp_path / "talks.jsonl", [packed])
    with pytest.raises(WorkbenchError, match=rf"talks\.jsonl is an archive \({kind[:2]}\w*\); unpack it"):
        take(home, path)


NAMES: dict[str, tuple[bytes, str, str, str]] = {
    "absolute": (b"/etc/chat.jsonl", "chat.jsonl", "chat", "/etc/chat.jsonl"),
    "upwards": (b"../../../chat.jsonl", "chat.jsonl", "chat", "../../../chat.jsonl"),
    "of Windows": (b"a\\b\\chat.jsonl", "chat.jsonl", "chat", "a\\b\\chat.jsonl"),
    "a drive": (b"C:\\chat.jsonl", "chat.jsonl", "chat", "C:\\chat.jsonl"),
    "no UTF-8": (b"caf\x82.jsonl", "café.jsonl", "café", "café.jsonl"),
    "a line break": (b"a\nb.jsonl", "a\nb.jsonl", "a\nb", "a b.jsonl"),
    "an escape": (b"\x1b[2J.jsonl", "\x1b[2J.jsonl", "\x1b[2J", "\\u{1b}[2J.jsonl"),
    "none": (b"", "e.zip", "e", ""),
    "a dot": (b".", "e.zip", "e", "."),
}


@pytest.mark.parametrize("case", NAMES)
def test_odd_names_are_only_names(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw, name, stem, shown = NAMES[case]
    path = zipped(tmp_path / "e.zip", {"~" * len(raw) or "~": TALK}, zipfile.ZIP_STORED)
    data = path.read_bytes()
    if raw:
        data = data.replace(b"~" * len(raw), raw)
    else:  # take the one letter out of both places
        end = data.index(END)
        at = struct.unpack_from("<I", data, end + 16)[0]
        entry = bytearray(data[at:end])
        struct.pack_into("<H", entry, 28, 0)
        head = bytearray(data[:31])
        struct.pack_into("<H", head, 26, 0)
        tail = bytearray(data[end:])
        struct.pack_into("<II", tail, 12, len(entry) - 1, at - 1)
        data = bytes(head[:30] + data[31:at] + entry[:46] + entry[47:] + tail)
    path.write_bytes(data)
    monkeypatch.chdir(tmp_path)
    with archives.opened(path) as (member,):
        assert (member.name, member.stem, str(member)) == (name, stem, f"{path}/{shown}")
        assert member.open("rb").read() == TALK
        assert choose(member).name == "claude-code"
    assert list(tmp_path.iterdir()) == [path]  # nothing was unpacked


def test_the_stream_of_a_member_is_that_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = os.urandom(50_000) + b"\n" * 50_000
    path, plain = zipped(tmp_path / "e.zip", {"a": data}), tmp_path / "a"
    plain.write_bytes(data)
    with archives.opened(path) as (member,), member.open("rb") as packed, plain.open("rb") as file:
        for offset, whence, size in [(10, 0, 5), (70_000, 0, 9), (3, 0, 90_000), (-5, 2, 99), (0, 0, 1), (7, 1, 3)]:
            assert packed.seek(offset, whence) == file.seek(offset, whence)
            assert packed.read(size) == file.read(size)
            assert packed.tell() == file.tell()
        assert packed.seek(200_000) == 200_000 and packed.read(1) == b""
        assert packed.seek(0) == file.seek(0) == 0
        assert list(packed) == list(file)
        pieces, more = [], archives._Stream._more
        monkeypatch.setattr(archives._Stream, "_more", lambda stream: pieces.append(1) or more(stream))
        assert (size_of(member), len(pieces)) == (len(data), 1)  # its end is not sought by reading it


def test_a_member_is_sniffed_and_read_as_the_file_is(tmp_path: Path) -> None:
    files = {"d.json": b'[{"n":1},\n{"n":2}]', "l.jsonl": TALK, "t.txt": b"words"}
    path = zipped(tmp_path / "e.zip", files)
    with archives.opened(path) as members:
        for member in members:
            plain = tmp_path / member.name
            plain.write_bytes(files[member.name])
            one, other = sample(member), sample(plain)
            assert replace(one, more=bytes) == replace(other, more=bytes)
            assert one.more() == other.more()
            assert list(documents.items(member, Counts())) == list(documents.items(plain, Counts()))
            assert list(lines.rows(member, Counts())) == list(lines.rows(plain, Counts()))


def refused(path: Path) -> str:
    """Why an archive is not read, on one line that begins with its name."""
    with pytest.raises(WorkbenchError) as raised, archives.opened(path):
        pytest.fail("it was opened")
    reason = str(raised.value)
    assert reason.startswith(str(path)) and "\n" not in reason
    return reason


def test_an_encrypted_archive(tmp_path: Path) -> None:
    path = patched(zipped(tmp_path / "e.zip", {"a.jsonl": TALK}), central(8, "<H", 1))
    assert refused(path) == f"{path} is encrypted; unpack it, and name the folder"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_cannot_be_bounded(method: int, tmp_path: Path) -> None:
    assert "packed in an unusual way" in refused(zipped(tmp_path / "e.zip", {"a.jsonl": TALK}, method))


def test_a_way_of_packing_that_nobody_knows(tmp_path: Path) -> None:
    assert "unusual way" in refused(patched(zipped(tmp_path / "e.zip", {"a": TALK}), central(10, "<H", 99)))


def test_a_bomb(tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", {"a.jsonl": b"\0" * (20 << 20), "b.jsonl": os.urandom(1 << 20)})
    assert "'a.jsonl' would unpack from 20,3" in refused(path)


def test_what_is_small_unpacked_is_no_bomb(tmp_path: Path) -> None:
    data = b"\0" * (2 << 20)
    assert contents(zipped(tmp_path / "e.zip", {"a": data})) == {"a": data}


def test_a_member_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBER", 100)
    assert "would unpack from 101 to 101 bytes" in refused(
        zipped(tmp_path / "e.zip", {"a": b"x" * 101}, zipfile.ZIP_STORED)
    )


def test_members_over_the_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL", 1_000)
    path = zipped(tmp_path / "e.zip", {str(n): b"x" * 101 for n in range(10)})
    assert refused(path) == f"{path} would unpack to 1,010 bytes; unpack it, and name the folder"


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    assert len(contents(zipped(tmp_path / "two.zip", {"a/": b"", "a/1": b"", "a/2": b""}))) == 2
    assert "holds 3 files, over 2" in refused(zipped(tmp_path / "three.zip", {"1": b"", "2": b"", "3": b""}))


def test_members_that_share_their_bytes(tmp_path: Path) -> None:
    """A directory that names one file a hundred times over: small by each entry, large by all of them."""
    path = zipped(tmp_path / "e.zip", {"a.jsonl": b"\0" * (10 << 20)})
    data = path.read_bytes()
    at, end = data.index(CENTRAL), data.index(END)
    entries = data[at:end] * 100
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, 100, 100, len(entries))
    path.write_bytes(data[:at] + entries + tail)
    assert "would unpack to 1,048,576,000 bytes" in refused(path)


def test_a_member_that_lies_about_its_size_packed(tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", {"a.jsonl": b"\0" * (20 << 20)})
    assert "would unpack to 20,971,520 bytes" in refused(patched(path, central(20, "<I", 1 << 30)))


def test_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    """It gives no more than it said, however much there is; less is less."""
    data = b"".join(b'{"n":%d}\n' % n for n in range(100_000))
    short = patched(zipped(tmp_path / "s.zip", {"a.jsonl": data}), central(24, "<I", 1_000))
    long = patched(zipped(tmp_path / "l.zip", {"a.jsonl": data}), central(24, "<I", len(data) + 9))
    with archives.opened(short) as (member,):
        assert member.open("rb").read() == data[:1_000]
        assert member.damage == ["its checksum is another one"]
    patched(short, central(16, "<I", zlib.crc32(data[:1_000])))
    with archives.opened(short) as (member,):
        assert member.open("rb").read() == data[:1_000]
        assert member.damage == []
    with archives.opened(long) as (member,):
        assert member.open("rb").read() == data
        assert member.damage == ["it ends early"]


def second(data: bytearray) -> int:
    """Where the second member begins."""
    return data.index(LOCAL, 4)


def bad_header(data: bytearray) -> None:
    data[second(data)] = 0


def bad_byte(data: bytearray) -> None:
    data[second(data) + 900] ^= 0xFF


def zeros(data: bytearray) -> None:
    data[second(data) + 800 : second(data) + 1_000] = bytes(200)


def other_sum(data: bytearray) -> None:
    data[data.rindex(CENTRAL) + 16] ^= 0xFF


def cut_off(data: bytearray) -> None:
    del data[second(data) + 900 :]


def no_list(data: bytearray) -> None:
    del data[data.index(CENTRAL) :]


def zeros_in_the_list(data: bytearray) -> None:
    at = data.index(CENTRAL)
    data[at : at + 20] = bytes(20)


# What is done to an archive, what is said of its second file, and how much of that is read at least (and at most).
DAMAGED: dict[str, tuple[Callable[[bytearray], None], int, str, float, float]] = {
    "header": (bad_header, zipfile.ZIP_DEFLATED, "its header is gone", 0, 0),
    "stored byte": (bad_byte, zipfile.ZIP_STORED, "its checksum is another one", 0.98, 1),
    "stored zeros": (zeros, zipfile.ZIP_STORED, "its checksum is another one", 0.9, 1),
    "stored, cut off": (cut_off, zipfile.ZIP_STORED, "the archive's list of files is gone", 0.02, 0.1),
    "zeros": (zeros, zipfile.ZIP_DEFLATED, "", 0.1, 0.99),
    "checksum": (other_sum, zipfile.ZIP_DEFLATED, "its checksum is another one", 1, 1),
    "cut off": (cut_off, zipfile.ZIP_DEFLATED, "the archive's list of files is gone", 0.1, 0.99),
    "no list": (no_list, zipfile.ZIP_DEFLATED, "the archive's list of files is gone", 1, 1),
    "zeros in the list": (zeros_in_the_list, zipfile.ZIP_DEFLATED, "the archive's list of files is gone", 1, 1),
}
WORDS = dump(user(f"{zlib.crc32(bytes([n])):x} {n}", f"u{n}", cwd=None, parentUuid=None) for n in range(100))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_archive(case: str, streamed: bool, home: Home, tmp_path: Path) -> None:
    """It is said which file of it, and that a new download mends it; what stands before the damage is kept."""
    change, method, reason, least, most = DAMAGED[case]
    first = dump([user("I like tea", "u2", sessionId="first")])
    path = zipped(tmp_path / "e.zip", {"a.jsonl": first, "z.jsonl": WORDS}, method)
    if streamed:  # as programs write one that can't go back: what says the sizes stands behind
        with path.open("wb") as file, zipfile.ZipFile(Behind(file), "w", method) as archive:
            archive.writestr("a.jsonl", first)
            archive.writestr("z.jsonl", WORDS)
    patched(path, change)
    with archives.opened(path) as (whole, damaged):
        assert whole.open("rb").read() == first and whole.damage == []
        data = damaged.open("rb").read()
    kept = data if method == zipfile.ZIP_DEFLATED else WORDS[: len(data)]
    assert case == "zeros" or WORDS.startswith(kept)
    report = take(home, path)
    (problem,) = report.damaged
    assert problem.startswith(f"z.jsonl in {path} is damaged ({reason}") and problem.endswith("; download it again")
    assert least <= (len(said(home)) - 1) / 100 <= most
    again = take(home, path)
    assert (again.unchanged, again.damaged, again.new) == (1, [problem], 0)


class Behind(io.RawIOBase):
    """A file that can only be written on."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def write(self, data: Any) -> int:
        return self.file.write(data)


def test_an_archive_of_which_nothing_is_left(home: Home, tmp_path: Path) -> None:
    path = zipped(tmp_path / "e.zip", {"a.jsonl": TALK})
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(WorkbenchError, match=r"^a.jsonl in .*e\.zip is damaged \(.*\); download it again$"):
        take(home, path)
    path.write_bytes(path.read_bytes()[:20])
    assert f"{path} is damaged" in refused(path)


def test_what_is_no_archive(tmp_path: Path) -> None:
    for name, data in {"empty": b"", "text": b"PK is not enough", "jsonl": TALK}.items():
        (tmp_path / name).write_bytes(data)
        assert not archives.is_zip(tmp_path / name)
    empty = zipped(tmp_path / "none.zip", {})
    assert archives.is_zip(empty) and contents(empty) == {}
    assert archives.is_zip(zipped(tmp_path / "one.zip", {"a": b""}))


WHOLE = io.BytesIO()
with zipfile.ZipFile(WHOLE, "w", zipfile.ZIP_DEFLATED) as made:
    made.writestr("a/1.jsonl", TALK)
    made.writestr("é.txt", b"words " * 100)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE.getvalue()) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_any_damage_is_said_or_one_error(tmp_path_factory: pytest.TempPathFactory, changes: list[Any]) -> None:
    data = bytearray(WHOLE.getvalue())
    for at, byte in changes:
        data[at] = byte
    path = tmp_path_factory.mktemp("z") / "e.zip"
    path.write_bytes(data)
    try:
        with archives.opened(path) as members:
            for member in members:
                assert len(member.open("rb").read()) <= member.info.file_size
    except WorkbenchError as error:
        assert str(path) in str(error)


def test_an_export(home: Home, tmp_path: Path) -> None:
    """Conversations in folders, pictures, a page, an archive in the archive: what is none is said, by name."""
    inner = zipped(tmp_path / "inner.zip", {"hidden.jsonl": dump([user("never read", "h1", sessionId="h")])})
    members = {
        "export/2026/01/a.jsonl": TALK,
        "export/2026/02/b.jsonl": dump([user("I like tea", "u2", sessionId="two")]),
        "export/chats.json": json.dumps(
            [{"id": f"conversation-{n:05}", "messages": [{"role": "user", "content": f"chat {n}"}]} for n in range(3)]
        ).encode(),
        "export/chat.html": b"<html>I like tea</html>",
        "export/dalle/picture.png": b"\x89PNG\r\n" + os.urandom(200),
        "export/old.zip": inner.read_bytes(),
        "__MACOSX/export/._a.jsonl": b"\0\5\26\7\0\2",
    }
    (tmp_path / "downloads").mkdir()
    path = zipped(tmp_path / "downloads/export.zip", members)

    report = take(home, path)

    assert sorted(content for _, _, content in said(home)) == [
        "I like tea", "I prefer tabs", "Noted.", "chat 0", "chat 1", "chat 2",
    ]  # fmt: skip
    (source,) = report.sources
    assert (source["sessions"], source["messages"], source["quarantined"]) == (5, 6, 0)
    assert report.errors == []
    assert report.remarks == [f"{path}/export/old.zip is an archive within one; it was left alone: unpack it"]
    (skipped,) = report.skipped_files
    assert skipped.startswith(f"{path}: 4 of its files are no conversations: __MACOSX/export/._a.jsonl, ")
    assert [found.path for found in expand(path.parent)] == [path]
    assert take(home, path).unchanged == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_without_a_conversation(method: int, home: Home, tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"hidden.jsonl": TALK}, zipfile.ZIP_STORED)
    outer = zipped(tmp_path / "outer.zip", {"inner.jsonl": inner.read_bytes()}, method)
    for path, count in ((outer, 1), (zipped(tmp_path / "empty.zip", {}), 0)):
        with pytest.raises(WorkbenchError, match=f"holds no transcript this program knows in its {count} files"):
            take(home, path)


AIDER = b"""
# aider chat started at 2026-01-02 10:00:00

> Aider v0.86.1

#### use tabs

Done.
"""
SPECSTORY = b"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-01-02 10:00:00Z

<!-- Claude Code Session 5e551071-0000-4000-8000-000000000009 (2026-01-02 10:00:00Z) -->

_**User (2026-01-02 10:00:00Z)**_

use tabs
"""
KINDS: dict[str, tuple[str, bytes]] = {
    "claude-code": ("projects/p/s.jsonl", TALK),
    "claude-code without ids": ("p/my-session.jsonl", dump([{"type": "user", "message": {"content": "hello"}}])),
    "flowly": ("sessions/telegram_7.jsonl", dump([{"_type": "metadata"}, {"role": "user", "content": "hello"}])),
    "a profile": (
        "profiles/work/sessions/cli_direct.jsonl",
        dump([{"_type": "metadata"}, {"role": "user", "content": "hello"}]),
    ),
    "nanobot": (
        ".nanobot/sessions/telegram_7.jsonl",
        dump([{"_type": "metadata"}, {"role": "user", "content": "hello"}]),
    ),
    "generic lines": ("chat.jsonl", dump([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}])),
    "generic document": ("chat.json", json.dumps({"messages": [{"role": "user", "content": "hi"}]}, indent=1).encode()),
    "aider": ("project/.aider.chat.history.md", AIDER),
    "specstory": ("project/.specstory/history/x.md", SPECSTORY),
    "text": ("chat.txt", b"User: hello\nAssistant: hi\n"),
}


def shapes(home: Home) -> Iterable[tuple[Any, ...]]:
    return [
        tuple(message[name] for name in ("session_key", "id", "identity", "role", "origin", "content"))
        for message in stored(home)
    ]


@pytest.mark.parametrize("case", KINDS)
def test_packed_and_unpacked_give_the_same(case: str, home: Home, tmp_path: Path) -> None:
    """The same sessions, ids and messages; and the one after the other gives nothing new."""
    name, data = KINDS[case]
    plain, packed = write(tmp_path / name, [data]), zipped(tmp_path / "e.zip", {name: data})
    windows = zipped(tmp_path / "w.zip", {name.replace("/", "\\"): data})
    assert take(home, plain).new > 0
    for path in (packed, windows):
        other = fresh_home(tmp_path / path.stem)
        take(other, path)
        assert shapes(other) == shapes(home)
        assert take(home, path).new == 0
