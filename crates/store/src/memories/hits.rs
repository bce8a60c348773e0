//! What a recall says of its hits: a few columns and no texts, so that an answer costs what it shows.

use rusqlite::{Connection, OptionalExtension};
use taffrail_domain::{Grade, MemoryId, MemoryStatus, MemoryType, Millis, ProjectId, Shelf};

use super::index::grade_of;
use super::read::bits;
use crate::convert::{Fault, parsed};
use crate::{Store, StoreError};

/// A memory that a recall found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitRow {
    /// Its number.
    pub seq: i64,
    /// Its id.
    pub id: MemoryId,
    /// Whose it is; none for a personal memory.
    pub project: Option<ProjectId>,
    /// Under which grade its own columns let it be recalled, whatever the index says; none where they do not.
    pub grade: Option<Grade>,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// What a person decided.
    pub status: MemoryStatus,
    /// Where in the queue it stands.
    pub shelf: Shelf,
    /// A risk that nobody has settled.
    pub is_open: bool,
    /// The revision in force.
    pub revision: u64,
    /// The ids that it has elsewhere, sorted.
    pub foreign_ids: Vec<String>,
}

impl Store {
    /// These memories by their numbers, in the order asked for; one that is gone is left out.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn hit_rows(&self, numbers: &[i64]) -> Result<Vec<HitRow>, StoreError> {
        self.read(|conn| {
            let rows = numbers.iter().map(|number| hit_row(conn, *number));
            Ok(rows
                .collect::<Result<Vec<_>, Fault>>()?
                .into_iter()
                .flatten()
                .collect())
        })
    }
}

fn hit_row(conn: &Connection, number: i64) -> Result<Option<HitRow>, Fault> {
    let row = conn
        .prepare_cached(
            "SELECT m.*, p.id AS project_id FROM memories m LEFT JOIN projects p ON p.seq = m.project
              WHERE m.seq = ?1",
        )?
        .query_row([number], |row| {
            Ok(HitRow {
                seq: row.get("seq")?,
                id: row.get("id").map(MemoryId::from_bytes)?,
                project: row
                    .get::<_, Option<[u8; 16]>>("project_id")?
                    .map(ProjectId::from_bytes),
                grade: grade_of(parsed(row, "status")?, parsed(row, "lifecycle")?, bits(row)?),
                stale_after: row.get::<_, Option<i64>>("stale_after")?.map(Millis),
                kind: parsed(row, "type")?,
                status: parsed(row, "status")?,
                shelf: parsed(row, "shelf")?,
                is_open: row.get("is_open")?,
                revision: row.get::<_, i64>("revision")?.unsigned_abs(),
                foreign_ids: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut row) = row else {
        return Ok(None);
    };
    let mut ids = conn.prepare_cached(
        "SELECT foreign_id FROM memory_foreign_ids WHERE memory = ?1 ORDER BY foreign_id",
    )?;
    row.foreign_ids = ids
        .query_map([number], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(row))
}
