//! Traces of recalls and the questions that nothing was known about (REC-06, REC-07, REC-08).
//!
//! A trace holds ids, revisions and figures, never a memory's text: it replays from the revisions that are kept, and what
//! was erased stays erased. Knows nothing of how a section is rendered or a score is made.

mod blame;
pub(crate) mod imported;
mod model;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use model::{
    Derived, ImportedItem, MissRow, NewTrace, NewTraceItem, Reached, TraceFilter, TraceItem,
    TraceKeep, TraceOutcome, TraceRow, TraceSurface, TraceText,
};
