//! The words of a file, and the hash of a memory's text.

use sha2::{Digest, Sha256};

use super::{Exported, TextHash};

pub(super) fn hash(memory: &Exported) -> TextHash {
    let sources = serde_json::to_string(&memory.sources).unwrap_or_default();
    let artifacts = serde_json::to_string(&memory.artifacts).unwrap_or_default();
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
