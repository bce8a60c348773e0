//! A section made again from what is kept (REC-07).

use serde::Deserialize;
use sha2::{Digest, Sha256};
use taffrail_domain::MemoryId;
use taffrail_memory::inject::{self, Item, Limits};
use taffrail_store::{TraceItem, TraceOutcome, TraceRow};

use crate::{App, AppError};

/// A section made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The section; none where the recall made none, such as a search.
    pub section: Option<String>,
    /// Whether it has the bytes that were given, by their hash.
    pub is_same: bool,
    /// Memories that were given and whose text was purged since: with any, the bytes cannot be the same.
    pub purged: Vec<MemoryId>,
}

/// The limits as a trace keeps them. A search keeps only how many were wanted.
#[derive(Deserialize)]
struct Kept {
    items: usize,
    line_chars: Option<usize>,
    total_chars: Option<usize>,
}

/// Renders the section of a recall again, from the revisions that it read and with the limits that it had.
///
/// # Errors
/// What the store can give.
pub fn replay(app: &App, trace: &TraceRow) -> Result<Replay, AppError> {
    Ok(render(trace, app.store.trace_items(trace)?))
}

fn render(trace: &TraceRow, items: Vec<TraceItem>) -> Replay {
    let given = items
        .into_iter()
        .filter(|item| item.outcome == TraceOutcome::Given);
    let mut purged = Vec::new();
    let mut texts = Vec::new();
    for item in given {
        match item.text {
            Some(text) => texts.push(Item {
                id: item.memory,
                kind: text.kind,
                summary: text.summary,
                content: text.content,
                marks: item.marks,
            }),
            None => purged.push(item.memory),
        }
    }
    let section = limits(trace).map(|limits| inject::render(&texts, &limits).section);
    let hash = section
        .as_deref()
        .filter(|section| !section.is_empty())
        .map(|section| Sha256::digest(section.as_bytes()).into());
    Replay {
        is_same: hash == trace.section_hash && purged.is_empty(),
        section,
        purged,
    }
}

fn limits(trace: &TraceRow) -> Option<Limits> {
    let kept: Kept = serde_json::from_str(&trace.limits).ok()?;
    Some(Limits {
        items: kept.items,
        line_chars: kept.line_chars?,
        total_chars: kept.total_chars,
    })
}
