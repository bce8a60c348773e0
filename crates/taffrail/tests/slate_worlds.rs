//! Promise: what a server acknowledges is on record in the home that a person looks at, whatever became of that home or its
//! project since the server was started (XSL-01, XSL-09).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test takes homes away from under a server

mod common;

use std::path::Path;

use common::mcp::Server;
use common::slates::{catch_up, list};
use common::{committed, world};
use serde_json::json;
use taffrail_testkit::Hermetic;

/// Opens, writes, closes, and looks with another process for what came of it.
#[track_caller]
fn assert_kept(world: &Hermetic, folder: &Path, server: &mut Server, text: &str) {
    let refused = json!({"externalSessionId": "later", "text": text});
    let refused = server.call("slate.writeSeed", &refused);
    assert!(
        refused.refused().contains("no slate is open"),
        "{refused:?}"
    );
    assert_eq!(server.open("later")["generation"], 1);
    server.write("later", text);
    let closed = server.close("later");
    let waits = catch_up(world, folder);
    let found = list(&waits, "proposals").iter().any(|proposal| {
        let candidates = proposal["candidates"].as_array().unwrap();
        candidates.iter().any(|one| one["summary"] == text)
    });
    assert!(found, "{closed}\n{waits}");
}

/// Without the look at the file the close would go to a database that no path names any more.
#[test]
fn xsl_09_a_home_that_is_taken_away_under_a_server_is_made_anew() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    server.open("before");
    std::fs::remove_dir_all(world.taffrail_home()).unwrap();
    assert_kept(
        &world,
        repo.root(),
        &mut server,
        "The sluice opens at noon.",
    );
}

#[test]
fn xsl_09_a_database_that_is_replaced_under_a_server_is_the_one_that_is_written() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    server.open("before");
    let (home, aside) = (world.taffrail_home(), world.directory("aside"));
    let files = ["taffrail.db", "taffrail.db-wal", "taffrail.db-shm"];
    for name in files {
        std::fs::copy(home.join(name), aside.join(name)).unwrap();
    }
    for name in files {
        std::fs::remove_file(home.join(name)).unwrap();
        std::fs::rename(aside.join(name), home.join(name)).unwrap();
    }
    assert_kept(&world, repo.root(), &mut server, "The lock is 9 m wide.");
}

/// Without the look at the project every later call would fail until the server is started anew.
#[test]
fn xsl_01_a_project_that_is_removed_under_a_server_is_found_anew() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    server.open("before");
    let purge = ["purge", "--project", "project", "--yes"];
    world.taffrail_in(repo.root(), &purge).success();
    assert_kept(&world, repo.root(), &mut server, "The quay has two cranes.");
    let read = server.call("workspace_list", &json!({}));
    assert!(!read.is_refused(), "{read:?}");
}
