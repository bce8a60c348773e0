//! A look at the store without touching it, for `doctor` (STO-10): never migrates, never writes.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::backup::differences;
use crate::convert::Fault;
use crate::home::check_private;
use crate::model::Leftover;
use crate::{Home, StoreError, connection, ledger, migrate};

/// A database that is only looked at.
pub struct Peek {
    conn: Connection,
    path: PathBuf,
    /// Whether the file was taken as unchanging when it was opened.
    unchanging: bool,
}

/// How the schema of a database stands to this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaState {
    /// Its version; 0 for an empty file.
    pub found: i64,
    /// The newest version that this program knows.
    pub known: i64,
    /// Why it cannot be used: newer, other steps, not ours; none when it can.
    pub problem: Option<String>,
}

/// How much is on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Runs.
    pub runs: u64,
    /// Runs that are being prepared or running, as far as the record says.
    pub live: u64,
    /// Changes that wait for a person.
    pub pending: u64,
    /// Decisions whose result is not on record.
    pub open_decisions: u64,
    /// Events.
    pub events: u64,
    /// Agreements that hold.
    pub pins: u64,
    /// Workspaces that take proposals.
    pub workspaces: u64,
    /// Proposals with a memory that nobody has decided on.
    pub proposals: u64,
    /// Slates without a workspace whose seeds nobody has decided on.
    pub unbound: u64,
    /// Questions of agents that nobody has answered, as far as the record says.
    pub questions: u64,
}

impl Peek {
    /// Looks at the home's database; none when there is none.
    ///
    /// A log beside it belongs to a process that has it open, or to one that was killed, and is then read along;
    /// otherwise the file is taken as unchanging, so that SQLite makes nothing beside it.
    ///
    /// # Errors
    /// `Home` when the file is unsafe; `Damaged`, `Busy`, `Io`.
    pub fn open(home: &Home) -> Result<Option<Self>, StoreError> {
        let path = home.db();
        if !check_private(&path, false)? {
            return Ok(None);
        }
        let unchanging = !has_log(&path);
        let conn = open(&path, unchanging).map_err(|source| StoreError::sql(&path, source))?;
        Ok(Some(Self {
            conn,
            path,
            unchanging,
        }))
    }

    /// The version of SQLite itself.
    pub fn sqlite_version(&self) -> &'static str {
        rusqlite::version()
    }

    /// The schema's version and whether it can be used.
    ///
    /// # Errors
    /// `Damaged`, `Busy`.
    pub fn schema(&self) -> Result<SchemaState, StoreError> {
        let found = migrate::version(&self.conn).map_err(|source| self.sql(source))?;
        let checked = migrate::check(&self.conn, migrate::ALL);
        let problem = match checked.map_err(|fault| migrate::refuse(fault, &self.path)) {
            Ok(()) => None,
            Err(busy @ StoreError::Busy { .. }) => return Err(busy),
            Err(other) => Some(other.to_string()),
        };
        Ok(SchemaState {
            found,
            known: migrate::newest(migrate::ALL),
            problem,
        })
    }

    /// What somebody put into the schema or took out of it: a trigger, a view, a table; empty when it is as it was made.
    ///
    /// # Errors
    /// `Damaged`, `Busy`.
    pub fn foreign_schema(&self) -> Result<Vec<String>, StoreError> {
        differences(&self.conn).map_err(|source| self.sql(source))
    }

    /// What SQLite's quick check finds, at most twenty lines; empty when all is well.
    ///
    /// # Errors
    /// `Damaged` when it cannot even run; `Busy`.
    pub fn quick_check(&self) -> Result<Vec<String>, StoreError> {
        let found = migrate::quick_check(&self.conn);
        let sound = found.as_ref().is_ok_and(Vec::is_empty);
        if sound || !self.unchanging || !has_log(&self.path) {
            return found.map_err(|source| self.sql(source));
        }
        // A process began to write while we read: what looked damaged was only changing.
        open(&self.path, false)
            .and_then(|conn| migrate::quick_check(&conn))
            .map_err(|source| self.sql(source))
    }

    /// The value of a setting; none where it was never set, or the database is older than settings.
    ///
    /// # Errors
    /// `Damaged`, `Busy`.
    pub fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        let has_table =
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'settings'";
        let failed = |source| StoreError::sql(&self.path, source);
        let tables: i64 = self
            .conn
            .query_row(has_table, [], |row| row.get(0))
            .map_err(failed)?;
        if tables == 0 {
            return Ok(None);
        }
        let value = "SELECT value FROM settings WHERE name = ?1";
        self.conn
            .query_row(value, [name], |row| row.get(0))
            .optional()
            .map_err(failed)
    }

    /// How much is on record; only for a schema without a problem and of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn counts(&self) -> Result<Counts, StoreError> {
        let of = |sql: &str| -> Result<u64, StoreError> {
            let number: i64 = self
                .conn
                .query_row(sql, [], |row| row.get(0))
                .map_err(|source| self.sql(source))?;
            Ok(number.unsigned_abs())
        };
        Ok(Counts {
            runs: of("SELECT count(*) FROM sessions")?,
            live: of("SELECT count(*) FROM sessions WHERE status IN ('preparing', 'running')")?,
            pending: of("SELECT count(*) FROM changes WHERE state = 'pending'")?,
            open_decisions: of("SELECT count(*) FROM decisions WHERE state = 'intent'")?,
            events: of("SELECT count(*) FROM events")?,
            pins: of("SELECT count(*) FROM trust_pins WHERE revoked_at IS NULL")?,
            workspaces: of("SELECT count(*) FROM workspaces WHERE status = 'active'")?,
            proposals: of(
                "SELECT count(DISTINCT c.proposal) FROM proposal_candidates c JOIN memories m ON m.seq = c.memory
                 WHERE m.status = 'pending'",
            )?,
            unbound: of("SELECT count(*) FROM unbound_candidates WHERE state = 'waiting'")?,
            questions: of("SELECT count(*) FROM questions WHERE state = 'open'")?,
        })
    }

    /// Every checkout that is not removed; only for a schema of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, StoreError> {
        let read = || -> Result<Vec<Leftover>, Fault> {
            let mut statement = self.conn.prepare(ledger::LEFT)?;
            let rows = statement.query_map([], ledger::leftover)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        read().map_err(|fault| fault.at(&self.path))
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn sql(&self, source: rusqlite::Error) -> StoreError {
        StoreError::sql(&self.path, source)
    }
}

/// Whether there is something beside the file that has to be read along.
fn has_log(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
        || fs::metadata(beside(path, "-journal")).is_ok()
}

fn open(path: &Path, unchanging: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = if unchanging {
        let uri = format!("file:{}?immutable=1", escaped(path));
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(path, flags)
    }?;
    connection::set_up(&conn)?;
    Ok(conn)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The path as a URI takes it: every byte but letters, digits and a few more as `%hh`.
fn escaped(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str()
        .as_bytes()
        .iter()
        .map(|byte| match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                char::from(*byte).to_string()
            }
            other => format!("%{other:02x}"),
        })
        .collect()
}
