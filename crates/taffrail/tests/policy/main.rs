//! Promise: what `taffrail policy check` lets through runs exactly the commands that it names (POL-05); its batch door
//! answers every line (CLI-06); a rule that contradicts its example does not load (POL-04).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

#[path = "../common/mod.rs"]
mod common;
mod rules;
mod stage;
mod ways;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::world;
use serde_json::{Value, json};
use stage::{Stage, generated};
use taffrail_testkit::{Hermetic, Ran};

const ALLOW: &str = include_str!("../../../policy/tests/corpus/allow.txt");
const GIT: &str = include_str!("../../../policy/tests/corpus/git.txt");

fn lines(corpus: &str) -> impl Iterator<Item = String> {
    let lines = corpus.lines();
    lines
        .filter(|line| !line.starts_with("# ") && !line.is_empty())
        .map(str::to_owned)
}

fn check(world: &Hermetic, flags: &[&str], input: &[u8]) -> Ran {
    let args = [&["policy", "check", "--batch", "-"], flags].concat();
    world
        .command(&args)
        .input(input)
        .limit(common::PATIENCE)
        .go()
}

/// The answers to these commands in a folder.
fn answers(world: &Hermetic, flags: &[&str], folder: &Path, commands: &[String]) -> Vec<Value> {
    let question =
        |command| json!({"id": command, "command": command, "cwd": folder}).to_string() + "\n";
    let input: String = commands.iter().map(question).collect();
    let ran = check(world, flags, input.as_bytes()).success();
    let answers: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), commands.len());
    answers
}

fn claimed(answer: &Value) -> BTreeSet<Vec<String>> {
    let words = |command: &Value| {
        let words = command["argv"].as_array().unwrap().iter();
        words
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    answer["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(words)
        .collect()
}

/// Runs every command that is let through; the number of them, and what was started without being named.
fn compare(stage: &Stage, commands: &[String], answers: &[Value]) -> (usize, Vec<String>) {
    let mut ran = 0;
    let mut wrong = Vec::new();
    for (command, answer) in commands.iter().zip(answers) {
        if answer["answer"] != "allow" {
            continue;
        }
        ran += 1;
        let claimed = claimed(answer);
        let started = stage.run(command);
        for argv in started.difference(&claimed) {
            wrong.push(format!("{command}: started {argv:?}, named {claimed:?}"));
        }
    }
    (ran, wrong)
}

#[test]
fn pol_05_what_is_let_through_starts_only_what_is_named() {
    let (world, stage) = (world(), Stage::new());
    let commands: Vec<String> = lines(ALLOW).chain(lines(GIT)).collect();
    let answers = answers(&world, &["--sandboxed"], &stage.path("tree"), &commands);
    let (ran, wrong) = compare(&stage, &commands, &answers);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran >= 270, "{ran} of {}", commands.len());
}

#[test]
fn pol_05_so_it_is_with_lines_that_nobody_wrote() {
    let (world, stage) = (world(), Stage::new());
    let commands = generated(3_000);
    let answers = answers(&world, &["--sandboxed"], &stage.path("tree"), &commands);
    let (ran, wrong) = compare(&stage, &commands, &answers);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran >= 300, "{ran}");
}

#[test]
fn pol_06_what_starts_a_forced_removal_is_called_destructive() {
    let (world, stage) = (world(), Stage::new());
    let commands = [
        ways::lines("rm -rf a", 300, 4),
        ways::lines("r\\\nm -rf a", 100, 2),
    ]
    .concat();
    let answers = answers(&world, &["--sandboxed"], &stage.path("tree"), &commands);
    let removal = ["rm", "-rf", "a"].map(str::to_owned).to_vec();
    let removes = |command: &str| stage.run(command).contains(&removal);
    let (mut removed, mut wrong) = (0, Vec::new());
    for (command, answer) in commands.iter().zip(&answers) {
        let is_said = answer["destructive"] == true && answer["answer"] == "ask";
        if removes(command) {
            removed += 1;
            wrong.extend((!is_said).then(|| format!("{command:?}: {answer}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(removed >= 300, "{removed}");
}

/// The twin: the stage sees what a line starts beside what somebody named.
#[test]
fn pol_05_the_stage_sees_every_start() {
    let stage = Stage::new();
    let seen = |command: &str| -> Vec<String> {
        stage
            .run(command)
            .into_iter()
            .map(|argv| argv.join("·"))
            .collect()
    };
    assert_eq!(seen("ls; \\rm -rf 'a b'"), ["ls", "rm·-rf·a b"]);
    assert_eq!(
        seen("echo \"$(unheard-of x)\" | cat"),
        ["cat", "echo·", "unheard-of·x"]
    );
    assert_eq!(seen("timeout 5 rm x"), ["rm·x", "timeout·5·rm·x"]);
    assert_eq!(
        seen("bash -c 'ls; rm y'"),
        ["bash·-c·ls; rm y", "ls", "rm·y"]
    );
}

#[test]
fn cli_06_a_batch_answers_every_line_in_the_shape_of_the_contract() {
    let world = world();
    let input = "{\"id\":7,\"command\":\"ls | rm -rf x\",\"cwd\":\"/\"}\nno json\n{\"id\":{\"a\":1}}\n\
                 {\"id\":null,\"command\":\"pwd\"}\n";
    let ran = check(&world, &[], input.as_bytes());
    assert_eq!(ran.code, 1);
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        keys(&lines[0]),
        ["answer", "commands", "destructive", "id", "reasons", "risk"]
    );
    assert_eq!(lines[0]["id"], 7);
    assert_eq!(lines[0]["answer"], "ask");
    assert_eq!(lines[0]["risk"], "destructive");
    assert_eq!(lines[0]["destructive"], true);
    assert_eq!(
        lines[0]["commands"][0],
        json!({"argv": ["ls"], "risk": "read"})
    );
    assert_eq!(
        lines[0]["commands"][1],
        json!({"argv": ["rm", "-rf", "x"], "risk": "destructive"})
    );
    assert_eq!(lines[1]["error"]["code"], "usage");
    assert_eq!(lines[2]["id"], json!({"a": 1}));
    assert_eq!(lines[2]["error"]["code"], "usage");
    assert_eq!(lines[3]["answer"], "allow");
    assert_eq!(lines.len(), 4);
    assert_eq!(
        check(&world, &[], b"{\"id\":1,\"command\":\"ls\"}\n").code,
        0
    );
}

#[test]
fn pol_02_modes_and_the_sandbox_are_flags_of_the_batch() {
    let world = world();
    let answer = |flags: &[&str], command: &str| {
        let commands = [command.to_owned()];
        answers(&world, flags, Path::new("/tmp"), &commands)[0]["answer"].clone()
    };
    assert_eq!(answer(&[], "make"), "ask");
    assert_eq!(answer(&["--mode", "trust"], "make"), "allow");
    assert_eq!(answer(&["--mode", "auto"], "make"), "ask");
    assert_eq!(answer(&["--mode", "auto", "--sandboxed"], "make"), "allow");
    assert_eq!(
        answer(&["--mode", "auto", "--sandboxed"], "rm -rf x"),
        "allow"
    );
    assert_eq!(
        answer(&["--mode", "auto", "--sandboxed"], "cat .env"),
        "ask"
    );
    assert_eq!(answer(&[], "git status"), "ask");
    assert_eq!(answer(&["--sandboxed"], "git status"), "allow");
}

#[test]
fn pol_05_links_are_followed_and_folders_with_credentials_are_not_read_whole() {
    let world = world();
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join(".env"), "A=1").unwrap();
    fs::create_dir(tree.path().join("clean")).unwrap();
    fs::write(tree.path().join("clean/a.txt"), "a").unwrap();
    for (target, link) in [
        ("/etc", "out"),
        (".env", "key"),
        ("clean", "in"),
        ("/nowhere", "dangling"),
    ] {
        std::os::unix::fs::symlink(target, tree.path().join(link)).unwrap();
    }
    let commands: Vec<String> = [
        "cat in/a.txt",
        "grep -r x clean",
        "rg x",
        "cat out/passwd",
        "cat key",
        "cat dangling",
        "grep -r x .",
        "diff . clean",
    ]
    .map(str::to_owned)
    .to_vec();
    let answers = answers(&world, &[], tree.path(), &commands);
    let found: Vec<&str> = answers
        .iter()
        .map(|answer| answer["answer"].as_str().unwrap())
        .collect();
    assert_eq!(
        found,
        ["allow", "allow", "allow", "ask", "ask", "ask", "ask", "ask"]
    );
    assert_eq!(answers[4]["risk"], "credential");
}

#[test]
fn pol_08_what_is_explained_is_escaped() {
    let world = world();
    let ran = world
        .command(&["policy", "check", "--", "echo \u{1b}[2J\u{202e}x"])
        .go()
        .success();
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}'),
        "{:?}",
        ran.stdout
    );
    assert!(ran.stdout.starts_with("answer       ask\n"));
}

#[test]
fn cli_05_a_check_makes_no_home() {
    let world = world();
    world
        .command(&["policy", "check", "--", "ls"])
        .go()
        .success();
    assert!(!world.taffrail_home().join("taffrail.db").exists());
}
