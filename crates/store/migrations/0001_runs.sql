-- Comments here are the documentation: the lines above a table describe the table, the lines above a
-- column the column. docs/schema.md is generated from them. Times are UTC milliseconds since 1970 and
-- never decide an order; `seq` does.

-- One row per migration that was applied to this file.
CREATE TABLE schema_migrations (
  -- Number of the migration, from 1; equal to `PRAGMA user_version` for the last one.
  version INTEGER PRIMARY KEY,
  -- Name of the migration's file without its number.
  name TEXT NOT NULL,
  -- SHA-256 of the migration's text; another text under the same number is damage.
  checksum BLOB NOT NULL CHECK (length(checksum) = 32),
  -- Version of the program that applied it.
  program TEXT NOT NULL,
  -- When it was applied.
  applied_at INTEGER NOT NULL
) STRICT;

-- One row per session; a run's id is its session's id.
CREATE TABLE sessions (
  -- Order of creation; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes; never used for order.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `run_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- What kind of session: `box` is a command in a disposable checkout.
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'external', 'box')),
  -- Name given by a person or made up; unique among runs that are live, undecided or have a checkout.
  name TEXT NOT NULL,
  -- Real path of the project's root, in bytes.
  project_root BLOB NOT NULL,
  -- Real path of the repository's common directory, in bytes.
  common_dir BLOB NOT NULL,
  -- The command line, redacted, for reading.
  command TEXT NOT NULL,
  -- The agent's name and version where one was recognised.
  agent TEXT,
  -- What the network was limited to, as JSON: `"off"` or `{"ports":[…]}`.
  net TEXT NOT NULL,
  -- Facts about the preparation, redacted JSON: what was carried, limits, versions.
  facts TEXT NOT NULL,
  -- How the run stands or ended.
  status TEXT NOT NULL
    CHECK (status IN ('preparing', 'running', 'completed', 'error', 'timeout', 'cancelled', 'died')),
  -- Stable code of why it ended; absent while it lives.
  reason TEXT,
  -- Exit code of the child, when it exited.
  exit_code INTEGER,
  -- Number of the signal that ended the child, when one did.
  exit_signal INTEGER,
  -- Commit that the checkout is based on, hex.
  base TEXT,
  -- Commit made of the operator's uncommitted changes, hex, when they were asked for.
  first_commit TEXT,
  -- What the sandbox enforced and what its probe saw, redacted JSON; absent until the child starts.
  enforcement TEXT,
  -- When the row was made.
  created_at INTEGER NOT NULL,
  -- When the child was started.
  started_at INTEGER,
  -- When the run ended.
  ended_at INTEGER
) STRICT;

CREATE INDEX sessions_name ON sessions (name);
CREATE INDEX sessions_common_dir ON sessions (common_dir, seq);
CREATE INDEX sessions_live ON sessions (seq) WHERE status IN ('preparing', 'running');

-- Ledger of disposable checkouts: written before anything is made on disk, swept by later commands.
CREATE TABLE checkouts (
  -- The session whose checkout it is.
  session INTEGER PRIMARY KEY REFERENCES sessions (seq),
  -- Where it lies, in bytes.
  path BLOB NOT NULL UNIQUE,
  -- `preparing` until it is whole, `live` while a run may write, `captured` when its diff is stored,
  -- `kept` when it stays on purpose or could not be captured, `removed` when nothing is left.
  state TEXT NOT NULL CHECK (state IN ('preparing', 'live', 'captured', 'kept', 'removed')),
  -- Process id of the owner.
  pid INTEGER NOT NULL,
  -- The owner's start time in clock ticks since boot: a process id alone comes back.
  start_ticks INTEGER NOT NULL,
  -- The boot in which that process id and start time mean anything.
  boot_id TEXT NOT NULL,
  -- When the state or the owner was last changed.
  changed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX checkouts_left ON checkouts (session) WHERE state <> 'removed';

-- What a run changed: at most one captured diff per session. Its bytes are a file below `sessions/`.
CREATE TABLE changes (
  -- The session that made the changes.
  session INTEGER PRIMARY KEY REFERENCES sessions (seq),
  -- SHA-256 of the diff's bytes.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- Where the diff stands.
  state TEXT NOT NULL CHECK (state IN ('empty', 'pending', 'landed', 'discarded')),
  -- Length of the diff in bytes.
  patch_bytes INTEGER NOT NULL CHECK (patch_bytes >= 0),
  -- Files that the project's rules ignore and that were left out of the diff.
  ignored_count INTEGER NOT NULL CHECK (ignored_count >= 0),
  -- When it was captured.
  captured_at INTEGER NOT NULL
) STRICT;

CREATE INDEX changes_pending ON changes (session) WHERE state = 'pending';

-- The changed paths of a captured diff.
CREATE TABLE changed_paths (
  -- The session that changed it.
  session INTEGER NOT NULL REFERENCES changes (session),
  -- Place in the diff, from 0.
  position INTEGER NOT NULL,
  -- The path inside the repository, in bytes.
  path BLOB NOT NULL,
  -- What happened to it.
  kind TEXT NOT NULL CHECK (kind IN ('added', 'modified', 'deleted', 'mode_changed', 'type_changed')),
  -- Mode in the base, six octal digits; absent when added.
  old_mode TEXT,
  -- Blob in the base, hex; absent when added.
  old_oid TEXT,
  -- Mode in the checkout, six octal digits; absent when deleted or refused.
  new_mode TEXT,
  -- Blob in the checkout, hex; absent when deleted or refused.
  new_oid TEXT,
  -- Lines added; absent for binary content.
  added INTEGER,
  -- Lines removed; absent for binary content.
  removed INTEGER,
  -- Reasons to look twice, names separated by spaces; empty when there is none.
  flags TEXT NOT NULL,
  -- Why it can never land; absent when it can.
  refused TEXT,
  PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;

-- Decisions of a person on a captured diff: a row before its effect, finished or failed afterwards.
CREATE TABLE decisions (
  -- Order of the decisions; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The session whose diff was decided on.
  session INTEGER NOT NULL REFERENCES changes (session),
  -- What was decided.
  verdict TEXT NOT NULL CHECK (verdict IN ('landing', 'discard')),
  -- Hash of the diff that was in front of the person.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- `intent` until the effect is known, then `done` or `failed`.
  state TEXT NOT NULL CHECK (state IN ('intent', 'done', 'failed')),
  -- Process id of the process that carries it out.
  pid INTEGER NOT NULL,
  -- Its start time in clock ticks since boot.
  start_ticks INTEGER NOT NULL,
  -- The boot in which that process id and start time mean anything.
  boot_id TEXT NOT NULL,
  -- The commit that a landing made, hex.
  commit_oid TEXT,
  -- The branch that a landing made, in bytes.
  branch BLOB,
  -- Stable code of why it failed.
  failure TEXT,
  -- When it was decided.
  decided_at INTEGER NOT NULL,
  -- When the effect was known.
  finished_at INTEGER
) STRICT;

CREATE UNIQUE INDEX decisions_one ON decisions (session) WHERE state <> 'failed';

-- What happened in a session, in order; for reading, never for deciding.
CREATE TABLE events (
  -- Order of the events; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The session in which it happened.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- Stable name of what happened.
  kind TEXT NOT NULL,
  -- The details, redacted JSON.
  body TEXT NOT NULL,
  -- When it was recorded.
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_session ON events (session, seq);

-- What a person agreed to let a project run, pinned by content.
CREATE TABLE trust_pins (
  -- Order of the agreements; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Real path of the project's root, in bytes.
  project_root BLOB NOT NULL,
  -- What may run, as `checkout.setup`.
  item TEXT NOT NULL,
  -- SHA-256 of the content that was agreed to.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- That content, redacted, to show the difference when it changes.
  text TEXT NOT NULL,
  -- When it was agreed to.
  pinned_at INTEGER NOT NULL,
  -- When it was taken back or replaced; absent while it holds.
  revoked_at INTEGER
) STRICT;

CREATE UNIQUE INDEX trust_pins_one ON trust_pins (project_root, item) WHERE revoked_at IS NULL;
