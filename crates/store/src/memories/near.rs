//! Approved memories that a text restates or contradicts, found when it arrives (MEM-05).

use rusqlite::{Transaction, params};
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
    for neighbour in near_candidates(transaction, project, content, CANDIDATES)? {
        if neighbour == memory {
            continue;
        }
        let alike = similarity(content, &by_seq(transaction, neighbour)?.text.content);
        if alike >= NEAR {
            transaction
                .prepare_cached(
                    "INSERT INTO memory_neighbours (memory, neighbour, similarity) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![memory, neighbour, alike])?;
        }
    }
    Ok(())
}
