"""Notes cut into chunks."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import text
from workbench.index.chunks import chunks, decode

SHORT = ("", " ", "# A", "## B", "### ", "```", "~~~py", "plain words", "- item", "<!-- 2026-03-01 09:00 -->")
LINES = st.sampled_from((*SHORT, "word " * 120, "x" * 700, "日本語の文。" * 9))


def cut(note: str, most: int = 40, overlap: int = 8) -> list[tuple[int, int, str, str]]:
    return [(each.start, each.end, each.heading, each.text) for each in chunks(note, most, overlap)]


def test_a_short_note_is_one_chunk() -> None:
    assert cut("\n\nfirst\n\nsecond\n\n") == [(3, 5, "", "first\n\nsecond")]
    assert cut("") == cut(" \n\t\n") == []


def test_sections_carry_their_headings() -> None:
    long = "\n".join(f"word{n} word{n} word{n}" for n in range(6))
    note = f"# Trip\nintro\n## Rome\n{long}\n## Oslo\n{long}\n# Work\n{long}"
    found = cut(note, most=60)
    assert [(start, heading) for start, _, heading, _ in found] == [(1, "Trip"), (10, "Trip › Oslo"), (17, "Work")]
    assert found[0][3].startswith("# Trip\nintro\n## Rome\nword0")


def test_a_dated_entry_begins_a_chunk() -> None:
    entry = "I prefer long and winding sentences about nothing at all"
    found = cut(f"<!-- 2026-03-01 09:00 -->\n{entry}\n\n<!-- 2026-03-02 10:00 -->\n{entry} too", most=60)
    assert [(start, end) for start, end, _, _ in found] == [(1, 2), (4, 5)]


def test_neighbours_overlap_by_whole_lines() -> None:
    found = cut("\n".join(f"line{n:03}" for n in range(40)), most=30, overlap=9)
    assert [(start, end) for start, end, _, _ in found][:3] == [(1, 10), (8, 17), (15, 24)]
    assert all(later[0] <= earlier[1] < later[1] for earlier, later in itertools.pairwise(found))


def test_a_code_block_stays_whole_and_its_comments_are_no_headings() -> None:
    code = "```sh\n# not a heading\nmake up\n```"
    found = cut(f"# Setup\n{'words ' * 20}\n{code}\nafter", most=40)
    assert [(start, heading) for start, _, heading, _ in found] == [(1, "Setup"), (3, "Setup")]
    assert found[1][3] == f"{code}\nafter"
    (large,) = {heading for _, _, heading, _ in cut("# Setup\n```\n" + "# x\n" * 200 + "```")}
    assert large == "Setup"


def test_a_long_line_is_cut_between_words() -> None:
    found = cut("before\n" + "alpha beta gamma. " * 40 + "\nafter")
    assert (found[0][:2], found[-1][:2]) == ((1, 1), (3, 3))
    assert {(start, end) for start, end, _, _ in found[1:-1]} == {(2, 2)}
    assert all(part.split()[0] in ("alpha", "beta", "gamma.") for *_, part in found[1:-1])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbfa\r\nb\rc", "a\nb\nc"),
        ("a\nü".encode("utf-16"), "a\nü"),
        (b"caf\xe9 \x00ok", "caf\ufffd ok"),
    ],
)
def test_bytes_of_any_kind_are_text(data: bytes, expected: str) -> None:
    assert decode(data) == expected


@given(lines=st.lists(LINES, max_size=40), most=st.integers(20, 80))
def test_nothing_is_lost_and_no_chunk_is_too_large(lines: list[str], most: int) -> None:
    note = "\n".join(lines)
    found = chunks(note, most, most // 5)
    held: dict[int, str] = {}
    for chunk in found:
        assert text.tokens(chunk.text) <= most
        assert chunk.text.strip()
        parts = chunk.text.split("\n")
        if chunk.start == chunk.end and len(lines[chunk.start - 1]) > len(chunk.text):
            held[chunk.start] = held.get(chunk.start, "") + chunk.text
        else:
            assert len(parts) == chunk.end - chunk.start + 1
            held |= dict(zip(range(chunk.start, chunk.end + 1), parts, strict=True))
    for number, line in enumerate(lines, 1):
        assert held.get(number, "").replace(" ", "") == line.replace(" ", ""), number
