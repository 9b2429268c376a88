"""The tables of the ledger as SQL; what storage can hold of the rules, it holds here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ledger.filters import KEY_TAIL
from workbench.ledger.model import (
    MAX_CONTENT,
    Authority,
    Kind,
    Privacy,
    Reason,
    ResourceType,
    SourceType,
    Status,
    Type,
)

if TYPE_CHECKING:
    from enum import StrEnum


def _one_of(words: type[StrEnum]) -> str:
    return ", ".join(f"'{word}'" for word in words)


MEMORIES = f"""
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (id GLOB 'm_*'),
    content TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND {MAX_CONTENT} OR status = 'erased'),
    cjk TEXT,
    kind TEXT NOT NULL CHECK (kind IN ({_one_of(Kind)})),
    type TEXT NOT NULL DEFAULT 'semantic' CHECK (type IN ({_one_of(Type)})),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (substr(tags, 1, 1) = '['),
    tier TEXT NOT NULL DEFAULT 'normal' CHECK (tier IN ('core', 'normal')),
    scope_type TEXT NOT NULL DEFAULT 'global' CHECK (scope_type IN ('global', 'workspace', 'project', 'agent')),
    scope_key TEXT NOT NULL DEFAULT '' CHECK ((scope_type = 'global') = (scope_key = '')),
    fact_key TEXT CHECK (fact_key <> ''),
    authority TEXT NOT NULL CHECK (authority IN ({_one_of(Authority)})),
    status TEXT NOT NULL CHECK (status IN ({_one_of(Status)})),
    review_reason TEXT CHECK (review_reason IN ({_one_of(Reason)})),
    confidence REAL CHECK (confidence BETWEEN 0 AND 1),
    confidence_source TEXT,
    explicit INTEGER NOT NULL DEFAULT 0 CHECK (explicit IN (0, 1)),
    trust REAL NOT NULL CHECK (trust BETWEEN 0 AND 1),
    importance INTEGER NOT NULL DEFAULT 50 CHECK (importance BETWEEN 0 AND 100),
    privacy TEXT NOT NULL DEFAULT 'normal' CHECK (privacy IN ({_one_of(Privacy)})),
    valid_from TEXT,
    valid_to TEXT,
    expires_at TEXT,
    observed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    retired_at TEXT,
    supersedes TEXT REFERENCES memories(id) DEFERRABLE INITIALLY DEFERRED,
    superseded_by TEXT REFERENCES memories(id) DEFERRABLE INITIALLY DEFERRED,
    created_by TEXT NOT NULL,
    source_agent TEXT,
    source_session TEXT,
    source_message_ids TEXT NOT NULL DEFAULT '[]' CHECK (substr(source_message_ids, 1, 1) = '['),
    batch_id TEXT,
    fingerprint TEXT NOT NULL,
    idempotency_key TEXT,
    seen_count INTEGER NOT NULL DEFAULT 1 CHECK (seen_count >= 1),
    last_seen_at TEXT,
    CHECK (valid_from IS NULL OR valid_to IS NULL OR valid_from <= valid_to),
    CHECK (status NOT IN ('needs_review', 'candidate') OR review_reason IS NOT NULL),
    CHECK (status <> 'superseded' OR valid_to IS NOT NULL)
) STRICT
"""

INDEXES = (
    # "The same fact" has one holder; an inferred row never occupies a key.
    """CREATE UNIQUE INDEX memories_one_holder ON memories(scope_type, scope_key, fact_key)
       WHERE status = 'active' AND authority <> 'inferred' AND fact_key IS NOT NULL""",
    "CREATE UNIQUE INDEX memories_one_active_text ON memories(fingerprint) WHERE status = 'active'",
    "CREATE UNIQUE INDEX memories_idempotency ON memories(idempotency_key) WHERE idempotency_key IS NOT NULL",
    "CREATE INDEX memories_inbox ON memories(review_reason, seq) WHERE review_reason IS NOT NULL",
    "CREATE INDEX memories_by_fingerprint ON memories(fingerprint)",
    "CREATE INDEX memories_by_key ON memories(fact_key) WHERE fact_key IS NOT NULL",
    "CREATE INDEX memories_by_status ON memories(status, kind)",
)

COMPANY = (
    """CREATE TABLE memory_revisions (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), content TEXT NOT NULL,
        snapshot TEXT NOT NULL CHECK (substr(snapshot, 1, 1) = '{'), actor TEXT NOT NULL,
        created_at TEXT NOT NULL) STRICT""",
    """CREATE TABLE memory_relations (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id),
        related_id TEXT NOT NULL REFERENCES memories(id),
        type TEXT NOT NULL CHECK (type IN ('supersedes', 'contradicts', 'supports', 'depends_on', 'part_of',
            'derived_from', 'related_to')),
        actor TEXT NOT NULL, created_at TEXT NOT NULL,
        UNIQUE (memory_id, related_id, type), CHECK (memory_id <> related_id)) STRICT""",
    """CREATE TABLE resource_links (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), resource_type TEXT NOT NULL,
        resource_ref TEXT NOT NULL, type TEXT NOT NULL CHECK (type IN ('derived_from', 'promoted_to', 'references')),
        created_at TEXT NOT NULL, UNIQUE (memory_id, resource_type, resource_ref, type)) STRICT""",
    """CREATE TABLE memory_evidence (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), source_type TEXT NOT NULL,
        source_ref TEXT NOT NULL, excerpt TEXT NOT NULL, excerpt_hash TEXT NOT NULL, observed_at TEXT,
        stale_at TEXT, missing_at TEXT, UNIQUE (memory_id, source_type, source_ref)) STRICT""",
    """CREATE TABLE memory_feedback (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), helpful INTEGER NOT NULL,
        note TEXT, actor TEXT NOT NULL, given_at TEXT NOT NULL) STRICT""",
    """CREATE TABLE memory_use (
        memory_id TEXT PRIMARY KEY, recalls INTEGER NOT NULL DEFAULT 0, injections INTEGER NOT NULL DEFAULT 0,
        last_used_at TEXT) STRICT""",
    """CREATE TABLE rejections (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL, fingerprint TEXT NOT NULL, scope_type TEXT NOT NULL,
        scope_key TEXT NOT NULL, fact_key TEXT, reason TEXT, created_at TEXT NOT NULL) STRICT""",
    "CREATE INDEX rejections_by_fingerprint ON rejections(fingerprint)",
    "CREATE TABLE learned (message_id INTEGER PRIMARY KEY, run_id TEXT NOT NULL) STRICT",
    """CREATE TABLE lens_archive (
        id TEXT PRIMARY KEY, agent TEXT, project_key TEXT, payload TEXT NOT NULL,
        included TEXT NOT NULL CHECK (substr(included, 1, 1) = '['),
        truncated TEXT NOT NULL CHECK (substr(truncated, 1, 1) = '['),
        created_at TEXT NOT NULL) STRICT""",
    """CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,
        payload TEXT NOT NULL CHECK (substr(payload, 1, 1) = '{'),
        created_at TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, lease_owner TEXT, leased_until TEXT,
        last_error TEXT) STRICT""",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE INDEX evidence_by_memory ON memory_evidence(memory_id)",
    "CREATE INDEX relations_by_related ON memory_relations(related_id)",
    "CREATE INDEX revisions_by_memory ON memory_revisions(memory_id)",
)

EVENTS = (
    """CREATE TABLE memory_events (
        seq INTEGER PRIMARY KEY, memory_id TEXT, action TEXT NOT NULL, actor TEXT NOT NULL, at TEXT NOT NULL,
        change_id TEXT NOT NULL, undoes TEXT, payload_hash TEXT NOT NULL, prev_hash TEXT NOT NULL,
        hash TEXT NOT NULL) STRICT""",
    """CREATE TABLE event_payloads (
        seq INTEGER PRIMARY KEY REFERENCES memory_events(seq), salt TEXT NOT NULL, payload TEXT NOT NULL) STRICT""",
    """CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    """CREATE TRIGGER memory_events_no_delete BEFORE DELETE ON memory_events
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    """CREATE TRIGGER event_payloads_no_update BEFORE UPDATE ON event_payloads
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    "CREATE INDEX events_by_memory ON memory_events(memory_id)",
    "CREATE INDEX events_by_change ON memory_events(change_id)",
    "CREATE INDEX events_by_undoes ON memory_events(undoes) WHERE undoes IS NOT NULL",
)

# Kept by change.py: with trusted_schema=OFF a trigger may not write to FTS5 (until SQLite 3.41).
SEARCH = (
    """CREATE VIRTUAL TABLE memories_fts USING fts5(content, cjk, content='memories', content_rowid='seq',
       tokenize='porter unicode61 remove_diacritics 2')""",
)


EVIDENCE = f"""
CREATE TABLE memory_evidence_new (
    id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id),
    source_type TEXT NOT NULL CHECK (source_type IN ({_one_of(SourceType)})),
    source_ref TEXT NOT NULL CHECK (source_ref <> ''), excerpt TEXT NOT NULL, excerpt_hash TEXT NOT NULL,
    observed_at TEXT, stale_at TEXT, missing_at TEXT, UNIQUE (memory_id, source_type, source_ref)) STRICT
"""
RESOURCE_LINKS = f"""
CREATE TABLE resource_links_new (
    id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id),
    resource_type TEXT NOT NULL CHECK (resource_type IN ({_one_of(ResourceType)})),
    resource_ref TEXT NOT NULL CHECK (resource_ref <> ''),
    type TEXT NOT NULL CHECK (type IN ('derived_from', 'promoted_to', 'references')),
    created_at TEXT NOT NULL, UNIQUE (memory_id, resource_type, resource_ref, type)) STRICT
"""

INDEXES_2 = (
    "DROP INDEX memories_idempotency",
    # A key is its writer's own: two agents may use the same one for different things.
    """CREATE UNIQUE INDEX memories_idempotency ON memories(created_by, idempotency_key)
       WHERE idempotency_key IS NOT NULL""",
    "DROP INDEX memories_by_key",
    "CREATE INDEX memories_by_key ON memories(scope_type, scope_key, fact_key) WHERE fact_key IS NOT NULL",
    f"CREATE INDEX memories_by_key_tail ON memories(scope_type, scope_key, {KEY_TAIL}) WHERE fact_key IS NOT NULL",
    "CREATE INDEX memories_waiting_by_writer ON memories(created_by) WHERE review_reason IS NOT NULL",
    "CREATE INDEX memories_by_trust ON memories(status, authority, trust, seq)",
    # Whoever removes a memory asks which ones point at it.
    "CREATE INDEX memories_supersedes ON memories(supersedes) WHERE supersedes IS NOT NULL",
    "CREATE INDEX memories_superseded_by ON memories(superseded_by) WHERE superseded_by IS NOT NULL",
    "CREATE INDEX memories_core ON memories(trust) WHERE tier = 'core'",
    # A lens reads the best of each scope that still fit, not the store.
    """CREATE INDEX memories_lens ON memories(scope_type, scope_key, authority, importance DESC, updated_at DESC, id,
           length(content), valid_to)
       WHERE status IN ('active', 'superseded') AND privacy <> 'secret'""",
    "CREATE INDEX memories_ending ON memories(valid_to) WHERE status = 'superseded'",
    "DROP INDEX memories_inbox",
    # The inbox as it is filtered, ordered and grouped.
    """CREATE INDEX memories_inbox ON memories(review_reason, seq, kind, scope_type, scope_key, source_session,
       source_agent, created_by, created_at) WHERE review_reason IS NOT NULL""",
    # What lists filter and sort by, so that a page and its count read no whole rows.
    """CREATE INDEX memories_browse ON memories(status, seq, kind, type, scope_type, scope_key, authority, tier,
       privacy, source_agent, review_reason, importance, created_at, valid_from, valid_to, expires_at, tags)""",
    "CREATE INDEX evidence_by_source ON memory_evidence(source_type, source_ref)",
    "CREATE INDEX links_by_resource ON resource_links(resource_type, resource_ref)",
    "CREATE INDEX feedback_by_memory ON memory_feedback(memory_id)",
    "CREATE INDEX events_spot_check ON memory_events(at, memory_id) WHERE action = 'spot_check'",
)

COMPANY_2 = (
    # How many revisions a milestone stands for; NULL for a plain revision.
    "ALTER TABLE memory_revisions ADD COLUMN folded INTEGER",
    "ALTER TABLE lens_archive ADD COLUMN workspace_key TEXT",
    "ALTER TABLE lens_archive ADD COLUMN max_chars INTEGER",
    "ALTER TABLE lens_archive ADD COLUMN excluded TEXT",
    "ALTER TABLE lens_archive ADD COLUMN overflow INTEGER",
    "ALTER TABLE lens_archive ADD COLUMN locked_overflow INTEGER",
    "CREATE INDEX lens_archive_by_reader ON lens_archive(agent, project_key, workspace_key, created_at)",
    # What a writer's own name for a write stands for, whatever became of it.
    """CREATE TABLE writes (
        writer TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL, memory_id TEXT NOT NULL,
        PRIMARY KEY (writer, idempotency_key)) STRICT""",
    "CREATE INDEX writes_by_memory ON writes(memory_id)",
    # What was erased must not be learned again: a keyed digest of its fingerprint, which says nothing without the key.
    "CREATE TABLE tombstones (digest TEXT PRIMARY KEY, erased_at TEXT NOT NULL) STRICT",
)

# What a memory says to the knowledge graph. An erased one says nothing.
TRIPLES_3 = (
    "ALTER TABLE memories ADD COLUMN predicate TEXT",
    "ALTER TABLE memories ADD COLUMN object TEXT",
    """ALTER TABLE memories ADD COLUMN subject TEXT CHECK ((subject IS NULL) = (predicate IS NULL)
       AND (subject IS NULL) = (object IS NULL) AND (subject IS NULL OR status <> 'erased'))""",
    "ALTER TABLE memories ADD COLUMN subject_type TEXT CHECK (subject_type IS NULL OR subject IS NOT NULL)",
    "ALTER TABLE memories ADD COLUMN object_type TEXT CHECK (object_type IS NULL OR subject IS NOT NULL)",
    "CREATE INDEX memories_of_the_graph ON memories(predicate) WHERE predicate IS NOT NULL",
)

TRIGGERS_2 = (
    """CREATE TRIGGER memories_erased_is_final BEFORE UPDATE ON memories WHEN OLD.status = 'erased'
       BEGIN SELECT RAISE(ABORT, 'an erase is final'); END""",
    """CREATE TRIGGER memories_erased_is_empty BEFORE UPDATE ON memories
       WHEN NEW.status = 'erased' AND (NEW.content <> '' OR NEW.fact_key IS NOT NULL OR NEW.cjk IS NOT NULL)
       BEGIN SELECT RAISE(ABORT, 'an erased memory keeps no text'); END""",
    """CREATE TRIGGER memories_identity BEFORE UPDATE OF id, seq, created_at, created_by ON memories
       WHEN OLD.id <> NEW.id OR OLD.seq <> NEW.seq OR OLD.created_at <> NEW.created_at
         OR (OLD.created_by <> NEW.created_by AND NEW.status <> 'erased')
       BEGIN SELECT RAISE(ABORT, 'the identity of a memory does not change'); END""",
    """CREATE TRIGGER memories_core_insert BEFORE INSERT ON memories
       WHEN NEW.tier = 'core' AND NEW.authority NOT IN ('confirmed', 'locked')
       BEGIN SELECT RAISE(ABORT, 'only what the person endorsed is core'); END""",
    """CREATE TRIGGER memories_core_update BEFORE UPDATE ON memories
       WHEN NEW.tier = 'core' AND NEW.authority NOT IN ('confirmed', 'locked')
       BEGIN SELECT RAISE(ABORT, 'only what the person endorsed is core'); END""",
    """CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones
       BEGIN SELECT RAISE(ABORT, 'an erase is final'); END""",
    """CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
       BEGIN SELECT RAISE(ABORT, 'an erase is final'); END""",
)
