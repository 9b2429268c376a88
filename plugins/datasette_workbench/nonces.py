"""A nonce for each inline script that a template's own source holds, and for nothing else.

The nonce is written into template source when Jinja loads it, never into a finished page: text that
somebody stored is data by then, and can't get one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar

from jinja2 import BaseLoader, Environment

_OPENING_TAG = re.compile(r"<(script|style)(?=[\s>{])")
# Datasette's one event attribute; static/workbench.js calls the same function.
_CHOOSER_ATTRIBUTE = 'onclick="openColumnChooser()"'
_CHOOSER_MARK = "data-open-column-chooser"

csp_nonce: ContextVar[str] = ContextVar("csp_nonce", default="")


def with_nonces(source: str) -> str:
    """The template source with a nonce expression in each script and style tag."""
    source = source.replace(_CHOOSER_ATTRIBUTE, _CHOOSER_MARK)
    return _OPENING_TAG.sub(r'<\1 nonce="{{ csp_nonce() }}"', source)


class NonceLoader(BaseLoader):
    """Any Jinja loader, with nonces added to what it loads."""

    def __init__(self, loader: BaseLoader) -> None:
        self.loader = loader

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Source, file name and freshness check, as Jinja asks for them."""
        source, filename, fresh = self.loader.get_source(environment, template)
        return with_nonces(source), filename, fresh

    def list_templates(self) -> list[str]:
        """The names of all templates."""
        return self.loader.list_templates()


def install(environment: Environment) -> None:
    """Wrap the environment's loader and give templates ``csp_nonce()``."""
    if environment.loader is not None and not isinstance(environment.loader, NonceLoader):
        environment.loader = NonceLoader(environment.loader)
    environment.globals["csp_nonce"] = csp_nonce.get
