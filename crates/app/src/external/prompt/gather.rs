//! What the application knows that goes into a prompt: only what a person put there or approved.

use std::path::Path;

use taffrail_confine::fs::{FsError, Root};
use taffrail_domain::RepoPath;
use taffrail_memory::prompt::{Parts, SectionName, assemble};
use taffrail_store::{ProjectRow, TraceSurface};

use super::build::{RESOURCE_LIMIT, TASK_LIMIT};
use super::{Prompt, PromptInputs, Resource, build};
use crate::memory::recall_section;
use crate::notebook::{self, Standing};
use crate::policy::withheld;
use crate::{App, AppError};

/// The rules that a project has for agents.
const RULES: &str = "AGENTS.md";
/// The largest file of rules that is looked at, in bytes; a larger one is left out whole.
const RULES_LIMIT: u64 = 1024 * 1024;
/// Characters of a task that memories are looked up by.
const QUERY: usize = 4_000;

/// A prompt, and what it rests on.
#[derive(Debug, Clone)]
pub struct Gathered {
    /// The prompt.
    pub prompt: Prompt,
    /// The trace of the recall, for `taffrail memory why`; none where nothing was asked.
    pub trace: Option<String>,
}

/// The prompt of a task in this project, over this checkout: its `AGENTS.md`, the notebook as a person saved it, and approved
/// memories whose seals verify. What an agent wrote and nobody reviewed is in no prompt.
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
    if task.len() > TASK_LIMIT {
        let (bytes, limit) = (task.len(), TASK_LIMIT);
        return Err(AppError::PromptTooLarge { bytes, limit });
    }
    let mut left_out = Vec::new();
    let mut resources = Vec::new();
    match rules(app, checkout) {
        Ok(found) => resources.extend(found),
        Err(why) => left_out.push(format!("{RULES} is left out: {why}")),
    }
    let known = known(app, project, task, &mut left_out)?;
    resources.extend(known.resources);
    let prompt = build(&PromptInputs {
        task,
        may_write,
        resources: &resources,
        left_out: &left_out,
    })?;
    Ok(Gathered {
        prompt,
        trace: known.trace,
    })
}

/// The project's rules, as the checkout has them, unless the user's policy withholds them. Read beneath its root: a link that
/// leads out of it is none.
fn rules(app: &App, checkout: &Path) -> Result<Option<Resource>, String> {
    let root = Root::open(checkout).map_err(|error| error.to_string())?;
    let path = RepoPath::new(RULES).map_err(|error| error.to_string())?;
    let withheld = withheld(&app.config).map_err(|error| error.to_string())?;
    if withheld(&path) {
        return Err("a rule of the policy withholds it".to_owned());
    }
    let bytes = match root.read(&path, RULES_LIMIT) {
        Ok(bytes) => bytes,
        Err(FsError::NotFound { .. }) => return Ok(None),
        Err(FsError::TooLarge { .. }) => {
            return Err(format!("it has more than {RULES_LIMIT} bytes"));
        }
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    Ok(Some(Resource {
        uri: file_uri(&checkout.join(RULES)),
        name: RULES.to_owned(),
        text: app.redactor.clean(&text).into_string(),
    }))
}

struct Known {
    resources: Vec<Resource>,
    trace: Option<String>,
}

fn known(
    app: &App,
    project: Option<&ProjectRow>,
    task: &str,
    left_out: &mut Vec<String>,
) -> Result<Known, AppError> {
    let shown = project
        .map(|project| notebook::show(app, project))
        .transpose()?;
    if let Some(Standing::Withheld { why }) = shown.as_ref().map(|shown| &shown.standing) {
        left_out.push(format!("the notebook is withheld: {why}"));
    }
    let view = shown
        .filter(|shown| shown.standing.is_given())
        .map(|shown| shown.view);
    let query: String = task.chars().take(QUERY).collect();
    let now = app.inputs.clock.now();
    let recall = recall_section(app, project, &query, now, TraceSurface::Prompt)?;
    let assembled = assemble(&Parts {
        notebook: view.as_ref(),
        recall: Some(&recall.text),
        ..Parts::default()
    });
    let resources = assembled.sections.into_iter().map(|section| Resource {
        uri: format!("taffrail://{}", section.name.name()),
        name: name(section.name).to_owned(),
        text: section.text,
    });
    Ok(Known {
        resources: resources.collect(),
        trace: recall.trace.map(|trace| trace.short()),
    })
}

fn name(section: SectionName) -> &'static str {
    match section {
        SectionName::Notebook => "the project's notebook",
        SectionName::Recall => "memories that the operator approved",
        SectionName::Seed | SectionName::Workflows | SectionName::Canvas | SectionName::Docs => {
            section.name()
        }
    }
}

/// `file:` and the path; what an URI cannot hold as it is stands as `%` and two digits.
fn file_uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if plain(*byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

const _: () = assert!(
    RULES_LIMIT as usize > RESOURCE_LIMIT,
    "what is cut is read first"
);
