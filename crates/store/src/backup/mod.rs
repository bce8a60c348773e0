//! Backups: one archive with a consistent copy of the database, the configuration, every file that a row of that copy
//! names, and the slates of other programs; checked as a whole before it gets its name (STO-09).

mod archive;
mod chain;
mod check;
mod error;
mod manifest;
mod slates;

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use taffrail_domain::Millis;

pub use error::ArchiveError;
pub use manifest::{FileEntry, Manifest};

pub(crate) use archive::{hex, read};
pub(crate) use chain::verify as verify_chain;
pub(crate) use check::{check_database, differences};
pub(crate) use manifest::{CONFIG, DATABASE, SEAL_KEY, relative};

use crate::connection::{BUSY_LIMIT, open_reader, retry};
use crate::home::check_private;
use crate::{Home, StoreError, files, random};
use archive::{Packed, measure};

/// What a backup is to be.
#[derive(Debug, Clone, Copy)]
pub struct BackupPlan<'a> {
    /// The archive to make, or a folder to make it in under a name by time; none for the home's `backups/`.
    pub target: Option<&'a Path>,
    /// The seal key, wrapped by a passphrase; none to leave it out.
    pub wrapped_seal_key: Option<&'a [u8]>,
    /// The time that the archive says and that names it.
    pub now: Millis,
}

/// A backup that was made and read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupMade {
    /// Where it lies.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// What it holds.
    pub manifest: Manifest,
    /// Diffs that a row names and that are not on disk; as short ids of their sessions.
    pub missing: Vec<String>,
}

/// Makes a backup of a home while others write in it, and reads it back before it gets its name. Mode 0600.
///
/// # Errors
/// `Exists`; `Store` for a missing or damaged database, or no space. What was begun is taken away then.
pub fn back_up(home: &Home, plan: &BackupPlan<'_>) -> Result<BackupMade, ArchiveError> {
    if !check_private(&home.db(), false)? {
        let asked = home.db().display().to_string();
        return Err(StoreError::NotFound {
            what: "database",
            asked,
        }
        .into());
    }
    files::make_private_dir(&home.backups())?;
    let target = target(home, plan)?;
    if target.symlink_metadata().is_ok() {
        return Err(ArchiveError::Exists { path: target });
    }
    let staging = Staging::new(&home.backups(), "backup")?;
    let partial = Partial::new(&target)?;
    let (manifest, packed, missing) = collect(home, plan, &staging.path)?;
    archive::write(&partial.path, &manifest, &packed)?;
    // The copy is checked as a restore would check it.
    let copy = Staging::new(&staging.path, "check")?;
    let read_back = unpack_and_check(&partial.path, &copy.path)?;
    let bytes = partial.path.metadata().map(|found| found.len());
    let bytes = bytes.map_err(|source| StoreError::io("cannot read", &partial.path, source))?;
    partial.take_name(&target)?;
    Ok(BackupMade {
        path: target,
        bytes,
        manifest: read_back,
        missing,
    })
}

/// Checks an archive whole: every file's hash, and the database as SQLite and the journal see it. Unpacks into a private
/// folder inside `scratch` and takes it away again.
///
/// # Errors
/// `Invalid`; `NoRoom`; `Store`.
pub fn verify_backup(path: &Path, scratch: &Path) -> Result<Manifest, ArchiveError> {
    let staging = Staging::new(scratch, "verify")?;
    unpack_and_check(path, &staging.path)
}

/// Unpacks an archive into a private folder and checks what came out.
pub(crate) fn unpack_and_check(path: &Path, folder: &Path) -> Result<Manifest, ArchiveError> {
    let mut asked = false;
    let manifest = read(path, &mut |entry| {
        let relative = relative(&entry.path)
            .ok_or_else(|| ArchiveError::invalid(path, "it names a place outside of a home"))?;
        if !std::mem::replace(&mut asked, true) {
            files::make_private_dir(folder)?;
        }
        refuse_for_room(folder, entry.bytes)?;
        let target = folder.join(relative);
        if let Some(parent) = target.parent() {
            files::make_private_dir(parent)?;
        }
        Ok(Some(target))
    })?;
    let facts = check_database(&folder.join(DATABASE), path)?;
    if (facts.schema, facts.journal_entries) != (manifest.schema, manifest.journal_entries) {
        return Err(ArchiveError::invalid(
            path,
            "its manifest belongs to another database",
        ));
    }
    Ok(manifest)
}

fn refuse_for_room(folder: &Path, needed: u64) -> Result<(), ArchiveError> {
    let free = free_bytes(folder);
    if free.is_some_and(|free| free < needed) {
        return Err(ArchiveError::NoRoom {
            path: folder.to_owned(),
            free: free.unwrap_or_default(),
            needed,
        });
    }
    Ok(())
}

/// Bytes that this user may still write on the file system of a folder; none where nobody knows.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    (found.f_blocks > 0).then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

fn target(home: &Home, plan: &BackupPlan<'_>) -> Result<PathBuf, ArchiveError> {
    let name = format!("taffrail-{}.tar.gz", stamp(plan.now));
    let folder = match plan.target {
        None => home.backups(),
        Some(path) if path.is_dir() => path.to_owned(),
        Some(path) => return Ok(path.to_owned()),
    };
    Ok(folder.join(name))
}

/// The database's copy, and every file that it or the home needs, measured.
fn collect(
    home: &Home,
    plan: &BackupPlan<'_>,
    staging: &Path,
) -> Result<(Manifest, Vec<Packed>, Vec<String>), ArchiveError> {
    let slates = slates::collect(home, staging)?;
    let copy = staging.join(DATABASE);
    copy_database(&home.db(), &copy)?;
    let facts = check_database(&copy, &home.db())?;
    let mut packed: Vec<Packed> = measure(&copy, DATABASE)?.into_iter().collect();
    packed.extend(measure(&home.config(), CONFIG)?);
    if let Some(wrapped) = plan.wrapped_seal_key {
        let path = staging.join(SEAL_KEY);
        files::write_private(&path, wrapped)?;
        packed.extend(measure(&path, SEAL_KEY)?);
    }
    let missing = session_files(home, &copy, &mut packed)?;
    packed.extend(slates);
    let manifest = Manifest {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        schema: facts.schema,
        made_at: plan.now,
        journal_entries: facts.journal_entries,
        files: packed.iter().map(|one| one.entry.clone()).collect(),
    };
    Ok((manifest, packed, missing))
}

/// A copy of one moment, compact, without what deleted rows left behind. It has its name only once it is whole.
pub(crate) fn copy_database(from: &Path, to: &Path) -> Result<(), StoreError> {
    let partial = Partial::new(to)?;
    let file = files::create_private_writer(&partial.path)?;
    let name = partial.path.to_str().ok_or_else(|| {
        let source = io::Error::other("the home's path is not in UTF-8");
        StoreError::io("cannot name the copy", to, source)
    })?;
    retry(BUSY_LIMIT, || {
        let conn = open_reader(from)?;
        let copied = conn.execute("VACUUM INTO ?1", [name]);
        copied.map_err(|source| StoreError::sql(to, source))
    })?;
    files::finish_writer(&file, &partial.path)?;
    files::put_in_place(&partial.path, to)
}

/// The files of sessions whose diff is on record, sorted; and those that are not there.
fn session_files(
    home: &Home,
    copy: &Path,
    packed: &mut Vec<Packed>,
) -> Result<Vec<String>, ArchiveError> {
    /// What a later review, landing or doctor reads of a session.
    const FILES: [&str; 4] = [
        "change.patch",
        "base.listing",
        "first.patch",
        "first.changes",
    ];
    let conn = open_reader(copy)?;
    let mut missing = Vec::new();
    for (session, needs_patch) in sessions(&conn).map_err(|source| StoreError::sql(copy, source))? {
        for name in FILES {
            let path = format!("sessions/{session}/{name}");
            if relative(&path).is_none() {
                return Err(ArchiveError::invalid(copy, "a session has an odd id"));
            }
            match measure(&home.root().join(&path), &path)? {
                Some(file) => packed.push(file),
                None if name == "change.patch" && needs_patch => missing.push(session.clone()),
                None => {}
            }
        }
    }
    Ok(missing)
}

/// Sessions with a diff, and whether its bytes are still needed.
fn sessions(conn: &Connection) -> rusqlite::Result<Vec<(String, bool)>> {
    let mut statement = conn.prepare(
        "SELECT s.short, c.state = 'pending' FROM changes c JOIN sessions s ON s.seq = c.session ORDER BY s.seq",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// A time as it stands in a file's name, UTC: `20260801-143005`.
pub(crate) fn stamp(now: Millis) -> String {
    let seconds = now.0.div_euclid(1_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!(
        "{year:04}{month:02}{day:02}-{hour:02}{minute:02}{:02}",
        second % 60
    )
}

/// Days since 1970 as year, month and day of the Gregorian calendar, counted in eras of 400 years from 1 March.
const fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + (month <= 2) as i64;
    (year, month, day)
}

/// A private folder that goes away with the value.
pub(crate) struct Staging {
    pub(crate) path: PathBuf,
}

impl Staging {
    pub(crate) fn new(parent: &Path, what: &str) -> Result<Self, StoreError> {
        let path = parent.join(format!(".{what}-{}", mark(parent)?));
        files::make_private_dir(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Only our own files are in it; what stays is found and named by the doctor.
        drop(std::fs::remove_dir_all(&self.path));
    }
}

/// An archive or a copy under a name that nobody takes for one, until it is one.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn new(target: &Path) -> Result<Self, StoreError> {
        let folder = target.parent().unwrap_or(target);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!(".{name}.partial-{}", mark(target)?));
        Ok(Self { path })
    }

    /// Links the name to it, which fails where something has that name, and drops the other.
    fn take_name(&self, target: &Path) -> Result<(), ArchiveError> {
        match std::fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                return Err(ArchiveError::Exists {
                    path: target.to_owned(),
                });
            }
            // A file system without hard links: what is there was looked for before.
            Err(_) if target.symlink_metadata().is_err() => {
                files::put_in_place(&self.path, target)?;
                return Ok(());
            }
            Err(source) => return Err(StoreError::io("cannot write", target, source).into()),
        }
        files::remove(&self.path)?;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After a success there is nothing left to remove.
        drop(std::fs::remove_file(&self.path));
        let mut journal = self.path.clone().into_os_string();
        journal.push("-journal");
        drop(std::fs::remove_file(journal));
    }
}

fn mark(path: &Path) -> Result<String, StoreError> {
    let bytes: [u8; 4] = random::bytes()
        .map_err(|source| StoreError::io("cannot name a file beside", path, source))?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        for (millis, text) in [
            (0, "19700101-000000"),
            (951_782_400_000, "20000229-000000"),
            (1_785_594_605_999, "20260801-143005"),
            (-1, "19691231-235959"),
        ] {
            assert_eq!(stamp(Millis(millis)), text);
        }
    }
}
