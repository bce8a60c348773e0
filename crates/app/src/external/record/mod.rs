//! Everything that a run puts on record and tells: rows, `frames.jsonl`, events (FA-29, EVT-01).

mod asked;
mod said;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_acp::Facts;
use taffrail_acp::client::Usage;
use taffrail_acp::{Frame, Incoming, ToolCall, ToolSeen};
use taffrail_domain::{Action, EndReason, Enforcement, Ground, Millis, QuestionId, RunId, Verdict};
use taffrail_redact::Clean;
use taffrail_store::{AgentReady, DecisionSource, NewActionDecision, ToolCallSeen};

use said::Said;

use super::events::{Cost, Init, RunEvent};
use super::frames::{Frames, Way};
use super::judge::Judged;
use super::teller::Teller;
use super::text;
use crate::{App, AppError};

pub(crate) use asked::keep_call;

/// Notes that are kept one by one.
const MOST_NOTES: usize = 200;

/// The record of one run while it grows.
pub(super) struct Record<'a> {
    pub app: &'a App,
    pub run: RunId,
    teller: &'a Teller<'a>,
    pub frames: Frames<'a>,
    said: Said,
    pub notes: Vec<String>,
    pub junk: BTreeMap<&'static str, u64>,
    /// The last line that was no message, without secrets.
    pub printed: Option<String>,
    refused: Vec<String>,
    /// Those that are only counted.
    refused_more: u64,
    /// Requests that came when the run was over.
    late: usize,
}

/// Bytes that are held of a line that was no message.
const PRINTED: usize = 512;

/// A wish, as its row needs it.
pub(super) struct WishRow<'a> {
    pub request: u64,
    pub source: DecisionSource,
    pub action: &'a Action,
    pub tool_call: Option<&'a str>,
    pub kind: Option<&'a str>,
    /// The option that allows it and the one that rejects it.
    pub option: [Option<&'a str>; 2],
    pub asked_at: Millis,
}

/// A decision, as its row needs it.
pub(super) struct Row<'a> {
    pub wish: &'a WishRow<'a>,
    pub judged: &'a Judged,
    pub verdict: Verdict,
    pub ground: Ground,
    pub question: Option<QuestionId>,
    pub shown: &'a str,
}

impl<'a> Record<'a> {
    pub fn new(app: &'a App, run: RunId, teller: &'a Teller<'a>, frames: Frames<'a>) -> Self {
        Self {
            app,
            run,
            teller,
            frames,
            said: Said::default(),
            notes: Vec::new(),
            junk: BTreeMap::new(),
            printed: None,
            refused: Vec::new(),
            refused_more: 0,
            late: 0,
        }
    }

    /// Tells of something.
    pub fn tell(&self, event: RunEvent) {
        self.teller.tell(event);
    }

    /// Tells what went wrong; the result has to follow.
    pub fn tell_error(&self, error: &AppError) {
        self.teller.error(error);
    }

    /// Tells of something that a reader should know, and keeps it.
    pub fn note(&mut self, note: &str) {
        let note = self.app.redactor.clean(note).as_str().to_owned();
        if self.notes.len() < MOST_NOTES {
            self.notes.push(note.clone());
        }
        self.tell(RunEvent::Note { text: note });
    }

    /// A line for what was refused. All of it is in the rows; the first lines are held for the end.
    pub fn refuses(&mut self, what: &str, ground: Ground) {
        if self.refused.len() < MOST_NOTES {
            self.refused.push(format!("{what} ({ground})"));
        } else {
            self.refused_more += 1;
        }
    }

    /// What was refused, one line each.
    pub fn refusals(&self) -> Vec<String> {
        let more = (self.refused_more > 0).then(|| format!("and {} more", self.refused_more));
        self.refused.iter().cloned().chain(more).collect()
    }

    pub fn sent(&mut self, at: Duration, line: &[u8]) -> Result<(), AppError> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let sent = self.frames.add(at, Way::ToAgent, line);
        sent.map_err(text::not_kept)
    }

    pub fn received(&mut self, at: Duration, frame: &Frame) -> Result<(), AppError> {
        let kept = match &frame.incoming {
            Incoming::Message(_) | Incoming::Mended(_) => {
                self.frames.add(at, Way::FromAgent, &frame.line)
            }
            Incoming::Junk { kind, bytes } => {
                *self.junk.entry(kind.name()).or_default() += 1;
                let line = self.clean(&frame.line);
                let what = format!("{}: {line}", kind.name());
                self.printed = Some(text::begin(line.as_str().trim(), PRINTED).to_owned())
                    .filter(|printed| !printed.is_empty())
                    .or(self.printed.take());
                self.frames.add_large(at, &what, *bytes)
            }
            Incoming::Dropped(dropped) => {
                *self.junk.entry(dropped.why.name()).or_default() += 1;
                let what = format!("{}: {}", dropped.why.name(), self.clean(&frame.line));
                self.frames.add_large(at, &what, dropped.bytes)
            }
            Incoming::LineTooLong { bytes } => {
                self.frames.add_large(at, "line without an end", *bytes)
            }
        };
        kept.map_err(text::not_kept)
    }

    /// Texts without secrets.
    pub fn cleaned(&self, texts: Vec<String>) -> Vec<String> {
        let clean = |text: String| self.app.redactor.clean(&text).into_string();
        texts.into_iter().map(clean).collect()
    }

    fn clean(&self, bytes: &[u8]) -> Clean {
        self.app.redactor.clean(&String::from_utf8_lossy(bytes))
    }

    /// A step of a tool call is told where its status or title is new.
    pub fn tool_seen(&mut self, seen: &ToolSeen) {
        // What it said before it began is told before.
        self.flush();
        let redactor = &self.app.redactor;
        let event = RunEvent::ToolCall {
            id: redactor.clean(&seen.id).as_str().to_owned(),
            title: Some(redactor.clean(&seen.title).as_str().to_owned()),
            kind: seen.kind.map(|kind| kind.name().to_owned()),
            status: seen
                .status
                .as_deref()
                .map(|status| redactor.clean(status).into_string()),
        };
        self.tell(event);
    }

    /// The state of a tool call goes into its row.
    /// `seen` updates are counted into it: all of them once, at the end.
    pub fn tool(&mut self, call: &ToolCall, seen: u64) -> Result<(), AppError> {
        let redactor = &self.app.redactor;
        let json = |value: &Value| (!value.is_null()).then(|| redactor.clean(&value.to_string()));
        let output = if call.raw_output.is_null() {
            &call.content
        } else {
            &call.raw_output
        };
        let (id, title) = (redactor.clean(&call.id), redactor.clean(&call.title));
        let kind = call.kind.map(|kind| redactor.clean(kind.name()));
        let status = call.status.as_ref().map(|status| redactor.clean(status));
        self.app.store.upsert_tool_call(
            &self.run,
            &ToolCallSeen {
                call: &id,
                title: Some(&title),
                kind: kind.as_ref(),
                status: status.as_ref(),
                locations: json(&call.locations).as_ref(),
                input: json(&call.raw_input).as_ref(),
                output: json(output).as_ref(),
                updates: seen,
                bytes: if seen > 0 { call.dropped } else { 0 },
            },
        )?;
        Ok(())
    }

    /// What was judged, by whom and why.
    pub fn decision(&mut self, row: &Row<'_>) -> Result<(), AppError> {
        let redactor = &self.app.redactor;
        let clean = |text: Option<&str>| text.map(|text| redactor.clean(text));
        let [allow, reject] = row.wish.option;
        let option = match row.verdict {
            Verdict::Allowed => allow,
            Verdict::Refused => reject,
        };
        let decision = &row.judged.decision;
        self.app.store.record_action_decision(
            &self.run,
            &NewActionDecision {
                request: &redactor.clean(&row.wish.request.to_string()),
                tool_call: clean(row.wish.tool_call).as_ref(),
                source: row.wish.source,
                action: &redactor.clean(&text::action_json(row.wish.action).to_string()),
                shown: &redactor.clean(row.shown),
                kind: clean(row.wish.kind).as_ref(),
                risk: decision.risk,
                destructive: decision.destructive,
                answer: row.judged.answer,
                reasons: &redactor.clean(&json!(row.judged.reasons()).to_string()),
                rule: clean(decision.rule.as_deref()).as_ref(),
                verdict: row.verdict,
                ground: row.ground,
                timed_out: row.ground == Ground::Timeout,
                option: clean(option).as_ref(),
                mode_requested: decision.requested,
                mode_effective: decision.effective,
                question: row.question,
                asked_at: row.wish.asked_at,
            },
        )?;
        Ok(())
    }

    /// The session stands.
    pub fn ready(
        &mut self,
        facts: &Facts,
        agent: &str,
        tree: &str,
        enforcement: Option<&Enforcement>,
    ) -> Result<(), AppError> {
        let redactor = &self.app.redactor;
        let clean = |text: Option<&str>| text.map(|text| redactor.clean(text));
        let named = facts.agent.as_ref();
        let protocol = facts
            .protocol_version
            .as_ref()
            .and_then(serde_json::Value::as_i64);
        let name = clean(named.map(|agent| agent.name.as_str()));
        let version = clean(named.map(|agent| agent.version.as_str()));
        let capabilities = redactor.clean(&facts.capabilities.to_string());
        let wanted = facts.mode.requested.as_deref();
        self.app.store.agent_ready(
            &self.run,
            &AgentReady {
                agent_name: name.as_ref(),
                agent_version: version.as_ref(),
                protocol,
                agent_capabilities: Some(&capabilities),
                agent_session: clean(facts.session.as_deref()).as_ref(),
                agent_mode: clean(wanted).as_ref(),
                agent_mode_verified: wanted.map(|_| facts.mode.verified),
                embedded_context: Some(facts.prompt.embedded_context),
            },
        )?;
        self.tell(RunEvent::Init(Init {
            run: self.run.short(),
            agent: agent.to_owned(),
            agent_name: name.map(Clean::into_string),
            agent_version: version.map(Clean::into_string),
            protocol: protocol.unwrap_or_default(),
            checkout: tree.to_owned(),
            sandbox: enforcement.map_or("none", |enforcement| enforcement.rung.name()),
            mode: clean(facts.mode.effective.as_deref()).map(Clean::into_string),
            enforcement: enforcement.cloned(),
        }));
        Ok(())
    }

    /// What the agent says that it used.
    pub fn usage(&mut self, usage: &Usage) -> Result<(), AppError> {
        let number = |number: &Option<serde_json::Number>| {
            number.as_ref().and_then(serde_json::Number::as_u64)
        };
        let cost = usage.cost.as_ref().and_then(|cost| {
            let amount = cost.amount.as_f64()?;
            Some(Cost {
                amount,
                currency: self.app.redactor.clean(&cost.currency).into_string(),
            })
        });
        let json = |value: serde_json::Value| self.app.redactor.clean(&value.to_string());
        let tokens = usage.used.is_some() || usage.size.is_some();
        let tokens = tokens.then(|| json(json!({"used": usage.used, "size": usage.size})));
        let money = usage.cost.as_ref();
        let money =
            money.map(|cost| json(json!({"amount": cost.amount, "currency": cost.currency})));
        let (store, run) = (&self.app.store, &self.run);
        let kept = store.agent_usage(run, tokens.as_ref(), money.as_ref());
        self.tell(RunEvent::Usage {
            used: number(&usage.used),
            size: number(&usage.size),
            cost,
        });
        Ok(kept?)
    }

    /// Why an agent went before its session stood: what it printed instead of messages, which is all that some say.
    pub fn with_printed(&self, detail: String, reason: EndReason, facts: &Facts) -> String {
        match &self.printed {
            Some(printed) if reason == EndReason::Exited && facts.session.is_none() => {
                let between = if detail.is_empty() { "" } else { "; " };
                format!("{detail}{between}it printed: {printed}")
            }
            _ => detail,
        }
    }

    /// Counts and texts as JSON for a row.
    pub fn notes_json(&self) -> Clean {
        self.app.redactor.clean(&json!(self.notes).to_string())
    }

    pub fn junk_json(&self) -> Clean {
        self.app.redactor.clean(&json!(self.junk).to_string())
    }
}
