//! A person at the memory's queue, for tests of the real binary.

use std::path::Path;

use taffrail_testkit::{Hermetic, Key, Terminal, TerminalSize, eventually};

use super::PATIENCE;

/// Keeps the world's secrets in an encrypted file that opens with a key file: no keychain is asked.
pub fn with_secrets_file(world: &Hermetic) {
    let key = world.root().join("secrets.key");
    let key = key.to_str().unwrap();
    world
        .taffrail(&["secret", "backend", "file", "--key-file", key])
        .success();
}

/// Writes a memory down and gives its id.
#[track_caller]
pub fn add(world: &Hermetic, folder: &Path, args: &[&str]) -> String {
    let mut line = vec!["memory", "add", "--json"];
    line.extend(args);
    let ran = world.taffrail_in(folder, &line).success();
    ran.json()["data"]["memory"].as_str().unwrap().to_owned()
}

/// What stands in the answer of a command with `--json`, below `data`.
#[track_caller]
pub fn data_in(world: &Hermetic, folder: &Path, args: &[&str]) -> serde_json::Value {
    world.taffrail_in(folder, args).success().json()["data"].clone()
}

/// The queue on a terminal, with one memory shown.
pub fn review_of(world: &Hermetic, folder: &Path, memory: &str) -> Terminal {
    let terminal = world.person(folder, &["memory", "review", memory]);
    terminal.wait_for("[?]", PATIENCE);
    terminal
}

/// Before a code.
const HASH: &str = "type the first 6 digits of its hash, ";

/// The code that the newest question asks for, once it stands there whole.
#[track_caller]
pub fn asked_code(terminal: &Terminal) -> String {
    code_after(terminal, codes(terminal).max(1) - 1)
}

/// How many codes were asked for so far.
pub fn codes(terminal: &Terminal) -> usize {
    said(terminal).matches(HASH).count()
}

/// The code of the question behind so many earlier ones.
#[track_caller]
pub fn code_after(terminal: &Terminal, earlier: usize) -> String {
    let mut code = None;
    let asked = eventually(PATIENCE, || {
        let said = said(terminal);
        let question = said.split(HASH).nth(earlier + 1);
        code = question.and_then(|rest| Some(rest.split_once(':')?.0.trim().to_owned()));
        code.is_some()
    });
    assert!(asked, "{}", said(terminal));
    code.unwrap()
}

/// Waits until a memory was shown so many times for a key: what is pressed before that is dropped.
#[track_caller]
pub fn asks(terminal: &Terminal, times: usize) {
    let asked = eventually(PATIENCE, || said(terminal).matches("[?]").count() >= times);
    assert!(asked, "{}", said(terminal));
}

/// A command at a person's terminal on which these keys were typed before it was started.
pub fn typed_ahead(world: &Hermetic, folder: &Path, args: &[&str], keys: &str) -> Terminal {
    let go = world.root().join("go").display().to_string();
    let waits = r#"until [ -e "$0" ]; do sleep 0.02; done; exec "$@""#;
    let words = ["-c", waits, &go, env!("CARGO_BIN_EXE_taffrail")];
    let run = world.program("/bin/sh", &[&words, args].concat());
    let run = run.in_directory(folder).env("TERM", "xterm-256color");
    let terminal = Terminal::spawn_orphan(run, TerminalSize::default());
    terminal.send(keys);
    // What is echoed is in the queue.
    terminal.wait_for(keys.trim_end(), PATIENCE);
    std::fs::write(go, "").expect("a file");
    terminal
}

/// All that was on the screen.
pub fn said(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.raw()).replace('\r', "")
}

/// Confirms a memory as a person does: one key, then the code.
#[track_caller]
pub fn confirm(world: &Hermetic, folder: &Path, memory: &str) {
    let mut terminal = review_of(world, folder, memory);
    terminal.send("c");
    terminal.wait_for("digits of its hash", PATIENCE);
    let code = asked_code(&terminal);
    terminal.send(&code);
    terminal.key(Key::Enter);
    let ended = terminal.wait_exit(PATIENCE);
    assert_eq!(ended, 0, "{}", said(&terminal));
    assert!(said(&terminal).contains("confirmed"), "{}", said(&terminal));
}

/// Presses one key at a memory.
#[track_caller]
pub fn press(world: &Hermetic, folder: &Path, memory: &str, key: &str) -> String {
    let mut terminal = review_of(world, folder, memory);
    terminal.send(key);
    terminal.wait_exit(PATIENCE);
    said(&terminal)
}

/// The ids that a search gives.
#[track_caller]
pub fn search(world: &Hermetic, folder: &Path, args: &[&str]) -> Vec<String> {
    let mut line = vec!["memory", "search", "--json"];
    line.extend(args);
    let found = data_in(world, folder, &line);
    let hits = found["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["memory"].as_str().unwrap().to_owned())
        .collect()
}

/// The prompt of a turn in which a person says this.
#[track_caller]
pub fn prompt(world: &Hermetic, folder: &Path, query: &str) -> String {
    let answer = data_in(
        world,
        folder,
        &["prompt", "show", "--json", "--query", query],
    );
    let sections = answer["sections"].as_array().unwrap().iter();
    sections
        .map(|section| section["text"].as_str().unwrap().to_owned() + "\n")
        .collect()
}
