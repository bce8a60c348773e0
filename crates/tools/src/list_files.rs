//! `list_files`: paths of the project's files.

use std::ops::ControlFlow;

use crate::project_files::{Watch, number};
use crate::read_file::LARGEST_ANSWER;
use crate::rules::Glob;
use crate::walk::{Patience, Walk};
use crate::{ProjectFiles, ToolError};

/// Files in an answer.
const MOST: u64 = 1_000;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFiles {
    /// A folder, relative to the project's root; the root without it.
    pub path: Option<String>,
    /// A glob that the path must fit, at most 1,000 characters.
    pub glob: Option<String>,
    /// How many at most, 1 to 1,000.
    pub limit: u64,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Paths relative to the project's root, in the order of their bytes; folders and links are not listed.
    pub files: Vec<String>,
    /// Whether there were more.
    pub truncated: bool,
}

pub(crate) fn list_files(
    files: &ProjectFiles,
    ask: &ListFiles,
    watch: &dyn Watch,
) -> Result<Files, ToolError> {
    let limit = number("limit", ask.limit, MOST)?;
    let glob = Glob::new(ask.glob.as_deref())?;
    let path = ask.path.as_deref().map(|path| files.asked(path));
    let path = path.transpose()?.flatten();
    let barred = files.barred();
    let from = files.folder(path.as_ref(), &barred)?;
    let mut found = Vec::new();
    let mut bytes = 0;
    let truncated = Walk::new(files, &barred, Patience::new(watch)).run(&from, &mut |file| {
        if !glob.fits(file.path) {
            return Ok(ControlFlow::Continue(()));
        }
        let path = files.redactor.clean(&file.path.to_text()).into_string();
        bytes += path.len();
        if found.len() as u64 == limit || bytes > LARGEST_ANSWER {
            return Ok(ControlFlow::Break(()));
        }
        found.push(path);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(Files {
        files: found,
        truncated,
    })
}
