//! The words of a file, and the hash of a memory's text.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Exported, TextHash};

/// Begins and ends the front matter.
pub(super) const FENCE: &str = "---";
/// The first line of every front matter: what wrote it, and the version of the form.
pub(super) const FORM: &str = "memory 1";

/// The keys of the front matter, in the order of a file.
pub(super) mod key {
    pub(in super::super) const FORM: &str = "taffrail";
    pub(in super::super) const ID: &str = "id";
    pub(in super::super) const TYPE: &str = "type";
    pub(in super::super) const SUMMARY: &str = "summary";
    pub(in super::super) const SCOPE: &str = "scope";
    pub(in super::super) const CREATED: &str = "created";
    pub(in super::super) const CONFIRMED: &str = "confirmed";
    pub(in super::super) const SOURCES: &str = "sources";
    pub(in super::super) const ARTIFACTS: &str = "artifacts";
    pub(in super::super) const HASH: &str = "hash";

    /// All of them.
    pub(in super::super) const ALL: [&str; 10] = [
        FORM, ID, TYPE, SUMMARY, SCOPE, CREATED, CONFIRMED, SOURCES, ARTIFACTS, HASH,
    ];
}

/// One line of JSON in which nothing hides: what takes no ink, ends a line elsewhere or reorders text is spelled out.
pub(super) fn json(value: &impl Serialize) -> String {
    // Strings and structs of strings always have a JSON form.
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        if hides(letter) {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(letter);
        }
    }
    out
}

fn hides(letter: char) -> bool {
    matches!(letter, '\u{7f}'..='\u{9f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
}

pub(super) fn hash(memory: &Exported) -> TextHash {
    let sources = json(&memory.sources);
    let artifacts = json(&memory.artifacts);
    let fields = [
        memory.kind.name(),
        &memory.summary,
        &memory.content,
        &sources,
        &artifacts,
    ];
    let mut digest = Sha256::new_with_prefix(b"taffrail mirror text 1\0");
    for field in fields {
        digest.update((field.len() as u64).to_be_bytes());
        digest.update(field.as_bytes());
    }
    TextHash(digest.finalize().into())
}
