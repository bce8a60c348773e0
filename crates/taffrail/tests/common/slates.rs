//! Slates that another program opens, fills and closes, and what a person sees of them, for tests of the real binary.

use std::path::Path;

use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Ran, Repo, Terminal};

use super::mcp::Server;
use super::memory::{data_in, with_secrets_file};
use super::{PATIENCE, committed, world};

/// A world with a place for secrets, and a repository with a commit.
pub fn told() -> (Hermetic, Repo) {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    (world, repo)
}

/// Opens a slate, writes seeds of a kind each, closes it, and gives what the close answered.
#[track_caller]
pub fn slate(world: &Hermetic, folder: &Path, id: &str, seeds: &[(Option<&str>, &str)]) -> Value {
    let mut server = Server::start(world, folder);
    let anchors = json!({"root": folder, "note": "the crane", "touched": ["src/main.txt"]});
    let open = json!({"externalSessionId": id, "anchors": anchors});
    server.call("slate.open", &open).done();
    for (kind, text) in seeds {
        let mut seed = json!({"externalSessionId": id, "text": text});
        if let Some(kind) = kind {
            seed["kind"] = json!(kind);
        }
        server.call("slate.writeSeed", &seed).done();
    }
    server.close(id)
}

/// The same where two workspaces are active, so that the slate belongs to none; its unbound candidate.
#[track_caller]
pub fn unbound_slate(
    world: &Hermetic,
    folder: &Path,
    id: &str,
    seeds: &[(Option<&str>, &str)],
) -> String {
    for title in ["cranes", "locks"] {
        let known = data_in(world, folder, &["workspace", "list", "--json"]);
        if !known
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["title"] == title)
        {
            world
                .taffrail_in(folder, &["workspace", "create", title])
                .success();
        }
    }
    let closed = slate(world, folder, id, seeds);
    assert_eq!(closed["unbound"], true, "{closed}");
    let waits = catch_up(world, folder);
    let found = waits["unbound"].as_array().unwrap().iter();
    let mut found = found.filter(|one| one["slate"] == id);
    found.next().unwrap()["unbound"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// What waits in the project of a folder.
#[track_caller]
pub fn catch_up(world: &Hermetic, folder: &Path) -> Value {
    data_in(world, folder, &["workspace", "catch-up", "--json"])
}

/// A memory, whole.
#[track_caller]
pub fn show(world: &Hermetic, folder: &Path, memory: &str) -> Value {
    data_in(world, folder, &["memory", "show", memory, "--json"])
}

/// The queue of a workspace or proposal on a terminal, with one memory shown.
pub fn review(world: &Hermetic, folder: &Path, what: &str) -> Terminal {
    let terminal = world.person(folder, &["workspace", "review", what]);
    terminal.wait_for("[?]", PATIENCE);
    terminal
}

/// A command in a folder, which must go well.
#[track_caller]
pub fn done(world: &Hermetic, folder: &Path, args: &[&str]) -> Ran {
    world.taffrail_in(folder, args).success()
}

/// Every one of these stands in the text.
#[track_caller]
pub fn assert_has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is not in {text}");
    }
}

/// A list of an answer.
#[track_caller]
pub fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer[name].as_array().unwrap()
}

/// The memory of the only candidate of a kind that waits, after its proposal.
#[track_caller]
pub fn candidate(waits: &Value, kind: &str) -> (String, String) {
    let mut proposals = waits["proposals"].as_array().unwrap().iter();
    let proposal = proposals.find(|one| one["kind"] == kind).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        text(&proposal["proposal"]),
        text(&proposal["candidates"][0]["memory"]),
    )
}
