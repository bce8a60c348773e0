//! The hashes of a memory: same thing from the same task, same thing from anyone, who said it, and exactly which text.

use taffrail_domain::{ContentHash, MemoryType, Source};
use unicode_normalization::UnicodeNormalization as _;

use crate::draft::{Scope, Screened};
use crate::hashing::Hashing;

/// The key under which a repeat by the same task is the same row (MEM-04): project, runtime, task, type, normalised
/// content.
pub fn idempotency_key(screened: &Screened) -> [u8; 32] {
    scoped(
        Hashing::new("taffrail.memory.idempotency.v1"),
        screened.scope,
    )
    .field(screened.source.runtime.as_bytes())
    .optional(screened.source.task.as_deref().map(str::as_bytes))
    .field(screened.kind.name().as_bytes())
    .field(normalised(screened.content.as_str()).as_bytes())
    .finish()
}

/// The key under which a repeat by anyone is a witness (MEM-05): project, type, normalised content.
pub fn text_key(screened: &Screened) -> [u8; 32] {
    text_key_of(screened.scope, screened.kind, screened.content.as_str())
}

/// [`text_key`] from its parts, for a text that changed in an edit.
pub fn text_key_of(scope: Scope, kind: MemoryType, content: &str) -> [u8; 32] {
    scoped(Hashing::new("taffrail.memory.text.v1"), scope)
        .field(kind.name().as_bytes())
        .field(normalised(content).as_bytes())
        .finish()
}

/// Who said something: runtime, task, session and client. The step and the model make nobody a second witness.
pub fn witness(source: &Source) -> [u8; 32] {
    let Source {
        runtime,
        task,
        session,
        client,
        step: _,
        model: _,
    } = source;
    Hashing::new("taffrail.memory.witness.v1")
        .field(runtime.as_bytes())
        .optional(task.as_deref().map(str::as_bytes))
        .optional(session.as_deref().map(str::as_bytes))
        .optional(client.as_deref().map(str::as_bytes))
        .finish()
}

/// Everything of a memory that a turn may be given, exactly as its row keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashedText<'a> {
    /// Whom it is for.
    pub scope: Scope,
    /// What kind of knowledge.
    pub kind: MemoryType,
    /// The summary.
    pub summary: &'a str,
    /// The content.
    pub content: &'a str,
    /// The JSON array of source refs.
    pub source_refs: &'a str,
    /// The JSON array of artifacts.
    pub artifacts: &'a str,
}

impl<'a> HashedText<'a> {
    /// The text of a screened draft.
    pub fn of(screened: &'a Screened) -> Self {
        Self {
            scope: screened.scope,
            kind: screened.kind,
            summary: screened.summary.as_str(),
            content: screened.content.as_str(),
            source_refs: screened.source_refs_json.as_str(),
            artifacts: screened.artifacts_json.as_str(),
        }
    }
}

/// The hash that a person consents to and a seal vouches for. Bytes as they are, nothing normalised: what was shown is
/// what counts. The salt (random, erased with the text) keeps the journal from being asked about guesses.
pub fn content_hash(salt: &[u8; 16], text: &HashedText<'_>) -> ContentHash {
    let hashing = Hashing::new("taffrail.memory.content.v1").field(salt);
    ContentHash(
        scoped(hashing, text.scope)
            .field(text.kind.name().as_bytes())
            .field(text.summary.as_bytes())
            .field(text.content.as_bytes())
            .field(text.source_refs.as_bytes())
            .field(text.artifacts.as_bytes())
            .finish(),
    )
}

/// The form in which two contents are compared: blanks at both ends and at line ends gone, line ends `\n`, NFC.
pub fn normalised(content: &str) -> String {
    let composed: String = content.nfc().collect();
    let unix = composed.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = unix.trim().split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

fn scoped(hashing: Hashing, scope: Scope) -> Hashing {
    match scope {
        Scope::Project(project) => hashing.optional(Some(&project.bytes())),
        Scope::Personal => hashing.optional(None),
    }
}
