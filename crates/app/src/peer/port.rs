//! The way from a turn to its client and back.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use serde_json::{Value, json};
use taffrail_acp::RpcError;
use taffrail_acp::agent::{AgentEvent, Stop, TurnKey};

use super::connection::Heard;
use super::outbox::Outbox;
use super::switch::Switch;

/// One turn's own.
pub(super) struct Port {
    pub turn: TurnKey,
    pub tell: SyncSender<Heard>,
    pub answers: Receiver<Result<Value, RpcError>>,
    pub outbox: Outbox,
    pub switch: Arc<Switch>,
}

/// What the client said to a question.
pub(super) enum Said {
    /// Yes, to this one call.
    Yes,
    /// Anything else, and why.
    No(String),
}

impl Port {
    pub fn goes_on(&self) -> bool {
        self.switch.goes_on()
    }

    /// Tells the client, when it has taken what it was told before.
    pub fn update(&self, update: Value) {
        self.outbox.wait_for_room(&|| self.goes_on());
        self.send(AgentEvent::Tell {
            turn: self.turn,
            update,
        });
    }

    /// Asks the client and waits for its answer.
    pub fn ask(&self, method: &'static str, params: Value) -> Result<Value, RpcError> {
        self.outbox.wait_for_room(&|| self.goes_on());
        self.send(AgentEvent::Ask {
            turn: self.turn,
            method,
            params,
        });
        let gone = || RpcError::new(RpcError::INTERNAL, "the client is gone");
        self.answers.recv().unwrap_or_else(|_| Err(gone()))
    }

    /// Asks whether a call of a tool may be made. Only a yes to this one call is one.
    pub fn may(&self, tool_call: &Value) -> Said {
        let options = json!([
            {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]);
        let params = json!({"toolCall": tool_call, "options": options});
        match self.ask("session/request_permission", params) {
            Ok(answer) if answer.pointer("/outcome/optionId") == Some(&json!("once")) => Said::Yes,
            Ok(_) => Said::No("refused".to_owned()),
            Err(error) => Said::No(format!("refused: {}", error.message)),
        }
    }

    pub fn over(&self, ended: Result<Stop, RpcError>) {
        self.send(AgentEvent::TurnOver {
            turn: self.turn,
            ended,
        });
    }

    /// A connection that ended hears nothing any more, and the process goes with it.
    fn send(&self, event: AgentEvent) {
        drop(self.tell.send(Heard::Turn(event)));
    }
}
