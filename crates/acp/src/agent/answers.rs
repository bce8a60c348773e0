//! What is answered, and what is read of a prompt.

use serde_json::Value;

use super::AgentEffect;
use crate::frame::Dropped;
use crate::wire::{Id, Message, RpcError};

pub(super) fn respond(id: Id, outcome: Result<Value, RpcError>) -> AgentEffect {
    AgentEffect::Send(Message::Response { id, outcome }.line())
}

pub(super) fn notify(method: &str, params: Value) -> AgentEffect {
    let method = method.to_owned();
    AgentEffect::Send(Message::Notification { method, params }.line())
}

/// A request that is not looked into is refused by its name; nothing else needs an answer.
pub(super) fn too_large(dropped: Dropped) -> Vec<AgentEffect> {
    let Dropped {
        envelope,
        why,
        bytes,
    } = dropped;
    match (envelope.id, envelope.method) {
        (Some(id), Some(method)) => {
            let error = invalid(format!(
                "`{method}` has {bytes} bytes and was not read ({why})"
            ));
            vec![respond(id, Err(error))]
        }
        _ => Vec::new(),
    }
}

pub(super) fn invalid(why: impl Into<String>) -> RpcError {
    RpcError::new(RpcError::INVALID_PARAMS, why)
}

pub(super) fn no_session(session: &str) -> RpcError {
    let start: String = session.chars().take(64).collect();
    RpcError::new(
        RpcError::NOT_FOUND,
        format!("there is no session `{start}`"),
    )
}

pub(super) fn cancelled() -> RpcError {
    RpcError::new(RpcError::CANCELLED, "the turn was cancelled")
}

pub(super) fn text_of(params: &Value, key: &str) -> String {
    params
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The text of the prompt's blocks and of the resources in it; links are named.
pub(super) fn prompt_text(params: &Value) -> String {
    let blocks = params.get("prompt").and_then(Value::as_array);
    let blocks = blocks.map(Vec::as_slice).unwrap_or_default().iter();
    let texts = blocks.filter_map(|block| {
        let at = |path: &str| block.pointer(path).and_then(Value::as_str);
        at("/text")
            .or_else(|| at("/resource/text"))
            .or_else(|| at("/uri"))
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
