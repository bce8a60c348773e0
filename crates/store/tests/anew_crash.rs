//! STO-04: a process that is killed while it makes sessions anew leaves the old database or the new one, with every row.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the process to kill, and makes databases from a dump.

mod support;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use support::{insert, new_id, open};
use taffrail_store::{Home, Peek, files};

const SCHEMA_5: &str = include_str!("fixtures/schema-5.sql");
const HOME: &str = "TAFFRAIL_STORE_TEST_ANEW";
const ROUNDS: u32 = 25;
const SESSIONS: i64 = 5_000;

/// Not a test of its own: the process to kill.
#[test]
fn child() {
    let Some(home) = env::var_os(HOME) else {
        return;
    };
    println!("\nbegun");
    drop(open(&Home::at(home.as_ref()).unwrap()));
}

/// The child, and the pipe that it writes to until it ends.
fn spawn(home: &Home) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut heard = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(heard.any(|line| line.unwrap() == "begun"));
    (child, heard)
}

/// A database of schema 5 with many sessions, each with an event.
fn template(path: &Path) {
    drop(files::create_private_writer(path).unwrap());
    let conn = Connection::open(path).unwrap();
    conn.execute_batch(SCHEMA_5).unwrap();
    conn.execute(
        "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 99 + ?1)
         INSERT INTO sessions (seq, id, short, kind, name, project_root, common_dir, command, net, facts, status, created_at)
         SELECT i, randomblob(16), 'run_x' || i, 'box', 'n' || i, x'2f70', x'2f70', printf('%.300c', 'c'), '\"off\"', '{}', 'died', i
         FROM n",
        [SESSIONS],
    )
    .unwrap();
    conn.execute_batch(
        "INSERT INTO events (session, kind, body, at) SELECT seq, 'one', '{}', seq FROM sessions WHERE seq >= 100",
    )
    .unwrap();
}

fn put(home: &Home, template: &Path) {
    drop(fs::remove_dir_all(home.root()));
    home.create().unwrap();
    fs::copy(template, home.db()).unwrap();
}

fn random_below(limit: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % limit.max(1)
}

/// The schema's version; every row is there in any case.
fn version(home: &Home) -> i64 {
    let conn = Connection::open(home.db()).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(
        number("SELECT count(*) FROM sessions WHERE seq >= 100"),
        SESSIONS
    );
    let joined =
        "SELECT count(*) FROM events e JOIN sessions s ON s.seq = e.session WHERE s.seq >= 100";
    assert_eq!(number(joined), SESSIONS);
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let sequence = "SELECT seq FROM sqlite_sequence WHERE name = 'sessions'";
    assert_eq!(number(sequence), 99 + SESSIONS);
    let half = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%anew%'";
    assert_eq!(number(half), 0);
    number("PRAGMA user_version")
}

#[test]
fn sto_04_a_kill_while_sessions_are_made_anew_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (home, from) = (support::home_in(&dir), dir.path().join("template.db"));
    template(&from);
    put(&home, &from);
    let begun = Instant::now();
    let (mut child, _heard) = spawn(&home);
    assert!(child.wait().unwrap().success());
    let mut whole = u64::try_from(begun.elapsed().as_micros()).unwrap();
    assert_eq!(version(&home), 6);

    let mut old = 0;
    for _ in 0..ROUNDS {
        put(&home, &from);
        let (mut child, _heard) = spawn(&home);
        // Not a wait for anything: the kill has to fall at a random point of the step.
        let moment = random_below(whole);
        std::thread::sleep(Duration::from_micros(moment));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            // It takes no longer than that: the first one may have waited for the machine.
            whole = moment;
        }
        old += u32::from(version(&home) == 5);
        let store = open(&home);
        insert(&store, new_id(), "after").unwrap();
        assert_eq!(
            store.run(&store.find_run("after").unwrap().id).unwrap().seq,
            100 + SESSIONS
        );
        drop(store);
        let peek = Peek::open(&home).unwrap().unwrap();
        assert_eq!(peek.schema().unwrap().found, 6);
        assert!(peek.foreign_schema().unwrap().is_empty());
        assert!(peek.quick_check().unwrap().is_empty());
    }
    assert!(old > 0, "no kill fell before the end");
}
