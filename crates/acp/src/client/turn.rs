//! Turns: a prompt, and how its answer ends it.

use serde_json::{Value, json};
use taffrail_domain::EndReason;

use super::machine::{CallKind, Client, Phase};
use super::{Context, Effect, NoteKind};
use crate::v1::{Ask, StopReason};
use crate::wire::{RpcError, weight};

/// The message text of one run, in bytes (FA-27).
const TEXT: u64 = 16 << 20;
/// What is kept of the usage of one turn, in bytes of memory.
const USAGE: usize = 64 << 10;

impl Client {
    pub(super) fn prompt_first(&mut self) {
        let mut blocks = vec![json!({"type": "text", "text": self.plan.text})];
        let embedded = self.facts.prompt.embedded_context;
        blocks.extend(
            self.plan
                .context
                .iter()
                .map(|context| block(context, embedded)),
        );
        self.prompt(&blocks);
    }

    pub(super) fn prompt_again(&mut self, text: &str) {
        if self.phase != Phase::Between {
            return self.note(NoteKind::LateEvent, "prompt");
        }
        if self.gone.closed || self.gone.ended.is_some() {
            return self.end_gone();
        }
        self.prompt(&[json!({"type": "text", "text": text})]);
    }

    fn prompt(&mut self, blocks: &[Value]) {
        let session = self.facts.session.clone().unwrap_or_default();
        self.phase = Phase::Turn;
        self.facts.turns += 1;
        self.heard = self.clock.ran();
        self.text.clear();
        let ask = Ask::Prompt {
            session: &session,
            blocks,
        };
        self.ask(CallKind::Prompt, ask);
        // The process may have gone while the session was being made.
        if self.gone.closed || self.gone.ended.is_some() {
            self.left();
        }
    }

    /// A piece of the answer. It is told first and counted then.
    pub(super) fn say(&mut self, text: &str, message: Option<String>) {
        self.facts.text_bytes += text.len() as u64;
        if self.facts.text_bytes > TEXT {
            return self.break_off(EndReason::OutputLimit, "16 MiB of message text");
        }
        self.text.push_str(text);
        self.tell(Effect::Update(super::Update::Text {
            text: text.to_owned(),
            message,
        }));
    }

    /// The prompt was answered.
    pub(super) fn turn_ended(&mut self, outcome: Result<Value, RpcError>) {
        self.withdraw_all("the turn is over");
        let cancelling = match &self.phase {
            Phase::Cancelling { reason, detail, .. } => Some((*reason, detail.clone())),
            _ => None,
        };
        match (outcome, cancelling) {
            (Err(error), None) => self.failed("session/prompt", &error),
            (Err(_), Some((reason, detail))) => self.end(reason, &detail),
            (Ok(result), None) => {
                self.phase = Phase::Between;
                // Gone or not: the turn is answered, and the driver says how it goes on.
                self.gone.until = None;
                self.tell_stop(&result);
            }
            (Ok(result), Some((reason, detail))) => {
                self.tell_stop(&result);
                self.end(reason, &detail);
            }
        }
    }

    fn tell_stop(&mut self, result: &Value) {
        let stop = result.get("stopReason").and_then(Value::as_str);
        let stop = StopReason::read(&super::notes::cut(stop.unwrap_or_default(), 256));
        let usage = result.get("usage").or_else(|| result.get("_meta"));
        let usage = usage.filter(|usage| weight(usage) <= USAGE).cloned();
        self.facts.prompt_usage.push(usage.unwrap_or_default());
        self.facts.stop = Some(stop.clone());
        let text = self.text.clone();
        self.tell(Effect::TurnEnded { stop, text });
    }

    pub(super) fn finish(&mut self) {
        if self.phase != Phase::Between {
            return self.note(NoteKind::LateEvent, "finish");
        }
        let stop = self.facts.stop.clone();
        let reason = match &stop {
            Some(StopReason::EndTurn) => EndReason::EndTurn,
            Some(StopReason::MaxTokens) => EndReason::MaxTokens,
            Some(StopReason::MaxTurnRequests) => EndReason::MaxTurnRequests,
            Some(StopReason::Refusal) => EndReason::Refusal,
            Some(StopReason::Cancelled) => EndReason::AgentCancelled,
            Some(StopReason::Unknown(_)) | None => EndReason::UnknownStop,
        };
        let word = stop.as_ref().map_or("", StopReason::name).to_owned();
        self.end(reason, &word);
    }
}

fn block(context: &Context, embedded: bool) -> Value {
    let Context {
        uri,
        mime_type,
        text,
    } = context;
    if embedded {
        json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}})
    } else {
        json!({"type": "text", "text": format!("{uri}:\n\n{text}")})
    }
}
