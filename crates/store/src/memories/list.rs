//! Lists of memories: by filter newest first, the queue oldest first, counts, neighbours (MEM-05, REV-01).

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use taffrail_domain::{MemoryId, MemoryStatus, Shelf};

use super::model::{
    MemoryCursor, MemoryFilter, MemoryPage, MemoryRow, NeighbourRow, StatusCount, Whose,
};
use super::near;
use super::read::{Partial, SELECT, by_seq, memory_seq, project_of};
use crate::convert::{Fault, count, parsed};
use crate::projects::project_seq;
use crate::{Store, StoreError};

/// Rows of a page when none are asked for.
const PAGE: u32 = 50;
/// Rows of a page at most.
const PAGE_LIMIT: u32 = 200;
/// What waits for a person: rows nobody decided on, and texts that are to replace one in force.
const WAITS: &str = "(m.status = 'pending' OR m.draft_revision IS NOT NULL)";

/// The conditions of a query and their values, in order.
#[derive(Default)]
struct Where {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Where {
    fn and(&mut self, condition: &str) {
        self.conditions.push(condition.to_owned());
    }

    fn with(&mut self, condition: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        let at = format!("?{}", self.values.len());
        self.and(&condition.replace('?', &at));
    }

    fn whose(&mut self, conn: &Connection, whose: &Whose) -> Result<(), Fault> {
        match whose {
            Whose::All => {}
            Whose::Personal => self.and("m.project IS NULL"),
            Whose::Project(id) => self.with("m.project = ?", project_seq(conn, id)?),
        }
        Ok(())
    }

    fn sql(&self) -> String {
        if self.conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.conditions.join(" AND "))
        }
    }
}

impl Store {
    /// One page of the memories that fit, newest first.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; otherwise as for every read.
    pub fn memories(&self, filter: &MemoryFilter) -> Result<MemoryPage, StoreError> {
        self.read(|conn| {
            let mut wanted = Where::default();
            wanted.whose(conn, &filter.whose)?;
            narrow(&mut wanted, filter);
            if let Some(MemoryCursor(before)) = filter.cursor {
                wanted.with("m.seq < ?", before);
            }
            page(conn, &wanted, filter.limit, "DESC")
        })
    }

    /// One page of what waits for a person, oldest first: rows
    /// that nobody decided on, and new texts of rows in force.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn memory_queue(
        &self,
        whose: &Whose,
        shelf: Option<Shelf>,
        after: Option<MemoryCursor>,
        limit: Option<u32>,
    ) -> Result<MemoryPage, StoreError> {
        self.read(|conn| {
            let mut wanted = Where::default();
            wanted.and(WAITS);
            wanted.whose(conn, whose)?;
            if let Some(shelf) = shelf {
                wanted.with("m.shelf = ?", shelf.name().to_owned());
            }
            if let Some(MemoryCursor(after)) = after {
                wanted.with("m.seq > ?", after);
            }
            page(conn, &wanted, limit, "ASC")
        })
    }

    /// How many rows there are of each status and shelf.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn memory_counts(&self, whose: &Whose) -> Result<Vec<StatusCount>, StoreError> {
        self.read(|conn| {
            let mut wanted = Where::default();
            wanted.whose(conn, whose)?;
            let sql = format!(
                "SELECT m.status, m.shelf, count(*) AS rows FROM memories m{}
                 GROUP BY m.status, m.shelf ORDER BY m.status, m.shelf",
                wanted.sql()
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(&wanted.values), |row| {
                Ok(StatusCount {
                    status: parsed::<MemoryStatus>(row, "status")?,
                    shelf: parsed::<Shelf>(row, "shelf")?,
                    rows: count(row, "rows")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// How many rows wait for a person.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn memories_waiting(&self, whose: &Whose) -> Result<u64, StoreError> {
        self.read(|conn| {
            let mut wanted = Where::default();
            wanted.and(WAITS);
            wanted.whose(conn, whose)?;
            let sql = format!("SELECT count(*) AS rows FROM memories m{}", wanted.sql());
            Ok(conn
                .prepare_cached(&sql)?
                .query_row(params_from_iter(&wanted.values), |row| count(row, "rows"))?)
        })
    }

    /// The approved memories that this one resembled when it arrived or was edited, and those that it resembles today, the
    /// most alike first. A row that was retired since is left out.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn neighbours(&self, id: &MemoryId) -> Result<Vec<NeighbourRow>, StoreError> {
        self.read(|conn| {
            let memory = memory_seq(conn, id)?;
            let mut statement = conn.prepare_cached(
                "SELECT m.id, n.similarity FROM memory_neighbours n JOIN memories m ON m.seq = n.neighbour
                 WHERE n.memory = ?1 AND m.lifecycle = 'active'
                 ORDER BY n.similarity DESC, m.seq",
            )?;
            let rows = statement.query_map([memory], |row| {
                Ok(NeighbourRow {
                    memory: row.get("id").map(MemoryId::from_bytes)?,
                    similarity: row.get("similarity")?,
                })
            })?;
            let mut rows: Vec<NeighbourRow> = rows.collect::<rusqlite::Result<_>>()?;
            approved_since(conn, memory, &mut rows)?;
            Ok(rows)
        })
    }
}

/// Adds what was approved after the memory was written.
fn approved_since(
    conn: &Connection,
    memory: i64,
    rows: &mut Vec<NeighbourRow>,
) -> Result<(), Fault> {
    let row = by_seq(conn, memory)?;
    let content = &row.reviewed_text().content;
    for (near, similarity) in near::today(conn, memory, project_of(conn, memory)?, content)? {
        let near = by_seq(conn, near)?.id;
        if rows.iter().all(|known| known.memory != near) {
            rows.push(NeighbourRow {
                memory: near,
                similarity,
            });
        }
    }
    rows.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    Ok(())
}

fn narrow(wanted: &mut Where, filter: &MemoryFilter) {
    if let Some(status) = filter.status {
        wanted.with("m.status = ?", status.name().to_owned());
    }
    if let Some(kind) = filter.kind {
        wanted.with("m.type = ?", kind.name().to_owned());
    }
    if let Some(shelf) = filter.shelf {
        wanted.with("m.shelf = ?", shelf.name().to_owned());
    }
    if let Some(text) = &filter.text {
        // instr(), because LIKE gives `%` and `_` a meaning.
        wanted.with(
            "EXISTS (SELECT 1 FROM memory_texts t WHERE t.memory = m.seq AND t.revision = m.revision
                     AND instr(lower(t.summary || char(10) || t.content), lower(?)) > 0)",
            text.clone(),
        );
    }
}

fn page(
    conn: &Connection,
    wanted: &Where,
    limit: Option<u32>,
    order: &str,
) -> Result<MemoryPage, Fault> {
    let limit = limit.unwrap_or(PAGE).clamp(1, PAGE_LIMIT);
    let sql = format!(
        "{SELECT}{} ORDER BY m.seq {order} LIMIT {}",
        wanted.sql(),
        limit + 1
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(&wanted.values), Partial::read)?;
    let mut rows: Vec<Partial> = rows.collect::<rusqlite::Result<_>>()?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let rows: Vec<MemoryRow> = rows
        .into_iter()
        .map(|row| row.with_texts(conn))
        .collect::<Result<_, Fault>>()?;
    let last = rows.last().map(|row| MemoryCursor(row.seq));
    Ok(MemoryPage {
        next: last.filter(|_| more),
        rows,
    })
}
