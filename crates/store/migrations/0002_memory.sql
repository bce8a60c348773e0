-- Values that the home keeps for itself, by name: `home_id`, `secret_backend`, `seal_key` (the public half, hex).
CREATE TABLE settings (
  -- The name, a word of this program.
  name TEXT PRIMARY KEY,
  -- The value, redacted text.
  value TEXT NOT NULL,
  -- When it was set.
  changed_at INTEGER NOT NULL
) STRICT;

-- Projects: a name and one or more roots (NB-01).
CREATE TABLE projects (
  -- Order of creation; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT CHECK (seq < 2097152),
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `prj_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- Its name, as people type it.
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
  -- When the row was made.
  created_at INTEGER NOT NULL
) STRICT;

-- Where a project lies. The longest root that contains a folder says whose it is.
CREATE TABLE project_roots (
  -- Whose root it is.
  project INTEGER NOT NULL REFERENCES projects (seq),
  -- Real path, in bytes.
  root BLOB NOT NULL UNIQUE,
  -- Real path of the repository's common directory, in bytes; absent outside git. Linked worktrees share it.
  common_dir BLOB
) STRICT;

CREATE INDEX project_roots_project ON project_roots (project);
CREATE INDEX project_roots_common_dir ON project_roots (common_dir);

-- Every state of every project's notebook; the highest version is the one in force (NB-03).
CREATE TABLE notebook_revisions (
  -- Whose notebook it is.
  project INTEGER NOT NULL REFERENCES projects (seq),
  -- Number of the revision, from 1.
  version INTEGER NOT NULL,
  -- The whole document. Only a person's text is in it.
  content TEXT NOT NULL,
  -- What made it: `edit`, `append`, `accept`, `tidy`, `restore`, `undo`.
  made_by TEXT NOT NULL CHECK (made_by IN ('edit', 'append', 'accept', 'tidy', 'restore', 'undo')),
  -- Random bytes without which the journal's hash says nothing about the text.
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  -- When it was made.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project, version)
) STRICT;

-- Entries that a tool, a workflow or a program wants in a notebook. In no prompt until a person accepts one.
CREATE TABLE notebook_suggestions (
  -- Order of arrival; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `sug_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- Whose notebook.
  project INTEGER NOT NULL REFERENCES projects (seq),
  -- The section it is for.
  section TEXT NOT NULL,
  -- The entry, one line.
  entry TEXT NOT NULL,
  -- By which door it came.
  channel TEXT NOT NULL CHECK (channel IN ('operator', 'model', 'external', 'import', 'tool', 'web')),
  -- Who wrote it, JSON.
  source TEXT NOT NULL,
  -- `open` until a person decides.
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'dismissed')),
  -- Random bytes without which the journal's hash says nothing about the entry.
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  -- When it arrived.
  created_at INTEGER NOT NULL,
  -- When a person decided.
  decided_at INTEGER
) STRICT;

CREATE INDEX notebook_suggestions_open ON notebook_suggestions (project, seq) WHERE state = 'open';

-- Memories: one typed row of knowledge each (30-memory.md). The texts lie in `memory_texts`, so that they can be erased.
CREATE TABLE memories (
  -- Order of arrival; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `mem_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- The project it belongs to; absent for a personal memory.
  project INTEGER REFERENCES projects (seq),
  -- What kind of knowledge it is.
  type TEXT NOT NULL CHECK (type IN ('decision', 'output', 'lesson', 'constraint', 'open_question', 'failure',
                                     'artifact_reference', 'work_log')),
  -- How it first came to be said; never changed.
  first_provenance TEXT NOT NULL CHECK (first_provenance IN ('observed', 'inferred', 'imported', 'generated',
                                                             'superseded', 'disputed')),
  -- What a person made of that; equal to the first until then.
  provenance TEXT NOT NULL CHECK (provenance IN ('observed', 'inferred', 'user_confirmed', 'imported', 'generated',
                                                 'superseded', 'disputed')),
  -- By which door it came in; fixed at insert.
  channel TEXT NOT NULL CHECK (channel IN ('operator', 'model', 'external', 'import', 'tool', 'web')),
  -- 1: may enter a prompt as an instruction, if its seal verifies.
  can_use_as_instruction INTEGER NOT NULL CHECK (can_use_as_instruction IN (0, 1)),
  -- 1: may be cited as evidence.
  can_use_as_evidence INTEGER NOT NULL CHECK (can_use_as_evidence IN (0, 1)),
  -- 1: waits for a person before any use.
  requires_user_confirmation INTEGER NOT NULL CHECK (requires_user_confirmation IN (0, 1)),
  -- 1: never offered by itself.
  do_not_inject_automatically INTEGER NOT NULL CHECK (do_not_inject_automatically IN (0, 1)),
  -- What a person decided.
  status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'evidence_only', 'restricted', 'rejected', 'stale',
                                         'merged')),
  -- Whether it is in force.
  lifecycle TEXT NOT NULL CHECK (lifecycle IN ('active', 'stale', 'superseded', 'disputed', 'rejected')),
  -- Where in the queue it stands.
  shelf TEXT NOT NULL CHECK (shelf IN ('queue', 'quarantine')),
  -- How sure its writer was, 0 to 1.
  confidence REAL CHECK (confidence BETWEEN 0 AND 1),
  -- The kind of the seed that it came from.
  slate_kind TEXT,
  -- 1: a risk that nobody has settled.
  is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
  -- After this it is not recalled.
  stale_after INTEGER,
  -- Who wrote it, JSON.
  source TEXT NOT NULL,
  -- Hash of project, runtime, task, type and normalised content: the same thing from the same task is the same row.
  idempotency_key BLOB NOT NULL UNIQUE CHECK (length(idempotency_key) = 32),
  -- Hash of project, type and normalised content: the same thing from another task is a witness.
  text_key BLOB NOT NULL CHECK (length(text_key) = 32),
  -- The revision of the text that is in force.
  revision INTEGER NOT NULL DEFAULT 1,
  -- A revision that waits for a person while the other stays in force.
  draft_revision INTEGER,
  -- The memory that took the place of this one, after a merge or a replacement.
  retired_by INTEGER REFERENCES memories (seq),
  -- Counts every change of the row; a review names the one it saw.
  version INTEGER NOT NULL DEFAULT 1,
  -- The journal entry of the last review.
  review_entry INTEGER,
  -- Signature over id, content hash, policy bits and that entry, for an approval (REV-04).
  seal BLOB CHECK (length(seal) = 64),
  -- When it was said: for an import, when it was said there.
  created_at INTEGER NOT NULL,
  -- When the row was made.
  inserted_at INTEGER NOT NULL,
  -- When a person confirmed it last.
  confirmed_at INTEGER,
  CHECK (can_use_as_instruction = 0 OR provenance = 'user_confirmed')
) STRICT;

CREATE INDEX memories_text_key ON memories (text_key);
CREATE INDEX memories_status ON memories (status, shelf, seq);
CREATE INDEX memories_project ON memories (project, seq);
CREATE INDEX memories_drafts ON memories (seq) WHERE draft_revision IS NOT NULL;
CREATE INDEX memories_retired_by ON memories (retired_by) WHERE retired_by IS NOT NULL;

-- Every revision of every memory's text. Erased by a purge; the journal holds only hashes made with the salt.
CREATE TABLE memory_texts (
  -- Whose text.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- Number of the revision, from 1.
  revision INTEGER NOT NULL,
  -- One sentence, at most 512 characters.
  summary TEXT NOT NULL,
  -- The whole text, at most 8,192 characters.
  content TEXT NOT NULL,
  -- JSON array: up to three sentences that stood before it, in reading order; searched with less weight.
  context_before TEXT NOT NULL DEFAULT '[]',
  -- JSON array: up to three sentences that stood after it.
  context_after TEXT NOT NULL DEFAULT '[]',
  -- JSON array of source refs.
  source_refs TEXT NOT NULL DEFAULT '[]',
  -- JSON array of artifacts.
  artifacts TEXT NOT NULL DEFAULT '[]',
  -- Random bytes without which the hash says nothing about the text.
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  -- Hash over salt, project, type, summary, content, refs and artifacts.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- When the revision was made.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (memory, revision)
) STRICT;

-- Ids that a memory has elsewhere: the `id` of an import's line, the id in another program's database.
CREATE TABLE memory_foreign_ids (
  -- Whose id.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- The id there.
  foreign_id TEXT NOT NULL,
  PRIMARY KEY (memory, foreign_id)
) STRICT, WITHOUT ROWID;

-- Independent tasks and sources that said the same (MEM-05).
CREATE TABLE memory_witnesses (
  -- What was said.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- Hash of runtime, task, session and client.
  witness BLOB NOT NULL CHECK (length(witness) = 32),
  -- When it was said again.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (memory, witness)
) STRICT, WITHOUT ROWID;

-- From which memories a memory was derived (MEM-06, REC-07).
CREATE TABLE memory_derivations (
  -- The derived one.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- What it was derived from.
  derived_from INTEGER NOT NULL REFERENCES memories (seq),
  PRIMARY KEY (memory, derived_from)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_derivations_from ON memory_derivations (derived_from);

-- Near duplicates and possible contradictions, found when a memory arrived or was edited (MEM-05).
CREATE TABLE memory_neighbours (
  -- The one that arrived.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- The approved one that it resembles.
  neighbour INTEGER NOT NULL REFERENCES memories (seq),
  -- Jaccard similarity of stems, 0 to 1.
  similarity REAL NOT NULL,
  PRIMARY KEY (memory, neighbour)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_neighbours_of ON memory_neighbours (neighbour);

-- Machine evidence that came with a memory (MEM-07): redacted JSON.
CREATE TABLE memory_evidence (
  -- For which memory.
  memory INTEGER PRIMARY KEY REFERENCES memories (seq),
  -- Branch, base commit, changed files, hashes.
  facts TEXT NOT NULL
) STRICT;

-- Decisions of people on memories, with what an undo needs.
CREATE TABLE memory_reviews (
  -- Order of the decisions; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- On which memory.
  memory INTEGER NOT NULL REFERENCES memories (seq),
  -- What was done.
  action TEXT NOT NULL CHECK (action IN ('confirm', 'evidence', 'restrict', 'reject', 'stale', 'merge', 'replace',
                                         'edit', 'undo')),
  -- The surface: `terminal` or `browser`.
  surface TEXT NOT NULL CHECK (surface IN ('terminal', 'browser')),
  -- The row's deciding columns before, JSON.
  before TEXT NOT NULL,
  -- The other memory of a merge or replacement.
  other INTEGER REFERENCES memories (seq),
  -- The other's deciding columns before, JSON.
  other_before TEXT,
  -- What the person wrote beside it, redacted.
  notes TEXT,
  -- The journal entry.
  entry INTEGER NOT NULL,
  -- 1: taken back by an undo.
  undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
  -- When it was made.
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_reviews_memory ON memory_reviews (memory, seq);
CREATE INDEX memory_reviews_other ON memory_reviews (other) WHERE other IS NOT NULL;

-- The journal: append-only, chained by hash, without texts (REV-05).
CREATE TABLE journal (
  -- Order, from 1, without gaps.
  seq INTEGER PRIMARY KEY,
  -- When it happened.
  at INTEGER NOT NULL,
  -- What happened: `memory_written`, `memory_blocked`, `memory_reviewed`, `notebook_changed` …
  kind TEXT NOT NULL,
  -- The id of what it happened to, 16 bytes; absent for the home itself.
  subject BLOB CHECK (length(subject) = 16),
  -- Ids, kinds and keyed hashes, canonical JSON.
  facts TEXT NOT NULL,
  -- The hash of the entry before; 32 zero bytes for the first.
  previous BLOB NOT NULL CHECK (length(previous) = 32),
  -- SHA-256 over all of the above.
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE INDEX journal_subject ON journal (subject, seq);

CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;
