//! STO-05 and STO-03 with real processes: writers that are killed, and many that write at once.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the process to kill.

mod support;

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{hash, insert, new_id, oid, open, owner, record};
use taffrail_domain::{ChangeState, Ended, RunId, RunStatus};
use taffrail_redact::Clean;
use taffrail_store::{CheckoutState, Decision, Home, RunFilter, RunRow, Store};

const HOME: &str = "TAFFRAIL_STORE_TEST_HOME";
const RUNS: &str = "TAFFRAIL_STORE_TEST_RUNS";
/// Sets another number of kills than [`ROUNDS`].
const KILLS: &str = "TAFFRAIL_STORE_TEST_KILLS";
const ROUNDS: u32 = 60;

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    let Some(home) = env::var_os(HOME) else {
        return;
    };
    let runs: u32 = env::var(RUNS).unwrap().parse().unwrap();
    let store = open(&Home::at(home.as_ref()).unwrap());
    for _ in 0..runs {
        whole_run(&store, print);
    }
}

/// Tells the parent what the store has acknowledged.
fn print(id: &RunId, stage: u8) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\nack {id} {stage}\n").as_bytes())
        .unwrap();
    out.flush().unwrap();
}

/// One run from its row to its landing; says each stage once the store has acknowledged it.
fn whole_run(store: &Store, say: impl Fn(&RunId, u8)) {
    let id = new_id();
    let acknowledged = |stage| say(&id, stage);
    insert(store, id, id.short().trim_start_matches("run_")).unwrap();
    acknowledged(0);
    store.run_prepared(&id, &oid('a'), None).unwrap();
    store.set_checkout_state(&id, CheckoutState::Live).unwrap();
    acknowledged(1);
    store.run_started(&id, &Clean::ours("{}")).unwrap();
    acknowledged(2);
    store.add_event(&id, "started", &Clean::ours("{}")).unwrap();
    acknowledged(3);
    record(store, &id, &hash(1)).unwrap();
    acknowledged(4);
    store
        .run_ended(&id, RunStatus::Completed, "exited", Some(Ended::Exited(0)))
        .unwrap();
    acknowledged(5);
    store
        .set_checkout_state(&id, CheckoutState::Removed)
        .unwrap();
    acknowledged(6);
    store
        .decide_change(&id, Decision::Landing, &hash(1), &owner(9))
        .unwrap();
    acknowledged(7);
    store.finish_landing(&id, &oid('f'), "b").unwrap();
    acknowledged(8);
}

fn spawn(home: &Home, runs: u32) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .env(RUNS, runs.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn random_below(limit: u32) -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).unwrap();
    u32::from_le_bytes(bytes) % limit
}

/// Kills the writer at a random point; the last stage that it acknowledged, by run.
fn killed_round(home: &Home) -> BTreeMap<String, u8> {
    let mut child = spawn(home, 1_000);
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut heard = String::new();
    for _ in 0..random_below(60) {
        lines.read_line(&mut heard).unwrap();
    }
    // Not a wait for anything: the kill has to fall at a random point inside a transaction.
    std::thread::sleep(Duration::from_micros(u64::from(random_below(4_000))));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it ended by itself: {heard}");
    lines.read_to_string(&mut heard).unwrap();
    let mut last = BTreeMap::new();
    for line in heard.lines() {
        // The last line may be torn; only whole ones count.
        if let Some((run, stage)) = line
            .strip_prefix("ack ")
            .and_then(|ack| ack.split_once(' '))
            && let Ok(stage) = stage.parse()
        {
            last.insert(run.to_owned(), stage);
        }
    }
    last
}

#[test]
fn sto_05_what_was_acknowledged_outlives_a_kill_at_any_point() {
    let dir = tempfile::tempdir().unwrap();
    let home = support::home_in(&dir);
    let rounds = env::var(KILLS).map_or(ROUNDS, |kills| kills.parse().unwrap());
    let (mut acknowledged, mut unfinished, mut seen) = (0, 0, 0);
    for round in 0..rounds {
        let last = killed_round(&home);
        assert_eq!(integrity(&home), ["ok"], "round {round}");
        let store = open(&home);
        for (run, stage) in &last {
            let row = store.find_run(run).unwrap();
            assert!(
                stage_of(&store, &row) >= *stage,
                "round {round}: {run} lost stage {stage}"
            );
            acknowledged += usize::from(*stage) + 1;
        }
        // Only this round's rows, so that a long run of rounds stays linear.
        let mut rows = store.runs(&newest(last.len() + 1)).unwrap();
        rows.retain(|row| row.seq > seen);
        seen = rows.first().map_or(seen, |row| row.seq);
        let cut_off = rows.iter().filter(|row| stage_of(&store, row) < 8).count();
        assert!(cut_off <= 1, "round {round}: more than one unfinished run");
        unfinished += cut_off;
        recover(&store, &rows);
    }
    println!("{rounds} kills, {acknowledged} acknowledged stages, {unfinished} runs cut off");
    assert!(
        acknowledged > 100,
        "the writers were killed before they wrote"
    );
    assert!(
        unfinished > rounds as usize / 4,
        "the kills did not fall inside runs"
    );
}

fn newest(count: usize) -> RunFilter<'static> {
    RunFilter {
        limit: Some(u32::try_from(count).unwrap()),
        ..RunFilter::default()
    }
}

/// A decision that was cut off is on record as such, and can be taken back and taken again.
fn recover(store: &Store, rows: &[RunRow]) {
    let deciding: Vec<_> = rows
        .iter()
        .filter(|row| row.deciding)
        .map(|row| row.id)
        .collect();
    let open: Vec<_> = store
        .open_decisions()
        .unwrap()
        .iter()
        .map(|one| one.run)
        .collect();
    assert_eq!(open.len(), deciding.len());
    for run in open {
        assert!(deciding.contains(&run));
        store.fail_landing(&run, "interrupted").unwrap();
        let row = store.run(&run).unwrap();
        assert_eq!(
            (row.change, row.deciding),
            (Some(ChangeState::Pending), false)
        );
    }
}

fn integrity(home: &Home) -> Vec<String> {
    // Killed before it made the database; opening it here would make one, with the wrong mode.
    if !home.db().exists() {
        return vec!["ok".to_owned()];
    }
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    let mut check = conn.prepare("PRAGMA integrity_check").unwrap();
    let lines = check.query_map([], |row| row.get(0)).unwrap();
    let mut lines: Vec<String> = lines.map(Result::unwrap).collect();
    let foreign = "SELECT count(*) FROM pragma_foreign_key_check";
    let broken: i64 = conn.query_row(foreign, [], |row| row.get(0)).unwrap();
    lines.extend((broken > 0).then(|| format!("{broken} broken references")));
    lines
}

/// How far a run is on record. Both rows of stage 0 are made together, or neither is.
fn stage_of(store: &Store, row: &RunRow) -> u8 {
    let change = store.captured(&row.id).unwrap();
    let state = change.as_ref().map(|change| change.state);
    let paths = change.map_or(0, |change| change.changes.len());
    assert!(
        paths == 0 || paths == support::changes().len(),
        "half a diff"
    );
    match row.status {
        RunStatus::Preparing if row.checkout.state == CheckoutState::Live => 1,
        RunStatus::Preparing => 0,
        RunStatus::Running if state.is_some() => 4,
        RunStatus::Running if !store.events(&row.id).unwrap().is_empty() => 3,
        RunStatus::Running => 2,
        _ if state == Some(ChangeState::Landed) => 8,
        _ if row.deciding => 7,
        _ if row.checkout.state == CheckoutState::Removed => 6,
        _ => 5,
    }
}

#[test]
fn sto_03_many_processes_and_threads_lose_nothing_and_see_no_lock() {
    const PROCESSES: usize = 3;
    const THREADS: usize = 3;
    const EACH: u32 = 30;
    let dir = tempfile::tempdir().unwrap();
    let home = support::home_in(&dir);
    let begun = Instant::now();
    // The children find no database: they make and migrate it at once.
    let children: Vec<Child> = (0..PROCESSES).map(|_| spawn(&home, EACH)).collect();
    let store = open(&home);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..EACH).for_each(|_| whole_run(&store, |_, _| ())));
        }
    });
    for child in children {
        let out = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{text}");
        assert_eq!(text.matches("\nack ").count(), EACH as usize * 9);
    }
    let rows = store.runs(&RunFilter::default()).unwrap();
    let total = (PROCESSES + THREADS) * EACH as usize;
    let writes = total * 10;
    println!(
        "{writes} transactions of {} writers in {:?}",
        PROCESSES + THREADS,
        begun.elapsed()
    );
    assert_eq!(rows.len(), total);
    assert!(rows.iter().all(|row| stage_of(&store, row) == 8));
    drop(store);
    assert_eq!(integrity(&home), ["ok"]);
}
