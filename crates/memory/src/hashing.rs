//! One way to feed a hash: a name for the purpose first, then every field with its length in front, so that no two
//! different lists of fields give the same bytes.

use sha2::{Digest, Sha256};

/// A SHA-256 over named, length-prefixed fields.
pub(crate) struct Hashing(Sha256);

impl Hashing {
    /// A hash for one purpose. The purpose ends with its version: `taffrail.memory.content.v1`.
    pub(crate) fn new(purpose: &'static str) -> Self {
        Self(Sha256::new()).field(purpose.as_bytes())
    }

    /// One more field: its length in 8 bytes (big end first), then its bytes.
    pub(crate) fn field(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// A field that may be absent; absent is not the same as empty.
    pub(crate) fn optional(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.field(&[1]).field(bytes),
            None => self.field(&[0]),
        }
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
