//! `taffrail purge`: what is to go, how much that is, and erasing it.

use taffrail_domain::Millis;
use taffrail_store::{PurgeCounts, PurgeScope, Purged};

use crate::{App, AppError};

/// What a person asked for, by name.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// A project, by name or the beginning of its id.
    Project(&'a str),
    /// A session, by name or the beginning of its id.
    Session(&'a str),
    /// A memory, by the beginning of its id.
    Memory(&'a str),
    /// Everything from before a time.
    Before(Millis),
}

/// What would be erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The scope, found.
    pub scope: PurgeScope,
    /// What it is called, for the question: untrusted text.
    pub what: String,
    /// How much it is.
    pub counts: PurgeCounts,
}

/// Finds what was asked for and counts it. Nothing is changed.
///
/// # Errors
/// `Store` with `NotFound`, `Ambiguous`, `CheckoutLive`, `CheckoutLeft`.
pub fn plan(app: &App, asked: Asked<'_>) -> Result<Plan, AppError> {
    // What an earlier deletion was kept from is done first: its rows are gone, so that nobody can ask for them again.
    app.store.finish_erasing(&app.home)?;
    let (scope, what) = find(app, asked)?;
    Ok(Plan {
        scope,
        what,
        counts: app.store.purge_plan(scope)?,
    })
}

/// Erases what was planned; with the copies in the home's `backups/` where that is asked for.
///
/// # Errors
/// Those of [`plan`]; `DiskFull`: rewriting takes as much space again as the database.
pub fn carry_out(app: &App, plan: &Plan, with_backups: bool) -> Result<Purged, AppError> {
    Ok(app.store.purge(&app.home, plan.scope, with_backups)?)
}

fn find(app: &App, asked: Asked<'_>) -> Result<(PurgeScope, String), AppError> {
    Ok(match asked {
        Asked::Project(text) => {
            let row = app.store.find_project(text)?;
            (PurgeScope::Project(row.id), format!("project {}", row.name))
        }
        Asked::Session(text) => {
            let row = app.store.find_run(text)?;
            let what = format!("session {} ({})", row.id, row.name);
            (PurgeScope::Session(row.id), what)
        }
        Asked::Memory(text) => {
            let row = app.store.find_memory(text)?;
            (PurgeScope::Memory(row.id), format!("memory {}", row.id))
        }
        Asked::Before(time) => (
            PurgeScope::Before(time),
            "everything from before that time".to_owned(),
        ),
    })
}
