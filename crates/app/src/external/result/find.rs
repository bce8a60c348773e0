//! The last result document of a text, in time that grows with the text alone.

use serde_json::{Map, Value};
use thiserror::Error;

use super::document::ResultDocument;
use super::scan::{Scanned, object};

/// The largest document that is read, in bytes: a few hundred findings. Values take some fifty times their text in memory.
pub const DOCUMENT_LIMIT: usize = 1024 * 1024;

/// Bytes that may be looked at for each byte of the text. Every bracket of a hostile text can begin an object that breaks
/// late; prose, code and quoted documents need less than two.
const LOOKS: usize = 8;
/// Bytes that may be looked at whatever the length of the text.
const LEAST_LOOKS: usize = 1024 * 1024;

/// The lists of a document.
const LISTS: [&str; 6] = [
    "changed_files",
    "findings",
    "questions",
    "errors",
    "acceptance",
    "artifacts",
];

/// Why a final text holds no result document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResultFault {
    /// No JSON object with `status` or `summary` in it.
    #[error("the final text holds no result document")]
    Missing,
    /// An object that was meant as one and is none.
    #[error("the result document is not valid: {why}")]
    Invalid {
        /// What is wrong with it; holds the agent's words.
        why: String,
    },
    /// An object that is too large to be read.
    #[error("the result document has {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`DOCUMENT_LIMIT`].
        limit: usize,
    },
    /// The text holds so many beginnings of objects that looking was given up.
    #[error("the final text holds too many broken objects to be searched")]
    Tangled,
}

/// The last JSON object of the text that is a result document, fenced or bare. An object inside of another object is a part of
/// that one and never counts for itself.
///
/// # Errors
/// [`ResultFault`], for the last object that was meant as one.
pub fn find(text: &str) -> Result<ResultDocument, ResultFault> {
    let mut last = Err(ResultFault::Missing);
    let mut looks = text.len().saturating_mul(LOOKS).max(LEAST_LOOKS);
    let mut at = 0;
    while let Some(begin) = bracket(text, at) {
        let rest = text.get(begin..).unwrap_or_default();
        let (read, looked) = match object(rest.as_bytes()) {
            Scanned::Whole(length) => (document(rest.get(..length).unwrap_or_default()), length),
            Scanned::Broken(length) => (Read::Broken, length),
        };
        at = begin + if read == Read::Broken { 1 } else { looked };
        match read {
            Read::Document(found) => last = Ok(*found),
            Read::Unfit(fault) if last.is_err() => last = Err(fault),
            Read::Unfit(_) | Read::Other => {}
            Read::Broken => {
                looks = looks.saturating_sub(looked);
                if looks == 0 {
                    return last.or(Err(ResultFault::Tangled));
                }
            }
        }
    }
    last
}

fn bracket(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.find('{').map(|found| at + found)
}

/// What an object is.
#[derive(PartialEq)]
enum Read {
    Document(Box<ResultDocument>),
    /// It was meant as a document.
    Unfit(ResultFault),
    /// An object, and nobody meant it as one.
    Other,
    /// No JSON.
    Broken,
}

fn document(object: &str) -> Read {
    if object.len() > DOCUMENT_LIMIT {
        let (bytes, limit) = (object.len(), DOCUMENT_LIMIT);
        return Read::Unfit(ResultFault::TooLarge { bytes, limit });
    }
    let Ok(Value::Object(mut keys)) = serde_json::from_str::<Value>(object) else {
        return Read::Broken;
    };
    if !keys.contains_key("status") && !keys.contains_key("summary") {
        return Read::Other;
    }
    // Many write `null` for what they leave out.
    keys.retain(|_, value| !value.is_null());
    match misfit(&keys).map_or_else(|| fitted(keys), Err) {
        Ok(found) => Read::Document(Box::new(found)),
        Err(why) => Read::Unfit(ResultFault::Invalid { why }),
    }
}

fn fitted(keys: Map<String, Value>) -> Result<ResultDocument, String> {
    serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())
}

/// What does not fit, by its name: the agent is told, once, to repair it.
fn misfit(keys: &Map<String, Value>) -> Option<String> {
    let is = |name: &str, fits: fn(&Value) -> bool| keys.get(name).is_none_or(fits);
    let summary = keys.get("summary").and_then(Value::as_str);
    if summary.unwrap_or_default().trim().is_empty() {
        return Some("`summary` must be a text that says something".to_owned());
    }
    if let Some(name) = LISTS.iter().find(|name| !is(name, Value::is_array)) {
        return Some(format!("`{name}` must be a list"));
    }
    let entries = LISTS
        .iter()
        .filter_map(|name| Some((name, keys.get(*name)?.as_array()?)));
    for (name, entries) in entries {
        if !entries
            .iter()
            .all(|entry| entry.is_string() || entry.is_object())
        {
            return Some(format!("`{name}` must hold objects"));
        }
    }
    if !is("metrics", Value::is_object) {
        return Some("`metrics` must be an object".to_owned());
    }
    (!is("summary_markdown", Value::is_string))
        .then(|| "`summary_markdown` must be a text".to_owned())
}
