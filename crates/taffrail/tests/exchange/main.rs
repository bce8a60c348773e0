//! Promise: what comes in waits for a review whatever it says of itself (MEM-08, REC-12, CLI-06), an export holds
//! exactly what was approved, and neither follows a link anywhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

#[path = "../common/mod.rs"]
mod common;
mod export;
mod keelson;
mod lines;
mod theirs;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{committed, data, taffrail, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Ran, Repo};

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat()
}

fn import(world: &Hermetic, flags: &[&str], lines: &[Value]) -> (i32, Vec<Value>) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = import_text(world, flags, &text);
    (ran.code, answers(&ran))
}

fn import_text(world: &Hermetic, flags: &[&str], text: &str) -> Ran {
    let args = [&["memory", "import", "--jsonl", "-"], flags].concat();
    let run = world.command(&args).input(text.as_bytes().to_vec());
    run.limit(Duration::from_secs(120)).go()
}

fn answers(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .unwrap_or_else(|_| panic!("{}\n{}", ran.stdout, ran.stderr))
}

fn line(id: &str, content: &str) -> Value {
    json!({"id": id, "type": "lesson", "summary": format!("about {content}"), "content": content})
}

/// Every memory of the home, as `memory list --all --json` tells it.
fn all(world: &Hermetic, repo: &Repo) -> Vec<Value> {
    let listed = data(
        world,
        repo,
        &["memory", "list", "--all", "--limit", "200", "--json"],
    );
    let rows = listed
        .get("memories")
        .or_else(|| listed.get("rows"))
        .unwrap_or(&listed);
    rows.as_array().cloned().unwrap_or_default()
}

fn show(world: &Hermetic, repo: &Repo, memory: &str) -> Value {
    data(world, repo, &["memory", "show", memory, "--json"])
}

/// Nothing of it may instruct, and nobody has decided.
#[track_caller]
fn assert_pending(shown: &Value) {
    for (key, value) in [
        ("status", json!("pending")),
        ("provenance", json!("imported")),
        ("first_provenance", json!("imported")),
        ("channel", json!("import")),
        ("can_use_as_instruction", json!(false)),
        ("confirmed", Value::Null),
    ] {
        assert_eq!(shown[key], value, "{key}: {shown}");
    }
}

fn file(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
