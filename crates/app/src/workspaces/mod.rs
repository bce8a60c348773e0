//! Workspaces as a person meets them: what waits in them, what belongs to none yet, and what a closed slate makes of its
//! seeds. Knows nothing of slate files and of MCP; nothing here approves a memory, that is the review's.

mod bind;
mod catch_up;
mod evidence;
mod facts;
mod import;
mod list;
mod propose;

pub use bind::{Bound, Target, bind, dismiss};
pub use catch_up::{BlockedSeed, CatchUp, Span, UnboundSeed, UnboundView, catch_up};
pub use facts::SeedFacts;
pub use import::{ImportedSlate, Report, SkippedFile, import_keryx};
pub use list::{
    CandidateView, ProposalView, ReviewList, Whole, WorkspaceView, archive, create, list,
    to_review, whole,
};
pub(crate) use propose::{Closed, proposals};
