//! What the application knows that goes into a prompt.

use std::path::Path;

use taffrail_store::ProjectRow;

use super::{Prompt, PromptInputs, build};
use crate::{App, AppError};

/// A prompt, and what it rests on.
#[derive(Debug, Clone)]
pub struct Gathered {
    /// The prompt.
    pub prompt: Prompt,
    /// The trace of the recall, as it is shown; none where nothing was asked.
    pub trace: Option<String>,
}

/// The prompt of a task in this project, over this checkout.
///
/// # Errors
/// `PromptTooLarge`; what the store can give.
pub fn gather(
    app: &App,
    project: Option<&ProjectRow>,
    checkout: &Path,
    task: &str,
    may_write: bool,
) -> Result<Gathered, AppError> {
    let _ = (app, project, checkout);
    let prompt = build(&PromptInputs {
        task,
        may_write,
        ..PromptInputs::default()
    })?;
    Ok(Gathered {
        prompt,
        trace: None,
    })
}
