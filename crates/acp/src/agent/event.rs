//! What the driver tells the machine, and what it has to do for it.

use serde_json::Value;

use crate::frame::Incoming;
use crate::v1::McpServer;
use crate::wire::{Id, RpcError};

/// Names one turn: what a turn still tells when it is over is not taken for the next one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnKey(pub u64);

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// A line came.
    Received(Incoming),
    /// A session was opened, or could not be.
    Opened {
        /// For which request.
        request: Id,
        /// The session's id, or why there is none.
        session: Result<String, RpcError>,
    },
    /// A turn tells its client something: the `update` of a `session/update`.
    Tell {
        /// Which turn.
        turn: TurnKey,
        /// What.
        update: Value,
    },
    /// A turn asks its client something; the answer comes as [`AgentEffect::Answered`].
    Ask {
        /// Which turn.
        turn: TurnKey,
        /// The method.
        method: &'static str,
        /// Its parameters, without `sessionId`.
        params: Value,
    },
    /// A turn is over.
    TurnOver {
        /// Which.
        turn: TurnKey,
        /// How it ended.
        ended: Result<Stop, RpcError>,
    },
    /// The client says nothing any more.
    Closed,
}

/// How a turn of ours ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It came to its end.
    EndTurn,
    /// The client cancelled it.
    Cancelled,
}

impl Stop {
    /// The word of the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEffect {
    /// Write these bytes, a line with its newline, to the client.
    Send(Vec<u8>),
    /// Open a session, and tell with [`AgentEvent::Opened`].
    Open(OpenRequest),
    /// Begin a turn.
    Begin {
        /// Its key.
        turn: TurnKey,
        /// Its session.
        session: String,
        /// The text of the prompt, its blocks joined by empty lines.
        text: String,
    },
    /// The client answered what a turn asked.
    Answered {
        /// Which turn.
        turn: TurnKey,
        /// The answer.
        outcome: Result<Value, RpcError>,
    },
    /// The client cancelled a turn, or closed its session or the connection: it is to end soon. What it waits for is answered
    /// with [`AgentEffect::Answered`].
    Cancel {
        /// Which.
        turn: TurnKey,
    },
    /// A session is closed.
    Forget {
        /// Which.
        session: String,
    },
}

/// A session that a client wants.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// The request to name in [`AgentEvent::Opened`].
    pub request: Id,
    /// Its working directory, as sent.
    pub cwd: String,
    /// Its MCP servers.
    pub mcp_servers: Vec<McpServer>,
}

/// What the client serves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientOffers {
    /// `fs/read_text_file`.
    pub read: bool,
    /// `fs/write_text_file`.
    pub write: bool,
}
