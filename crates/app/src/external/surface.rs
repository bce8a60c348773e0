//! What a run needs of whoever shows it.

use super::events::Envelope;
use super::questions::Approver;

/// Shows a run, and may have a person who answers. Called from the run's thread, and must not block.
pub trait Surface: Sync {
    /// Something happened.
    fn event(&self, event: &Envelope);

    /// A person at a terminal or a page; none where nobody sits.
    fn approver(&self) -> Option<&dyn Approver>;
}
