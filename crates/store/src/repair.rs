//! What a home holds that does not belong together, and mending it (STO-10): rows that point at nothing, folders that no
//! row names, modes that are too wide, indexes that disagree. Texts and the journal are never touched.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};
use taffrail_memory::journal::{EventKind, Facts};

use crate::backup::{copy_database, stamp, verify_chain};
use crate::connection::open_writer;
use crate::convert::{Fault, signed};
use crate::files::{DIR_MODE, FILE_MODE};
use crate::purge::unknown_slate_folders;
use crate::slate_files::listed;
use crate::{Home, Peek, Store, StoreError, files, journal, migrate, recall};

/// Tables whose rows may be dropped when what they belong to is gone: they hold no text of anybody.
const DROPPED: [(&str, &str, &str); 10] = [
    ("memory_foreign_ids", "memory", "memories"),
    ("memory_witnesses", "memory", "memories"),
    ("memory_derivations", "memory", "memories"),
    ("memory_derivations", "derived_from", "memories"),
    ("memory_neighbours", "memory", "memories"),
    ("memory_neighbours", "neighbour", "memories"),
    ("recall_trace_items", "trace", "recall_traces"),
    ("changed_paths", "session", "changes"),
    ("project_roots", "project", "projects"),
    ("proposal_candidates", "proposal", "proposals"),
];

/// What does not belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orphans {
    /// Rows that point at nothing, by table.
    pub rows: Vec<(String, u64)>,
    /// Folders below `sessions/`, `checkouts/` and `external-slates/` that no row names.
    pub folders: Vec<PathBuf>,
    /// What a backup, a check or a restore left behind when it was cut off.
    pub leftovers: Vec<PathBuf>,
    /// Sessions whose change waits for a person and whose diff is not on disk, by short id.
    pub missing_diffs: Vec<String>,
}

impl Orphans {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// A file or folder that others can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// Which.
    pub path: PathBuf,
    /// Its mode.
    pub mode: u32,
}

/// What a repair did, one line each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mended {
    /// The copy of the database from before; none where there is no database.
    pub copy: Option<PathBuf>,
    /// What was mended, for people.
    pub done: Vec<String>,
}

impl Peek {
    /// How many entries the journal has, or where its chain breaks; only for a schema of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn journal(&self) -> Result<Result<u64, String>, StoreError> {
        verify_chain(self.conn()).map_err(|source| StoreError::sql(self.path(), source))
    }

    /// What is wrong with the recall index, one line each; only for a schema of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn recall_index(&self) -> Result<Vec<String>, StoreError> {
        recall::check(self.conn()).map_err(|fault| fault.at(self.path()))
    }

    /// What does not belong together; only for a schema of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn orphans(&self, home: &Home) -> Result<Orphans, StoreError> {
        let look = || -> Result<Orphans, Fault> {
            let mut folders = unknown_folders(self.conn(), &home.sessions())?;
            folders.extend(unknown_folders(self.conn(), &home.checkouts())?);
            folders.extend(unknown_slate_folders(self.conn(), home)?);
            Ok(Orphans {
                rows: migrate::dangling(self.conn())?,
                folders,
                leftovers: leftovers(home),
                missing_diffs: missing_diffs(self.conn(), home)?,
            })
        };
        look().map_err(|fault| fault.at(self.path()))
    }
}

/// Everything of the home itself that others could read or write. What a run made in its checkout is its own matter.
pub fn loose(home: &Home) -> Vec<Loose> {
    let mut found = Vec::new();
    let mut folders = vec![home.root().to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(seen) = folder.symlink_metadata() else {
            continue;
        };
        if seen.mode() & 0o077 != 0 {
            found.push(Loose {
                path: folder.clone(),
                mode: seen.mode() & 0o7777,
            });
        }
        if folder == home.checkouts() {
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(seen) = entry.metadata() else { continue };
            if seen.is_dir() {
                folders.push(entry.path());
            } else if seen.is_file() && seen.mode() & 0o077 != 0 {
                found.push(Loose {
                    path: entry.path(),
                    mode: seen.mode() & 0o7777,
                });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// Takes what others can reach away from them; how many files and folders that were.
///
/// # Errors
/// `Io`, as for what belongs to somebody else.
pub fn mend_modes(home: &Home) -> Result<u64, StoreError> {
    let loose = loose(home);
    for Loose { path, .. } in &loose {
        let mode = if path.is_dir() { DIR_MODE } else { FILE_MODE };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .map_err(|source| StoreError::io("cannot make private", path, source))?;
    }
    Ok(loose.len() as u64)
}

impl Store {
    /// Mends what can be mended, after a copy of the database. Never changes a text or an entry of the journal, but adds
    /// one that says that it ran.
    ///
    /// # Errors
    /// `DiskFull`, `Busy`, `Damaged`: what cannot even be copied is restored from a backup, not mended.
    pub fn repair(&self, home: &Home) -> Result<Mended, StoreError> {
        let copy = self.copy_before_repair(home)?;
        let mut conn = open_writer(self.path())?;
        let mut done = Vec::new();
        done.extend(self.mend_indexes(&conn)?);
        let mended = self.mend_rows(&mut conn)?;
        done.extend(mended);
        // First, because the folders of erased sessions are not put aside.
        if self.is_erasing_unfinished()? && self.finish_erasing(home)? {
            done.push("rewrote the database: what was deleted is out of the file too".to_owned());
        }
        done.extend(self.put_folders_aside(home, &conn)?);
        for path in leftovers(home) {
            remove_leftover(&path)?;
            done.push(format!(
                "removed {}, left by something that was cut off",
                path.display()
            ));
        }
        Ok(Mended {
            copy: Some(copy),
            done,
        })
    }

    fn copy_before_repair(&self, home: &Home) -> Result<PathBuf, StoreError> {
        let name = stamp(taffrail_domain::Millis(self.now()));
        let paths = (0..100).map(|number| match number {
            0 => home.backups().join(format!("before-repair-{name}.db")),
            _ => home
                .backups()
                .join(format!("before-repair-{name}-{number}.db")),
        });
        let free = paths
            .into_iter()
            .find(|path| path.symlink_metadata().is_err());
        let path = free.unwrap_or_else(|| home.backups().join("before-repair.db"));
        copy_database(self.path(), &path)?;
        Ok(path)
    }

    /// SQLite's own indexes, where its check says that they disagree with their tables.
    fn mend_indexes(&self, conn: &Connection) -> Result<Option<String>, StoreError> {
        let sql = |source| StoreError::sql(self.path(), source);
        let problems = migrate::quick_check(conn).map_err(sql)?;
        if problems.is_empty() {
            return Ok(None);
        }
        conn.execute_batch("REINDEX").map_err(sql)?;
        let left = migrate::quick_check(conn).map_err(sql)?;
        match left.into_iter().next() {
            None => Ok(Some("made the indexes anew".to_owned())),
            Some(what) => Err(StoreError::Damaged {
                path: self.path().to_owned(),
                what,
            }),
        }
    }

    /// Rows without an owner, and the recall index, in one transaction with the journal's entry.
    fn mend_rows(&self, conn: &mut Connection) -> Result<Vec<String>, StoreError> {
        let mut mend = || -> Result<Vec<String>, Fault> {
            let mut done = Vec::new();
            let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for (table, column, parent) in DROPPED {
                let key = if parent == "changes" {
                    "session"
                } else {
                    "seq"
                };
                let sql = format!(
                    "DELETE FROM {table} WHERE {column} NOT IN (SELECT {key} FROM {parent})"
                );
                let rows = transaction.execute(&sql, [])?;
                if rows > 0 {
                    done.push(format!(
                        "removed {rows} row(s) of {table} whose {column} is gone"
                    ));
                }
            }
            if !recall::check(&transaction)?.is_empty() {
                let rows = recall::rebuild(&transaction)?;
                done.push(format!("made the recall index anew: {rows} memories"));
            }
            let facts = Facts::new().number("steps", signed(done.len() as u64));
            journal::append(&transaction, self.now(), EventKind::Repaired, None, &facts)?;
            transaction.commit()?;
            Ok(done)
        };
        mend().map_err(|fault| fault.at(self.path()))
    }

    /// Folders of sessions and of slates that no row names are moved to `backups/`: they may hold a diff or seeds that
    /// somebody wants.
    fn put_folders_aside(&self, home: &Home, conn: &Connection) -> Result<Vec<String>, StoreError> {
        let unknown = || -> Result<Vec<PathBuf>, Fault> {
            let mut unknown = unknown_folders(conn, &home.sessions())?;
            unknown.extend(unknown_slate_folders(conn, home)?);
            Ok(unknown)
        };
        let unknown = unknown().map_err(|fault| fault.at(self.path()))?;
        let aside = home.backups().join(format!(
            "orphans-{}",
            stamp(taffrail_domain::Millis(self.now()))
        ));
        let mut done = Vec::new();
        for folder in unknown {
            files::make_private_dir(&aside)?;
            let to = aside.join(folder.file_name().unwrap_or_default());
            files::put_in_place(&folder, &to)?;
            done.push(format!("moved {} to {}", folder.display(), to.display()));
        }
        Ok(done)
    }
}

/// Folders of runs that no session has, sorted. Only names of the form of a run's id are looked at.
pub(crate) fn unknown_folders(conn: &Connection, parent: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut statement = conn.prepare("SELECT short FROM sessions")?;
    let known: BTreeSet<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let listed = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut unknown: Vec<PathBuf> = listed
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_run = name.parse::<taffrail_domain::RunPrefix>().is_ok();
            is_run && !known.contains(&name)
        })
        .map(|entry| entry.path())
        .collect();
    unknown.sort();
    Ok(unknown)
}

/// What a backup or a restore of ours left in the home when it was cut off.
fn leftovers(home: &Home) -> Vec<PathBuf> {
    let ours = |path: &Path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let staging = [".backup-", ".verify-", ".restore-", ".keelson-"];
        let is_partial = name.starts_with('.') && name.contains(".partial-");
        // A new file of secrets waits under that name while another place is chosen.
        let is_old = || (is_temporary(&name) || name == "secrets.new") && is_quiet(path);
        staging.iter().any(|begin| name.starts_with(begin)) || is_partial || is_old()
    };
    let mut places = vec![home.root().to_owned(), home.backups()];
    places.extend(listed(&home.external_slates()));
    let mut found: Vec<PathBuf> = places
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| ours(path))
        .collect();
    found.sort();
    found
}

/// What a file is called until it is whole: `secrets.sealed.0123456789abcdef.tmp`.
fn is_temporary(name: &str) -> bool {
    let mark = name
        .strip_suffix(".tmp")
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, mark)| mark);
    mark.is_some_and(|mark| mark.len() == 16 && mark.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Not written for a minute: whoever wrote it is not at it any more.
fn is_quiet(path: &Path) -> bool {
    const QUIET: std::time::Duration = std::time::Duration::from_secs(60);
    let written = path
        .symlink_metadata()
        .and_then(|found| found.modified())
        .ok();
    // A time ahead of the clock says nothing: it is left alone.
    written.is_some_and(|written| written.elapsed().is_ok_and(|age| age > QUIET))
}

fn remove_leftover(path: &Path) -> Result<(), StoreError> {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return fs::remove_dir_all(path)
            .map_err(|source| StoreError::io("cannot remove", path, source));
    }
    files::remove(path).map(|_| ())
}

fn missing_diffs(conn: &Connection, home: &Home) -> Result<Vec<String>, Fault> {
    let mut statement = conn.prepare(
        "SELECT s.short FROM changes c JOIN sessions s ON s.seq = c.session
         WHERE c.state = 'pending' ORDER BY s.seq",
    )?;
    let waiting = statement.query_map([], |row| row.get::<_, String>(0))?;
    let waiting: Vec<String> = waiting.collect::<rusqlite::Result<_>>()?;
    let missing = |short: &String| !home.sessions().join(short).join("change.patch").is_file();
    Ok(waiting.into_iter().filter(missing).collect())
}
