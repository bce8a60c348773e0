//! Promise: a home goes to another machine with its approvals, whichever place of secrets it had (STO-09, SEC-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::memory::{add, confirm, data_in, said, with_secrets_file};
use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key, Repo};

const PASSPHRASE: &str = "three words more";

/// A home with one approval, and its backup with the seal key.
fn backed_up(world: &Hermetic) -> (Repo, String) {
    with_secrets_file(world);
    let repo = committed(world);
    let memory = add(
        world,
        repo.root(),
        &["The harbour crane is greased on Mondays."],
    );
    confirm(world, repo.root(), &memory);
    let archive = world.root().join("mine.tar.gz").display().to_string();
    let asked = ["a passphrase for the exported seal key:", "once more:"];
    answered(
        world,
        &repo,
        &["backup", "--with-seal-key", &archive],
        &asked,
    );
    (repo, archive)
}

/// A command at a terminal where each of these questions gets the passphrase.
#[track_caller]
fn answered(world: &Hermetic, repo: &Repo, args: &[&str], questions: &[&str]) {
    let mut terminal = world.terminal(repo.root(), args);
    for question in questions {
        terminal.wait_for(question, PATIENCE);
        terminal.send(PASSPHRASE);
        terminal.key(Key::Enter);
    }
    let ended = terminal.wait_exit(PATIENCE);
    assert_eq!(ended, 0, "{}", said(&terminal));
}

#[test]
fn sto_09_the_seal_key_of_a_backup_counts_where_the_file_of_secrets_is_not() {
    let mut world = world();
    let (repo, archive) = backed_up(&world);
    let other = world.root().join("other");
    world.set_env("TAFFRAIL_HOME", &other);
    let asked = ["passphrase of the exported seal key:"];
    answered(
        &world,
        &repo,
        &["restore", &archive, "--with-seal-key"],
        &asked,
    );
    let verified = data_in(&world, repo.root(), &["audit", "verify", "--json"]);
    assert_eq!(
        (&verified["sealed"], &verified["holds"]),
        (&1.into(), &true.into())
    );
}

#[test]
fn sec_01_a_home_that_came_without_its_file_of_secrets_gets_a_new_one() {
    let mut world = world();
    let (repo, archive) = backed_up(&world);
    let other = world.root().join("other");
    world.set_env("TAFFRAIL_HOME", &other);
    let ran = world
        .taffrail_in(repo.root(), &["restore", &archive])
        .success();
    assert!(ran.stderr.contains("pending again"), "{}", ran.snapshot());
    let told = world.taffrail_in(repo.root(), &["doctor"]).expect_code(1);
    let hint = "taffrail secret backend file --leave";
    assert!(told.stdout.contains(hint), "{}", told.snapshot());
    let key = world.root().join("secrets.key").display().to_string();
    let file = ["secret", "backend", "file", "--key-file", &key];
    world.taffrail_in(repo.root(), &file).expect_code(1);
    let anew = [&file[..], &["--leave"]].concat();
    world.taffrail_in(repo.root(), &anew).success();
    world.taffrail_in(repo.root(), &["doctor"]).success();
}
