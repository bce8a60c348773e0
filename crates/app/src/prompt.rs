//! What a turn in a project would be given, before anything is sent (PRM-01, PRM-02).

use taffrail_memory::notebook;
use taffrail_memory::prompt::{Parts, Prompt, assemble};
use taffrail_store::ProjectRow;

use crate::{App, AppError};

/// The prompt of a turn in this project, or in none.
///
/// # Errors
/// What the store and the recall can give.
pub fn show(
    app: &App,
    project: Option<&ProjectRow>,
) -> Result<Prompt, AppError> {
    let view = project.map(|project| view(app, project)).transpose()?;
    Ok(assemble(&Parts {
        notebook: view.as_ref(),
        ..Parts::default()
    }))
}

fn view(app: &App, project: &ProjectRow) -> Result<notebook::View, AppError> {
    let row = app.store.notebook(&project.id)?;
    Ok(notebook::view(&row.content, crate::notebook::budget(app)))
}
