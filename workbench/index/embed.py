"""From texts to vectors: what an embedder is, which one a home has, and what it may be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from workbench import guard
from workbench.errors import WorkbenchError
from workbench.home import Home

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from workbench.index.providers import Chosen

    Vectors = npt.NDArray[np.float32]

# Whether a text is private.
Private = Callable[[str], bool]


class BadVectors(WorkbenchError):
    """An embedder gave something that is no vector of its model."""


class Embedder(Protocol):
    """What turns texts into vectors; the vectors of two model ids are never compared."""

    @property
    def model_id(self) -> str:
        """The name under which the vectors are kept."""

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None as long as only the first vector will tell."""

    @property
    def remote(self) -> bool:
        """Whether texts may leave this machine: then no private one is given to it."""

    def reads(self, text: str) -> bool:
        """Whether a vector of this text tells what it means."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order.

        :raises WorkbenchError: when they can't be made.
        """


class Asked(NamedTuple):
    """A question as a vector.

    :param vector: None where vectors can't be asked; ``problem`` says why, unless there is nothing to say.
    """

    embedder: Embedder | None = None
    vector: Vectors | None = None
    problem: str | None = None

    @property
    def provider(self) -> str:
        """The embedding model; none where there is none."""
        return self.embedder.model_id if self.embedder else "none"


def load(home: Home) -> Embedder | None:
    """The embedder that the settings of ``home`` name; None where there is none, which ``why_none`` explains.

    Reads no model yet (that happens at the first text) and never asks the network.
    """
    return _chosen(home).embedder


def why_none(home: Home) -> str | None:
    """Why the embedder that the settings of ``home`` name can't be had; None where it can, and where none is named."""
    return _chosen(home).problem


def _chosen(home: Home) -> Chosen:
    # These cost more than whoever compares vectors that are there already should pay.
    from workbench import config
    from workbench.index import providers

    return providers.choose(config.load(home).memory_search)


def given(embedder: Embedder, text: str, private: Private = guard.is_private) -> str | None:
    """What an embedder is given of a text: credentials are masked; None where it is private and would leave this
    machine."""
    return None if embedder.remote and private(text) else guard.mask(text)


def asked(home: Home, question: str, there: Callable[[Embedder], bool]) -> Asked:
    """A question as a vector of the embedder of ``home``.

    No model is read where the question has no words or nothing can be compared with it; none is asked what it does not
    read.

    :param there: whether there are vectors of an embedder.
    """
    from workbench import fts

    embedder = None
    try:
        embedder = load(home)
        if embedder is None:
            return Asked(problem=why_none(home))
        if not fts.terms(question) or not there(embedder):
            return Asked(embedder)
        said = given(embedder, question)
        if said is None:
            return Asked(embedder, problem=f"the question is private, and was not sent to {embedder.model_id}")
        if not embedder.reads(said):
            return Asked(embedder)
        (vector,) = embed(embedder, [said])
    except WorkbenchError as error:
        return Asked(embedder, problem=str(error))
    return Asked(embedder, vector)


def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors of ``texts``, checked.

    :raises BadVectors: when the embedder gives NaN, a zero vector, or not one vector of its dimension for each text.
    """
    import numpy as np

    vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    if vectors.shape != (len(texts), embedder.dimension):
        raise BadVectors(
            f"{embedder.model_id} gave an array of shape {vectors.shape} for {len(texts)} texts of dimension"
            f" {embedder.dimension}; choose another embedding model"
        )
    return unit_rows(vectors, embedder.model_id)


def unit_rows(vectors: Vectors, model: str) -> Vectors:
    """``vectors`` with every row at length 1.

    :raises BadVectors: when a row is zero or holds NaN or infinity.
    """
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise BadVectors(f"{model} gave a vector with NaN or infinity in it; choose another embedding model")
    if not lengths.all():
        raise BadVectors(f"{model} gave a zero vector; choose another embedding model")
    rows: Vectors = (vectors / lengths).astype(np.float32)
    return rows
