//! Recall: what may be used, ranked, with the seals of approvals checked (REC-01, REV-04), and its trace (REC-06).

use serde_json::json;
use taffrail_domain::{ContentHash, Grade, MemoryId, Millis, TraceId};
use taffrail_memory::inject::{self, Injected, Item, Limits, Reason};
use taffrail_memory::rank::{Kinds, Ranking};
use taffrail_memory::recall::{Exclusion, FLOOR, Hit, Recalled, Request};
use taffrail_store::{
    HitRow, NewTrace, NewTraceItem, ProjectRow, SealRow, TraceKeep, TraceOutcome, TraceSurface,
};

use super::seals::{self, Chain, Checker};
use crate::{App, AppError};

/// A question to the memory.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The words.
    pub query: &'a str,
    /// The project; without one only personal memories are searched.
    pub project: Option<&'a ProjectRow>,
    /// What may be offered.
    pub grades: &'a [Grade],
    /// Memories wanted.
    pub limit: usize,
    /// The time that ages and limits are taken from.
    pub now: Millis,
}

/// A memory that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its place and scores.
    pub hit: Hit,
    /// What is on record of it.
    pub row: HitRow,
    /// The hash of the text that was approved, where it is one whose seal verifies: no other text is given in its place.
    pub sealed: Option<ContentHash>,
}

/// What a question came to.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The best, in order, at most as many as were wanted.
    pub found: Vec<Found>,
    /// Approvals that do not count because their seal does not verify.
    pub unsealed: Vec<Found>,
    /// Rows that the index has under a grade or a scope that is not theirs, or past their end: it was edited by hand.
    pub misfiled: Vec<Found>,
    /// What else was considered, and how the question was read.
    pub recalled: Recalled,
}

/// Asks one or many questions; what checks the seals is read once.
pub struct Searcher<'a> {
    app: &'a App,
    checker: Option<Checker>,
    chain: Option<Chain>,
    ranking: Ranking,
}

impl<'a> Searcher<'a> {
    /// A searcher by the configuration's ranking.
    pub fn new(app: &'a App) -> Self {
        Self {
            app,
            checker: None,
            chain: None,
            ranking: ranking(app),
        }
    }

    /// Answers a question. Nothing is recorded.
    pub fn search(&mut self, question: &Question<'_>) -> Result<Answer, AppError> {
        let recalled = self.app.store.recall(&Request {
            project: question.project.map(|row| row.seq),
            grades: question.grades,
            query: question.query,
            limit: question.limit,
            now: question.now,
            ranking: self.ranking,
        })?;
        let mut answer = Answer {
            found: Vec::new(),
            unsealed: Vec::new(),
            misfiled: Vec::new(),
            recalled,
        };
        let hits = answer.recalled.hits.clone();
        let mut rest = hits.as_slice();
        // As many at a time as are still wanted: a seal costs more to check than a row to rank.
        while answer.found.len() < question.limit && !rest.is_empty() {
            let wanted = (question.limit - answer.found.len()).min(rest.len());
            let (some, later) = rest.split_at(wanted);
            self.take(question, some, &mut answer)?;
            rest = later;
        }
        Ok(answer)
    }

    fn take(
        &mut self,
        question: &Question<'_>,
        hits: &[Hit],
        answer: &mut Answer,
    ) -> Result<(), AppError> {
        let numbers: Vec<i64> = hits.iter().map(|hit| hit.memory).collect();
        let rows = self.app.store.hit_rows(&numbers)?;
        let approved: Vec<MemoryId> = hits
            .iter()
            .filter(|hit| hit.grade == Grade::Approved)
            .filter_map(|hit| rows.iter().find(|row| row.seq == hit.memory))
            .map(|row| row.id)
            .collect();
        let sealed = if approved.is_empty() {
            Default::default()
        } else {
            let checker = self.checker();
            checker.check_along(self.app, &approved, &mut self.chain)?.0
        };
        for row in rows {
            let Some(hit) = hits.iter().find(|hit| hit.memory == row.seq).copied() else {
                continue;
            };
            let seal = sealed.get(&row.id);
            let counts = hit.grade != Grade::Approved || seal.is_some();
            let is_asked_for = is_asked_for(question, &hit, &row, seal);
            let sealed = seal.map(|seal| seal.content);
            let found = Found { hit, row, sealed };
            if !counts {
                answer.unsealed.push(found);
            } else if is_asked_for {
                answer.found.push(found);
            } else {
                answer.misfiled.push(found);
            }
        }
        Ok(())
    }

    /// Why no approval can count at all, where that is so and one was found.
    pub fn closed(&self) -> Option<&str> {
        match &self.checker {
            Some(Checker::Closed { why }) => Some(why),
            Some(Checker::Ready { .. }) | None => None,
        }
    }

    fn checker(&mut self) -> Checker {
        let app = self.app;
        self.checker
            .get_or_insert_with(|| seals::checker(app))
            .clone()
    }
}

/// Whether the row itself is what the index says: of that grade, of the scope that was asked for, and not past its end. The
/// index is a table as every other, and no seal covers it.
fn is_asked_for(question: &Question<'_>, hit: &Hit, row: &HitRow, seal: Option<&SealRow>) -> bool {
    let (project, end) = match seal {
        Some(seal) => (seal.project, seal.stale_after),
        None => (row.project, row.stale_after),
    };
    let in_scope = project.is_none() || project == question.project.map(|asked| asked.id);
    let is_over = end.is_some_and(|end| end <= question.now);
    row.grade == Some(hit.grade) && in_scope && !is_over
}

/// The section of a prompt with what was recalled, and the trace of it.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// The section; empty where nothing was given.
    pub text: String,
    /// The trace of the recall; none where nothing was asked.
    pub trace: Option<TraceId>,
}

/// What a turn in which a person says `query` is given of the memory: approved and sealed memories only (REC-01, REC-05).
pub fn recall_section(
    app: &App,
    project: Option<&ProjectRow>,
    query: &str,
    now: Millis,
    surface: TraceSurface,
) -> Result<Section, AppError> {
    if query.trim().is_empty() {
        return Ok(Section::default());
    }
    let limits = limits(app);
    let question = Question {
        query,
        project,
        grades: &[Grade::Approved],
        limit: limits.items,
        now,
    };
    let answer = Searcher::new(app).search(&question)?;
    let items = items(app, &answer)?;
    let injected = inject::render(&items, &limits);
    let trace = trace(app, surface, &question, &answer, Some((&injected, &limits)))?;
    Ok(Section {
        text: injected.section,
        trace: Some(trace),
    })
}

/// The texts of what was found above the floor, as lines of a section.
fn items(app: &App, answer: &Answer) -> Result<Vec<Item>, AppError> {
    let known = answer.found.iter().filter(|found| !found.hit.below_floor);
    let mut items = Vec::new();
    for found in known {
        let memory = app.store.memory(&found.row.id)?;
        // What was sealed and what is read are two reads: between them somebody could have put another text.
        let is_the_same = found.sealed.is_none_or(|sealed| sealed == memory.text.hash);
        if is_the_same {
            items.push(Item {
                id: memory.id,
                kind: memory.kind,
                summary: memory.text.summary,
                content: memory.text.content,
                marks: marks(found),
            });
        }
    }
    Ok(items)
}

fn marks(found: &Found) -> Vec<String> {
    let grade = match found.hit.grade {
        Grade::Approved => None,
        Grade::Evidence | Grade::Pending => Some(found.hit.grade.name()),
    };
    let open = found.row.is_open.then_some("open");
    grade.into_iter().chain(open).map(str::to_owned).collect()
}

/// Puts a recall on record (REC-06).
pub fn trace(
    app: &App,
    surface: TraceSurface,
    question: &Question<'_>,
    answer: &Answer,
    injected: Option<(&Injected, &Limits)>,
) -> Result<TraceId, AppError> {
    let new = new_trace(app, surface, question, answer, injected)?;
    record(app, &new)?;
    Ok(new.id)
}

/// The trace of a recall, before it is on record.
pub(super) fn new_trace(
    app: &App,
    surface: TraceSurface,
    question: &Question<'_>,
    answer: &Answer,
    injected: Option<(&Injected, &Limits)>,
) -> Result<NewTrace, AppError> {
    let limits = injected.map(|(_, limits)| *limits);
    Ok(NewTrace {
        id: new_trace_id(app)?,
        at: app.inputs.clock.now(),
        surface,
        session: None,
        turn: None,
        project: question.project.map(|row| row.id),
        query: app.redactor.clean(question.query),
        terms: answer
            .recalled
            .terms
            .iter()
            .map(|term| term.term.clone())
            .collect(),
        grades: question.grades.to_vec(),
        limits: app.redactor.clean(&limits_json(limits, question.limit)),
        candidates: answer.recalled.scored as u64,
        floor: Some(FLOOR),
        section_hash: injected.and_then(|(injected, _)| section_hash(injected)),
        missed: answer.recalled.nothing_known,
        items: trace_items(app, answer, injected.map(|(injected, _)| injected))?,
    })
}

/// Puts it on record.
pub(super) fn record(app: &App, new: &NewTrace) -> Result<(), AppError> {
    Ok(app.store.trace_recall(new, keep(app))?)
}

fn limits_json(limits: Option<Limits>, wanted: usize) -> String {
    limits
        .map_or_else(
            || json!({ "items": wanted }),
            |limits| json!({ "items": limits.items, "line_chars": limits.line_chars, "total_chars": limits.total_chars }),
        )
        .to_string()
}

fn section_hash(injected: &Injected) -> Option<[u8; 32]> {
    use sha2::{Digest, Sha256};
    (!injected.section.is_empty()).then(|| Sha256::digest(injected.section.as_bytes()).into())
}

fn trace_items(
    app: &App,
    answer: &Answer,
    injected: Option<&Injected>,
) -> Result<Vec<NewTraceItem>, AppError> {
    let mut items: Vec<NewTraceItem> = answer
        .found
        .iter()
        .map(|found| item(found, outcome(found, injected)))
        .collect();
    items.extend(
        answer
            .unsealed
            .iter()
            .map(|found| item(found, TraceOutcome::Seal)),
    );
    let misfiled = answer.misfiled.iter();
    items.extend(misfiled.map(|found| item(found, TraceOutcome::Grade)));
    let considered = &answer.recalled.considered;
    let numbers: Vec<i64> = considered
        .iter()
        .map(|considered| considered.hit.memory)
        .collect();
    for row in app.store.hit_rows(&numbers)? {
        let known = considered
            .iter()
            .find(|considered| considered.hit.memory == row.seq);
        let taken = items.iter().any(|item| item.memory == row.id);
        if let (Some(considered), false) = (known, taken) {
            let outcome = match considered.excluded {
                Exclusion::Stale => TraceOutcome::Stale,
                Exclusion::PastLimit => TraceOutcome::NotInTop,
            };
            let hit = considered.hit;
            let sealed = None;
            items.push(item(&Found { hit, row, sealed }, outcome));
        }
    }
    Ok(items)
}

/// Without a section everything that was found was given: to a person who searched.
fn outcome(found: &Found, injected: Option<&Injected>) -> TraceOutcome {
    let Some(injected) = injected else {
        return TraceOutcome::Given;
    };
    let left_out = injected.left_out.iter().find(|(id, _)| *id == found.row.id);
    match left_out {
        Some((_, Reason::Items)) => TraceOutcome::NotInTop,
        Some((_, Reason::Budget)) => TraceOutcome::Budget,
        Some((_, Reason::Repeats)) => TraceOutcome::Repeats,
        Some((_, Reason::Blank)) => TraceOutcome::Blank,
        None if injected.given.contains(&found.row.id) => TraceOutcome::Given,
        None => TraceOutcome::BelowFloor,
    }
}

fn item(found: &Found, outcome: TraceOutcome) -> NewTraceItem {
    NewTraceItem {
        memory: found.row.id,
        revision: found.row.revision,
        grade: found.hit.grade,
        relevance: found.hit.relevance,
        fade: found.hit.factor,
        score: found.hit.score,
        marks: marks(found),
        outcome,
    }
}

/// How rows are scored, by the configuration.
pub fn ranking(app: &App) -> Ranking {
    let config = &app.config.recall;
    Ranking {
        half_life_days: config.half_life.value.get().as_secs_f64() / 86_400.0,
        floor: config.floor_of_age.value.get(),
        ageless: kinds(&config.ageless.value),
        fading: kinds(&config.fading.value),
        ..Ranking::default()
    }
}

/// The configuration was checked when it was read: every name is a type's.
fn kinds(names: &[String]) -> Kinds {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

fn limits(app: &App) -> Limits {
    let config = &app.config.recall;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        items: size(config.items.value),
        line_chars: size(config.line_characters.value),
        total_chars: Some(size(config.total_characters.value)),
    }
}

fn keep(app: &App) -> TraceKeep {
    let config = &app.config.recall;
    TraceKeep {
        age_millis: i64::try_from(config.trace_keep.value.get().as_millis()).unwrap_or(i64::MAX),
        count: config.trace_count.value,
    }
}

fn new_trace_id(app: &App) -> Result<TraceId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    Ok(TraceId::new(
        app.inputs.clock.now().0.unsigned_abs(),
        random,
    ))
}
