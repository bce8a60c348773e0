//! Everything below the home: the directory itself, its private files, and the one SQLite file with runs,
//! captured changes, decisions, the ledger of checkouts, events and what a person trusts.
//!
//! The only crate with SQL. Knows nothing of git, of processes or of the sandbox: it records what it is told.
//! Text comes in as [`Clean`](taffrail_redact::Clean), so that nothing secret-shaped is kept by accident; what
//! comes out is untrusted text and must be wrapped before it reaches a screen.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // This crate owns the home's files and the monotonic limits of its waiting.

mod backup;
mod changes;
mod connection;
mod convert;
mod decisions;
mod error;
mod events;
mod export;
mod external;
pub mod files;
mod find;
mod home;
mod insert;
mod journal;
mod keelson;
mod ledger;
mod local_homes;
mod memories;
mod migrate;
mod model;
mod notebooks;
mod peek;
mod projects;
mod purge;
mod random;
mod recall;
mod repair;
mod restore;
mod reviews;
mod room;
mod runs;
mod schema;
mod sealed;
mod settings;
mod slate_files;
mod slates;
mod store;
#[cfg(test)]
mod store_tests;
mod traces;
mod trust;
mod workspaces;
mod writer;

pub use backup::{
    ArchiveError, BackupMade, BackupPlan, FileEntry, Manifest, back_up, free_bytes, verify_backup,
};
pub use error::{HomeError, StoreError};
pub use export::Exported;
pub use external::{
    ActionDecisionRow, AgentCounts, AgentEnded, AgentPrompted, AgentReady, AgentRequestRow,
    AgentRunRow, Answered, DecisionSource, EXTERNAL_PAGE, GrantSource, MessageRole, MessageRow,
    NewActionDecision, NewAgentRequest, NewAgentRun, NewMessage, NewQuestion, QuestionAnswer,
    QuestionRow, Taken, ToolCallRow, ToolCallSeen,
};
pub use home::{Found, Home, HomeInputs, HomeSource};
pub use journal::JournalRow;
pub use keelson::{
    KEELSON_LIMIT_BYTES, Keelson, KeelsonError, KeelsonMemory, KeelsonNotebook, KeelsonProject,
    KeelsonSkipped, read_keelson,
};
pub use local_homes::init_local_state;
pub use memories::{
    BlockedDraft, HitRow, MemoryCursor, MemoryFilter, MemoryPage, MemoryRow, NeighbourRow,
    NewMemory, Outcome, ReviewRow, StatusCount, TextRow, Whose, Written,
};
pub use model::{
    Captured, CheckoutRow, CheckoutState, Decided, Decision, DecisionState, EventRow, Leftover,
    NewChange, NewRun, OpenDecision, Owner, PinRow, ProjectDirs, RunFilter, RunRow, RunTimes,
};
pub use notebooks::{
    Accepted, MadeBy, NewSuggestion, NotebookRow, RevisionRow, SUGGESTIONS_OPEN, Saved,
    SuggestionRow, SuggestionState, Verdict,
};
pub use peek::{Counts, Peek, SchemaState};
pub use projects::{Holdings, ProjectName, ProjectNameError, ProjectRoot, ProjectRow};
pub use purge::{PurgeCounts, PurgeScope, Purged, copies};
pub use repair::{Loose, Mended, Orphans, loose, mend_modes};
pub use restore::{RestorePlan, Restored, restore};
pub use reviews::{
    Edited, History, Judged, REVIEW_BATCH, ReviewOutcome, Reviewed, SealRow, Sealer, UndoPlan,
    UndoRow,
};
pub use room::{Room, human, room};
pub use schema::schema_doc;
pub use slates::{CreateError, Held, Live, MalformedSlate, SlateCache, SlateFolder, Survey};
pub use store::Store;
pub use traces::{
    Derived, ImportedItem, MissRow, NewTrace, NewTraceItem, Reached, TraceFilter, TraceItem,
    TraceKeep, TraceOutcome, TraceRow, TraceSurface, TraceText,
};
pub use workspaces::{
    CandidateOutcome, CandidateRow, Closure, ClosureProposal, ConnectionRow, FoundWorkspace,
    NewCandidate, NewClosure, NewConnection, NewOutcome, NewProposal, NewUnbound, ProposalFilter,
    ProposalRow, ResolvedWorkspace, SeedOriginRow, TITLE_LIMIT, UnboundRow, WorkspaceRow,
};
