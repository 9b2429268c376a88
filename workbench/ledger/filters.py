"""Conditions on memories that several queries share; each is SQL for a table named or aliased ``m``."""

from __future__ import annotations

from dataclasses import dataclass

# What a memory says of its own time includes the instant :at.
HOLDS = (
    "(m.valid_from IS NULL OR m.valid_from <= :at)"
    " AND (m.valid_to IS NULL OR m.valid_to > :at) AND (m.expires_at IS NULL OR m.expires_at > :at)"
)
# In force at the instant :at. What was superseded holds until its end comes, which may lie ahead.
IN_FORCE = f"m.status IN ('active', 'superseded') AND {HOLDS}"

# Global memories, and those of the project, workspace and agent of whoever asks; NULL for what they do not have.
VISIBLE = (
    "(m.scope_type = 'global' OR (m.scope_type = 'project' AND m.scope_key = :project)"
    " OR (m.scope_type = 'workspace' AND m.scope_key = :workspace)"
    " OR (m.scope_type = 'agent' AND m.scope_key = :agent))"
)

# What an agent may know of: nothing secret, nothing erased. In the person's own lists it finds nothing private, either.
LISTED = f"{VISIBLE} AND m.privacy = 'normal' AND m.status <> 'erased'"

ENDORSED = "m.authority IN ('confirmed', 'locked')"
# What an agent may be shown: nothing secret, and what is sensitive only where the person said that it is to be used.
# The words about secret ones are those of an index.
SHOWN = f"m.privacy <> 'secret' AND (m.privacy = 'normal' OR {ENDORSED})"
# What an agent may name by its id.
KNOWABLE = f"{VISIBLE} AND {SHOWN} AND m.status <> 'erased'"

# The person has ruled on it since the instant :since, or taken a change to it back.
TOUCHED_SINCE = (
    "EXISTS (SELECT 1 FROM memory_events e LEFT JOIN memory_events u ON u.undoes = e.change_id WHERE e.memory_id = m.id"
    " AND ((e.actor LIKE 'person:%' AND e.at >= :since) OR u.at >= :since))"
)

# The last segment of a fact key ("project.database" → "database").
KEY_TAIL = "replace(fact_key, rtrim(fact_key, replace(fact_key, '.', '')), '')"


@dataclass(frozen=True)
class Reader:
    """Who asks, for ``VISIBLE``: the names of its agent, project and workspace."""

    agent: str | None = None
    project: str | None = None
    workspace: str | None = None
