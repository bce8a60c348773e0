//! What an agent asks of us beside its questions: a row for each, whoever answered it.

use serde_json::Value;
use taffrail_acp::wire::Message;
use taffrail_acp::{Incoming, Refused};
use taffrail_domain::{RunId, Served};
use taffrail_store::NewAgentRequest;

use super::{MOST_NOTES, Record};
use crate::external::doors::MethodCall;
use crate::external::text;
use crate::{App, AppError};

/// One request, as its row needs it. The agent's own words.
pub(super) struct Asked<'a> {
    method: &'a str,
    what: &'a str,
    outcome: Served,
    reason: Option<&'a str>,
    bytes: u64,
}

fn keep(app: &App, run: &RunId, asked: &Asked<'_>) -> Result<(), AppError> {
    let clean = |text: &str| app.redactor.clean(text);
    let (method, reason) = (clean(asked.method), asked.reason.map(clean));
    let what = (!asked.what.is_empty()).then(|| clean(asked.what));
    let new = NewAgentRequest {
        method: &method,
        what: what.as_ref(),
        outcome: asked.outcome,
        reason: reason.as_ref(),
        bytes: asked.bytes,
    };
    Ok(app.store.append_agent_request(run, &new)?)
}

/// Puts a call of our MCP server on record, of a driven agent or of a command in a box.
pub(crate) fn keep_call(app: &App, run: &RunId, call: &MethodCall) -> Result<(), AppError> {
    keep(
        app,
        run,
        &Asked {
            method: &format!("mcp/{}", call.tool),
            what: &call.what,
            outcome: call.outcome,
            reason: call.reason.as_deref(),
            bytes: call.bytes,
        },
    )
}

impl Record<'_> {
    /// A request that the session machine answered with an error.
    pub fn refused(&mut self, refused: &Refused) -> Result<(), AppError> {
        let what = format!("{}: {}", refused.method, refused.reason);
        self.note(&format!("refused {what}"));
        self.request(
            &refused.method,
            &refused.what,
            Served::Refused,
            Some(&refused.reason),
            0,
        )
    }

    /// A request that comes when the run is over: its frame and a row say so, and nobody answers it.
    pub fn late(&mut self, incoming: &Incoming) -> Result<(), AppError> {
        let (Incoming::Message(message) | Incoming::Mended(message)) = incoming else {
            return Ok(());
        };
        let Message::Request { method, params, .. } = message else {
            return Ok(());
        };
        self.late += 1;
        // The rest is in the frames.
        if self.late > MOST_NOTES {
            return Ok(());
        }
        let words = ["/path", "/toolCall/title", "/command"];
        let what = words
            .iter()
            .find_map(|word| params.pointer(word).and_then(Value::as_str));
        let (method, what) = (
            text::begin(method, 256),
            text::begin(what.unwrap_or_default(), 512),
        );
        let why = Some("the run was over");
        self.request(method, what, Served::Ignored, why, 0)
    }

    /// Something that the agent asked of us beside its questions.
    pub fn request(
        &mut self,
        method: &str,
        what: &str,
        outcome: Served,
        reason: Option<&str>,
        bytes: u64,
    ) -> Result<(), AppError> {
        let asked = Asked {
            method,
            what,
            outcome,
            reason,
            bytes,
        };
        keep(self.app, &self.run, &asked)
    }
}
