//! The wire formats: which path speaks which, and what they share.

use serde_json::{Value, json};

use super::conversation::{Conversation, Part};
use super::http::Event;

mod chat;
mod gemini;
mod messages;
mod responses;

/// The wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Gemini: `:generateContent`, `:streamGenerateContent`.
    Gemini,
    /// Anthropic: `/messages`.
    Messages,
    /// OpenAI: `/chat/completions`.
    Chat,
    /// OpenAI: `/responses`.
    Responses,
}

/// Tokens that every answer claims: numbers that a test can tell apart when a reader mixes them up.
const INPUT_TOKENS: u32 = 111;
const OUTPUT_TOKENS: u32 = 22;
const CACHED_TOKENS: u32 = 11;

/// An answer to be written: who asked for what, what is said, and a number that no other answer has.
pub(super) struct Answer<'a> {
    pub(super) model: &'a str,
    pub(super) parts: &'a [Part],
    pub(super) number: u64,
}

impl Answer<'_> {
    fn id(&self, kind: &str) -> String {
        format!("{kind}_{}", self.number)
    }

    /// The id of the part at `index`: unique over all answers of a server.
    fn part_id(&self, kind: &str, index: usize) -> String {
        format!("{kind}_{}_{index}", self.number)
    }

    fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call { .. } => None,
        });
        texts.collect()
    }

    fn has_calls(&self) -> bool {
        self.parts.iter().any(Part::is_call)
    }
}

impl Wire {
    /// The format of a model call to `path`, its query cut off.
    pub(super) fn of(path: &str) -> Option<Self> {
        if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else if path.ends_with("/messages") {
            Some(Self::Messages)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else {
            None
        }
    }

    /// Whether the caller wants events.
    pub(super) fn streams(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Gemini => path.ends_with(":streamGenerateContent"),
            Self::Messages | Self::Chat | Self::Responses => {
                body.get("stream") == Some(&json!(true))
            }
        }
    }

    pub(super) fn conversation(self, body: &Value) -> Conversation {
        match self {
            Self::Gemini => gemini::conversation(body),
            Self::Messages => messages::conversation(body),
            Self::Chat => chat::conversation(body),
            Self::Responses => responses::conversation(body),
        }
    }

    pub(super) fn whole(self, answer: &Answer<'_>) -> Value {
        match self {
            Self::Gemini => gemini::whole(answer),
            Self::Messages => messages::whole(answer),
            Self::Chat => chat::whole(answer),
            Self::Responses => responses::whole(answer),
        }
    }

    /// The events of an answer: those that say its parts, and those that end it.
    pub(super) fn events(self, answer: &Answer<'_>) -> (Vec<Event>, Vec<Event>) {
        match self {
            Self::Gemini => gemini::events(answer),
            Self::Messages => messages::events(answer),
            Self::Chat => chat::events(answer),
            Self::Responses => responses::events(answer),
        }
    }

    /// The error body that clients of this format understand.
    pub(super) fn error(self, status: u16) -> Value {
        let message = format!("scripted error {status}");
        match self {
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": error_name(status).to_uppercase()}})
            }
            Self::Messages => {
                json!({"type": "error", "error": {"type": error_name(status), "message": message}})
            }
            Self::Chat | Self::Responses => {
                json!({"error": {"type": error_name(status), "code": error_name(status), "message": message}})
            }
        }
    }
}

fn error_name(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 | 403 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

/// Pieces of at most 16 characters, as a stream brings them; one empty piece for an empty text.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return vec![String::new()];
    }
    letters
        .chunks(16)
        .map(|piece| piece.iter().collect())
        .collect()
}
