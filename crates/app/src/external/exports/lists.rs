//! The lists of `acp-run.json`, written row by row.

use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;
use taffrail_domain::{Answer, Verdict};
use taffrail_redact::Redactor;
use taffrail_store::{
    ActionDecisionRow, AgentRequestRow, DecisionSource, QuestionRow, StoreError, ToolCallRow,
};

use crate::external::text::when;

/// A list that is made while it is written.
pub(super) struct List<F>(pub F);

impl<F, I, T> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item = Result<T, StoreError>>,
    T: Serialize,
{
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(None)?;
        for row in (self.0)() {
            list.serialize_element(&row.map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

/// A text of a row, masked once more.
pub(super) fn text(redactor: &Redactor, text: &str) -> String {
    redactor.clean(text).into_string()
}

/// JSON of a row, masked once more; as text where it is none.
pub(super) fn json(redactor: &Redactor, json: &str) -> Value {
    let clean = redactor.clean(json);
    serde_json::from_str(clean.as_str()).unwrap_or_else(|_| Value::from(clean.as_str()))
}

fn some(redactor: &Redactor, found: Option<&String>) -> Option<String> {
    found.map(|found| text(redactor, found))
}

/// What was judged.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decision {
    request_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    title: String,
    action: Value,
    risk: &'static str,
    destructive: bool,
    reasons: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// `auto`, `ask` or `deny`.
    gate_decision: &'static str,
    /// `allowed` or `refused`.
    verdict: &'static str,
    reason: &'static str,
    timed_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    option_id: Option<String>,
    /// What the agent was answered: `selected`, an option of its own, or `cancelled`, that the question is off; of a file
    /// through the protocol `served` or `refused`.
    outcome: &'static str,
    mode_requested: &'static str,
    mode_effective: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_id: Option<String>,
    asked_at: String,
    decided_at: String,
}

pub(super) fn decision(redactor: &Redactor, row: &ActionDecisionRow) -> Decision {
    let title = row.title.as_ref().unwrap_or(&row.shown);
    Decision {
        request_id: text(redactor, &row.request),
        tool_call_id: some(redactor, row.tool_call.as_ref()),
        source: row.source.name(),
        kind: some(redactor, row.kind.as_ref()),
        title: text(redactor, title),
        action: json(redactor, &row.action),
        risk: row.risk.name(),
        destructive: row.destructive,
        reasons: json(redactor, &row.reasons),
        rule: some(redactor, row.rule.as_ref()),
        gate_decision: match row.answer {
            Answer::Allow => "auto",
            Answer::Ask => "ask",
            Answer::Deny => "deny",
        },
        verdict: row.verdict.name(),
        reason: row.ground.name(),
        timed_out: row.timed_out,
        option_id: some(redactor, row.option.as_ref()),
        outcome: outcome(row),
        mode_requested: row.mode_requested.name(),
        mode_effective: row.mode_effective.name(),
        question_id: row.question.map(|id| id.short()),
        asked_at: when(row.asked_at),
        decided_at: when(row.decided_at),
    }
}

fn outcome(row: &ActionDecisionRow) -> &'static str {
    match (row.source, row.verdict) {
        (DecisionSource::Permission, _) if row.option.is_some() => "selected",
        (DecisionSource::Permission, _) => "cancelled",
        (
            DecisionSource::FsRead
            | DecisionSource::FsWrite
            | DecisionSource::Terminal
            | DecisionSource::Mcp
            | DecisionSource::Network,
            verdict,
        ) => match verdict {
            Verdict::Allowed => "served",
            Verdict::Refused => "refused",
        },
    }
}

/// What a person was asked.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Question {
    question_id: String,
    fingerprint: String,
    shown: String,
    details: Value,
    risk: &'static str,
    destructive: bool,
    may_grant: bool,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<&'static str>,
    asked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
}

pub(super) fn question(redactor: &Redactor, row: &QuestionRow) -> Question {
    let answer = row.answer.as_ref();
    Question {
        question_id: row.id.short(),
        fingerprint: taffrail_domain::hex(&row.fingerprint),
        shown: text(redactor, &row.shown),
        details: json(redactor, &row.details),
        risk: row.risk.name(),
        destructive: row.destructive,
        may_grant: row.may_grant,
        state: row.state.name(),
        reply: answer.map(|answer| answer.reply.name()),
        reply_reason: answer.and_then(|answer| some(redactor, answer.reason.as_ref())),
        surface: answer.map(|answer| answer.surface.name()),
        asked_at: when(row.asked_at),
        expires_at: row.expires_at.map(when),
        answered_at: answer.map(|answer| when(answer.at)),
        closed_at: row.closed_at.map(when),
    }
}

/// A tool call, as the agent described it; its input and output are in the archive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCall {
    tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<Value>,
    updates: u64,
    bytes: u64,
    first_at: String,
    last_at: String,
}

pub(super) fn tool_call(redactor: &Redactor, row: &ToolCallRow) -> ToolCall {
    ToolCall {
        tool_call_id: text(redactor, &row.call),
        title: some(redactor, row.title.as_ref()),
        kind: some(redactor, row.kind.as_ref()),
        status: some(redactor, row.status.as_ref()),
        locations: row.locations.as_ref().map(|found| json(redactor, found)),
        updates: row.updates,
        bytes: row.bytes,
        first_at: when(row.first_at),
        last_at: when(row.last_at),
    }
}

/// What the agent asked of the client beside its questions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what: Option<String>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    bytes: u64,
    at: String,
}

/// Which list of the record a request belongs into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// `fs/…`
    Files,
    /// `terminal/…`
    Terminals,
    /// `elicitation/…`
    Elicitation,
    /// Tools of our MCP server.
    Mcp,
    /// Methods that nobody knows, requests out of their time.
    Other,
}

impl Sort {
    /// The list for a method.
    pub fn of(method: &str) -> Self {
        match method.split('/').next() {
            Some("fs") => Self::Files,
            Some("terminal") => Self::Terminals,
            Some("elicitation") => Self::Elicitation,
            Some("mcp") => Self::Mcp,
            _ => Self::Other,
        }
    }
}

pub(super) fn request(redactor: &Redactor, row: &AgentRequestRow) -> Request {
    let is_file = Sort::of(&row.method) == Sort::Files;
    let what = some(redactor, row.what.as_ref());
    let (path, what) = if is_file { (what, None) } else { (None, what) };
    Request {
        method: text(redactor, &row.method),
        path,
        what,
        outcome: row.outcome.name(),
        reason: some(redactor, row.reason.as_ref()),
        bytes: row.bytes,
        at: when(row.at),
    }
}
