//! What never enters a notebook, and is refused before anything is stored: secrets, and more than there is room for.

use taffrail_memory::draft::inked;
use taffrail_memory::notebook::{self, NotebookError};
use taffrail_redact::Clean;

use crate::{App, AppError};

/// Characters of one entry: as many as a memory's text has.
const LONGEST_ENTRY: usize = 8_192;
/// Characters of a section's name.
const LONGEST_SECTION: usize = 100;

/// The document, if it may be stored.
pub(super) fn document(app: &App, text: &str) -> Result<Clean, AppError> {
    notebook::check(text)?;
    let characters = text.chars().count();
    let limit = usize::try_from(*app.config.memory.notebook_cap).unwrap_or(notebook::CAP);
    if characters > limit {
        return Err(NotebookError::Full { characters, limit }.into());
    }
    no_secret(app, "the notebook", text)?;
    Ok(app.redactor.clean(text))
}

/// An entry and the name of its section, each one line with text.
pub(super) fn entry(app: &App, section: &str, entry: &str) -> Result<(Clean, Clean), AppError> {
    let section = fitting(section, "section", LONGEST_SECTION)?;
    let entry = fitting(entry, "entry", LONGEST_ENTRY)?;
    no_secret(app, "the section's name", &section)?;
    no_secret(app, "the entry", &entry)?;
    Ok((app.redactor.clean(&section), app.redactor.clean(&entry)))
}

/// Refuses a text with a secret in it, by what it looks like and where it stands, never by what it is.
pub(super) fn no_secret(app: &App, what: &'static str, text: &str) -> Result<(), AppError> {
    let as_copied = inked(text);
    // Where only the text as it is copied holds one, its place is told in that.
    let looks = [Some(text), as_copied.as_deref()].into_iter().flatten();
    let found = looks
        .filter_map(|text| Some((text, app.redactor.findings(text).into_iter().next()?)))
        .next();
    let Some((text, finding)) = found else {
        return Ok(());
    };
    let before = text.get(..finding.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    Err(AppError::NotebookSecret {
        what,
        family: finding.family.as_str(),
        line,
        column,
    })
}

/// The text on one line, if it has any and fits.
fn fitting(text: &str, what: &'static str, limit: usize) -> Result<String, AppError> {
    let breaks = |at: char| at.is_whitespace() || at.is_control();
    let words: Vec<&str> = text.split(breaks).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let characters = line.chars().count();
    if characters == 0 {
        Err(NotebookError::Blank { what }.into())
    } else if characters > limit {
        Err(AppError::EntryTooLong {
            what,
            characters,
            limit,
        })
    } else {
        Ok(line)
    }
}
