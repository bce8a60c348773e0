//! The prompt's bytes, within their ceilings.

use super::words::RESULT_SCHEMA;
use crate::AppError;

/// Bytes of a task.
pub const TASK_LIMIT: usize = 64 * 1024;
/// Bytes of one resource.
pub const RESOURCE_LIMIT: usize = 64 * 1024;
/// Bytes of the text and all resources.
pub const ALL_LIMIT: usize = 256 * 1024;

/// What a prompt is made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptInputs<'a> {
    /// The task, in the person's words.
    pub task: &'a str,
    /// What changes is captured, and may be landed.
    pub may_write: bool,
    /// `AGENTS.md` of the checkout.
    pub agents_md: Option<&'a str>,
    /// The notebook, as a turn is given it.
    pub notebook: Option<&'a str>,
    /// Approved memories, as a turn is given them.
    pub memories: Option<&'a str>,
    /// What is left out already, and why; said in the prompt.
    pub left_out: &'a [String],
}

/// Something that comes along with the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its place: a file of the checkout, or one of ours (`taffrail:notebook`).
    pub uri: String,
    /// What it is called.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The prompt of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Directive, schema and task.
    pub text: String,
    /// What comes along.
    pub resources: Vec<Resource>,
    /// What was cut or left out, one line each.
    pub cut: Vec<String>,
    /// Bytes of all of it.
    pub bytes: usize,
}

/// The prompt of these parts.
///
/// # Errors
/// `PromptTooLarge` for a task over [`TASK_LIMIT`].
pub fn build(inputs: &PromptInputs<'_>) -> Result<Prompt, AppError> {
    let bytes = inputs.task.len();
    if bytes > TASK_LIMIT {
        let limit = TASK_LIMIT;
        return Err(AppError::PromptTooLarge { bytes, limit });
    }
    let text = format!("{}\n\n{RESULT_SCHEMA}\n", inputs.task);
    let bytes = text.len();
    Ok(Prompt {
        text,
        resources: Vec::new(),
        cut: inputs.left_out.to_vec(),
        bytes,
    })
}
