//! What a tool call would write, as far as it tells (FA-21).

use serde_json::{Map, Value};

use super::paths::{names_path, plain};
use crate::client::Diff;

/// Keys of a new text, in plain spelling, the surest first.
const NEW: &[&str] = &[
    "newtext",
    "newstring",
    "newstr",
    "content",
    "contents",
    "filetext",
];
/// Keys of an old text, in plain spelling.
const OLD: &[&str] = &["oldtext", "oldstring", "oldstr"];
/// How many are told.
const MOST: usize = 256;

/// The diffs of `content`, then those of a raw input that has a path and a new text beside each other; 256 at most.
pub fn diffs(content: &Value, raw_input: &Value) -> Vec<Diff> {
    let entries = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found: Vec<_> = entries.iter().filter_map(of_entry).take(MOST).collect();
    walk(raw_input, None, &mut found);
    found
}

/// Whether `content` holds a diff, however damaged.
pub(crate) fn has_diff(content: &Value) -> bool {
    let entries = content.as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .any(|entry| entry.get("type").and_then(Value::as_str) == Some("diff"))
}

fn of_entry(entry: &Value) -> Option<Diff> {
    if entry.get("type")?.as_str()? != "diff" {
        return None;
    }
    Some(Diff {
        path: entry.get("path")?.as_str()?.to_owned(),
        old: entry
            .get("oldText")
            .and_then(Value::as_str)
            .map(str::to_owned),
        new: entry.get("newText")?.as_str()?.to_owned(),
    })
}

fn walk(value: &Value, path: Option<&str>, found: &mut Vec<Diff>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, path, found)),
        Value::Object(fields) => {
            let path = own_path(fields).or(path);
            if let (Some(path), Some(new)) = (path, text(fields, NEW)) {
                let diff = Diff {
                    path: path.to_owned(),
                    old: text(fields, OLD).map(str::to_owned),
                    new: new.to_owned(),
                };
                // Many agents tell the same change in `content` and in the raw input.
                let told = |other: &Diff| other.path == diff.path && other.new == diff.new;
                if found.len() < MOST && !found.iter().any(told) {
                    found.push(diff);
                }
            }
            // `{"file_path": …, "edits": [{"old_string": …}]}`: the parts belong to the path above.
            fields.values().for_each(|value| walk(value, path, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn own_path(fields: &Map<String, Value>) -> Option<&str> {
    // A longer one is no path, and would be copied into every diff below it.
    let fits = |path: &&str| path.len() <= super::paths::LONGEST;
    fields
        .iter()
        .filter(|(key, _)| names_path(&plain(key)))
        .find_map(|(_, value)| value.as_str().filter(fits))
}

fn text<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|wanted| {
        let (_, value) = fields.iter().find(|(key, _)| plain(key) == *wanted)?;
        value.as_str()
    })
}
