//! A misfit in words: the tool, the argument, the limit and the value given (XSL-03).

use serde_json::Value;
use taffrail_domain::ErrorCode;
use taffrail_redact::{Options, Redactor};
use taffrail_text::Shown;

use crate::host::Failure;
use crate::schema::{Misfit, Why};

/// Of a value that was refused, so many characters are given back.
const CLIP: usize = 80;

/// So much of a value is looked at for secrets before it is clipped: enough that what begins within the clip is known.
const LOOKED_AT: usize = 16 * 1024;

/// Makes untrusted text fit to stand in a message. Cheap to copy: the rules are compiled when something is first said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    redaction: Options,
}

impl Words {
    pub(crate) const fn new(redaction: Options) -> Self {
        Self { redaction }
    }

    /// Without secrets, at most [`CLIP`] characters, on one line, without a character that moves a cursor.
    pub(crate) fn value(&self, text: &str) -> String {
        let clean = self.clean(head(text, LOOKED_AT));
        let mut clipped: String = clean.chars().take(CLIP).collect();
        if clipped.len() < clean.len() || text.len() > LOOKED_AT {
            clipped.push('…');
        }
        Shown::line(&clipped).into_string()
    }

    /// A whole message: without secrets, control characters escaped.
    pub(crate) fn message(&self, text: &str) -> String {
        Shown::block(&self.clean(text)).into_string()
    }

    fn clean(&self, text: &str) -> String {
        Redactor::new(self.redaction).clean(text).into_string()
    }

    /// What the misfit is, as a failure of the tool.
    pub(crate) fn misfit(&self, misfit: &Misfit) -> Failure {
        let path = self.value(&misfit.path);
        Failure {
            code: ErrorCode::ToolArgument,
            message: format!("'{path}' {}", self.why(&misfit.why)),
            hint: None,
        }
    }

    fn why(&self, why: &Why) -> String {
        match why {
            Why::Missing => "is required".to_owned(),
            Why::Unknown { known } => unknown(known),
            Why::Type { wanted, given } => {
                format!("must be {wanted} (got {})", self.given(given))
            }
            Why::Long {
                limit,
                length,
                given,
            } => format!(
                "exceeds the {limit}-character limit (got {length}: \"{}\")",
                self.value(given)
            ),
            Why::Blank => "must not be blank".to_owned(),
            Why::Characters { given } => format!(
                "may hold A-Z a-z 0-9 _ - only (got \"{}\")",
                self.value(given)
            ),
            Why::Word { words, given } => format!(
                "must be one of {} (got \"{}\")",
                words.join(", "),
                self.value(given)
            ),
            Why::Range { min, max, given } => range(*min, *max, &given.to_string()),
            Why::Items { limit, count } => {
                format!("exceeds the {limit}-item limit (got {count})")
            }
        }
    }

    /// A value of the wrong type: text in quotation marks, numbers as they are, of the rest only the type.
    fn given(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => format!("\"{}\"", self.value(text)),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        }
    }
}

fn unknown(known: &[&str]) -> String {
    if known.is_empty() {
        return "is no argument: it takes none".to_owned();
    }
    format!("is no argument (known: {})", known.join(", "))
}

fn range(min: u64, max: u64, given: &str) -> String {
    if max == u64::MAX {
        return format!("must be at least {min} (got {given})");
    }
    format!("must be {min} to {max} (got {given})")
}

/// The beginning of a text, at most so many bytes, cut between characters.
fn head(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}
