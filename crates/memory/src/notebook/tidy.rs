//! Moving old entries of the log out of the way.

use super::chunk::Chunks;
use super::parts::{self, Run};
use super::{ARCHIVE, KEPT_ENTRIES, LOG};

/// A document after tidying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tidied {
    /// The document; the very same when nothing was moved.
    pub document: String,
    /// Entries that were moved to the archive.
    pub moved: usize,
}

/// Moves the fewest oldest entries of the log to one `## Archive` at the end, until what a turn is given is within `budget`
/// characters or five entries remain. Deletes nothing, touches no other section; a second time it does nothing. A document whose
/// fences would swallow a section after the move is left as it is.
pub fn tidy(document: &str, budget: usize) -> Tidied {
    let before = Chunks::of(document);
    let count = to_move(&before, budget);
    let tidied = moved(document, count);
    let after = Chunks::of(&tidied);
    if count > 0 && after.text(0) == before.text(count) && archive_is_last(&tidied) {
        Tidied {
            document: tidied,
            moved: count,
        }
    } else {
        Tidied {
            document: document.to_owned(),
            moved: 0,
        }
    }
}

fn to_move(chunks: &Chunks<'_>, budget: usize) -> usize {
    let most = chunks.entries.saturating_sub(KEPT_ENTRIES);
    if most == 0 || chunks.characters(0) <= budget {
        return 0;
    }
    let (mut too_few, mut enough) = (0, most);
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if chunks.characters(middle) <= budget {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    enough
}

/// The document with its `count` oldest entries behind what the archive already holds.
fn moved(document: &str, count: usize) -> String {
    let parts = parts::split(document);
    let mut kept = parts.preamble.clone();
    let mut archive: Vec<&str> = Vec::new();
    let mut entries = Vec::new();
    let mut seen = 0;
    for section in &parts.sections {
        match section.name {
            ARCHIVE => push_apart(&mut archive, parts::trimmed(&section.body)),
            LOG => {
                kept.push(section.heading);
                for run in parts::runs(&section.body) {
                    match run {
                        Run::Fixed(lines) => kept.extend(lines),
                        Run::Entry(lines) => {
                            let to = if seen < count {
                                &mut entries
                            } else {
                                &mut kept
                            };
                            to.extend(lines);
                            seen += 1;
                        }
                    }
                }
            }
            _ => {
                kept.push(section.heading);
                kept.extend(&section.body);
            }
        }
    }
    archive.extend(entries);
    joined(document, kept, &archive)
}

fn push_apart<'a>(to: &mut Vec<&'a str>, lines: &[&'a str]) {
    if !to.is_empty() && !lines.is_empty() {
        to.push("");
    }
    to.extend(lines);
}

fn joined<'a>(document: &str, mut kept: Vec<&'a str>, archive: &[&'a str]) -> String {
    while kept.last().is_some_and(|line| line.trim().is_empty()) {
        kept.pop();
    }
    kept.extend(["", "## Archive"]);
    kept.extend(parts::trimmed(archive));
    let end = if document.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    kept.join(end) + end
}

fn archive_is_last(document: &str) -> bool {
    let sections = parts::split(document).sections;
    let archives = sections
        .iter()
        .filter(|section| section.name == ARCHIVE)
        .count();
    archives == 1
        && sections
            .last()
            .is_some_and(|section| section.name == ARCHIVE)
}
