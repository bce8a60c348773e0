//! The project's notebook: one Markdown document, its sections, its view within a budget, tidying (NB-02, NB-03).
//!
//! A section is a line that starts with `## ` outside a fenced code block, and everything up to the next one. Knows nothing
//! of projects, revisions or prompts.

mod append;
mod chunk;
pub(crate) mod fence;
mod parts;
mod tidy;
mod view;

pub use append::{NotebookError, append, check};
pub use tidy::{Tidied, tidy};
pub use view::{View, injected_characters, view};

/// Characters that a whole notebook may have.
pub const CAP: usize = 200_000;
/// Characters of a notebook that a turn is given unless configured otherwise.
pub const BUDGET: usize = 6_000;
/// The section that entries go to unless told otherwise; the only one that tidying thins out.
pub const LOG: &str = "Log";
/// The section that no turn is given.
pub const ARCHIVE: &str = "Archive";
/// Entries of the log that tidying leaves in any case.
pub const KEPT_ENTRIES: usize = 5;

/// The names of the sections there are, in order, each once: what a person picks from.
pub fn sections(document: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for section in parts::split(document).sections {
        if !names.iter().any(|name| name == section.name) {
            names.push(section.name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests;
