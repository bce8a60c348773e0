//! Governed memory: written as evidence, reviewed by a person, sealed, recalled, traced.

pub mod audit;
pub mod batch;
mod decide;
pub mod edit;
mod evidence;
pub mod gate;
pub mod queue;
pub mod seals;
pub mod search;
pub mod write;

pub(crate) use evidence::value_of_run as evidence_of_run;

pub use decide::{Reviewer, text_to_review};
pub use queue::{Beside, Candidate, SeedOrigin};
pub use search::{Section, recall_section};
