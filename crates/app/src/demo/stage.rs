//! The throw-away project, home and person of a demo.

use std::path::{Path, PathBuf};

use serde_json::json;
use taffrail_confine::fs::private_dir;
use taffrail_gitbox::{Identity, new_repository};

use super::Demo;
use crate::context::git;
use crate::{AppError, AppInputs};

const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Greeter\n\nSays hello.\n"),
    ("greet.sh", "#!/bin/sh\necho \"hello\"\n"),
];
/// The script of the agent, in the project: a checkout is all that it can read.
pub(super) const SCRIPT: &str = "agent.yaml";
/// What the agent's command tries and must not reach, and what it found out, in a file.
const TRIES: &str = r#"
try() { if eval "$2" >/dev/null 2>&1; then echo "$1: REACHED"; else echo "$1: denied"; fi >> tried.txt; }
try "write into your project" 'echo x > "$project/greet.sh"'
try "plant a hook in your .git" 'echo x > "$project/.git/hooks/pre-commit"'
try "read your credentials" 'cat "$person/.ssh/id_demo"'
try "read the harness's database" 'cat "$state/taffrail.db"'
try "reach the network" '(exec 3<>/dev/tcp/127.0.0.1/9)'
"#;
/// What the agent learnt.
const LESSON: &str =
    "greet.sh takes the name as its first argument and falls back to `world`; keep that default.";

/// What the agent does: an edit and two commands that it asks for, seeds over MCP, a result.
fn script() -> String {
    let steps = json!([
        {"say": "I let greet.sh take a name.\n"},
        {"read": "greet.sh"},
        {"edit": {"path": "greet.sh", "old": "hello", "new": "hello, ${1:-world}"}},
        {"run": "bash try.sh"},
        {"run": "rm -rf .git"},
        {"mcp": {"tool": "slate.open", "arguments": {"externalSessionId": "demo"}}},
        {"mcp": {"tool": "slate.writeSeed", "arguments":
            {"externalSessionId": "demo", "text": LESSON, "kind": "memory-entry"}}},
        {"mcp": {"tool": "slate.close", "arguments": {"externalSessionId": "demo"}}},
        {"result": {"status": "DONE", "summary": "greet.sh takes a name"}},
    ]);
    // JSON is YAML.
    json!({ "steps": steps }).to_string()
}

/// The tries, with the places: the project, the person's home, Taffrail's home.
fn tries(demo: &Demo) -> String {
    let (project, home) = (demo.project.display(), demo.home.display());
    let person = demo.folder.join("person");
    let person = person.display();
    format!("#!/usr/bin/env bash\nproject='{project}' person='{person}' state='{home}'\n{TRIES}")
}

/// The configuration of the throw-away home: this very program is the agent, and may run where CI is set.
fn configuration(inputs: &AppInputs) -> String {
    let program = json!(inputs.exe.display().to_string());
    format!(
        "[external_agents]\nenabled = true\n\n[external_agents.taffrail-acp]\ntest = true\n\
         command = {program}\nargs = [\"acp\", \"--script\", \"{SCRIPT}\"]\n"
    )
}

/// A folder of its own with a project, a home and a person's home that holds a secret to try.
pub(super) fn stage(inputs: &AppInputs) -> Result<Demo, AppError> {
    let random: [u8; 6] = crate::context::random()?;
    let name = taffrail_domain::hex(&random);
    let folder = real(&scratch(inputs)).join(format!("taffrail-demo-{name}"));
    let demo = Demo {
        project: folder.join("greeter"),
        home: folder.join("home"),
        run: String::new(),
        folder,
    };
    for dir in [&demo.project, &demo.home, &demo.folder.join("person/.ssh")] {
        private_dir(dir)?;
    }
    taffrail_store::files::write_private(
        &demo.folder.join("person/.ssh/id_demo"),
        b"not a real key\n",
    )?;
    let author = Identity {
        name: "Demo".into(),
        email: "demo@localhost".into(),
    };
    let config = configuration(inputs);
    taffrail_store::files::write_private(&demo.home.join("config.toml"), config.as_bytes())?;
    let (script, tries) = (script(), tries(&demo));
    let files: Vec<(&str, &str)> = PROJECT
        .iter()
        .copied()
        .chain([(SCRIPT, script.as_str()), ("try.sh", tries.as_str())])
        .collect();
    new_repository(&git(inputs)?, &demo.project, &files, &author)?;
    Ok(demo)
}

fn scratch(inputs: &AppInputs) -> PathBuf {
    inputs
        .environment
        .get("TMPDIR")
        .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

/// A temporary directory may be a link; the sandbox binds real paths.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
