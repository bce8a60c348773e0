//! Opening the database: version, pragmas, journal mode by file system, and waiting for a lock (STO-02, STO-03).

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::{StoreError, random};

/// Oldest SQLite with the repair of the WAL reset race (STO-02): 3.51.3.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Waiting for a lock in one attempt; the jittered attempts together wait [`BUSY_LIMIT`].
const BUSY_SLICE: Duration = Duration::from_millis(250);
/// Waiting for a lock in all (STO-03).
pub(crate) const BUSY_LIMIT: Duration = Duration::from_secs(10);
/// Statements kept prepared per connection; there are about two hundred, and preparing one costs more than running it.
const CACHED_STATEMENTS: usize = 256;
/// Pages kept in memory by a connection, as SQLite counts them: negative KiB, and only what is used is taken. With the
/// usual 2 MiB a batch of 2,000 rows for the recall index writes its pages out several times over; a project of 100,000
/// memories has 60 MiB of index, and reading a page anew costs more than scoring the rows on it.
const CACHE_KIB: i64 = -256 << 10;
/// A write-ahead log that grew larger than this is cut back at the next checkpoint.
const LOG_LIMIT_BYTES: i64 = 16 << 20;

/// Opens the one connection that writes.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Opens a connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn open(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn =
        Connection::open_with_flags(path, flags).map_err(|source| StoreError::sql(path, source))?;
    set_up(&conn).map_err(|source| StoreError::sql(path, source))?;
    Ok(conn)
}

/// The pragmas of every connection.
pub(crate) fn set_up(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_SLICE)?;
    conn.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Else a statement over a table with a partial index is planned anew for every value that is bound to it: half of the
    // time of a search.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "cache_size", CACHE_KIB)?;
    conn.pragma_update(None, "mmap_size", 0)
}

/// Refuses an SQLite that is older than what is asked for.
pub(crate) fn require_version() -> Result<(), StoreError> {
    if rusqlite::version_number() >= OLDEST_SQLITE {
        Ok(())
    } else {
        Err(StoreError::SqliteTooOld {
            found: rusqlite::version(),
        })
    }
}

/// Sets the journal mode and reads it back: a write-ahead log, or a rollback journal where the file system has
/// no shared memory that can be trusted, or refuses.
pub(crate) fn set_journal(conn: &Connection, path: &Path) -> rusqlite::Result<String> {
    let wanted = if on_network(path) { "DELETE" } else { "WAL" };
    let mode = ask_journal(conn, wanted)?;
    if mode != "wal" && mode != "delete" {
        return ask_journal(conn, "DELETE");
    }
    let set = conn.pragma_update_and_check(None, "journal_size_limit", LOG_LIMIT_BYTES, |row| {
        row.get::<_, i64>(0)
    });
    set.map(|_| mode)
}

fn ask_journal(conn: &Connection, mode: &str) -> rusqlite::Result<String> {
    conn.pragma_update_and_check(None, "journal_mode", mode, |row| row.get(0))
}

/// Tries again while the database is locked, with a pause of its own each time so that processes do not beat in step.
pub(crate) fn retry<T>(
    limit: Duration,
    mut attempt: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(StoreError::Busy { path, .. }) if begun.elapsed() >= limit => {
                let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Err(StoreError::Busy { path, waited_ms });
            }
            Err(StoreError::Busy { .. }) => thread::sleep(pause()),
            other => return other,
        }
    }
}

/// Between 1 and 32 milliseconds.
fn pause() -> Duration {
    // Without randomness the pause is only less varied.
    let [byte] = random::bytes().unwrap_or([128]);
    Duration::from_millis(u64::from(byte >> 3) + 1)
}

/// Whether the file lies where other machines may write it, or where shared memory cannot be trusted.
#[cfg(target_os = "linux")]
fn on_network(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    rustix::fs::statfs(folder).is_ok_and(|found| is_network(found.f_type as u32))
}

/// Whether this is the number of such a file system.
#[cfg(target_os = "linux")]
fn is_network(kind: u32) -> bool {
    // f_type as in statfs(2) and linux/magic.h; FUSE stands for sshfs, rclone and the like.
    const NETWORK: [u32; 14] = [
        0x6969,      // nfs
        0x517B,      // smb
        0xFF53_4D42, // cifs
        0xFE53_4D42, // smb2
        0x5346_414F, // afs
        0x7375_7245, // coda
        0x564C,      // ncp
        0x0102_1997, // 9p, also drives of Windows under WSL
        0x6573_5546, // fuse, virtiofs
        0x00C3_6400, // ceph
        0x4750_4653, // gpfs
        0x0BD0_0BD0, // lustre
        0x7461_636F, // ocfs2
        0x0116_1970, // gfs2
    ];
    NETWORK.contains(&kind)
}

/// Other systems: SQLite's own check of the file system has to do.
#[cfg(not(target_os = "linux"))]
fn on_network(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sto_02_the_bundled_sqlite_is_new_enough() {
        require_version().unwrap();
    }

    #[test]
    fn sto_03_a_refused_log_falls_back_and_is_read_back() {
        // A database in memory refuses a write-ahead log, as some file systems do.
        let conn = Connection::open_in_memory().unwrap();
        assert_eq!(ask_journal(&conn, "WAL").unwrap(), "memory");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        let conn = Connection::open(&path).unwrap();
        assert_eq!(set_journal(&conn, &path).unwrap(), "wal");
    }

    #[test]
    fn sto_03_local_temporary_folders_are_not_taken_for_a_network() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!on_network(&dir.path().join("x.db")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn sto_03_file_systems_are_told_apart_by_their_number() {
        for (kind, network) in [
            (0x6969, true),       // nfs
            (0xFF53_4D42, true),  // cifs
            (0x6573_5546, true),  // fuse
            (0xEF53, false),      // ext4
            (0x0102_1994, false), // tmpfs
            (0x9123_683E, false), // btrfs
            (0x5846_5342, false), // xfs
            (0x794C_7630, false), // overlayfs
        ] {
            assert_eq!(is_network(kind), network, "{kind:#x}");
        }
    }
}
