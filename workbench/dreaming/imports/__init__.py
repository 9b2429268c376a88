"""Readers of other programs' stores: files in, candidates out. They touch no ledger, and write nothing anywhere.

What a store says of its own memories (who accepted what) is a ``Standing``; ``takeover`` decides if it is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.dreaming.imports import flaremo, flowly
from workbench.dreaming.imports.model import Item, Notes
from workbench.errors import NotFound, WorkbenchError
from workbench.ledger import bundle


@dataclass(frozen=True)
class Format:
    """A kind of store.

    :param recognises: whether the files at a path are one; it may raise when they are one that can't be read.
    """

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path, Notes], Iterator[Item]]


FORMATS = (Format("flowly", flowly.recognises, flowly.read), Format("flaremo", flaremo.recognises, flaremo.read))


def sniff(path: Path) -> Format:
    """The kind of store at ``path``, by its content.

    :raises NotFound: when nothing is there.
    :raises WorkbenchError: when it is of no known kind.
    """
    if not path.exists():
        raise NotFound(f"there is nothing at {path}; name the folder of a Flowly home, or the file of an export")
    if path.is_file() and bundle.is_bundle(path):
        raise WorkbenchError(f"{path} is a bundle of this program; `workbench import-bundle` reads it")
    for known in FORMATS:
        if known.recognises(path):
            return known
    raise WorkbenchError(
        f"{path} is no store that can be read: looked for a Flowly home (a folder with {flowly.DATABASE} or"
        f" {flowly.NOTES}) and a FlareMo export (a JSON file with version {flaremo.VERSION} and memories)"
    )
