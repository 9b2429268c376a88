"""The vectors of memories in their file: in step with what is wanted, gone when removed, found by nearness."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.hashing import Hashing, vector_of
from workbench import db, kept
from workbench.errors import Busy, SchemaMismatch
from workbench.home import Home
from workbench.index import embed, memory_vectors, store, table
from workbench.index.embed import BadVectors
from workbench.index.memory_vectors import missing, nearest, remove, sync
from workbench.index.table import Space, Synced
from workbench.index.vectors import Matrix, pack
from workbench.text import sha256

WANTED = {
    "m_1": "lives in Berlin",
    "m_2": "uses PostgreSQL for billing",
    "m_3": "prefers dark roast coffee",
    "m_4": "deploys happen on Tuesdays",
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").prepare()


@pytest.fixture
def filled(home: Home) -> Home:
    sync(home, Hashing(), WANTED)
    return home


def rows(home: Home) -> dict[str, tuple[str, int, str, bytes]]:
    with store.reading(home) as connection:
        found = connection.execute("SELECT memory_id, model, dimension, content_hash, vector FROM memory_vectors")
        return {row[0]: tuple(row)[1:] for row in found}


def assert_holds(home: Home, wanted: dict[str, str], **kwargs: object) -> None:
    """The store holds a row for each of these and no other; a packed number may be rounded either way."""
    found, embedder = rows(home), Hashing(**kwargs)
    assert found.keys() == wanted.keys()
    for memory_id, text in wanted.items():
        *described, vector = found[memory_id]
        assert described == [embedder.model_id, embedder.dimension, sha256(text)]
        off = np.frombuffer(vector, np.int8) - pack(embedder.embed([text]))[0].astype(int)
        assert np.abs(off).max() <= 1


def bytes_of(home: Home) -> bytes:
    """The file and its log, once nobody of ours has it open for writing."""
    return b"".join(path.read_bytes() for path in home.root.glob("memory_index.sqlite*") if path.suffix != ".lock")


@pytest.fixture
def onlooker(filled: Home) -> Iterator[sqlite3.Connection]:
    """Somebody who keeps the file open, as a browser does, so that the log lives on."""
    connection = sqlite3.connect(f"file:{filled.memory_index}?mode=ro", uri=True, isolation_level=None)
    connection.execute("SELECT count(*) FROM memory_vectors").fetchone()
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("embedder", "wanted", "result", "read"),
    [
        ({}, WANTED, (0, 0), 0),
        ({}, {}, (0, 4), 0),
        ({}, {"m_1": WANTED["m_1"]}, (0, 3), 0),
        ({}, {**WANTED, "m_5": "speaks Finnish"}, (1, 0), 1),
        ({}, {**WANTED, "m_2": "uses MySQL for billing"}, (1, 0), 1),
        ({}, {"m_1": "lives in Rome", "m_6": "speaks Finnish"}, (2, 3), 2),
        ({"model_id": "other"}, WANTED, (4, 0), 4),
        ({"model_id": "other"}, {"m_1": WANTED["m_1"]}, (1, 3), 1),
        ({"dimension": 32}, WANTED, (4, 0), 4),
    ],
)
def test_a_sync_makes_the_store_hold_what_is_wanted(
    filled: Home, embedder: dict[str, object], wanted: dict[str, str], result: tuple[int, int], read: int
) -> None:
    second = Hashing(**embedder)
    assert sync(filled, second, wanted) == Synced(*result)
    assert len(second.seen) == read
    assert_holds(filled, wanted, **embedder)
    third = Hashing(**embedder)
    assert sync(filled, third, wanted) == Synced(0, 0)
    assert third.seen == []


def test_two_memories_may_say_the_same(home: Home) -> None:
    sync(home, Hashing(), {"m_b": "lives in Berlin", "m_a": "lives in Berlin"})
    found = nearest(home, vector_of("Berlin"), "hashing", 5)
    assert [memory_id for memory_id, _ in found] == ["m_a", "m_b"]
    assert found[0][1] == found[1][1]


def test_a_sync_that_breaks_off_goes_on_where_it_was(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_vectors, "_COMMIT_EVERY", 2)
    wanted = {f"m_{number}": f"statement {'x' * number}" for number in range(7)}
    told: list[tuple[int, int]] = []

    def fail_at_the_third() -> None:
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync(home, Hashing(before=fail_at_the_third), wanted, lambda *step: told.append(step))
    assert told == [(2, 7), (4, 7)]
    assert len(rows(home)) == 4
    assert missing(home, Hashing(), wanted) == 3

    second = Hashing()
    assert sync(home, second, wanted, lambda *step: told.append(step)) == Synced(3, 0)
    assert told[2:] == [(2, 3), (3, 3)]
    assert_holds(home, wanted)


def test_one_bad_vector_stores_nothing_of_its_batch(filled: Home) -> None:
    with pytest.raises(BadVectors, match=r"hashing gave .*NaN"):
        sync(filled, Hashing(), {**WANTED, "m_5": "speaks Finnish", "m_6": "!!!"})  # no word: 0/0
    assert_holds(filled, WANTED)


def test_embedding_happens_outside_any_write(home: Home) -> None:
    """A write inside a write raises; another process could write as well."""

    def write() -> None:
        with store.writing(home) as connection:
            connection.execute("SELECT 1")

    assert sync(home, Hashing(before=write), WANTED) == Synced(4, 0)


def test_what_is_removed_while_it_is_embedded_does_not_come_back(home: Home) -> None:
    wanted = dict(WANTED)

    def erase() -> None:
        remove(home, ["m_2"])
        wanted.pop("m_2", None)

    assert sync(home, Hashing(before=erase), dict(WANTED)) == Synced(0, 0, left=4)
    assert rows(home) == {}
    assert sync(home, Hashing(), wanted) == Synced(3, 0)
    assert "m_2" not in rows(home)


def test_what_was_stored_before_a_removal_stays(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_vectors, "_COMMIT_EVERY", 1)
    steps = iter([lambda: None, lambda: remove(home, ["m_unknown"])])
    assert sync(home, Hashing(before=lambda: next(steps)()), WANTED) == Synced(1, 0, left=3)
    assert len(rows(home)) == 1


@pytest.mark.parametrize(
    ("ids", "removed"),
    [(["m_2"], 1), (["m_2", "m_4"], 2), (list(WANTED), 4), (["m_unknown"], 0), (["m_1", "m_unknown"], 1), ([], 0)],
)
def test_removing(filled: Home, ids: list[str], removed: int) -> None:
    assert remove(filled, ids) == removed
    assert rows(filled).keys() == WANTED.keys() - set(ids)
    assert remove(filled, ids) == 0


@pytest.mark.parametrize("how", ["remove", "sync", "replace"])
def test_what_is_removed_is_in_no_byte_of_the_file(filled: Home, onlooker: sqlite3.Connection, how: str) -> None:
    _, _, digest, vector = rows(filled)["m_2"]
    assert digest.encode() in bytes_of(filled)
    assert vector in bytes_of(filled)
    if how == "remove":
        assert remove(filled, ["m_2"]) == 1
    elif how == "sync":
        sync(filled, Hashing(), {"m_1": WANTED["m_1"]})
    else:
        sync(filled, Hashing(), {**WANTED, "m_2": "prefers the train"})
    if how != "remove":
        store.truncate_log(filled)
    left = bytes_of(filled)
    assert digest.encode() not in left
    assert vector not in left
    assert sha256(WANTED["m_1"]).encode() in left


def test_a_reader_in_the_way_is_said_and_another_call_finishes(
    filled: Home, onlooker: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_TIMEOUT_MS", 50)
    _, _, digest, vector = rows(filled)["m_2"]
    onlooker.execute("BEGIN")
    onlooker.execute("SELECT count(*) FROM memory_vectors").fetchone()
    with pytest.raises(Busy, match=r"memory_index\.sqlite from being emptied; try again"):
        remove(filled, ["m_2"])
    assert "m_2" not in rows(filled)
    onlooker.execute("COMMIT")
    assert remove(filled, ["m_2"]) == 0
    assert digest.encode() not in bytes_of(filled)
    assert vector not in bytes_of(filled)


def test_before_there_is_a_file(home: Home) -> None:
    assert remove(home, ["m_1"]) == 0
    assert missing(home, Hashing(), WANTED) == 4
    assert nearest(home, vector_of("Berlin"), "hashing", 5) == []
    assert not home.memory_index.exists()
    assert sync(home, Hashing(), {}) == Synced(0, 0)
    assert nearest(home, vector_of("Berlin"), "hashing", 5) == []
    assert home.memory_index.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("model", "wanted", "count"),
    [
        ("hashing", WANTED, 0),
        ("hashing", {}, 0),
        ("hashing", {**WANTED, "m_5": "speaks Finnish"}, 1),
        ("hashing", {"m_1": "lives in Rome", "m_2": WANTED["m_2"]}, 1),
        ("other", WANTED, 4),
    ],
)
def test_missing(filled: Home, model: str, wanted: dict[str, str], count: int) -> None:
    assert missing(filled, Hashing(model_id=model), wanted) == count


@pytest.mark.parametrize(
    ("query", "first"), [("in Berlin", "m_1"), ("PostgreSQL", "m_2"), ("dark coffee", "m_3"), ("on Tuesdays", "m_4")]
)
def test_the_nearest(filled: Home, query: str, first: str) -> None:
    found = nearest(filled, vector_of(query), "hashing", 10)
    assert found[0][0] == first
    assert len(found) == 4
    for memory_id, cosine in found:
        assert cosine == pytest.approx(float(vector_of(query) @ vector_of(WANTED[memory_id])), abs=0.01)
    assert nearest(filled, vector_of(query), "hashing", 1) == found[:1]
    assert nearest(filled, vector_of(query) * 7, "hashing", 10) == found


@pytest.mark.parametrize("among", [["m_4", "m_2"], {"m_2", "m_4"}, {"m_2", "m_4"}.intersection])
def test_the_nearest_among_some(filled: Home, among: object) -> None:
    found = nearest(filled, vector_of("lives in Berlin, deploys on Tuesdays"), "hashing", 3, among)
    assert [memory_id for memory_id, _ in found] == ["m_4", "m_2"]


def test_vectors_of_another_model_are_not_compared(filled: Home) -> None:
    assert nearest(filled, vector_of("in Berlin"), "other", 5) == []
    sync(filled, Hashing(model_id="other"), {"m_1": WANTED["m_1"]})
    with store.writing(filled) as connection:  # half way through a change of the model
        connection.execute(
            "INSERT INTO memory_vectors (memory_id, model, dimension, content_hash, vector)"
            " VALUES ('m_9', 'hashing', 64, 'x', ?)",
            (pack(vector_of("in Berlin")[None, :]).tobytes(),),
        )
    assert [found for found, _ in nearest(filled, vector_of("in Berlin"), "other", 5)] == ["m_1"]
    assert [found for found, _ in nearest(filled, vector_of("in Berlin"), "hashing", 5)] == ["m_9"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (np.zeros(64), "zero vector"),
        (np.full(64, np.nan), "NaN"),
        (np.ones((2, 64)), r"one vector, this is an array of shape \(2, 64\)"),
        (np.ones(65), "hashing have dimension 64, the query has 65; embed them again"),
    ],
)
def test_a_query_that_is_no_vector_of_the_model(filled: Home, query: np.ndarray, message: str) -> None:
    with pytest.raises(BadVectors, match=message):
        nearest(filled, query, "hashing", 5)


@pytest.mark.parametrize(("dimension", "vector"), [(64, b"\x01" * 63), (0, b""), (64, None)])
def test_the_file_refuses_a_vector_of_the_wrong_size(filled: Home, dimension: int, vector: bytes | None) -> None:
    with pytest.raises(sqlite3.IntegrityError), store.writing(filled) as connection:
        connection.execute(
            "INSERT INTO memory_vectors (memory_id, model, dimension, content_hash, vector) VALUES ('m_9','h',?,'x',?)",
            (dimension, vector),
        )


def test_what_is_known_is_not_read_again(filled: Home) -> None:
    def matrix() -> Matrix[str]:
        nearest(filled, vector_of("in Berlin"), "hashing", 5)
        return table._held[filled.memory_index, "memory_vectors", Space("hashing", 64)].matrix

    first = matrix()
    assert matrix() is first
    sync(filled, Hashing(), {**WANTED, "m_5": "speaks Finnish"})
    assert matrix() is not first


def test_a_file_made_anew_is_read_anew(filled: Home) -> None:
    assert nearest(filled, vector_of("in Berlin"), "hashing", 1)[0][0] == "m_1"
    home = Home(filled.root.with_name("other")).prepare()
    sync(home, Hashing(), {f"n_{memory_id}": text for memory_id, text in WANTED.items()})
    kept.release()
    shutil.copy(home.memory_index, filled.memory_index)
    assert nearest(filled, vector_of("in Berlin"), "hashing", 1)[0][0] == "n_m_1"


def test_few_homes_are_kept_in_memory(tmp_path: Path) -> None:
    homes = [Home(tmp_path / f"home{number}").prepare() for number in range(table._MATRICES + 3)]
    for number, home in enumerate(homes):
        sync(home, Hashing(), {f"m_{number}": "lives in Berlin"})
    for _ in range(2):
        for number, home in enumerate(homes):
            assert nearest(home, vector_of("Berlin"), "hashing", 5)[0][0] == f"m_{number}"
    assert len(table._held) == table._MATRICES


def test_a_newer_file_is_left_alone(filled: Home) -> None:
    with sqlite3.connect(filled.memory_index) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    for act in (
        lambda: sync(filled, Hashing(), {}),
        lambda: remove(filled, ["m_1"]),
        lambda: missing(filled, Hashing(), {}),
        lambda: nearest(filled, vector_of("Berlin"), "hashing", 1),
    ):
        with pytest.raises(SchemaMismatch, match="memory index schema 99, newer"):
            act()


WORDS = ("alpha", "beta", "gamma", "delta")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("sync"), st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(WORDS), max_size=6)),
        st.tuples(st.just("remove"), st.sets(st.sampled_from("abcdef"), max_size=3)),
        st.tuples(st.just("other model"), st.dictionaries(st.sampled_from("ab"), st.sampled_from(WORDS))),
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_what_is_found_is_what_a_plain_dictionary_holds(
    steps: list[tuple[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Asked after every step, so that the kept matrix is brought up to date each time."""
    home = Home(tmp_path_factory.mktemp("vectors")).prepare()
    model: dict[str, str] = {}
    for act, argument in steps:
        if act == "remove":
            remove(home, argument)
            model = {memory_id: text for memory_id, text in model.items() if memory_id not in argument}
        else:
            sync(home, Hashing(model_id="hashing" if act == "sync" else "other"), argument)
            model = argument if act == "sync" else {}
        for word in WORDS:
            found = nearest(home, vector_of(word), "hashing", 10)
            assert {memory_id for memory_id, cosine in found if cosine > 0.99} == {
                memory_id for memory_id, text in model.items() if text == word
            }
            assert len(found) == len(model)


def test_two_processes_at_once(home: Home) -> None:
    program = f"""
from pathlib import Path
from tests.index.hashing import Hashing
from workbench.home import Home
from workbench.index import memory_vectors
memory_vectors._COMMIT_EVERY = 3
wanted = {{f"m_{{number}}": f"statement {{number}}" for number in range(60)}}
print(memory_vectors.sync(Home(Path({str(home.root)!r})), Hashing(), wanted))
"""
    running = [subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[2]) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert_holds(home, {f"m_{number}": f"statement {number}" for number in range(60)})


def test_with_the_offline_model(home: Home) -> None:
    embedder = embed.load(home)
    if embedder is None:
        pytest.skip("the vectors extra is not installed: the offline model was not tested")
    assert sync(home, embedder, WANTED) == Synced(4, 0)
    (query,) = embed.embed(embedder, ["Where does she live?"])
    found = nearest(home, query, embedder.model_id, 4)
    assert found[0][0] == "m_1"
    assert found[0][1] > found[1][1] + 0.1
    assert {len(row[3]) for row in rows(home).values()} == {384}
