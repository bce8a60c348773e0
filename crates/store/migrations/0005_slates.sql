-- Workspaces: named topics inside a project that collect proposals.
CREATE TABLE workspaces (
  -- Order of creation; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `wsp_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- The project it belongs to; absent for a personal one.
  project INTEGER REFERENCES projects (seq),
  -- What it is about, redacted, 1 to 200 characters.
  title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  -- Whether a person made it, and so wrote its title; else a slate did, and no other agent is told the title.
  by_person INTEGER NOT NULL CHECK (by_person IN (0, 1)),
  -- Whether it takes proposals.
  status TEXT NOT NULL CHECK (status IN ('active', 'archived')),
  -- When the row was made.
  created_at INTEGER NOT NULL,
  -- When it was archived last.
  archived_at INTEGER
) STRICT;

CREATE INDEX workspaces_project ON workspaces (project, status, seq);

-- What came of each closed generation of an external slate: exactly one row, whoever closed it (XSL-09).
CREATE TABLE slate_closures (
  -- Order of closing; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The project whose slate it was; 0 for one outside of every project.
  project INTEGER NOT NULL,
  -- The id that the other program gave it.
  external_id TEXT NOT NULL CHECK (length(external_id) BETWEEN 1 AND 128),
  -- Which opening of that id, from 1.
  generation INTEGER NOT NULL CHECK (generation > 0),
  -- What closed it.
  trigger TEXT NOT NULL CHECK (trigger IN ('external-slate-close', 'external-slate-idle-reclaim', 'import')),
  -- The workspace that it was bound to; absent for an unbound one.
  workspace INTEGER REFERENCES workspaces (seq),
  -- Where the work stood, JSON, redacted.
  anchors TEXT NOT NULL,
  -- Machine evidence, JSON, redacted (MEM-07).
  evidence TEXT,
  -- How many seeds it held.
  seeds INTEGER NOT NULL,
  -- When it was closed.
  closed_at INTEGER NOT NULL,
  UNIQUE (project, external_id, generation)
) STRICT;

-- Batches of candidate memories with their evidence; one per kind of a closed slate.
CREATE TABLE proposals (
  -- Order of arrival; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `prp_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- The workspace that holds it.
  workspace INTEGER NOT NULL REFERENCES workspaces (seq),
  -- The slate that it came from.
  closure INTEGER NOT NULL REFERENCES slate_closures (seq),
  -- What kind of seeds it holds.
  kind TEXT NOT NULL CHECK (kind IN ('decision', 'wiki-update', 'memory-entry', 'follow-up', 'contract-change', 'risk')),
  -- When the row was made.
  created_at INTEGER NOT NULL,
  UNIQUE (closure, kind)
) STRICT;

CREATE INDEX proposals_workspace ON proposals (workspace, seq);

-- The seeds of a proposal, and the memory that each became.
CREATE TABLE proposal_candidates (
  -- Of which proposal.
  proposal INTEGER NOT NULL REFERENCES proposals (seq),
  -- Its place, from 0.
  position INTEGER NOT NULL,
  -- The seed without its text: id, time, kind, origin, trust, hash. JSON; without the hash once its memory was erased.
  seed TEXT NOT NULL,
  -- The memory; absent for one that the guardrails refused, and for one that was erased since.
  memory INTEGER REFERENCES memories (seq),
  -- Whether the memory is new, was there already, or the guardrails refused the seed.
  outcome TEXT NOT NULL CHECK (outcome IN ('new', 'repeat', 'blocked')),
  -- Why it was refused, in words of ours.
  reason TEXT,
  PRIMARY KEY (proposal, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX proposal_candidates_memory ON proposal_candidates (memory);

-- The seeds of closed slates that belong to no workspace. They wait for a person, and expire never.
CREATE TABLE unbound_candidates (
  -- Order of arrival; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `unb_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- The slate that they came from.
  closure INTEGER NOT NULL UNIQUE REFERENCES slate_closures (seq),
  -- The seeds, JSON, redacted; once it is bound only those that the guardrails refused, for the others are memories.
  seeds TEXT NOT NULL,
  -- What became of it.
  state TEXT NOT NULL CHECK (state IN ('waiting', 'bound', 'dismissed')),
  -- The workspace that a person bound it to.
  workspace INTEGER REFERENCES workspaces (seq),
  -- When the row was made.
  created_at INTEGER NOT NULL,
  -- When a person decided.
  decided_at INTEGER
) STRICT;

CREATE INDEX unbound_candidates_waiting ON unbound_candidates (seq) WHERE state = 'waiting';

-- What `taffrail connect` wrote into other programs' configurations, so that it can be taken back to the byte.
CREATE TABLE connections (
  -- The program: `claude`, `codex`, `gemini` …
  program TEXT NOT NULL,
  -- The file, in bytes.
  path BLOB NOT NULL,
  -- What was done, JSON: offsets and lengths of what was put in, the bytes of ours, what stood there before where
  -- that was ours too, and whether the file was made. No text of the file's owner is in it.
  edit TEXT NOT NULL,
  -- SHA-256 of the file before; absent where there was none.
  before_hash BLOB CHECK (length(before_hash) = 32),
  -- SHA-256 of the file after.
  after_hash BLOB NOT NULL CHECK (length(after_hash) = 32),
  -- When it was written.
  written_at INTEGER NOT NULL,
  PRIMARY KEY (program, path)
) STRICT, WITHOUT ROWID;
