//! MEM-02 to MEM-06: what is written comes back, repeats are witnesses, the channel never rises, lists and the journal.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Measures, and is told by the environment how much.

mod arrival;
mod journal;
mod lists;
mod near;
#[path = "../support/mod.rs"]
mod support;

use support::memory::decide;
use support::memory::{confirm, draft, key, memory_id, new, project, recalled, said, write};
use support::{home_in, open};
use taffrail_domain::{
    Artifact, Channel, Lifecycle, MemoryId, MemoryStatus, MemoryType, Millis, PolicyBits,
    Provenance, Shelf, SourceRef,
};
use taffrail_memory::draft::{Blocked, Context, Scope};
use taffrail_memory::journal::Verifier;
use taffrail_memory::review::Decision;
use taffrail_redact::{Options, Redactor};
use taffrail_store::{
    BlockedDraft, MemoryCursor, MemoryFilter, NewMemory, Outcome, Store, StoreError, Whose, Written,
};

struct Kept {
    store: Store,
    home: taffrail_store::Home,
    _dir: tempfile::TempDir,
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    Kept {
        store,
        home,
        _dir: dir,
    }
}

/// Every entry of the journal chains, and none holds one of these words.
fn verify(store: &Store, without: &[&str]) {
    let mut verifier = Verifier::new(&[store.journal_head().unwrap()]);
    let entries = store.journal_entries(1, 10_000).unwrap();
    for entry in &entries {
        verifier.push(&entry.seen());
        for word in without {
            assert!(!entry.facts.contains(word), "{} holds {word}", entry.facts);
        }
    }
    verifier.finish().unwrap();
}

/// A draft with everything that a draft can have.
fn full(scope: Scope) -> taffrail_memory::draft::Draft {
    let mut wanted = draft(scope, "t1", "Zebra parsers want a newline. Always.");
    wanted.kind = MemoryType::Constraint;
    wanted.context = Context {
        before: vec!["Before it.".to_owned()],
        after: vec!["After it.".to_owned()],
    };
    wanted.source_refs = vec![SourceRef {
        kind: "file".to_owned(),
        uri: "src/parse.rs".to_owned(),
        title: Some("the parser".to_owned()),
        timestamp: Some("2026-01-02".to_owned()),
    }];
    wanted.artifacts = vec![Artifact {
        kind: "diff".to_owned(),
        uri: "run_1".to_owned(),
        description: Some("the change".to_owned()),
    }];
    wanted.confidence = Some(0.25);
    wanted.stale_after = Some(Millis(1_900_000_000_000));
    wanted.slate_kind = Some("risk".to_owned());
    wanted.is_open = true;
    wanted.created = Some(Millis(1_700_000_000_000));
    wanted.foreign_ids = vec!["mem-12".to_owned()];
    wanted.evidence = Some(r#"{"branch":"main"}"#.to_owned());
    wanted
}
