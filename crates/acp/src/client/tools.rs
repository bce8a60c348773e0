//! Tool calls as their last snapshot, under a budget of bytes: agents send all of an output again with every line of it.

use std::collections::HashMap;

use serde_json::Value;
use taffrail_domain::ToolKind;

use super::ToolSeen;
use super::notes::cut;
use crate::v1::ToolFields;
use crate::wire::weight;

/// What all calls may take together, in bytes of memory.
const BUDGET: usize = 8 << 20;
/// What one field may take.
const FIELD: usize = 1 << 20;
/// What a title, a name or a status may take.
const WORDS: usize = 4 << 10;
/// What an id may take.
const ID: usize = 1 << 10;
/// How many calls are kept.
const CALLS: usize = 4096;

/// A tool call as last told: each update replaces the fields that it brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// Its title, 4 KiB at most.
    pub title: String,
    /// The name of its tool, where it was told.
    pub name: Option<String>,
    /// Its kind, where one was told; `Other` for one that is not known.
    pub kind: Option<ToolKind>,
    /// Its status, as sent.
    pub status: Option<String>,
    /// Its `locations`, as sent.
    pub locations: Value,
    /// Its `content`, as sent.
    pub content: Value,
    /// Its `rawInput`, as sent.
    pub raw_input: Value,
    /// Its `rawOutput`, as sent.
    pub raw_output: Value,
    /// How many messages told of it.
    pub updates: u64,
    /// About how many bytes were told and are not kept: replaced by a later update, or past the budget.
    pub dropped: u64,
    /// A field that was told last is not here, because it did not fit.
    pub cut: bool,
}

/// All tool calls of a session.
#[derive(Debug, Default)]
pub(super) struct Tools {
    calls: Vec<ToolCall>,
    index: HashMap<String, usize>,
    held: usize,
}

impl Tools {
    pub(super) fn all(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.iter()
    }

    pub(super) fn get(&self, id: &str) -> Option<&ToolCall> {
        self.calls.get(*self.index.get(id)?)
    }

    /// Takes what was told. None where the call is one too many, or has no usable id.
    pub(super) fn merge(&mut self, fields: ToolFields) -> Option<ToolSeen> {
        let (at, first) = self.place(&fields.id)?;
        let call = self.calls.get_mut(at)?;
        let held = &mut self.held;
        call.updates += 1;
        call.cut = false;
        for (slot, told) in [
            (&mut call.locations, fields.locations),
            (&mut call.content, fields.content),
            (&mut call.raw_input, fields.raw_input),
            (&mut call.raw_output, fields.raw_output),
        ] {
            let Some(told) = told else { continue };
            let old = weight(slot);
            let new = weight(&told);
            *held = held.saturating_sub(old);
            let fits = new <= FIELD && *held + new <= BUDGET;
            call.cut |= !fits;
            let replaced = if slot.is_null() { 0 } else { old };
            call.dropped += (replaced + if fits { 0 } else { new }) as u64;
            *slot = if fits { told } else { Value::Null };
            *held += weight(slot);
        }
        call.title = fields
            .title
            .map_or(std::mem::take(&mut call.title), |title| cut(&title, WORDS));
        call.name = fields
            .name
            .map(|name| cut(&name, WORDS))
            .or(call.name.take());
        call.status = fields
            .status
            .map(|status| cut(&status, WORDS))
            .or(call.status.take());
        call.kind = fields.kind.or(call.kind);
        Some(ToolSeen {
            id: call.id.clone(),
            title: call.title.clone(),
            kind: call.kind,
            status: call.status.clone(),
            first,
        })
    }

    fn place(&mut self, id: &str) -> Option<(usize, bool)> {
        if let Some(at) = self.index.get(id) {
            return Some((*at, false));
        }
        if id.is_empty() || id.len() > ID || self.calls.len() >= CALLS {
            return None;
        }
        let at = self.calls.len();
        self.index.insert(id.to_owned(), at);
        self.calls.push(ToolCall {
            id: id.to_owned(),
            ..ToolCall::default()
        });
        Some((at, true))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(id: &str, mut fields: Value) -> ToolFields {
        fields["toolCallId"] = json!(id);
        ToolFields::take(&mut fields).unwrap()
    }

    #[test]
    fn fa_27_cumulative_output_is_kept_once() {
        let mut tools = Tools::default();
        for lines in 1..2000 {
            let text = "a line of output\n".repeat(lines);
            tools.merge(told("t", json!({"rawOutput": text}))).unwrap();
        }
        let call = tools.get("t").unwrap();
        assert_eq!(call.updates, 1999);
        assert!(tools.held < 64 << 10, "{}", tools.held);
        assert!(call.dropped > 30 << 20 && !call.cut);
    }

    #[test]
    fn fa_27_what_does_not_fit_is_counted_and_not_kept() {
        let mut tools = Tools::default();
        let big = "x".repeat(900 << 10);
        for at in 0..5000 {
            tools.merge(told(
                &format!("t{at}"),
                json!({"content": big, "title": "w"}),
            ));
        }
        assert!(tools.held <= BUDGET + CALLS * 4 * 32, "{}", tools.held);
        assert_eq!(tools.calls.len(), CALLS);
        assert!(!tools.get("t0").unwrap().cut && tools.get("t4000").unwrap().cut);
        assert!(tools.merge(told(&"i".repeat(2000), json!({}))).is_none());
        assert!(tools.merge(told("", json!({}))).is_none());
    }

    #[test]
    fn fa_28_an_update_replaces_only_what_it_brings() {
        let mut tools = Tools::default();
        let first = tools.merge(told(
            "t",
            json!({"title": "w", "kind": "edit", "rawInput": {"a": 1}}),
        ));
        assert!(first.unwrap().first);
        tools.merge(told(
            "t",
            json!({"status": "failed", "title": null, "kind": null}),
        ));
        let call = tools.get("t").unwrap();
        assert_eq!(
            (call.title.as_str(), call.kind),
            ("w", Some(ToolKind::Edit))
        );
        assert_eq!(call.status.as_deref(), Some("failed"));
        assert_eq!(call.raw_input, json!({"a": 1}));
    }
}
