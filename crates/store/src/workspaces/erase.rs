//! Workspaces, closed slates and their seeds that go. The journal keeps its entries, which hold no text.

use rusqlite::{ToSql, Transaction};
use taffrail_domain::Millis;

use crate::convert::Fault;

/// How much went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gone {
    pub(crate) workspaces: u64,
    pub(crate) slates: u64,
    /// Of the slates, such whose seeds waited unbound.
    pub(crate) unbound: u64,
}

/// Takes every workspace of a project away, and what came of its slates.
pub(crate) fn erase_project(transaction: &Transaction<'_>, project: i64) -> Result<Gone, Fault> {
    let mut gone = closures(transaction, "project = ?1", &project)?;
    gone.workspaces = run(
        transaction,
        "DELETE FROM workspaces WHERE project = ?1",
        &project,
    )?;
    Ok(gone)
}

/// Takes away what came of slates that were closed before a time, and archived workspaces from before it that hold nothing
/// any more.
pub(crate) fn erase_before(transaction: &Transaction<'_>, time: Millis) -> Result<Gone, Fault> {
    let mut gone = closures(transaction, "closed_at < ?1", &time.0)?;
    let empty = "DELETE FROM workspaces WHERE created_at < ?1 AND status = 'archived'
         AND seq NOT IN (SELECT workspace FROM proposals)
         AND seq NOT IN (SELECT workspace FROM slate_closures WHERE workspace IS NOT NULL)";
    gone.workspaces = run(transaction, empty, &time.0)?;
    Ok(gone)
}

fn closures(transaction: &Transaction<'_>, which: &str, value: &dyn ToSql) -> Result<Gone, Fault> {
    let going = format!("(SELECT seq FROM slate_closures WHERE {which})");
    let waiting = format!(
        "SELECT count(*) FROM unbound_candidates WHERE state = 'waiting' AND closure IN {going}"
    );
    let waiting: i64 = transaction.query_row(&waiting, [value], |row| row.get(0))?;
    let proposals = format!("(SELECT seq FROM proposals WHERE closure IN {going})");
    for sql in [
        format!("DELETE FROM proposal_candidates WHERE proposal IN {proposals}"),
        format!("DELETE FROM proposals WHERE closure IN {going}"),
        format!("DELETE FROM unbound_candidates WHERE closure IN {going}"),
    ] {
        run(transaction, &sql, value)?;
    }
    let slates = format!("DELETE FROM slate_closures WHERE {which}");
    Ok(Gone {
        workspaces: 0,
        slates: run(transaction, &slates, value)?,
        unbound: waiting.unsigned_abs(),
    })
}

fn run(transaction: &Transaction<'_>, sql: &str, value: &dyn ToSql) -> Result<u64, Fault> {
    Ok(transaction.execute(sql, [value])? as u64)
}
