//! The filter or rank that kept a memory out of a recall (REC-07).

use taffrail_domain::{Lifecycle, MemoryStatus, Millis};
use taffrail_memory::recall::{Absence, Request};
use taffrail_store::{MemoryRow, TraceItem, TraceOutcome, TraceRow};

use crate::memory::search::ranking;
use crate::{App, AppError};

/// What kept a memory out, in one word for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Nothing: it was given.
    Given,
    /// It was not on record yet.
    Later,
    /// It is another project's, or the recall asked for personal memories only.
    Project,
    /// Its status takes it out of every recall, or its grade was not asked for.
    Status,
    /// It is not in force.
    Lifecycle,
    /// It is never offered by itself.
    Withheld,
    /// Its time was over.
    Stale,
    /// Its approval did not verify.
    Seal,
    /// It shares no term with the question.
    NoSharedTerm,
    /// Others ranked before it.
    Rank,
    /// Its score was below the floor.
    Floor,
    /// The section had no room left.
    Budget,
    /// It read the same as one that was given, or nothing of it was left to read.
    Text,
    /// As things stand today it would be given; something changed since.
    Since,
}

impl Kept {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Later => "later",
            Self::Project => "project",
            Self::Status => "status",
            Self::Lifecycle => "lifecycle",
            Self::Withheld => "withheld",
            Self::Stale => "stale",
            Self::Seal => "seal",
            Self::NoSharedTerm => "no_shared_term",
            Self::Rank => "rank",
            Self::Floor => "floor",
            Self::Budget => "budget",
            Self::Text => "text",
            Self::Since => "since",
        }
    }
}

/// Why a memory was not given.
#[derive(Debug, Clone)]
pub struct WhyNot {
    /// The memory as it is today.
    pub memory: MemoryRow,
    /// The recall.
    pub trace: TraceRow,
    /// What kept it out.
    pub kept: Kept,
    /// The same in a sentence, with the values.
    pub because: String,
    /// Whether the trace itself says so; otherwise it was found out from how things stand today.
    pub is_recorded: bool,
}

/// Why a recall did not give a memory: what the trace says, else the first filter that takes it out as it stands today.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what the store can give.
pub fn why_not(app: &App, memory: &str, trace: Option<&str>) -> Result<WhyNot, AppError> {
    let memory = app.store.find_memory(memory)?;
    let trace = match trace {
        Some(trace) => app.store.trace(trace)?,
        None => super::latest(app)?,
    };
    let items = app.store.trace_items(&trace)?;
    let at = items.iter().find(|item| item.memory == memory.id);
    let (kept, because) = match at {
        Some(item) => recorded(item, &items, &trace),
        None => match filtered(&memory, &trace) {
            Some(filtered) => filtered,
            None => ranked(app, &memory, &trace)?,
        },
    };
    Ok(WhyNot {
        kept,
        because,
        is_recorded: at.is_some(),
        memory,
        trace,
    })
}

fn recorded(item: &TraceItem, items: &[TraceItem], trace: &TraceRow) -> (Kept, String) {
    let score = item.score;
    match item.outcome {
        TraceOutcome::Given => (
            Kept::Given,
            format!("it was given, with a score of {score:.3}"),
        ),
        TraceOutcome::NotInTop => (Kept::Rank, rank(item, items)),
        TraceOutcome::BelowFloor => {
            let floor = trace.floor.unwrap_or_default();
            (
                Kept::Floor,
                format!("its score {score:.3} is below the floor {floor:.3}"),
            )
        }
        TraceOutcome::Budget => (
            Kept::Budget,
            "the section had no room left for its line".to_owned(),
        ),
        TraceOutcome::Repeats => (
            Kept::Text,
            "its line read the same as one that was given".to_owned(),
        ),
        TraceOutcome::Blank => (
            Kept::Text,
            "nothing of its text was left to read".to_owned(),
        ),
        TraceOutcome::Seal => (
            Kept::Seal,
            "the seal of its approval did not verify".to_owned(),
        ),
        TraceOutcome::Stale => (Kept::Stale, "its time was over".to_owned()),
        TraceOutcome::Grade => (
            Kept::Status,
            "its status did not fit what was asked for".to_owned(),
        ),
        TraceOutcome::Project => (Kept::Project, "it is another project's".to_owned()),
        TraceOutcome::Withheld => (Kept::Withheld, "it is never offered by itself".to_owned()),
    }
}

fn rank(item: &TraceItem, items: &[TraceItem]) -> String {
    let given = items
        .iter()
        .filter(|item| item.outcome == TraceOutcome::Given);
    let last = given
        .clone()
        .map(|item| item.score)
        .fold(f64::INFINITY, f64::min);
    let count = given.count();
    let score = item.score;
    if count == 0 {
        return format!("its score {score:.3} was not among the best");
    }
    format!("its score {score:.3} came after the {count} that were given, the last with {last:.3}")
}

/// The filters that can be told from the row alone, in the order in which recall applies them.
fn filtered(memory: &MemoryRow, trace: &TraceRow) -> Option<(Kept, String)> {
    if memory.inserted_at > trace.at {
        return Some((Kept::Later, "it came in after this recall".to_owned()));
    }
    if memory.project.is_some() && memory.project != trace.project {
        return Some((
            Kept::Project,
            "it belongs to another project than the one that was asked about".to_owned(),
        ));
    }
    if let Some(word) = out_of_force(memory) {
        return Some((Kept::Lifecycle, format!("it is {word} today, not in force")));
    }
    if memory.bits.do_not_inject_automatically {
        return Some((
            Kept::Withheld,
            format!("it is {} today, never offered by itself", memory.status),
        ));
    }
    let over = memory.stale_after.filter(|end| *end <= trace.at);
    over.map(|Millis(_)| (Kept::Stale, "its time was over then".to_owned()))
}

fn out_of_force(memory: &MemoryRow) -> Option<&'static str> {
    let retired = matches!(
        memory.status,
        MemoryStatus::Rejected | MemoryStatus::Stale | MemoryStatus::Merged
    );
    match memory.lifecycle {
        Lifecycle::Active => retired.then_some(memory.status.name()),
        Lifecycle::Stale | Lifecycle::Superseded | Lifecycle::Disputed | Lifecycle::Rejected => {
            Some(memory.lifecycle.name())
        }
    }
}

/// What the index says, asked again with the question of then.
fn ranked(app: &App, memory: &MemoryRow, trace: &TraceRow) -> Result<(Kept, String), AppError> {
    let project = match &trace.project {
        Some(id) => Some(app.store.project(id)?.seq),
        None => None,
    };
    let request = Request {
        project,
        grades: &trace.grades,
        query: &trace.query,
        limit: wanted(trace),
        now: trace.at,
        ranking: ranking(app),
    };
    Ok(absent(
        app.store.explain_absence(&request, memory.seq)?,
        memory,
        trace,
    ))
}

fn absent(absence: Absence, memory: &MemoryRow, trace: &TraceRow) -> (Kept, String) {
    let asked: Vec<_> = trace.grades.iter().map(|grade| grade.name()).collect();
    let asked = asked.join(", ");
    match absence {
        Absence::NotIndexed => (
            Kept::Status,
            format!("it is {} today, which no recall offers", memory.status),
        ),
        Absence::OtherScope { .. } => (Kept::Project, "it belongs to another project".to_owned()),
        Absence::GradeNotAsked { grade } => (
            Kept::Status,
            format!("it is {grade} today, and the recall asked for {asked}"),
        ),
        Absence::Stale { .. } => (Kept::Stale, "its time was over then".to_owned()),
        Absence::NoTerms => (
            Kept::NoSharedTerm,
            "the question has no word that is looked for".to_owned(),
        ),
        Absence::NothingShared => {
            let terms = trace.terms.join(", ");
            (
                Kept::NoSharedTerm,
                format!("it shares none of the terms that were looked for: {terms}"),
            )
        }
        Absence::NotACandidate { score, scored } => (
            Kept::Rank,
            format!(
                "it shares only common terms (score {score:.3}), and {scored} with rarer ones came before"
            ),
        ),
        Absence::PastLimit {
            rank,
            score,
            needed,
        } => (
            Kept::Rank,
            format!(
                "it would be number {rank} today with a score of {score:.3}; the last one taken has {needed:.3}"
            ),
        ),
        Absence::Offered { rank, .. } => (
            Kept::Since,
            format!(
                "it would be number {rank} today: it, or what stood beside it, was changed or approved since"
            ),
        ),
    }
}

fn wanted(trace: &TraceRow) -> usize {
    let limits: Option<serde_json::Value> = serde_json::from_str(&trace.limits).ok();
    let items = limits.and_then(|limits| limits.get("items")?.as_u64());
    usize::try_from(items.unwrap_or(5)).unwrap_or(5)
}
