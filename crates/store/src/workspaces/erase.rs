//! Workspaces, closed slates and their seeds that go with their project. The journal keeps its entries, which hold no text.

use rusqlite::Transaction;

use crate::convert::Fault;

/// What belongs to a project, in the order in which it may go.
const STEPS: [&str; 5] = [
    "DELETE FROM proposal_candidates WHERE proposal IN (SELECT o.seq FROM proposals o JOIN slate_closures c
         ON c.seq = o.closure WHERE c.project = ?1)",
    "DELETE FROM proposals WHERE closure IN (SELECT seq FROM slate_closures WHERE project = ?1)",
    "DELETE FROM unbound_candidates WHERE closure IN (SELECT seq FROM slate_closures WHERE project = ?1)",
    "DELETE FROM slate_closures WHERE project = ?1",
    "DELETE FROM workspaces WHERE project = ?1",
];

/// Takes every workspace of a project away, and what came of its slates. Before the memories, which it points at.
pub(crate) fn erase_project(transaction: &Transaction<'_>, project: i64) -> Result<(), Fault> {
    for sql in STEPS {
        transaction.prepare_cached(sql)?.execute([project])?;
    }
    Ok(())
}
