//! XSL-09, XSL-12 with real processes: many that close one generation, and one that is killed while it closes and binds.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the process to kill.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use support::memory::{project, random};
use support::seeds::{close, closing, external, proposals, workspace_id};
use support::{clean, home_in, open, patiently};
use taffrail_domain::{ProjectId, UnboundState, WorkspaceId};
use taffrail_memory::journal::Verifier;
use taffrail_store::{Closure, Home, Store, Whose};

const HOME: &str = "TAFFRAIL_STORE_TEST_HOME";
/// What the child does: `race` or `close`.
const TASK: &str = "TAFFRAIL_STORE_TEST_TASK";
/// Sets another number of kills than [`ROUNDS`].
const KILLS: &str = "TAFFRAIL_STORE_TEST_KILLS";
const ROUNDS: u32 = 40;
const PROCESSES: usize = 16;
const GENERATIONS: u32 = 20;

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    let Some(home) = env::var_os(HOME) else {
        return;
    };
    let store = open(&Home::at(home.as_ref()).unwrap());
    let project = store.project_by_name("harbour").unwrap().unwrap().id;
    let all = store.workspaces(&Whose::Project(project), false).unwrap();
    let workspace = all.first().unwrap().id;
    match env::var(TASK).unwrap().as_str() {
        "race" => race(&store, project, workspace),
        _ => close_on_and_on(&store, project, workspace),
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{text}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Closes the same generations as all the others, each with seeds of its own.
fn race(store: &Store, project: ProjectId, workspace: WorkspaceId) {
    let [mine] = random();
    for generation in 1..=GENERATIONS {
        let to = (mine % 2 == 0).then_some(workspace);
        let text = format!("Process {mine} says that ferry {generation} leaves at nine.");
        let made = patiently(|| {
            store.close_slate(closing(Some(project), "one", generation, to, &[&text]))
        });
        say(&format!("closed {generation} {}", outcome(&made)));
    }
}

fn outcome(made: &Closure) -> String {
    let proposals = made.proposals.iter().map(|one| one.id.short());
    let unbound = made.unbound.iter().map(|id| id.short());
    proposals.chain(unbound).collect::<Vec<_>>().join("+")
}

/// One bound slate and one that is bound later, over and over; each said once the store has acknowledged it.
fn close_on_and_on(store: &Store, project: ProjectId, workspace: WorkspaceId) {
    loop {
        let mine = u64::from_le_bytes(random());
        let texts: Vec<String> = (0..3)
            .map(|at| format!("{mine} says that ferry {at} leaves."))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (bound, later) = (format!("b-{mine}"), format!("u-{mine}"));
        let to = Some(workspace);
        close(store, closing(Some(project), &bound, 1, to, &texts));
        say(&format!("closed {bound}"));
        let made = close(store, closing(Some(project), &later, 1, None, &texts));
        say(&format!("closed {later}"));
        let seeds = proposals(Some(project), &later, &texts);
        let unbound = made.unbound.unwrap();
        store.bind_unbound(&unbound, &workspace, seeds).unwrap();
        say(&format!("bound {later}"));
    }
}

fn spawn(home: &Home, task: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .env(TASK, task)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn prepared(home: &Home) -> ProjectId {
    let store = open(home);
    let project = project(&store, "harbour", "/harbour").id;
    let title = clean("the ferry");
    let made = store.create_workspace(workspace_id(), Some(&project), &title);
    made.unwrap();
    project
}

/// Nothing points at nothing, and the journal's chain holds.
fn is_whole(home: &Home, store: &Store) {
    let conn = Connection::open(home.db()).unwrap();
    let dangling = "SELECT count(*) FROM pragma_foreign_key_check";
    let dangling: i64 = conn.query_row(dangling, [], |row| row.get(0)).unwrap();
    // A closure with seeds has an outcome, and one only.
    let without = "SELECT count(*) FROM slate_closures c WHERE
        (SELECT count(*) FROM proposals WHERE closure = c.seq)
        + (SELECT count(*) FROM unbound_candidates WHERE closure = c.seq AND state <> 'bound') <> 1";
    let without: i64 = conn.query_row(without, [], |row| row.get(0)).unwrap();
    assert_eq!((dangling, without), (0, 0));
    let mut verifier = Verifier::new(&[]);
    let mut from = 1;
    loop {
        let entries = store.journal_entries(from, 10_000).unwrap();
        let Some(last) = entries.last() else { break };
        from = last.seq + 1;
        entries
            .iter()
            .for_each(|entry| verifier.push(&entry.seen()));
    }
    verifier.finish().unwrap();
}

#[test]
fn xsl_09_sixteen_processes_that_close_the_same_generations_get_one_answer_each() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let project = prepared(&home);
    let children: Vec<Child> = (0..PROCESSES).map(|_| spawn(&home, "race")).collect();
    let mut answers: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let mut given = 0;
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success());
        for line in String::from_utf8(done.stdout).unwrap().lines() {
            let Some((generation, outcome)) = line
                .strip_prefix("closed ")
                .and_then(|line| line.split_once(' '))
            else {
                continue;
            };
            let of = answers.entry(generation.parse().unwrap()).or_default();
            of.insert(outcome.to_owned());
            given += 1;
        }
    }
    assert_eq!(given, PROCESSES * GENERATIONS as usize);
    assert!(answers.values().all(|of| of.len() == 1), "{answers:?}");
    let store = open(&home);
    for (generation, outcomes) in &answers {
        let found = store.closure_of(Some(&project), &external("one"), *generation);
        assert_eq!(Some(&outcome(&found.unwrap().unwrap())), outcomes.first());
    }
    is_whole(&home, &store);
}

/// Kills a process after some lines of its, and answers what it said.
fn kill_after(mut child: Child, lines: usize) -> Vec<String> {
    let out = BufReader::new(child.stdout.take().unwrap());
    let mut said = Vec::new();
    let mut out = out.lines().map_while(Result::ok);
    let is_said = |line: &String| line.starts_with("closed ") || line.starts_with("bound ");
    while said.len() < lines {
        said.extend(out.next().filter(is_said));
    }
    // Not a wait for anything: the kill has to fall at a random point inside a transaction.
    let pause = u32::from_le_bytes(random()) % 6_000;
    std::thread::sleep(Duration::from_micros(u64::from(pause)));
    child.kill().unwrap();
    // What it said before it died counts too.
    said.extend(out.filter(is_said));
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    said
}

#[test]
fn xsl_14_kills_between_any_two_steps_leave_whole_outcomes_and_lose_none_that_was_acknowledged() {
    let rounds = env::var(KILLS).map_or(ROUNDS, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let project = prepared(&home);
    for round in 0..rounds {
        let [lines] = random::<1>();
        let said = kill_after(spawn(&home, "close"), usize::from(lines % 12) + 1);
        let store = open(&home);
        for line in &said {
            let (done, id) = line.split_once(' ').unwrap();
            let found = store.newest_closure(Some(&project), &external(id));
            let found = found.unwrap().unwrap();
            if done == "bound" || id.starts_with("b-") {
                assert_eq!(found.proposals[0].candidates, 3, "{round}: {line}");
            } else {
                let row = store.find_unbound(&found.unbound.unwrap().short()).unwrap();
                let is_kept = row.state == UnboundState::Bound || row.seeds.contains("ferry 2");
                assert!(is_kept, "{round}: {line}");
            }
        }
        is_whole(&home, &store);
    }
}
