//! The server: listens, hands each request to its wire format, records it.

use serde_json::Value;

use super::act::Scripts;

/// The wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Gemini: `:generateContent`, `:streamGenerateContent`, `:countTokens`.
    Gemini,
    /// Anthropic: `/messages`, `/messages/count_tokens`.
    Messages,
    /// OpenAI: `/chat/completions`.
    Chat,
    /// OpenAI: `/responses`.
    Responses,
}

/// One request that came in.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// `GET`, `POST`.
    pub method: String,
    /// With the query.
    pub path: String,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` when there was none.
    pub body: Value,
    /// The wire format, when the path is one of a model call.
    pub wire: Option<Wire>,
}

/// The server, listening on a port of 127.0.0.1. Dropped, it breaks all connections and ends.
#[derive(Debug)]
pub struct ModelServer {
    scripts: Scripts,
}

impl ModelServer {
    /// Listens on a free port.
    pub fn start(scripts: Scripts) -> Self {
        Self { scripts }
    }

    /// The scripts that it follows.
    pub fn scripts(&self) -> &Scripts {
        &self.scripts
    }
}
