//! Schema versions: forward only, one transaction each, a copy of the database before (STO-04).

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use taffrail_domain::Millis;

use crate::backup::copy_database;
use crate::connection::open_reader;
use crate::convert::Fault;
use crate::{Home, StoreError, random};

/// `TAFR`: marks the file as ours for `file` and for us.
const APPLICATION_ID: i64 = 0x5441_4652;

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// The file's name without its number.
    pub(crate) name: &'static str,
    /// Its text; never changed once it is released.
    pub(crate) sql: &'static str,
}

/// Every step; its number is its place, from 1.
pub(crate) const ALL: &[Migration] = &[
    Migration {
        name: "runs",
        sql: include_str!("../migrations/0001_runs.sql"),
    },
    Migration {
        name: "memory",
        sql: include_str!("../migrations/0002_memory.sql"),
    },
    Migration {
        name: "recall",
        sql: include_str!("../migrations/0003_recall.sql"),
    },
    Migration {
        name: "traces",
        sql: include_str!("../migrations/0004_traces.sql"),
    },
    Migration {
        name: "slates",
        sql: include_str!("../migrations/0005_slates.sql"),
    },
    Migration {
        name: "external",
        sql: include_str!("../migrations/0006_external.sql"),
    },
];

impl Migration {
    fn checksum(&self) -> [u8; 32] {
        Sha256::digest(self.sql.as_bytes()).into()
    }
}

/// The newest version that these steps reach.
pub(crate) fn newest(migrations: &[Migration]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// The schema version of an open database.
pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the schema up to date, or says why not.
pub(crate) fn bring_up(
    conn: &mut Connection,
    home: &Home,
    migrations: &[Migration],
    now: Millis,
) -> Result<(), StoreError> {
    let path = home.db();
    let sql = |source| StoreError::sql(&path, source);
    let found = checked(conn, migrations).map_err(|fault| refuse(fault, &path))?;
    if found == newest(migrations) {
        return Ok(());
    }
    if found > 0 {
        back_up(home, found, now)?;
    }
    conn.pragma_update(None, "synchronous", "FULL")
        .map_err(sql)?;
    // A table that others point at can only be made anew while nobody watches them (and a transaction cannot look away):
    // what points where is compared inside of each transaction instead.
    conn.pragma_update(None, "foreign_keys", false)
        .map_err(sql)?;
    let mut steps = (1..).zip(migrations).filter(|(number, _)| *number > found);
    let applied = steps.try_for_each(|(number, migration)| apply(conn, number, migration, now));
    conn.pragma_update(None, "foreign_keys", true)
        .map_err(sql)?;
    applied.map_err(|fault| refuse(fault, &path))
}

/// The version of a schema that is checked. All of it is read in one transaction: between two reads another process may have
/// made the first table, and the database would look like a stranger's.
fn checked(conn: &Connection, migrations: &[Migration]) -> Result<i64, Fault> {
    let transaction = conn.unchecked_transaction()?;
    check(&transaction, migrations)?;
    let found = version(&transaction)?;
    transaction.commit()?;
    Ok(found)
}

/// Whether the schema is one of ours, not newer, and made of the steps that we know.
pub(crate) fn check(conn: &Connection, migrations: &[Migration]) -> Result<(), Fault> {
    let found = version(conn)?;
    let known = newest(migrations);
    if !is_ours(conn, found)? {
        return Err(damaged("it is not a database of taffrail"));
    }
    if found > known {
        let path = Path::new("").to_owned();
        return Err(StoreError::Newer { path, found, known }.into());
    }
    for (number, migration) in (1..=found).zip(migrations) {
        let checksum: [u8; 32] = conn.query_row(
            "SELECT checksum FROM schema_migrations WHERE version = ?1",
            [number],
            |row| row.get(0),
        )?;
        if checksum != migration.checksum() {
            let what = format!("its schema {number} was made by other steps than this program's");
            return Err(damaged(what));
        }
    }
    Ok(())
}

/// Puts the path to errors that were made without it.
pub(crate) fn refuse(fault: Fault, path: &Path) -> StoreError {
    let path_of = path.to_owned();
    match fault.at(path) {
        StoreError::Newer { found, known, .. } => StoreError::Newer {
            path: path_of,
            found,
            known,
        },
        StoreError::Damaged { what, .. } => StoreError::Damaged {
            path: path_of,
            what,
        },
        other => other,
    }
}

fn damaged(what: impl Into<String>) -> Fault {
    let (path, what) = (Path::new("").to_owned(), what.into());
    StoreError::Damaged { path, what }.into()
}

fn is_ours(conn: &Connection, version: i64) -> rusqlite::Result<bool> {
    let id: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(id == APPLICATION_ID || (id == 0 && version == 0 && tables == 0))
}

fn apply(
    conn: &mut Connection,
    number: i64,
    migration: &Migration,
    now: Millis,
) -> Result<(), Fault> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while we waited for the lock.
    if version(&transaction)? >= number {
        return Ok(());
    }
    let before = dangling(&transaction)?;
    transaction.execute_batch(migration.sql)?;
    if dangling(&transaction)? != before {
        let what = format!("its rows would not hold together after schema {number}");
        return Err(damaged(what));
    }
    record(&transaction, number, migration, now)?;
    transaction.commit()?;
    Ok(())
}

/// Tables with rows that point at nothing, and how many.
pub(crate) fn dangling(conn: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = conn.prepare(
        "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY \"table\" ORDER BY \"table\"",
    )?;
    let rows = statement.query_map([], |row| {
        let rows: i64 = row.get(1)?;
        Ok((row.get(0)?, rows.unsigned_abs()))
    })?;
    rows.collect()
}

fn record(
    transaction: &Transaction<'_>,
    number: i64,
    migration: &Migration,
    now: Millis,
) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO schema_migrations (version, name, checksum, program, applied_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            number,
            migration.name,
            migration.checksum(),
            env!("CARGO_PKG_VERSION"),
            now.0
        ],
    )?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", number)
}

/// Copies the database as it is and checks the copy.
fn back_up(home: &Home, found: i64, now: Millis) -> Result<(), StoreError> {
    let mark = random::bytes()
        .map_err(|source| StoreError::io("cannot name a copy in", &home.backups(), source))?;
    let mark = u32::from_le_bytes(mark);
    let name = format!("schema-{found}-{}-{mark:08x}.db", now.0);
    let path = home.backups().join(name);
    let sql = |source| StoreError::sql(&path, source);
    copy_database(&home.db(), &path)?;
    let problems = quick_check(&open_reader(&path)?).map_err(sql)?;
    match problems.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(StoreError::Damaged { path, what }),
    }
}

/// What SQLite's quick check finds; empty when all is well.
pub(crate) fn quick_check(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("PRAGMA quick_check(20)")?;
    let found = statement.query_map([], |row| row.get(0))?;
    let found: Vec<String> = found.collect::<rusqlite::Result<_>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}
