"""Which embedding model the settings name, and how one that ``llm`` knows is asked."""

from __future__ import annotations

import functools
import queue
import time
from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from workbench import guard
from workbench.config import MemorySearch
from workbench.errors import WorkbenchError
from workbench.index import minilm
from workbench.text import one_line, quoted, storable

if TYPE_CHECKING:
    from workbench.index.embed import Embedder, Vectors

_T = TypeVar("_T")

_SECTION = "agents.defaults.memorySearch"
# The model that a provider stands for, and what `llm` must have installed to know it.
_USUAL = {"openai": "text-embedding-3-small", "gemini": "gemini-embedding-001"}
_PLUGINS = {"gemini": "llm-gemini"}
_INSTALL = "no embedder is installed: pip install 'memory-workbench[vectors]'"
# A model that does not answer is given up after so long, and left alone for a while: searches go on by words.
_SECONDS, _SECONDS_A_TEXT, _REST_SECONDS = 20.0, 1.0, 30.0
_SHORT = 1_000  # characters that every model takes


class Chosen(NamedTuple):
    """The embedder that settings name; or None and, where one was named, why it can't be had."""

    embedder: Embedder | None = None
    problem: str | None = None


class EmbedderFailed(WorkbenchError):
    """A model gave no vectors."""


def choose(settings: MemorySearch) -> Chosen:
    """The embedder that the settings name. ``auto`` is the offline model, and none where that is not installed: nothing
    leaves this machine unless the settings name a model that it goes to. Asks no network."""
    provider = settings.provider.strip() or "auto"
    if provider == "none":
        return Chosen()
    named = settings.model.strip() or _USUAL.get(provider, provider)
    if named == "auto":
        return Chosen(minilm.installed())
    try:
        return Chosen(_named(settings, named))
    except WorkbenchError as error:
        return Chosen(problem=str(error))


def _named(settings: MemorySearch, named: str) -> Embedder:
    if named == minilm.MiniLM.model_id:
        return _offline()
    if settings.api_base and settings.provider != "openai":
        raise WorkbenchError(
            f"{_SECTION}.apiBase goes with the provider openai, not with {quoted(settings.provider, 80)}"
        )
    return _made(named, settings.api_key, settings.api_base, _PLUGINS.get(settings.provider))


def _offline() -> Embedder:
    found = minilm.installed()
    if found is None:
        raise WorkbenchError(_INSTALL)
    return found


@functools.lru_cache(maxsize=16)
def _made(named: str, key: str, base: str, plugin: str | None) -> Embedder:
    """One for the process, so that what it learned (its dimension, that it fails) is known to all."""
    try:
        import llm
    except ImportError:
        raise WorkbenchError(
            f"{named} can't be asked: the package llm is not installed (pip install 'memory-workbench[llm]')"
        ) from None
    try:
        if base:
            return FromLlm(_compatible(named, base, llm.get_key(input=key)), key, f"{named} at {_server(base)}")
        model = llm.get_embedding_model(named)  # type: ignore[no-untyped-call]
        if model.model_id == minilm.MiniLM.model_id:
            return _offline()
        model.get_key(key or None)
    except llm.UnknownModelError:
        how = f"`llm install {plugin}`" if plugin else "`llm embed-models` lists those it knows"
        raise WorkbenchError(f"llm knows no embedding model {quoted(named, 80)}: {how}") from None
    except llm.NeedsKeyException:
        raise WorkbenchError(f"{named} needs a key: `llm keys set {model.needs_key}`, or {_SECTION}.apiKey") from None
    except WorkbenchError:
        raise
    except Exception as error:  # whatever a plugin raises
        raise WorkbenchError(f"the embedding model {named} can't be had: {_said(error)}") from error
    return FromLlm(model, key or None, model.model_id)


def _server(base: str) -> str:
    """Host, port and path of an address."""
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WorkbenchError(f"{_SECTION}.apiBase must be an address that begins with http:// or https://")
    return f"{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def _compatible(named: str, base: str, key: str | None) -> Any:  # noqa: ANN401 - llm has no types here
    """A model of a server that speaks as OpenAI's does. It gets no other key than this one, least of all OpenAI's."""
    import llm
    import openai

    class Compatible(llm.EmbeddingModel):  # type: ignore[misc, name-defined]
        model_id = named
        batch_size = 100

        def embed_batch(self, items: Iterable[str], **_: object) -> list[list[float]]:
            made = openai.OpenAI(api_key=key or "none", base_url=base).embeddings.create(
                model=named, input=list(items), encoding_format="float"
            )
            return [each.embedding for each in made.data]

    return Compatible()


class FromLlm:
    """An embedding model that ``llm`` knows. Wherever it runs, texts count as leaving this machine: nobody can tell."""

    remote = True

    def __init__(self, model: Any, key: str | None, name: str) -> None:  # noqa: ANN401
        self._model, self._key, self.model_id = model, key, name
        self.dimension: int | None = None
        self._failed: tuple[float, str] | None = None

    def reads(self, text: str) -> bool:
        """Any text: what a model knows, only it can tell."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text.

        :raises EmbedderFailed: when the model gives none, or not in time; also for a while after that.
        """
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension or 0), np.float32)
        if self._failed and time.monotonic() < self._failed[0]:
            raise EmbedderFailed(self._failed[1])
        try:
            vectors = np.array(self._made([storable(text) or " " for text in texts]), np.float32)
        except Exception as error:  # whatever a plugin raises
            failure = f"the embedding model {self.model_id} failed: {_said(error, self._key)}"
            self._failed = (time.monotonic() + _REST_SECONDS, failure)
            raise EmbedderFailed(failure) from error
        self._failed = None
        if self.dimension is None and vectors.ndim == 2 and vectors.shape[1]:
            self.dimension = vectors.shape[1]
        return vectors

    def _made(self, texts: Sequence[str]) -> list[list[float]]:
        """What the model gives. Where it refuses many texts, each is given alone, and of a long one the beginning: one
        that is too long for it holds up no other."""
        try:
            return _within(_SECONDS + _SECONDS_A_TEXT * len(texts), lambda: self._asked(texts))
        except TimeoutError:
            raise
        except Exception:
            if len(texts) > 1:
                return [vector for text in texts for vector in self._made([text])]
            if len(texts[0]) <= _SHORT:
                raise
            return self._made([texts[0][:_SHORT]])

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        return [list(each) for each in self._model.embed_multi(texts, key=self._key)]


def _within(seconds: float, make: Callable[[], _T]) -> _T:
    """What ``make`` gives.

    :raises TimeoutError: when it takes longer than so many seconds; it is left to end by itself.
    """
    done: queue.SimpleQueue[tuple[_T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((make(), None))
        except BaseException as error:
            done.put((None, error))

    Thread(target=run, name="embedding model", daemon=True).start()
    try:
        made, error = done.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:.0f} seconds") from None
    if error is not None:
        raise error
    return made  # type: ignore[return-value]


def _said(error: BaseException, key: str | None = None) -> str:
    """What a failure says, without the key."""
    said = f"{type(error).__name__}: {error}"
    if key:
        said = said.replace(key, "[key]")
    return one_line(guard.mask(said), 200)
