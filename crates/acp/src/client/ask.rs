//! A permission request as a question of ours: everything that was told of the call, gathered so that what the agent says of
//! itself can only make it stricter.

use serde_json::Value;
use taffrail_domain::ToolKind;

use super::{Asked, Diff, ToolCall};
use crate::v1::{
    PermissionOption, TooMany, ToolFields, allow_once, command, content_text, diffs, has_diff,
    hosts, paths, raw_input, reject_once,
};

/// The question. `known` is what was announced of the call.
pub(super) fn asked(
    told: &ToolFields,
    options: Vec<PermissionOption>,
    known: Option<&ToolCall>,
) -> Result<Asked, TooMany> {
    let parts = Parts::gather(told, known);
    let kind = kind(told, known, &parts);
    let title = told
        .title
        .clone()
        .or(known.map(|known| known.title.clone()));
    let title = title.unwrap_or_default();
    let bare = matches!(kind, Some(ToolKind::Execute));
    Ok(Asked {
        tool_call_id: told.id.clone(),
        kind,
        command: command(&parts.raw_input, bare)?,
        paths: all_paths(told, known, &parts)?,
        host: host(kind, &title, &parts),
        diffs: parts.diffs(),
        allow: allow_once(&options).map(str::to_owned),
        reject: reject_once(&options).map(str::to_owned),
        title,
        options,
    })
}

/// What the request brings, else what was announced: a field that is not told is unchanged.
struct Parts {
    locations: Value,
    content: Value,
    raw_input: Value,
    /// Something that was announced was too large to be kept, and the request does not bring it.
    missing: bool,
}

impl Parts {
    fn gather(told: &ToolFields, known: Option<&ToolCall>) -> Self {
        let or_known = |told: &Option<Value>, known: Option<&Value>| {
            told.as_ref().or(known).cloned().unwrap_or_default()
        };
        let mut input = or_known(&told.raw_input, known.map(|known| &known.raw_input));
        if input.is_null() {
            let known = known.map(|known| &known.content);
            let contents = told.content.iter().chain(known);
            input = contents.filter_map(arguments).next().unwrap_or_default();
        }
        let whole = told.raw_input.is_some() && told.locations.is_some() && told.content.is_some();
        Self {
            locations: or_known(&told.locations, known.map(|known| &known.locations)),
            content: or_known(&told.content, known.map(|known| &known.content)),
            raw_input: raw_input(&input),
            missing: !whole && known.is_some_and(|known| known.cut),
        }
    }

    fn diffs(&self) -> Vec<Diff> {
        diffs(&self.content, &self.raw_input)
    }
}

/// Arguments that are told as the text of a call, as the model wrote them, and nowhere else: kimi does so.
fn arguments(content: &Value) -> Option<Value> {
    let blocks = content.as_array()?.iter();
    let texts = blocks.filter_map(|block| content_text(block.get("content")?));
    texts
        .map(|text| raw_input(&Value::String(text.to_owned())))
        .find(Value::is_object)
}

/// The kind: that of the request, else the announced one. A call that was announced as more than looking stays that, one
/// that brings a diff changes files, and one of which something was lost is of no kind.
fn kind(told: &ToolFields, known: Option<&ToolCall>, parts: &Parts) -> Option<ToolKind> {
    if parts.missing {
        return None;
    }
    let announced = known.and_then(|known| known.kind);
    let kind = match (told.kind, announced) {
        (Some(told), Some(announced)) if looks(told) && !looks(announced) => Some(announced),
        (told, announced) => told.or(announced),
    };
    let writes = has_diff(&parts.content) || !diffs(&Value::Null, &parts.raw_input).is_empty();
    match kind {
        Some(kind) if looks(kind) && writes => Some(ToolKind::Edit),
        kind => kind,
    }
}

fn looks(kind: ToolKind) -> bool {
    match kind {
        ToolKind::Read | ToolKind::Search | ToolKind::Think => true,
        ToolKind::Edit
        | ToolKind::Move
        | ToolKind::Delete
        | ToolKind::Execute
        | ToolKind::Fetch
        | ToolKind::SwitchMode
        | ToolKind::Other => false,
    }
}

/// The paths of the request and of what was announced together, and every one that a diff is for, as it is spelled there:
/// what may be written without a second question was judged in the first one.
fn all_paths(
    told: &ToolFields,
    known: Option<&ToolCall>,
    parts: &Parts,
) -> Result<Vec<String>, TooMany> {
    let mut all = paths(&parts.locations, &parts.raw_input, &parts.content)?;
    let replaced = told.raw_input.is_some() || told.locations.is_some() || told.content.is_some();
    if let (true, Some(known)) = (replaced, known) {
        let input = raw_input(&known.raw_input);
        for path in paths(&known.locations, &input, &known.content)? {
            if !all.contains(&path) {
                all.push(path);
            }
        }
    }
    for diff in parts.diffs() {
        if !all.contains(&diff.path) {
            all.push(diff.path);
        }
    }
    Ok(all)
}

fn host(kind: Option<ToolKind>, title: &str, parts: &Parts) -> Option<String> {
    let mut found = hosts(&parts.raw_input);
    if found.is_empty() && kind == Some(ToolKind::Fetch) {
        // Gemini tells the address nowhere else.
        found = hosts(&Value::String(title.to_owned()));
    }
    (!found.is_empty()).then(|| found.join(" "))
}
