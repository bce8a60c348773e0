//! Finding the run that a person means.

use rusqlite::{Connection, OptionalExtension};
use taffrail_domain::RunPrefix;

use crate::convert::Fault;
use crate::model::RunRow;
use crate::runs::{OPEN, SELECT, run_row};
use crate::{Store, StoreError};

/// Candidates shown when more than one run fits.
const SHOWN: i64 = 10;

impl Store {
    /// The run with this name, or whose id begins so. `run_…` is always an id; a name means the run that holds it,
    /// else the newest that had it.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_run(&self, name_or_prefix: &str) -> Result<RunRow, StoreError> {
        match name_or_prefix.parse::<RunPrefix>() {
            Ok(prefix) => self.read(|conn| by_prefix(conn, &prefix)),
            Err(_) => self.read(|conn| by_name(conn, name_or_prefix)),
        }
    }
}

fn by_prefix(conn: &Connection, prefix: &RunPrefix) -> Result<RunRow, Fault> {
    let asked = prefix.as_str();
    // The alphabet of ids has no character with a meaning in GLOB.
    let sql = format!("{SELECT} WHERE s.short GLOB ?1 || '*' ORDER BY s.seq LIMIT ?2");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map((asked, SHOWN), run_row)?;
    let mut rows: Vec<RunRow> = rows.collect::<rusqlite::Result<_>>()?;
    if rows.len() > 1 {
        return Err(StoreError::Ambiguous {
            asked: asked.to_owned(),
            candidates: rows.iter().map(|row| row.id.short()).collect(),
        }
        .into());
    }
    rows.pop().ok_or_else(|| no_run(asked))
}

fn by_name(conn: &Connection, name: &str) -> Result<RunRow, Fault> {
    let sql = format!("{SELECT} WHERE s.name = ?1 ORDER BY {OPEN} DESC, s.seq DESC LIMIT 1");
    conn.prepare_cached(&sql)?
        .query_row([name], run_row)
        .optional()?
        .ok_or_else(|| no_run(name))
}

fn no_run(asked: &str) -> Fault {
    StoreError::NotFound {
        what: "run",
        asked: asked.to_owned(),
    }
    .into()
}
