//! Machine evidence of a closed slate (MEM-07).

use std::path::Path;

use crate::App;

/// What git says of the folder; never a condition for the proposal.
pub(super) fn of_folder(_app: &App, _folder: &Path) -> Option<serde_json::Value> {
    None
}
