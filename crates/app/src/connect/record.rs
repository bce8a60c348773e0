//! What is on record of a file that we wrote into: enough to take it back to the byte, and no text of its owner.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::node::{Node, Piece};
use super::splice::Splice;

/// The column `edit` of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    v: u32,
    /// Folders that were made for the file, the outermost first.
    pub folders: Vec<String>,
    /// What was put in, in order.
    pub pieces: Vec<PieceRecord>,
    /// The bytes of it, in order.
    pub steps: Vec<Splice>,
    /// What stood there from an earlier time, which this one was put in the place of: a process that was killed between
    /// its row and its file leaves that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
}

/// A piece that was put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PieceRecord {
    path: Vec<String>,
    key: Option<String>,
    value: Value,
    /// How many maps and lists were made for it.
    pub made: usize,
}

/// The state of a file before it was written anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Earlier {
    /// The first half of the SHA-256 of the file.
    pub after: String,
    pub steps: Vec<Splice>,
}

impl Record {
    pub(super) fn new(
        folders: Vec<String>,
        pieces: Vec<PieceRecord>,
        steps: Vec<Splice>,
        earlier: Option<Earlier>,
    ) -> Self {
        Self {
            v: 1,
            folders,
            pieces,
            steps,
            earlier,
        }
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let record: Self = serde_json::from_str(text).ok()?;
        (record.v == 1).then_some(record)
    }

    pub(super) fn pieces(&self) -> Vec<Piece> {
        self.pieces.iter().map(PieceRecord::piece).collect()
    }
}

impl PieceRecord {
    pub(super) fn new(piece: &Piece, made: usize) -> Self {
        Self {
            path: piece.path.clone(),
            key: piece.key.clone(),
            value: json(&piece.value),
            made,
        }
    }

    pub(super) fn piece(&self) -> Piece {
        Piece {
            path: self.path.clone(),
            key: self.key.clone(),
            value: node(&self.value),
        }
    }
}

pub(super) fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Enough of a hash to know a state of a file again. A whole one in a text reads as a secret to the redactor.
pub(super) fn mark(hash: &[u8; 32]) -> String {
    taffrail_domain::hex(hash.get(..8).unwrap_or_default())
}

/// Ours are plain: whole numbers, texts, flags, lists, maps.
fn json(node: &Node) -> Value {
    match node {
        Node::Null => Value::Null,
        Node::Flag(flag) => Value::Bool(*flag),
        Node::Plain(plain) => plain.parse::<u64>().map_or(Value::Null, Value::from),
        Node::Text(text) => Value::String(text.clone()),
        Node::List(items) => Value::Array(items.iter().map(json).collect()),
        Node::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (key.clone(), json(value)));
            Value::Object(entries.collect())
        }
    }
}

fn node(value: &Value) -> Node {
    match value {
        Value::Null => Node::Null,
        Value::Bool(flag) => Node::Flag(*flag),
        Value::Number(number) => Node::Plain(number.to_string()),
        Value::String(text) => Node::text(text),
        Value::Array(items) => Node::list(items.iter().map(node)),
        Value::Object(entries) => Node::Map(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), node(value)))
                .collect(),
        ),
    }
}
