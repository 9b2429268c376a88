-- A ledger as the first version of the schema made it: one fact, replaced once.
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'ledger','m001_create_ledger','2026-11-30 12:00:00+00:00');
CREATE TABLE event_payloads (
        seq INTEGER PRIMARY KEY REFERENCES memory_events(seq), salt TEXT NOT NULL, payload TEXT NOT NULL) STRICT;
INSERT INTO "event_payloads" VALUES(1,'b562050f0593fb64cf915d0f2a618223','{"change_id": "c_61a21962ec0b9cb152e399d4", "details": {"reason": null, "status": "active"}, "images": [{"after": {"authority": "observed", "batch_id": null, "cjk": null, "confidence": 0.9, "confidence_source": null, "content": "Lives in Berlin.", "created_at": "2026-11-30T19:57:04.191039Z", "created_by": "dreamer:rules", "expires_at": null, "explicit": 1, "fact_key": "profile.location", "fingerprint": "25e22236ef178f035e68e8dff17317d64b367cc3e2f7e088bb0d5bddcfff8e74", "id": "m_66cfbcce427c9f0bf7581b9d", "idempotency_key": null, "importance": 50, "kind": "profile", "last_seen_at": "2026-01-01T00:00:00.000000Z", "observed_at": "2026-01-01T00:00:00.000000Z", "privacy": "normal", "retired_at": null, "review_reason": null, "scope_key": "", "scope_type": "global", "seen_count": 1, "seq": 1, "source_agent": null, "source_message_ids": "[]", "source_session": null, "status": "active", "superseded_by": null, "supersedes": null, "tags": "[]", "tier": "normal", "trust": 0.85, "type": "semantic", "updated_at": "2026-11-30T19:57:04.191039Z", "valid_from": "2026-01-01T00:00:00.000000Z", "valid_to": null}, "before": null, "id": "m_66cfbcce427c9f0bf7581b9d", "table": "memories"}, {"after": {"excerpt": "I live in Berlin", "excerpt_hash": "365cf5ab594c3a03286dcacc159bec0de5d409299274fdc0b87598dbc5b829d5", "id": "e_070247c0223c1099c9c77cc5", "memory_id": "m_66cfbcce427c9f0bf7581b9d", "missing_at": null, "observed_at": "2026-01-01T00:00:00.000000Z", "source_ref": "claude:a#1", "source_type": "session", "stale_at": null}, "before": null, "id": "e_070247c0223c1099c9c77cc5", "table": "memory_evidence"}], "undoes": null}');
INSERT INTO "event_payloads" VALUES(2,'2d290b61a965ed169eb11471533d49cd','{"change_id": "c_f0ad1b25313ba72b13943dd0", "details": {"by": "m_6e8732958a3e31046ae6d797"}, "images": [{"after": {"authority": "observed", "batch_id": null, "cjk": null, "confidence": 0.9, "confidence_source": null, "content": "Lives in Berlin.", "created_at": "2026-11-30T19:57:04.191039Z", "created_by": "dreamer:rules", "expires_at": null, "explicit": 1, "fact_key": "profile.location", "fingerprint": "25e22236ef178f035e68e8dff17317d64b367cc3e2f7e088bb0d5bddcfff8e74", "id": "m_66cfbcce427c9f0bf7581b9d", "idempotency_key": null, "importance": 50, "kind": "profile", "last_seen_at": "2026-01-01T00:00:00.000000Z", "observed_at": "2026-01-01T00:00:00.000000Z", "privacy": "normal", "retired_at": "2026-11-30T19:57:04.467537Z", "review_reason": null, "scope_key": "", "scope_type": "global", "seen_count": 1, "seq": 1, "source_agent": null, "source_message_ids": "[]", "source_session": null, "status": "superseded", "superseded_by": "m_6e8732958a3e31046ae6d797", "supersedes": null, "tags": "[]", "tier": "normal", "trust": 0.85, "type": "semantic", "updated_at": "2026-11-30T19:57:04.467537Z", "valid_from": "2026-01-01T00:00:00.000000Z", "valid_to": "2026-02-01T00:00:00.000000Z"}, "before": {"authority": "observed", "batch_id": null, "cjk": null, "confidence": 0.9, "confidence_source": null, "content": "Lives in Berlin.", "created_at": "2026-11-30T19:57:04.191039Z", "created_by": "dreamer:rules", "expires_at": null, "explicit": 1, "fact_key": "profile.location", "fingerprint": "25e22236ef178f035e68e8dff17317d64b367cc3e2f7e088bb0d5bddcfff8e74", "id": "m_66cfbcce427c9f0bf7581b9d", "idempotency_key": null, "importance": 50, "kind": "profile", "last_seen_at": "2026-01-01T00:00:00.000000Z", "observed_at": "2026-01-01T00:00:00.000000Z", "privacy": "normal", "retired_at": null, "review_reason": null, "scope_key": "", "scope_type": "global", "seen_count": 1, "seq": 1, "source_agent": null, "source_message_ids": "[]", "source_session": null, "status": "active", "superseded_by": null, "supersedes": null, "tags": "[]", "tier": "normal", "trust": 0.85, "type": "semantic", "updated_at": "2026-11-30T19:57:04.191039Z", "valid_from": "2026-01-01T00:00:00.000000Z", "valid_to": null}, "id": "m_66cfbcce427c9f0bf7581b9d", "table": "memories"}], "undoes": null}');
INSERT INTO "event_payloads" VALUES(3,'03ec41c45d888e2a315442d729532244','{"change_id": "c_f0ad1b25313ba72b13943dd0", "details": {"reason": null, "status": "active"}, "images": [{"after": {"authority": "observed", "batch_id": null, "cjk": null, "confidence": 0.9, "confidence_source": null, "content": "Lives in Porto.", "created_at": "2026-11-30T19:57:04.467537Z", "created_by": "dreamer:rules", "expires_at": null, "explicit": 1, "fact_key": "profile.location", "fingerprint": "c9ab6411422fda071134d6141417c26f0555ffe6e02deb50fb21ff6f815ccb1a", "id": "m_6e8732958a3e31046ae6d797", "idempotency_key": null, "importance": 50, "kind": "profile", "last_seen_at": "2026-02-01T00:00:00.000000Z", "observed_at": "2026-02-01T00:00:00.000000Z", "privacy": "normal", "retired_at": null, "review_reason": null, "scope_key": "", "scope_type": "global", "seen_count": 1, "seq": 2, "source_agent": null, "source_message_ids": "[]", "source_session": null, "status": "active", "superseded_by": null, "supersedes": "m_66cfbcce427c9f0bf7581b9d", "tags": "[]", "tier": "normal", "trust": 0.85, "type": "semantic", "updated_at": "2026-11-30T19:57:04.467537Z", "valid_from": "2026-02-01T00:00:00.000000Z", "valid_to": null}, "before": null, "id": "m_6e8732958a3e31046ae6d797", "table": "memories"}, {"after": {"excerpt": "I live in Porto", "excerpt_hash": "6ff9ba6139700a4387345340f5660c3ed383e2f6a6bb860090bc87b52824796e", "id": "e_b266c551e1c499b04f22eac7", "memory_id": "m_6e8732958a3e31046ae6d797", "missing_at": null, "observed_at": "2026-02-01T00:00:00.000000Z", "source_ref": "claude:a#2", "source_type": "session", "stale_at": null}, "before": null, "id": "e_b266c551e1c499b04f22eac7", "table": "memory_evidence"}, {"after": {"actor": "dreamer:rules", "created_at": "2026-11-30T19:57:04.467537Z", "id": "r_fd486af90c9f44fce68f89c6", "memory_id": "m_6e8732958a3e31046ae6d797", "related_id": "m_66cfbcce427c9f0bf7581b9d", "type": "supersedes"}, "before": null, "id": "r_fd486af90c9f44fce68f89c6", "table": "memory_relations"}], "undoes": null}');
CREATE TABLE learned (message_id INTEGER PRIMARY KEY, run_id TEXT NOT NULL) STRICT;
CREATE TABLE lens_archive (
        id TEXT PRIMARY KEY, agent TEXT, project_key TEXT, payload TEXT NOT NULL,
        included TEXT NOT NULL CHECK (substr(included, 1, 1) = '['),
        truncated TEXT NOT NULL CHECK (substr(truncated, 1, 1) = '['),
        created_at TEXT NOT NULL) STRICT;
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE CHECK (id GLOB 'm_*'),
    content TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 4000 OR status = 'erased'),
    cjk TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('preference', 'fact', 'decision', 'constraint', 'entity', 'event', 'outcome', 'lesson', 'procedure', 'profile', 'project', 'environment', 'correction', 'temporal', 'relationship', 'skill', 'context', 'goal')),
    type TEXT NOT NULL DEFAULT 'semantic' CHECK (type IN ('semantic', 'episodic', 'procedural')),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (substr(tags, 1, 1) = '['),
    tier TEXT NOT NULL DEFAULT 'normal' CHECK (tier IN ('core', 'normal')),
    scope_type TEXT NOT NULL DEFAULT 'global' CHECK (scope_type IN ('global', 'workspace', 'project', 'agent')),
    scope_key TEXT NOT NULL DEFAULT '' CHECK ((scope_type = 'global') = (scope_key = '')),
    fact_key TEXT CHECK (fact_key <> ''),
    authority TEXT NOT NULL CHECK (authority IN ('inferred', 'observed', 'confirmed', 'locked')),
    status TEXT NOT NULL CHECK (status IN ('candidate', 'needs_review', 'active', 'stale', 'superseded', 'rejected', 'archived', 'erased')),
    review_reason TEXT CHECK (review_reason IN ('inferred', 'mid_confidence', 'sensitive', 'contradicts', 'supersede_proposal', 'injection_flagged', 'scanner_unavailable', 'unreviewed_autonomous_write', 'imported', 'instruction', 'evidence_stale', 'spot_check', 'patrol')),
    confidence REAL CHECK (confidence BETWEEN 0 AND 1),
    confidence_source TEXT,
    explicit INTEGER NOT NULL DEFAULT 0 CHECK (explicit IN (0, 1)),
    trust REAL NOT NULL CHECK (trust BETWEEN 0 AND 1),
    importance INTEGER NOT NULL DEFAULT 50 CHECK (importance BETWEEN 0 AND 100),
    privacy TEXT NOT NULL DEFAULT 'normal' CHECK (privacy IN ('normal', 'sensitive', 'secret')),
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
;
INSERT INTO "memories" VALUES(1,'m_66cfbcce427c9f0bf7581b9d','Lives in Berlin.',NULL,'profile','semantic','[]','normal','global','','profile.location','observed','superseded',NULL,0.9,NULL,1,0.85,50,'normal','2026-01-01T00:00:00.000000Z','2026-02-01T00:00:00.000000Z',NULL,'2026-01-01T00:00:00.000000Z','2026-11-30T19:57:04.191039Z','2026-11-30T19:57:04.467537Z','2026-11-30T19:57:04.467537Z',NULL,'m_6e8732958a3e31046ae6d797','dreamer:rules',NULL,NULL,'[]',NULL,'25e22236ef178f035e68e8dff17317d64b367cc3e2f7e088bb0d5bddcfff8e74',NULL,1,'2026-01-01T00:00:00.000000Z');
INSERT INTO "memories" VALUES(2,'m_6e8732958a3e31046ae6d797','Lives in Porto.',NULL,'profile','semantic','[]','normal','global','','profile.location','observed','active',NULL,0.9,NULL,1,0.85,50,'normal','2026-02-01T00:00:00.000000Z',NULL,NULL,'2026-02-01T00:00:00.000000Z','2026-11-30T19:57:04.467537Z','2026-11-30T19:57:04.467537Z',NULL,'m_66cfbcce427c9f0bf7581b9d',NULL,'dreamer:rules',NULL,NULL,'[]',NULL,'c9ab6411422fda071134d6141417c26f0555ffe6e02deb50fb21ff6f815ccb1a',NULL,1,'2026-02-01T00:00:00.000000Z');
CREATE TABLE memory_events (
        seq INTEGER PRIMARY KEY, memory_id TEXT, action TEXT NOT NULL, actor TEXT NOT NULL, at TEXT NOT NULL,
        change_id TEXT NOT NULL, undoes TEXT, payload_hash TEXT NOT NULL, prev_hash TEXT NOT NULL,
        hash TEXT NOT NULL) STRICT;
INSERT INTO "memory_events" VALUES(1,'m_66cfbcce427c9f0bf7581b9d','created','dreamer:rules','2026-11-30T19:57:04.191039Z','c_61a21962ec0b9cb152e399d4',NULL,'957f95f34e89bcea7b8424095696372824bff1d2c6485c1b24adb9a0c46cfc5a','0000000000000000000000000000000000000000000000000000000000000000','26f1793728afbc300e494f2c902617288cefb99380de8492448c7e784a5c5e10');
INSERT INTO "memory_events" VALUES(2,'m_66cfbcce427c9f0bf7581b9d','superseded','dreamer:rules','2026-11-30T19:57:04.467537Z','c_f0ad1b25313ba72b13943dd0',NULL,'338a9b1cd594a517b2b541b78c5c988984540cfe8125ad25e9b0e32a81b970b3','26f1793728afbc300e494f2c902617288cefb99380de8492448c7e784a5c5e10','8f6f638db420077002655d191175a3d65f883797cf3a63b7a0c9c7f4df6dc745');
INSERT INTO "memory_events" VALUES(3,'m_6e8732958a3e31046ae6d797','created','dreamer:rules','2026-11-30T19:57:04.467537Z','c_f0ad1b25313ba72b13943dd0',NULL,'e536ca24ee1786d9fc17db1bece589322f33481a820716d4b5109372a7e9694d','8f6f638db420077002655d191175a3d65f883797cf3a63b7a0c9c7f4df6dc745','d02e6d3c3e4dfb4f6ba083faf37021efed784f5d44e256ad766d52d1e1379721');
CREATE TABLE memory_evidence (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), source_type TEXT NOT NULL,
        source_ref TEXT NOT NULL, excerpt TEXT NOT NULL, excerpt_hash TEXT NOT NULL, observed_at TEXT,
        stale_at TEXT, missing_at TEXT, UNIQUE (memory_id, source_type, source_ref)) STRICT;
INSERT INTO "memory_evidence" VALUES('e_070247c0223c1099c9c77cc5','m_66cfbcce427c9f0bf7581b9d','session','claude:a#1','I live in Berlin','365cf5ab594c3a03286dcacc159bec0de5d409299274fdc0b87598dbc5b829d5','2026-01-01T00:00:00.000000Z',NULL,NULL);
INSERT INTO "memory_evidence" VALUES('e_b266c551e1c499b04f22eac7','m_6e8732958a3e31046ae6d797','session','claude:a#2','I live in Porto','6ff9ba6139700a4387345340f5660c3ed383e2f6a6bb860090bc87b52824796e','2026-02-01T00:00:00.000000Z',NULL,NULL);
CREATE TABLE memory_feedback (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), helpful INTEGER NOT NULL,
        note TEXT, actor TEXT NOT NULL, given_at TEXT NOT NULL) STRICT;
CREATE TABLE memory_relations (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id),
        related_id TEXT NOT NULL REFERENCES memories(id),
        type TEXT NOT NULL CHECK (type IN ('supersedes', 'contradicts', 'supports', 'depends_on', 'part_of',
            'derived_from', 'related_to')),
        actor TEXT NOT NULL, created_at TEXT NOT NULL,
        UNIQUE (memory_id, related_id, type), CHECK (memory_id <> related_id)) STRICT;
INSERT INTO "memory_relations" VALUES('r_fd486af90c9f44fce68f89c6','m_6e8732958a3e31046ae6d797','m_66cfbcce427c9f0bf7581b9d','supersedes','dreamer:rules','2026-11-30T19:57:04.467537Z');
CREATE TABLE memory_revisions (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), content TEXT NOT NULL,
        snapshot TEXT NOT NULL CHECK (substr(snapshot, 1, 1) = '{'), actor TEXT NOT NULL,
        created_at TEXT NOT NULL) STRICT;
CREATE TABLE memory_use (
        memory_id TEXT PRIMARY KEY, recalls INTEGER NOT NULL DEFAULT 0, injections INTEGER NOT NULL DEFAULT 0,
        last_used_at TEXT) STRICT;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,
        payload TEXT NOT NULL CHECK (substr(payload, 1, 1) = '{'),
        created_at TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, lease_owner TEXT, leased_until TEXT,
        last_error TEXT) STRICT;
INSERT INTO "outbox" VALUES(1,'memory_md','{}','2026-11-30T19:57:04.191039Z',0,NULL,NULL,NULL);
CREATE TABLE rejections (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL, fingerprint TEXT NOT NULL, scope_type TEXT NOT NULL,
        scope_key TEXT NOT NULL, fact_key TEXT, reason TEXT, created_at TEXT NOT NULL) STRICT;
CREATE TABLE resource_links (
        id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories(id), resource_type TEXT NOT NULL,
        resource_ref TEXT NOT NULL, type TEXT NOT NULL CHECK (type IN ('derived_from', 'promoted_to', 'references')),
        created_at TEXT NOT NULL, UNIQUE (memory_id, resource_type, resource_ref, type)) STRICT;
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE UNIQUE INDEX memories_one_holder ON memories(scope_type, scope_key, fact_key)
       WHERE status = 'active' AND authority <> 'inferred' AND fact_key IS NOT NULL;
CREATE UNIQUE INDEX memories_one_active_text ON memories(fingerprint) WHERE status = 'active';
CREATE UNIQUE INDEX memories_idempotency ON memories(idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX memories_inbox ON memories(review_reason, seq) WHERE review_reason IS NOT NULL;
CREATE INDEX memories_by_fingerprint ON memories(fingerprint);
CREATE INDEX memories_by_key ON memories(fact_key) WHERE fact_key IS NOT NULL;
CREATE INDEX memories_by_status ON memories(status, kind);
CREATE INDEX rejections_by_fingerprint ON rejections(fingerprint);
CREATE INDEX evidence_by_memory ON memory_evidence(memory_id);
CREATE INDEX relations_by_related ON memory_relations(related_id);
CREATE INDEX revisions_by_memory ON memory_revisions(memory_id);
CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER memory_events_no_delete BEFORE DELETE ON memory_events
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_payloads_no_update BEFORE UPDATE ON event_payloads
       BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE INDEX events_by_memory ON memory_events(memory_id);
CREATE INDEX events_by_change ON memory_events(change_id);
CREATE INDEX events_by_undoes ON memory_events(undoes) WHERE undoes IS NOT NULL;
CREATE VIRTUAL TABLE memories_fts USING fts5(content, cjk, content='memories', content_rowid='seq',
       tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO memories_fts(memories_fts) VALUES('rebuild');
PRAGMA application_id=1297564209;
PRAGMA user_version=1;
PRAGMA journal_mode=WAL;
