//! The open store: one writer thread, and connections that read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction};
use taffrail_domain::Clock;

use crate::connection::{self, BUSY_LIMIT, retry};
use crate::convert::Fault;
use crate::external::Watched;
use crate::home::check_private;
use crate::migrate::{self, Migration};
use crate::writer::{Durability, Writer};
use crate::{Home, StoreError, files};

/// Reading connections kept open for the next reader.
const KEPT_READERS: usize = 2;

/// The database of one home, open for reading and writing. Shared between threads by reference.
pub struct Store {
    path: PathBuf,
    /// Which file that was when it was opened.
    file: Option<(u64, u64)>,
    clock: Arc<dyn Clock>,
    writer: Writer,
    readers: Mutex<Vec<Connection>>,
    watched: Mutex<Watched>,
    busy_limit: Duration,
}

impl Store {
    /// Makes the home where it is missing, opens the database, and brings its schema up to date; a database that
    /// is there is copied to `backups/` before that.
    ///
    /// # Errors
    /// `Home` for an unsafe home; `Newer`, `Damaged`, `Busy`, `DiskFull`, `Io`.
    pub fn open(home: &Home, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_with(home, clock, migrate::ALL, BUSY_LIMIT)
    }

    pub(crate) fn open_with(
        home: &Home,
        clock: Arc<dyn Clock>,
        migrations: &[Migration],
        busy_limit: Duration,
    ) -> Result<Self, StoreError> {
        connection::require_version()?;
        home.create()?;
        let path = home.db();
        make_file(&path)?;
        let (conn, file) = retry(busy_limit, || {
            let begun = identity(&path);
            let mut conn = connection::open_writer(&path)?;
            migrate::bring_up(&mut conn, home, migrations, clock.now())?;
            connection::set_journal(&conn, &path)
                .map_err(|source| StoreError::sql(&path, source))?;
            // A restore may have put another file in its place while this one waited for its lock; from here on it can not.
            if identity(&path) != begun {
                let (path, waited_ms) = (path.clone(), 0);
                return Err(StoreError::Busy { path, waited_ms });
            }
            Ok((conn, begun))
        })?;
        Ok(Self {
            writer: Writer::start(conn, &path, busy_limit)?,
            file,
            path,
            clock,
            readers: Mutex::default(),
            watched: Mutex::default(),
            busy_limit,
        })
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still names the file that was opened. Somebody may have taken a home away, or put another one in its
    /// place: what is written here would then be read by nobody.
    pub fn is_in_place(&self) -> bool {
        self.file.is_some() && identity(&self.path) == self.file
    }

    /// The time for a new row.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now().0
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnMut(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(durability, work)
    }

    /// Reads in one transaction, so that several queries see one state.
    pub(crate) fn read<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let conn = match self.lock_readers().pop() {
            Some(conn) => conn,
            None => connection::open_reader(&self.path)?,
        };
        let result = retry(self.busy_limit, || {
            read_once(&conn, &mut work).map_err(|fault| fault.at(&self.path))
        });
        let mut readers = self.lock_readers();
        if readers.len() < KEPT_READERS {
            readers.push(conn);
        }
        result
    }

    pub(crate) fn lock_watched(&self) -> std::sync::MutexGuard<'_, Watched> {
        // A connection is whole, or it is not there, whatever happened to the thread that held it.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        // A list of connections is whole whatever happened to the thread that held it.
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_once<T>(
    conn: &Connection,
    work: &mut impl FnMut(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let transaction = conn.unchecked_transaction()?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

/// Which file a path names.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// Makes the file with mode 0600 before SQLite would make it by the umask; its log takes over the mode.
fn make_file(path: &Path) -> Result<(), StoreError> {
    if !check_private(path, false)? {
        match files::create_private_writer(path) {
            Ok(_) => {}
            Err(StoreError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
