//! FA-06, FA-10, CLI-03: where in the checkout a command starts, what is said of work that stays behind, and by a server to
//! whoever typed it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::{PATIENCE, boxed, committed, world};

#[test]
fn fa_06_the_command_starts_where_the_person_stands() {
    let world = world();
    let repo = committed(&world);
    repo.file("deep/er/file", "x\n").commit("deep");
    std::fs::create_dir_all(repo.path("not/in/git")).unwrap();
    let pwd = |folder: &str| {
        let args = ["box", "--unattended", "--", "sh", "-c", "pwd"];
        let ran = world.taffrail_in(&repo.path(folder), &args).success();
        ran.stdout.trim_end().to_owned()
    };
    assert!(pwd("deep/er").ends_with("/box/wt/deep/er"));
    assert!(pwd("not/in/git").ends_with("/box/wt"));
    assert!(pwd("").ends_with("/box/wt"));
}

#[test]
fn fa_10_changes_that_stay_behind_are_told() {
    let world = world();
    let repo = committed(&world);
    let said = |flags: &[&str]| boxed(&world, &repo, flags, "true").go().success().stderr;
    assert!(!said(&[]).contains("uncommitted"));
    repo.file("README.md", "changed\n");
    let note = "1 file with uncommitted changes stays as committed: --include-uncommitted";
    let said_so = said(&[]);
    assert!(said_so.contains(note), "{said_so}");
    assert!(!said(&["--include-uncommitted"]).contains(note));
}

#[test]
fn fa_10_a_credential_that_the_include_list_names_stays_behind_and_is_told() {
    let world = world();
    let repo = committed(&world);
    repo.file(".gitignore", ".env\ncache/\n")
        .file(".worktreeinclude", ".env\ncache/\n")
        .commit("lists");
    repo.file(".env", "TOKEN=x\n").file("cache/a", "x\n");
    let ran = boxed(&world, &repo, &[], "ls -A; ls cache").go().success();
    assert!(
        ran.stdout.contains("cache") && !ran.stdout.contains(".env"),
        "{}",
        ran.stdout
    );
    let note = "`.env` stays behind: it holds credentials";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

/// CLI-03: what waits for a program says so to a person who typed it.
#[test]
fn cli_03_what_a_program_is_to_start_says_so_at_a_terminal() {
    let world = world();
    let repo = committed(&world);
    for (command, word) in [("acp", "an editor"), ("serve-mcp", "another program")] {
        let mut terminal = world.person(repo.root(), &[command]);
        terminal.wait_for(word, PATIENCE);
        terminal.send("\u{4}");
        assert_eq!(terminal.wait_exit(PATIENCE), 0, "{command}");
        let line = [command];
        let piped = world.command(&line).in_directory(repo.root()).input("");
        let said = piped.go().success().stderr;
        assert!(!said.contains(word), "{said}");
    }
}
