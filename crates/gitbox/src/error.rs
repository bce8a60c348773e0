//! Why something with git did not work, by what the caller can do about it.

use std::path::PathBuf;
use std::time::Duration;

use taffrail_confine::fs::FsError;
use taffrail_confine::tool::ToolError;
use taffrail_domain::{ErrorCode, RepoPath};
use thiserror::Error;

/// Why a project cannot be used, or a checkout not made or captured. Paths are not escaped.
#[derive(Debug, Error)]
pub enum GitError {
    /// git is not installed.
    #[error("`{program}` was not found")]
    Missing {
        /// The program as it was asked for.
        program: String,
    },
    /// git is older than the oldest that knows the guards.
    #[error("git {found} is too old: {floor} is needed")]
    TooOld {
        /// The version found.
        found: String,
        /// The oldest that works.
        floor: &'static str,
    },
    /// No work tree of git is at or above the folder.
    #[error("`{}` is not in a git work tree", .path.display())]
    NotARepository {
        /// The folder.
        path: PathBuf,
    },
    /// There is no commit to start from.
    #[error("the repository at `{}` has no commit yet", .path.display())]
    NoCommit {
        /// The project.
        path: PathBuf,
    },
    /// git does not trust a repository of another user.
    #[error("the repository at `{}` belongs to another user", .path.display())]
    OtherOwner {
        /// The folder.
        path: PathBuf,
    },
    /// A kind of repository that is not supported yet.
    #[error("the repository at `{}` is not supported: {what}", .path.display())]
    Unsupported {
        /// The project.
        path: PathBuf,
        /// What is not supported, in a few words.
        what: String,
    },
    /// git ended with an error.
    #[error("`git {command}` failed ({code}): {stderr}")]
    Failed {
        /// The subcommand.
        command: String,
        /// Exit code or signal.
        code: String,
        /// The end of what it wrote to standard error, lossy, not escaped.
        stderr: String,
    },
    /// git ran longer than its limit.
    #[error("`git {command}` ran longer than {limit:?}")]
    TimedOut {
        /// The subcommand.
        command: String,
        /// The limit.
        limit: Duration,
    },
    /// git could not be run, or it wrote more than its limit.
    #[error("`git {command}`: {source}")]
    Tool {
        /// The subcommand.
        command: String,
        /// Why.
        source: ToolError,
    },
    /// A file or folder could not be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A listing, an index or a tree that is not understood.
    #[error("the listing of a tree is not understood: {0}")]
    Listing(String),
    /// The operator's repository no longer has an object of the base.
    #[error("the repository no longer has the object {oid}")]
    MissingObject {
        /// The object's id.
        oid: String,
    },
    /// Something still writes into the checkout.
    #[error("`{}` changed while it was captured", .path.to_text())]
    Moving {
        /// The path in the checkout.
        path: RepoPath,
    },
    /// A limit was passed.
    #[error("{what}: more than {limit}")]
    TooMuch {
        /// What was counted.
        what: &'static str,
        /// The limit, with its unit.
        limit: String,
    },
    /// A path cannot be brought along.
    #[error("`{path}` cannot be carried: {why}")]
    Carry {
        /// The path as it was named.
        path: String,
        /// Why, in a few words.
        why: &'static str,
    },
    /// The diff could not be written where the caller wanted it.
    #[error("the diff could not be written: {0}")]
    Output(std::io::Error),
}

impl GitError {
    /// The stable code, for a step that has no closer one of its own.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } | Self::TooOld { .. } => ErrorCode::GitMissing,
            Self::NotARepository { .. } => ErrorCode::ProjectNotGit,
            Self::NoCommit { .. } => ErrorCode::ProjectNoCommit,
            Self::OtherOwner { .. } => ErrorCode::ProjectUnsafe,
            Self::Unsupported { .. } => ErrorCode::ProjectUnsupported,
            Self::Failed { .. } | Self::Tool { .. } | Self::MissingObject { .. } => {
                ErrorCode::GitFailed
            }
            Self::TimedOut { .. } => ErrorCode::Timeout,
            Self::Fs(FsError::DiskFull { .. }) => ErrorCode::DiskFull,
            Self::Fs(_) | Self::Output(_) => ErrorCode::Io,
            Self::Listing(_) | Self::Moving { .. } | Self::TooMuch { .. } => {
                ErrorCode::CaptureFailed
            }
            Self::Carry { .. } => ErrorCode::CarryRefused,
        }
    }
}

/// Why a change did not land. Nothing was left but, at most, objects that no branch names.
#[derive(Debug, Error)]
pub enum LandError {
    /// Something in the change never lands.
    #[error("`{}` never lands: {reason}", .path.to_text())]
    Refused {
        /// Where.
        path: RepoPath,
        /// The refusal's stable name.
        reason: &'static str,
    },
    /// The branch is already there, or a branch stands in its way.
    #[error("the branch `{branch}` is already there")]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// git does not take the name for a branch.
    #[error("`{branch}` cannot be the name of a branch")]
    BranchName {
        /// The branch.
        branch: String,
    },
    /// The commit that the run started from is gone from the repository.
    #[error("the commit {oid} is no longer in the repository")]
    BaseGone {
        /// The base.
        oid: String,
    },
    /// git does not apply the stored diff to its base.
    #[error("the diff does not apply: {stderr}")]
    ApplyFailed {
        /// What git said, lossy, not escaped.
        stderr: String,
    },
    /// The diff applied, and the result is not what was recorded.
    #[error("the diff does not give what was recorded: `{}` differs", .path.to_text())]
    NotAsRecorded {
        /// The first path that differs.
        path: RepoPath,
    },
    /// Anything else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl LandError {
    /// The stable code (FA-31).
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { .. } => ErrorCode::ChangeRefused,
            Self::BranchExists { .. } => ErrorCode::BranchExists,
            Self::BranchName { .. } => ErrorCode::Usage,
            Self::BaseGone { .. } | Self::ApplyFailed { .. } => ErrorCode::ApplyFailed,
            Self::NotAsRecorded { .. } => ErrorCode::ApplyFailed,
            Self::Git(error) => error.code(),
        }
    }
}

impl From<FsError> for LandError {
    fn from(error: FsError) -> Self {
        Self::Git(error.into())
    }
}
