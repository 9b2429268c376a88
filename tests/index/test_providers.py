"""Which embedding model the settings name, what it is given, and what is said where it can't be had."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import llm
import numpy as np
import pytest
from click.testing import CliRunner
from llm.cli import cli as llm_cli
from llm.plugins import load_plugins, pm

from tests.index.hashing import vector_of
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.index import embed, minilm, providers
from workbench.index.minilm import MiniLM


class Fake(llm.EmbeddingModel):
    """A model of a plugin, as Gemini's is: it wants a key, and takes none as an argument."""

    needs_key = "gemini"
    key_env_var = "LLM_GEMINI_KEY"
    batch_size = 2

    def __init__(self, model_id: str = "gemini-embedding-001") -> None:
        self.model_id = model_id
        self.given: list[str] = []
        self.keys: set[str | None] = set()
        self.answer: Callable[[list[str]], Any] = lambda texts: [vector_of(text).tolist() for text in texts]

    def embed_batch(self, items: Any) -> Any:
        texts = list(items)
        assert len(texts) <= 2
        self.given += texts
        self.keys.add(self.get_key())
        return self.answer(texts)


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What ``llm`` keeps its keys in; no key of this machine counts."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    for name in ("OPENAI_API_KEY", "LLM_GEMINI_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    providers._made.cache_clear()
    yield tmp_path / "llm" / "keys.json"
    providers._made.cache_clear()


@pytest.fixture
def gemini() -> Iterator[Fake]:
    """The plugin of Gemini, as far as it is asked here."""
    model = Fake()

    class Plugin:
        __name__ = "fake-gemini"

        @llm.hookimpl
        def register_embedding_models(self, register: Callable[..., None]) -> None:
            register(model, aliases=("ge",))

    plugin = Plugin()
    load_plugins()
    pm.register(plugin)
    yield model
    pm.unregister(plugin)


def name(home: Home, **settings: str) -> None:
    """Set what the settings of search say."""
    home.config.write_text(json.dumps({"agents": {"defaults": {"memorySearch": settings}}}))


def loaded(home: Home) -> embed.Embedder:
    found = embed.load(home)
    assert found is not None, embed.why_none(home)
    return found


def test_nothing_said_means_the_offline_model_and_a_key_changes_nothing(home: Home) -> None:
    assert embed.load(home) is minilm.installed()
    name(home, provider="auto", apiKey="sk-" + "x" * 40)
    assert embed.load(home) is minilm.installed()
    name(home, provider=MiniLM.model_id)
    assert embed.load(home) is minilm.installed()
    assert embed.why_none(home) is None


def test_none_means_none_and_is_no_problem(home: Home) -> None:
    name(home, provider="none", model="text-embedding-3-small")
    assert (embed.load(home), embed.why_none(home)) == (None, None)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"provider": "openai"}, "text-embedding-3-small needs a key: `llm keys set openai`, or .*apiKey"),
        ({"provider": "openai", "model": "3-large"}, "3-large needs a key"),
        ({"provider": "gemini", "apiKey": "k"}, "knows no embedding model .*gemini-embedding-001.*install llm-gemini"),
        ({"provider": "frobnicate"}, "knows no embedding model .*frobnicate.*llm embed-models"),
        ({"provider": "gemini", "apiBase": "http://x"}, "apiBase goes with the provider openai, not with .*gemini"),
        ({"provider": "openai", "apiBase": "file:///etc/passwd"}, "apiBase must be an address that begins with http"),
    ],
)
def test_what_can_not_be_had_is_named_with_its_remedy(home: Home, settings: dict[str, str], problem: str) -> None:
    name(home, **settings)
    assert embed.load(home) is None
    with pytest.raises(WorkbenchError, match=problem):
        raise WorkbenchError(embed.why_none(home) or "")
    asked = embed.asked(home, "where is the boat", lambda embedder: True)
    assert (asked.vector, asked.provider, asked.problem) == (None, "none", embed.why_none(home))


@pytest.mark.parametrize("settings", [{"provider": "gemini"}, {"provider": "ge"}, {"model": "gemini-embedding-001"}])
def test_a_model_of_a_plugin_is_asked_with_the_key_of_the_settings(
    home: Home, gemini: Fake, settings: dict[str, str]
) -> None:
    name(home, **settings, apiKey="a-key")
    embedder = loaded(home)
    assert (embedder.model_id, embedder.dimension, embedder.remote) == ("gemini-embedding-001", None, True)
    assert embed.embed(embedder, ["a boat", "a flat", "a key"])[1] == pytest.approx(vector_of("a flat"))
    assert (gemini.keys, embedder.dimension) == ({"a-key"}, 64)
    assert gemini.key is None, "the next one brings its own"


def test_a_key_may_be_one_that_llm_holds(home: Home, gemini: Fake, keys: Path) -> None:
    name(home, provider="gemini")
    assert "needs a key" in str(embed.why_none(home))
    keys.write_text(json.dumps({"gemini": "held", "mine": "named"}))
    embed.embed(loaded(home), ["one"])
    name(home, provider="gemini", apiKey="mine")
    embed.embed(loaded(home), ["one"])
    assert gemini.keys == {"held", "named"}


def test_what_a_model_raises_is_one_line_without_the_key_and_it_is_left_alone_for_a_while(
    home: Home, gemini: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    name(home, provider="gemini", apiKey="my-own-key")
    embedder = loaded(home)

    def refuse(texts: list[str]) -> Any:
        raise RuntimeError("401 for my-own-key\nsee Bearer ghp_" + "a1B2" * 9)

    gemini.answer, answer = refuse, gemini.answer
    for _ in range(2):
        asked = embed.asked(home, "a boat", lambda embedder: True)
        assert asked.vector is None
        assert str(asked.problem).startswith(
            "the embedding model gemini-embedding-001 failed: RuntimeError: 401 for [key]"
        )
        assert "ghp_a1" not in str(asked.problem) and "\n" not in str(asked.problem)
    assert gemini.given == ["a boat"]
    gemini.answer = answer
    monkeypatch.setattr(providers.time, "monotonic", lambda: 1e12)
    assert len(embed.embed(embedder, ["a boat"])) == 1


def test_a_text_that_is_too_long_for_a_model_holds_up_no_other(home: Home, gemini: Fake) -> None:
    name(home, provider="gemini", apiKey="k")
    answer = gemini.answer

    def refuse_long(texts: list[str]) -> Any:
        if any(len(text) > 2_000 for text in texts):
            raise RuntimeError("400 the input is longer than the context")
        return answer(texts)

    gemini.answer = refuse_long
    made = embed.embed(loaded(home), ["a boat", "flat " * 500, "a flat"])
    assert made == pytest.approx(np.stack([vector_of(text) for text in ("a boat", "flat", "a flat")]))
    gemini.answer = lambda texts: refuse_long(["x" * 3_000])
    gemini.given.clear()
    with pytest.raises(providers.EmbedderFailed, match="400 the input"):
        loaded(home).embed(["a boat", "a flat", "a key"])
    assert gemini.given == ["a boat", "a flat", "a boat"], "the first that fails alone ends it"


def test_a_model_that_does_not_answer_is_not_waited_for(
    home: Home, gemini: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = threading.Event()
    monkeypatch.setattr(providers, "_SECONDS", 0.05)
    monkeypatch.setattr(providers, "_SECONDS_A_TEXT", 0.0)
    gemini.answer = lambda texts: never.wait(60)
    name(home, provider="gemini", apiKey="k")
    with pytest.raises(providers.EmbedderFailed, match="no answer within 0 seconds"):
        loaded(home).embed(["a boat"])
    never.set()


@pytest.mark.parametrize(
    "answer",
    [
        [[float("nan"), 1.0]],
        [[0.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0]],
        [],
        [[]],
        [["a"]],
    ],
)
def test_what_is_no_vector_is_refused(home: Home, gemini: Fake, answer: Any) -> None:
    name(home, provider="gemini", apiKey="k")
    gemini.answer = lambda texts: answer
    with pytest.raises(WorkbenchError, match="gemini-embedding-001"):
        embed.embed(loaded(home), ["a boat"])


def test_a_model_that_changes_its_dimension_is_refused(home: Home, gemini: Fake) -> None:
    name(home, provider="gemini", apiKey="k")
    embedder = loaded(home)
    embed.embed(embedder, ["a boat"])
    gemini.answer = lambda texts: [[1.0, 2.0]]
    with pytest.raises(embed.BadVectors, match=r"shape \(1, 2\).*dimension 64"):
        embed.embed(embedder, ["a boat"])


@pytest.mark.parametrize("question", ["what did I say about my diabetes", "is 078-05-1120 my number"])
def test_a_private_question_stays_here(home: Home, gemini: Fake, question: str) -> None:
    name(home, provider="gemini", apiKey="k")
    asked = embed.asked(home, question, lambda embedder: True)
    assert (asked.vector, gemini.given) == (None, [])
    assert asked.problem == "the question is private, and was not sent to gemini-embedding-001"
    assert embed.asked(home, "is ghp_" + "a1B2" * 9 + " the token", lambda embedder: True).vector is not None
    assert "ghp_" not in gemini.given[0]


class _OpenAI(BaseHTTPRequestHandler):
    """Answers as OpenAI's server does; ``server.seen`` has what it was asked."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers["Authorization"], asked["model"], asked["input"]))  # type: ignore[attr-defined]
        data = [
            {"object": "embedding", "index": number, "embedding": vector_of(text).astype(float).tolist()}
            for number, text in enumerate(asked["input"])
        ]
        body = json.dumps(
            {"object": "list", "data": data, "model": asked["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _OpenAI)
    made.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def test_a_server_of_ones_own_gets_the_key_of_the_settings_and_no_other(
    home: Home, server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-them")
    base = f"http://127.0.0.1:{server.server_port}/v1"
    name(home, provider="openai", model="nomic", apiBase=base)
    embedder = loaded(home)
    assert embedder.model_id == f"nomic at 127.0.0.1:{server.server_port}/v1"
    assert embed.embed(embedder, ["a boat", "a flat"])[0] == pytest.approx(vector_of("a boat"))
    name(home, provider="openai", apiBase=base, apiKey="theirs")
    embed.embed(loaded(home), ["a boat"])
    assert server.seen == [  # type: ignore[attr-defined]
        ("/v1/embeddings", "Bearer none", "nomic", ["a boat", "a flat"]),
        ("/v1/embeddings", "Bearer theirs", "text-embedding-3-small", ["a boat"]),
    ]


def test_openai_s_own_model_is_asked(home: Home, server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    name(home, provider="openai", apiKey="sk-mine")
    embed.embed(loaded(home), ["a boat"])
    (seen,) = server.seen  # type: ignore[attr-defined]
    assert seen[1:3] == ("Bearer sk-mine", "text-embedding-3-small")


def test_llm_knows_the_offline_model(minilm_vector: np.ndarray) -> None:
    model = llm.get_embedding_model("minilm-int8")
    assert (model.model_id, len(model.embed("Lives in Berlin."))) == (MiniLM.model_id, 384)
    done = CliRunner().invoke(llm_cli, ["embed", "-m", MiniLM.model_id, "-c", "Lives in Berlin."])
    assert json.loads(done.output) == pytest.approx(minilm_vector.tolist(), abs=1e-6)


@pytest.fixture
def minilm_vector() -> np.ndarray:
    found = minilm.installed()
    if found is None:
        pytest.skip("the vectors extra is not installed: the offline model was not tested")
    return np.asarray(found.embed(["Lives in Berlin."])[0])
