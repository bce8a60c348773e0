//! What is on record of a run, as evidence for what was learnt from it (MEM-07). Rows only: git is not asked.

use serde_json::json;
use taffrail_domain::RunId;
use taffrail_memory::draft::Scope;
use taffrail_store::RunRow;

use crate::{App, AppError};

/// Changed files that are listed; the others are counted.
const LISTED: usize = 100;

/// What is known of a run.
pub(super) struct Learnt {
    /// The run, as it is shown.
    pub session: String,
    /// Base, changed files with counts, hash of the diff: JSON.
    pub facts: String,
    run: RunRow,
}

impl Learnt {
    /// The project of the run, where it is one.
    pub fn scope(&self, app: &App) -> Result<Option<Scope>, AppError> {
        let project = app.project_containing(&self.run.project.root)?;
        Ok(project.map(|row| Scope::Project(row.id)))
    }
}

/// Looks up a box by name or id.
pub(super) fn of_run(app: &App, name: &str) -> Result<Learnt, AppError> {
    let run = app.store.find_run(name)?;
    let facts = facts(app, &run.id, &run)?;
    Ok(Learnt {
        session: run.id.short(),
        facts: app.redactor.clean(&facts).into_string(),
        run,
    })
}

/// What is on record of a run, by name or id, without what looks secret.
pub(crate) fn value_of_run(app: &App, name: &str) -> Result<serde_json::Value, AppError> {
    let learnt = of_run(app, name)?;
    Ok(serde_json::from_str(&learnt.facts).unwrap_or_default())
}

fn facts(app: &App, id: &RunId, run: &RunRow) -> Result<String, AppError> {
    let captured = app.store.captured(id)?;
    let change = captured.map(|captured| {
        let listed: Vec<_> = captured
            .changes
            .iter()
            .take(LISTED)
            .map(|change| json!({ "path": change.path.to_text(), "added": change.added, "removed": change.removed }))
            .collect();
        json!({
            "diff": captured.hash.to_string(),
            "state": captured.state.name(),
            "count": captured.changes.len(),
            "files": listed,
        })
    });
    let facts = json!({
        "run": id.short(),
        "name": run.name,
        "status": run.status.name(),
        "agent": run.agent,
        "base": run.base.as_ref().map(ToString::to_string),
        "change": change,
    });
    Ok(facts.to_string())
}
