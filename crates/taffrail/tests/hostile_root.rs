//! Promise: the tools of the server read the project's own files, whatever a repository or a starting folder says (CNF-01, NB-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::Path;

use common::mcp::Server;
use common::{committed, world};
use serde_json::json;
use taffrail_testkit::Hermetic;

/// What a server that starts there reads of a path; the text of its refusal.
fn read(world: &Hermetic, folder: &Path, path: &str) -> Result<String, String> {
    let mut server = Server::start(world, folder);
    let answer = server.call("read_file", &json!({"path": path}));
    if answer.is_refused() {
        return Err(answer.text().to_owned());
    }
    Ok(answer.done()["content"].as_str().unwrap().to_owned())
}

#[test]
fn cnf_01_a_work_tree_above_that_a_repository_names_is_not_read() {
    let world = world();
    let repo = committed(&world);
    let above = repo.root().parent().unwrap();
    std::fs::write(above.join("beside"), "not the project's").unwrap();
    std::fs::write(repo.path("own"), "the project's").unwrap();
    repo.config("core.worktree", above.to_str().unwrap());
    // The twin: git takes that folder for the work tree.
    let said = repo.git(&["rev-parse", "--show-toplevel"]);
    assert_eq!(Path::new(said.trim()), above);
    let inside = repo.root().strip_prefix(above).unwrap().join("own");
    for path in ["beside", inside.to_str().unwrap()] {
        let refused = read(&world, repo.root(), path).unwrap_err();
        assert!(refused.contains("does not exist"), "{refused}");
    }
    assert_eq!(read(&world, repo.root(), "own").unwrap(), "the project's");
}

#[test]
fn nb_01_a_folder_that_points_at_a_project_is_told_nothing_of_it() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    server.open("theirs");
    let theirs = server.call("workspace_list", &json!({}));
    assert_eq!(theirs.done()["workspaces"].as_array().unwrap().len(), 1);
    let hostile = world.directory("hostile");
    let mark = format!("gitdir: {}\n", repo.path(".git").display());
    std::fs::write(hostile.join(".git"), mark).unwrap();
    let mut server = Server::start(&world, &hostile);
    let listed = server.call("workspace_list", &json!({}));
    assert_eq!(listed.done()["workspaces"], json!([]));
    let notebook = server.call("notebook_read", &json!({}));
    assert_eq!(notebook.done()["project"], "hostile");
}

#[test]
fn cnf_02_the_files_of_a_home_folder_are_no_projects() {
    let world = world();
    let home = world.home();
    let plain = home.join("plain");
    std::fs::create_dir(&plain).unwrap();
    for folder in [&home, &plain] {
        std::fs::write(folder.join("diary"), "a person's").unwrap();
    }
    for folder in [&*home, Path::new("/")] {
        let refused = read(&world, folder, "diary").unwrap_err();
        assert!(refused.contains("holds a home folder"), "{refused}");
    }
    // A home folder under version control is still no project; a folder in it is read as itself.
    let made = world.program("git", &["init", "-q"]);
    made.in_directory(&home).go().success();
    assert_eq!(read(&world, &plain, "diary").unwrap(), "a person's");
    let refused = read(&world, &plain, "plain/diary").unwrap_err();
    assert!(refused.contains("does not exist"), "{refused}");
}
