"""The index of notes, kept in step with their files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.index.hashing import Hashing
from workbench import kept, text
from workbench.home import Home
from workbench.index import embed, note_vectors, notes, search, store
from workbench.index.notes import Cut, Synced
from workbench.notes import folders

CUT = Cut(60, 10)


def synced(home: Home, **named: Path) -> Synced:
    return notes.sync(home, named, CUT)


def rows(home: Home) -> list[tuple[int, str, int, int, str]]:
    with store.reading(home) as connection:
        connection.row_factory = None
        return connection.execute("SELECT n, path, start_line, end_line, text FROM chunks ORDER BY n").fetchall()


def found(home: Home, question: str, least: float = 0.35) -> list[tuple[str, int, float]]:
    with store.reading(home) as connection:
        hits = search.search(connection, question, 10, least, search.Weights())
        return [(hit.path, hit.start, round(hit.score, 3)) for hit in hits]


def sql(home: Home, query: str) -> list[tuple[object, ...]]:
    with store.reading(home) as connection:
        connection.row_factory = None
        return connection.execute(query).fetchall()


def write(home: Home, name: str, said: str) -> Path:
    file = home.memory / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(said.encode())
    return file


def test_only_what_changed_is_read_and_chunked(home: Home) -> None:
    long = "\n".join(f"line {n} about gardens and their walls" for n in range(30))
    write(home, "a.md", f"# Garden\n{long}")
    write(home, "deep/b.MARKDOWN", "radishes")
    write(home, "c.txt", "radishes")
    write(home, ".hidden/d.md", "radishes")
    assert synced(home) == Synced(files=2, read=2, chunked=2)
    assert synced(home) == Synced(files=2)
    before = {text: n for n, _, _, _, text in rows(home)}
    write(home, "a.md", f"# Garden\n{long}\nand a new last line")
    assert synced(home) == Synced(files=2, read=1, chunked=1)
    after = {text: n for n, _, _, _, text in rows(home)}
    assert len(after.keys() & before.keys()) == len(before) - 1
    assert all(after[text] == before[text] for text in after.keys() & before.keys())
    os.utime(home.memory / "a.md")
    assert synced(home) == Synced(files=2, read=1)


def test_what_moves_keeps_its_number(home: Home) -> None:
    write(home, "a.md", "# One\nabout radishes")
    synced(home)
    (before,) = rows(home)
    write(home, "a.md", "\n\n\n# One\nabout radishes")
    synced(home)
    assert rows(home) == [(before[0], before[1], 4, 5, before[4])]


def test_an_edit_of_the_same_size_and_time_is_seen(home: Home) -> None:
    file = write(home, "a.md", "radishes")
    os.utime(file, ns=(1, 1))
    synced(home)
    file.write_text("cabbages")
    os.utime(file, ns=(1, 1))
    assert synced(home).chunked == 1
    assert (found(home, "cabbages"), found(home, "radishes")) == ([("memory/a.md", 1, 0.945)], [])


def test_a_file_saved_by_a_rename_is_seen(home: Home) -> None:
    file = write(home, "a.md", "radishes")
    synced(home)
    file.with_suffix(".new").write_text("cabbages")
    file.with_suffix(".new").replace(file)
    assert synced(home).chunked == 1
    assert [row[4] for row in rows(home)] == ["cabbages"]


def test_an_emptied_and_a_removed_file_leave(home: Home) -> None:
    write(home, "a.md", "radishes")
    gone = write(home, "b.md", "radishes")
    synced(home)
    write(home, "a.md", "")
    gone.unlink()
    assert synced(home) == Synced(files=1, read=1, chunked=1, removed=1)
    assert (rows(home), found(home, "radishes")) == ([], [])


def test_folders_of_the_person_are_read_by_their_names(home: Home, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "daily").mkdir(parents=True)
    (vault / "daily" / "x.md").write_text("radishes")
    (vault / "link.md").symlink_to(vault / "daily" / "x.md")
    (vault / "up").symlink_to(tmp_path)
    os.mkfifo(vault / "pipe.md")
    (home.memory.parent / "USER.md").write_text("I grow radishes")
    assert synced(home, vault=vault).files == 2
    assert {row[1] for row in rows(home)} == {"USER.md", "vault/daily/x.md"}
    assert synced(home).removed == 1


def test_what_cannot_be_read_is_said_and_keeps_what_was_known(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "a.md", "radishes")
    synced(home)
    write(home, "a.md", "radishes and more")
    monkeypatch.setattr(folders, "MAX_BYTES", 10)
    assert "a.md has over" in synced(home).unreadable[0]
    assert [row[4] for row in rows(home)] == ["radishes"]
    monkeypatch.undo()
    assert synced(home).chunked == 1


def test_other_chunk_sizes_cut_anew(home: Home) -> None:
    write(home, "a.md", "\n".join(f"line {n} about gardens" for n in range(40)))
    synced(home)
    few = len(rows(home))
    assert notes.sync(home, {}, Cut(20, 4)).chunked == 1
    assert len(rows(home)) > 2 * few


def test_unchanged_notes_do_not_make_the_file_grow(home: Home) -> None:
    for number in range(30):
        write(home, f"{number}.md", f"radishes number {number}\n" * 50)
    synced(home)
    notes.clear(home)
    synced(home)
    kept.release()
    size = home.memory_index.stat().st_size
    for _ in range(20):
        notes.clear(home)
        assert synced(home).chunked == 30
    kept.release()
    assert home.memory_index.stat().st_size <= 1.1 * size


def test_a_purge_leaves_no_word(home: Home) -> None:
    write(home, "a.md", "radishes")
    write(home, "b.md", "zanzibarq grows in the garden")
    synced(home)
    (home.memory / "b.md").unlink()
    notes.purge(home, {}, CUT)
    kept.release()
    held = [path.name for path in home.root.glob("memory_index*") if b"zanzibarq" in path.read_bytes()]
    assert (held, found(home, "radishes")) == ([], [("memory/a.md", 1, 0.945)])


# Vectors


def test_chunks_are_embedded_once_and_found_by_meaning(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Hashing()
    monkeypatch.setattr(embed, "load", lambda home: embedder)
    write(home, "a.md", "# Garden\nabout radishes")
    write(home, "b.md", "# Garden\nabout radishes\n\n# Long\n" + "cabbage and kale. " * 40)
    synced(home)
    hashes = {digest for (digest,) in sql(home, "SELECT hash FROM chunks")}
    assert note_vectors.backlog(home, embedder) == len(hashes)
    assert note_vectors.sync(home, embedder, limit_seconds=0) == (0, 0, len(hashes))
    assert note_vectors.sync(home, embedder) == (len(hashes), 0, 0)
    assert "Garden: # Garden\nabout radishes" in embedder.seen
    assert max(map(text.tokens, embedder.seen)) <= 210
    seen = len(embedder.seen)
    write(home, "b.md", "\n\n# Garden\nabout radishes")
    synced(home)
    (left,) = {digest for (digest,) in sql(home, "SELECT hash FROM chunks")}
    assert note_vectors.sync(home, embedder) == (0, len(hashes - {left}), 0)
    assert len(embedder.seen) == seen
    near, asked = note_vectors.near(home, "radishes")
    assert near is not None and (asked.provider, asked.problem) == ("hashing", None)
    with store.reading(home) as connection:
        cosines = near.cosines(connection)(set())
    assert {path for n, path, *_ in rows(home) if n in cosines} == {"memory/a.md", "memory/b.md"}
    assert len({round(cosine, 5) for cosine in cosines.values()}) == 1
    assert 0.3 < cosines.popitem()[1] < 1


def test_a_vector_of_a_chunk_that_went_meanwhile_is_not_kept(home: Home) -> None:
    write(home, "a.md", "radishes")
    synced(home)
    gone = Hashing(before=lambda: (home.memory / "a.md").unlink(missing_ok=True) or synced(home))
    assert note_vectors.sync(home, gone).embedded == 1
    assert sql(home, "SELECT count(*) FROM chunk_vectors") == [(0,)]


# Search


@pytest.fixture
def garden(home: Home) -> Home:
    write(home, "2026-03-01.md", "# 2026-03-01\n\nMet Anna at the market about the radish harvest.")
    write(home, "2026-03-02.md", "# 2026-03-02\n\nThe market was closed; wrote letters all day.")
    write(home, "plan.md", "# Garden\n\n## Water\nThe pump needs a new valve every spring.\n\n```sh\npump --drain\n```")
    write(home, "ja.md", "# 日記\n\n庭の大根を収穫した。")
    synced(home)
    return home


def test_an_exact_sentence_scores_high_and_nonsense_finds_nothing(garden: Home) -> None:
    sentence = "Met Anna at the market about the radish harvest."
    ((path, _, score),) = found(garden, sentence)
    assert path == "memory/2026-03-01.md"
    assert score >= 0.9
    assert found(garden, "zorblax quuxen") == found(garden, "zorblax of the market") == []


def test_words_are_found_in_any_form_and_under_their_heading(garden: Home) -> None:
    assert found(garden, "harvesting radishes")[0][0] == "memory/2026-03-01.md"
    assert [path for path, *_ in found(garden, "garden pump")] == ["memory/plan.md"]
    assert [path for path, *_ in found(garden, "大根")] == ["memory/ja.md"]
    assert [path for path, *_ in found(garden, "market")] == ["memory/2026-03-02.md", "memory/2026-03-01.md"]


def test_both_sides_are_weighed(garden: Home) -> None:
    numbers = {path: n for n, path, *_ in rows(garden)}
    cosines = {numbers["memory/plan.md"]: 0.8, numbers["memory/2026-03-02.md"]: -0.2}
    with store.reading(garden) as connection:
        hits = search.search(connection, "market", 10, 0.0, search.Weights(0.7, 0.3), lambda asked: cosines)
    scores = {hit.path: (hit.score, hit.words, hit.cosine) for hit in hits}
    assert scores["memory/plan.md"] == (pytest.approx(0.56), 0.0, 0.8)
    words = scores["memory/2026-03-02.md"][1]
    assert scores["memory/2026-03-02.md"] == (pytest.approx(0.3 * words), words, -0.2)
    fresh = scores["memory/2026-03-01.md"]
    assert fresh == (fresh[1], fresh[1], None)  # has no vector yet


def test_a_small_cosine_hides_nothing_that_words_show(garden: Home) -> None:
    cosines = {n: 0.0 for n, *_ in rows(garden)}
    cosines[{path: n for n, path, *_ in rows(garden)}["memory/ja.md"]] = 0.6
    both, by_vectors = search.Weights(0.7, 0.3), search.Weights(1.0, 0.0)
    with store.reading(garden) as connection:
        shown = search.search(connection, "pump letters", 10, 0.35, both, lambda asked: cosines)
        near = search.search(connection, "pump letters", 10, 0.35, by_vectors, lambda asked: cosines)
    assert [(hit.path, hit.score) for hit in shown] == [
        ("memory/ja.md", pytest.approx(0.42)),
        ("memory/plan.md", 0.35),  # says "pump" twice
        ("memory/2026-03-02.md", 0.35),
    ]
    assert [hit.path for hit in near] == ["memory/ja.md"]


@pytest.mark.parametrize("question", ['"', "AND OR", "a* *", "NEAR(x", "col:x", "\x00", "-", "(", "日"])
def test_no_question_breaks_the_search(garden: Home, question: str) -> None:
    assert isinstance(found(garden, question), list)


def test_lines_of_the_index(garden: Home) -> None:
    with store.reading(garden) as connection:
        assert notes.lines(connection, "memory/plan.md", 3, 5) == [
            "## Water",
            "The pump needs a new valve every spring.",
            "",
        ]
        assert notes.lines(connection, "memory/plan.md", 9, 12) == []
        assert notes.lines(connection, "memory/none.md", 1, 5) == []
