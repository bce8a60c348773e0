//! Rows that a new one may restate or contradict (MEM-05).

use rusqlite::Connection;
use taffrail_domain::{Grade, Millis};
use taffrail_memory::rank::Ranking;
use taffrail_memory::recall::{Request, recall};

use crate::convert::Fault;

use super::TableIndex;

/// Approved memories of exactly this scope that share rare words with the text, best first. Also inside the transaction
/// that writes the new row.
pub(crate) fn near_candidates(
    conn: &Connection,
    project: Option<i64>,
    text: &str,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    let request = Request {
        project,
        grades: &[Grade::Approved],
        query: text,
        limit,
        // Age says nothing about likeness: at the beginning of time nothing is old.
        now: Millis(i64::MIN),
        ranking: Ranking::default(),
    };
    let recalled = recall(&TableIndex::new(conn), &request)?;
    let own = recalled
        .hits
        .iter()
        .filter(|hit| hit.personal == project.is_none());
    Ok(own.take(limit).map(|hit| hit.memory).collect())
}
