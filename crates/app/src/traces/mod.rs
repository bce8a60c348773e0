//! Traces answered: why a turn was given a memory, why it was not, where a memory went (REC-06, REC-07).
//!
//! Only reads. A trace replays through the same renderer that made the section, from the revisions that are kept.

mod replay;
#[cfg(test)]
mod tests;
mod why_not;

use taffrail_domain::ErrorCode;
use taffrail_store::{Derived, MemoryRow, Reached, TraceFilter, TraceItem, TraceRow};

use crate::{App, AppError};

pub use replay::{Replay, replay};
pub use why_not::{Kept, WhyNot, why_not};

/// Recalls that one answer lists.
const MOST_TRACES: u32 = 200;

/// One recall whole.
#[derive(Debug, Clone)]
pub struct Why {
    /// The recall.
    pub trace: TraceRow,
    /// What it considered, best first.
    pub items: Vec<TraceItem>,
}

/// What a person asks the reason of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked<'a> {
    Trace(&'a str),
    Session(&'a str, Option<u64>),
}

/// The recalls of a trace (`trc_…`), of a session or run, or of one turn (`SESSION:TURN`), oldest first.
///
/// # Errors
/// `NotFound` where there is none.
pub fn why(app: &App, what: &str) -> Result<Vec<Why>, AppError> {
    let mut traces = match asked(what) {
        Asked::Trace(prefix) => vec![app.store.trace(prefix)?],
        Asked::Session(session, turn) => app.store.traces(&TraceFilter {
            session: Some(session_name(app, session)?),
            turn,
            limit: MOST_TRACES,
            ..TraceFilter::default()
        })?,
    };
    if traces.is_empty() {
        let (what, asked) = ("trace", what.to_owned());
        return Err(taffrail_store::StoreError::NotFound { what, asked }.into());
    }
    traces.reverse();
    traces
        .into_iter()
        .map(|trace| {
            let items = app.store.trace_items(&trace)?;
            Ok(Why { trace, items })
        })
        .collect()
}

/// The newest recalls, newest first.
///
/// # Errors
/// What the store can give.
pub fn newest(app: &App) -> Result<Vec<TraceRow>, AppError> {
    Ok(app.store.traces(&TraceFilter::default())?)
}

/// The newest recall of all.
fn latest(app: &App) -> Result<TraceRow, AppError> {
    let newest = newest(app)?.into_iter().next();
    newest.ok_or_else(|| {
        let (what, asked) = ("trace", "the newest recall".to_owned());
        taffrail_store::StoreError::NotFound { what, asked }.into()
    })
}

/// A name or the beginning of a run's id is that run; anything else is taken as the session is shown.
fn session_name(app: &App, session: &str) -> Result<String, AppError> {
    match app.store.find_run(session) {
        Ok(run) => Ok(run.id.short()),
        Err(error) => match AppError::from(error) {
            error if error.code() == ErrorCode::NotFound => Ok(session.to_owned()),
            error => Err(error),
        },
    }
}

fn asked(what: &str) -> Asked<'_> {
    if what.starts_with(taffrail_domain::TraceId::PREFIX) {
        return Asked::Trace(what);
    }
    match what.rsplit_once(':') {
        Some((session, turn)) => match turn.parse() {
            Ok(turn) => Asked::Session(session, Some(turn)),
            Err(_) => Asked::Session(what, None),
        },
        None => Asked::Session(what, None),
    }
}

/// Where a memory went.
#[derive(Debug, Clone)]
pub struct Blame {
    /// The memory.
    pub memory: MemoryRow,
    /// The kept recalls that considered it, newest first.
    pub reached: Vec<Reached>,
    /// What was derived from it, nearest first.
    pub derived: Vec<Derived>,
}

/// Every turn, run and derived row that a memory reached, as far as traces are kept.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what the store can give.
pub fn blame(app: &App, memory: &str) -> Result<Blame, AppError> {
    let memory = app.store.find_memory(memory)?;
    Ok(Blame {
        reached: app.store.traces_of_memory(&memory.id, MOST_TRACES)?,
        derived: app.store.derived_from(&memory.id)?,
        memory,
    })
}
