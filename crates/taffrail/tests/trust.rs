//! Promise: what a project wants to run is agreed to by content, and a project's file holds nothing that could reach
//! further (CNF-07).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key, Repo};

#[test]
fn cnf_07_s2_a_projects_file_holds_nothing_that_could_reach_further() {
    let world = world();
    let repo = committed(&world);
    for (text, name) in [
        ("[external_agents.x]\ncommand = \"sh\"\n", "external_agents"),
        ("[sandbox]\nnet = \"on\"\n", "sandbox"),
        ("[policy]\n", "policy"),
        (
            "[checkout]\ncarry = [\"build\"]\nenv = { A = \"1\" }\n",
            "env",
        ),
        ("[provider.x]\nurl = \"http://evil.invalid\"\n", "provider"),
        ("[mcp]\n", "mcp"),
        ("not toml", "expected"),
    ] {
        repo.file(".taffrail/config.toml", text);
        let ran = world
            .taffrail_in(repo.root(), &["box", "--", "true"])
            .success();
        assert!(
            ran.stderr
                .contains("note: the project's own file is not used"),
            "{text}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(name), "{text}: {}", ran.stderr);
    }
}

#[test]
fn cnf_07_a_projects_file_cannot_carry_credentials() {
    let world = world();
    let repo = committed(&world);
    repo.file(".gitignore", ".env\nkeys/\n");
    repo.commit("ignored");
    repo.file(".env", "TOKEN=canary\n")
        .file("keys/id_rsa", "canary\n")
        .file("keys/notes", "plain\n");
    repo.file(".taffrail/config.toml", "[checkout]\ncarry = [\".env\"]\n");
    let ran = world.taffrail_in(repo.root(), &["box", "--", "cat", ".env"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    repo.file(".taffrail/config.toml", "[checkout]\ncarry = [\"keys\"]\n");
    let ran = world
        .taffrail_in(repo.root(), &["box", "--", "ls", "keys"])
        .success();
    assert_eq!(ran.stdout, "notes\n");
    // The twin: the user's own configuration names it.
    repo.remove(".taffrail/config.toml");
    world.config("[checkout]\ncarry = [\".env\"]\n");
    std::fs::set_permissions(
        world.taffrail_home().join("config.toml"),
        std::fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    let ran = world
        .taffrail_in(repo.root(), &["box", "--", "cat", ".env"])
        .success();
    assert_eq!(ran.stdout, "TOKEN=canary\n");
}

/// `taffrail trust` on a terminal, answered; what it said.
fn trust(world: &Hermetic, repo: &Repo, answer: &str) -> String {
    let mut terminal = world.terminal(repo.root(), &["trust"]);
    terminal.wait_for("type yes", PATIENCE);
    terminal.send(answer);
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    terminal.screen()
}

/// Whether the setup of the project ran before the command of a box, by the file that it makes.
fn setup_ran(world: &Hermetic, repo: &Repo) -> bool {
    let ran = world
        .taffrail_in(
            repo.root(),
            &["box", "--", "sh", "-c", "ls set-up 2>/dev/null; exit 0"],
        )
        .success();
    let says = ran.stderr.contains("nobody agreed to it yet");
    let there = ran.stdout.contains("set-up");
    assert!(
        says != there,
        "either it ran or the person is told: {}",
        ran.snapshot()
    );
    there
}

fn standing(world: &Hermetic, repo: &Repo) -> String {
    let shown = world
        .taffrail_in(repo.root(), &["trust", "show", "--json"])
        .success();
    shown.json()["data"][0]["standing"]
        .as_str()
        .unwrap_or("none")
        .to_owned()
}

#[test]
fn cnf_07_s4_setup_runs_only_as_it_was_agreed_to() {
    let world = world();
    let repo = committed(&world);
    assert_eq!(standing(&world, &repo), "none");
    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up\"\n",
    );
    assert_eq!(standing(&world, &repo), "new");
    assert!(!setup_ran(&world, &repo));
    for no in ["y", "YES", "", "no", "yes please"] {
        assert!(trust(&world, &repo, no).contains("not agreed"), "`{no}`");
    }
    assert!(!setup_ran(&world, &repo));

    assert!(trust(&world, &repo, "yes").contains("touch set-up"));
    assert_eq!(standing(&world, &repo), "agreed");
    // The twin: what was agreed to runs.
    assert!(setup_ran(&world, &repo));

    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up \"\n",
    );
    assert_eq!(standing(&world, &repo), "changed", "one byte more");
    assert!(!setup_ran(&world, &repo));
    repo.file(
        ".taffrail/config.toml",
        "# other bytes around it\n[checkout]\nsetup = \"touch set-up\"\n",
    );
    assert!(setup_ran(&world, &repo), "what runs is what was agreed to");

    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up; touch more\"\n",
    );
    let said = trust(&world, &repo, "no");
    assert!(
        said.contains("- touch set-up") && said.contains("+ touch set-up; touch more"),
        "{said}"
    );
    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up\"\n",
    );
    let revoked = world
        .taffrail_in(repo.root(), &["trust", "revoke"])
        .success();
    assert!(
        revoked.stderr.contains("the agreement is taken back"),
        "{}",
        revoked.stderr
    );
    assert_eq!(standing(&world, &repo), "new");
    assert!(!setup_ran(&world, &repo));
}

#[test]
fn cnf_07_an_agreement_needs_a_terminal_and_is_of_one_project() {
    let world = world();
    let repo = committed(&world);
    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up\"\n",
    );
    let piped = world
        .command(&["trust"])
        .in_directory(repo.root())
        .input("yes\n")
        .go();
    assert_eq!(piped.code, 3, "{}", piped.stderr);
    trust(&world, &repo, "yes");
    let other = world.repo("other");
    other.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch set-up\"\n",
    );
    other.commit("same text elsewhere");
    assert_eq!(standing(&world, &other), "new");
    assert!(!setup_ran(&world, &other));
}

#[test]
fn cnf_07_setup_is_sandboxed_and_its_failure_leaves_nothing() {
    let world = world();
    let repo = committed(&world);
    let target = repo.path("planted");
    repo.file(
        ".taffrail/config.toml",
        format!(
            "[checkout]\nsetup = \"echo x > '{}' ; exit 4\"\n",
            target.display()
        ),
    );
    trust(&world, &repo, "yes");
    let ran = world.taffrail_in(repo.root(), &["box", "--name", "b", "--", "true"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("ended with exit code 4"),
        "{}",
        ran.stderr
    );
    assert!(!target.exists());
    assert_eq!(common::checkouts(&world), Vec::<std::path::PathBuf>::new());
}

#[test]
fn pol_08_what_a_project_wants_to_run_is_shown_escaped() {
    let world = world();
    let repo = committed(&world);
    repo.file(
        ".taffrail/config.toml",
        "[checkout]\nsetup = \"touch \\u001b[2Jx \\u202eevil\"\n",
    );
    let shown = world.taffrail_in(repo.root(), &["trust", "show"]).success();
    assert!(
        !shown.stdout.contains('\u{1b}') && !shown.stdout.contains('\u{202e}'),
        "{:?}",
        shown.stdout
    );
    assert!(shown.stdout.contains("evil"), "{}", shown.stdout);
    let ran = world
        .taffrail_in(repo.root(), &["box", "--", "true"])
        .success();
    assert!(
        !ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'),
        "{:?}",
        ran.stderr
    );
}
