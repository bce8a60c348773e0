//! Files through the protocol, once it is decided: read or written by the door, on record either way (FA-21).

use std::path::Path;

use taffrail_acp::{Event, RequestKey, RpcError};
use taffrail_domain::{Action, Answer, Served};
use taffrail_store::DecisionSource;
use taffrail_tools::DoorError;

use super::driver::Driver;
use super::events::RunEvent;
use super::wishes::{Settled, Wish};

/// What an agent gets for a missing file (`-32002`, resource not found) and for whatever else is refused (`-32602`).
const NOT_FOUND: i64 = -32002;
const REFUSED: i64 = -32602;
const FAILED: i64 = -32603;
/// How the reason of a request begins that the decision before it refused.
pub const NOT_APPROVED: &str = "not approved";

impl Driver<'_, '_, '_, '_> {
    /// The agent reads a file through us. The door says what may be read; what a rule of the user is about, the rule.
    pub(super) fn read(
        &mut self,
        request: RequestKey,
        path: String,
        lines: (Option<u64>, Option<u64>),
    ) -> Option<Event> {
        let action = Action::Read {
            paths: vec![path.clone().into_bytes()],
        };
        let judged = self.judge.judge(&action);
        if judged.answer == Answer::Allow || judged.decision.rule.is_none() {
            return Some(self.read_now(request, &path, lines));
        }
        let wish = Wish {
            request,
            source: DecisionSource::FsRead,
            action,
            tool_call: None,
            title: None,
            kind: None,
            edits: Vec::new(),
            allow: None,
            reject: None,
            asked_at: self.now(),
            content: Some(path),
            lines,
        };
        self.decide(wish, true)
    }

    fn read_now(
        &mut self,
        request: RequestKey,
        path: &str,
        (line, limit): (Option<u64>, Option<u64>),
    ) -> Event {
        let read = self.setup.door.read(Path::new(path), line, limit);
        let read = match read {
            Err(DoorError::Missing { .. }) if self.setup.missing_is_empty => Ok(String::new()),
            other => other,
        };
        let bytes = read.as_ref().map_or(0, |text| text.len() as u64);
        self.file_request("fs/read_text_file", path, read.as_ref().err(), bytes);
        Event::ReadDone {
            request,
            result: read.map_err(|error| told(&error)),
        }
    }

    pub(super) fn write_now(&mut self, wish: &Wish, may: bool, settled: &Settled) -> Event {
        let (path, content) = match (wish.edits.first(), &wish.content) {
            (Some(edit), Some(content)) => (edit.path.clone(), content.as_str()),
            _ => (String::new(), ""),
        };
        let result = if may {
            let written = self.setup.door.write(Path::new(&path), content);
            let bytes = if written.is_ok() {
                content.len() as u64
            } else {
                0
            };
            self.file_request("fs/write_text_file", &path, written.as_ref().err(), bytes);
            written.map(drop).map_err(|error| told(&error))
        } else {
            Err(self.not_approved("fs/write_text_file", &path, settled))
        };
        Event::WriteDone {
            request: wish.request,
            result,
        }
    }

    pub(super) fn read_settled(&mut self, wish: &Wish, may: bool, settled: &Settled) -> Event {
        let path = wish.content.clone().unwrap_or_default();
        if may {
            return self.read_now(wish.request, &path, wish.lines);
        }
        Event::ReadDone {
            request: wish.request,
            result: Err(self.not_approved("fs/read_text_file", &path, settled)),
        }
    }

    fn not_approved(&mut self, method: &str, path: &str, settled: &Settled) -> RpcError {
        let why = format!("{NOT_APPROVED} ({})", settled.ground);
        self.requested(method, path, Served::Refused, Some(&why), 0);
        RpcError::new(RpcError::INVALID_REQUEST, said(&why, settled))
    }

    fn file_request(&mut self, method: &str, path: &str, error: Option<&DoorError>, bytes: u64) {
        let outcome = if error.is_some() {
            Served::Refused
        } else {
            Served::Served
        };
        let reason = error.map(ToString::to_string);
        self.requested(method, path, outcome, reason.as_deref(), bytes);
    }

    fn requested(
        &mut self,
        method: &str,
        path: &str,
        outcome: Served,
        reason: Option<&str>,
        bytes: u64,
    ) {
        let kept = self.record.request(method, path, outcome, reason, bytes);
        self.kept(kept);
        let clean = |text: &str| self.setup.app.redactor.clean(text).as_str().to_owned();
        let event = RunEvent::FsRequest {
            method: method.to_owned(),
            path: clean(path),
            outcome: outcome.name(),
            reason: reason.map(clean),
            bytes,
        };
        self.record.tell(event);
    }
}

/// An agent is told why it was refused, with the person's words where there are any.
fn said(why: &str, settled: &Settled) -> String {
    match &settled.said {
        Some(said) => format!("{why}: {said}"),
        None => why.to_owned(),
    }
}

fn told(error: &DoorError) -> RpcError {
    let code = match error {
        DoorError::Missing { .. } => NOT_FOUND,
        DoorError::Refused { .. } | DoorError::Unfit { .. } | DoorError::TooLarge { .. } => REFUSED,
        DoorError::Io { .. } => FAILED,
    };
    RpcError::new(code, error.to_string())
}
