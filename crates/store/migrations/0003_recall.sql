-- Rows that may be recalled, clustered by grade and scope in the key: grade (2 bits), project (21, personal 0),
-- memory (40). A range of keys is a partition, so that one partition's work never touches another's.
CREATE TABLE recall_docs (
  -- Grade (0 approved, 1 evidence, 2 pending), project and memory, in one number.
  key INTEGER PRIMARY KEY,
  -- The place of the memory's type in the list of types.
  kind INTEGER NOT NULL,
  -- When it was said or last confirmed, whichever is later; age is counted from here.
  dated INTEGER NOT NULL,
  -- After this it is not recalled.
  stale_after INTEGER,
  -- Four lengths, then per term a 32-bit hash and how often it stands in summary, content, near and far context.
  terms BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX recall_docs_memory ON recall_docs (key & 1099511627775);

-- Rows of `recall_docs` whose terms are not in the lists yet: what was put in last. A search reads them one by one; they
-- go into the lists many at a time, because a row on its own would touch as many pages as it has terms.
CREATE TABLE recall_tail (
  -- The row's key in `recall_docs`.
  key INTEGER PRIMARY KEY
) STRICT;

-- Which memories of a partition have a term: in `recall_terms` those put in last, in `recall_blocks` full blocks of the
-- ones before. No term is kept as text, so nothing of a purged memory stays here.
CREATE TABLE recall_terms (
  -- The partition (grade and project) times 2^32, plus the term's hash.
  key INTEGER PRIMARY KEY,
  -- Rows with the term, those in blocks included.
  rows INTEGER NOT NULL,
  -- Runs of memories: count, first, then the distances, each a LEB128 number.
  memories BLOB NOT NULL
) STRICT;

-- Full blocks of the memories that have a term in a partition, put in before those in `recall_terms`.
CREATE TABLE recall_blocks (
  -- The term in its partition, as in `recall_terms`.
  key INTEGER NOT NULL,
  -- Order of the blocks of a term.
  block INTEGER NOT NULL,
  -- Runs of memories.
  memories BLOB NOT NULL,
  PRIMARY KEY (key, block)
) STRICT, WITHOUT ROWID;

-- What a partition holds, for the average lengths.
CREATE TABLE recall_partitions (
  -- Grade and project, in one number.
  partition INTEGER PRIMARY KEY,
  -- Rows in it.
  rows INTEGER NOT NULL,
  -- Terms in all summaries.
  summary INTEGER NOT NULL,
  -- Terms in all contents.
  content INTEGER NOT NULL,
  -- Terms in all sentences right before and after.
  near INTEGER NOT NULL,
  -- Terms in all sentences further away.
  far INTEGER NOT NULL
) STRICT;
