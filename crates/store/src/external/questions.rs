//! Reading questions: what waits, what a run asked, what somebody typed the beginning of.

use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_domain::{Millis, QuestionId, RunId, id_prefix};

use super::EXTERNAL_PAGE;
use super::judged::{QuestionAnswer, QuestionRow};
use crate::convert::{Fault, millis, owner, parsed, parsed_or_none, session};
use crate::{Store, StoreError};

/// Everything of a question. Its session is there as long as it is.
const SELECT: &str = "
    SELECT q.*, s.id AS run_id, s.name AS run_name FROM questions q JOIN sessions s ON s.seq = q.session";

/// What waits, in the words of the partial index: SQLite takes it for no other.
const WAITING: &str = "q.state IN ('open', 'answered')";

/// Candidates shown when more than one question fits.
const SHOWN: i64 = 10;

impl Store {
    /// Questions that wait for a person, oldest first; at most [`EXTERNAL_PAGE`]. One past its time is not among them, whatever
    /// its row says; whether its asker lives is for the caller to find out.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn open_questions(&self) -> Result<Vec<QuestionRow>, StoreError> {
        let now = self.now();
        self.read(|conn| {
            let sql = format!(
                "{SELECT} WHERE {WAITING} AND q.state = 'open'
                   AND (q.expires_at IS NULL OR q.expires_at > ?1) ORDER BY q.seq LIMIT ?2"
            );
            all(conn, &sql, params![now, EXTERNAL_PAGE])
        })
    }

    /// Questions that are open, or answered and not used: a sweep withdraws those whose asker is gone.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn unused_questions(&self) -> Result<Vec<QuestionRow>, StoreError> {
        self.read(|conn| {
            let sql = format!("{SELECT} WHERE {WAITING} ORDER BY q.seq");
            all(conn, &sql, params![])
        })
    }

    /// Questions of a run whose order is greater than `after`, in order; at most `limit` and [`EXTERNAL_PAGE`].
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn questions(
        &self,
        run: &RunId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<QuestionRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let sql =
                format!("{SELECT} WHERE q.session = ?1 AND q.seq > ?2 ORDER BY q.seq LIMIT ?3");
            all(conn, &sql, params![seq, after, limit.min(EXTERNAL_PAGE)])
        })
    }

    /// One question.
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn question(&self, id: &QuestionId) -> Result<QuestionRow, StoreError> {
        self.read(|conn| by_id(conn, id)?.ok_or_else(|| missing_question(id)))
    }

    /// The question whose id begins so, in whatever state.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_question(&self, prefix: &str) -> Result<QuestionRow, StoreError> {
        let not_found = || StoreError::NotFound {
            what: "question",
            asked: prefix.to_owned(),
        };
        let fit = id_prefix(QuestionId::PREFIX, prefix).map_err(|_| not_found())?;
        let mut found = self.read(|conn| {
            // The alphabet of ids has no character with a meaning in GLOB.
            let sql = format!("{SELECT} WHERE q.short GLOB ?1 || '*' ORDER BY q.seq LIMIT ?2");
            all(conn, &sql, params![fit, SHOWN])
        })?;
        if found.len() > 1 {
            return Err(StoreError::Ambiguous {
                asked: prefix.to_owned(),
                candidates: found.iter().map(|row| row.id.short()).collect(),
            });
        }
        found.pop().ok_or_else(not_found)
    }
}

pub(super) fn by_id(conn: &Connection, id: &QuestionId) -> Result<Option<QuestionRow>, Fault> {
    let sql = format!("{SELECT} WHERE q.id = ?1");
    Ok(conn
        .prepare_cached(&sql)?
        .query_row([id.bytes()], row)
        .optional()?)
}

pub(super) fn missing_question(id: &QuestionId) -> Fault {
    let (what, asked) = ("question", id.short());
    StoreError::NotFound { what, asked }.into()
}

fn all(
    conn: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<QuestionRow>, Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(values, row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<QuestionRow> {
    Ok(QuestionRow {
        seq: row.get("seq")?,
        id: row.get("id").map(QuestionId::from_bytes)?,
        run: row.get("run_id").map(RunId::from_bytes)?,
        run_name: row.get("run_name")?,
        fingerprint: row.get("fingerprint")?,
        risk: parsed(row, "risk")?,
        destructive: row.get("destructive")?,
        may_grant: row.get("may_grant")?,
        shown: row.get("shown")?,
        details: row.get("details")?,
        state: parsed(row, "state")?,
        asked_at: millis(row, "asked_at")?,
        expires_at: time(row, "expires_at")?,
        answer: answer(row)?,
        closed_at: time(row, "closed_at")?,
        owner: owner(row)?,
    })
}

fn answer(row: &Row<'_>) -> rusqlite::Result<Option<QuestionAnswer>> {
    let Some(reply) = parsed_or_none(row, "reply")? else {
        return Ok(None);
    };
    Ok(Some(QuestionAnswer {
        reply,
        reason: row.get("reply_reason")?,
        surface: parsed(row, "surface")?,
        at: millis(row, "answered_at")?,
    }))
}

fn time(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Millis>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Millis))
}
