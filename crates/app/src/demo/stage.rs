//! The throw-away project, home and person of a demo.

use std::path::{Path, PathBuf};

use taffrail_confine::fs::private_dir;
use taffrail_gitbox::{Identity, new_repository};

use super::Demo;
use crate::context::git;
use crate::{AppError, AppInputs};

const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Greeter\n\nSays hello.\n"),
    ("greet.sh", "#!/bin/sh\necho \"hello\"\n"),
    ("agent.sh", AGENT),
];
/// What stands in for an agent: it works in its checkout, and tries what it must not. Arguments: the project, the
/// person's home, Taffrail's home.
const AGENT: &str = r#"#!/usr/bin/env bash
project=$1 person=$2 state=$3
sed -i 's/hello/hello, ${1:-world}/' greet.sh
printf '\nRun `sh greet.sh NAME`.\n' >> README.md
echo "agent: changed greet.sh and README.md"
try() { if eval "$2" >/dev/null 2>&1; then echo "agent: $1: REACHED"; else echo "agent: $1: denied"; fi; }
try "write into your project" 'echo x > "$project/greet.sh"'
try "plant a hook in your .git" 'echo x > "$project/.git/hooks/pre-commit"'
try "read your credentials" 'cat "$person/.ssh/id_demo"'
try "read the harness's database" 'cat "$state/taffrail.db"'
try "reach the network" '(exec 3<>/dev/tcp/127.0.0.1/9)'
"#;

/// A folder of its own with a project, a home and a person's home that holds a secret to try.
pub(super) fn stage(inputs: &AppInputs) -> Result<Demo, AppError> {
    let random: [u8; 6] = crate::context::random()?;
    let name = taffrail_domain::hex(&random);
    let folder = real(&scratch(inputs)).join(format!("taffrail-demo-{name}"));
    let demo = Demo {
        project: folder.join("greeter"),
        home: folder.join("home"),
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
    new_repository(&git(inputs)?, &demo.project, PROJECT, &author)?;
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
