//! Requests of the agent: only of this run's session, only during its turn, each answered once (FA-20, FA-23).

use serde_json::{Value, json};

use super::ask::asked;
use super::machine::{Client, Phase};
use super::notes::cut;
use super::pending::{MOST, Open, OpenKind};
use super::{Decision, Effect, NoteKind, Refused, RequestKey};
use crate::frame::{Dropped, DroppedFor};
use crate::v1::{PermissionOption, ToolFields, answer};
use crate::wire::{Id, RpcError};

const PERMISSION: &str = "session/request_permission";
const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";
const CANCELLED: &str = "the turn was cancelled";

impl Client {
    pub(super) fn requested(&mut self, id: Id, method: &str, mut params: Value) {
        if let Some(error) = self.unfit(&id, method, &params) {
            return self.refuse(id, method, &params, error);
        }
        if let Phase::Cancelling { .. } = self.phase {
            return self.answer_cancelled(id, method, &params);
        }
        match method {
            PERMISSION => self.permission(id, params.take()),
            READ => self.read(id, &params),
            _ => self.write(id, params.take()),
        }
    }

    /// Why a request is not taken, by the first reason of: method, id, session, turn, number.
    fn unfit(&self, id: &Id, method: &str, params: &Value) -> Option<RpcError> {
        let error = |code, text: String| Some(RpcError::new(code, text));
        match method {
            PERMISSION | READ => {}
            WRITE if self.plan.write => {}
            _ => return error(RpcError::METHOD_NOT_FOUND, self.not_served(method)),
        }
        if self.pending.by_id(id).is_some() {
            return error(
                RpcError::INVALID_REQUEST,
                format!(
                    "a request with the id {} waits already",
                    cut(&id.to_string(), 128)
                ),
            );
        }
        let session = params.get("sessionId").and_then(Value::as_str);
        match session {
            None => return error(RpcError::INVALID_PARAMS, "sessionId is missing".to_owned()),
            session if session == self.facts.session.as_deref() => {}
            Some(_) if self.facts.session.is_none() => {
                return error(
                    RpcError::INVALID_REQUEST,
                    "no session stands yet".to_owned(),
                );
            }
            Some(other) => {
                let other = cut(other, 128);
                let text = format!("only the session of this run is served, not `{other}`");
                return error(RpcError::INVALID_PARAMS, text);
            }
        }
        match self.phase {
            Phase::Turn | Phase::Cancelling { .. } => {}
            Phase::New | Phase::Opening | Phase::Between | Phase::Over => {
                return error(RpcError::INVALID_REQUEST, "no turn is going on".to_owned());
            }
        }
        let text = format!("{MOST} requests wait already");
        (self.pending.len() >= MOST).then(|| RpcError::new(RpcError::INVALID_REQUEST, text))
    }

    fn not_served(&self, method: &str) -> String {
        let method = cut(method, 128);
        if method == WRITE {
            return format!("{method} was not advertised: this run does not write");
        }
        if method.starts_with("terminal/") || method.starts_with("elicitation/") {
            return format!("{method} was not advertised");
        }
        format!("{method} is not known")
    }

    /// While a cancelled turn winds down, permissions are answered as the protocol wants it, files with an error.
    fn answer_cancelled(&mut self, id: Id, method: &str, params: &Value) {
        let error = RpcError::new(RpcError::CANCELLED, CANCELLED);
        if method != PERMISSION {
            return self.refuse(id, method, params, error);
        }
        self.record_refusal(method, params, &error);
        self.tell(Effect::Send(answer(id, Ok(cancelled()))));
    }

    fn permission(&mut self, id: Id, mut params: Value) {
        let options = PermissionOption::read_all(params.get("options").unwrap_or(&Value::Null));
        let Some(told) = params.get_mut("toolCall").and_then(ToolFields::take) else {
            let error = RpcError::new(RpcError::INVALID_PARAMS, "toolCall is missing");
            return self.refuse(id, PERMISSION, &params, error);
        };
        self.facts.permissions += 1;
        let asked = match asked(&told, options, self.tools.get(&told.id)) {
            Ok(asked) => asked,
            Err(many) => {
                let text = format!("the tool call names more than {} {}", many.most, many.what);
                let error = RpcError::new(RpcError::INVALID_PARAMS, text);
                return self.refuse(id, PERMISSION, &params, error);
            }
        };
        if !told.id.is_empty() {
            self.merge(told);
        }
        let kind = OpenKind::Permission {
            allow: asked.allow.clone(),
            reject: asked.reject.clone(),
        };
        let request = self.pending.add(id, kind);
        self.tell(Effect::Permission {
            request,
            asked: Box::new(asked),
        });
    }

    fn read(&mut self, id: Id, params: &Value) {
        let Some(path) = text(params, "path") else {
            let error = RpcError::new(RpcError::INVALID_PARAMS, "path is missing");
            return self.refuse(id, READ, params, error);
        };
        let number = |key| params.get(key).and_then(Value::as_u64);
        let (line, limit) = (number("line"), number("limit"));
        let request = self.pending.add(id, OpenKind::Read);
        self.tell(Effect::Read {
            request,
            path,
            line,
            limit,
        });
    }

    fn write(&mut self, id: Id, mut params: Value) {
        let path = text(&params, "path");
        let content = match params.get_mut("content").map(Value::take) {
            Some(Value::String(content)) => Some(content),
            _ => None,
        };
        let (Some(path), Some(content)) = (path, content) else {
            let error = RpcError::new(RpcError::INVALID_PARAMS, "path or content is missing");
            return self.refuse(id, WRITE, &params, error);
        };
        let request = self.pending.add(id, OpenKind::Write);
        self.tell(Effect::Write {
            request,
            path,
            content,
        });
    }

    pub(super) fn decided(&mut self, request: RequestKey, decision: Decision) {
        let fits = |kind: &OpenKind| matches!(kind, OpenKind::Permission { .. });
        let Some(open) = self.pending.take(request, fits) else {
            return self.note(NoteKind::LateEvent, "decided");
        };
        let OpenKind::Permission { allow, reject } = open.kind else {
            return;
        };
        let option = match decision {
            Decision::Allow => allow.or(reject),
            Decision::Reject => reject,
        };
        let outcome = option.map_or_else(
            cancelled,
            |option| json!({"outcome": {"outcome": "selected", "optionId": option}}),
        );
        self.reply(open.id, Ok(outcome));
    }

    pub(super) fn read_done(&mut self, request: RequestKey, result: Result<String, RpcError>) {
        match self
            .pending
            .take(request, |kind| matches!(kind, OpenKind::Read))
        {
            Some(open) => self.reply(open.id, result.map(|text| json!({"content": text}))),
            None => self.note(NoteKind::LateEvent, "read"),
        }
    }

    pub(super) fn write_done(&mut self, request: RequestKey, result: Result<(), RpcError>) {
        match self
            .pending
            .take(request, |kind| matches!(kind, OpenKind::Write))
        {
            Some(open) => self.reply(open.id, result.map(|()| json!({}))),
            None => self.note(NoteKind::LateEvent, "write"),
        }
    }

    fn reply(&mut self, id: Id, outcome: Result<Value, RpcError>) {
        // It was ours to speak: silence counts from here.
        self.heard = self.clock.ran();
        self.tell(Effect::Send(answer(id, outcome)));
    }

    /// Answers one request that waits, as for a cancelled turn.
    pub(super) fn withdraw(&mut self, request: RequestKey, why: &str) {
        if let Some(open) = self.pending.remove(request) {
            self.answer_withdrawn(request, open, why);
        }
    }

    pub(super) fn withdraw_all(&mut self, why: &str) {
        for (request, open) in self.pending.take_all() {
            self.answer_withdrawn(request, open, why);
        }
    }

    fn answer_withdrawn(&mut self, request: RequestKey, open: Open, why: &str) {
        let outcome = match open.kind {
            OpenKind::Permission { .. } => Ok(cancelled()),
            OpenKind::Read | OpenKind::Write => Err(RpcError::new(RpcError::CANCELLED, why)),
        };
        self.reply(open.id, outcome);
        self.tell(Effect::Withdrawn { request });
    }

    /// A request of which only the envelope was read.
    pub(super) fn refuse_unread(&mut self, id: Id, dropped: &Dropped) {
        let reason = match dropped.why {
            DroppedFor::TooLong => "longer than 4 MiB",
            DroppedFor::TooHeavy => "of more parts than are looked at",
            DroppedFor::Unreadable => "no readable JSON",
        };
        let text = format!("the request is {reason} ({} bytes)", dropped.bytes);
        let params = json!({"sessionId": dropped.envelope.session});
        let method = dropped.envelope.method.as_deref().unwrap_or_default();
        let error = RpcError::new(RpcError::INVALID_REQUEST, text);
        self.refuse(id, method, &params, error);
    }

    fn refuse(&mut self, id: Id, method: &str, params: &Value, error: RpcError) {
        self.record_refusal(method, params, &error);
        self.tell(Effect::Send(answer(id, Err(error))));
    }

    fn record_refusal(&mut self, method: &str, params: &Value, error: &RpcError) {
        let what = ["path", "command", "message", "terminalId", "title"];
        let tool = params.get("toolCall").and_then(|tool| text(tool, "title"));
        let what = what.iter().find_map(|key| text(params, key)).or(tool);
        self.tell(Effect::Refused(Refused {
            method: cut(method, 256),
            what: cut(&what.unwrap_or_default(), 512),
            session: text(params, "sessionId").map(|session| cut(&session, 256)),
            reason: error.message.clone(),
            code: error.code,
        }));
    }
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}
