//! Where a memory went: the recalls that considered it and the memories that were derived from it (REC-07).

use taffrail_domain::MemoryId;

use super::model::{Derived, Reached};
use super::read::{SELECT, trace_row};
use crate::convert::{count, parsed};
use crate::{Store, StoreError};

/// Derivations are followed so far: a longer chain is a loop that somebody made by hand.
const DEEPEST: u32 = 64;

impl Store {
    /// Every kept recall that considered a memory, newest first, at most `limit`.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn traces_of_memory(
        &self,
        memory: &MemoryId,
        limit: u32,
    ) -> Result<Vec<Reached>, StoreError> {
        let sql = format!(
            "SELECT i.place, i.revision, i.score, i.outcome, x.*
             FROM recall_trace_items i JOIN ({SELECT}) x ON x.seq = i.trace
             WHERE i.memory = ?1 ORDER BY i.trace DESC LIMIT ?2"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map((memory.bytes(), limit), |row| {
                Ok(Reached {
                    trace: trace_row(row)?,
                    place: row.get("place")?,
                    revision: count(row, "revision")?,
                    score: row.get("score")?,
                    outcome: parsed(row, "outcome")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Every memory that was derived from this one, nearest first.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn derived_from(&self, memory: &MemoryId) -> Result<Vec<Derived>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "WITH RECURSIVE chain (seq, distance) AS (
                   SELECT seq, 0 FROM memories WHERE id = ?1
                   UNION
                   SELECT d.memory, c.distance + 1 FROM chain c JOIN memory_derivations d ON d.derived_from = c.seq
                   WHERE c.distance < ?2)
                 SELECT m.id, min(c.distance) AS distance, m.status, t.summary
                 FROM chain c JOIN memories m ON m.seq = c.seq
                      LEFT JOIN memory_texts t ON t.memory = m.seq AND t.revision = m.revision
                 WHERE c.distance > 0 AND m.id <> ?1 GROUP BY m.seq ORDER BY min(c.distance), m.seq",
            )?;
            let rows = statement.query_map((memory.bytes(), DEEPEST), |row| {
                Ok(Derived {
                    memory: row.get("id").map(MemoryId::from_bytes)?,
                    distance: u32::try_from(count(row, "distance")?).unwrap_or(DEEPEST),
                    status: parsed(row, "status")?,
                    summary: row.get("summary")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
