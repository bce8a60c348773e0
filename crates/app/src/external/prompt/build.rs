//! The prompt's bytes, within their ceilings.

use super::words::{ALONG, DIRECTIVE, LAST_MESSAGE, MAY_NOT_WRITE, MAY_WRITE, RESULT_SCHEMA};
use crate::AppError;

/// Bytes of a task.
pub const TASK_LIMIT: usize = 64 * 1024;
/// Bytes of one resource, the notice of a cut included.
pub const RESOURCE_LIMIT: usize = 64 * 1024;
/// Bytes of the text and all resources.
pub const ALL_LIMIT: usize = 256 * 1024;
/// Bytes of the text that are kept free for what is said of the resources.
const SAID: usize = 4 * 1024;
/// Characters of one line about what was left out.
const LINE: usize = 300;
/// Bytes that the notice of a cut takes at most.
const NOTICE: usize = 100;

/// What a prompt is made of.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptInputs<'a> {
    /// The task, in the person's words.
    pub task: &'a str,
    /// What changes is captured, and may be landed.
    pub may_write: bool,
    /// What comes along, the most important first.
    pub resources: &'a [Resource],
    /// What is left out already, and why; the prompt says so.
    pub left_out: &'a [String],
}

/// Something that comes along with the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its place: a file of the checkout, or one of ours (`taffrail://notebook`).
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
    /// What comes along: as blocks of its own where the agent takes them, else as text behind the task.
    pub resources: Vec<Resource>,
    /// What was cut or left out, one line each.
    pub cut: Vec<String>,
    /// Bytes of all of it.
    pub bytes: usize,
}

/// The prompt of these parts. What does not fit is cut at a line, or left out, and the prompt says so.
///
/// # Errors
/// `PromptTooLarge` for a task over [`TASK_LIMIT`]: a task that was cut would be another one.
pub fn build(inputs: &PromptInputs<'_>) -> Result<Prompt, AppError> {
    let bytes = inputs.task.len();
    if bytes > TASK_LIMIT {
        let limit = TASK_LIMIT;
        return Err(AppError::PromptTooLarge { bytes, limit });
    }
    let mut room = ALL_LIMIT - text(inputs, &[], &[]).len() - SAID;
    let mut cut: Vec<String> = inputs.left_out.iter().map(|line| one_line(line)).collect();
    let mut resources = Vec::new();
    for resource in inputs.resources {
        let (fitting, note) = fitted(resource, room.min(RESOURCE_LIMIT));
        room -= fitting.as_ref().map_or(0, |fitting| fitting.text.len());
        cut.extend(note);
        resources.extend(fitting);
    }
    let text = text(inputs, &resources, &cut);
    let bytes = resources
        .iter()
        .map(|resource| resource.text.len())
        .sum::<usize>()
        + text.len();
    Ok(Prompt {
        text,
        resources,
        cut,
        bytes,
    })
}

fn text(inputs: &PromptInputs<'_>, resources: &[Resource], cut: &[String]) -> String {
    let write = if inputs.may_write {
        MAY_WRITE
    } else {
        MAY_NOT_WRITE
    };
    let mut text = format!("{DIRECTIVE}\n{write}\n\n{LAST_MESSAGE}\n{RESULT_SCHEMA}\n");
    if !resources.is_empty() || !cut.is_empty() {
        text.push_str(&format!("\n{ALONG}\n"));
        let mut said = String::new();
        let along = resources
            .iter()
            .map(|along| format!("- {} ({})\n", along.name, along.uri));
        let missing = cut.iter().map(|line| format!("- not whole: {line}\n"));
        for line in along.chain(missing) {
            // What is said of them has its own ceiling; `cut` holds all of it.
            if said.len() + line.len() + ALONG.len() + 2 <= SAID {
                said.push_str(&line);
            }
        }
        text.push_str(&said);
    }
    text.push_str("\n# The task\n\n");
    text.push_str(inputs.task);
    text.push('\n');
    text
}

/// A resource within its room, and what there is to say of that.
fn fitted(resource: &Resource, room: usize) -> (Option<Resource>, Option<String>) {
    let whole = resource.text.len();
    if resource.text.trim().is_empty() {
        return (None, None);
    }
    if whole <= room {
        return (Some(resource.clone()), None);
    }
    let Some(kept) = room.checked_sub(NOTICE).filter(|kept| *kept > 0) else {
        let note = format!("{} is left out: {whole} bytes, and no room", resource.name);
        return (None, Some(note));
    };
    let end = resource.text.floor_char_boundary(kept);
    let head = resource.text.get(..end).unwrap_or_default();
    let end = head.rfind('\n').map_or(end, |at| at + 1);
    let head = head.get(..end).unwrap_or_default();
    let missing = whole - head.len();
    let cut = Resource {
        text: format!("{head}\n[cut here: {missing} of {whole} bytes are left out]\n"),
        ..resource.clone()
    };
    let note = format!(
        "{} is cut: {missing} of {whole} bytes are left out",
        resource.name
    );
    (Some(cut), Some(note))
}

fn one_line(text: &str) -> String {
    let line = text
        .chars()
        .map(|at| if at.is_control() { ' ' } else { at });
    line.take(LINE).collect()
}
