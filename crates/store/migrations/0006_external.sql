-- Sessions are made anew, because two more endings are among the statuses. This step runs with foreign keys off: what
-- points at a session keeps pointing at the same number.

-- One row per session; a run's id is its session's id.
CREATE TABLE sessions_anew (
  -- Order of creation; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes; never used for order.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `run_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- What kind of session: `box` is a command in a disposable checkout, `external` another vendor's agent.
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
  -- What the network was limited to, as JSON: `"off"`, `{"ports":[…]}` or `{"hosts":{…}}`.
  net TEXT NOT NULL,
  -- Facts about the preparation, redacted JSON: what was carried, limits, versions.
  facts TEXT NOT NULL,
  -- How the run stands or ended.
  status TEXT NOT NULL
    CHECK (status IN ('preparing', 'running', 'completed', 'error', 'timeout', 'cancelled', 'died', 'budget', 'refused')),
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

INSERT INTO sessions_anew (seq, id, short, kind, name, project_root, common_dir, command, agent, net, facts, status, reason,
                           exit_code, exit_signal, base, first_commit, enforcement, created_at, started_at, ended_at)
SELECT seq, id, short, kind, name, project_root, common_dir, command, agent, net, facts, status, reason,
       exit_code, exit_signal, base, first_commit, enforcement, created_at, started_at, ended_at
FROM sessions ORDER BY seq;

DELETE FROM sqlite_sequence WHERE name = 'sessions_anew';
INSERT INTO sqlite_sequence (name, seq) SELECT 'sessions_anew', seq FROM sqlite_sequence WHERE name = 'sessions';

DROP TABLE sessions;
ALTER TABLE sessions_anew RENAME TO sessions;

CREATE INDEX sessions_name ON sessions (name);
CREATE INDEX sessions_common_dir ON sessions (common_dir, seq);
CREATE INDEX sessions_live ON sessions (seq) WHERE status IN ('preparing', 'running');

-- Runs of other vendors' agents: what was agreed on before, what the agent says of itself, and how it ended (FA-29).
CREATE TABLE agent_runs (
  -- The session.
  session INTEGER PRIMARY KEY REFERENCES sessions (seq),
  -- The agent's id in the registry.
  agent TEXT NOT NULL,
  -- How it is spoken to, and its id: `acp:gemini-acp`.
  provider TEXT NOT NULL,
  -- The command line, a JSON array, redacted.
  argv TEXT NOT NULL,
  -- The version that the program itself told before the run.
  version_found TEXT,
  -- The task, in the person's words, redacted.
  task TEXT NOT NULL,
  -- Length of the whole prompt in bytes.
  prompt_bytes INTEGER NOT NULL CHECK (prompt_bytes >= 0),
  -- What was cut from the prompt, a JSON array.
  prompt_cut TEXT NOT NULL,
  -- The model that was asked for, if one was.
  model TEXT,
  -- The policy's mode that was asked for.
  mode_requested TEXT NOT NULL CHECK (mode_requested IN ('ask', 'trust', 'auto')),
  -- The policy's mode that counted: always `ask` for another vendor's agent.
  mode_effective TEXT NOT NULL CHECK (mode_effective = 'ask'),
  -- 1: nobody was there to be asked.
  unattended INTEGER NOT NULL CHECK (unattended IN (0, 1)),
  -- 1: what it changed is captured, and it could write through the protocol.
  may_write INTEGER NOT NULL CHECK (may_write IN (0, 1)),
  -- Where the yes to all edits inside the checkout came from.
  grant_source TEXT NOT NULL CHECK (grant_source IN ('none', 'config', 'human')),
  -- What the client told the agent that it serves, JSON.
  client_capabilities TEXT NOT NULL,
  -- Our MCP server: `{"offered":true,"server":…,"scope":…}` or `{"offered":false,"reason":…}`.
  mcp TEXT NOT NULL,
  -- The agent's name as it reports it.
  agent_name TEXT,
  -- The agent's version as it reports it.
  agent_version TEXT,
  -- The version of the protocol that it speaks.
  protocol INTEGER,
  -- What the agent says that it can do, JSON, redacted.
  agent_capabilities TEXT,
  -- The agent's own id of its session, redacted.
  agent_session TEXT,
  -- The agent's own mode that was asked for.
  agent_mode TEXT,
  -- 1: the agent confirmed that mode; 0: it did not; absent where none was asked for.
  agent_mode_verified INTEGER CHECK (agent_mode_verified IN (0, 1)),
  -- 1: context was sent as resources of its own; 0: as text.
  embedded_context INTEGER CHECK (embedded_context IN (0, 1)),
  -- Why the turn stopped, in the agent's word.
  stop_reason TEXT,
  -- What there is to say of the ending, redacted.
  end_detail TEXT,
  -- Tokens as the agent reports them, JSON; the word `missing` where it reported none.
  usage TEXT NOT NULL DEFAULT 'missing',
  -- Cost as the agent reports it, in its own currency, JSON; the word `missing` where it reported none.
  cost TEXT NOT NULL DEFAULT 'missing',
  -- The result document, JSON, redacted; absent where no valid one came.
  result TEXT,
  -- What was found of the result document: `valid`, `missing`, or what is wrong with it.
  result_verdict TEXT,
  -- The final text of a run without a valid result document, redacted.
  partial TEXT,
  -- 1: the agent was asked once more for a result document.
  repair_asked INTEGER NOT NULL DEFAULT 0 CHECK (repair_asked IN (0, 1)),
  -- 1: the agent was told to cancel.
  cancel_sent INTEGER NOT NULL DEFAULT 0 CHECK (cancel_sent IN (0, 1)),
  -- Why its processes were killed; absent where they ended by themselves.
  killed TEXT,
  -- What was kept of its standard error: head and tail, redacted.
  stderr TEXT,
  -- Bytes that it wrote to standard error; absent where nobody was left to count them, as all that follows.
  stderr_bytes INTEGER CHECK (stderr_bytes >= 0),
  -- Frames that came from the agent.
  frames_in INTEGER CHECK (frames_in >= 0),
  -- Their bytes.
  bytes_in INTEGER CHECK (bytes_in >= 0),
  -- Frames that were sent to it.
  frames_out INTEGER CHECK (frames_out >= 0),
  -- Their bytes.
  bytes_out INTEGER CHECK (bytes_out >= 0),
  -- What came that is no frame of the protocol, counted by kind, JSON.
  junk TEXT,
  -- What a reader should know, a JSON array, redacted.
  notes TEXT,
  -- What could not be seen or controlled, a JSON array, redacted.
  unseen TEXT
) STRICT;

-- What was said in a session, in order.
CREATE TABLE messages (
  -- In which session.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- Its place in the session, from 0.
  position INTEGER NOT NULL,
  -- Who says it: `thought` is the agent's, and no answer.
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'thought')),
  -- The text, redacted.
  text TEXT NOT NULL,
  -- When it was recorded.
  at INTEGER NOT NULL,
  PRIMARY KEY (session, position)
) STRICT;

-- Calls of tools, as the agent describes them: the last state of each, and what was counted of the states before.
CREATE TABLE tool_calls (
  -- In which session.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- Its place in the session, from 0.
  position INTEGER NOT NULL,
  -- The agent's own id of the call.
  call TEXT NOT NULL,
  -- What the agent calls it.
  title TEXT,
  -- Its kind, in the agent's word.
  kind TEXT,
  -- Its status, in the agent's word.
  status TEXT,
  -- The places that it names, a JSON array, redacted.
  locations TEXT,
  -- Its input, JSON, redacted; what is longer than is kept is a JSON object with its length and its beginning.
  input TEXT,
  -- The last that was seen of its output, redacted, at most 64 KiB.
  output TEXT,
  -- How often the agent told of it.
  updates INTEGER NOT NULL CHECK (updates >= 0),
  -- Bytes of all that it told.
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  -- When the first word of it came.
  first_at INTEGER NOT NULL,
  -- When the last one did.
  last_at INTEGER NOT NULL,
  PRIMARY KEY (session, position),
  UNIQUE (session, call)
) STRICT;

-- Questions to a person: each of one session and one action, answered once and used once (POL-07).
CREATE TABLE questions (
  -- Order of the questions; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The id, a UUIDv7 in 16 bytes.
  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  -- The id as people see and type it: `qst_` and ten base32 characters.
  short TEXT NOT NULL UNIQUE,
  -- Which session asks.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- SHA-256 over the action that is asked about: an answer counts for exactly this one.
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  -- What the action risks.
  risk TEXT NOT NULL
    CHECK (risk IN ('read', 'write', 'shell', 'network', 'credential', 'delegate', 'destructive')),
  -- 1: it takes away what cannot easily be brought back, or that cannot be ruled out.
  destructive INTEGER NOT NULL CHECK (destructive IN (0, 1)),
  -- 1: a yes to every edit inside the checkout of the run may be given instead.
  may_grant INTEGER NOT NULL CHECK (may_grant IN (0, 1)),
  -- The whole action as a person sees it, redacted.
  shown TEXT NOT NULL,
  -- What else there is to show: reasons, agent, places, JSON, redacted.
  details TEXT NOT NULL,
  -- How it stands.
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'used', 'expired', 'withdrawn')),
  -- When it was asked.
  asked_at INTEGER NOT NULL,
  -- From when on no answer counts; absent where it waits.
  expires_at INTEGER,
  -- The answer.
  reply TEXT CHECK (reply IN ('yes', 'edits', 'no')),
  -- What the person said beside it, redacted.
  reply_reason TEXT,
  -- Where it was answered.
  surface TEXT CHECK (surface IN ('terminal', 'inbox', 'page')),
  -- When it was answered.
  answered_at INTEGER,
  -- When it was used, expired or withdrawn.
  closed_at INTEGER,
  -- Process id of the asker.
  pid INTEGER NOT NULL,
  -- Its start time in clock ticks since boot.
  start_ticks INTEGER NOT NULL,
  -- The boot in which that process id and start time mean anything.
  boot_id TEXT NOT NULL
) STRICT;

CREATE INDEX questions_session ON questions (session, seq);
CREATE INDEX questions_waiting ON questions (seq) WHERE state IN ('open', 'answered');

-- Everything that an agent wanted to do and somebody judged: what it was, what was said, by whom and why (FA-24, POL-01).
CREATE TABLE action_decisions (
  -- Order of the decisions; never used twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- In which session.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- The id of the agent's request.
  request TEXT NOT NULL,
  -- The agent's id of the tool call that it belongs to.
  tool_call TEXT,
  -- By which door it came: `permission`, `fs_read`, `fs_write`, `terminal`, `mcp`, `network`.
  source TEXT NOT NULL,
  -- The action as it was judged, JSON, redacted.
  action TEXT NOT NULL,
  -- The action as a person would see it, redacted.
  shown TEXT NOT NULL,
  -- The kind that the agent reported.
  kind TEXT,
  -- What it risks.
  risk TEXT NOT NULL
    CHECK (risk IN ('read', 'write', 'shell', 'network', 'credential', 'delegate', 'destructive')),
  -- 1: it takes away what cannot easily be brought back, or that cannot be ruled out.
  destructive INTEGER NOT NULL CHECK (destructive IN (0, 1)),
  -- What the policy answered.
  answer TEXT NOT NULL CHECK (answer IN ('allow', 'ask', 'deny')),
  -- Why the policy answered so, a JSON array.
  reasons TEXT NOT NULL,
  -- The user's rule that decided, if one did.
  rule TEXT,
  -- What became of it.
  verdict TEXT NOT NULL CHECK (verdict IN ('allowed', 'refused')),
  -- What the verdict rests on: `policy`, `grant`, `same-edit`, `unattended`, `timeout`, `human`, `no-allow-option`,
  -- `cancelled`, `unfit`.
  ground TEXT NOT NULL,
  -- 1: nobody answered in time.
  timed_out INTEGER NOT NULL CHECK (timed_out IN (0, 1)),
  -- The option of the agent's question that was chosen.
  option_id TEXT,
  -- The policy's mode that was asked for.
  mode_requested TEXT NOT NULL CHECK (mode_requested IN ('ask', 'trust', 'auto')),
  -- The policy's mode that counted.
  mode_effective TEXT NOT NULL CHECK (mode_effective IN ('ask', 'trust', 'auto')),
  -- The question that was asked of a person, if one was.
  question INTEGER REFERENCES questions (seq),
  -- When the agent asked.
  asked_at INTEGER NOT NULL,
  -- When it was decided.
  decided_at INTEGER NOT NULL
) STRICT;

CREATE INDEX action_decisions_session ON action_decisions (session, seq);
CREATE INDEX action_decisions_question ON action_decisions (question) WHERE question IS NOT NULL;

-- What an agent asked of the client beside its questions: files, terminals, elicitation, our MCP server's tools, methods
-- that nobody knows.
CREATE TABLE agent_requests (
  -- In which session.
  session INTEGER NOT NULL REFERENCES sessions (seq),
  -- Its place in the session, from 0.
  position INTEGER NOT NULL,
  -- The method, redacted, at most 200 bytes.
  method TEXT NOT NULL,
  -- What it was about: a path, a command, a tool; redacted, at most 4 KiB.
  what TEXT,
  -- What became of it.
  outcome TEXT NOT NULL CHECK (outcome IN ('served', 'refused', 'ignored')),
  -- Why, where it was not served.
  reason TEXT,
  -- Bytes that were read or written.
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  -- When it was answered.
  at INTEGER NOT NULL,
  PRIMARY KEY (session, position)
) STRICT;
