"""Which entries of an OpenClaw or pi session are still told: they are a tree, and its current leaf tells the branch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workbench.sessions.importers.values import string
from workbench.sessions.model import State

# Entries that the current leaf moves to; others (what extensions keep for themselves) are passed by.
_STEPS = frozenset(
    """
    branch_summary compaction custom custom_message label message model_change reset session_info thinking_level_change
    """.split()  # noqa: SIM905
)


@dataclass(slots=True)
class Tree:
    """The entries of a session as they are told, one after the other.

    :param parents: the entry that each stands behind.
    :param order: their names as they came; of the first version, which names none, a name made here.
    :param leaf: where the conversation stands now.
    :param end: the entry that was written last, wherever the leaf is.
    :param kept: of each compaction, the entry that begins what it left.
    """

    parents: dict[str, str | None] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    leaf: str | None = None
    end: str | None = None
    kept: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def going_on(cls, leaf: str, end: str | None) -> Tree:
        """A tree whose entries are not looked at again: the leaf and the last entry are known."""
        return cls({leaf: None}, [leaf], leaf, end)

    @property
    def is_whole(self) -> bool:
        """Whether it can go on: its entries have names, and they go in no circle."""
        return self._path() is not None and not any(name.startswith("\x00") for name in self.order)

    def goes_on(self, entry: dict[str, Any]) -> bool:
        """Whether an entry stands behind the last one and changes nothing before it."""
        name, parent = string(entry.get("id")), string(entry.get("parentId"))
        behind = "parentId" not in entry or parent == self.end
        plain = entry.get("type") not in ("leaf", "compaction", "reset") and entry.get("appendMode") != "side"
        return name is not None and name not in self.parents and behind and plain

    def add(self, entry: dict[str, Any]) -> str:
        """Take an entry; returns its name."""
        name = string(entry.get("id")) or f"\x00{len(self.order)}"
        self.order.append(name)
        if name in self.parents:
            return name
        kind = string(entry.get("type"))
        if kind == "leaf":
            self._move(name, entry)
            return name
        parent = string(entry.get("parentId"))
        aside = entry.get("appendMode") == "side"
        if "parentId" not in entry or (parent == self.end and not aside):
            parent = self.leaf
        self.parents[name] = parent
        self.end = name
        if kind in _STEPS and not aside:
            self.leaf = name
        if kind == "compaction":
            self.kept[name] = self._first_kept(entry)
        return name

    def states(self) -> dict[str, State]:
        """The state of each entry that is not active."""
        path = self._path()
        if path is None:
            return {}
        on_path = set(path)
        states: dict[str, State] = {name: "withdrawn" for name in self.order if name not in on_path}
        for place in range(len(path) - 1, -1, -1):
            if path[place] in self.kept:
                first = self.kept[path[place]]
                upto = path.index(first) if first in path[:place] else place
                states.update((name, "compacted") for name in path[:upto])
                break
        return states

    def _move(self, name: str, entry: dict[str, Any]) -> None:
        """The person went to another entry, or before the first one."""
        target = string(entry.get("targetId"))
        if target is not None and target not in self.parents:
            self.parents[name] = self.leaf
            return
        self.parents[name] = self.leaf = target
        self.end = string(entry["appendParentId"]) if "appendParentId" in entry else target

    def _first_kept(self, entry: dict[str, Any]) -> str | None:
        """Named, or counted (the header is 0, and no entry here)."""
        place = entry.get("firstKeptEntryIndex")
        if isinstance(place, int) and 0 < place <= len(self.order):
            return self.order[place - 1]
        return string(entry.get("firstKeptEntryId"))

    def _path(self) -> list[str] | None:
        """From the first entry to the leaf; None when it goes in a circle, so that nothing can be said of branches.

        Where a parent is missing (its line was unreadable) it goes on with what was written before.
        """
        places = {name: place for place, name in reversed(list(enumerate(self.order)))}
        path: list[str] = []
        seen: set[str] = set()
        name = self.leaf
        while name is not None:
            if name in seen:
                return None
            seen.add(name)
            path.append(name)
            parent = self.parents[name]
            if parent is not None and parent not in self.parents:
                parent = self.order[places[name] - 1] if places[name] else None
            name = parent
        return path[::-1]
