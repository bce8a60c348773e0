//! `memory_recall` and `memory_propose` (REC-10): what a person has reviewed is found, what is proposed waits for one.

use taffrail_domain::{Channel, ErrorCode, Grade, MemoryStatus, MemoryType, Millis, Source};
use taffrail_mcp::{Caller, Failure, answers, args};
use taffrail_memory::draft::{Draft, Scope};
use taffrail_store::{Outcome, TraceSurface};

use super::slates::moment;
use super::{Opened, Server, client, failure, unfit};
use crate::memory::search::{self, Answer, Question, Searcher};
use crate::memory::write;
use crate::{App, AppError};

/// Memories that a recall gives without a limit of the caller's.
const ITEMS: u64 = 5;
/// One day, in milliseconds.
const DAY: i64 = 86_400_000;

pub(super) fn recall(
    server: &Server,
    args: &args::MemoryRecall,
) -> Result<answers::MemoryRecalled, Failure> {
    let grades = grades(args.include.as_deref())?;
    let app = server.app().map_err(failure)?;
    answer(&app, args, &grades).map_err(failure)
}

/// Approved ones; what may be cited besides where the caller asks for it. Pending ones never: an agent that can read what
/// agents wrote is steered by it (REC-01).
fn grades(include: Option<&[String]>) -> Result<Vec<Grade>, Failure> {
    let Some(include) = include else {
        return Ok(vec![Grade::Approved]);
    };
    let grade = |word: &String| match word.parse::<Grade>() {
        Ok(grade @ (Grade::Approved | Grade::Evidence)) => Ok(grade),
        Ok(Grade::Pending) | Err(_) => {
            let message = format!("'include' takes approved and evidence, not `{word}`");
            Err(unfit(message))
        }
    };
    include.iter().map(grade).collect()
}

fn answer(
    app: &Opened,
    args: &args::MemoryRecall,
    grades: &[Grade],
) -> Result<answers::MemoryRecalled, AppError> {
    let project = app.known_project()?;
    let question = Question {
        query: &args.query,
        project: project.as_ref(),
        grades,
        limit: usize::try_from(args.limit.unwrap_or(ITEMS)).unwrap_or(usize::MAX),
        now: app.inputs.clock.now(),
    };
    let mut searcher = Searcher::new(app);
    let mut answer = searcher.search(&question)?;
    answer.found.retain(|found| !found.hit.below_floor);
    let note = note(&searcher, &answer);
    let trace = search::trace(app, TraceSurface::Mcp, &question, &answer, None)?;
    Ok(answers::MemoryRecalled {
        memories: shown(app, &answer)?,
        trace: Some(trace.short()),
        note,
    })
}

fn note(searcher: &Searcher<'_>, answer: &Answer) -> Option<String> {
    let unsealed = answer.unsealed.len();
    match searcher.closed() {
        Some(why) => Some(format!("approvals cannot be checked: {why}")),
        None if unsealed > 0 => Some(format!(
            "{unsealed} left out: their approval does not verify"
        )),
        None if answer.found.is_empty() => Some("nothing that was reviewed fits".to_owned()),
        None => None,
    }
}

/// Texts as they were approved. Between the check of a seal and the read of its text somebody could have put another.
fn shown(app: &App, answer: &Answer) -> Result<Vec<answers::Memory>, AppError> {
    let mut memories = Vec::new();
    for found in &answer.found {
        let row = app.store.memory(&found.row.id)?;
        if found.sealed.is_some_and(|sealed| sealed != row.text.hash) {
            continue;
        }
        memories.push(answers::Memory {
            id: row.id.short(),
            r#type: row.kind.name().to_owned(),
            grade: found.hit.grade.name().to_owned(),
            summary: row.text.summary,
            content: row.text.content,
            created: moment(row.created_at),
            scope: row.project.map_or("personal", |_| "project"),
            score: found.hit.score,
            open: found.row.is_open,
        });
    }
    Ok(memories)
}

pub(super) fn propose(
    server: &Server,
    caller: &Caller,
    args: args::MemoryPropose,
) -> Result<answers::MemoryProposed, Failure> {
    let kind: MemoryType = args
        .r#type
        .parse()
        .map_err(|error| unfit(format!("'type' {error}")))?;
    let app = server.app().map_err(failure)?;
    let project = app.known_project().map_err(failure)?;
    let scope = project.map_or(Scope::Personal, |row| Scope::Project(row.id));
    let client = client(&app, caller);
    let mut draft = Draft::new(scope, kind, args.content, Channel::External);
    draft.summary = args.summary;
    draft.source_refs = args.source_refs;
    draft.confidence = args.confidence_percent.map(share);
    draft.stale_after = args.stale_after_days.map(|days| after_days(&app, days));
    draft.source = Source {
        runtime: "mcp".to_owned(),
        client: client.map(|client| format!("{} {}", client.name, client.version)),
        ..Source::default()
    };
    let written = write::write(&app, draft).map_err(blocked)?;
    let row = app
        .store
        .memory(&written.memory)
        .map_err(|error| failure(error.into()))?;
    Ok(answers::MemoryProposed {
        id: row.id.short(),
        outcome: match written.outcome {
            Outcome::New => "new",
            Outcome::Repeat { .. } => "repeat",
        },
        status: MemoryStatus::name(row.status).to_owned(),
    })
}

/// Percent as a share of one.
fn share(percent: u64) -> f64 {
    f64::from(u8::try_from(percent).unwrap_or(100).min(100)) / 100.0
}

fn after_days(app: &App, days: u64) -> Millis {
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    let now = app.inputs.clock.now();
    Millis(now.0.saturating_add(days.saturating_mul(DAY)))
}

fn blocked(error: AppError) -> Failure {
    match error {
        AppError::Blocked(why) => Failure {
            code: ErrorCode::MemoryBlocked,
            message: format!("nothing was stored: {why}"),
            hint: None,
        },
        error => failure(error),
    }
}
