//! Entries that wait beside a notebook. In no prompt until a person accepts one (NB-03).

use taffrail_domain::{Channel, Source, SuggestionId};
use taffrail_memory::notebook;
use taffrail_store::{
    Accepted, NewSuggestion, ProjectRow, Saved, SuggestionRow, SuggestionState, Verdict,
};

use super::{date, guard, vouch};
use crate::memory::gate;
use crate::{App, AppError};

/// How often an accept is tried again when somebody else changed the document meanwhile.
const TRIES: usize = 20;

/// An entry that something wants in a notebook.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// The section it is for.
    pub section: &'a str,
    /// The entry.
    pub entry: &'a str,
    /// By which door it comes.
    pub channel: Channel,
    /// Who wrote it.
    pub source: &'a Source,
}

/// Puts an entry beside the notebook, to wait for a person. The same one that waits already is not put there twice.
pub fn suggest(
    app: &App,
    project: &ProjectRow,
    new: &NewEntry<'_>,
) -> Result<SuggestionId, AppError> {
    let (section, entry) = guard::entry(app, new.section, new.entry)?;
    let source = serde_json::to_string(new.source).unwrap_or_default();
    guard::no_secret(app, "the source", &source)?;
    let suggestion = NewSuggestion {
        id: new_id(app)?,
        project: project.id,
        section: &section,
        entry: &entry,
        channel: new.channel,
        source: &app.redactor.clean(&source),
    };
    Ok(app.store.suggest(&suggestion)?)
}

/// What waits, oldest first.
pub fn open(app: &App, project: &ProjectRow) -> Result<Vec<SuggestionRow>, AppError> {
    Ok(app
        .store
        .suggestions(&project.id, Some(SuggestionState::Open))?)
}

/// The suggestion whose id begins so.
pub fn find(app: &App, prefix: &str) -> Result<SuggestionRow, AppError> {
    Ok(app.store.find_suggestion(prefix)?)
}

/// A person accepts: the entry enters the document. The surface has shown the whole text on an interactive terminal or
/// on the operator's page; the version that it makes.
pub fn accept(app: &App, suggestion: &SuggestionRow) -> Result<u64, AppError> {
    gate::person_only(app)?;
    enter(app, suggestion)
}

/// A person does not want it.
pub fn dismiss(app: &App, suggestion: &SuggestionRow) -> Result<(), AppError> {
    gate::person_only(app)?;
    app.store
        .decide_suggestion(&suggestion.id, &Verdict::Dismiss)?;
    Ok(())
}

/// What the gate stands before.
pub(super) fn enter(app: &App, suggestion: &SuggestionRow) -> Result<u64, AppError> {
    let _lock = vouch::lock(app)?;
    let mut found = app.store.notebook(&suggestion.project)?;
    for _ in 0..TRIES {
        vouch::require(app, &suggestion.project, &found)?;
        let content = notebook::append(
            &found.content,
            &suggestion.entry,
            &suggestion.section,
            &date(suggestion.at),
        )?;
        let content = guard::document(app, &content)?;
        let verdict = Verdict::Accept {
            expected_version: found.version,
            content: content.clone(),
        };
        match app.store.decide_suggestion(&suggestion.id, &verdict)? {
            Accepted::Notebook(Saved::As { version }) => {
                vouch::vouch(app, &suggestion.project, version, content.as_str())?;
                return Ok(version);
            }
            Accepted::Notebook(Saved::Stale { found: newer }) => found = newer,
            Accepted::Dismissed => break,
        }
    }
    Err(AppError::NotebookStale {
        version: found.version,
    })
}

fn new_id(app: &App) -> Result<SuggestionId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    let now = app.inputs.clock.now().0.unsigned_abs();
    Ok(SuggestionId::new(now, random))
}
