"""Dreaming with a real model on this machine, SmolLM2 with 135 million parameters, held to our schema.

It is too small to find much; what it must not do is break anything, or make anything up that gets through.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.dreaming.extract import Heard
from workbench.dreaming.model import Answer, ModelExtractor
from workbench.operations import asking

FILE = os.environ.get("WORKBENCH_TEST_MODEL", "")
pytestmark = [
    pytest.mark.local_model,
    pytest.mark.skipif(not FILE, reason="WORKBENCH_TEST_MODEL names no model file; `make test-model` fetches one"),
]
SAID = ["I live in Oslo and work as a nurse.", "I prefer tea over coffee."]


@pytest.fixture
def model() -> Iterator[str]:
    """The name under which llm knows the model."""
    llm = pytest.importorskip("llm")
    llama = pytest.importorskip("xllamacpp")
    from llm.plugins import pm

    settings = llama.CommonParams()
    settings.model.path = str(Path(FILE).resolve())
    settings.n_ctx, settings.n_parallel, settings.warmup = 2_048, 1, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = llama.Server(settings)

    class Local(llm.Model):
        model_id = "workbench-smollm2"
        supports_schema = True

        def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
            schema = json.loads(json.dumps(prompt.schema))
            # So small a model goes on until it is stopped.
            schema["properties"]["memories"]["maxItems"] = 3
            answer = server.handle_chat_completions(
                {
                    "messages": [
                        {"role": "system", "content": prompt.system},
                        {"role": "user", "content": prompt.prompt},
                    ],
                    "temperature": 0,
                    "max_tokens": 500,
                    "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
                }
            )
            yield answer["choices"][0]["message"]["content"]

    class Plugin:
        @llm.hookimpl
        def register_models(self, register: Any) -> None:
            register(Local())

    pm.register(Plugin(), name="workbench-smollm2")
    yield Local.model_id
    pm.unregister(name="workbench-smollm2")


def test_a_real_model_finds_what_stands_in_the_messages_or_nothing(model: str) -> None:
    ask = asking.asker(model, "nothing was learned", schema=Answer, temperature=0, timeout=240)
    heard = [Heard(number, "cli:s", "user", text, "2026-03-03T08:41:07Z") for number, text in enumerate(SAID, 1)]
    reading = ModelExtractor(ask, model, retries=0).read(heard)
    print([(each.content, each.evidence) for each in reading.statements], dict(reading.dropped))
    assert reading.read == 2 and len(reading.statements) + reading.dropped.total() <= 3
    assert reading.statements or reading.dropped
    whole = " ".join(SAID).casefold()
    for each in reading.statements:
        assert set(each.evidence) <= {1, 2}
        names = [word for word in each.content.split()[1:] if word[:1].isupper()]
        assert all(word.strip(".,").casefold() in whole for word in names)
