//! Memories that go, with everything that is about them. The journal keeps its entries, which hold no text.

use rusqlite::Transaction;

use crate::convert::Fault;

/// What is about a memory, in the order in which it may go. What points at it from elsewhere loses the pointer.
const STEPS: [&str; 13] = [
    "UPDATE memories SET retired_by = NULL WHERE retired_by = ?1",
    "UPDATE proposal_candidates SET memory = NULL,
         seed = CASE WHEN json_valid(seed) THEN json_replace(seed, '$.hash', '') ELSE '{}' END
     WHERE memory = ?1",
    "DELETE FROM memory_reviews WHERE memory = ?1",
    "UPDATE memory_reviews SET other = NULL, other_before = NULL WHERE other = ?1",
    "DELETE FROM memory_evidence WHERE memory = ?1",
    "DELETE FROM memory_neighbours WHERE memory = ?1",
    "DELETE FROM memory_neighbours WHERE neighbour = ?1",
    "DELETE FROM memory_derivations WHERE memory = ?1",
    "DELETE FROM memory_derivations WHERE derived_from = ?1",
    "DELETE FROM memory_witnesses WHERE memory = ?1",
    "DELETE FROM memory_foreign_ids WHERE memory = ?1",
    "DELETE FROM memory_texts WHERE memory = ?1",
    "DELETE FROM memories WHERE seq = ?1",
];

/// Takes a memory away: its row, its texts, its place in the recall index, and what is about it.
pub(crate) fn erase(transaction: &Transaction<'_>, memory: i64) -> Result<(), Fault> {
    crate::recall::remove(transaction, memory)?;
    for sql in STEPS {
        transaction.prepare_cached(sql)?.execute([memory])?;
    }
    Ok(())
}

/// Takes every memory of a project away.
pub(crate) fn erase_project(transaction: &Transaction<'_>, project: i64) -> Result<(), Fault> {
    let mut statement =
        transaction.prepare_cached("SELECT seq FROM memories WHERE project = ?1 ORDER BY seq")?;
    let rows = statement.query_map([project], |row| row.get(0))?;
    let memories: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    memories
        .into_iter()
        .try_for_each(|memory| erase(transaction, memory))
}
