//! What an agent does to its processes, its pipes and its own checkout (FA-11, FA-26, FA-27, CNF-05).

use taffrail_testkit::eventually;

use crate::common::checkouts;
use crate::external::{DONE, End, LIMIT, case};

const DIED: End = End(1, "died", "exited");

#[test]
fn cnf_05_a_grandchild_in_its_own_session_dies_with_the_run() {
    let begun = case("open\ndaemonise\ndaemonise\nsay \"up\\n\"\ndone").start();
    begun.wait().ends(DONE);
    // And where the run is cut off.
    case("open\ndaemonise\nexit 3").ends(DIED);
}

#[test]
fn cnf_05_an_agent_that_heeds_nothing_dies_with_the_run() {
    case("ignore-term\nignore-eof\nopen\ndaemonise\ndone\nhang").ends(DONE);
    case("ignore-term\nignore-eof\nopen\ndaemonise\nhang")
        .config("external_agents.inactivity = \"1s\"")
        .ends(End(5, "timeout", "inactivity"));
}

#[test]
fn fa_26_exits_in_the_middle_of_the_turn() {
    for how in ["exit 0", "exit 1"] {
        let over = case(&format!("open\nsay half\n{how}")).ends(DIED);
        assert_eq!(over.show()["partial"], "half");
    }
    // Of one that said nothing there is nothing to keep.
    let over = case("open\nexit 0").ends(DIED);
    assert!(over.show()["partial"].is_null(), "{}", over.show());
    for signal in ["9", "11", "15"] {
        case(&format!("open\nsay half\nkill-self {signal}")).ends(End(1, "died", "signalled"));
    }
}

#[test]
fn fa_26_closes_its_output_and_lives() {
    case("ignore-eof\nignore-term\nopen\nsay half\nclose stdout\nignore-eof\nignore-term\nhang")
        .ends(End(1, "died", "output_closed"));
}

#[test]
fn fa_28_closes_its_input_or_its_standard_error() {
    case("open\nclose stderr\ndone").ends(DONE);
    // Who closes its input and goes has not answered the prompt, whatever it said.
    case("open\nclose stdin\nresult {\"status\":\"DONE\",\"summary\":\"x\"}\nexit 0").ends(DIED);
}

#[test]
fn fa_29_changes_without_asking_are_told() {
    let over = case("open\ndo write src/main.txt mine\ndo write extra.txt new\ndone")
        .sandboxed()
        .write()
        .ends(DONE);
    let result = over.result();
    let told = result["wrote_without_asking"].to_string();
    assert!(
        told.contains("src/main.txt") && told.contains("extra.txt"),
        "{result}"
    );
    assert!(over.show().to_string().contains("extra.txt"));
}

#[test]
fn fa_29_changes_of_a_run_that_may_not_write_are_told_and_not_kept() {
    let over = case("open\ndo shell \"echo x > extra.txt\"\ndone")
        .sandboxed()
        .ends(DONE);
    assert!(over.result()["patch"].is_null(), "{}", over.result());
}

#[test]
fn fa_11_git_inside_of_the_checkout_reaches_nothing_outside() {
    let over = case(
        "open\ndo write a.txt x\ndo git add -A\ndo git -c user.name=a -c user.email=a@b commit -qm work -> c\nmust ${c.code} 0\n\
         do git branch other\ndo git config core.hooksPath /tmp/evil\ndo write .git/hooks/post-checkout \"#!/bin/sh\\ntouch /tmp/evil-ran\\n\"\n\
         do git remote -v -> r\nmust ${r.stdout} \"\"\ndone",
    )
    .sandboxed()
    .write()
    .ends(DONE);
    assert!(over.patch().contains("a.txt"));
}

#[test]
fn fa_12_it_removes_its_own_repository() {
    // What changed is told by our own listing of the tree, not by a repository that the agent can spoil.
    case("open\ndo shell \"rm -rf .git\"\ndo write a.txt x\ndone")
        .write()
        .sandboxed()
        .ends(DONE);
}

#[test]
fn fa_29_a_change_that_cannot_be_captured_is_an_error_and_never_no_change() {
    let over = case("open\ndo shell \"rm -rf ${cwd}\"\ndone")
        .write()
        .sandboxed()
        .run();
    assert_ne!(over.ran.code, 0);
    assert!(
        over.ran.stdout.contains("capture_failed"),
        "{}",
        over.ran.stdout
    );
    // What may be work that is nowhere else is kept.
    assert_eq!(checkouts(&over.world).len(), 1);
    let run = over.events()[0]["run"].as_str().unwrap().to_owned();
    let line = ["agents", "external", "review", &run];
    let review = over
        .world
        .taffrail_in(over.repo.root(), &line)
        .expect_code(7);
    assert!(
        review
            .stderr
            .contains("only what was captured of it before"),
        "{}",
        review.stderr
    );
}

#[test]
fn fa_11_the_sandbox_holds_what_an_agent_writes_outside() {
    let place = tempfile::tempdir_in("/var/tmp").unwrap();
    let target = place.path().join("planted");
    let script = "open\ndo shell \"echo x > ${target}\"\ndone";
    case(script)
        .set("target", &target.display().to_string())
        .sandboxed()
        .ends(DONE);
    assert!(!target.exists());
    // The twin: without the sandbox it is there.
    case(script)
        .set("target", &target.display().to_string())
        .ends(DONE);
    assert!(target.exists());
}

#[test]
fn fa_11_taffrail_is_killed() {
    let begun = case("ignore-term\nignore-eof\nopen\ndaemonise\nsay \"up\\n\"\nhang").start();
    begun.wait_for("up\\n");
    let below = begun.below();
    let init = begun.running.stdout();
    let init: serde_json::Value =
        serde_json::from_str(init.lines().next().unwrap_or_default()).unwrap();
    let world = begun.world;
    crate::common::kill_nine(begun.running);
    let gone = eventually(LIMIT, || below.iter().all(|process| !process.lives()));
    assert!(gone, "left: {below:?}");
    // The next command that opens the store puts on record how it ended, and clears what is left.
    let run = init["run"].as_str().unwrap_or_default();
    let listed = world.taffrail_in(begun.repo.root(), &["box", "--no-sandbox", "--", "true"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let shown = world.taffrail_in(
        begun.repo.root(),
        &["agents", "external", "show", run, "--json"],
    );
    let shown = shown.success().json()["data"].clone();
    assert_eq!(
        (&shown["status"], &shown["reason"]),
        (&"died".into(), &"taffrail_killed".into())
    );
    let exported = world
        .taffrail_home()
        .join("sessions")
        .join(run)
        .join("acp-run.json");
    let exported: serde_json::Value =
        serde_json::from_slice(&std::fs::read(exported).unwrap()).unwrap();
    assert_eq!(exported["reason"], "taffrail_killed");
    // What nobody has captured is kept until a person decides.
    assert_eq!(checkouts(&world).len(), 1);
    let discarded = world.taffrail_in(begun.repo.root(), &["agents", "external", "discard", run]);
    assert_eq!(discarded.code, 0, "{}", discarded.stderr);
    assert_eq!(checkouts(&world), Vec::<std::path::PathBuf>::new());
}
