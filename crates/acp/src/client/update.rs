//! Notifications of the agent: updates of the session, withdrawn requests, and what nobody knows.

use serde_json::{Number, Value};

use super::machine::{Client, Phase};
use super::{Cost, Effect, NoteKind, Update, Usage};
use crate::v1::{ToolFields, content_text};
use crate::wire::Id;

impl Client {
    pub(super) fn notified(&mut self, method: &str, mut params: Value) {
        match method {
            "session/update" => self.updated(&mut params),
            "$/cancel_request" => self.withdrawn(&params),
            other => self.note(NoteKind::UnknownNotification, other),
        }
    }

    /// The agent does not want an answer any more: it gets the one that a cancelled turn gives, once.
    fn withdrawn(&mut self, params: &Value) {
        let id = params.get("requestId").and_then(Id::read);
        let key = id.as_ref().and_then(|id| self.pending.by_id(id));
        let text = id.map_or_else(|| "no id".to_owned(), |id| format!("id {id}"));
        self.note(NoteKind::RequestWithdrawn, &text);
        if let Some(key) = key {
            self.withdraw(key, "the agent withdrew it");
        }
    }

    fn updated(&mut self, params: &mut Value) {
        let session = params.get("sessionId").and_then(Value::as_str);
        if self.facts.session.is_none() {
            return self.note(NoteKind::OutsideTurn, "an update before the session stood");
        }
        if session != self.facts.session.as_deref() {
            let session = session.unwrap_or("none").to_owned();
            return self.note(NoteKind::OtherSession, &session);
        }
        let Some(update) = params.get_mut("update") else {
            return self.note(NoteKind::OddUpdate, "no update");
        };
        let kind = update.get("sessionUpdate").and_then(Value::as_str);
        let kind = kind.unwrap_or_default().to_owned();
        self.update(&kind, update.take());
    }

    fn update(&mut self, kind: &str, mut update: Value) {
        match kind {
            "agent_message_chunk" | "agent_thought_chunk" | "plan" if !self.in_turn() => {
                self.note(NoteKind::OutsideTurn, kind);
            }
            "agent_message_chunk" => self.chunk(&update, false),
            "agent_thought_chunk" => self.chunk(&update, true),
            "plan" => self.tell(Effect::Update(Update::Plan(update))),
            "tool_call" | "tool_call_update" => self.tool(kind, &mut update),
            "usage_update" => self.usage(&update),
            "current_mode_update" => match update.get("currentModeId").and_then(Value::as_str) {
                Some(mode) => self.mode_told(super::notes::cut(mode, 256)),
                None => self.note(NoteKind::OddUpdate, kind),
            },
            "config_option_update" => self.options_told(&update),
            "session_info_update" => {
                if let Some(title) = update.get("title").and_then(Value::as_str) {
                    self.tell(Effect::Update(Update::Title(super::notes::cut(
                        title, 4096,
                    ))));
                }
            }
            // Our own prompt again, and what no part of a record is made of.
            "user_message_chunk" | "available_commands_update" => {}
            "subagent_update" => {
                let session = update.get("sessionId").and_then(Value::as_str);
                self.note(NoteKind::ChildSession, session.unwrap_or_default());
            }
            other => self.note(NoteKind::UnknownUpdate, other),
        }
    }

    /// Whether what belongs to a turn may come: also while a cancelled one is winding down.
    fn in_turn(&self) -> bool {
        matches!(self.phase, Phase::Turn | Phase::Cancelling { .. })
    }

    fn chunk(&mut self, update: &Value, thought: bool) {
        let content = update.get("content").unwrap_or(&Value::Null);
        let Some(text) = content_text(content) else {
            return self.note(NoteKind::OddUpdate, "a chunk without text");
        };
        if thought {
            return self.tell(Effect::Update(Update::Thought(text.to_owned())));
        }
        let message = update.get("messageId").and_then(Value::as_str);
        self.say(text, message.map(str::to_owned));
    }

    fn tool(&mut self, kind: &str, update: &mut Value) {
        match ToolFields::take(update) {
            Some(fields) if !fields.id.is_empty() => self.merge(fields),
            _ => self.note(NoteKind::OddUpdate, kind),
        }
    }

    /// Takes what was told of a tool call.
    pub(super) fn merge(&mut self, fields: ToolFields) {
        let id = fields.id.clone();
        let seen = self.tools.merge(fields);
        if self.tools.get(&id).is_none_or(|call| call.cut) {
            self.note(NoteKind::ToolCut, &id);
        }
        if let Some(seen) = seen {
            self.tell(Effect::Update(Update::Tool(seen)));
        }
    }

    fn usage(&mut self, update: &Value) {
        let number = |key: &str| match update.get(key) {
            Some(Value::Number(number)) => Some(number.clone()),
            _ => None,
        };
        let cost = update.get("cost").filter(|cost| !cost.is_null());
        let usage = Usage {
            used: number("used"),
            size: number("size"),
            cost: cost.and_then(cost_of),
        };
        let lost = cost.is_some() && usage.cost.is_none();
        if lost || usage.used.is_none() || self.shrank(&usage) {
            self.note(
                NoteKind::OddUsage,
                &super::notes::cut(&update.to_string(), 256),
            );
        }
        self.facts.usage = Some(usage.clone());
        self.tell(Effect::Update(Update::Usage(usage)));
    }

    /// Whether something is below zero, or a cost went down.
    fn shrank(&self, usage: &Usage) -> bool {
        let amount = |usage: &Usage| usage.cost.as_ref().and_then(|cost| cost.amount.as_f64());
        let below = |number: Option<&Number>| {
            number.and_then(Number::as_f64) < Some(0.0) && number.is_some()
        };
        let before = self.facts.usage.as_ref().and_then(amount);
        let now = amount(usage);
        below(usage.used.as_ref())
            || below(usage.size.as_ref())
            || now.is_some_and(|now| now < before.unwrap_or(0.0).max(0.0))
    }
}

fn cost_of(cost: &Value) -> Option<Cost> {
    let Some(Value::Number(amount)) = cost.get("amount") else {
        return None;
    };
    let currency = cost.get("currency").and_then(Value::as_str);
    Some(Cost {
        amount: amount.clone(),
        currency: super::notes::cut(currency.unwrap_or_default(), 64),
    })
}
