//! What a turn in a project would be given, before anything is sent (PRM-01, PRM-02).

use taffrail_domain::Millis;
use taffrail_memory::prompt::{Parts, Prompt, assemble};
use taffrail_store::{ProjectRow, TraceSurface};

use crate::memory::{Section, recall_section};
use crate::notebook::{self, Standing};
use crate::{App, AppError};

/// What a turn would be given.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The sections.
    pub prompt: Prompt,
    /// How the notebook stands; none outside of a project. Where it is withheld, no section holds it.
    pub standing: Option<Standing>,
}

/// The prompt of a turn in this project, or in none, in which the person says `query`. What is recalled leaves a trace.
///
/// # Errors
/// What the store and the recall can give.
pub fn show(
    app: &App,
    project: Option<&ProjectRow>,
    query: Option<&str>,
    now: Millis,
) -> Result<Turn, AppError> {
    let shown = match project {
        Some(project) => Some(notebook::show(app, project)?),
        None => None,
    };
    let standing = shown.as_ref().map(|shown| shown.standing.clone());
    let view = shown.filter(|shown| shown.standing.is_given());
    let view = view.map(|shown| shown.view);
    let recall = match query {
        Some(query) => recall_section(app, project, query, now, TraceSurface::Prompt)?,
        None => Section::default(),
    };
    let prompt = assemble(&Parts {
        notebook: view.as_ref(),
        recall: Some(&recall.text),
        ..Parts::default()
    });
    Ok(Turn { prompt, standing })
}
