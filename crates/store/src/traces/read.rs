//! Traces are looked up: by id, by session and turn, newest first.

use rusqlite::{Connection, Row, named_params};
use taffrail_domain::{Grade, MemoryId, Millis, ProjectId, TraceId};

use super::model::{MissRow, TraceFilter, TraceItem, TraceRow, TraceText};
use super::write::project_seq;
use crate::convert::{Fault, count, millis, parsed, senseless, signed};
use crate::{Store, StoreError};

/// Every column of [`TraceRow`].
pub(super) const SELECT: &str = "
    SELECT r.seq, r.id AS trace_id, r.at, r.surface, r.session, r.turn, p.id AS project_id, p.name AS project_name, r.query,
           r.terms, r.grades, r.limits, r.candidates, r.floor, r.section_hash
    FROM recall_traces r LEFT JOIN projects p ON p.seq = r.project";

/// Candidates named where a prefix fits more than one trace.
const SHOWN: usize = 10;
/// Traces listed where nobody said how many.
const LISTED: u32 = 50;

impl Store {
    /// The trace whose id begins so.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn trace(&self, prefix: &str) -> Result<TraceRow, StoreError> {
        // The alphabet of ids has no character with a meaning in GLOB; another text fits nothing.
        let known = taffrail_domain::id_prefix(TraceId::PREFIX, prefix).unwrap_or_default();
        let sql =
            format!("{SELECT} WHERE r.short GLOB ?1 || '*' AND ?1 <> '' ORDER BY r.seq LIMIT ?2");
        let mut rows = self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map((&known, SHOWN as i64), trace_row)?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })?;
        let asked = prefix.to_owned();
        if rows.len() > 1 {
            let candidates = rows.iter().map(|row| row.id.short()).collect();
            return Err(StoreError::Ambiguous { asked, candidates });
        }
        let what = "trace";
        rows.pop().ok_or(StoreError::NotFound { what, asked })
    }

    /// Traces, newest first.
    ///
    /// # Errors
    /// `NotFound` for a project that is not there; `Busy`, `Damaged`, `Io`.
    pub fn traces(&self, filter: &TraceFilter) -> Result<Vec<TraceRow>, StoreError> {
        let limit = if filter.limit == 0 {
            LISTED
        } else {
            filter.limit
        };
        let sql = format!(
            "{SELECT} WHERE (:session IS NULL OR r.session = :session) AND (:turn IS NULL OR r.turn = :turn)
                        AND (:project IS NULL OR r.project = :project)
             ORDER BY r.seq DESC LIMIT :limit"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let values = named_params! {
                ":session": filter.session, ":turn": filter.turn.map(signed),
                ":project": project_seq(conn, filter.project)?, ":limit": limit,
            };
            let rows = statement.query_map(values, trace_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// What a recall considered, best first, each with its text as it was then.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn trace_items(&self, trace: &TraceRow) -> Result<Vec<TraceItem>, StoreError> {
        self.read(|conn| items(conn, trace.seq))
    }

    /// The questions that nothing was known about, newest first (REC-08).
    ///
    /// # Errors
    /// `NotFound` for a project that is not there; `Busy`, `Damaged`, `Io`.
    pub fn recall_misses(
        &self,
        project: Option<ProjectId>,
        limit: u32,
    ) -> Result<Vec<MissRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT m.at, m.query, p.id AS project_id FROM recall_misses m LEFT JOIN projects p ON p.seq = m.project
                 WHERE ?1 IS NULL OR m.project = ?1 ORDER BY m.seq DESC LIMIT ?2",
            )?;
            let project = project_seq(conn, project)?;
            let rows = statement.query_map((project, limit), |row| {
                Ok(MissRow {
                    at: millis(row, "at")?,
                    project: project_id(row)?,
                    query: row.get("query")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn items(conn: &Connection, trace: i64) -> Result<Vec<TraceItem>, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT i.*, m.type, m.created_at, m.status, t.summary, t.content
         FROM recall_trace_items i LEFT JOIN memories m ON m.id = i.memory
              LEFT JOIN memory_texts t ON t.memory = m.seq AND t.revision = i.revision
         WHERE i.trace = ?1 ORDER BY i.place",
    )?;
    let rows = statement.query_map([trace], item_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn item_row(row: &Row<'_>) -> rusqlite::Result<TraceItem> {
    Ok(TraceItem {
        place: row.get("place")?,
        memory: row.get("memory").map(MemoryId::from_bytes)?,
        revision: count(row, "revision")?,
        grade: parsed(row, "grade")?,
        relevance: row.get("relevance")?,
        fade: row.get("fade")?,
        score: row.get("score")?,
        marks: list(row, "marks")?,
        outcome: parsed(row, "outcome")?,
        text: text(row)?,
    })
}

/// None where the memory or this revision of its text was erased.
fn text(row: &Row<'_>) -> rusqlite::Result<Option<TraceText>> {
    let Some(summary) = row.get::<_, Option<String>>("summary")? else {
        return Ok(None);
    };
    Ok(Some(TraceText {
        kind: parsed(row, "type")?,
        summary,
        content: row.get("content")?,
        created: millis(row, "created_at")?,
        status_today: parsed(row, "status")?,
    }))
}

pub(super) fn trace_row(row: &Row<'_>) -> rusqlite::Result<TraceRow> {
    let turn: Option<i64> = row.get("turn")?;
    Ok(TraceRow {
        seq: row.get("seq")?,
        id: row.get("trace_id").map(TraceId::from_bytes)?,
        at: row.get("at").map(Millis)?,
        surface: parsed(row, "surface")?,
        session: row.get("session")?,
        turn: turn.and_then(|turn| u64::try_from(turn).ok()),
        project: project_id(row)?,
        project_name: row.get("project_name")?,
        query: row.get("query")?,
        terms: list(row, "terms")?,
        grades: grades(row)?,
        limits: row.get("limits")?,
        candidates: count(row, "candidates")?,
        floor: row.get("floor")?,
        section_hash: row.get("section_hash")?,
    })
}

fn project_id(row: &Row<'_>) -> rusqlite::Result<Option<ProjectId>> {
    let id: Option<[u8; 16]> = row.get("project_id")?;
    Ok(id.map(ProjectId::from_bytes))
}

fn list(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<String>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| senseless(&error))
}

fn grades(row: &Row<'_>) -> rusqlite::Result<Vec<Grade>> {
    let words = list(row, "grades")?.into_iter();
    words
        .map(|word| word.parse().map_err(|error| senseless(&error)))
        .collect()
}
