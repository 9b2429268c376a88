"""The offline embedding model, as ``llm`` asks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import llm

from workbench.index.minilm import MiniLM


class Offline(llm.EmbeddingModel):  # type: ignore[misc, name-defined]
    """all-MiniLM-L6-v2 on this machine: 384 numbers for the first 256 tokens of a text."""

    batch_size = 64

    def __init__(self, model: MiniLM) -> None:
        self.model_id, self._model = model.model_id, model

    def embed_batch(self, items: Iterable[str | bytes], *, key: str | None = None) -> Iterator[list[float]]:
        """One vector of length 1 for each text, in their order; no key is wanted."""
        for vector in self._model.embed([item for item in items if isinstance(item, str)]):
            yield vector.tolist()
