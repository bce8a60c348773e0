//! What a turn in a project would be given, before anything is sent (PRM-01, PRM-02).

use taffrail_domain::Millis;
use taffrail_memory::notebook;
use taffrail_memory::prompt::{Parts, Prompt, assemble};
use taffrail_store::{ProjectRow, TraceSurface};

use crate::memory::{Section, recall_section};
use crate::{App, AppError};

/// The prompt of a turn in this project, or in none, in which the person says `query`. What is recalled leaves a trace.
///
/// # Errors
/// What the store and the recall can give.
pub fn show(
    app: &App,
    project: Option<&ProjectRow>,
    query: Option<&str>,
    now: Millis,
) -> Result<Prompt, AppError> {
    let view = project.map(|project| view(app, project)).transpose()?;
    let recall = match query {
        Some(query) => recall_section(app, project, query, now, TraceSurface::Prompt)?,
        None => Section::default(),
    };
    Ok(assemble(&Parts {
        notebook: view.as_ref(),
        recall: Some(&recall.text),
        ..Parts::default()
    }))
}

fn view(app: &App, project: &ProjectRow) -> Result<notebook::View, AppError> {
    let row = app.store.notebook(&project.id)?;
    Ok(notebook::view(&row.content, crate::notebook::budget(app)))
}
