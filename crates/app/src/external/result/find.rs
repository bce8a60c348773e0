//! The last result document of a text, in time that grows with the text alone.

use serde::de::IgnoredAny;
use serde_json::Value;
use thiserror::Error;

use super::document::ResultDocument;

/// The largest document that is read, in bytes: a few hundred findings. Values take some fifty times their text in memory.
pub const DOCUMENT_LIMIT: usize = 1024 * 1024;

/// Bytes that may be tried for each byte of the text. Every bracket of a hostile text can begin an object that fails late;
/// prose, code and quoted documents need less than two.
const TRIES: usize = 8;
/// Bytes that may be tried whatever the length of the text.
const LEAST_TRIES: usize = 1024 * 1024;

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
    let mut tries = text.len().saturating_mul(TRIES).max(LEAST_TRIES);
    let mut at = 0;
    while let Some(begin) = memchr_from(text, at) {
        let rest = text.get(begin..).unwrap_or_default();
        let (length, is_whole) = object(rest);
        if !is_whole {
            tries = tries.saturating_sub(length);
            if tries == 0 {
                return last.or(Err(ResultFault::Tangled));
            }
            at = begin + 1;
            continue;
        }
        at = begin + length;
        match document(rest.get(..length).unwrap_or_default()) {
            Some(Ok(found)) => last = Ok(found),
            Some(Err(fault)) if last.is_err() => last = Err(fault),
            Some(Err(_)) | None => {}
        }
    }
    last
}

fn memchr_from(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.find('{').map(|found| at + found)
}

/// How long the object at the beginning of a text is, or how far it goes before it is none.
fn object(text: &str) -> (usize, bool) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let is_whole = matches!(values.next(), Some(Ok(_)));
    (values.byte_offset(), is_whole)
}

/// The document of an object; none where nobody meant it as one.
fn document(object: &str) -> Option<Result<ResultDocument, ResultFault>> {
    if object.len() > DOCUMENT_LIMIT {
        let (bytes, limit) = (object.len(), DOCUMENT_LIMIT);
        return Some(Err(ResultFault::TooLarge { bytes, limit }));
    }
    let value: Value = serde_json::from_str(object).ok()?;
    if value.get("status").is_none() && value.get("summary").is_none() {
        return None;
    }
    let read = serde_json::from_value::<ResultDocument>(value);
    Some(read.map_err(|error| ResultFault::Invalid {
        why: error.to_string(),
    }))
}
