//! A run of another vendor's agent as files below `sessions/<run>/`, made of its rows alone (FA-29): `context.jsonl`,
//! `archive.jsonl` and `acp-run.json`. They can be made again at any time, and say nothing that the rows do not.
//!
//! Everything is redacted once more on its way out. What nobody reported is `"missing"`, never 0.

mod document;
mod lists;
pub(in crate::external) mod pages;
mod said;
#[cfg(test)]
mod tests;
mod unseen;
mod write;

use std::path::PathBuf;

use taffrail_domain::{RunId, RunKind};
use taffrail_store::{RunFilter, StoreError};

pub use document::Document;

use crate::{App, AppError};

/// What a model would be sent to go on: no thoughts, long outputs cut.
const CONTEXT: &str = "context.jsonl";
/// Everything that was said and done, in order, as far as it is on record.
const ARCHIVE: &str = "archive.jsonl";
/// The record of the run.
const RECORD: &str = "acp-run.json";

/// The files that were written.
#[derive(Debug, Clone, Default)]
pub struct Exported {
    /// Where.
    pub files: Vec<PathBuf>,
}

/// Writes the exports of one run, each whole or not at all, over those from before.
///
/// # Errors
/// `NotFound` where no agent is on record for the run; what the store and the disk can give.
pub fn export(app: &App, run: &RunId) -> Result<Exported, AppError> {
    let document = Document::of(app, run)?;
    let folder = app.home.session(run);
    let writer = write::Writer::open(&folder)?;
    let files = vec![
        writer.file(CONTEXT, |out| said::context(app, run, out))?,
        writer.file(ARCHIVE, |out| said::archive(app, run, out))?,
        writer.file(RECORD, |out| document.write(out))?,
    ];
    Ok(Exported { files })
}

/// What the sweep does for a run whose own process is gone: its questions wait for nobody any more, and its exports are
/// made. Nothing for a run of another kind.
///
/// # Errors
/// As for [`export`].
pub(crate) fn after_kill(app: &App, run: &RunId) -> Result<(), AppError> {
    if app.store.agent_run(run)?.is_none() {
        return Ok(());
    }
    for question in app.store.unused_questions()? {
        if question.run == *run {
            app.store.withdraw_question(&question.id)?;
        }
    }
    export(app, run).map(|_| ())
}

/// The runs that an agent is on record for, oldest first.
///
/// # Errors
/// What the store can give.
pub fn exportable(app: &App) -> Result<Vec<RunId>, AppError> {
    let mut found = Vec::new();
    for row in app.store.runs(&RunFilter::default())? {
        if row.kind == RunKind::External && app.store.agent_run(&row.id)?.is_some() {
            found.push(row.id);
        }
    }
    found.reverse();
    Ok(found)
}

/// The run of an agent that a person means: by name, id or the beginning of one.
///
/// # Errors
/// `NotFound`, `Ambiguous`.
pub fn find(app: &App, name: &str) -> Result<RunId, AppError> {
    let row = app.store.find_run(name)?;
    match app.store.agent_run(&row.id)? {
        Some(_) => Ok(row.id),
        None if row.kind == RunKind::External => Err(StoreError::NotFound {
            what: "agent on record (the run was cut off before one was started)",
            asked: name.to_owned(),
        }
        .into()),
        None => Err(no_agent(name)),
    }
}

fn no_agent(asked: &str) -> AppError {
    let (what, asked) = ("run of an agent", asked.to_owned());
    StoreError::NotFound { what, asked }.into()
}
