//! What can go wrong with the home and the store, by what the caller can do about it.

use std::io;
use std::path::{Path, PathBuf};

use taffrail_domain::{ChangeState, RunStatus, UnboundState};
use thiserror::Error;

/// Why there is no usable home.
#[derive(Debug, Error)]
pub enum HomeError {
    /// Neither `TAFFRAIL_HOME` nor a home directory of the user is known.
    #[error("no home: set TAFFRAIL_HOME, or HOME to a directory of yours")]
    NotSet,
    /// `TAFFRAIL_HOME` or the user's home is not an absolute path.
    #[error("the home `{0}` is not an absolute path")]
    Relative(PathBuf),
    /// Something there cannot be trusted: other owner, mode too wide, a symlink, not a directory.
    #[error("`{path}` {problem}")]
    Unsafe {
        /// Where.
        path: PathBuf,
        /// What is wrong with it, and what it has to be.
        problem: String,
    },
    /// A directory cannot be registered as local state.
    #[error("`{path}` cannot hold local state: {problem}")]
    NotLocal {
        /// Which.
        path: PathBuf,
        /// Why not.
        problem: &'static str,
    },
    /// The file system gave an error.
    #[error("{doing} `{path}`: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl HomeError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}

/// Why the store did not do what was asked, by what the caller can do about it.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The home is missing or unsafe.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// A newer program wrote this database.
    #[error(
        "`{path}` has schema {found}, written by a newer taffrail; this one knows up to {known}"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// Another process held the database locked for the whole waiting time.
    #[error("`{path}` stayed locked by another process for {waited_ms} ms")]
    Busy {
        /// The database.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The database, or a row in it, does not hold together.
    #[error("`{path}` is damaged: {what}")]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The file system of the home is full, or a quota is.
    #[error("no space left for `{path}`")]
    DiskFull {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// No run fits, or the run has nothing of what was asked for.
    #[error("there is no {what} for `{asked}`")]
    NotFound {
        /// What is missing: `run`, `captured change`, `open decision`, `checkout`.
        what: &'static str,
        /// What was asked for.
        asked: String,
    },
    /// More than one run fits.
    #[error("`{asked}` fits {}", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The ids that fit, oldest first; at most ten.
        candidates: Vec<String>,
    },
    /// A run that is live, undecided or still has a checkout has this name.
    #[error("another run has the name `{name}`")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A name that would be taken for another run's id or a flag, or that does not fit a line.
    #[error("`{name}` cannot be a run's name: {why}")]
    NameUnfit {
        /// The name; at most its first 64 characters.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The id, or its shown form, is there already: take a new one.
    #[error("the id `{id}` is taken")]
    IdTaken {
        /// The id.
        id: String,
    },
    /// The change does not wait for a decision.
    #[error("the change is {}, not pending", state.name())]
    NotPending {
        /// Where it stands.
        state: ChangeState,
    },
    /// A decision was begun, and its result is not on record: it goes on, or was interrupted.
    #[error("a decision on this change is being carried out, or was interrupted")]
    Deciding,
    /// What was decided on is not what is on record.
    #[error("the change on record has the hash {recorded}")]
    HashMismatch {
        /// The hash on record, in hex.
        recorded: String,
    },
    /// Something still writes in the run's checkout, so what is on record may not be the last word.
    #[error("the checkout of the run is in use by process {pid}")]
    CheckoutLive {
        /// Its owner.
        pid: i32,
    },
    /// The checkout of a session is still on disk, so the session cannot be erased.
    #[error("the checkout of {run} is still there: land or discard it first")]
    CheckoutLeft {
        /// The run's id as it is shown.
        run: String,
    },
    /// The run is past the state in which this can be recorded.
    #[error("the run is {}", status.name())]
    WrongStatus {
        /// How it stands.
        status: RunStatus,
    },
    /// Another project (or this one) has the name or the root.
    #[error("`{taken}` belongs to a project already")]
    ProjectTaken {
        /// The name or root.
        taken: String,
    },
    /// A run of the project goes on.
    #[error("{run} of this project is still going on")]
    ProjectLive {
        /// The run.
        run: String,
    },
    /// It was changed by somebody else after it was looked at.
    #[error("{subject} was changed meanwhile: it is at version {found}")]
    Conflict {
        /// What was changed, by its id.
        subject: String,
        /// The version on record.
        found: u64,
    },
    /// A person has decided already.
    #[error("it is {state} already")]
    Decided {
        /// How it stands.
        state: &'static str,
    },
    /// The title of a workspace says nothing, or is longer than it may be.
    #[error("the title of a workspace has 1 to 200 characters: this one has {characters}")]
    TitleUnfit {
        /// How many it has, blanks at its ends aside.
        characters: usize,
    },
    /// The workspace takes no proposals.
    #[error("the workspace {id} is archived")]
    WorkspaceArchived {
        /// Which.
        id: String,
    },
    /// The workspace belongs to another project than the seeds.
    #[error("the workspace {id} belongs to another project")]
    WorkspaceElsewhere {
        /// Which.
        id: String,
    },
    /// The unbound candidate is not in the state in which this can be decided.
    #[error("the unbound candidate {id} is {}", state.name())]
    UnboundDecided {
        /// Which.
        id: String,
        /// How it stands.
        state: UnboundState,
    },
    /// There are as many as there may be.
    #[error("at most {limit} {what}")]
    Limit {
        /// Of what.
        what: &'static str,
        /// How many.
        limit: u64,
    },
    /// A review that the rules do not allow.
    #[error("{memory}: {why}")]
    ReviewRefused {
        /// Which memory.
        memory: String,
        /// Why.
        why: String,
    },
    /// What was shown, typed or signed does not allow what is asked for.
    #[error("{why}")]
    NoConsent {
        /// What is missing.
        why: String,
    },
    /// A place in a list that no list of this program gave out.
    #[error("`{text}` is not a place in a list")]
    BadCursor {
        /// What was given; at most its first 64 characters.
        text: String,
    },
    /// A file or the database could not be read or written.
    #[error("{doing} `{path}`: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The SQLite that this program was linked with is too old.
    #[error("SQLite {found} is too old: 3.51.3 or newer is needed")]
    SqliteTooOld {
        /// Its version.
        found: &'static str,
    },
    /// SQLite refused something else; a fault of this program.
    #[error("`{path}`: {source}")]
    Sql {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The thread that writes is gone; a fault of this program.
    #[error("the writer of `{path}` has stopped")]
    WriterStopped {
        /// The database.
        path: PathBuf,
    },
}

impl StoreError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let full = matches!(
            source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        );
        let path = path.to_owned();
        if full {
            Self::DiskFull { path }
        } else {
            Self::Io {
                doing,
                path,
                source,
            }
        }
    }

    /// Sorts an error of SQLite by what can be done about it.
    pub(crate) fn sql(path: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        let (code, what) = match &source {
            Error::SqliteFailure(failure, _) => (failure.code, source.to_string()),
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
            | Error::InvalidColumnType(..) => (ErrorCode::DatabaseCorrupt, source.to_string()),
            _ => return Self::Sql { path, source },
        };
        match code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                Self::Busy { path, waited_ms: 0 }
            }
            ErrorCode::DiskFull => Self::DiskFull { path },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged { path, what },
            ErrorCode::CannotOpen
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied => Self::io("cannot use", &path, io::Error::other(what)),
            _ => Self::Sql { path, source },
        }
    }
}
