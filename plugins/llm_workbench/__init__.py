"""What the workbench gives to ``llm``: its offline embedding model."""

from __future__ import annotations

from collections.abc import Callable

import llm

from workbench.index import minilm


@llm.hookimpl
def register_embedding_models(register: Callable[..., None]) -> None:
    """Register the offline model, where the ``vectors`` extra is installed."""
    from llm_workbench.embedding import Offline

    model = minilm.installed()
    if model is not None:
        register(Offline(model), aliases=("minilm-int8",))
