//! What a person sees before deciding: a memory with its project and what stands beside it.

use taffrail_domain::{Channel, MemoryStatus, Shelf};
use taffrail_memory::orders;
use taffrail_store::{MemoryCursor, MemoryFilter, MemoryRow, SeedOriginRow, Whose};

use super::write::Owner;
use crate::workspaces::SeedFacts;
use crate::{App, AppError};

/// Neighbours that are shown beside a candidate: more than a person compares.
const NEIGHBOURS: usize = 3;

/// A memory as a person reviews it.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The memory.
    pub row: MemoryRow,
    /// The name of its project; none for a personal one.
    pub project: Option<String>,
    /// Why it stands apart, where it does.
    pub quarantined: Option<String>,
    /// The approved ones that it resembles, the most alike first.
    pub neighbours: Vec<Beside>,
    /// The seeds of slates that said it, the oldest first (XSL-15).
    pub seeds: Vec<SeedOrigin>,
}

/// A seed that a memory came from, or that said the same.
#[derive(Debug, Clone)]
pub struct SeedOrigin {
    /// Which slate, proposal and workspace.
    pub row: SeedOriginRow,
    /// Who wrote it, and its label of trust; none where the row holds something else.
    pub seed: Option<SeedFacts>,
}

/// An approved memory beside a candidate.
#[derive(Debug, Clone)]
pub struct Beside {
    /// The memory.
    pub row: MemoryRow,
    /// The share of words that both have, 0 to 1.
    pub similarity: f64,
    /// What a person types to name it: `1`, `2`, `3`.
    pub letter: char,
}

/// A page of candidates.
#[derive(Debug, Clone)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Candidate>,
    /// Where the next page begins.
    pub next: Option<MemoryCursor>,
}

/// Whose memories an owner means for a list: everything without one.
pub fn whose(app: &App, owner: Option<Owner<'_>>) -> Result<Whose, AppError> {
    let Some(owner) = owner else {
        return Ok(Whose::All);
    };
    Ok(match super::write::scope(app, owner)? {
        taffrail_memory::draft::Scope::Project(id) => Whose::Project(id),
        taffrail_memory::draft::Scope::Personal => Whose::Personal,
    })
}

/// How many wait, by shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Among the others.
    pub queue: u64,
    /// Apart.
    pub quarantine: u64,
}

/// How many wait for a person.
pub fn counts(app: &App, whose: &Whose) -> Result<Waiting, AppError> {
    let rows = app.store.memory_counts(whose)?;
    let apart = rows
        .iter()
        .filter(|count| count.status == MemoryStatus::Pending && count.shelf == Shelf::Quarantine);
    let quarantine = apart.map(|count| count.rows).sum();
    let queue = app
        .store
        .memories_waiting(whose)?
        .saturating_sub(quarantine);
    Ok(Waiting { queue, quarantine })
}

/// One page of a list, newest first, without neighbours.
pub fn list(app: &App, filter: &MemoryFilter) -> Result<Page, AppError> {
    let page = app.store.memories(filter)?;
    let rows = page.rows.into_iter().map(|row| plain(app, row));
    Ok(Page {
        rows: rows.collect::<Result<_, _>>()?,
        next: page.next,
    })
}

/// What waits, oldest first, after the one that was seen last.
pub fn waiting(
    app: &App,
    whose: &Whose,
    shelf: Shelf,
    after: Option<MemoryCursor>,
) -> Result<Option<(Candidate, MemoryCursor)>, AppError> {
    let page = app.store.memory_queue(whose, Some(shelf), after, Some(1))?;
    let Some(row) = page.rows.into_iter().next() else {
        return Ok(None);
    };
    let here = MemoryCursor::at(row.seq);
    Ok(Some((beside(app, row)?, here)))
}

/// One memory by its id or the beginning of it, with what stands beside it.
pub fn find(app: &App, id: &str) -> Result<Candidate, AppError> {
    beside(app, app.store.find_memory(id)?)
}

fn beside(app: &App, row: MemoryRow) -> Result<Candidate, AppError> {
    let near = app.store.neighbours(&row.id)?;
    let origins = app.store.seed_origins(&row.id)?;
    let mut candidate = plain(app, row)?;
    candidate.seeds = origins.into_iter().map(seed_origin).collect();
    for (neighbour, letter) in near.iter().take(NEIGHBOURS).zip('1'..) {
        candidate.neighbours.push(Beside {
            row: app.store.memory(&neighbour.memory)?,
            similarity: neighbour.similarity,
            letter,
        });
    }
    Ok(candidate)
}

fn seed_origin(row: SeedOriginRow) -> SeedOrigin {
    SeedOrigin {
        seed: SeedFacts::read(&row.seed),
        row,
    }
}

fn plain(app: &App, row: MemoryRow) -> Result<Candidate, AppError> {
    let project = match &row.project {
        Some(id) => Some(app.store.project(id)?.name),
        None => None,
    };
    Ok(Candidate {
        project,
        quarantined: quarantined(&row),
        neighbours: Vec::new(),
        seeds: Vec::new(),
        row,
    })
}

fn quarantined(row: &MemoryRow) -> Option<String> {
    if row.shelf != Shelf::Quarantine {
        return None;
    }
    let text = row.reviewed_text();
    let reads =
        orders::reads_as_orders(&text.summary).or_else(|| orders::reads_as_orders(&text.content));
    Some(match (reads, row.channel) {
        (Some(why), _) => format!("reads as orders to an agent: {why}"),
        (None, Channel::Tool | Channel::Web) => format!("came from the channel {}", row.channel),
        (None, _) => "reads as orders to an agent".to_owned(),
    })
}
