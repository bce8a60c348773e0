//! What the tests of the store share: a home in a temporary directory, a clock, runs with made-up facts.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(dead_code)] // Each test file uses its own part.

pub mod external;
pub mod harbour;
pub mod memory;
pub mod seeds;
pub mod slates;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use taffrail_domain::{
    Change, ChangeHash, ChangeKind, ChangeState, Clock, FileMode, Flag, Millis, Net, Oid, Refusal,
    RepoPath, RunId, RunKind,
};
use taffrail_redact::{Clean, Options, Redactor};
use taffrail_store::{Home, NewChange, NewRun, Owner, Store, StoreError};

/// A clock that runs backwards: whoever orders by it is found out.
pub struct Backwards(AtomicI64);

impl Backwards {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_800_000_000_000)))
    }
}

impl Clock for Backwards {
    fn now(&self) -> Millis {
        Millis(self.0.fetch_sub(1, Ordering::Relaxed))
    }
}

pub fn open(home: &Home) -> Store {
    Store::open(home, Backwards::new()).unwrap()
}

pub fn home_in(dir: &tempfile::TempDir) -> Home {
    Home::at(&dir.path().join("home")).unwrap()
}

pub fn clean(text: &str) -> Clean {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Options::default()));
    REDACTOR.clean(text)
}

pub fn new_id() -> RunId {
    let mut random = [0; 10];
    getrandom::fill(&mut random).unwrap();
    RunId::new(1_800_000_000_000, random)
}

/// An id whose shown form ends in these five bits each.
pub fn id_ending(end: u8) -> RunId {
    RunId::new(1_800_000_000_000, [0, 0, 0, 0, 0, 0, 0, 0, 0, end])
}

pub fn owner(pid: i32) -> Owner {
    Owner {
        pid,
        start_ticks: 12_345,
        boot_id: "5f0c0c1e-0000-4000-8000-000000000001".to_owned(),
    }
}

pub fn insert(store: &Store, id: RunId, name: &str) -> Result<(), StoreError> {
    with_new_run(id, name, |run| store.insert_run(run))
}

/// The row of a run, as it is before anything is made.
pub fn with_new_run<T>(id: RunId, name: &str, insert: impl FnOnce(&NewRun<'_>) -> T) -> T {
    let checkout = PathBuf::from(format!("/home/checkouts/{id}"));
    insert(&NewRun {
        id,
        kind: RunKind::Box,
        name: &clean(name),
        project_root: Path::new("/project"),
        common_dir: Path::new("/project/.git"),
        command: &Clean::ours("make test"),
        agent: Some(&Clean::ours("claude 2.0")),
        net: &Net::Ports(vec![443, 80]),
        owner: &owner(7),
        checkout: &checkout,
        facts: &Clean::ours("{}"),
    })
}

pub fn oid(digit: char) -> Oid {
    digit.to_string().repeat(40).parse().unwrap()
}

pub fn hash(byte: u8) -> ChangeHash {
    ChangeHash::new([byte; 32])
}

/// One change of every shape.
pub fn changes() -> Vec<Change> {
    let change = |path: &[u8], kind, old, new| Change {
        path: RepoPath::new(path).unwrap(),
        kind,
        old,
        new,
        added: Some(3),
        removed: None,
        flags: Vec::new(),
        refused: None,
    };
    let file = |digit| Some((FileMode::File, oid(digit)));
    let mut flagged = change(
        b".github/workflows/x.yml",
        ChangeKind::Added,
        None,
        file('a'),
    );
    flagged.flags = vec![Flag::Ci, Flag::Executable];
    let mut refused = change(b"link", ChangeKind::TypeChanged, file('b'), None);
    refused.refused = Some(Refusal::SymlinkLeaves);
    vec![
        flagged,
        refused,
        change(b"caf\xe9\nname", ChangeKind::Deleted, file('c'), None),
        change(b"src/lib.rs", ChangeKind::Modified, file('d'), file('e')),
        change(
            b"run.sh",
            ChangeKind::ModeChanged,
            file('1'),
            Some((FileMode::Executable, oid('1'))),
        ),
    ]
}

pub fn record(store: &Store, run: &RunId, hash: &ChangeHash) -> Result<(), StoreError> {
    store.record_change(
        run,
        &NewChange {
            hash,
            state: ChangeState::Pending,
            patch_bytes: 321,
            changes: &changes(),
            ignored_count: 4,
        },
    )
}

/// Does it again while it is told that the database is locked: on a slow disk the fifteen others may need longer than
/// anybody waits, and that loses nothing.
pub fn patiently<T>(mut write: impl FnMut() -> Result<T, StoreError>) -> T {
    for _ in 0..30 {
        match write() {
            Err(StoreError::Busy { .. }) => {}
            written => return written.unwrap(),
        }
    }
    panic!("the database is locked for minutes");
}
