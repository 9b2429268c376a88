"""The graph for analysis: as a networkx graph, as pandas frames. Both are imported when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError
from workbench.graph import queries, store
from workbench.graph.export import COLUMNS, attributes
from workbench.home import Home

if TYPE_CHECKING:
    import networkx
    import pandas

_TIMES = ("valid_from", "valid_to", "recorded_at")


def to_networkx(home: Home, at: str | None = None) -> networkx.MultiDiGraph:
    """Entities as nodes, by their ids, with ``name``, ``type`` and what is said of them in words; facts as edges, by
    their predicates, with their time, confidence, source and memory.

    :param at: an instant, ``…Z``: only what holds then.
    """
    try:
        import networkx
    except ImportError:
        raise _missing("networkx") from None
    graph = networkx.MultiDiGraph()
    with store.reading(home) as connection:
        facts, entities = queries.everything(connection, at), queries.entities(connection)
    said = attributes(facts)
    for entity in entities:
        graph.add_node(entity.id, **said.get(entity.id, {}), name=entity.name, type=entity.type)
    for fact in facts:
        if fact["object_id"] is not None:
            names = (*COLUMNS[3:], "predicate", "current")
            graph.add_edge(fact["subject_id"], fact["object_id"], **{name: fact[name] for name in names})
    return graph


def to_frames(home: Home) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """(entities, facts): a row each; times are in UTC, NaT where there is no limit."""
    with store.reading(home) as connection:
        facts, entities = queries.everything(connection), queries.entities(connection)
    pd = _pandas()
    named = pd.DataFrame([(each.id, each.name, each.type) for each in entities], columns=["id", "name", "type"])
    return named, _frame(facts)


def timeline(home: Home, name: str | None = None) -> pandas.DataFrame:
    """Facts in the order in which they begin, with ``days``, for how long each held or holds until now.

    :param name: of this entity only; none where there is none of this name.
    """
    with store.reading(home) as connection:
        entity = queries.find(connection, name) if name is not None else None
        only = entity.id if entity is not None else name
        frame = _frame(queries.timeline(connection, only))
    now = _pandas().Timestamp.now("UTC")
    frame["days"] = (frame["valid_to"].fillna(now) - frame["valid_from"]).dt.total_seconds() / 86_400
    return frame


def _frame(facts: list[dict[str, object]]) -> pandas.DataFrame:
    pd = _pandas()
    frame = pd.DataFrame(facts, columns=["id", "subject_id", "object_id", *COLUMNS, "current"])
    for name in _TIMES:
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601")
    return frame.astype({"confidence": float, "current": bool})


def _pandas() -> Any:  # noqa: ANN401 - the module
    try:
        import pandas
    except ImportError:
        raise _missing("pandas") from None
    return pandas


def _missing(package: str) -> WorkbenchError:
    return WorkbenchError(f"{package} is not installed; `pip install 'memory-workbench[analysis]'` brings it")
