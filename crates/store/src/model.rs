//! What goes into the store and what comes out, as types of their own: neither rows nor wire.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use taffrail_domain::{
    Change, ChangeHash, ChangeState, Ended, Millis, Net, Oid, RunId, RunKind, RunStatus,
};
use taffrail_redact::Clean;

/// A process that owns something, so that it is never mistaken for a later one with the same process id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Process id.
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub start_ticks: u64,
    /// The boot in which both mean anything.
    pub boot_id: String,
}

/// A run before anything of it is on disk.
#[derive(Clone, Copy)]
pub struct NewRun<'a> {
    /// Its id.
    pub id: RunId,
    /// What kind of session it is.
    pub kind: RunKind,
    /// Its name: not empty; begins with `run_` only if it is the run's own id.
    pub name: &'a Clean,
    /// Real path of the project's root.
    pub project_root: &'a Path,
    /// Real path of the repository's common directory.
    pub common_dir: &'a Path,
    /// The command line for reading.
    pub command: &'a Clean,
    /// Name and version of the agent, where one was recognised.
    pub agent: Option<&'a Clean>,
    /// What the network is limited to.
    pub net: &'a Net,
    /// This process.
    pub owner: &'a Owner,
    /// Where the checkout will be.
    pub checkout: &'a Path,
    /// Facts about the preparation, as JSON.
    pub facts: &'a Clean,
}

/// Where a project lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectDirs {
    /// Real path of its root.
    pub root: PathBuf,
    /// Real path of its repository's common directory.
    pub common_dir: PathBuf,
}

/// When a run began and ended. For display; nothing is ordered by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTimes {
    /// The row was made.
    pub created: Millis,
    /// The child was started.
    pub started: Option<Millis>,
    /// The run ended.
    pub ended: Option<Millis>,
}

/// A run on record. Its text is redacted but untrusted: wrap it before it reaches a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Order of creation.
    pub seq: i64,
    /// Its id.
    pub id: RunId,
    /// What kind of session it is.
    pub kind: RunKind,
    /// Its name.
    pub name: String,
    /// Its project.
    pub project: ProjectDirs,
    /// The command line for reading.
    pub command: String,
    /// Name and version of the agent, where one was recognised.
    pub agent: Option<String>,
    /// What the network was limited to.
    pub net: Net,
    /// Facts about the preparation, as JSON.
    pub facts: String,
    /// How it stands.
    pub status: RunStatus,
    /// Stable code of why it ended.
    pub reason: Option<String>,
    /// How the child ended.
    pub ended: Option<Ended>,
    /// The commit it is based on.
    pub base: Option<Oid>,
    /// The commit of the operator's uncommitted changes.
    pub first_commit: Option<Oid>,
    /// What the sandbox enforced, as JSON.
    pub enforcement: Option<String>,
    /// When.
    pub times: RunTimes,
    /// Its checkout in the ledger.
    pub checkout: CheckoutRow,
    /// Where its captured diff stands; none before the capture.
    pub change: Option<ChangeState>,
    /// Whether a decision was begun whose result is not on record.
    pub deciding: bool,
}

/// Which runs to list, newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunFilter<'a> {
    /// Only runs of the repository with this common directory.
    pub common_dir: Option<&'a Path>,
    /// Only runs that are live, undecided or still have a checkout.
    pub open_only: bool,
    /// At most so many; none for all.
    pub limit: Option<u32>,
}

/// Where a disposable checkout stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutState {
    /// Being made; may be half there or not at all.
    Preparing,
    /// A run may write in it.
    Live,
    /// Its diff is stored; it may go.
    Captured,
    /// Stays on purpose, or because its diff could not be captured.
    Kept,
    /// Nothing is left.
    Removed,
}

impl CheckoutState {
    const ALL: [Self; 5] = [
        Self::Preparing,
        Self::Live,
        Self::Captured,
        Self::Kept,
        Self::Removed,
    ];

    /// The stable name, as in JSON and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preparing => "preparing",
            Self::Live => "live",
            Self::Captured => "captured",
            Self::Kept => "kept",
            Self::Removed => "removed",
        }
    }
}

impl FromStr for CheckoutState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == text)
            .ok_or_else(|| format!("`{text}` is not the state of a checkout"))
    }
}

/// A checkout in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutRow {
    /// Where it lies.
    pub path: PathBuf,
    /// Where it stands.
    pub state: CheckoutState,
    /// Who answers for it.
    pub owner: Owner,
}

/// A checkout that is not removed. Whether its owner lives is for the caller to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The run.
    pub run: RunId,
    /// What kind of session it is.
    pub kind: RunKind,
    /// The run's name.
    pub name: String,
    /// How the run stands.
    pub status: RunStatus,
    /// The checkout.
    pub checkout: CheckoutRow,
    /// Where its captured diff stands; none before the capture.
    pub change: Option<ChangeState>,
}

/// A captured diff before it is on record. Its bytes are a file that is synced already.
#[derive(Debug, Clone, Copy)]
pub struct NewChange<'a> {
    /// SHA-256 of the diff's bytes.
    pub hash: &'a ChangeHash,
    /// `Empty` or `Pending`.
    pub state: ChangeState,
    /// Length of the diff in bytes.
    pub patch_bytes: u64,
    /// The changed paths, in the order of the diff.
    pub changes: &'a [Change],
    /// Files left out because the project's rules ignore them.
    pub ignored_count: u64,
}

/// A captured diff on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// SHA-256 of the diff's bytes.
    pub hash: ChangeHash,
    /// Where it stands.
    pub state: ChangeState,
    /// Length of the diff in bytes.
    pub patch_bytes: u64,
    /// The changed paths, in the order of the diff.
    pub changes: Vec<Change>,
    /// Files left out because the project's rules ignore them.
    pub ignored_count: u64,
    /// When it was captured.
    pub at: Millis,
    /// Every decision on it, oldest first; all but the last one failed.
    pub decisions: Vec<Decided>,
}

/// What a person decided on a captured diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It becomes a branch.
    Landing,
    /// It does not.
    Discard,
}

impl Decision {
    /// The stable name, as in JSON and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Landing => "landing",
            Self::Discard => "discard",
        }
    }
}

impl FromStr for Decision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Landing, Self::Discard]
            .into_iter()
            .find(|decision| decision.name() == text)
            .ok_or_else(|| format!("`{text}` is not a decision on a change"))
    }
}

/// How a decision came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionState {
    /// Begun; its effect is not on record.
    Intent,
    /// Done.
    Done {
        /// The commit that a landing made.
        commit: Option<Oid>,
        /// The branch that a landing made.
        branch: Option<String>,
    },
    /// Failed with this stable code; the change is pending again.
    Failed(String),
}

/// A decision on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What was decided.
    pub decision: Decision,
    /// Hash of the diff that was in front of the person.
    pub hash: ChangeHash,
    /// How it came out.
    pub state: DecisionState,
    /// Who carries it out.
    pub owner: Owner,
    /// When it was decided.
    pub at: Millis,
}

/// A decision whose result is not on record: it goes on, or its process was killed in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDecision {
    /// The run.
    pub run: RunId,
    /// The decision.
    pub decided: Decided,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Order.
    pub seq: i64,
    /// Stable name of what happened.
    pub kind: String,
    /// The details as JSON.
    pub body: String,
    /// When it was recorded.
    pub at: Millis,
}

/// What a person agreed to let a project run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRow {
    /// What may run, as `checkout.setup`.
    pub item: String,
    /// SHA-256 of the content that was agreed to.
    pub hash: [u8; 32],
    /// That content, redacted.
    pub text: String,
    /// When it was agreed to.
    pub at: Millis,
}
