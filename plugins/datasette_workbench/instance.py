"""Which Datasette serves which home; the plugin does nothing in a Datasette it does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from workbench.home import Home

if TYPE_CHECKING:
    from datasette.app import Datasette


@dataclass(frozen=True)
class Instance:
    """One served home.

    :param origins: the ``Host`` values that are answered, each with the origin a browser names for it.
    :param cookie: the name of the sign-in cookie; it differs by home, because cookies ignore ports.
    """

    home: Home
    origins: dict[str, str]
    cookie: str


_instances: WeakKeyDictionary[Datasette, Instance] = WeakKeyDictionary()


def attach(datasette: Datasette, instance: Instance) -> None:
    """Make ``datasette`` the server of a home."""
    _instances[datasette] = instance


def instance_of(datasette: Datasette) -> Instance | None:
    """The home this Datasette serves; None when it is not one of ours."""
    return _instances.get(datasette)
