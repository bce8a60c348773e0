//! Between rows and types: total in one direction, an error that means damage in the other.

use std::ffi::OsStr;
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};
use taffrail_domain::{Millis, RunId};

use crate::{Owner, StoreError};

/// An error inside a transaction, before the database's path is put to it.
#[derive(Debug)]
pub(crate) enum Fault {
    /// From SQLite or from a row that makes no sense.
    Sql(rusqlite::Error),
    /// From our own rules.
    Rule(Box<StoreError>),
}

impl Fault {
    /// The error for the caller.
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(source) => StoreError::sql(path, source),
            Self::Rule(error) => *error,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sql(source)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Rule(Box::new(error))
    }
}

/// The row of a run's session.
pub(crate) fn session(conn: &Connection, run: &RunId) -> Result<i64, Fault> {
    conn.prepare_cached("SELECT seq FROM sessions WHERE id = ?1")?
        .query_row([run.bytes()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| missing("run", run))
}

/// Nothing of that kind is on record for the run.
pub(crate) fn missing(what: &'static str, run: &RunId) -> Fault {
    let asked = run.short();
    StoreError::NotFound { what, asked }.into()
}

/// Text of a closed list or of a checked form.
pub(crate) fn parsed<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<T>
where
    T: FromStr<Err: Display>,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error: T::Err| senseless(&error))
}

/// The same, absent as none.
pub(crate) fn parsed_or_none<T>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Display>,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse().map_err(|error: T::Err| senseless(&error)))
        .transpose()
}

/// A value in a row that this program cannot have written.
pub(crate) fn senseless(what: &impl Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, what.to_string().into())
}

pub(crate) fn run_id(row: &Row<'_>) -> rusqlite::Result<RunId> {
    row.get("id").map(RunId::from_bytes)
}

pub(crate) fn path(row: &Row<'_>, column: &str) -> rusqlite::Result<PathBuf> {
    let bytes: Vec<u8> = row.get(column)?;
    Ok(PathBuf::from(OsStr::from_bytes(&bytes)))
}

pub(crate) fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

pub(crate) fn millis(row: &Row<'_>, column: &str) -> rusqlite::Result<Millis> {
    row.get(column).map(Millis)
}

/// A count that SQLite keeps as a signed number.
pub(crate) fn count(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|error| senseless(&error))
}

/// A count as SQLite keeps it; what does not fit is not a size that exists.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The owner in the columns `pid`, `start_ticks` and `boot_id`.
pub(crate) fn owner(row: &Row<'_>) -> rusqlite::Result<Owner> {
    Ok(Owner {
        pid: row.get("pid")?,
        start_ticks: count(row, "start_ticks")?,
        boot_id: row.get("boot_id")?,
    })
}
