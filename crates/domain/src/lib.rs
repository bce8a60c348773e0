//! The words of Taffrail as types: ids, states, changes and flags of a run, what a sandbox enforced, the
//! words of governed memory and of the policy, error codes.
//!
//! Pure: no IO, no clock, no randomness. Time and random bytes come in as values.
//! Every other crate may use this one; it uses none of them.
#![forbid(unsafe_code)]

mod change;
mod enforcement;
mod error_code;
mod external;
mod hex;
mod host;
mod id;
mod memory;
mod path;
mod policy;
mod run;
mod slate;
mod time;
mod words;

pub use change::{Change, ChangeHash, ChangeKind, FileMode, Flag, Oid, Refusal};
pub use enforcement::{Enforcement, Layer, Net, Probe, Rung};
pub use error_code::{ErrorCode, ErrorRow, ExitCode};
pub use external::{EndReason, Ground, QuestionState, Reply, Served, Surface, Verdict};
pub use hex::hex;
pub use host::{Host, HostError, HostName, HostRule, Place};
pub use id::{
    IdError, MemoryId, ProjectId, ProposalId, QuestionId, RunId, RunPrefix, SuggestionId, TraceId,
    UnboundId, WorkspaceId, id_prefix,
};
pub use memory::{
    Artifact, Channel, ContentHash, Grade, Lifecycle, MemoryStatus, MemoryType, PolicyBits,
    Provenance, ReviewAction, Shelf, Source, SourceRef,
};
pub use path::{PathError, RepoPath};
pub use policy::{Action, Actor, Answer, Held, Mode, Risk, ToolKind};
pub use run::{ChangeState, Ended, RunKind, RunStatus};
pub use slate::{CloseTrigger, SeedKind, Transport, UnboundState, WorkspaceStatus};
pub use time::{Clock, Duration, DurationError, Millis};
pub use words::UnknownWord;

#[doc(hidden)]
pub use serde;
