//! One more entry in a section.

use super::{CAP, parts};

/// Why an entry or a document cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    /// The document would be longer than a notebook may be. Nothing was changed.
    #[error("the notebook would have {characters} characters; the limit is {limit}")]
    Full {
        /// Characters that it would have.
        characters: usize,
        /// Characters that it may have.
        limit: usize,
    },
    /// The entry or the section's name has no text.
    #[error("the {what} is blank")]
    Blank {
        /// `entry` or `section`.
        what: &'static str,
    },
}

/// The document with `- DATE: ENTRY` at the end of `section`, which is made at the end of the document when there is none.
/// Line breaks in the entry become one space; the document ends with one line end.
///
/// # Errors
/// `Full` over 200,000 characters; `Blank` without text.
pub fn append(
    document: &str,
    entry: &str,
    section: &str,
    date: &str,
) -> Result<String, NotebookError> {
    let bullet = format!("- {date}: {}", one_line(entry, "entry")?);
    let section = one_line(section, "section")?;
    let end = if document.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut lines: Vec<String> = parts::lines(document)
        .into_iter()
        .map(str::to_owned)
        .collect();
    match place(document, &section) {
        Some(at) => lines.insert(at, bullet),
        None => push_section(&mut lines, &section, bullet),
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let text = lines.join(end) + end;
    check(&text)?;
    Ok(text)
}

/// Whether a document is within the limit, for a save of the whole.
///
/// # Errors
/// `Full` over 200,000 characters.
pub fn check(document: &str) -> Result<(), NotebookError> {
    let characters = document.chars().count();
    if characters > CAP {
        Err(NotebookError::Full {
            characters,
            limit: CAP,
        })
    } else {
        Ok(())
    }
}

/// Behind the last line with text of the first section of that name.
fn place(document: &str, name: &str) -> Option<usize> {
    let parts = parts::split(document);
    let section = parts.sections.iter().find(|section| section.name == name)?;
    let texts = section
        .body
        .iter()
        .rposition(|line| !line.trim().is_empty());
    Some(section.line + 1 + texts.map_or(0, |last| last + 1))
}

fn push_section(lines: &mut Vec<String>, name: &str, bullet: String) {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(format!("## {name}"));
    lines.push(bullet);
}

fn one_line(text: &str, what: &'static str) -> Result<String, NotebookError> {
    let breaks = |letter: char| letter.is_whitespace() || letter.is_control();
    let words: Vec<&str> = text.split(breaks).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        Err(NotebookError::Blank { what })
    } else {
        Ok(words.join(" "))
    }
}
