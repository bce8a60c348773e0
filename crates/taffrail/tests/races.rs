//! Two at once: what rests on what is there is done by one process after the other (REV-04, REV-05, SEC-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // starts the program several times at once

mod common;

use common::memory::{add, asked_code, review_of, said, search, with_secrets_file};
use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key};

const REVIEWERS: usize = 4;

#[test]
fn rev_04_first_approvals_at_once_share_one_seal_key() {
    for _ in 0..3 {
        let world = world();
        with_secrets_file(&world);
        let repo = committed(&world);
        let memories: Vec<String> = (0..REVIEWERS)
            .map(|at| {
                let text = format!("Fact {at} of the harbour stands by itself.");
                add(&world, repo.root(), &[&text])
            })
            .collect();
        let mut reviewers: Vec<_> = memories
            .iter()
            .map(|memory| review_of(&world, repo.root(), memory))
            .collect();
        let mut codes = Vec::new();
        for reviewer in &mut reviewers {
            reviewer.send("c");
            reviewer.wait_for("digits of its hash", PATIENCE);
            codes.push(asked_code(reviewer));
        }
        for (reviewer, code) in reviewers.iter_mut().zip(&codes) {
            reviewer.send(code);
            reviewer.key(Key::Enter);
        }
        for mut reviewer in reviewers {
            let ended = reviewer.wait_exit(PATIENCE);
            assert_eq!(ended, 0, "{}", said(&reviewer));
        }
        let mut found = search(&world, repo.root(), &["fact of the harbour"]);
        found.sort();
        let mut all = memories;
        all.sort();
        assert_eq!(found, all, "an approval under a key that is gone is none");
        world.taffrail(&["audit", "verify"]).success();
    }
}

/// `secret backend file` with each of these key files, all at once; how each ended.
fn choose_at_once(world: &Hermetic, keys: &[String]) -> Vec<i32> {
    let begun: Vec<_> = keys
        .iter()
        .map(|key| {
            let args = ["secret", "backend", "file", "--key-file", key];
            world.command(&args).start()
        })
        .collect();
    begun
        .into_iter()
        .map(|running| running.wait().code)
        .collect()
}

#[test]
fn sec_01_places_that_are_chosen_at_once_lose_nothing() {
    let world = world();
    with_secrets_file(&world);
    world
        .command(&["secret", "set", "openai"])
        .input("kept all along")
        .go()
        .success();
    for round in 0..3 {
        let keys: Vec<String> = (0..3)
            .map(|at| {
                let key = world.root().join(format!("key-{round}-{at}"));
                key.to_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(choose_at_once(&world, &keys), [0; 3]);
        let listed = world.taffrail(&["secret", "list"]).success();
        assert!(listed.stdout.contains("openai"), "{}", listed.stdout);
    }
}

/// What a kill between the two leaves: the file under the new key, the setting with the old one.
#[test]
fn sec_01_a_change_of_the_key_that_was_cut_off_is_finished_by_the_same_command() {
    let world = world();
    with_secrets_file(&world);
    world
        .command(&["secret", "set", "openai"])
        .input("kept all along")
        .go()
        .success();
    let home = world.taffrail_home();
    let setting = |sql: &str| -> rusqlite::Result<String> {
        let conn = rusqlite::Connection::open(home.join("taffrail.db"))?;
        conn.query_row(sql, [], |row| row.get(0))
    };
    let before = setting("SELECT value FROM settings WHERE name = 'secret_backend'").unwrap();
    let key = world.root().join("new.key");
    let line = [
        "secret",
        "backend",
        "file",
        "--key-file",
        key.to_str().unwrap(),
    ];
    world.taffrail(&line).success();
    setting(&format!(
        "UPDATE settings SET value = '{before}' WHERE name = 'secret_backend' RETURNING value"
    ))
    .unwrap();
    let refused = world.taffrail(&["secret", "list"]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("cut off"), "{}", refused.stderr);
    // Another key than the file's is no way in.
    let other = world.root().join("other.key");
    let wrong = [&line[..4], &[other.to_str().unwrap()]].concat();
    assert_ne!(world.taffrail(&wrong).code, 0);
    world.taffrail(&line).success();
    let listed = world.taffrail(&["secret", "list"]).success();
    assert!(listed.stdout.contains("openai"), "{}", listed.stdout);
}
