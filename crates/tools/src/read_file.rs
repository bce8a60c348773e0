//! `read_file`: lines of a text file of the project.

use std::io::Read;

use taffrail_confine::fs::{Identity, Root};
use taffrail_domain::RepoPath;

use crate::masked::{cut, masked};
use crate::project_files::{Barred, MANAGED, exact, number};
use crate::{ProjectFiles, ToolError};

/// Lines in one answer.
const MOST_LINES: u64 = 2_000;
/// Bytes of a file that is read.
const LARGEST: u64 = 16 << 20;
/// Bytes of text in one answer.
pub(crate) const LARGEST_ANSWER: usize = 256 << 10;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The file, relative to the project's root.
    pub path: String,
    /// The first line, from 1.
    pub line: u64,
    /// How many lines at most, 1 to 2,000.
    pub limit: u64,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The file.
    pub path: String,
    /// The lines with their ends as they are in the file, without what looked secret; at most 256 KiB.
    pub content: String,
    /// The first line that is given, from 1.
    pub line: u64,
    /// How many are given.
    pub lines: u64,
    /// How many the file has.
    pub total_lines: u64,
    /// Whether there is more of the file behind these lines, or a line was too long to be given whole.
    pub truncated: bool,
}

pub(crate) fn read_file(files: &ProjectFiles, ask: &ReadFile) -> Result<FileText, ToolError> {
    let line = number("line", ask.line, u64::MAX)?;
    let limit = number("limit", ask.limit, MOST_LINES)?;
    let Some(path) = files.asked(&ask.path)? else {
        return Err(ToolError::unfit(&ask.path, "is a folder"));
    };
    let barred = files.barred();
    let folder = files.folder_of(&path, &barred)?;
    let name =
        RepoPath::new(path.name()).map_err(|_| ToolError::unfit(&ask.path, "does not exist"))?;
    let text = text_at(&folder.root, &name, &ask.path, &barred, LARGEST)?;
    exact(&folder.root, &name).map_err(|error| ToolError::from_fs(&ask.path, error))?;
    let text = masked(&files.redactor, &text);
    let path = files.redactor.clean(&path.to_text()).into_string();
    Ok(window(path, &text, line, limit))
}

/// The text of a file of at most `largest` bytes that is not barred. `shown`: the path in errors.
pub(crate) fn text_at(
    folder: &Root,
    name: &RepoPath,
    shown: &str,
    barred: &Barred,
    largest: u64,
) -> Result<String, ToolError> {
    let io = |source| ToolError::Io {
        path: shown.to_owned(),
        source,
    };
    let fs = |error| ToolError::from_fs(shown, error);
    let file = folder.open_file(name).map_err(fs)?;
    if barred.holds(Identity::of_file(&file).map_err(io)?) {
        return Err(ToolError::refused(shown, MANAGED));
    }
    let mut bytes = Vec::new();
    // One byte more than the limit tells a file that grew meanwhile from one that fits.
    file.take(largest + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > largest {
        let why = format!("is larger than {largest} bytes");
        return Err(ToolError::unfit(shown, why));
    }
    text_of(bytes).map_err(|why| ToolError::unfit(shown, why))
}

/// The bytes as text, or why they are none.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, &'static str> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err("is UTF-16 or UTF-32, and only UTF-8 is read");
    }
    if memchr::memchr(0, &bytes).is_some() {
        return Err("is binary, and only text is read");
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8, and only that is read")
}

/// The lines that were asked for, as far as one answer takes them.
fn window(path: String, text: &str, line: u64, limit: u64) -> FileText {
    let mut answer = FileText {
        path,
        content: String::new(),
        line,
        lines: 0,
        total_lines: 0,
        truncated: false,
    };
    for found in text.split_inclusive('\n') {
        answer.total_lines += 1;
        if answer.total_lines < line || answer.truncated {
            continue;
        }
        let room = LARGEST_ANSWER.saturating_sub(answer.content.len());
        if answer.lines == limit || (found.len() > room && answer.lines > 0) {
            answer.truncated = true;
            continue;
        }
        answer.truncated = found.len() > room;
        answer.content.push_str(cut(found, room));
        answer.lines += 1;
    }
    answer
}
