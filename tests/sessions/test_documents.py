"""Files that are one JSON document: whatever its size and its faults, each element comes by itself."""

from __future__ import annotations

import io
import json
import math
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.sessions.importers import documents
from workbench.sessions.importers.lines import Counts

TEXTS = st.text() | st.text('[]{}",:\\/ \n\t\u2028é漢😀')
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=25,
)
DUMPS = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


def read(path: Path, data: bytes, at_once: int = 0, chunk: int = 1 << 20) -> tuple[list[Any], Counts]:
    """What ``items`` makes of a file, read in pieces unless it is shorter than ``at_once``."""
    counts = Counts()
    path.write_bytes(data)
    with patch.object(documents, "_AT_ONCE", at_once), patch.object(documents, "_CHUNK", chunk):
        return list(documents.items(path, counts)), counts


def split(data: bytes, chunk: int, **limit: int) -> list[tuple[int, bytes | None]]:
    with patch.object(documents, "_CHUNK", chunk):
        return list(documents.split(io.BytesIO(data), **limit))


@given(st.lists(VALUES, max_size=6) | st.dictionaries(TEXTS, VALUES, max_size=4), DUMPS, st.integers(1, 40))
def test_elements_are_those_of_json(value: Any, how: dict[str, Any], chunk: int) -> None:
    """In pieces of any size, each with its place in the file."""
    data = json.dumps(value, **how).encode("utf-8", "surrogatepass")
    elements = value if isinstance(value, list) else [value]
    found = split(data, chunk)
    assert [json.loads(piece or b"") for _, piece in found] == [e for e in elements if isinstance(e, dict | list)]
    assert all(piece is not None and data.startswith(piece, offset) for offset, piece in found)


@given(value=st.lists(VALUES, max_size=6), how=DUMPS, chunk=st.integers(1, 40), at_once=st.sampled_from([0, 1 << 20]))
def test_items_are_the_same_in_pieces_and_at_once(
    value: list[Any], how: dict[str, Any], chunk: int, at_once: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("d") / "d.json"
    found, counts = read(path, json.dumps(value, **how).encode(), at_once, chunk)
    clean = [documents.clean(element) for element in value if isinstance(element, dict | list)]
    assert [element for _, element in found] == clean
    assert (counts.read, counts.bad) == (0, [])


@given(st.lists(st.sampled_from(b'[]{}",\\ a1'), max_size=60).map(bytes), st.integers(1, 9))
def test_pieces_do_not_depend_on_the_size_of_the_chunks(data: bytes, chunk: int) -> None:
    assert split(data, chunk) == split(data, 1 << 20)


@given(st.binary(max_size=200), st.sampled_from([0, 1 << 20]))
def test_junk_is_no_exception(data: bytes, at_once: int) -> None:
    with patch.object(documents, "opened", lambda file: io.BytesIO(data)):
        counts = Counts()
        with patch.object(documents, "_AT_ONCE", at_once):
            list(documents.items(Path("junk"), counts))
        documents.load(Path("junk"), counts)


GOOD = b'{"n":1}, {"n":2}'
FAULTS: dict[str, tuple[bytes, list[Any], list[str]]] = {
    "a bad element": (b'[{"n":1}, {"n" 7}, {"n":2}]', [{"n": 1}, {"n": 2}], ["not JSON"]),
    "a bracket too many": (b'[{"n":1}}, {"n":2}]', [{"n": 1}, {"n": 2}], []),
    "a bracket of the other kind": (b'[{"n":1], {"n":2}]', [{"n": 2}], ["not JSON"]),
    "a bracket too few": (b'[{"n":1, {"n":2}]', [], ["not JSON"]),
    "cut off within an element": (b"[" + GOOD + b', {"n":"thr', [{"n": 1}, {"n": 2}], ["the file"]),
    "cut off between elements": (b"[" + GOOD + b",\n", [{"n": 1}, {"n": 2}], []),
    "cut off after a backslash": (b'[{"n":1}, {"n":"\\', [{"n": 1}], ["the file"]),
    "a BOM": (b"\xef\xbb\xbf[" + GOOD + b"]", [{"n": 1}, {"n": 2}], []),
    "NUL after the end": (b"[" + GOOD + b"]\0\0\0\0", [{"n": 1}, {"n": 2}], []),
    "a lone surrogate": (b'[{"n":"\\ud83d"}]', [{"n": "\ufffd"}], []),
    "a pair of surrogates": (b'[{"n":"\\ud83d\\ude00"}]', [{"n": "😀"}], []),
    "a NUL in a text": (b'[{"n":"a\\u0000b"}]', [{"n": "ab"}], []),
    "broken UTF-8": (b'[{"n":"\xff"}]', [{"n": "\ufffd"}], []),
    "a raw control character": (b'[{"n":"a\x01\tb"}]', [{"n": "a\x01\tb"}], []),
    "no array at the top": (b'{"a":[{"n":1}],"b":{}}', [{"a": [{"n": 1}], "b": {}}], []),
    "several objects": (b'{"n":1}\n{"n":2}', [{"n": 1}, {"n": 2}], []),
    "two arrays": (b'[{"n":1}]\n[{"n":2}]', [{"n": 1}, {"n": 2}], []),
    "an array, then an object": (b'[{"n":1}]\n{"a":{"n":2}}', [{"n": 1}, {"a": {"n": 2}}], []),
    "values that are no objects": (b'[1, "a", null, true, [2], {"n":1}]', [[2], {"n": 1}], []),
    "one value": (b'"only this"', [], []),
    "nothing": (b"", [], []),
    "blanks": (b" \n ", [], []),
    "an empty array": (b"[]", [], []),
    "text": (b"this is no JSON", [], []),
}


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize("at_once", [0, 1 << 20])
@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, at_once: int, chunk: int, tmp_path: Path) -> None:
    data, expected, reasons = FAULTS[name]
    found, counts = read(tmp_path / "d.json", data, at_once, chunk)
    assert [value for _, value in found] == expected
    assert [reason[: len("not JSON")] for _, reason in counts.bad] == reasons
    assert counts.read == len(reasons)
    assert counts.cut == name.startswith(("cut off", "a bracket too few"))
    assert counts.replaced == (name == "broken UTF-8")


def test_numbers_that_are_none(tmp_path: Path) -> None:
    found, counts = read(tmp_path / "d.json", b'[{"a":NaN},{"a":-Infinity},{"a":123456789012345678901234567890}]')
    nan, infinite, huge = [value["a"] for _, value in found]
    assert math.isnan(nan) and infinite == -math.inf and float(huge) == pytest.approx(1.2345678901234568e29)
    assert counts.read == 0


def test_what_nests_too_deep_costs_itself(tmp_path: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    found, counts = read(tmp_path / "d.json", b'[{"n":1},' + deep + b',{"n":2}]')
    assert [value for _, value in found] == [{"n": 1}, {"n": 2}]
    assert counts.bad[0][0] == len(b'[{"n":1},')


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_an_element_over_the_limit_is_passed_over(chunk: int) -> None:
    data = b'[{"n":1},{"long":"' + b"x" * 100 + b'"},{"n":2}]'
    assert split(data, chunk, limit=50) == [(1, b'{"n":1}'), (9, None), (data.rindex(b"{"), b'{"n":2}')]
    assert split(data[:80], chunk, limit=50) == [(1, b'{"n":1}'), (9, None)]


def test_the_reason_and_the_place_of_what_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 1 << 20)
    monkeypatch.setattr(documents.split, "__defaults__", (1 << 20, None))
    data = b'[{"n":1},{"n" 7},{"long":"' + b"x" * (1 << 20) + b'"},{"n":2}]'
    found, counts = read(tmp_path / "d.json", data)
    assert found == [(1, {"n": 1}), (data.rindex(b'{"n":2}'), {"n": 2})]
    assert [offset for offset, _ in counts.bad] == [9, 17]
    assert [counts.bad[0][1].startswith("not JSON: JSONDecodeError"), counts.bad[1][1]] == [True, "over 1 MB"]


def test_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, counts = tmp_path / "d.json", Counts()
    path.write_bytes(b'\xef\xbb\xbf{"a":["\\ud800",NaN]}')
    first, second = documents.load(path, counts)["a"]
    assert first == "\ufffd" and math.isnan(second)
    path.write_bytes(b'{"a":')
    assert documents.load(path, counts) is None
    assert counts.bad[0][1] == "the file ends early"
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 1 << 20)
    path.write_bytes(b'"' + b"x" * (1 << 20) + b'"')
    with pytest.raises(WorkbenchError, match=r"d\.json is one JSON document of over 1 MB"):
        documents.load(path, counts)
    with pytest.raises(WorkbenchError, match=r"cannot read .*gone\.json: No such file"):
        documents.load(tmp_path / "gone.json", counts)
    with pytest.raises(WorkbenchError, match=r"cannot read .*gone\.json: No such file"):
        list(documents.items(tmp_path / "gone.json", counts))


class Endless(io.RawIOBase):
    """A file of 100 MB that is made while it is read."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts, self.rest = parts, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.rest = self.rest or next(self.parts, b"")
        taken, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def test_memory_stays_flat() -> None:
    """An export of 100 MB is read with what its chunks and its longest element need."""
    node = json.dumps({"id": "n", "message": {"parts": ['said "so" \\ and [so]' * 400]}, "children": [{}, []]}).encode()
    element = b'{"mapping":{' + b",".join(b'"%d":' % n + node for n in range(100)) + b"}}"
    times = (100 << 20) // len(element)
    parts = (part for n in range(times) for part in ((b"," if n else b"["), element))
    tracemalloc.start()
    found = sum(piece == element for _, piece in documents.split(io.BufferedReader(Endless(parts))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == times > 90
    assert peak < 8 << 20
