//! `taffrail redact`: a filter, and a batch door that answers each line by itself (CLI-06).

use serde::{Deserialize, Serialize};
use taffrail_redact::{Options, Redactor};

/// A line of a batch may be this long, in bytes; a longer one is answered with an error.
pub const LINE_LIMIT: usize = 64 << 20;

#[derive(Deserialize)]
struct Question {
    id: serde_json::Value,
    text: String,
}

/// The answer to one line.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The text with its secrets masked, and where they were.
    Clean {
        /// The id of the line, as it came.
        id: serde_json::Value,
        /// The masked text.
        text: String,
        /// What was found, by byte offsets into the text as it came.
        findings: Vec<Found>,
    },
    /// The line was not understood.
    Refused {
        /// The id of the line where it has one.
        id: serde_json::Value,
        /// Why.
        error: Refusal,
    },
}

/// One secret.
#[derive(Serialize)]
pub struct Found {
    /// Which family it belongs to.
    pub family: &'static str,
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// Why a line was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// A stable code.
    pub code: &'static str,
    /// What is wrong with the line.
    pub message: String,
}

impl Answer {
    /// Whether the line was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// A redactor with or without the opt-in set of personal data.
pub fn redactor(pii: bool) -> Redactor {
    Redactor::new(Options { pii })
}

/// Answers one JSON line `{"id","text"}`.
pub fn answer(redactor: &Redactor, line: &[u8]) -> Answer {
    match serde_json::from_slice::<Question>(line) {
        Ok(question) => clean(redactor, question),
        Err(error) => refuse(
            line,
            format!("the line is not {{\"id\",\"text\"}}: {error}"),
        ),
    }
}

/// The answer to a line that is over [`LINE_LIMIT`].
pub fn too_long(bytes: usize) -> Answer {
    refuse(
        b"",
        format!("the line has {bytes} bytes, the limit is {LINE_LIMIT}"),
    )
}

fn clean(redactor: &Redactor, question: Question) -> Answer {
    let findings = redactor.findings(&question.text);
    let found = |at: &taffrail_redact::Finding| Found {
        family: at.family.as_str(),
        start: at.start,
        end: at.end,
    };
    Answer::Clean {
        id: question.id,
        text: redactor.clean(&question.text).into_string(),
        findings: findings.iter().map(found).collect(),
    }
}

fn refuse(line: &[u8], message: String) -> Answer {
    let id = serde_json::from_slice::<serde_json::Value>(line)
        .ok()
        .and_then(|value| value.get("id").cloned());
    Answer::Refused {
        id: id.unwrap_or_default(),
        error: Refusal {
            code: "usage",
            message,
        },
    }
}
