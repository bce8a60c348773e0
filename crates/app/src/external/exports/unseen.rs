//! What could not be seen or controlled, for a run whose own process could not say so, because it was killed or because no
//! agent was started: found from the rows.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taffrail_domain::{Enforcement, RunId, Verdict};
use taffrail_store::{Captured, DecisionSource, RunRow};

use super::pages;
use crate::boxes::view::Folders;
use crate::external::text::beneath;
use crate::{App, AppError};

/// What is said of a run that was cut off.
const END: &str =
    "taffrail was killed: what the agent did from then on and how it ended is not on record";
/// What is said of a run that ended before its agent was started.
const NEVER: &str =
    "the run ended before its agent was started: there is nothing that the agent did";
/// What is said of every other run.
const INNER: &str =
    "tools that the agent runs itself and does not ask about are seen only as it describes them";

/// The list as a run that ends in order writes it.
pub(super) fn of(app: &App, row: &RunRow, change: Option<&Captured>) -> Result<Value, AppError> {
    if row.times.started.is_none() && row.times.ended.is_some() {
        return Ok(json!([{"what": "never_started", "text": NEVER}]));
    }
    let mut unseen = Vec::new();
    if row.times.ended.is_some() {
        unseen.push(json!({"what": "end_not_seen", "text": END}));
    }
    unseen.push(json!({"what": "inner_tools", "text": INNER}));
    if let Some(change) = change {
        unseen.extend(unasked(app, &row.id, change)?);
    }
    if let Some(json) = &row.enforcement {
        let enforcement: Option<Enforcement> = serde_json::from_str(json).ok();
        let open = enforcement.map(|enforcement| enforcement.open);
        if open.as_ref().is_none_or(|open| !open.is_empty()) {
            unseen.push(json!({"what": "not_contained", "open": open}));
        }
    }
    Ok(Value::Array(unseen))
}

/// Changed paths that nothing allowed names.
fn unasked(app: &App, run: &RunId, change: &Captured) -> Result<Option<Value>, AppError> {
    let tree = Folders::of(&app.home, run).tree;
    let (mut allowed, mut commands) = (BTreeSet::new(), false);
    for row in pages::decisions(&app.store, *run) {
        let row = row?;
        if row.verdict != Verdict::Allowed || row.source == DecisionSource::FsRead {
            continue;
        }
        let action: Value = serde_json::from_str(&row.action).unwrap_or_default();
        commands |= action.get("shell").is_some() || action.get("unknown").is_some();
        for list in ["/write/paths", "/write/removes"] {
            let paths = action.pointer(list).and_then(Value::as_array);
            let paths = paths.into_iter().flatten().filter_map(Value::as_str);
            allowed.extend(paths.map(|path| beneath(&tree, path.as_bytes())));
        }
    }
    let changed = change.changes.iter().map(|change| &change.path);
    let unasked: Vec<String> = changed
        .filter(|path| !allowed.contains(path.as_bytes()))
        .map(|path| app.redactor.clean(&path.to_text()).into_string())
        .collect();
    let found =
        json!({"what": "wrote_without_asking", "paths": unasked, "may_be_of_commands": commands});
    Ok((!unasked.is_empty()).then_some(found))
}
