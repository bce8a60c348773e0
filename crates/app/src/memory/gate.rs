//! Who reviews: a person. A courtesy, no boundary (REV-03): an honest agent that runs `taffrail memory review` by itself
//! is told no; one that lies about its environment and its ancestors is stopped by the passphrase lock, or by nothing.

use std::path::Path;

use taffrail_config::Config;
use taffrail_confine::process;

use crate::{App, AppError};

/// What agents put into the environment of the commands they run, by their documents or their source.
const MARKERS: &[&str] = &[
    "AI_AGENT",
    "AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "OPENCODE",
    "OPENCODE_BIN_PATH",
    "QWEN_CODE",
    process::MARKER,
];

/// Agents that are not in the registry and still are agents.
const OTHERS: &[&str] = &["aider", "amp", "cline", "crush", "cursor-agent", "kiro-cli"];

/// Programs whose first argument is the program that runs.
const INTERPRETERS: &[&str] = &[
    "node", "bun", "deno", "python", "python3", "sh", "bash", "env",
];

/// Says no where an agent started this.
///
/// # Errors
/// `AgentPresent`, with what gave it away.
pub fn person_only(app: &App) -> Result<(), AppError> {
    let environment = &app.inputs.environment;
    if let Some(marker) = MARKERS
        .iter()
        .find(|marker| environment.get(marker).is_some())
    {
        let how = format!("{marker} is set in the environment");
        return Err(AppError::AgentPresent { how });
    }
    no_agent_above(&app.config, &app.inputs.exe)
}

/// Says no where a known agent is an ancestor of this process. `exe` is this program, which is none under any name.
///
/// # Errors
/// `AgentPresent`, with its name.
pub fn no_agent_above(config: &Config, exe: &Path) -> Result<(), AppError> {
    let ours = bare_name(&exe.to_string_lossy());
    let known = |line: &Vec<String>| known_agent(config, line).filter(|agent| *agent != ours);
    match process::ancestors().iter().find_map(known) {
        Some(agent) => Err(AppError::AgentPresent {
            how: format!("`{agent}` is an ancestor of this process"),
        }),
        None => Ok(()),
    }
}

/// The agent that a command line runs, if it is a known one.
fn known_agent(config: &Config, line: &[String]) -> Option<String> {
    let mut words = line.iter().map(|word| bare_name(word));
    let first = words.next()?;
    let program = if INTERPRETERS.contains(&first.as_str()) {
        words.find(|word| !word.starts_with('-'))?
    } else {
        first
    };
    let in_registry = config
        .agents
        .values()
        .any(|entry| entry.basename() == program && !entry.is_loaded());
    (in_registry || OTHERS.contains(&program.as_str())).then_some(program)
}

/// The last part of a path, without what scripts end with.
fn bare_name(word: &str) -> String {
    let name = Path::new(word)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let bare = [".js", ".mjs", ".cjs", ".py", ".exe"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    bare.unwrap_or(&name).to_owned()
}
