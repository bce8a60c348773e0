//! Bringing a home back from an archive: everything is unpacked and checked beside the home first; only then is what is
//! there moved away, and the new put in place, the database last (STO-09).

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use taffrail_domain::Millis;

use crate::backup::{CONFIG, DATABASE, SEAL_KEY, Staging, stamp, unpack_and_check};
use crate::connection::open_writer;
use crate::slate_files::ALL as SLATES;
use crate::{ArchiveError, Home, Manifest, StoreError, files};

/// What a restore moves away and puts in place, in this order; the database is last, so that a home with a database is
/// whole.
const PARTS: [&str; 5] = ["sessions", "blobs", SLATES, CONFIG, DATABASE];
/// What SQLite keeps beside a database; moved with it.
const BESIDE: [&str; 3] = ["taffrail.db-wal", "taffrail.db-shm", "taffrail.db-journal"];
/// A wrapped key is some hundred bytes.
const KEY_LIMIT: u64 = 64 << 10;

/// What a restore is to do.
#[derive(Debug, Clone, Copy)]
pub struct RestorePlan<'a> {
    /// The archive.
    pub archive: &'a Path,
    /// Move what the home holds to `backups/` first; without it a home that holds something is refused.
    pub replace: bool,
    /// The time, for names.
    pub now: Millis,
}

/// A home that was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// What the archive held.
    pub manifest: Manifest,
    /// Where what was there lies now.
    pub moved_to: Option<PathBuf>,
    /// The seal key as it was wrapped, where the archive had it. It is not kept in the home.
    pub wrapped_seal_key: Option<Vec<u8>>,
}

/// Restores a home. The caller has made sure that no run is live in it.
///
/// # Errors
/// `NotEmpty`, `InUse`; `Invalid`, `NoRoom` for the archive. The home is then as it was.
pub fn restore(home: &Home, plan: &RestorePlan<'_>) -> Result<Restored, ArchiveError> {
    let holds = holds_something(home)?;
    if holds && !plan.replace {
        return Err(ArchiveError::NotEmpty {
            path: home.root().to_owned(),
        });
    }
    let staging = Staging::new(nearest(home.root()), "restore")?;
    let manifest = unpack_and_check(plan.archive, &staging.path)?;
    let wrapped_seal_key = files::read_bounded(&staging.path.join(SEAL_KEY), KEY_LIMIT)?;
    let lock = lock(home)?;
    home.create()?;
    let moved_to = holds.then(|| free_name(home, plan.now));
    exchange(home, &staging.path, moved_to.as_deref())?;
    drop(lock);
    home.create()?;
    Ok(Restored {
        manifest,
        moved_to,
        wrapped_seal_key,
    })
}

/// Whether there is anything in a home that a restore would put away.
fn holds_something(home: &Home) -> Result<bool, ArchiveError> {
    home.check()?;
    let filled = |path: PathBuf| fs::read_dir(path).is_ok_and(|mut found| found.next().is_some());
    let there = |path: PathBuf| path.symlink_metadata().is_ok();
    Ok(there(home.db())
        || there(home.config())
        || filled(home.sessions())
        || filled(home.checkouts())
        || filled(home.external_slates())
        || filled(home.root().join("blobs")))
}

/// The home, or the next folder above it that is there: on the same file system as the home will be.
fn nearest(root: &Path) -> &Path {
    root.ancestors().find(|path| path.is_dir()).unwrap_or(root)
}

/// The present database for us alone, its log folded in; none where there is none, or none that opens.
fn lock(home: &Home) -> Result<Option<Connection>, ArchiveError> {
    let path = home.db();
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    match alone(&path) {
        Ok(conn) => Ok(Some(conn)),
        Err(StoreError::Busy { .. }) => Err(ArchiveError::InUse { path }),
        // A database that does not open is a reason to restore, and nobody can use it.
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// Only a connection that is alone can leave the write-ahead log.
pub(crate) fn alone(path: &Path) -> Result<Connection, StoreError> {
    let sql = |source| StoreError::sql(path, source);
    let conn = open_writer(path)?;
    let mode: String = conn
        .pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))
        .map_err(sql)?;
    if mode != "delete" {
        return Err(StoreError::Busy {
            path: path.to_owned(),
            waited_ms: 0,
        });
    }
    conn.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        .map_err(sql)?;
    Ok(conn)
}

/// Where what was there goes: a name that nothing has, for two restores in one second.
fn free_name(home: &Home, now: Millis) -> PathBuf {
    let name = format!("before-restore-{}", stamp(now));
    let names = std::iter::once(name.clone()).chain((1..).map(|number| format!("{name}-{number}")));
    let mut paths = names.map(|name| home.backups().join(name));
    let free = paths.find(|path| path.symlink_metadata().is_err());
    free.unwrap_or_else(|| home.backups().join(name))
}

/// Gives the database a second name, so that the home is never without one: the new one takes its place at a stroke.
fn keep_beside(from: &Path, to: &Path) -> Result<(), ArchiveError> {
    // A file system without hard links: a copy, of a database that is locked for us alone.
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(|_| ()))
        .map_err(|source| StoreError::io("cannot keep", from, source).into())
}

/// Moves the old away and the new in, the database last and at a stroke; after a failure everything that was moved is moved
/// back.
fn exchange(home: &Home, staged: &Path, away: Option<&Path>) -> Result<(), ArchiveError> {
    let mut moves = Vec::new();
    if let Some(away) = away {
        files::make_private_dir(away)?;
        if home.db().symlink_metadata().is_ok() {
            keep_beside(&home.db(), &away.join(DATABASE))?;
        }
        let names = PARTS.iter().rev().filter(|name| **name != DATABASE);
        let names = names.chain(&BESIDE);
        moves.extend(names.map(|name| (home.root().join(name), away.join(name))));
    } else {
        // An empty folder of the home gives way to the archive's.
        for name in PARTS {
            drop(fs::remove_dir(home.root().join(name)));
        }
    }
    moves.extend(PARTS.map(|name| (staged.join(name), home.root().join(name))));
    let mut done: Vec<(PathBuf, PathBuf)> = Vec::new();
    for (from, to) in moves {
        if from.symlink_metadata().is_err() {
            continue;
        }
        match files::put_in_place(&from, &to) {
            Ok(()) => done.push((from, to)),
            Err(error) => {
                for (from, to) in done.into_iter().rev() {
                    drop(fs::rename(to, from));
                }
                return Err(error.into());
            }
        }
    }
    Ok(())
}
