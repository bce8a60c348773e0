//! Everything a use case can end with, and the stable code of each.

use std::path::{Path, PathBuf};

use taffrail_config::{ConfigError, Require};
use taffrail_confine::fs::FsError;
use taffrail_confine::played::PlayedError;
use taffrail_confine::sandbox::{CommandError, SandboxError};
use taffrail_confine::supervise::LaunchError;
use taffrail_domain::{Change, ErrorCode, Flag};
use taffrail_gitbox::{GitError, LandError};
use taffrail_memory::draft::Blocked;
use taffrail_memory::notebook::NotebookError;
use taffrail_policy::RuleError;
use taffrail_secrets::SecretsError;
use taffrail_store::{
    ArchiveError, HomeError, KeelsonError, ProjectNameError, StoreError, files as files_of_home,
};
use thiserror::Error;

use crate::secrets::SecretFault;

/// What git writes when a file of its cannot grow: the system's words, or its own for a file of the work tree. It has
/// taken away what it wrote by then, so that the place is not full any more.
const NO_SPACE: [&str; 2] = ["No space left on device", "unable to write file"];

/// Why a use case did not come to its end. Messages hold untrusted text: a surface escapes them.
#[derive(Debug, Error)]
#[allow(missing_docs)] // each variant's message says what it is
pub enum AppError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Keelson(#[from] KeelsonError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("config.toml: {0}")]
    Policy(#[from] RuleError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Land(#[from] LandError),
    #[error(transparent)]
    Files(#[from] FsError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("/proc is not there: this process cannot be told from others")]
    NoProcessTable,
    #[error("git is not on the PATH")]
    GitMissing,
    #[error("no random bytes from the system: {0}")]
    Random(String),
    #[error("{} is not UTF-8 text", path.display())]
    NotText { path: PathBuf },
    #[error("{} cannot be read: {why}", path.display())]
    ConfigFile { path: PathBuf, why: String },
    #[error("there is no agent `{id}` in the registry: {known}")]
    NoSuchAgent { id: String, known: String },
    #[error("the sandbox is required to be {required:?}, this machine offers less: {why}")]
    SandboxUnavailable { required: Require, why: String },
    #[error("the network by host: {0}")]
    Proxy(#[from] taffrail_proxy::ProxyError),
    #[error("`{rule}` names no host: {why}")]
    HostRule {
        rule: String,
        why: taffrail_domain::HostError,
    },
    #[error("the setup command `{command}` ended with {how}")]
    SetupFailed { command: String, how: String },
    #[error("what changed could not be captured: {why}; the checkout is kept at {}", path.display())]
    CaptureFailed { path: PathBuf, why: String },
    #[error("no space left on the file system of {}: {why}", path.display())]
    DiskFull { path: PathBuf, why: String },
    #[error("the run is still going on in process {pid}")]
    RunLive { pid: i32 },
    #[error("the checkout of {name} is gone; only what was captured of it before is on record")]
    CheckoutGone { name: String },
    #[error("the change of {name} is {state}, it waits for no decision")]
    NotPending { name: String, state: &'static str },
    #[error("the stored diff {} is not there", path.display())]
    PatchMissing { path: PathBuf },
    #[error("{what} does not fit the hash {hash} on record")]
    HashMismatch { what: &'static str, hash: String },
    #[error("{} binary file(s) are not confirmed", .0.len())]
    Binary(Vec<Change>),
    #[error("not confirmed: {}", names(.0))]
    Flagged(Vec<Flag>),
    #[error("{} path(s) never land", .0.len())]
    ChangeRefused(Vec<Change>),
    #[error("the editor `{editor}` failed: {how}")]
    Editor { editor: String, how: String },
    #[error("cannot write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
    #[error("a person at a terminal must type the confirmation")]
    NeedsTerminal,
    #[error(
        "the file of secrets opens with a passphrase, and there is no terminal to type it on; \
         with `taffrail secret backend file --key-file PATH` it opens without one"
    )]
    Locked,
    #[error(transparent)]
    Played(#[from] PlayedError),
    #[error(transparent)]
    Blocked(Blocked),
    #[error("the seal key in the place of secrets is not one of ours, or damaged")]
    SealKeyDamaged,
    #[error("the journal's anchor in the place of secrets is damaged, or signed by another key")]
    AnchorDamaged,
    #[error("`{line}` ended with {how}, and the demo with it")]
    DemoAct { line: String, how: String },
    #[error("the guardrails failed on a draft: nothing of its batch was written")]
    ScreeningFailed,
    #[error(
        "the diff has {bytes} bytes, the others of this home {kept}, and together they may have {limit} (record.diffs_mib)"
    )]
    OverQuota { kept: u64, bytes: u64, limit: u64 },
    #[error("{why}")]
    NotKept { why: String },
    #[error("only a person reviews: {how}")]
    AgentPresent { how: String },
    #[error("{} belongs to no project", folder.display())]
    NoProject { folder: PathBuf },
    #[error("`{taken}` is registered already")]
    ProjectTaken { taken: String },
    #[error("{} {why}", path.display())]
    ProjectFolder { path: PathBuf, why: &'static str },
    #[error(transparent)]
    ProjectName(#[from] ProjectNameError),
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    #[error("{what} holds a secret ({family}) in line {line}, column {column}; nothing was stored")]
    NotebookSecret {
        what: &'static str,
        family: &'static str,
        line: usize,
        column: usize,
    },
    #[error("the {what} has {characters} characters; the limit is {limit}")]
    EntryTooLong {
        what: &'static str,
        characters: usize,
        limit: usize,
    },
    #[error("the notebook was changed meanwhile: it is at version {version}")]
    NotebookStale { version: u64 },
    #[error("nothing was changed: {why}")]
    NotebookWithheld { why: String },
    #[error("{error}; your text is kept in {}", path.display())]
    Kept { error: Box<Self>, path: PathBuf },
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Secret(#[from] SecretFault),
    #[error(transparent)]
    Slate(#[from] crate::slates::SlateFault),
    #[error("{}", unclear(*active))]
    WorkspaceUnclear { active: usize },
    #[error("the seeds of {id} cannot be read: {why}")]
    UnboundDamaged { id: String, why: String },
    #[error(transparent)]
    Connect(#[from] crate::connect::ConnectFault),
    #[error(transparent)]
    Broker(#[from] taffrail_mcp::ServeError),
    #[error("no run to speak with: {why}")]
    NoRun { why: String },
    #[error("the task has {bytes} bytes; the limit is {limit}")]
    PromptTooLarge { bytes: usize, limit: usize },
    #[error(transparent)]
    Peer(#[from] crate::peer::PeerFault),
    #[error(transparent)]
    Door(#[from] taffrail_tools::DoorError),
    #[error(transparent)]
    Gate(#[from] crate::external::gates::GateFault),
    #[error(transparent)]
    Registry(#[from] crate::external::registry::RegistryFault),
    #[error(transparent)]
    Question(#[from] crate::external::questions::QuestionFault),
    #[error("interrupted")]
    Interrupted,
}

impl AppError {
    /// This error, or that one of these places is full where that is why: git and a diff's writer do not always say so.
    pub(crate) fn or_full(self, places: &[&Path]) -> Self {
        if self.code() == ErrorCode::DiskFull {
            return self;
        }
        let why = self.to_string();
        let said = NO_SPACE.iter().any(|words| why.contains(words));
        let full = places.iter().find(|place| files_of_home::is_full(place));
        match full.or_else(|| places.first().filter(|_| said)) {
            Some(path) => Self::DiskFull {
                path: path.to_path_buf(),
                why,
            },
            None => self,
        }
    }

    /// The stable code.
    #[allow(clippy::too_many_lines)] // a line for each variant
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Home(error) => home(error),
            Self::Store(error) => store(error),
            Self::Archive(error) => archive(error),
            Self::Keelson(error) => keelson(error),
            Self::Config(_) | Self::Policy(_) | Self::NotText { .. } | Self::ConfigFile { .. } => {
                ErrorCode::ConfigInvalid
            }
            Self::Git(error) => error.code(),
            Self::Land(error) => error.code(),
            Self::Files(error) => files(error),
            Self::Sandbox(_) => ErrorCode::SandboxBroken,
            Self::Command(_) => ErrorCode::CommandNotFound,
            Self::Launch(error) => launch(error),
            Self::GitMissing => ErrorCode::GitMissing,
            Self::Played(_)
            | Self::ScreeningFailed
            | Self::DemoAct { .. }
            | Self::Random(_)
            | Self::NoProcessTable => ErrorCode::Internal,
            Self::NoSuchAgent { .. } => ErrorCode::Usage,
            Self::SandboxUnavailable { .. } => ErrorCode::SandboxUnavailable,
            Self::Proxy(_) => ErrorCode::Io,
            Self::HostRule { .. } => ErrorCode::ConfigInvalid,
            Self::SetupFailed { .. } => ErrorCode::SetupFailed,
            Self::CaptureFailed { .. } => ErrorCode::CaptureFailed,
            Self::DiskFull { .. } => ErrorCode::DiskFull,
            Self::RunLive { .. } => ErrorCode::RunLive,
            Self::CheckoutGone { .. } => ErrorCode::CheckoutGone,
            Self::NotPending { .. } => ErrorCode::NotPending,
            Self::PatchMissing { .. } => ErrorCode::PatchMissing,
            Self::HashMismatch { .. } => ErrorCode::HashMismatch,
            Self::Binary(_) => ErrorCode::Binary,
            Self::Flagged(_) => ErrorCode::Flagged,
            Self::ChangeRefused(_) => ErrorCode::ChangeRefused,
            Self::Write { source, .. } if is_full(source) => ErrorCode::DiskFull,
            Self::Editor { .. } | Self::Write { .. } | Self::Output(_) => ErrorCode::Io,
            Self::NeedsTerminal | Self::Locked => ErrorCode::NeedsTerminal,
            Self::Blocked(_) => ErrorCode::MemoryBlocked,
            Self::SealKeyDamaged => ErrorCode::SecretStoreDamaged,
            Self::AnchorDamaged => ErrorCode::JournalBroken,
            Self::OverQuota { .. } | Self::NotKept { .. } => ErrorCode::QuotaFull,
            Self::AgentPresent { .. } => ErrorCode::AgentPresent,
            Self::NoProject { .. } => ErrorCode::ProjectNone,
            Self::ProjectTaken { .. } => ErrorCode::ProjectTaken,
            Self::ProjectFolder { .. }
            | Self::ProjectName(_)
            | Self::EntryTooLong { .. }
            | Self::Notebook(NotebookError::Blank { .. }) => ErrorCode::Usage,
            Self::Notebook(NotebookError::Full { .. }) => ErrorCode::NotebookFull,
            Self::NotebookSecret { .. } => ErrorCode::MemoryBlocked,
            Self::NotebookStale { .. } => ErrorCode::Conflict,
            Self::NotebookWithheld { .. } => ErrorCode::NotebookWithheld,
            Self::Kept { error, .. } => error.code(),
            Self::Secrets(error) => crate::secrets::code(error),
            Self::Secret(error) => error.code(),
            Self::Slate(error) => error.code(),
            Self::WorkspaceUnclear { .. } => ErrorCode::Usage,
            Self::UnboundDamaged { .. } => ErrorCode::StoreDamaged,
            Self::Connect(fault) => fault.code(),
            Self::Broker(_) | Self::NoRun { .. } => ErrorCode::BrokerUnfit,
            Self::PromptTooLarge { .. } => ErrorCode::PromptTooLarge,
            Self::Peer(fault) => fault.code(),
            Self::Door(error) => error.code(),
            Self::Gate(fault) => fault.code(),
            Self::Registry(fault) => fault.code(),
            Self::Question(fault) => fault.code(),
            Self::Interrupted => ErrorCode::Interrupted,
        }
    }
}

fn unclear(active: usize) -> String {
    match active {
        0 => "there is no active workspace, and none is named".to_owned(),
        many => format!("{many} workspaces are active, and none is named"),
    }
}

fn home(error: &HomeError) -> ErrorCode {
    match error {
        HomeError::NotSet
        | HomeError::Relative(_)
        | HomeError::Unsafe { .. }
        | HomeError::NotLocal { .. } => ErrorCode::HomeUnsafe,
        HomeError::Io { source, .. } if is_full(source) => ErrorCode::DiskFull,
        HomeError::Io { .. } => ErrorCode::Io,
    }
}

fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

fn store(error: &StoreError) -> ErrorCode {
    match error {
        StoreError::Home(error) => home(error),
        StoreError::Newer { .. } => ErrorCode::StoreNewer,
        StoreError::Busy { .. } => ErrorCode::StoreBusy,
        StoreError::Damaged { .. } => ErrorCode::StoreDamaged,
        StoreError::DiskFull { .. } => ErrorCode::DiskFull,
        StoreError::NotFound { what, .. } => not_found(what),
        StoreError::Ambiguous { .. } => ErrorCode::Ambiguous,
        StoreError::NameUnfit { .. } => ErrorCode::Usage,
        StoreError::NameTaken { .. } | StoreError::IdTaken { .. } => ErrorCode::NameTaken,
        StoreError::NotPending { .. } | StoreError::Deciding => ErrorCode::NotPending,
        StoreError::HashMismatch { .. } => ErrorCode::HashMismatch,
        StoreError::ProjectTaken { .. } => ErrorCode::ProjectTaken,
        StoreError::ProjectLive { .. } => ErrorCode::RunLive,
        StoreError::Conflict { .. } => ErrorCode::Conflict,
        StoreError::Decided { .. } => ErrorCode::NotPending,
        StoreError::TitleUnfit { .. } => ErrorCode::Usage,
        StoreError::WorkspaceArchived { .. } => ErrorCode::WorkspaceArchived,
        StoreError::WorkspaceElsewhere { .. } => ErrorCode::WorkspaceNotFound,
        StoreError::UnboundDecided { .. } => ErrorCode::UnboundDecided,
        StoreError::Limit { .. } => ErrorCode::QuotaFull,
        StoreError::ReviewRefused { .. } => ErrorCode::TransitionRefused,
        StoreError::NoConsent { .. } => ErrorCode::CodeWrong,
        StoreError::BadCursor { .. } => ErrorCode::Usage,
        StoreError::CheckoutLive { .. } | StoreError::CheckoutLeft { .. } => ErrorCode::RunLive,
        StoreError::WrongStatus { .. }
        | StoreError::Sql { .. }
        | StoreError::WriterStopped { .. } => ErrorCode::Internal,
        StoreError::Io { .. } => ErrorCode::Io,
        StoreError::SqliteTooOld { .. } => ErrorCode::Internal,
    }
}

/// By what is missing, so that the hint helps to find it.
fn not_found(what: &str) -> ErrorCode {
    match what {
        "project" => ErrorCode::ProjectUnknown,
        "memory" => ErrorCode::MemoryNotFound,
        "suggestion" => ErrorCode::SuggestionNotFound,
        "trace" => ErrorCode::TraceNotFound,
        "workspace" => ErrorCode::WorkspaceNotFound,
        "proposal" => ErrorCode::ProposalNotFound,
        "unbound candidate" => ErrorCode::UnboundNotFound,
        "question" => ErrorCode::QuestionNotFound,
        _ => ErrorCode::NotFound,
    }
}

fn keelson(error: &KeelsonError) -> ErrorCode {
    match error {
        KeelsonError::Store(error) => store(error),
        KeelsonError::Unfit { .. }
        | KeelsonError::TooOld { .. }
        | KeelsonError::TooLarge { .. } => ErrorCode::Usage,
    }
}

fn archive(error: &ArchiveError) -> ErrorCode {
    match error {
        ArchiveError::Store(error) => store(error),
        ArchiveError::Invalid { .. } => ErrorCode::BackupInvalid,
        ArchiveError::Exists { .. } | ArchiveError::NotEmpty { .. } => ErrorCode::Usage,
        ArchiveError::InUse { .. } => ErrorCode::StoreBusy,
        ArchiveError::NoRoom { .. } => ErrorCode::DiskFull,
    }
}

const fn files(error: &FsError) -> ErrorCode {
    match error {
        FsError::DiskFull { .. } => ErrorCode::DiskFull,
        FsError::NotPrivate { .. } => ErrorCode::HomeUnsafe,
        FsError::NotFound { .. }
        | FsError::Exists { .. }
        | FsError::Outside { .. }
        | FsError::Symlink { .. }
        | FsError::NotSymlink { .. }
        | FsError::NotDirectory { .. }
        | FsError::NotRegular { .. }
        | FsError::TooLarge { .. }
        | FsError::Denied { .. }
        | FsError::Io { .. } => ErrorCode::Io,
    }
}

const fn launch(error: &LaunchError) -> ErrorCode {
    match error {
        LaunchError::SandboxUnavailable { .. } => ErrorCode::SandboxUnavailable,
        LaunchError::SandboxBroken { .. } => ErrorCode::SandboxBroken,
        LaunchError::Vetoed => ErrorCode::Internal,
        LaunchError::CommandNotFound { .. } => ErrorCode::CommandNotFound,
        LaunchError::Spawn { .. } | LaunchError::Io { .. } | LaunchError::Protocol { .. } => {
            ErrorCode::SpawnFailed
        }
    }
}

fn names(flags: &[Flag]) -> String {
    flags
        .iter()
        .map(|flag| flag.name())
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(stderr: &str) -> AppError {
        AppError::Git(GitError::Failed {
            command: "read-tree".into(),
            code: "exit code 128".into(),
            stderr: stderr.into(),
        })
    }

    #[test]
    fn a_full_disk_is_told_from_other_failures_of_git() {
        let place = Path::new("/");
        for stderr in [
            "error: unable to write file big",
            "fatal: write: No space left on device",
        ] {
            let error = git(stderr).or_full(&[place]);
            assert_eq!(error.code(), ErrorCode::DiskFull);
            assert!(error.to_string().contains(stderr), "{error}");
        }
        let other = git("fatal: not a tree object").or_full(&[Path::new("/proc")]);
        assert_eq!(other.code(), ErrorCode::GitFailed);
    }
}
