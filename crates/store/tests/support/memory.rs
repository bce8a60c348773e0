//! Memories for the tests: drafts through the guardrails, consents over what is on record, a seal key.

use std::path::PathBuf;
use std::sync::LazyLock;

use taffrail_domain::{
    Channel, ContentHash, Grade, MemoryId, MemoryType, Millis, ProjectId, Source, SuggestionId,
};
use taffrail_memory::draft::{Draft, Scope, Screened, screen};
use taffrail_memory::rank::Ranking;
use taffrail_memory::recall::Request;
use taffrail_memory::review::{Consent, Decision, Key, Surface, code};
use taffrail_memory::seal::SealKey;
use taffrail_redact::{Options, Redactor};
use taffrail_store::{
    NewMemory, ProjectName, ProjectRoot, ProjectRow, Reviewed, Sealer, Store, StoreError, Written,
};

use super::clean;

pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

pub fn memory_id() -> MemoryId {
    MemoryId::new(1_800_000_000_000, random())
}

pub fn suggestion_id() -> SuggestionId {
    SuggestionId::new(1_800_000_000_000, random())
}

/// A project at this root.
pub fn project(store: &Store, name: &str, root: &str) -> ProjectRow {
    let roots = [ProjectRoot {
        root: PathBuf::from(root),
        common_dir: Some(PathBuf::from(root).join(".git")),
    }];
    let id = ProjectId::new(1_800_000_000_000, random());
    let name = ProjectName::new(&clean(name)).unwrap();
    store.add_project(id, &name, &roots).unwrap()
}

/// A lesson by this task of the command line.
pub fn draft(scope: Scope, task: &str, content: &str) -> Draft {
    let kind = MemoryType::Lesson;
    let mut draft = Draft::new(scope, kind, content.to_owned(), Channel::Operator);
    draft.source = Source {
        runtime: "cli".to_owned(),
        task: Some(task.to_owned()),
        ..Source::default()
    };
    draft
}

pub fn screened(draft: Draft) -> Screened {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Options::default()));
    screen(draft, &REDACTOR).unwrap()
}

pub fn new(draft: Draft) -> NewMemory {
    NewMemory {
        draft: screened(draft),
        id: memory_id(),
        salt: random(),
    }
}

pub fn write(store: &Store, draft: Draft) -> Written {
    store.write_memory(new(draft)).unwrap()
}

pub fn said(store: &Store, scope: Scope, content: &str) -> MemoryId {
    write(store, draft(scope, content, content)).memory
}

pub const SEED: [u8; 32] = [7; 32];

pub fn sealer() -> Option<Sealer> {
    let key = SealKey::from_seed(SEED);
    Some(Box::new(move |facts| key.sign(facts)))
}

/// A memory as a person sees it now.
pub fn seen(store: &Store, memory: &MemoryId) -> Reviewed {
    let row = store.memory(memory).unwrap();
    Reviewed {
        memory: *memory,
        expected_version: row.version,
        expected_hash: row.reviewed_text().hash,
        notes: None,
    }
}

/// The code for these, typed.
pub fn typed(shown: Vec<(MemoryId, ContentHash)>) -> Consent {
    let typed = code(&shown).to_string();
    Consent::typed(shown, &typed, Surface::Terminal).unwrap()
}

pub fn consent(store: &Store, memories: &[MemoryId]) -> Consent {
    let shown = memories.iter().map(|memory| {
        let hash = store.memory(memory).unwrap().reviewed_text().hash;
        (*memory, hash)
    });
    typed(shown.collect())
}

pub fn key() -> Key {
    Key::pressed(Surface::Terminal)
}

/// Decides about memories as they are now.
pub fn decide(
    store: &Store,
    decision: Decision,
    memories: &[MemoryId],
) -> Result<taffrail_store::ReviewOutcome, StoreError> {
    let batch: Vec<Reviewed> = memories.iter().map(|memory| seen(store, memory)).collect();
    store.review(decision, &batch, sealer())
}

pub fn confirm(store: &Store, memories: &[MemoryId]) {
    decide(store, Decision::Confirm(consent(store, memories)), memories).unwrap();
}

/// What a recall of every grade finds, by the memories' numbers.
pub fn recalled(store: &Store, project: Option<i64>, query: &str) -> Vec<i64> {
    let request = Request {
        project,
        grades: Grade::ALL,
        query,
        limit: 1_000,
        now: Millis(1_800_000_000_000),
        ranking: Ranking::default(),
    };
    let found = store.recall(&request).unwrap();
    found.hits.iter().map(|hit| hit.memory).collect()
}
