//! A trace goes on record, and those that are too old or too many go.

use rusqlite::{Connection, OptionalExtension, params};
use taffrail_domain::ProjectId;

use super::model::{NewTrace, NewTraceItem, TraceKeep};
use crate::convert::{Fault, senseless, signed};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Candidates kept of one recall: enough to answer "why not" for whatever came near, about 20 KB at the most.
const KEPT_ITEMS: usize = 256;
/// Old traces taken away by one insert, so that no turn waits for a big clearance.
const CLEARED_AT_ONCE: i64 = 64;

impl Store {
    /// Puts a recall on record, and its question on the list of misses where nothing was known; takes away what `keep`
    /// does not keep. Acknowledged, it survives the end of the process, not the loss of power.
    ///
    /// # Errors
    /// `NotFound` for a project that is not there; `IdTaken`; as for every write.
    pub fn trace_recall(&self, new: &NewTrace, keep: TraceKeep) -> Result<(), StoreError> {
        let new = new.clone();
        self.write(Durability::Normal, move |transaction| {
            let project = project_seq(transaction, new.project)?;
            let seq = insert(transaction, &new, project)?;
            insert_items(transaction, seq, &new.items)?;
            clear(transaction, seq, new.at.0, keep)?;
            if new.missed {
                insert_miss(transaction, &new, project, keep)?;
            }
            Ok(())
        })
    }
}

/// The row of a project.
pub(super) fn project_seq(
    conn: &Connection,
    project: Option<ProjectId>,
) -> Result<Option<i64>, Fault> {
    let Some(project) = project else {
        return Ok(None);
    };
    conn.prepare_cached("SELECT seq FROM projects WHERE id = ?1")?
        .query_row([project.bytes()], |row| row.get(0))
        .optional()?
        .map(Some)
        .ok_or_else(|| {
            let asked = project.short();
            StoreError::NotFound {
                what: "project",
                asked,
            }
            .into()
        })
}

fn insert(conn: &Connection, new: &NewTrace, project: Option<i64>) -> Result<i64, Fault> {
    let terms: Vec<_> = new.terms.iter().map(String::as_str).collect();
    let grades: Vec<_> = new.grades.iter().map(|grade| grade.name()).collect();
    let done = conn
        .prepare_cached(
            "INSERT INTO recall_traces (id, short, at, surface, session, turn, project, query, terms, grades, limits,
                                        candidates, floor, section_hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .insert(params![
            new.id.bytes(),
            new.id.short(),
            new.at.0,
            new.surface.name(),
            new.session.as_ref().map(|text| text.as_str()),
            new.turn.map(signed),
            project,
            new.query.as_str(),
            json(&terms)?,
            json(&grades)?,
            new.limits.as_str(),
            signed(new.candidates),
            new.floor,
            new.section_hash,
        ]);
    match done {
        Err(error) if is_unique(&error) => {
            let id = new.id.short();
            Err(StoreError::IdTaken { id }.into())
        }
        done => Ok(done?),
    }
}

fn is_unique(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE)
}

fn json(words: &[&str]) -> rusqlite::Result<String> {
    serde_json::to_string(words).map_err(|error| senseless(&error))
}

fn insert_items(conn: &Connection, trace: i64, items: &[NewTraceItem]) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO recall_trace_items (trace, place, memory, revision, grade, relevance, fade, score, marks, outcome)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (place, item) in (0_i64..).zip(items.iter().take(KEPT_ITEMS)) {
        statement.execute(params![
            trace,
            place,
            item.memory.bytes(),
            signed(item.revision),
            item.grade.name(),
            item.relevance,
            item.fade,
            item.score,
            marks(item)?,
            item.outcome.name(),
        ])?;
    }
    Ok(())
}

fn marks(item: &NewTraceItem) -> rusqlite::Result<String> {
    let marks: Vec<_> = item.marks.iter().map(String::as_str).collect();
    json(&marks)
}

/// Both bounds are ends of the order, so that a trace is taken away by its key and nothing is scanned but what goes.
fn clear(conn: &Connection, newest: i64, now: i64, keep: TraceKeep) -> Result<(), Fault> {
    let by_count = newest.saturating_sub(signed(keep.count));
    let kept_from: Option<i64> = conn
        .prepare_cached("SELECT seq FROM recall_traces WHERE at >= ?1 ORDER BY seq LIMIT 1")?
        .query_row([now.saturating_sub(keep.age_millis)], |row| row.get(0))
        .optional()?;
    let by_age = kept_from.unwrap_or(newest).saturating_sub(1);
    let oldest: Option<i64> = conn
        .prepare_cached("SELECT min(seq) FROM recall_traces")?
        .query_row([], |row| row.get(0))?;
    let last = by_count
        .max(by_age)
        .min(oldest.unwrap_or(newest).saturating_add(CLEARED_AT_ONCE - 1))
        .min(newest.saturating_sub(1));
    // The items go with their trace.
    conn.prepare_cached("DELETE FROM recall_traces WHERE seq <= ?1")?
        .execute([last])?;
    Ok(())
}

fn insert_miss(
    conn: &Connection,
    new: &NewTrace,
    project: Option<i64>,
    keep: TraceKeep,
) -> Result<(), Fault> {
    let seq = conn
        .prepare_cached("INSERT INTO recall_misses (at, project, query) VALUES (?1, ?2, ?3)")?
        .insert(params![new.at.0, project, new.query.as_str()])?;
    let oldest = new.at.0.saturating_sub(keep.age_millis);
    conn.prepare_cached(
        "DELETE FROM recall_misses WHERE seq <= ?1
            OR seq IN (SELECT seq FROM recall_misses WHERE at < ?2 ORDER BY seq LIMIT ?3)",
    )?
    .execute(params![
        seq.saturating_sub(signed(keep.count)),
        oldest,
        CLEARED_AT_ONCE
    ])?;
    Ok(())
}
