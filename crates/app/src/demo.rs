//! `taffrail demo`: the main job, offline, on a throw-away project in a throw-away home (CLI-04, as far as it exists).
//!
//! The commands are real ones of this very program, started on a pseudo-terminal; the person's part is played, and
//! the output says so. No other command has that path.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_confine::env::ChildEnv;
use taffrail_confine::fs::{private_dir, remove_tree};
use taffrail_confine::played::{Part, Played};
use taffrail_gitbox::{Identity, new_repository};

use crate::context::git;
use crate::{AppError, AppInputs};

/// A loaded machine with two cores needs about three seconds; more than this is a hang.
const LIMIT: Duration = Duration::from_secs(60);
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

/// What a demo tells while it goes on.
pub enum Shown<'a> {
    /// A line of ours.
    Line(&'a str),
    /// What the played terminal shows, as it is.
    Terminal(&'a [u8]),
}

/// Where the demo left its things.
pub struct Demo {
    /// The throw-away folder with everything in it.
    pub folder: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// The home.
    pub home: PathBuf,
}

/// Plays the whole of it.
pub fn play(inputs: &AppInputs, tell: &mut dyn FnMut(Shown<'_>)) -> Result<Demo, AppError> {
    let demo = stage(inputs)?;
    tell(Shown::Line(
        "a throw-away project, and a home of its own; nothing of yours is used",
    ));
    tell(Shown::Line(
        "$ taffrail box --name demo -- bash agent.sh …    (a scripted agent; the person's part is played)",
    ));
    let args = arguments(&demo);
    let env = environment(inputs, &demo);
    let mut watch = |bytes: &[u8]| tell(Shown::Terminal(bytes));
    let part = Part {
        program: &inputs.exe,
        args: &args,
        env: &env,
        cwd: &demo.project,
        limit: LIMIT,
    };
    let mut played = Played::start(&part, &mut watch)?;
    played.wait_for("[d]iscard")?;
    played.type_line("r")?;
    played.wait_for("[d]iscard")?;
    played.type_line("l")?;
    let digits = played.word_after("digits of its hash,")?;
    played.type_line(&digits)?;
    played.wait_for("landed as branch")?;
    played.finish()?;
    Ok(demo)
}

/// Removes what the demo left.
pub fn clean(demo: &Demo) -> Result<(), AppError> {
    Ok(remove_tree(&demo.folder)?)
}

/// A folder of its own with a project, a home and a person's home that holds a secret to try.
fn stage(inputs: &AppInputs) -> Result<Demo, AppError> {
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(|error| AppError::Random(error.to_string()))?;
    let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
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

fn arguments(demo: &Demo) -> Vec<OsString> {
    let said = [
        "box", "--name", "demo", "--net", "off", "--", "bash", "agent.sh",
    ]
    .map(OsString::from);
    let places = [
        &demo.project,
        &demo.folder.join("person"),
        &demo.home.clone(),
    ]
    .map(OsString::from);
    said.into_iter().chain(places).collect()
}

fn environment(inputs: &AppInputs, demo: &Demo) -> ChildEnv {
    ChildEnv::allowed(&inputs.environment)
        .set("TAFFRAIL_HOME", &demo.home)
        .set("HOME", demo.folder.join("person"))
        .set("NO_COLOR", "1")
        .set("TERM", "dumb")
}
