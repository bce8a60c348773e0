//! A project's own `.taffrail/config.toml`: two keys, and nothing that could reach further (CNF-07).

use std::path::Path;

use crate::error::{ConfigError, Problem};
use crate::message::unknown;
use crate::reader::{self, Reader, View};
use crate::sections::{self, CheckoutConfig, ExternalAgents};
use crate::{AgentEntry, checks};

/// What a project may ask for. `setup` runs only after a person agreed to its exact text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFile {
    /// `checkout.carry`: ignored paths to bring along, relative to the project; never credential files.
    pub carry: Vec<String>,
    /// `checkout.setup`: a shell command that runs in the sandbox first.
    pub setup: Option<String>,
}

/// The keys of `[checkout]` that a project may set.
pub(crate) const KEYS: &[&str] = &["carry", "setup"];

/// Reads a project's file: its path for messages, and its text.
///
/// # Errors
/// The first thing by line that is not of the closed set, with the reason.
pub fn load_project(file: (&Path, &str)) -> Result<ProjectFile, ConfigError> {
    let (path, text) = file;
    let document = reader::parse(path, text)?;
    let reader = Reader::of_file(path, text);
    let root = View::root(document.get_ref());
    refuse_others(&reader, &root, &[CheckoutConfig::PATH]);
    let mut project = ProjectFile::default();
    if let Some(checkout) = reader.table(&root, CheckoutConfig::PATH) {
        refuse_others(&reader, &checkout, KEYS);
        if let Some(carry) =
            reader.setting::<Vec<String>>(&checkout, "carry", |paths| checks::carried(paths))
        {
            project.carry = carry.value;
        }
        if let Some(setup) = reader.setting(&checkout, "setup", checks::command_line) {
            project.setup = setup.value;
        }
    }
    reader.finish()?;
    Ok(project)
}

fn refuse_others(reader: &Reader<'_>, table: &View<'_>, allowed: &[&str]) {
    for (key, _) in table.table {
        let name = key.get_ref().as_ref();
        if allowed.contains(&name) {
            continue;
        }
        let problem = match what(name) {
            Some(what) => Problem::NotInProject { what },
            None => unknown(name, allowed),
        };
        reader.note(&key.span(), table.key(name), problem);
    }
}

/// Names by what they would hold; the first that fits.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "a credential",
        &[
            "key",
            "token",
            "secret",
            "password",
            "passwd",
            "credential",
            "auth",
            "sign_in",
            "write_back",
        ],
    ),
    (
        "an environment",
        &["env", "environment", "variables", "path"],
    ),
    (
        "an endpoint",
        &[
            "url", "endpoint", "host", "provider", "proxy", "server", "mcp", "port", "web", "net",
        ],
    ),
    (
        "an allow rule",
        &[
            "policy",
            "rule",
            "allow",
            "permission",
            "trust",
            "mode",
            "write_in_checkout",
        ],
    ),
    (
        "an agent's entry",
        &["external_agents", "agent", "command", "args", "transport"],
    ),
];

/// What a name would hold that a project's file never does; `None` where the name means nothing at all.
fn what(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split(['_', '-', '.']).collect();
    let holds = |word: &str| {
        let is_part = |part: &&str| *part == word || part.strip_suffix('s') == Some(word);
        name == word || parts.iter().any(is_part)
    };
    FORBIDDEN
        .iter()
        .find(|(_, words)| words.iter().any(|word| holds(word)))
        .map(|(what, _)| *what)
        .or_else(|| is_users(&name).then_some("a setting of yours"))
}

fn is_users(name: &str) -> bool {
    sections::SECTIONS.contains(&name)
        || sections::LATER.contains(&name)
        || sections::home_of(name).is_some()
        || ExternalAgents::KEYS.contains(&name)
        || AgentEntry::KEYS.contains(&name)
}
