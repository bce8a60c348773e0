//! The one way in: every writer's draft passes the guardrails here and arrives pending (MEM-02).

use taffrail_domain::{Channel, MemoryId, MemoryType, Millis, Provenance, Source, SourceRef};
use taffrail_memory::draft::{Blocked, Draft, Scope, screen};
use taffrail_store::{BlockedDraft, NewMemory, Written};

use super::evidence;
use crate::{App, AppError};

/// Drafts that are worth a thread of their own: some milliseconds of work.
const LEAST_SHARE: usize = 32;
/// One day, in milliseconds.
const DAY: i64 = 86_400_000;

/// Whose a memory is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The project that the working directory belongs to; personal where it belongs to none.
    Current,
    /// The project of this name or id.
    Project(&'a str),
    /// The operator's own.
    Personal,
}

/// What a person wants remembered.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    /// The text.
    pub text: &'a str,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// One sentence; without it, the first of the text.
    pub summary: Option<&'a str>,
    /// Whose it is.
    pub owner: Owner<'a>,
    /// Things outside that it rests on.
    pub source_refs: Vec<SourceRef>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Days after which it is not recalled.
    pub stale_after_days: Option<u32>,
    /// The box that it was learnt from.
    pub run: Option<&'a str>,
}

/// Writes down what a person said. It is pending like everything else.
pub fn add(app: &App, said: &Said<'_>) -> Result<Written, AppError> {
    let learnt = said
        .run
        .map(|name| evidence::of_run(app, name))
        .transpose()?;
    let scope = match &learnt {
        Some(learnt) => learnt.scope(app)?.unwrap_or(scope(app, said.owner)?),
        None => scope(app, said.owner)?,
    };
    let now = app.inputs.clock.now();
    let mut draft = Draft::new(scope, said.kind, said.text.to_owned(), Channel::Operator);
    draft.summary = said.summary.map(str::to_owned);
    draft.source_refs.clone_from(&said.source_refs);
    draft.confidence = said.confidence;
    draft.stale_after = said
        .stale_after_days
        .map(|days| Millis(now.0.saturating_add(i64::from(days) * DAY)));
    draft.provenance = Provenance::Observed;
    draft.source = Source {
        runtime: learnt.as_ref().map_or("cli", |_| "box").to_owned(),
        session: learnt.as_ref().map(|learnt| learnt.session.clone()),
        ..Source::default()
    };
    draft.evidence = learnt.map(|learnt| learnt.facts);
    write(app, draft)
}

/// Writes one draft.
///
/// # Errors
/// `Blocked` where the guardrails refuse it, which is in the journal then; what the store can give.
pub fn write(app: &App, draft: Draft) -> Result<Written, AppError> {
    let door = (draft.scope, draft.channel);
    match screened(app, draft)? {
        Ok(new) => Ok(app.store.write_memory(new)?),
        Err(why) => {
            block(app, &why, door)?;
            Err(AppError::Blocked(why))
        }
    }
}

/// Writes drafts, each answered in order. What is refused goes into the journal, without its text.
pub fn write_all(app: &App, drafts: Vec<Draft>) -> Result<Vec<Result<Written, Blocked>>, AppError> {
    let doors: Vec<_> = drafts
        .iter()
        .map(|draft| (draft.scope, draft.channel))
        .collect();
    let mut answers = Vec::with_capacity(drafts.len());
    let mut new = Vec::with_capacity(drafts.len());
    for (screened, door) in screen_all(app, drafts)?.into_iter().zip(doors) {
        match screened {
            Ok(draft) => {
                new.push(draft);
                answers.push(None);
            }
            Err(why) => {
                block(app, &why, door)?;
                answers.push(Some(why));
            }
        }
    }
    let mut written = app.store.write_memories(new)?.into_iter();
    Ok(answers
        .into_iter()
        .filter_map(|blocked| match blocked {
            Some(blocked) => Some(Err(blocked)),
            None => written.next().map(Ok),
        })
        .collect())
}

/// Drafts through the guardrails, in order; whoever keeps them puts the refusals on record. Many are shared out between the
/// processors: looking for secrets and orders costs more than writing.
pub(crate) fn screen_all(
    app: &App,
    drafts: Vec<Draft>,
) -> Result<Vec<Result<NewMemory, Blocked>>, AppError> {
    let shares = std::thread::available_parallelism().map_or(1, usize::from);
    let share = drafts.len().div_ceil(shares).max(LEAST_SHARE);
    if drafts.len() <= share {
        return drafts
            .into_iter()
            .map(|draft| screened(app, draft))
            .collect();
    }
    let mut rest = drafts.into_iter();
    let parts = std::iter::from_fn(|| {
        let part: Vec<Draft> = rest.by_ref().take(share).collect();
        (!part.is_empty()).then_some(part)
    });
    std::thread::scope(|scope| {
        let running: Vec<_> = parts
            .map(|part| {
                scope.spawn(move || {
                    part.into_iter()
                        .map(|draft| screened(app, draft))
                        .collect::<Result<Vec<_>, _>>()
                })
            })
            .collect();
        let mut all = Vec::new();
        for part in running {
            // A thread that panicked has said so; nothing of its part is written.
            all.extend(part.join().map_err(|_| AppError::ScreeningFailed)??);
        }
        Ok(all)
    })
}

/// Through the guardrails.
fn screened(app: &App, draft: Draft) -> Result<Result<NewMemory, Blocked>, AppError> {
    Ok(match screen(draft, &app.redactor) {
        Ok(draft) => Ok(NewMemory {
            draft,
            id: new_id(app)?,
            salt: salt()?,
        }),
        Err(why) => Err(why),
    })
}

/// Puts a refusal on record before it is told.
fn block(app: &App, why: &Blocked, (scope, channel): (Scope, Channel)) -> Result<(), AppError> {
    Ok(app.store.block(&BlockedDraft {
        why,
        scope,
        channel,
    })?)
}

/// Random bytes for the hash of a text.
pub(super) fn salt() -> Result<[u8; 16], AppError> {
    crate::context::random()
}

/// The scope that an owner means.
pub fn scope(app: &App, owner: Owner<'_>) -> Result<Scope, AppError> {
    let project = match owner {
        Owner::Personal => None,
        Owner::Current => app.current_project()?,
        Owner::Project(name) => Some(app.required_project(Some(name))?),
    };
    Ok(project.map_or(Scope::Personal, |row| Scope::Project(row.id)))
}

pub(crate) fn new_id(app: &App) -> Result<MemoryId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    Ok(MemoryId::new(
        app.inputs.clock.now().0.unsigned_abs(),
        random,
    ))
}
