//! What ran in a project, by the words of its record (`session_search`): runs in a box, and runs of other
//! vendors' agents.

#[cfg(test)]
mod tests;

use std::path::Path;

use taffrail_domain::Millis;
use taffrail_store::{ProjectRow, RunFilter, RunRow};

use crate::{App, AppError};

/// Sessions that one search looks at, the newest ones.
const MOST: u32 = 2_000;

/// A session on record. Its text was redacted when it was recorded, and is untrusted all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHit {
    /// Its id, as it is shown.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What kind: `box`, `external`.
    pub kind: String,
    /// The agent, where it was a known one.
    pub agent: Option<String>,
    /// The command line.
    pub command: String,
    /// How it stands.
    pub status: String,
    /// When it began.
    pub started: Millis,
    /// What an agent was to do; it is searched, too.
    pub task: Option<String>,
    /// Files that it changed.
    pub files: Vec<String>,
}

/// The sessions of a project whose record holds every word of the question, in any case, newest first; all of them without
/// a question, none outside of every project. Says whether there were more than `limit`, or more than were looked at.
///
/// # Errors
/// What the store can give.
pub fn search(
    app: &App,
    project: Option<&ProjectRow>,
    query: Option<&str>,
    limit: usize,
) -> Result<(Vec<SessionHit>, bool), AppError> {
    let Some(project) = project else {
        return Ok((Vec::new(), false));
    };
    let words: Vec<String> = query
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let (runs, mut more) = runs_of(app, project)?;
    let mut found = Vec::new();
    for run in runs {
        let hit = hit(app, run)?;
        if !hit.holds(&words) {
            continue;
        }
        if found.len() == limit {
            more = true;
            break;
        }
        found.push(hit);
    }
    Ok((found, more))
}

/// The newest runs of a project, and whether there are older ones.
fn runs_of(app: &App, project: &ProjectRow) -> Result<(Vec<RunRow>, bool), AppError> {
    let ask = |common_dir: Option<&Path>| {
        app.store.runs(&RunFilter {
            common_dir,
            open_only: false,
            limit: Some(MOST),
        })
    };
    let mut dirs: Vec<Option<&Path>> = project
        .roots
        .iter()
        .map(|root| root.common_dir.as_deref())
        .collect();
    // A root without a git folder of its own can hold several: their runs are told by where they were started.
    if dirs.contains(&None) {
        dirs = vec![None];
    }
    let (mut runs, mut more) = (Vec::new(), false);
    for dir in dirs {
        let found = ask(dir)?;
        more |= found.len() == MOST as usize;
        runs.extend(found.into_iter().filter(|run| is_of(run, project)));
    }
    runs.sort_unstable_by_key(|run| std::cmp::Reverse(run.seq));
    runs.dedup_by_key(|run| run.seq);
    Ok((runs, more))
}

fn is_of(run: &RunRow, project: &ProjectRow) -> bool {
    project.roots.iter().any(|root| match &root.common_dir {
        Some(dir) => *dir == run.project.common_dir,
        None => run.project.root.starts_with(&root.root),
    })
}

fn hit(app: &App, run: RunRow) -> Result<SessionHit, AppError> {
    let changes = match run.change {
        Some(_) => app.store.captured(&run.id)?,
        None => None,
    };
    let changes = changes.map(|captured| captured.changes);
    let files = changes.into_iter().flatten();
    let agent = app.store.agent_run(&run.id)?;
    // The names of files are kept byte by byte, so that a change lands as it was.
    let files = files.map(|change| app.redactor.clean(&change.path.to_text()).into_string());
    Ok(SessionHit {
        id: run.id.short(),
        name: run.name,
        kind: run.kind.name().to_owned(),
        agent: run
            .agent
            .or_else(|| agent.as_ref().map(|agent| agent.agent.clone())),
        command: run.command,
        status: run.status.name().to_owned(),
        started: run.times.started.unwrap_or(run.times.created),
        task: agent.map(|agent| agent.task),
        files: files.collect(),
    })
}

impl SessionHit {
    fn holds(&self, words: &[String]) -> bool {
        let fields = [&self.name, &self.command, &self.status];
        let agent = self.agent.iter().chain(&self.task);
        let fields = fields.into_iter().chain(agent).chain(&self.files);
        let lower: Vec<String> = fields.map(|field| field.to_lowercase()).collect();
        words
            .iter()
            .all(|word| lower.iter().any(|field| field.contains(word)))
    }
}
