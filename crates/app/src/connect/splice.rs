//! Bytes that were put into a text, in order, so that they can be taken out again.

use serde::{Deserialize, Serialize};

/// One insertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Splice {
    /// Where, in bytes of the text as the insertions before it left it.
    pub at: usize,
    /// What.
    pub put: String,
}

/// The text with these put in; none where one of them does not lie in it.
pub(super) fn apply(text: &str, splices: &[Splice]) -> Option<String> {
    let mut text = text.to_owned();
    for splice in splices {
        if !text.is_char_boundary(splice.at) {
            return None;
        }
        text.insert_str(splice.at, &splice.put);
    }
    Some(text)
}

/// The text with these taken out, the last one first; none where one of them is not there.
pub(super) fn take_out(text: &str, splices: &[Splice]) -> Option<String> {
    let mut text = text.to_owned();
    for Splice { at, put } in splices.iter().rev() {
        let end = at.checked_add(put.len())?;
        if text.get(*at..end)? != put {
            return None;
        }
        text.replace_range(*at..end, "");
    }
    Some(text)
}
