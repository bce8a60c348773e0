//! A project's notebook: what a person puts there enters at once, what anything else wants in it waits (NB-02, NB-03).

mod edit;
mod guard;
mod suggestions;
pub mod vouch;

use taffrail_memory::notebook::{self, Tidied, View};
use taffrail_store::{MadeBy, NotebookRow, ProjectRow, RevisionRow, Saved};

use crate::{App, AppError};

pub use edit::{Edited, edit};
pub use suggestions::{NewEntry, accept, dismiss, find, open, suggest};
pub use vouch::Standing;

/// A notebook, and what a turn is given of it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The document in force.
    pub row: NotebookRow,
    /// What a turn is given, if its standing lets it.
    pub view: View,
    /// Whether a person put the text there.
    pub standing: Standing,
    /// Characters that a turn would be given without a budget.
    pub injected: usize,
    /// Characters that a turn is given at most.
    pub budget: usize,
}

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// A new revision is in force.
    To(u64),
    /// There was nothing to change.
    Nothing,
}

/// The notebook of a project.
pub fn show(app: &App, project: &ProjectRow) -> Result<Shown, AppError> {
    let row = app.store.notebook(&project.id)?;
    let budget = budget(app);
    Ok(Shown {
        standing: vouch::in_force(app, &project.id, &row)?,
        view: notebook::view(&row.content, budget),
        injected: notebook::injected_characters(&row.content),
        budget,
        row,
    })
}

/// Adds an entry of a person's to a section.
pub fn append(
    app: &App,
    project: &ProjectRow,
    section: &str,
    entry: &str,
) -> Result<u64, AppError> {
    guard::entry(app, section, entry)?;
    let date = date(app.inputs.clock.now());
    let change = |before: &str| Ok(notebook::append(before, entry, section, &date)?);
    match change_until_stored(app, project, MadeBy::Append, change)? {
        Changed::To(version) => Ok(version),
        Changed::Nothing => Ok(app.store.notebook(&project.id)?.version),
    }
}

/// Moves the oldest entries of the log to the archive, until the rest is within the budget; how many were moved.
pub fn tidy(app: &App, project: &ProjectRow) -> Result<(usize, Changed), AppError> {
    let budget = budget(app);
    let mut moved = 0;
    let changed = change_until_stored(app, project, MadeBy::Tidy, |before| {
        let tidied: Tidied = notebook::tidy(before, budget);
        moved = tidied.moved;
        Ok(tidied.document)
    })?;
    Ok((moved, changed))
}

/// Takes the last change back that was not taken back yet.
pub fn undo(app: &App, project: &ProjectRow) -> Result<Changed, AppError> {
    let found = app.store.notebook(&project.id)?;
    let revisions = app.store.notebook_revisions(&project.id, u32::MAX)?;
    let Some(before) = before_last_change(&revisions) else {
        return Ok(Changed::Nothing);
    };
    let content = match before {
        0 => String::new(),
        version => earlier(app, project, version)?.content,
    };
    put(app, project, found.version, &content, MadeBy::Undo)
}

/// Brings a revision back, as a new one.
pub fn restore(app: &App, project: &ProjectRow, version: u64) -> Result<Changed, AppError> {
    let found = app.store.notebook(&project.id)?;
    let wanted = earlier(app, project, version)?;
    put(
        app,
        project,
        found.version,
        &wanted.content,
        MadeBy::Restore,
    )
}

/// A revision as it was saved.
fn earlier(app: &App, project: &ProjectRow, version: u64) -> Result<NotebookRow, AppError> {
    let row = app.store.notebook_at(&project.id, version)?;
    vouch::require_earlier(app, &project.id, &row)?;
    Ok(row)
}

/// Every revision, newest first, at most `limit`.
pub fn history(app: &App, project: &ProjectRow, limit: u32) -> Result<Vec<RevisionRow>, AppError> {
    Ok(app.store.notebook_revisions(&project.id, limit)?)
}

/// Characters that a turn is given.
pub(crate) fn budget(app: &App) -> usize {
    usize::try_from(*app.config.memory.notebook_budget).unwrap_or(notebook::BUDGET)
}

/// `2026-11-29`, UTC.
fn date(at: taffrail_domain::Millis) -> String {
    jiff::Timestamp::from_millisecond(at.0)
        .map(|at| at.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default()
}

/// Puts a changed document in the place of the one that the change was made from, again where somebody was faster.
fn change_until_stored(
    app: &App,
    project: &ProjectRow,
    made_by: MadeBy,
    mut change: impl FnMut(&str) -> Result<String, AppError>,
) -> Result<Changed, AppError> {
    /// A person is one; more writers than this at once are something else.
    const TRIES: usize = 20;
    let _lock = vouch::lock(app)?;
    let mut found = app.store.notebook(&project.id)?;
    for _ in 0..TRIES {
        vouch::require(app, &project.id, &found)?;
        let content = change(&found.content)?;
        if content == found.content {
            return Ok(Changed::Nothing);
        }
        let clean = guard::document(app, &content)?;
        match app
            .store
            .put_notebook(&project.id, found.version, &clean, made_by)?
        {
            Saved::As { version } => {
                vouch::vouch(app, &project.id, version, clean.as_str())?;
                return Ok(Changed::To(version));
            }
            Saved::Stale { found: newer } => found = newer,
        }
    }
    Err(AppError::NotebookStale {
        version: found.version,
    })
}

fn put(
    app: &App,
    project: &ProjectRow,
    expected: u64,
    content: &str,
    made_by: MadeBy,
) -> Result<Changed, AppError> {
    let clean = guard::document(app, content)?;
    let _lock = vouch::lock(app)?;
    match app
        .store
        .put_notebook(&project.id, expected, &clean, made_by)?
    {
        Saved::As { version } if version == expected => Ok(Changed::Nothing),
        Saved::As { version } => {
            vouch::vouch(app, &project.id, version, clean.as_str())?;
            Ok(Changed::To(version))
        }
        Saved::Stale { found } => Err(AppError::NotebookStale {
            version: found.version,
        }),
    }
}

/// The version that was in force before the last change that still stands; 0 for the empty document, none where nothing
/// stands. Revisions come newest first.
fn before_last_change(revisions: &[RevisionRow]) -> Option<u64> {
    let mut standing: Vec<u64> = Vec::new();
    for revision in revisions.iter().rev() {
        match revision.made_by {
            MadeBy::Undo => {
                standing.pop();
            }
            MadeBy::Edit | MadeBy::Append | MadeBy::Accept | MadeBy::Tidy | MadeBy::Restore => {
                standing.push(revision.version);
            }
        }
    }
    standing.pop()?;
    Some(standing.pop().unwrap_or_default())
}

#[cfg(test)]
mod tests;
