//! What a client sends, exactly as the schema of version 1 has it.

use serde_json::{Value, json};

use super::{Implementation, McpServer, VERSION};
use crate::wire::{Id, Message, RpcError};

/// A request of a client.
#[derive(Debug, Clone, Copy)]
pub enum Ask<'a> {
    /// `initialize`, with exactly what is served (FA-20): reading files always, writing only if `write`, no terminal, no
    /// elicitation.
    Initialize {
        /// How we call ourselves.
        client: &'a Implementation,
        /// Whether files are written.
        write: bool,
    },
    /// `authenticate`.
    Authenticate(&'a str),
    /// `session/new`. The servers are an array even where there are none: agents refuse a session without.
    NewSession {
        /// The working directory, absolute.
        cwd: &'a str,
        /// The servers.
        mcp_servers: &'a [McpServer],
    },
    /// `session/set_mode`.
    SetMode {
        /// The session.
        session: &'a str,
        /// The mode.
        mode: &'a str,
    },
    /// `session/set_config_option`, of a list of values.
    SetOption {
        /// The session.
        session: &'a str,
        /// The option.
        option: &'a str,
        /// Its new value.
        value: &'a str,
    },
    /// `session/prompt`.
    Prompt {
        /// The session.
        session: &'a str,
        /// The blocks.
        blocks: &'a [Value],
    },
}

/// A request as a line.
pub fn request(id: u64, ask: Ask<'_>) -> Vec<u8> {
    let (method, params) = params(ask);
    Message::Request {
        id: Id::Unsigned(id),
        method: method.to_owned(),
        params,
    }
    .line()
}

/// A notification as a line.
pub fn notification(method: &str, params: Value) -> Vec<u8> {
    Message::Notification {
        method: method.to_owned(),
        params,
    }
    .line()
}

/// An answer as a line.
pub fn answer(id: Id, outcome: Result<Value, RpcError>) -> Vec<u8> {
    Message::Response { id, outcome }.line()
}

fn params(ask: Ask<'_>) -> (&'static str, Value) {
    match ask {
        Ask::Initialize { client, write } => (
            "initialize",
            json!({
                "protocolVersion": VERSION,
                "clientCapabilities": {
                    "fs": {"readTextFile": true, "writeTextFile": write},
                    "terminal": false,
                },
                "clientInfo": client,
            }),
        ),
        Ask::Authenticate(method) => ("authenticate", json!({"methodId": method})),
        Ask::NewSession { cwd, mcp_servers } => (
            "session/new",
            json!({"cwd": cwd, "mcpServers": mcp_servers}),
        ),
        Ask::SetMode { session, mode } => (
            "session/set_mode",
            json!({"sessionId": session, "modeId": mode}),
        ),
        Ask::SetOption {
            session,
            option,
            value,
        } => (
            "session/set_config_option",
            json!({"sessionId": session, "configId": option, "value": value}),
        ),
        Ask::Prompt { session, blocks } => (
            "session/prompt",
            json!({"sessionId": session, "prompt": blocks}),
        ),
    }
}
