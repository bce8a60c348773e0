//! STO-03, STO-05 and REV-05 for memories with real processes: many that write and read at once, and writers and reviewers
//! that are killed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the process to kill.

mod support;

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::memory::{SEED, consent, draft, key, memory_id, new, random, recalled, sealer, seen};
use support::{clean, home_in, open, patiently};
use taffrail_domain::{MemoryId, MemoryStatus, ProjectId};
use taffrail_memory::draft::Scope;
use taffrail_memory::journal::{Anchor, Verifier};
use taffrail_memory::review::Decision;
use taffrail_memory::seal::SealKey;
use taffrail_store::{Home, MemoryCursor, NewMemory, ProjectName, ProjectRoot, ProjectRow, Store};

const HOME: &str = "TAFFRAIL_STORE_TEST_HOME";
/// What the child does: `write` or `review`.
const TASK: &str = "TAFFRAIL_STORE_TEST_TASK";
const EACH: &str = "TAFFRAIL_STORE_TEST_EACH";
/// Sets another number of kills than [`ROUNDS`].
const KILLS: &str = "TAFFRAIL_STORE_TEST_KILLS";
const ROUNDS: u32 = 50;
/// Sets another number of writes per process than [`WRITES`].
const LOAD: &str = "TAFFRAIL_STORE_TEST_WRITES";
const WRITES: u32 = 50;
const PROCESSES: usize = 16;

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    let Some(home) = env::var_os(HOME) else {
        return;
    };
    let each: u32 = env::var(EACH).unwrap().parse().unwrap();
    let store = open(&Home::at(home.as_ref()).unwrap());
    let project = store.project_by_name("ours").unwrap().unwrap();
    match env::var(TASK).unwrap().as_str() {
        "write" => write_and_read(&store, &project, each),
        _ => review_on_and_on(&store, &project, each),
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{text}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Writes one by one, and reads like a turn does between the writes.
fn write_and_read(store: &Store, project: &ProjectRow, each: u32) {
    let scope = Scope::Project(project.id);
    let mine = u64::from_le_bytes(random());
    for at in 0..each {
        let text = format!("writer {mine} says fact {at} about the harbour");
        let written = patiently(|| store.write_memory(new(draft(scope, &text, &text))));
        say(&format!("ack {}", written.memory));
        if at % 10 == 0 {
            assert!(!recalled(store, Some(project.seq), "harbour").is_empty());
            store.memory(&written.memory).unwrap();
        }
    }
}

/// Batches and reviews, each said once the store has acknowledged it.
fn review_on_and_on(store: &Store, project: &ProjectRow, each: u32) {
    let scope = Scope::Project(project.id);
    for _ in 0..each {
        let mine = u64::from_le_bytes(random());
        let batch: Vec<NewMemory> = (0..3)
            .map(|at| {
                let text = format!("{mine} says fact {at} of the lighthouse");
                new(draft(scope, &text, &text))
            })
            .collect();
        let ids: Vec<MemoryId> = batch.iter().map(|new| new.id).collect();
        store.write_memories(batch).unwrap();
        ids.iter()
            .for_each(|id| say(&format!("ack {id} pending {}", head(store))));
        let confirmed = &ids[..2];
        let shown: Vec<_> = confirmed.iter().map(|id| seen(store, id)).collect();
        let decision = Decision::Confirm(consent(store, confirmed));
        store.review(decision, &shown, sealer()).unwrap();
        say(&format!("ack {} confirmed {}", ids[0], head(store)));
        say(&format!("ack {} confirmed {}", ids[1], head(store)));
        let replace = Decision::Replace {
            old: ids[0],
            consent: consent(store, &ids[2..]),
        };
        store
            .review(replace, &[seen(store, &ids[2])], sealer())
            .unwrap();
        say(&format!("ack {} merged {}", ids[0], head(store)));
        store
            .review(Decision::Restrict(key()), &[seen(store, &ids[1])], None)
            .unwrap();
        say(&format!("ack {} restricted {}", ids[1], head(store)));
    }
}

fn head(store: &Store) -> String {
    let Anchor { seq, head } = store.journal_head().unwrap();
    let hex: String = head.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{seq} {hex}")
}

fn spawn(home: &Home, task: &str, each: u32) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .env(TASK, task)
        .env(EACH, each.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn with_project(home: &Home) -> ProjectRow {
    let store = open(home);
    let roots = [ProjectRoot {
        root: "/ours".into(),
        common_dir: None,
    }];
    let id = ProjectId::new(1, random());
    let name = ProjectName::new(&clean("ours")).unwrap();
    store.add_project(id, &name, &roots).unwrap()
}

/// The whole chain, and that it holds these points.
fn verify_chain(store: &Store, anchors: &[Anchor]) -> u64 {
    let mut verifier = Verifier::new(anchors);
    let mut from = 1;
    loop {
        let entries = store.journal_entries(from, 5_000).unwrap();
        entries
            .iter()
            .for_each(|entry| verifier.push(&entry.seen()));
        match entries.last() {
            Some(last) => from = last.seq + 1,
            None => return verifier.finish().unwrap().head.seq,
        }
    }
}

fn integrity(home: &Home) {
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    let problem: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(problem, "ok");
    for (sql, what) in [
        (
            "SELECT count(*) FROM pragma_foreign_key_check",
            "broken references",
        ),
        (
            "SELECT count(*) FROM memories m WHERE NOT EXISTS
               (SELECT 1 FROM memory_texts t WHERE t.memory = m.seq AND t.revision = m.revision)",
            "memories without a text",
        ),
        (
            "SELECT abs((SELECT count(*) FROM recall_docs) - (SELECT count(*) FROM memories
               WHERE lifecycle = 'active' AND do_not_inject_automatically = 0))",
            "rows more or less in the recall index than may be recalled",
        ),
        (
            "SELECT count(*) FROM memories m WHERE NOT EXISTS
               (SELECT 1 FROM journal j WHERE j.subject = m.id AND j.kind = 'memory_written')",
            "memories without an entry",
        ),
    ] {
        let count: i64 = conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 0, "{what}");
    }
}

#[test]
fn sto_03_sixteen_processes_write_and_read_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let project = with_project(&home);
    let each = env::var(LOAD).map_or(WRITES, |writes| writes.parse().unwrap());
    let begun = Instant::now();
    let children: Vec<Child> = (0..PROCESSES)
        .map(|_| spawn(&home, "write", each))
        .collect();
    let mut acknowledged = Vec::new();
    for child in children {
        let out = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{text}");
        let ids = text.lines().filter_map(|line| line.strip_prefix("ack "));
        acknowledged.extend(ids.map(str::to_owned));
    }
    let total = PROCESSES * each as usize;
    println!(
        "{total} writes of {PROCESSES} processes in {:?}",
        begun.elapsed()
    );
    assert_eq!(acknowledged.len(), total);
    let store = open(&home);
    for id in &acknowledged {
        store.find_memory(id).unwrap();
    }
    let held = store.project_holdings(&project.id).unwrap();
    assert_eq!(held.memories, total as u64);
    // One entry for the project, one for each memory, and none twice.
    let head = store.journal_head().unwrap();
    assert_eq!(verify_chain(&store, &[head]), total as u64 + 1);
    drop(store);
    integrity(&home);
}

/// Kills a reviewer at a random point; what it said.
fn killed_round(home: &Home) -> Vec<String> {
    let mut child = spawn(home, "review", 1_000);
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut heard = String::new();
    for _ in 0..u32::from_le_bytes(random()) % 40 {
        lines.read_line(&mut heard).unwrap();
    }
    // Not a wait for anything: the kill has to fall at a random point inside a transaction.
    let pause = u32::from_le_bytes(random()) % 6_000;
    std::thread::sleep(Duration::from_micros(u64::from(pause)));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it ended by itself: {heard}");
    lines.read_to_string(&mut heard).unwrap();
    // The last line may be torn: a whole one ends with the 64 digits of a hash.
    heard
        .lines()
        .filter_map(|line| line.strip_prefix("ack "))
        .filter(|line| line.rsplit(' ').next().is_some_and(|hash| hash.len() == 64))
        .map(str::to_owned)
        .collect()
}

fn anchor(seq: &str, hash: &str) -> Anchor {
    let mut head = [0; 32];
    for (at, byte) in head.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hash[at * 2..at * 2 + 2], 16).unwrap();
    }
    Anchor {
        seq: seq.parse().unwrap(),
        head,
    }
}

#[test]
fn sto_05_a_kill_at_any_point_leaves_the_chain_the_seals_and_what_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let project = with_project(&home);
    let rounds = env::var(KILLS).map_or(ROUNDS, |kills| kills.parse().unwrap());
    let (mut acknowledged, mut reviewed, mut looked_at) = (0, 0, None);
    for round in 0..rounds {
        let said = killed_round(&home);
        integrity(&home);
        let store = open(&home);
        let mut anchors = Vec::new();
        for line in &said {
            let words: Vec<&str> = line.split(' ').collect();
            let row = store.find_memory(words[0]).unwrap();
            let status: MemoryStatus = words[1].parse().unwrap();
            assert!(
                stage(row.status) >= stage(status),
                "round {round}: {line} is {} now",
                row.status
            );
            anchors.push(anchor(words[2], words[3]));
            acknowledged += 1;
            reviewed += u32::from(status != MemoryStatus::Pending);
        }
        verify_chain(&store, &anchors);
        looked_at = seals_hold(&store, looked_at);
        // The next writer goes on where the chain ended.
        let text = format!("round {round}");
        let one = NewMemory {
            id: memory_id(),
            ..new(draft(Scope::Project(project.id), &text, &text))
        };
        store.write_memory(one).unwrap();
    }
    println!("{rounds} kills, {acknowledged} acknowledged states, {reviewed} of them reviews");
    assert!(acknowledged > 100, "they were killed before they wrote");
    assert!(reviewed > 20, "they were killed before they reviewed");
}

/// How far the reviewer had got with a row: it goes this way only.
fn stage(status: MemoryStatus) -> u8 {
    match status {
        MemoryStatus::Pending => 0,
        MemoryStatus::Confirmed => 1,
        _ => 2,
    }
}

/// Every row that may instruct has a seal over its last entry: a kill never comes between the two.
/// Looks on from `after`, and answers with where it ended, so that a long run of rounds stays linear.
fn seals_hold(store: &Store, mut after: Option<MemoryCursor>) -> Option<MemoryCursor> {
    let home = store.home_id().unwrap();
    let public = SealKey::from_seed(SEED).public();
    loop {
        let rows = store.all_seal_facts(after).unwrap();
        for row in &rows {
            assert!(row.column_agrees);
            assert!(row.verifies(home, &public), "{}", row.memory);
        }
        match rows.last() {
            Some(last) => after = Some(last.place()),
            None => return after,
        }
    }
}
