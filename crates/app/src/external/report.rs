//! The end of a run: rows, captured change, candidates, exports, and the report that a surface shows (FA-26, FA-29).

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use taffrail_domain::{ChangeHash, ChangeState, EndReason, Enforcement, RunId, RunStatus};
use taffrail_redact::Clean;
use taffrail_store::AgentEnded;

use super::doors::{self, Proposed, RunDoors};
use super::driver::Driven;
use super::events::{Ended, RunEvent};
use super::record::Record;
use super::result::ResultDocument;
use super::{ExternalRequest, exports};
use crate::boxes::job::Job;
use crate::boxes::{ChangeReport, discard, finish, review};
use crate::{App, AppError};

/// A run at its end.
#[derive(Debug, Clone)]
pub struct ExternalReport {
    /// The run.
    pub run: RunId,
    /// The agent's id in the registry.
    pub agent: String,
    /// How it ended.
    pub status: RunStatus,
    /// Why.
    pub reason: EndReason,
    /// What there is to say of that; the agent's words among it.
    pub detail: String,
    /// How long the agent ran.
    pub lasted: Duration,
    /// Processes that it had left running, ended by us.
    pub left: usize,
    /// What was enforced.
    pub enforcement: Option<Enforcement>,
    /// What changed. Of a run that may not write it was thrown away.
    pub change: ChangeReport,
    /// The result document, where a valid one came.
    pub result: Option<ResultDocument>,
    /// The final text of a run without one.
    pub partial: Option<String>,
    /// What was refused, one line each.
    pub refused: Vec<String>,
    /// Paths that changed without a question.
    pub wrote_without_asking: Vec<String>,
    /// Commands were allowed: such a path may be theirs.
    pub commands_allowed: bool,
    /// What the result document brought to the memory.
    pub proposed: Proposed,
    /// Seeds of the run's slate that wait for a person.
    pub seeds: u64,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The folder of what is not rows.
    pub session_dir: String,
    /// The end of what it wrote to standard error, redacted.
    pub stderr: String,
}

/// What a run ends with.
pub(super) struct Ending<'a> {
    pub app: &'a App,
    pub request: &'a ExternalRequest,
    pub job: &'a Job<'a>,
    pub agent: &'a str,
    pub doors: Option<&'a RunDoors>,
}

/// Puts the ending on record, captures, clears, exports, tells the result: with the error, where there was one to the end.
pub(super) fn conclude(
    ending: &Ending<'_>,
    record: &mut Record<'_>,
    driven: Driven,
) -> Result<ExternalReport, AppError> {
    let (app, run) = (ending.app, ending.job.run);
    let reason = driven.reason;
    let (status, word) = match &driven.outcome {
        Ok(_) => (reason.status(), reason.name()),
        Err(error) => (RunStatus::Error, error.code().row().name),
    };
    let ended = driven.outcome.as_ref().ok().map(|outcome| outcome.ended);
    app.store.run_ended(&run, status, word, ended)?;
    ending.job.plan.gate.record(app, &run)?;
    let (change, not_captured) = match capture(ending) {
        Ok(change) => (change, None),
        Err(error) => (nothing(), Some(error)),
    };
    let unasked = wrote_without_asking(ending, &driven, &change);
    unseen(record, &driven, &unasked);
    let session = record.frames.finish().map_err(super::text::not_kept);
    put_on_record(ending, record, &driven, &unasked)?;
    let proposed = propose(ending, &driven)?;
    let seeds = seeds(ending)?;
    let exported = exports::export(app, &run).err();
    let (outcome, failed) = match driven.outcome {
        Ok(outcome) => (Some(outcome), not_captured),
        Err(error) => (None, Some(error)),
    };
    let failed = failed.or(session.err()).or(exported);
    let clean = |text: &str| app.redactor.clean(text).into_string();
    let mut result = driven.result.and_then(Result::ok);
    if let Some(result) = &mut result {
        result.summary = clean(&result.summary);
    }
    let report = ExternalReport {
        run,
        agent: ending.agent.to_owned(),
        status,
        reason,
        detail: clean(&driven.detail),
        lasted: outcome
            .as_ref()
            .map_or(Duration::ZERO, |outcome| outcome.lasted),
        left: outcome.as_ref().map_or(0, |outcome| outcome.left),
        enforcement: driven.enforcement,
        change,
        partial: result
            .is_none()
            .then(|| clean(&driven.final_text))
            .filter(|text| !text.is_empty()),
        result,
        refused: record.refusals(),
        wrote_without_asking: record.cleaned(unasked),
        commands_allowed: driven.commands_allowed,
        proposed,
        seeds,
        notes: record.notes.clone(),
        session_dir: ending.job.folders.session.display().to_string(),
        stderr: clean_tail(app, &driven.stderr.into_bytes()),
    };
    tell(record, ending, &report, failed.as_ref());
    failed.map_or(Ok(report), Err)
}

/// What is known of a change that could not be captured: its tree is kept, and the error says where.
fn nothing() -> ChangeReport {
    ChangeReport {
        state: ChangeState::Empty,
        hash: ChangeHash::new([0; 32]),
        changes: Vec::new(),
        ignored: 0,
    }
}

/// What changed is stored. Of a run that may not write nothing waits for anybody: it is thrown away, on record.
fn capture(ending: &Ending<'_>) -> Result<ChangeReport, AppError> {
    let (app, run, folders) = (ending.app, ending.job.run, &ending.job.folders);
    let mut change = finish::capture(app, &ending.job.plan.project, run, folders)?;
    finish::settle(app, run, folders, false)?;
    if change.state == ChangeState::Pending && !ending.request.may_write {
        discard::discard(app, &review::find(app, &run.short())?)?;
        change.state = ChangeState::Discarded;
    }
    Ok(change)
}

/// The changed paths that no question was about.
fn wrote_without_asking(
    ending: &Ending<'_>,
    driven: &Driven,
    change: &ChangeReport,
) -> Vec<String> {
    let tree = &ending.job.folders.tree;
    let allowed: BTreeSet<Vec<u8>> = driven
        .allowed_paths
        .iter()
        .map(|path| super::text::beneath(tree, path))
        .collect();
    let changed = change.changes.iter().map(|change| &change.path);
    changed
        .filter(|path| !allowed.contains(path.as_bytes()))
        .map(|path| path.to_text())
        .collect()
}

/// What nobody could see or hold back, said once for the record.
fn unseen(record: &mut Record<'_>, driven: &Driven, unasked: &[String]) {
    if !unasked.is_empty() && !driven.commands_allowed {
        let files = unasked.len();
        record.note(&format!("the agent changed {files} path(s) without asking"));
    }
    if driven.facts.mode.requested.is_some() && !driven.facts.mode.verified {
        let why = driven
            .facts
            .mode
            .gap
            .as_ref()
            .map_or("", taffrail_acp::Gap::name);
        record.note(&format!(
            "the agent did not confirm the mode in which it asks ({why})"
        ));
    }
}

fn unseen_json(app: &App, driven: &Driven, unasked: &[String]) -> Clean {
    let mut unseen = vec![
        json!({"what": "inner_tools", "text": "tools that the agent runs itself and does not ask about are seen only as it describes them"}),
    ];
    if !unasked.is_empty() {
        unseen.push(json!({
            "what": "wrote_without_asking", "paths": unasked,
            "may_be_of_commands": driven.commands_allowed,
        }));
    }
    if driven
        .enforcement
        .as_ref()
        .is_none_or(|enforcement| !enforcement.open.is_empty())
    {
        let open = driven
            .enforcement
            .as_ref()
            .map(|enforcement| enforcement.open.clone());
        unseen.push(json!({"what": "not_contained", "open": open}));
    }
    app.redactor.clean(&json!(unseen).to_string())
}

fn put_on_record(
    ending: &Ending<'_>,
    record: &Record<'_>,
    driven: &Driven,
    unasked: &[String],
) -> Result<(), AppError> {
    let app = ending.app;
    let clean = |text: &str| app.redactor.clean(text);
    let facts = &driven.facts;
    let stop = facts.stop.as_ref().map(|stop| clean(stop.name()));
    let told = facts.usage.as_ref();
    let usage = told.and_then(|usage| {
        (usage.used.is_some() || usage.size.is_some())
            .then(|| clean(&json!({"used": usage.used, "size": usage.size}).to_string()))
    });
    let cost = told
        .and_then(|usage| usage.cost.as_ref())
        .map(|cost| clean(&json!({"amount": cost.amount, "currency": cost.currency}).to_string()));
    let (verdict, document) = match &driven.result {
        Some(Ok(document)) => ("valid".to_owned(), serde_json::to_string(document).ok()),
        Some(Err(fault)) => (fault.to_string(), None),
        None => ("missing".to_owned(), None),
    };
    let said = Some(&driven.final_text).filter(|text| document.is_none() && !text.is_empty());
    let partial = said.map(|text| clean(text));
    let document = document.map(|document| clean(&document));
    let killed = driven.outcome.as_ref().ok().and_then(|outcome| {
        use taffrail_confine::supervise::Cause;
        (outcome.cause == Cause::Stopped).then(|| clean(driven.reason.name()))
    });
    let stderr = clean(&String::from_utf8_lossy(
        &driven.stderr.clone().into_bytes(),
    ));
    let (to, from) = record.frames.counts();
    app.store.agent_ended(
        &ending.job.run,
        &AgentEnded {
            stop_reason: stop.as_ref(),
            end_detail: Some(&clean(&driven.detail)),
            usage: usage.as_ref(),
            cost: cost.as_ref(),
            result: document.as_ref(),
            result_verdict: Some(&clean(&verdict)),
            partial: partial.as_ref(),
            repair_asked: driven.repair_asked,
            cancel_sent: driven.cancel_sent,
            killed: killed.as_ref(),
            stderr: Some(&stderr),
            stderr_bytes: driven.stderr.total,
            frames_in: from.frames,
            bytes_in: from.bytes,
            frames_out: to.frames,
            bytes_out: to.bytes,
            junk: Some(&record.junk_json()),
            notes: Some(&record.notes_json()),
            unseen: Some(&unseen_json(app, driven, unasked)),
        },
    )?;
    Ok(())
}

/// What the result document says was found becomes candidates: pending, like everything that an agent writes.
fn propose(ending: &Ending<'_>, driven: &Driven) -> Result<Proposed, AppError> {
    match &driven.result {
        Some(Ok(document)) => {
            doors::propose_findings(ending.app, &ending.job.run, ending.agent, document)
        }
        Some(Err(_)) | None => Ok(Proposed::default()),
    }
}

/// The slate of the run is closed: its seeds wait for a person.
fn seeds(ending: &Ending<'_>) -> Result<u64, AppError> {
    let closure = ending.doors.map(RunDoors::finish).transpose()?.flatten();
    Ok(closure.map_or(0, |closure| closure.seeds))
}

/// The last lines of standard error, as a person needs them when an agent failed.
fn clean_tail(app: &App, bytes: &[u8]) -> String {
    const TAIL: usize = 2_000;
    let start = bytes.len().saturating_sub(TAIL);
    let tail = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default());
    app.redactor.clean(tail.trim()).as_str().to_owned()
}

fn tell(
    record: &Record<'_>,
    ending: &Ending<'_>,
    report: &ExternalReport,
    failed: Option<&AppError>,
) {
    failed
        .into_iter()
        .for_each(|error| record.tell_error(error));
    let redactor = &ending.app.redactor;
    let detail = failed.map_or_else(
        || report.detail.clone(),
        |error| redactor.clean(&error.to_string()).into_string(),
    );
    let waits = report.change.state == ChangeState::Pending;
    let patch = ending.job.folders.patch().display().to_string();
    let hash = report.change.hash.to_string();
    let result = report
        .result
        .as_ref()
        .and_then(|result| serde_json::to_string(result).ok());
    let result = result.and_then(|text| serde_json::from_str(redactor.clean(&text).as_str()).ok());
    record.tell(RunEvent::Result(Box::new(Ended {
        run: report.run.short(),
        status: failed.map_or(report.status, |_| RunStatus::Error).name(),
        reason: failed
            .map_or(report.reason.name(), |error| error.code().row().name)
            .to_owned(),
        detail: Some(detail).filter(|text| !text.is_empty()),
        session_dir: report.session_dir.clone(),
        patch: waits.then_some(patch),
        patch_hash: waits.then(|| hash.chars().take(12).collect()),
        result,
        refused: report.refused.clone(),
        wrote_without_asking: report.wrote_without_asking.clone(),
        candidates: report.proposed.new + report.seeds,
    })));
}
