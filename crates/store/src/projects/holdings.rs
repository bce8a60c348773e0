//! Taking a project away with everything that is in it, or not at all (NB-01).

use rusqlite::{Connection, Transaction};
use taffrail_domain::{ProjectId, RunId};

use crate::convert::{Fault, path};
use crate::projects::{locate, project_seq, record};
use crate::writer::Durability;
use crate::{Store, StoreError, memories, purge, workspaces};

/// What a project holds, and what goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Memories of every status.
    pub memories: u64,
    /// Revisions of its notebook.
    pub notebook_revisions: u64,
    /// Suggestions for its notebook, decided ones too.
    pub suggestions: u64,
    /// Traces of recalls in it.
    pub traces: u64,
    /// Its workspaces.
    pub workspaces: u64,
    /// Slates of other programs that were closed in it. Open ones go too.
    pub slates: u64,
}

impl Store {
    /// What goes when the project goes.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn project_holdings(&self, id: &ProjectId) -> Result<Holdings, StoreError> {
        self.read(|conn| {
            let project = project_seq(conn, id)?;
            holdings(conn, project)
        })
    }

    /// Takes a project away: memories with their texts, the notebook, suggestions, traces, workspaces and what came of its
    /// slates, in one transaction. The journal keeps its entries, which hold no text. Their bytes, and the files of its
    /// slates, stay until [`Self::finish_erasing`].
    ///
    /// # Errors
    /// `NotFound`; `ProjectLive` while a run of the project goes on.
    pub fn remove_project(&self, id: &ProjectId) -> Result<Holdings, StoreError> {
        let (id, now) = (*id, self.now());
        self.write(Durability::Full, move |transaction| {
            let project = project_seq(transaction, &id)?;
            refuse_live(transaction, project)?;
            let held = holdings(transaction, project)?;
            remove(transaction, project)?;
            record(transaction, now, &id, "deleted")?;
            purge::mark(transaction, now)?;
            Ok(held)
        })
    }
}

fn holdings(conn: &Connection, project: i64) -> Result<Holdings, Fault> {
    let count = |sql: &str| -> Result<u64, Fault> {
        let number: i64 = conn
            .prepare_cached(sql)?
            .query_row([project], |row| row.get(0))?;
        Ok(u64::try_from(number).unwrap_or_default())
    };
    Ok(Holdings {
        memories: count("SELECT count(*) FROM memories WHERE project = ?1")?,
        notebook_revisions: count("SELECT count(*) FROM notebook_revisions WHERE project = ?1")?,
        suggestions: count("SELECT count(*) FROM notebook_suggestions WHERE project = ?1")?,
        traces: count("SELECT count(*) FROM recall_traces WHERE project = ?1")?,
        workspaces: count("SELECT count(*) FROM workspaces WHERE project = ?1")?,
        slates: count("SELECT count(*) FROM slate_closures WHERE project = ?1")?,
    })
}

fn remove(transaction: &Transaction<'_>, project: i64) -> Result<(), Fault> {
    workspaces::erase_project(transaction, project)?;
    memories::erase_project(transaction, project)?;
    // Traces and misses of the project go with its row, by their own references.
    for sql in [
        "DELETE FROM notebook_suggestions WHERE project = ?1",
        "DELETE FROM notebook_revisions WHERE project = ?1",
        "DELETE FROM project_roots WHERE project = ?1",
        "DELETE FROM projects WHERE seq = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute([project])?;
    }
    Ok(())
}

fn refuse_live(transaction: &Transaction<'_>, project: i64) -> Result<(), Fault> {
    let mut statement = transaction.prepare_cached(
        "SELECT id, project_root, common_dir FROM sessions WHERE status IN ('preparing', 'running')",
    )?;
    let live = statement.query_map([], |row| {
        let run = row.get("id").map(RunId::from_bytes)?;
        Ok((run, path(row, "project_root")?, path(row, "common_dir")?))
    })?;
    for session in live {
        let (run, root, common_dir) = session?;
        if locate::of_session(transaction, &root, &common_dir)? == Some(project) {
            let run = run.short();
            return Err(StoreError::ProjectLive { run }.into());
        }
    }
    Ok(())
}
