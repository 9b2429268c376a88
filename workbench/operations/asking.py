"""Asking a model of ``llm``, whichever a person has; every failure is one line that names it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from pydantic import BaseModel

from workbench import guard, text
from workbench.errors import WorkbenchError

# How models call the limit of their answer.
_LIMITS = ("max_tokens", "max_output_tokens", "max_completion_tokens", "num_predict")


def asker(
    name: str,
    failed: str,
    *,
    schema: type[BaseModel] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> Callable[[str, str], str]:
    """What asks the model of this name: (what to do, what to do it with) → its answer.

    :param failed: what a failure leaves undone, for its message.
    :param schema: the form of the answer, for a model that can be held to one.
    :param temperature, max_tokens: for a model that has such an option.
    :param timeout: seconds until an answer is no longer waited for; None: as long as it takes.
    :raises WorkbenchError: when there is no such model, and from what it returns when the model fails.
    """
    model = _model(name)
    options: dict[str, Any] = {}
    known = model.Options.model_fields
    if temperature is not None and "temperature" in known:
        options["temperature"] = temperature
    if max_tokens is not None and (limit := next((option for option in _LIMITS if option in known), None)):
        options[limit] = max_tokens
    if schema is not None and model.supports_schema:
        options["schema"] = schema

    def ask(rules: str, prompt: str) -> str:
        try:
            return _within(timeout, lambda: str(model.prompt(prompt, system=rules, stream=False, **options).text()))
        except Exception as error:  # whatever a plugin raises
            said = text.one_line(guard.mask(f"{type(error).__name__}: {error}"), 200)
            raise WorkbenchError(f"the model {name} failed, {failed}: {said}") from error

    return ask


def _model(name: str) -> Any:  # noqa: ANN401 - llm has no types
    try:
        import llm
    except ImportError:
        raise WorkbenchError(
            f"{name} can't be asked: the package llm is not installed (pip install 'memory-workbench[llm]')"
        ) from None
    try:
        return llm.get_model(name)
    except llm.UnknownModelError:
        raise WorkbenchError(f"llm knows no model {text.quoted(name, 80)}; `llm models` lists them") from None


def _within(seconds: float | None, answer: Callable[[], str]) -> str:
    """What ``answer`` returns.

    A call into a library can't be stopped: after the time its thread is left to itself, and ends with the process.

    :raises TimeoutError: when it takes longer.
    """
    if seconds is None:
        return answer()
    done: SimpleQueue[str | Exception] = SimpleQueue()

    def run() -> None:
        try:
            done.put(answer())
        except Exception as error:
            done.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, Exception):
        raise result
    return result
