//! The entries that Taffrail brings along, as files of the same structure as a user's.

use std::collections::BTreeMap;
use std::path::Path;

use crate::agent::{self, AgentEntry};
use crate::error::ConfigError;
use crate::reader::{self, Reader, View};

/// Names each entry's file for messages, and takes its text in.
macro_rules! files {
    ($($name:literal,)+) => {
        &[$((concat!("built-in ", $name, ".toml"), include_str!(concat!("agents/", $name, ".toml"))),)+]
    };
}

/// The name of each entry's file in messages, and its text.
pub(crate) const FILES: &[(&str, &str)] = files![
    "antigravity-cli",
    "claude",
    "claude-acp",
    "claude-cli",
    "cline-acp",
    "codex",
    "codex-acp",
    "codex-cli",
    "copilot",
    "copilot-acp",
    "fast-agent-acp",
    "gemini",
    "gemini-acp",
    "goose",
    "goose-acp",
    "hermes-acp",
    "kimi-acp",
    "opencode",
    "opencode-acp",
    "openhands-acp",
    "pi-acp",
    "qwen",
    "qwen-acp",
    "taffrail-acp",
    "vibe-acp",
];

/// Every built-in entry by its id.
pub(crate) fn entries() -> Result<BTreeMap<String, AgentEntry>, ConfigError> {
    let mut entries = BTreeMap::new();
    for (name, text) in FILES {
        let path = Path::new(name);
        let document = reader::parse(path, text)?;
        let reader = Reader::of_built_in(path, text);
        let root = View::root(document.get_ref());
        reader.sections(&root, &[agent::SECTION], &[]);
        if let Some(section) = reader.table(&root, agent::SECTION) {
            agent::overlay(&reader, &section, &mut entries);
        }
        reader.finish()?;
    }
    Ok(entries)
}
