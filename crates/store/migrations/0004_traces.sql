-- Traces of recalls: what was asked and what a turn was given (REC-06). Kept by age and count.
CREATE TABLE recall_traces (
  -- Order of the recalls; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `trc_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- When it was asked.
  at INTEGER NOT NULL,
  -- What asked: `search`, `prompt`, `chat`, `box`, `workflow`, `mcp` or `hook`.
  surface TEXT NOT NULL CHECK (surface IN ('search', 'prompt', 'chat', 'box', 'workflow', 'mcp', 'hook')),
  -- The session or run that it was for, as it is shown.
  session TEXT,
  -- The turn or step of that session.
  turn INTEGER,
  -- The project that was asked about; absent where only personal memories were.
  project INTEGER REFERENCES projects (seq) ON DELETE CASCADE,
  -- What was asked, redacted.
  query TEXT NOT NULL,
  -- The terms that the index was asked for, a JSON array.
  terms TEXT NOT NULL,
  -- The grades that were allowed, a JSON array.
  grades TEXT NOT NULL,
  -- The limits that the section was made with, JSON.
  limits TEXT NOT NULL,
  -- How many memories were scored; the items hold the best of them.
  candidates INTEGER NOT NULL CHECK (candidates >= 0),
  -- The score below which nothing is known, if there was a floor.
  floor REAL,
  -- SHA-256 of the section's bytes; absent where there was none.
  section_hash BLOB CHECK (length(section_hash) = 32)
) STRICT;

CREATE INDEX recall_traces_session ON recall_traces (session, turn) WHERE session IS NOT NULL;
CREATE INDEX recall_traces_project ON recall_traces (project, seq);

-- What a recall considered, best first, and what became of each.
CREATE TABLE recall_trace_items (
  -- Of which recall.
  trace INTEGER NOT NULL REFERENCES recall_traces (seq) ON DELETE CASCADE,
  -- Its place among the candidates, from 0.
  place INTEGER NOT NULL,
  -- The memory's id; its row may be gone since.
  memory BLOB NOT NULL CHECK (length(memory) = 16),
  -- The revision of its text that was read.
  revision INTEGER NOT NULL,
  -- As what it was considered: `approved`, `evidence` or `pending`.
  grade TEXT NOT NULL CHECK (grade IN ('approved', 'evidence', 'pending')),
  -- How well it fits the query, before its age counts.
  relevance REAL NOT NULL,
  -- The factor of its age, 0 to 1.
  fade REAL NOT NULL,
  -- Their product.
  score REAL NOT NULL,
  -- What was said beside its kind: a JSON array of `evidence`, `pending`, `open`.
  marks TEXT NOT NULL,
  -- `given`, or why not: `not_in_top`, `below_floor`, `budget`, `repeats`, `blank`, `seal`, `stale`, `grade`, `project`,
  -- `withheld`.
  outcome TEXT NOT NULL CHECK (outcome IN ('given', 'not_in_top', 'below_floor', 'budget', 'repeats', 'blank', 'seal',
                                           'stale', 'grade', 'project', 'withheld')),
  PRIMARY KEY (trace, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX recall_trace_items_memory ON recall_trace_items (memory, trace);

-- Questions that nothing was known about (REC-08). Kept by age and count.
CREATE TABLE recall_misses (
  -- Order of the questions; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- When it was asked.
  at INTEGER NOT NULL,
  -- The project that was asked about; absent where only personal memories were.
  project INTEGER REFERENCES projects (seq) ON DELETE CASCADE,
  -- What was asked, redacted.
  query TEXT NOT NULL
) STRICT;

CREATE INDEX recall_misses_project ON recall_misses (project, seq);

-- What the last import from each place held, so that the next one names what changed (MEM-08, REC-12). Holds no text.
CREATE TABLE imported_items (
  -- Order of the rows.
  seq INTEGER PRIMARY KEY,
  -- The project that it was for; absent for personal memories.
  project INTEGER REFERENCES projects (seq) ON DELETE CASCADE,
  -- From where: `claude`, `codex` …, or `mirror` and a hash of the folder's path.
  place TEXT NOT NULL,
  -- The item there: the id of a file's memory, or a file and the hash of a piece of it.
  item TEXT NOT NULL,
  -- SHA-256 of its text.
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE INDEX imported_items_place ON imported_items (place, project);
CREATE INDEX imported_items_project ON imported_items (project);
