//! Reading an existing `keelson.db`: its projects, notebooks and memories, as candidates for an import (REC-12).
//!
//! The file is somebody else's and believed in nothing. It is copied with its log into a private folder and read there,
//! so that nothing is ever written or made beside it. Only ordinary tables are read, with limits on every text.

mod rows;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use taffrail_domain::{Artifact, MemoryType, Millis, Provenance, SourceRef};
use thiserror::Error;

use crate::backup::Staging;
use crate::{StoreError, files};

/// The largest database that is read; a hundred thousand memories are about 140 MB there.
pub const KEELSON_LIMIT_BYTES: u64 = 4 << 30;
/// The most rows of one table that are read.
const MOST_ROWS: u64 = 1_000_000;
/// The schemas whose tables are known: the whole baseline is number 12.
const OLDEST: i64 = 12;
/// The newest one that was looked at; newer ones are read as long as they have the same columns.
const NEWEST: i64 = 13;

/// Why such a database was not read.
#[derive(Debug, Error)]
pub enum KeelsonError {
    /// It is not there, or cannot be read or copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is no such database, or not one that can be understood.
    #[error("`{path}` cannot be read as a database of keelson: {why}")]
    Unfit {
        /// Which.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// It was written by a release whose tables are others.
    #[error(
        "`{path}` has schema {found}; {OLDEST} or newer is understood: open it once with keelson 0.93 or newer"
    )]
    TooOld {
        /// Which.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// It is larger than what is read.
    #[error("`{path}` has {found} bytes, more than the {limit} that are read")]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The limit.
        limit: u64,
    },
}

/// Everything that an import can use.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Keelson {
    /// Its schema version.
    pub schema: i64,
    /// Whether that version is newer than any that was looked at: what it added is not read.
    pub is_newer: bool,
    /// Projects, by name.
    pub projects: Vec<KeelsonProject>,
    /// Notebooks that are not empty.
    pub notebooks: Vec<KeelsonNotebook>,
    /// Memories, oldest first.
    pub memories: Vec<KeelsonMemory>,
    /// Rows that make no sense, with why; at most 100 are named.
    pub skipped: Vec<KeelsonSkipped>,
    /// How many rows were skipped in all.
    pub skipped_count: u64,
}

/// A project there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeelsonProject {
    /// Its id there.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where it lay.
    pub root: PathBuf,
    /// When it was made; none where the time makes no sense.
    pub created_at: Option<Millis>,
}

/// A notebook there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeelsonNotebook {
    /// The id of its project there.
    pub project: String,
    /// The whole document.
    pub content: String,
    /// When it was changed last.
    pub updated_at: Option<Millis>,
}

/// A memory there. Untrusted text: it goes through the guardrails like any other draft.
#[derive(Debug, Clone, PartialEq)]
pub struct KeelsonMemory {
    /// Its id there.
    pub id: String,
    /// What kind of knowledge.
    pub kind: MemoryType,
    /// One sentence.
    pub summary: String,
    /// The text.
    pub content: String,
    /// How it came to be said, as written there.
    pub provenance: Provenance,
    /// The id of its project there; none for a personal one.
    pub project: Option<String>,
    /// What a person decided there, a word of that program: kept as a note, it decides nothing here.
    pub status: String,
    /// Whether it was in force there, a word of that program.
    pub lifecycle: String,
    /// How sure its writer was, 0 to 1.
    pub confidence: Option<f64>,
    /// What ran: `workflow`, `chat` …
    pub runtime: String,
    /// The task.
    pub task: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// When it was said.
    pub created_at: Millis,
    /// After this it was not recalled.
    pub stale_after: Option<Millis>,
    /// What it pointed at.
    pub source_refs: Vec<SourceRef>,
    /// What it was about.
    pub artifacts: Vec<Artifact>,
}

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeelsonSkipped {
    /// Of which table.
    pub table: &'static str,
    /// Its id, as far as it has one.
    pub id: String,
    /// What is wrong with it.
    pub why: String,
}

/// Reads a database. It is copied into a private folder inside `scratch` first, which goes away again.
///
/// # Errors
/// `Unfit`, `TooOld`, `TooLarge`; `Store` for the file system.
pub fn read_keelson(path: &Path, scratch: &Path) -> Result<Keelson, KeelsonError> {
    let staging = Staging::new(scratch, "keelson")?;
    let copy = staging.path.join("keelson.db");
    copy_whole(path, &copy)?;
    let conn = open_copy(&copy).map_err(|source| unfit(path, &source))?;
    let schema = version(&conn, path)?;
    let mut found = Keelson {
        schema,
        is_newer: schema > NEWEST,
        ..Keelson::default()
    };
    let read = rows::read(&conn, &mut found);
    read.map_err(|source| unfit(path, &source))?;
    Ok(found)
}

fn unfit(path: &Path, source: &rusqlite::Error) -> KeelsonError {
    KeelsonError::Unfit {
        path: path.to_owned(),
        why: source.to_string(),
    }
}

/// Copies the database and its log. The log belongs to what is read: a server may have it open.
fn copy_whole(path: &Path, copy: &Path) -> Result<(), KeelsonError> {
    let missing = || StoreError::io("cannot read", path, io::ErrorKind::NotFound.into());
    let file = files::open_private(path)?.ok_or_else(missing)?;
    copy_file(file, path, copy)?;
    let log = beside(path, "-wal");
    if let Some(file) = files::open_private(&log)? {
        copy_file(file, &log, &beside(copy, "-wal"))?;
    }
    Ok(())
}

fn copy_file(file: File, path: &Path, copy: &Path) -> Result<(), KeelsonError> {
    let mut target = files::create_private_writer(copy)?;
    let mut source = file.take(KEELSON_LIMIT_BYTES + 1);
    let copied =
        io::copy(&mut source, &mut target).and_then(|bytes| target.flush().map(|()| bytes));
    let found = copied.map_err(|source| StoreError::io("cannot copy", path, source))?;
    if found > KEELSON_LIMIT_BYTES {
        return Err(KeelsonError::TooLarge {
            path: path.to_owned(),
            found,
            limit: KEELSON_LIMIT_BYTES,
        });
    }
    Ok(())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The copy, with everything off that a schema of somebody else's could make run.
fn open_copy(copy: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(copy, flags)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

/// The newest step that was applied to it, if its tables are those that we know.
fn version(conn: &Connection, path: &Path) -> Result<i64, KeelsonError> {
    let bad = |why: &str| KeelsonError::Unfit {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    for table in ["schema_version", "keelson_projects", "memories"] {
        if !rows::is_table(conn, table).map_err(|source| unfit(path, &source))? {
            return Err(bad(&format!("it has no table `{table}`")));
        }
    }
    let found: Option<i64> = conn
        .query_row(
            "SELECT max(CAST(version AS INTEGER)) FROM schema_version",
            [],
            |row| row.get(0),
        )
        .map_err(|source| unfit(path, &source))?;
    match found {
        None => Err(bad("its schema has no version")),
        Some(found) if found < OLDEST => Err(KeelsonError::TooOld {
            path: path.to_owned(),
            found,
        }),
        Some(found) => Ok(found),
    }
}
