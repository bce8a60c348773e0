//! Promise: a folder belongs to the project with the longest root that holds it; linked work trees and checkouts belong to
//! where they came from; a project goes whole or not at all (NB-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::Path;

use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key, Repo};

/// The name of the project of a folder; none where there is none.
#[track_caller]
fn project_of(world: &Hermetic, folder: &Path) -> Option<String> {
    let ran = world.taffrail_in(folder, &["project", "show", "--json"]);
    match ran.code {
        0 => ran.json()["data"]["name"].as_str().map(str::to_owned),
        2 => {
            assert_eq!(
                ran.json()["error"]["code"],
                "project_none",
                "{}",
                ran.snapshot()
            );
            None
        }
        _ => panic!("{}", ran.snapshot()),
    }
}

fn names(world: &Hermetic) -> Vec<String> {
    let ran = world.taffrail(&["project", "list", "--json"]).success();
    let rows = ran.json()["data"].as_array().cloned().unwrap_or_default();
    let name = |row: &serde_json::Value| row["name"].as_str().unwrap_or_default().to_owned();
    rows.iter().map(name).collect()
}

#[track_caller]
fn add(world: &Hermetic, folder: &Path, args: &[&str]) -> String {
    let mut line = vec!["project", "add", "--json"];
    line.extend(args);
    let ran = world.taffrail_in(folder, &line).success();
    ran.json()["data"]["outcome"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn empty_repo(world: &Hermetic, name: &str) -> Repo {
    world.repo(name)
}

#[test]
fn nb_01_a_git_work_tree_registers_itself_by_its_top() {
    let world = world();
    let repo = empty_repo(&world, "My App");
    repo.file("a/b/c", "1");
    assert_eq!(
        project_of(&world, &repo.path("a/b")).as_deref(),
        Some("my-app")
    );
    let shown = world
        .taffrail_in(repo.root(), &["project", "show", "--json"])
        .success();
    assert_eq!(
        shown.json()["data"]["roots"][0]["root"],
        repo.root().to_str().unwrap()
    );
    // Another folder of this name gets a name of its own.
    let nested = world.directory("other");
    let other = Repo::init_at(&world, &nested.join("my-app"));
    assert_eq!(project_of(&world, &other).as_deref(), Some("my-app-2"));
    assert_eq!(names(&world), ["my-app", "my-app-2"]);
}

#[test]
fn nb_01_listing_registers_nothing_and_a_plain_folder_only_by_word() {
    let world = world();
    let repo = empty_repo(&world, "repo");
    world
        .taffrail_in(repo.root(), &["project", "list"])
        .success();
    assert!(names(&world).is_empty());
    let plain = world.directory("plain");
    assert_eq!(project_of(&world, &plain), None);
    assert!(names(&world).is_empty());
    assert_eq!(add(&world, &plain, &[]), "new");
    assert_eq!(add(&world, &plain, &[]), "known");
    assert_eq!(project_of(&world, &plain).as_deref(), Some("plain"));
}

#[test]
fn nb_01_the_home_folder_and_the_root_are_no_projects() {
    let world = world();
    Repo::init_at(&world, &world.home());
    assert_eq!(project_of(&world, &world.home()), None);
    let below = world.home().join("folder");
    std::fs::create_dir(&below).unwrap();
    assert_eq!(project_of(&world, &below), None);
    assert_eq!(project_of(&world, Path::new("/")), None);
    assert!(names(&world).is_empty());
    for refused in [
        world.home(),
        "/".into(),
        world.root().into(),
        world.taffrail_home(),
    ] {
        let refused = refused.to_str().unwrap().to_owned();
        let ran = world.taffrail(&["project", "add", &refused]);
        assert_eq!(ran.code, 2, "{refused}: {}", ran.snapshot());
        assert!(ran.stderr.contains("is no project"), "{}", ran.stderr);
    }
    // The twin: a folder below the home folder may be one, when it is named.
    assert_eq!(add(&world, &world.home(), &["folder"]), "new");
    assert_eq!(project_of(&world, &below).as_deref(), Some("folder"));
}

#[test]
fn nb_01_the_longest_root_wins_and_a_sibling_is_no_child() {
    let world = world();
    let outer = world.directory("a");
    let inner = world.directory("a/b");
    let sibling = world.directory("a/bc");
    let deep = world.directory("a/b/c/d");
    add(&world, &outer, &[]);
    add(&world, &inner, &["--name", "inner"]);
    assert_eq!(project_of(&world, &deep).as_deref(), Some("inner"));
    assert_eq!(project_of(&world, &sibling).as_deref(), Some("a"));
    // The same through a symlink: the real path counts.
    let link = world.projects().join("link");
    std::os::unix::fs::symlink(&deep, &link).unwrap();
    assert_eq!(project_of(&world, &link).as_deref(), Some("inner"));
    assert_eq!(add(&world, &world.projects(), &["link/../.."]), "known");
}

#[test]
fn nb_01_linked_work_trees_and_submodules_belong_to_where_they_came_from() {
    let world = world();
    let repo = committed(&world);
    let linked = repo.worktree("linked");
    // Asked first in the linked one: the main one is registered, it outlives it.
    assert_eq!(
        project_of(&world, linked.root()).as_deref(),
        Some("project")
    );
    assert_eq!(project_of(&world, repo.root()).as_deref(), Some("project"));
    let part = world.repo("part");
    part.file("x", "1");
    part.commit("x");
    repo.submodule(&part, "parts/part");
    assert_eq!(
        project_of(&world, &repo.path("parts/part")).as_deref(),
        Some("project")
    );
    assert_eq!(names(&world), ["project"]);
    // A linked work tree inside of another project is still where it came from.
    let host = world.directory("host");
    add(&world, &host, &[]);
    repo.git(&["worktree", "add", "-q", host.join("wt").to_str().unwrap()]);
    assert_eq!(
        project_of(&world, &host.join("wt")).as_deref(),
        Some("project")
    );
    // The twin: a repository of its own inside of a registered folder is a part of that folder.
    let own = Repo::init_at(&world, &host.join("own"));
    assert_eq!(project_of(&world, &own).as_deref(), Some("host"));
}

#[test]
fn nb_01_a_checkout_of_a_run_is_of_the_runs_project() {
    let world = world();
    let repo = committed(&world);
    common::waiting(&world, &repo, "waits", "echo x > x");
    let ran = common::boxed(&world, &repo, &["--name", "kept", "--keep"], "echo y > y").go();
    let checkout = common::checkouts(&world).pop();
    let Some(checkout) = checkout else {
        panic!("no checkout is kept: {}", ran.snapshot());
    };
    let tree = checkout.join("box/wt");
    assert_eq!(project_of(&world, &tree).as_deref(), Some("project"));
    assert_eq!(project_of(&world, repo.root()).as_deref(), Some("project"));
    assert_eq!(names(&world), ["project"]);
}

#[test]
fn nb_01_a_project_whose_folder_is_gone_says_so_and_moves() {
    let world = world();
    let repo = committed(&world);
    assert_eq!(project_of(&world, repo.root()).as_deref(), Some("project"));
    let elsewhere = world.projects().join("elsewhere");
    std::fs::rename(repo.root(), &elsewhere).unwrap();
    let shown = world.taffrail(&["project", "show", "project"]).success();
    assert!(shown.stdout.contains("(gone)"), "{}", shown.stdout);
    assert!(
        shown
            .stderr
            .contains("taffrail project add PATH --name project"),
        "{}",
        shown.stderr
    );
    assert_eq!(add(&world, &elsewhere, &["--name", "project"]), "moved");
    assert_eq!(project_of(&world, &elsewhere).as_deref(), Some("project"));
    assert_eq!(names(&world), ["project"]);
    // The twin: while its folder is there, its name is taken.
    let other = world.directory("other");
    let ran = world.taffrail_in(&other, &["project", "add", "--name", "project"]);
    assert_eq!(ran.code, 2, "{}", ran.snapshot());
    assert_eq!(names(&world), ["project"]);
}

#[test]
fn nb_01_a_moved_main_work_tree_is_found_by_its_repository() {
    let world = world();
    let bare = world.projects().join("store.git");
    let seed = committed(&world);
    seed.git(&[
        "clone",
        "-q",
        "--bare",
        seed.root().to_str().unwrap(),
        bare.to_str().unwrap(),
    ]);
    let one = world.projects().join("one");
    let two = world.projects().join("two");
    let git = |args: &[&str]| {
        let line: Vec<&str> = ["-C", bare.to_str().unwrap()]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        seed.git(&line);
    };
    git(&["worktree", "add", "-q", one.to_str().unwrap(), "main"]);
    assert_eq!(add(&world, &one, &[]), "new");
    git(&[
        "worktree",
        "move",
        one.to_str().unwrap(),
        two.to_str().unwrap(),
    ]);
    assert_eq!(project_of(&world, &two).as_deref(), Some("one"));
    assert_eq!(add(&world, &two, &[]), "moved");
    let shown = world
        .taffrail(&["project", "show", "one", "--json"])
        .success();
    assert_eq!(
        shown.json()["data"]["roots"][0]["root"],
        two.to_str().unwrap()
    );
}

#[test]
fn nb_01_names_are_checked_and_unique() {
    let world = world();
    let repo = committed(&world);
    add(&world, repo.root(), &[]);
    for bad in ["Upper", "9x", "", "a b", "a/b", "\u{1b}[2J"] {
        let ran = world.taffrail(&["project", "rename", "project", bad]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.snapshot());
        assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    }
    world
        .taffrail(&["project", "rename", "project", "renamed"])
        .success();
    assert_eq!(names(&world), ["renamed"]);
    let plain = world.directory("plain");
    add(&world, &plain, &[]);
    assert_eq!(
        world
            .taffrail(&["project", "rename", "plain", "renamed"])
            .code,
        2
    );
    assert_eq!(
        world.taffrail(&["project", "rename", "nobody", "x"]).code,
        7
    );
    assert_eq!(world.taffrail(&["project", "add", "nowhere"]).code, 2);
    assert_eq!(
        world
            .taffrail_in(&plain, &["project", "add", "--name", "other"])
            .code,
        2
    );
}

#[test]
fn nb_01_a_project_goes_whole_or_not_at_all() {
    let world = world();
    let repo = committed(&world);
    add(&world, repo.root(), &[]);
    world
        .taffrail_in(
            repo.root(),
            &["notebook", "append", "a word that goes with it"],
        )
        .success();
    // Without a terminal nobody can be asked.
    let ran = world.taffrail(&["project", "rm", "project"]);
    assert_eq!(ran.code, 3, "{}", ran.snapshot());
    // What goes is said, and another word than the name takes nothing.
    let mut terminal = world.terminal(repo.root(), &["project", "rm", "project"]);
    terminal.wait_for("1 suggestion", PATIENCE);
    terminal.wait_for("type project", PATIENCE);
    terminal.send("yes");
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 1, "{}", terminal.screen());
    assert_eq!(names(&world), ["project"]);
    let mut terminal = world.terminal(repo.root(), &["project", "rm", "project"]);
    terminal.wait_for("type project", PATIENCE);
    terminal.send("project");
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    assert!(names(&world).is_empty());
    assert_eq!(
        common::holds(&world.taffrail_home(), b"a word that goes with it"),
        Vec::<std::path::PathBuf>::new(),
        "no byte stays in the file"
    );
    assert!(repo.exists("README.md"), "the folder stays");
    assert_eq!(
        world.taffrail(&["project", "rm", "project", "--yes"]).code,
        7
    );
}

#[test]
fn nb_01_a_project_with_a_live_run_stays() {
    let world = world();
    let repo = committed(&world);
    add(&world, repo.root(), &[]);
    let mut running = common::boxed(&world, &repo, &[], "echo ready > ready; sleep 300").start();
    common::wait_for_file(&world, "ready");
    let ran = world.taffrail(&["project", "rm", "project", "--yes"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stderr.contains("still going on"), "{}", ran.stderr);
    assert_eq!(names(&world), ["project"]);
    running.kill();
    // The twin: once it is over, the project goes.
    world.taffrail_in(repo.root(), &["box", "list"]).success();
    world
        .taffrail(&["project", "rm", "project", "--yes"])
        .success();
}

#[test]
fn cli_03_projects_read_well() {
    let world = world();
    let repo = committed(&world);
    add(&world, repo.root(), &[]);
    let shown = world.taffrail(&["project", "show", "project"]).success();
    let lines: Vec<String> = shown
        .snapshot()
        .lines()
        .map(|line| match line.strip_prefix("since  ") {
            Some(_) => "since  <time>".to_owned(),
            None => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    exit: 0
    --- stdout
    project prj_<id>
    since  <time>
    root   $PROJECTS/project
    holds  0 memories, 0 notebook revisions, 0 suggestions, 0 traces, 0 workspaces, 0 closed slates
    ");
    let listed = world.taffrail(&["project", "list"]).success();
    insta::assert_snapshot!(listed.snapshot(), @r"
    exit: 0
    --- stdout
    NAME     PROJECT         SINCE     WHERE
    project  prj_<id>  just now  $PROJECTS/project
    ");
}

/// Repositories outside of the usual folder.
trait InitAt {
    fn init_at(world: &Hermetic, path: &Path) -> std::path::PathBuf;
}

impl InitAt for Repo {
    fn init_at(world: &Hermetic, path: &Path) -> std::path::PathBuf {
        std::fs::create_dir_all(path).unwrap();
        world
            .program("git", &["init", "-q", path.to_str().unwrap()])
            .go()
            .success();
        path.to_owned()
    }
}
