//! Where another program says its work stands: stored as sent, redacted, nothing inferred (XSL-05).

use serde::{Deserialize, Serialize};
use taffrail_redact::Redactor;

use super::{NOTE_LIMIT, ROOT_LIMIT, SlateError, TOUCHED_ITEM_LIMIT, TOUCHED_LIMIT};

/// What a caller sent, not yet looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnchorsSent {
    /// The root of the work.
    pub root: Option<String>,
    /// Files touched.
    pub touched: Vec<String>,
    /// What it is about.
    pub note: Option<String>,
}

/// Anchors of a slate: within their limits and without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    #[serde(default)]
    root: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    touched: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Anchors {
    /// Checks the limits of what was sent, then masks what looks secret in it.
    ///
    /// # Errors
    /// `TooLong`, `TooMany`, with the argument's whole name.
    pub fn new(sent: &AnchorsSent, redactor: &Redactor) -> Result<Self, SlateError> {
        let root = sent.root.as_deref().unwrap_or_default();
        within("anchors.root", root, ROOT_LIMIT)?;
        let (limit, got) = (TOUCHED_LIMIT, sent.touched.len());
        if got > limit {
            let argument = "anchors.touched";
            return Err(SlateError::TooMany {
                argument,
                limit,
                got,
            });
        }
        for touched in &sent.touched {
            within("anchors.touched[]", touched, TOUCHED_ITEM_LIMIT)?;
        }
        let note = sent.note.as_deref();
        within("anchors.note", note.unwrap_or_default(), NOTE_LIMIT)?;
        let masked = |text: &str| redactor.clean(text).into_string();
        Ok(Self {
            root: masked(root),
            touched: sent.touched.iter().map(|text| masked(text)).collect(),
            note: note.map(masked),
        })
    }

    /// The root of the work; empty where none was sent.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Files touched.
    pub fn touched(&self) -> &[String] {
        &self.touched
    }

    /// What it is about.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

pub(super) fn within(argument: &'static str, text: &str, limit: usize) -> Result<(), SlateError> {
    let got = text.chars().count();
    if got > limit {
        return Err(SlateError::TooLong {
            argument,
            limit,
            got,
        });
    }
    Ok(())
}
