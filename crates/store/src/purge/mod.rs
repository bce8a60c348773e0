//! Erasing: rows, their texts, the recall index, traces, files, and what deleted rows leave behind in the file itself,
//! its log and its free pages (STO-09). The journal keeps its entries, which hold no text, and gets one more.

#[cfg(test)]
mod external_rows;
mod rows;
mod slates;
#[cfg(test)]
mod tests;
mod unfinished;

use std::fs;
use std::path::PathBuf;

use rusqlite::{Connection, TransactionBehavior};
use taffrail_domain::{MemoryId, Millis, ProjectId, RunId};

pub(crate) use slates::unknown_folders as unknown_slate_folders;
pub(crate) use unfinished::mark;

use crate::connection::{BUSY_LIMIT, open_writer, retry};
use crate::{Home, Store, StoreError, files};

/// Databases up to this length are rewritten in memory, so that no temporary file holds a copy.
const IN_MEMORY: u64 = 256 << 20;

/// What is to be erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeScope {
    /// A project with its memories, notebook, suggestions, traces, agreements, sessions, workspaces, and slates, open ones
    /// too.
    Project(ProjectId),
    /// A session with its events, diff and decisions, and the memories and suggestions that came from it.
    Session(RunId),
    /// One memory with every revision, and the seeds that it was. The proposals that held them stay.
    Memory(MemoryId),
    /// Everything from before a time: memories, decided sessions, traces, suggestions, revisions of notebooks but the one
    /// in force, what came of closed slates, and archived workspaces that hold nothing any more.
    Before(Millis),
}

/// How much is erased, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgeCounts {
    /// Projects.
    pub projects: u64,
    /// Memories.
    pub memories: u64,
    /// Of these, approved ones.
    pub approved: u64,
    /// Sessions.
    pub sessions: u64,
    /// Of these, such with a change that nobody decided on.
    pub undecided: u64,
    /// Revisions of notebooks.
    pub notebook_revisions: u64,
    /// Suggestions for notebooks.
    pub suggestions: u64,
    /// Traces of recalls, and questions that nothing was known about.
    pub traces: u64,
    /// Workspaces.
    pub workspaces: u64,
    /// Closed slates, each with its proposals.
    pub slates: u64,
    /// Of these, such whose seeds no person has looked at.
    pub unbound: u64,
    /// Memories that were derived from an erased one and stay: they may repeat it.
    pub derived: Vec<MemoryId>,
}

impl PurgeCounts {
    fn add(&mut self, gone: crate::workspaces::Gone) {
        self.workspaces += gone.workspaces;
        self.slates += gone.slates;
        self.unbound += gone.unbound;
    }

    /// Whether there is nothing to erase.
    pub fn is_empty(&self) -> bool {
        let all = [
            self.projects,
            self.memories,
            self.sessions,
            self.notebook_revisions,
            self.suggestions,
            self.traces,
            self.workspaces,
            self.slates,
        ];
        all.iter().all(|count| *count == 0)
    }
}

/// What a purge did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    /// How much is gone.
    pub counts: PurgeCounts,
    /// Files and folders of sessions and slates that were removed, and files of slates that were written anew.
    pub files: u64,
    /// Copies from before in the home's `backups/`, which still hold it; empty where they were removed.
    pub backups: Vec<PathBuf>,
    /// Copies that were removed.
    pub backups_removed: Vec<PathBuf>,
    /// False when another process keeps the log open: it may still hold the text until that process ends and the
    /// purge is run again.
    pub log_is_cut: bool,
}

impl Store {
    /// What a purge would erase. Nothing is changed.
    ///
    /// # Errors
    /// As for [`Self::purge`].
    pub fn purge_plan(&self, scope: PurgeScope) -> Result<PurgeCounts, StoreError> {
        let mut conn = self.eraser()?;
        retry(BUSY_LIMIT, || {
            let mut done = || {
                let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
                // Never committed: dropping it takes everything back.
                rows::erase(&transaction, scope, self.now())
            };
            done().map_err(|fault| fault.at(self.path()))
        })
    }

    /// Erases it. Rows first, in one transaction with the journal's entry; then the database is rewritten and its log
    /// cut; then the files of sessions and slates that no row names any more, also of an earlier purge that was cut off.
    ///
    /// # Errors
    /// `NotFound`; `CheckoutLive`, `CheckoutLeft` for a session that goes on or whose checkout is there; `Busy`,
    /// `DiskFull`: rewriting takes as much space again as the database.
    pub fn purge(
        &self,
        home: &Home,
        scope: PurgeScope,
        with_backups: bool,
    ) -> Result<Purged, StoreError> {
        let mut conn = self.eraser()?;
        let counts = retry(BUSY_LIMIT, || {
            let mut done = || {
                let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let counts = rows::erase(&transaction, scope, self.now())?;
                unfinished::mark(&transaction, self.now())?;
                transaction.commit()?;
                Ok::<_, crate::convert::Fault>(counts)
            };
            done().map_err(|fault| fault.at(self.path()))
        })?;
        let files = remove_files(home, &conn, self)?;
        let log_is_cut = self.finish_rewriting(&conn)?;
        let (backups, backups_removed) = self.copies(home, with_backups)?;
        Ok(Purged {
            counts,
            files,
            backups,
            backups_removed,
            log_is_cut,
        })
    }

    /// A connection that overwrites what it deletes.
    fn eraser(&self) -> Result<Connection, StoreError> {
        let conn = open_writer(self.path())?;
        let set = conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
        set.map_err(|source| StoreError::sql(self.path(), source))?;
        Ok(conn)
    }

    /// Rewrites the database without its free pages and cuts the log; whether the log could be cut.
    fn rewrite(&self, conn: &Connection) -> Result<bool, StoreError> {
        let sql = |source| StoreError::sql(self.path(), source);
        let length = fs::metadata(self.path()).map(|found| found.len());
        if length.is_ok_and(|length| length <= IN_MEMORY) {
            conn.pragma_update(None, "temp_store", "MEMORY")
                .map_err(sql)?;
        }
        retry(BUSY_LIMIT, || conn.execute_batch("VACUUM").map_err(sql))?;
        let cut = retry(BUSY_LIMIT, || {
            let busy: i64 = conn
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
                .map_err(sql)?;
            if busy == 0 {
                return Ok(());
            }
            let path = self.path().to_owned();
            Err(StoreError::Busy { path, waited_ms: 0 })
        });
        match cut {
            Ok(()) => Ok(true),
            Err(StoreError::Busy { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Copies in `backups/`: those that stay, and those that were removed.
    fn copies(
        &self,
        home: &Home,
        remove: bool,
    ) -> Result<(Vec<PathBuf>, Vec<PathBuf>), StoreError> {
        let found = copies(home)?;
        if !remove {
            return Ok((found, Vec::new()));
        }
        let (ours, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| is_ours(path));
        for path in &ours {
            remove_all(path)?;
        }
        Ok((others, ours))
    }
}

/// Everything in the home's `backups/`, sorted.
///
/// # Errors
/// `Io`.
pub fn copies(home: &Home) -> Result<Vec<PathBuf>, StoreError> {
    let folder = home.backups();
    let failed = |source| StoreError::io("cannot list", &folder, source);
    let listed = match fs::read_dir(&folder) {
        Ok(listed) => listed,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let paths = listed.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// Whether this program made it.
fn is_ours(path: &std::path::Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let begins = [
        "schema-",
        "taffrail-",
        "before-",
        "orphans-",
        ".backup-",
        ".taffrail-",
    ];
    begins.iter().any(|begin| name.starts_with(begin))
}

fn remove_all(path: &std::path::Path) -> Result<(), StoreError> {
    let found = path.symlink_metadata();
    if found.is_ok_and(|found| found.is_dir()) {
        return fs::remove_dir_all(path)
            .map_err(|source| StoreError::io("cannot remove", path, source));
    }
    files::remove(path).map(|_| ())
}

/// Removes the files of sessions and slates that are not on record any more.
fn remove_files(home: &Home, conn: &Connection, store: &Store) -> Result<u64, StoreError> {
    let sessions = remove_sessions(home, conn, store)?;
    Ok(sessions + slates::remove(home, conn, store)?)
}

/// Removes the folders of sessions that are not on record any more.
fn remove_sessions(home: &Home, conn: &Connection, store: &Store) -> Result<u64, StoreError> {
    let folders = crate::repair::unknown_folders(conn, &home.sessions());
    let folders = folders.map_err(|fault| fault.at(store.path()))?;
    for folder in &folders {
        remove_all(folder)?;
    }
    Ok(folders.len() as u64)
}
