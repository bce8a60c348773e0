//! Calls of our own MCP server that an agent asks a permission for. The call itself comes to the run's own process, which
//! answers it by its own rules and puts it on record, so that there is nothing to be asked.
//!
//! That it is such a call is the agent's word, as a reading is: what was asked as something else stays that.

use taffrail_acp::Asked;
use taffrail_domain::{Action, ToolKind};
use taffrail_mcp::names_for_runs;

use super::doors::SERVER;

/// What agents put around a tool's name: `mcp__taffrail__read_file`, `read_file (taffrail MCP Server)`.
const AROUND: &[&str] = &[SERVER, "mcp", "server", "tool"];
/// The longest title that is looked at, in bytes; some put the arguments behind it.
const LONGEST: usize = 128;

/// The action, where what was asked is nothing but such a call.
pub(super) fn call(asked: &Asked) -> Option<Action> {
    let plain = match asked.kind {
        None | Some(ToolKind::Other | ToolKind::Read | ToolKind::Search | ToolKind::Think) => true,
        Some(
            ToolKind::Edit
            | ToolKind::Move
            | ToolKind::Delete
            | ToolKind::Execute
            | ToolKind::Fetch
            | ToolKind::SwitchMode,
        ) => false,
    };
    if !plain || asked.command.is_some() || !asked.diffs.is_empty() {
        return None;
    }
    let paths = asked.paths.iter().map(|path| path.clone().into_bytes());
    Some(Action::OwnTool {
        tool: named(&asked.title)?.to_owned(),
        paths: paths.collect(),
    })
}

/// The tool that a title names, and nothing beside it.
fn named(title: &str) -> Option<&'static str> {
    let (name, _arguments) = title.split_once(": {").unwrap_or((title, ""));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:() ".contains(c);
    if name.len() > LONGEST || !name.chars().all(is_plain) {
        return None;
    }
    let told = words(name);
    names_for_runs().find(|tool| is_named(&words(tool), &told))
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The tool's words in a row, the server's name once, and around them each other word at most once.
fn is_named(tool: &[String], told: &[String]) -> bool {
    let Some(at) = told.windows(tool.len()).position(|part| part == tool) else {
        return false;
    };
    let (before, rest) = told.split_at(at);
    let around: Vec<&String> = before.iter().chain(rest.iter().skip(tool.len())).collect();
    let count = |word: &str| around.iter().filter(|told| *told == &word).count();
    count(SERVER) == 1
        && around
            .iter()
            .all(|word| AROUND.contains(&word.as_str()) && count(word) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As claude, kimi, gemini, qwen, opencode, copilot and codex spell it.
    #[test]
    fn fa_25_the_tools_of_ours_are_known_by_the_names_that_agents_give_them() {
        for (title, tool) in [
            ("mcp__taffrail__memory_recall", "memory_recall"),
            ("mcp__taffrail__slate_writeSeed", "slate.writeSeed"),
            ("read_file (taffrail MCP Server)", "read_file"),
            (
                "slate.writeSeed (taffrail MCP Server): {\"text\":\"see https://example.com; rm -rf /\"}",
                "slate.writeSeed",
            ),
            ("taffrail_list_files", "list_files"),
            ("taffrail-search_text", "search_text"),
            ("Tool: taffrail/notebook_read", "notebook_read"),
            ("mcp.taffrail.slate_close", "slate.close"),
        ] {
            assert_eq!(named(title), Some(tool), "{title}");
        }
    }

    #[test]
    fn fa_25_what_only_looks_like_a_tool_of_ours_is_none() {
        for title in [
            "read_file",
            "memory_recall",
            "mcp__other__memory_recall",
            "mcp__taffrail__shell",
            "mcp__taffrail__memory_recall && rm -rf .",
            "mcp__taffrail__memory_recall; rm",
            "rm taffrail read_file",
            "taffrail taffrail read_file",
            "taffrail land read_file",
            "mcp__taffrail_evil__read_file",
            "cat taffrail/read_file",
            "taffrail/read_file.sh",
            "mcp__taffrail__memory_recall\u{200b}",
            "mcp__taffrail__memory_recall\nrm -rf .",
            "$(mcp__taffrail__memory_recall)",
            "",
        ] {
            assert_eq!(named(title), None, "{title}");
        }
    }
}
