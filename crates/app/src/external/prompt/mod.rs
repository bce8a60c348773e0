//! The task prompt of a run (FA-04): what the run is, what its last message must hold, the task; then the project's rules,
//! the notebook and approved memories as resources.
//!
//! [`build`] is assembly alone; [`gather`] asks the application for what goes in.

mod build;
mod gather;
#[cfg(test)]
mod tests;
mod words;

pub use build::{ALL_LIMIT, Prompt, PromptInputs, RESOURCE_LIMIT, Resource, TASK_LIMIT, build};
pub use gather::{Gathered, gather};
pub use words::RESULT_SCHEMA;
