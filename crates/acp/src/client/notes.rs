//! Odd things: the first of each kind are told, all are counted, so that a flood of them takes no memory.

use super::machine::Client;
use super::{Effect, Note, NoteKind};

/// How many notes of one kind are told.
const TOLD: u64 = 16;
/// How long a detail may be, in bytes.
const DETAIL: usize = 512;

impl Client {
    pub(super) fn note(&mut self, kind: NoteKind, detail: &str) {
        let count = self.facts.notes.entry(kind).or_default();
        *count += 1;
        let count = *count;
        if count <= TOLD {
            let detail = cut(detail, DETAIL);
            self.tell(Effect::Note(Note {
                kind,
                detail,
                count,
            }));
        }
    }
}

/// The first `most` bytes of a text, at a character's border.
pub(super) fn cut(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most))
        .unwrap_or_default()
        .to_owned()
}
