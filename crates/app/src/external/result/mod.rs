//! The result document of a run (FA-05): found in the final text, read leniently, kept whole.
//!
//! Knows the text and nothing of the run that it came from; whether the run completed is the driver's to say.

mod document;
mod find;
mod repair;
mod scan;
#[cfg(test)]
mod tests;

pub use document::{
    Acceptance, Artifact, ChangedFile, Finding, ResultDocument, ResultError, ResultQuestion,
    ResultStatus,
};
pub use find::{DOCUMENT_LIMIT, ResultFault, find};
pub use repair::repair_prompt;
