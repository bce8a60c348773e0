//! A configuration in either notation: a piece is put in or taken out, and the outcome is read again and held against what
//! it was to be before anybody writes it.

use super::json::{self, Dialect};
use super::node::{Node, Piece};
use super::splice::{Splice, apply};
use super::toml;
use super::unfit::Unfit;

/// A byte order mark stays where it is.
const MARK: &str = "\u{feff}";

/// The notation of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with what its program's reader takes beyond it.
    Json(Dialect),
    /// TOML.
    Toml,
    /// A file that is ours as a whole.
    Ours,
}

/// What was put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Put {
    /// The insertions, in order.
    pub splices: Vec<Splice>,
    /// How many of the maps and lists on the piece's way they made.
    pub made: usize,
    /// The document afterwards.
    pub text: String,
}

impl Format {
    /// What a document says.
    pub(super) fn read(self, text: &str) -> Result<Node, Unfit> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        match self {
            Self::Json(dialect) => json::read(text, dialect),
            Self::Toml => toml::read(text),
            Self::Ours => Ok(Node::text(text)),
        }
    }

    /// Puts a piece in. What comes out says what was there and the piece, or nothing comes out.
    pub(super) fn put(self, text: &str, piece: &Piece) -> Result<Put, Unfit> {
        let bare = text.strip_prefix(MARK).unwrap_or(text);
        let (mut splices, made) = match self {
            Self::Json(dialect) => json::put(bare, dialect, piece)?,
            Self::Toml => toml::put(bare, piece)?,
            Self::Ours => return Err(Unfit::whole("takes no piece")),
        };
        let shift = text.len() - bare.len();
        splices.iter_mut().for_each(|splice| splice.at += shift);
        let after = apply(text, &splices);
        let expected = self.read(text)?.with(piece);
        match (after, expected) {
            (Some(after), Some(expected)) if self.is(&after, expected.clone()) => Ok(Put {
                splices,
                made,
                text: after,
            }),
            _ => Err(Unfit::whole(
                "is written in a way that nothing can be added to safely",
            )),
        }
    }

    /// Takes a piece out of a document that was changed since; none where it is not there. The bytes that were put in are
    /// looked for first, then the structure.
    pub(super) fn take_out(
        self,
        text: &str,
        piece: &Piece,
        made: usize,
        put: &[Splice],
    ) -> Result<Option<String>, Unfit> {
        let before = self.read(text)?;
        let Some(expected) = before.without(piece, made) else {
            return Ok(None);
        };
        if let Some(left) = by_bytes(text, put).filter(|left| self.is(left, expected.clone())) {
            return Ok(Some(left));
        }
        let bare = text.strip_prefix(MARK).unwrap_or(text);
        let mark = text.get(..text.len() - bare.len()).unwrap_or("");
        let left = match self {
            Self::Json(dialect) => json::remove(bare, dialect, piece, made)?,
            Self::Toml => toml::remove(bare, piece)?,
            Self::Ours => None,
        };
        let left = left.map(|left| format!("{mark}{left}"));
        match left {
            Some(left) if self.is(&left, expected) => Ok(Some(left)),
            Some(_) | None => Err(Unfit::whole(
                "was changed since in a way that the entry has to be taken out of it by hand",
            )),
        }
    }

    /// Whether a document says this. The order of tables in TOML means nothing, that of keys in JSON may.
    fn is(self, text: &str, expected: Node) -> bool {
        match (self, self.read(text)) {
            (_, Err(_)) => false,
            (Self::Toml, Ok(node)) => pruned(node).sorted() == pruned(expected).sorted(),
            (Self::Json(_) | Self::Ours, Ok(node)) => node == expected,
        }
    }
}

/// The one long insertion, where it stands just once; the comma that went before it stays with the others.
fn by_bytes(text: &str, put: &[Splice]) -> Option<String> {
    let [only] = put else { return None };
    let at = text.find(&only.put)?;
    let again = text.get(at + 1..).and_then(|rest| rest.find(&only.put));
    if again.is_some() {
        return None;
    }
    let mut left = text.to_owned();
    left.replace_range(at..at + only.put.len(), "");
    Some(left)
}

/// A TOML table that holds nothing need not be written.
fn pruned(node: Node) -> Node {
    match node {
        Node::Map(entries) => {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (key, pruned(value)))
                .filter(|(_, value)| !value.is_empty());
            Node::Map(entries.collect())
        }
        Node::List(items) => Node::List(items.into_iter().map(pruned).collect()),
        other => other,
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
