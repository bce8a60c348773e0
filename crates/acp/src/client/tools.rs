//! Tool calls as their last snapshot, under a budget of bytes.

use serde_json::Value;
use taffrail_domain::ToolKind;

/// A tool call as last told: each update replaces the fields that it brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The name of its tool, where it was told.
    pub name: Option<String>,
    /// Its kind, where one that is known was told.
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
    /// Bytes that were told and are not kept: replaced by a later update, or past the budget.
    pub dropped: u64,
}
