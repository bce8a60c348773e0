//! The entries that Taffrail brings along, as files of the same structure as a user's.

use std::collections::BTreeMap;
use std::path::Path;

use crate::agent::{self, AgentEntry};
use crate::error::ConfigError;
use crate::reader::{self, Reader, View};

/// The name of each entry's file in messages, and its text.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("built-in claude.toml", include_str!("agents/claude.toml")),
    ("built-in codex.toml", include_str!("agents/codex.toml")),
    ("built-in copilot.toml", include_str!("agents/copilot.toml")),
    ("built-in gemini.toml", include_str!("agents/gemini.toml")),
    ("built-in goose.toml", include_str!("agents/goose.toml")),
    (
        "built-in opencode.toml",
        include_str!("agents/opencode.toml"),
    ),
    ("built-in qwen.toml", include_str!("agents/qwen.toml")),
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
