//! What an entry may say: typed values under names of our own. There is no door for free text.

use std::collections::BTreeMap;
use taffrail_domain::hex;

use serde_json::Value;
use sha2::{Digest, Sha256};
use taffrail_domain::ContentHash;

/// The facts of one entry: names of our own, sorted; values that are ids, words, numbers, flags and keyed hashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts(BTreeMap<&'static str, Value>);

impl Facts {
    /// No facts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A word of ours: an action, a status, a family. Only words known at compile time fit.
    #[must_use]
    pub fn word(self, name: &'static str, word: &'static str) -> Self {
        self.with(name, Value::from(word))
    }

    /// Several words of ours, in their order.
    #[must_use]
    pub fn words(self, name: &'static str, words: &[&'static str]) -> Self {
        self.with(name, Value::from(words))
    }

    /// A number.
    #[must_use]
    pub fn number(self, name: &'static str, number: i64) -> Self {
        self.with(name, Value::from(number))
    }

    /// Yes or no.
    #[must_use]
    pub fn flag(self, name: &'static str, is_so: bool) -> Self {
        self.with(name, Value::from(is_so))
    }

    /// The sixteen bytes of an id, in 32 hex digits.
    #[must_use]
    pub fn id(self, name: &'static str, id: [u8; 16]) -> Self {
        self.with(name, Value::from(hex(&id)))
    }

    /// Several ids, in their order.
    #[must_use]
    pub fn ids(self, name: &'static str, ids: impl IntoIterator<Item = [u8; 16]>) -> Self {
        let ids: Vec<Value> = ids.into_iter().map(|id| Value::from(hex(&id))).collect();
        self.with(name, Value::from(ids))
    }

    /// The salted hash of a memory's text.
    #[must_use]
    pub fn content(self, name: &'static str, content: ContentHash) -> Self {
        self.with(name, Value::from(content.to_string()))
    }

    /// A hash that says nothing without its key.
    #[must_use]
    pub fn keyed(self, name: &'static str, hash: KeyedHash) -> Self {
        self.with(name, Value::from(hex(&hash.0)))
    }

    /// The public half of a key.
    #[must_use]
    pub fn public_key(self, name: &'static str, key: [u8; 32]) -> Self {
        self.with(name, Value::from(hex(&key)))
    }

    /// Canonical JSON: names sorted by bytes, no spaces.
    pub fn json(&self) -> String {
        // A map of plain values cannot fail to be written; if it ever did, an entry without facts still chains.
        serde_json::to_string(&self.0).unwrap_or_else(|_| "{}".to_owned())
    }

    fn with(mut self, name: &'static str, value: Value) -> Self {
        self.0.insert(name, value);
        self
    }
}

/// HMAC-SHA-256 of a text under a key (a row's salt, the home's key): equal texts compare, and nobody without the key
/// can guess them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyedHash([u8; 32]);

/// The block of SHA-256.
const BLOCK: usize = 64;

impl KeyedHash {
    /// The hash of `text` under `key`.
    pub fn of(key: &[u8; 32], text: &[u8]) -> Self {
        let inner = Sha256::new()
            .chain_update(padded(key, 0x36))
            .chain_update(text)
            .finalize();
        let outer = Sha256::new()
            .chain_update(padded(key, 0x5c))
            .chain_update(inner)
            .finalize();
        Self(outer.into())
    }

    /// The bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

fn padded(key: &[u8; 32], with: u8) -> [u8; BLOCK] {
    let mut block = [with; BLOCK];
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
    block
}
