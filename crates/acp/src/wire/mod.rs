//! Envelopes of JSON-RPC 2.0, either direction. Must not know what a method means.

mod value;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use value::{Unfit, parse, weight};

/// The id of a request, kept exactly: a string, an integer or null (a fraction, or an integer past 64 bits, is none).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// An integer that is not negative.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// A string.
    Text(String),
    /// Null. Nobody should send it; it is answered with null.
    Null,
}

impl Id {
    /// The id that a value is, if it is one.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => number
                .as_u64()
                .map(Self::Unsigned)
                .or_else(|| number.as_i64().map(Self::Signed)),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsigned(number) => write!(to, "{number}"),
            Self::Signed(number) => write!(to, "{number}"),
            Self::Text(text) => write!(to, "{text:?}"),
            Self::Null => to.write_str("null"),
        }
    }
}

/// The error of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcError {
    /// Its code; agents send others than those of the protocol (401, 1001). 0 where none was given.
    #[serde(default)]
    pub code: i64,
    /// What it says; empty where nothing was said.
    #[serde(default)]
    pub message: String,
    /// What else was sent, of any form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    /// The request is not one that can be taken now.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is not known, or not offered.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// What came with the method does not fit.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something of ours failed.
    pub const INTERNAL: i64 = -32603;
    /// Somebody has to sign in.
    pub const AUTH_REQUIRED: i64 = -32000;
    /// What was asked for is not there.
    pub const NOT_FOUND: i64 = -32002;
    /// The request was cancelled.
    pub const CANCELLED: i64 = -32800;

    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The error that a value is. A value of another form (a bare string) becomes the message, code 0.
    pub fn read(value: &Value) -> Self {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let Some(fields) = value.as_object() else {
            return Self::new(0, text(value));
        };
        Self {
            code: fields.get("code").and_then(Value::as_i64).unwrap_or(0),
            message: fields.get("message").map(text).unwrap_or_default(),
            data: fields.get("data").filter(|data| !data.is_null()).cloned(),
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// Which the answer names.
        id: Id,
        /// What is wanted.
        method: String,
        /// With what; null where nothing was sent.
        params: Value,
    },
    /// Wants none.
    Notification {
        /// What is told.
        method: String,
        /// With what; null where nothing was sent.
        params: Value,
    },
    /// Answers a request.
    Response {
        /// Which.
        id: Id,
        /// The result, or why there is none.
        outcome: Result<Value, RpcError>,
    },
}

impl Message {
    /// The message that a value is: an object with `jsonrpc` "2.0" and a method, a result or an error. None otherwise; a
    /// scalar or a log line in JSON is never taken for an answer.
    pub fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else {
            return None;
        };
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        let id = fields.remove("id").map(|id| Id::read(&id));
        match fields.remove("method") {
            Some(Value::String(method)) => request(id, method, fields),
            Some(_) => None,
            None => response(id??, fields),
        }
    }

    /// Its bytes as one line, newline included.
    pub fn line(&self) -> Vec<u8> {
        let value = match self {
            Self::Request { id, method, params } => {
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            }
            Self::Notification { method, params } => {
                json!({"jsonrpc": "2.0", "method": method, "params": params})
            }
            Self::Response {
                id,
                outcome: Ok(result),
            } => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Self::Response {
                id,
                outcome: Err(error),
            } => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        let mut line = value.to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

fn request(
    id: Option<Option<Id>>,
    method: String,
    mut fields: Map<String, Value>,
) -> Option<Message> {
    let params = fields.remove("params").unwrap_or_default();
    match id {
        None => Some(Message::Notification { method, params }),
        Some(id) => Some(Message::Request {
            id: id?,
            method,
            params,
        }),
    }
}

fn response(id: Id, mut fields: Map<String, Value>) -> Option<Message> {
    let error = fields.remove("error").filter(|error| !error.is_null());
    let outcome = match (error, fields.remove("result")) {
        (Some(error), _) => Err(RpcError::read(&error)),
        (None, Some(result)) => Ok(result),
        (None, None) => return None,
    };
    Some(Message::Response { id, outcome })
}
