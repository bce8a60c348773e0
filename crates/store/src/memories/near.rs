//! Approved memories that a text restates or contradicts, found when it arrives and again when it is looked at: what was
//! approved in between counts too (MEM-05).

use rusqlite::{Connection, Transaction, params};
use taffrail_memory::near::{NEAR, similarity};

use super::read::by_seq;
use crate::convert::Fault;
use crate::recall::near_candidates;

/// Approved rows that are compared word by word.
const CANDIDATES: usize = 20;

/// Finds the neighbours of a text and keeps them in place of those of the text before.
pub(crate) fn find(
    transaction: &Transaction<'_>,
    memory: i64,
    project: Option<i64>,
    content: &str,
) -> Result<(), Fault> {
    transaction
        .prepare_cached("DELETE FROM memory_neighbours WHERE memory = ?1")?
        .execute([memory])?;
    for (neighbour, alike) in today(transaction, memory, project, content)? {
        transaction
            .prepare_cached(
                "INSERT INTO memory_neighbours (memory, neighbour, similarity) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![memory, neighbour, alike])?;
    }
    Ok(())
}

/// The approved rows that a text resembles as things stand, by their numbers, with the share of words that both have.
pub(super) fn today(
    conn: &Connection,
    memory: i64,
    project: Option<i64>,
    content: &str,
) -> Result<Vec<(i64, f64)>, Fault> {
    let mut near = Vec::new();
    for neighbour in near_candidates(conn, project, content, CANDIDATES)? {
        if neighbour == memory {
            continue;
        }
        let alike = similarity(content, &by_seq(conn, neighbour)?.text.content);
        if alike >= NEAR {
            near.push((neighbour, alike));
        }
    }
    Ok(near)
}
