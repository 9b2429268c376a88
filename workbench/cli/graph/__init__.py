"""``workbench graph``: who and what is known, how they stand to each other, and when."""

from __future__ import annotations

import click

from workbench.cli.lazy import LazyGroup

_SAY, _ASK = "workbench.cli.graph.say", "workbench.cli.graph.ask"
COMMANDS = {
    "add": (f"{_SAY}:add", "State a fact: SUBJECT PREDICATE OBJECT."),
    "query": (f"{_ASK}:query", "Show the facts of an entity, past ones too."),
    "invalidate": (f"{_SAY}:invalidate", "Say that a fact holds no more; it stays as history."),
    "search": (f"{_ASK}:search", "Show the facts with a predicate."),
    "timeline": (f"{_ASK}:timeline", "Show facts in the order in which they began."),
    "merge": (f"{_SAY}:merge", "Say that two entities are one."),
    "alias": (f"{_SAY}:alias", "Give an entity another name."),
    "predicate": (f"{_SAY}:predicate", "Say whether a predicate takes one value at a time, or many."),
    "neighbours": (f"{_ASK}:neighbours", "Show the entities around one."),
    "path": (f"{_ASK}:path", "Show the shortest way from one entity to another."),
    "stats": (f"{_ASK}:stats", "Say how much the graph holds."),
    "summary": (f"{_ASK}:summary", "Print the best known entities, as a block for a prompt."),
    "export": ("workbench.cli.graph.transfer:export", "Write the facts to FILE, as GraphML, JSON or CSV."),
    "import": ("workbench.cli.graph.transfer:import_", "Bring the facts of FILE into the graph, as one change."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def graph() -> None:
    """See and say who and what is known, and since when."""
