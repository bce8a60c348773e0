//! Whether a database that came from elsewhere is one of ours: its tables are those of its schema and nothing besides,
//! its pages hold together, its keys point somewhere, and its journal's chain is whole.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;

use super::{ArchiveError, chain};
use crate::connection::open_reader;
use crate::{StoreError, migrate};

/// What a database says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DatabaseFacts {
    pub(crate) schema: i64,
    pub(crate) journal_entries: u64,
}

/// Checks a database that nobody writes. `named` is what an error speaks of: the archive that it came from.
pub(crate) fn check_database(path: &Path, named: &Path) -> Result<DatabaseFacts, ArchiveError> {
    let conn = open_reader(path)?;
    let bad = |why: String| ArchiveError::invalid(named, why);
    let broken = |source: rusqlite::Error| match StoreError::sql(path, source) {
        StoreError::Damaged { what, .. } => bad(format!("its database is damaged: {what}")),
        other => other.into(),
    };
    migrate::check(&conn, migrate::ALL).map_err(|fault| match migrate::refuse(fault, named) {
        StoreError::Damaged { what, .. } => bad(format!("its database is damaged: {what}")),
        other => other.into(),
    })?;
    let schema = migrate::version(&conn).map_err(broken)?;
    if schema_of(&conn).map_err(broken)? != expected(schema).map_err(broken)? {
        return Err(bad(format!("its tables are not those of schema {schema}")));
    }
    if let Some(what) = migrate::quick_check(&conn)
        .map_err(broken)?
        .into_iter()
        .next()
    {
        return Err(bad(format!("its database is damaged: {what}")));
    }
    let dangling: i64 = conn
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .map_err(broken)?;
    if dangling > 0 {
        return Err(bad(format!(
            "{dangling} row(s) of its database point at nothing"
        )));
    }
    let journal_entries = if schema < JOURNAL_SINCE {
        0
    } else {
        chain::verify(&conn).map_err(broken)?.map_err(bad)?
    };
    Ok(DatabaseFacts {
        schema,
        journal_entries,
    })
}

/// The first schema that has a journal.
const JOURNAL_SINCE: i64 = 2;

/// Everything that the schema holds: tables, indexes, triggers, views.
type Objects = BTreeSet<(String, String, Option<String>)>;

/// What the schema holds that its version does not have, and what it lacks: `trigger x`, `no trigger y`.
pub(crate) fn differences(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let (found, wanted) = (schema_of(conn)?, expected(migrate::version(conn)?)?);
    let foreign = found.difference(&wanted);
    let missing = wanted.difference(&found);
    let foreign = foreign.map(|(kind, name, _)| format!("{kind} {name}"));
    let missing = missing.map(|(kind, name, _)| format!("no {kind} {name}"));
    Ok(foreign.chain(missing).collect())
}

fn schema_of(conn: &Connection) -> rusqlite::Result<Objects> {
    let mut statement = conn.prepare(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// The same of a database that was made by the first `schema` steps alone.
fn expected(schema: i64) -> rusqlite::Result<Objects> {
    let conn = Connection::open_in_memory()?;
    let steps = usize::try_from(schema).unwrap_or_default();
    for step in migrate::ALL.iter().take(steps) {
        conn.execute_batch(step.sql)?;
    }
    schema_of(&conn)
}
