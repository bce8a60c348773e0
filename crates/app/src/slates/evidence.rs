//! What stands in the folder of a slate when it is closed, as evidence of what was learnt (MEM-07). Never fails, and is
//! never a condition.

use std::path::Path;

use serde_json::{Value, json};

use crate::App;

/// Branch, base commit and changed files of the work tree that a folder lies in; none outside of git.
pub(super) fn of_folder(app: &App, folder: &Path) -> Option<Value> {
    let found = taffrail_gitbox::work_changes(app.git(), folder)?;
    Some(json!({
        "branch": found.branch,
        "base": found.base.map(|oid| oid.to_string()),
    }))
}
