//! Promise: what `--json` answers is written down in `docs/json.md`, key by key, and every time in it is RFC 3339 (CLI-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::memory::{add, with_secrets_file};
use common::{committed, world};
use serde_json::Value;

/// Keys below which a text of others or another page's format stands.
const OTHERS: [&str; 7] = [
    "source",
    "facts",
    "limits",
    "enforcement",
    "body",
    "evidence",
    "anchors",
];
/// Keys whose values are times.
const TIMES: [&str; 6] = ["at", "ts", "created", "confirmed", "since", "made_at"];

/// Every word that stands as code in the page.
fn written_down() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let text = std::fs::read_to_string(page).unwrap().replace('\n', " ");
    let code = text.split('`').skip(1).step_by(2);
    code.flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

fn check(value: &Value, known: &BTreeSet<String>, command: &[&str]) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| check(one, known, command)),
        Value::Object(object) => {
            for (key, within) in object {
                assert!(known.contains(key), "`{key}` of {command:?} is in no page");
                if TIMES.contains(&key.as_str()) && !within.is_null() {
                    let text = within.as_str().unwrap_or_else(|| panic!("{key}: {within}"));
                    assert!(is_rfc_3339(text), "`{key}` of {command:?}: {text}");
                }
                if !OTHERS.contains(&key.as_str()) {
                    check(within, known, command);
                }
            }
        }
        _ => {}
    }
}

/// `2026-11-30T00:16:48.914Z`
fn is_rfc_3339(text: &str) -> bool {
    let form = text
        .chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char });
    form.eq("0000-00-00T00:00:00.000Z".chars())
}

#[test]
fn cli_01_every_key_of_an_answer_is_written_down() {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let folder = repo.root().to_owned();
    world
        .taffrail_in(
            &folder,
            &["box", "--name", "b", "--", "sh", "-c", "echo 1 > new.txt"],
        )
        .success();
    let memory = add(
        &world,
        &folder,
        &["--run", "b", "The harbour crane is greased on Mondays."],
    );
    world
        .taffrail_in(&folder, &["notebook", "append", "the port is 7717"])
        .success();
    world
        .taffrail_in(&folder, &["workspace", "create", "cranes"])
        .success();
    let known = written_down();
    let search = ["memory", "search", "harbour crane", "--include", "pending"];
    let commands: [&[&str]; 29] = [
        &search,
        &["memory", "list"],
        &["memory", "show", &memory],
        &["memory", "why"],
        &["memory", "why-not", &memory],
        &["memory", "blame", &memory],
        &["memory", "export"],
        &["memory", "import", "--from", "claude", "--dry-run"],
        &["project", "list"],
        &["project", "show"],
        &["project", "add"],
        &["workspace", "list"],
        &["workspace", "catch-up"],
        &["notebook", "show"],
        &["notebook", "suggestions"],
        &["notebook", "history"],
        &["prompt", "show", "--query", "harbour"],
        &["audit", "verify"],
        &["audit", "show"],
        &["secret", "list"],
        &["config", "show"],
        &["connect", "cursor"],
        &["connect", "--list"],
        &["agents", "external", "list"],
        &["agents", "external", "probe", "gemini-acp"],
        &["trust", "show"],
        &["backup"],
        &["box", "list"],
        &["box", "review", "b"],
    ];
    for command in commands {
        let line = [command, &["--json"]].concat();
        let ran = world.taffrail_in(&folder, &line).success();
        check(&ran.json()["data"], &known, command);
    }
}
