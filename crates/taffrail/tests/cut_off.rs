//! Promise: work that is in a checkout is never lost, however a taffrail was cut off and whatever is done next; and what
//! was decided leaves nothing behind (FA-12, FA-31).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::sync::Arc;
use std::time::Instant;

use common::{
    assert_none_left, boxed, branch_of, checkouts, committed, data, descendants, kill_nine, land,
    review, taffrail, wait_for_file, waiting, world,
};
use taffrail_domain::{Clock, Millis, RunId};
use taffrail_store::{CheckoutState, Decision, Home, Owner, RunFilter, Store};
use taffrail_testkit::{Hermetic, Repo, Running};

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Millis {
        Millis(1)
    }
}

fn store(world: &Hermetic) -> Store {
    Store::open(&Home::at(&world.taffrail_home()).unwrap(), Arc::new(Fixed)).unwrap()
}

fn only_run(store: &Store) -> RunId {
    let runs = store.runs(&RunFilter {
        common_dir: None,
        open_only: false,
        limit: None,
    });
    runs.unwrap()[0].id
}

/// A process that is over: nothing has this start in this boot.
fn dead() -> Owner {
    Owner {
        pid: 1,
        start_ticks: u64::MAX >> 1,
        boot_id: "none".to_owned(),
    }
}

fn paths(answer: &serde_json::Value) -> Vec<&str> {
    let changes = answer["change"]["changes"].as_array().unwrap();
    changes
        .iter()
        .filter_map(|change| change["path"].as_str())
        .collect()
}

/// A kept box that holds `one`, and a taffrail that is back in it and has made `two`.
fn entered(world: &Hermetic, repo: &Repo) -> Running {
    waiting_kept(world, repo, "echo 1 > one");
    // It is there with all that is in it.
    let script = "echo 2 > one.new; mv one.new two; exec sleep 300";
    let line = ["box", "enter", "b", "--", "sh", "-c", script];
    let running = world.command(&line).in_directory(repo.root()).start();
    wait_for_file(world, "two");
    running
}

fn waiting_kept(world: &Hermetic, repo: &Repo, script: &str) {
    let ran = boxed(world, repo, &["--name", "b", "--keep"], script).go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn fa_12_what_was_done_after_entering_is_not_lost_to_a_kill() {
    let world = world();
    let repo = committed(&world);
    let running = entered(&world, &repo);
    let below = descendants(running.pid());
    kill_nine(running);
    assert_none_left(&world, &below, Instant::now());
    taffrail(&world, &repo, &["box", "list"]).success();
    assert_eq!(paths(&review(&world, &repo, "b")), ["one", "two"]);
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    assert_eq!(repo.git(&["show", &format!("{branch}:two")]), "2\n");
    assert!(checkouts(&world).is_empty());
}

#[test]
fn fa_31_nobody_decides_on_a_box_that_a_person_is_in() {
    let world = world();
    let repo = committed(&world);
    let running = entered(&world, &repo);
    for command in ["discard", "land", "enter"] {
        let ran = taffrail(&world, &repo, &["box", command, "b"]);
        assert_ne!(ran.code, 0, "{command}: {}", ran.stderr);
        assert_eq!(checkouts(&world).len(), 1, "{command}");
    }
    kill_nine(running);
}

#[test]
fn fa_31_a_running_box_is_not_discarded() {
    let world = world();
    let repo = committed(&world);
    let script = "echo 1 > one; until [ -e go ]; do sleep 0.02; done; echo 2 > two";
    let running = boxed(&world, &repo, &["--name", "b"], script).start();
    let one = wait_for_file(&world, "one");
    for command in ["discard", "land"] {
        let ran = taffrail(&world, &repo, &["box", command, "b"]).expect_code(1);
        assert!(
            ran.stderr.contains("still going on"),
            "{command}: {}",
            ran.stderr
        );
    }
    std::fs::write(one.with_file_name("go"), "").unwrap();
    running.wait().success();
    assert_eq!(paths(&review(&world, &repo, "b")), ["go", "one", "two"]);
}

#[test]
fn fa_31_a_box_without_a_change_is_discarded() {
    let world = world();
    let repo = committed(&world);
    waiting_kept(&world, &repo, "true");
    taffrail(&world, &repo, &["box", "discard", "b"]).success();
    assert!(checkouts(&world).is_empty());
}

#[test]
fn fa_12_a_decision_that_was_cut_off_after_its_row_leaves_no_tree() {
    for begun_only in [false, true] {
        let world = world();
        let repo = committed(&world);
        waiting_kept(&world, &repo, "echo 1 > one");
        let store = store(&world);
        let run = only_run(&store);
        let hash = store.captured(&run).unwrap().unwrap().hash;
        store
            .decide_change(&run, Decision::Discard, &hash, &dead())
            .unwrap();
        if !begun_only {
            store.finish_discard(&run).unwrap();
        }
        drop(store);
        taffrail(&world, &repo, &["box", "list"]).success();
        assert!(checkouts(&world).is_empty(), "begun only: {begun_only}");
        let rows = data(&world, &repo, &["box", "list", "--all", "--json"]);
        assert_eq!(rows[0]["change"], "discarded");
        assert_eq!(rows[0]["checkout"], "removed");
    }
}

#[test]
fn fa_12_a_box_that_failed_and_was_then_cut_off_is_swept() {
    let world = world();
    let repo = committed(&world);
    waiting_kept(&world, &repo, "true");
    // As a kill leaves it between the row of the end and the removal: over, and its checkout in preparation.
    let store = store(&world);
    let run = only_run(&store);
    let owner = store.run(&run).unwrap().checkout.owner;
    assert!(store.claim_checkout(&run, &owner, &dead()).unwrap());
    store
        .set_checkout_state(&run, CheckoutState::Preparing)
        .unwrap();
    drop(store);
    let ran = taffrail(&world, &repo, &["box", "list"]).success();
    assert!(!ran.stderr.contains("could not clear"), "{}", ran.stderr);
    assert!(checkouts(&world).is_empty());
}

#[test]
fn fa_30_two_that_look_at_a_cut_off_box_at_once_do_not_disturb_each_other() {
    let world = world();
    let repo = committed(&world);
    let running = boxed(
        &world,
        &repo,
        &["--name", "b"],
        "echo 1 > one; exec sleep 300",
    )
    .start();
    wait_for_file(&world, "one");
    kill_nine(running);
    let looks: Vec<Running> = (0..6)
        .map(|_| {
            let line = ["box", "review", "b"];
            world.command(&line).in_directory(repo.root()).start()
        })
        .collect();
    for look in looks {
        look.wait().success();
    }
    assert_eq!(paths(&review(&world, &repo, "b")), ["one"]);
    waiting(&world, &repo, "after", "true");
}

#[test]
fn fa_12_a_box_whose_project_moved_says_where_its_tree_is_and_can_be_discarded() {
    for decided_before in [false, true] {
        let world = world();
        let repo = committed(&world);
        let elsewhere = world.directory("elsewhere");
        if decided_before {
            kill_nine(entered(&world, &repo));
        } else {
            let script = "echo 1 > one; exec sleep 300";
            let running = boxed(&world, &repo, &["--name", "b"], script).start();
            wait_for_file(&world, "one");
            kill_nine(running);
        }
        let moved = world.root().join("moved");
        std::fs::rename(repo.root(), &moved).unwrap();
        let look = world.taffrail_in(&elsewhere, &["box", "review", "b"]);
        let look = look.expect_code(1);
        assert!(look.stderr.contains("is kept at"), "{}", look.stderr);
        std::fs::rename(&moved, repo.root()).unwrap();
        assert!(paths(&review(&world, &repo, "b")).contains(&"one"));
        std::fs::rename(repo.root(), &moved).unwrap();
        let discard = ["box", "discard", "b"];
        world.taffrail_in(&elsewhere, &discard).success();
        assert!(checkouts(&world).is_empty());
    }
}

#[test]
fn fa_12_what_cannot_be_captured_can_be_discarded() {
    let world = world();
    let repo = committed(&world);
    let running = boxed(
        &world,
        &repo,
        &["--name", "b"],
        "echo 1 > one; exec sleep 300",
    )
    .start();
    wait_for_file(&world, "one");
    kill_nine(running);
    std::fs::rename(repo.root(), world.root().join("moved")).unwrap();
    let elsewhere = world.directory("elsewhere");
    world
        .taffrail_in(&elsewhere, &["box", "discard", "b"])
        .success();
    assert!(checkouts(&world).is_empty());
}

#[test]
fn fa_06_a_kept_tree_that_somebody_removed_is_told_of_and_its_change_can_land() {
    let world = world();
    let repo = committed(&world);
    waiting_kept(&world, &repo, "echo 1 > one");
    std::fs::remove_dir_all(world.taffrail_home().join("checkouts")).unwrap();
    let enter = ["box", "enter", "b", "--", "true"];
    let ran = taffrail(&world, &repo, &enter).expect_code(7);
    assert!(ran.stderr.contains("is gone"), "{}", ran.stderr);
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    assert_eq!(repo.git(&["show", &format!("{branch}:one")]), "1\n");
}
