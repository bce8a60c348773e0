//! XSL-05, XSL-09 with real processes: many that race to open or to close one id.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the processes that race.

mod slates_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Instant;

use slates_support::process::{self, next, say, spawn};
use slates_support::{NOW, folder, home_in, id, live, open, slate};
use taffrail_domain::CloseTrigger;
use taffrail_slate::external::{ExternalId, Slate};
use taffrail_store::{Home, Live, SlateFolder};

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    match process::task() {
        None => {}
        Some((folder, task)) if task == "create twice over" => race(&folder, create_unguarded),
        Some((folder, task)) => race(&folder, |folder, id| race_step(folder, id, &task)),
    }
}

/// For each id that comes in, does the step and says what came of it.
fn race(folder: &SlateFolder, step: impl Fn(&SlateFolder, &ExternalId) -> String) {
    say("ready");
    for line in std::io::stdin().lock().lines() {
        let answer = step(folder, &id(line.unwrap().trim()));
        say(&format!("answer {answer}"));
    }
}

/// Opens, or closes what is open: the answer is what anybody else must be answered too.
fn race_step(folder: &SlateFolder, id: &ExternalId, racer: &str) -> String {
    let note = format!("{racer} {}", std::process::id());
    if racer == "open" {
        let slate = open(folder, id, &note);
        return slate.anchors.note().unwrap().to_owned();
    }
    let held = folder.lock(id).unwrap();
    match held.read().unwrap() {
        Live::Open(mut slate) => {
            slate.close(CloseTrigger::Close, NOW);
            held.put(&slate).unwrap();
            held.retire(&slate).unwrap();
            "closed it".to_owned()
        }
        Live::None => "was closed".to_owned(),
        other => panic!("{other:?}"),
    }
}

/// The same without a lock: looks, and writes what it did not find.
fn create_unguarded(folder: &SlateFolder, id: &ExternalId) -> String {
    let path = live(folder, id);
    let note = |slate: &Slate| slate.anchors.note().unwrap().to_owned();
    if let Ok(bytes) = fs::read(&path) {
        return note(&Slate::read(&bytes, id).unwrap());
    }
    let slate = slate(id, &format!("{}", std::process::id()));
    fs::create_dir_all(folder.path()).unwrap();
    let own = path.with_extension(format!("{}", std::process::id()));
    fs::write(&own, slate.bytes().unwrap()).unwrap();
    fs::rename(own, path).unwrap();
    note(&slate)
}

struct Racers(Vec<(Child, ChildStdin, BufReader<ChildStdout>)>);

impl Racers {
    fn start(home: &Home, tasks: &[&str]) -> Self {
        let mut racers: Vec<_> = tasks
            .iter()
            .map(|task| {
                let mut child = spawn(home, task);
                let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
                (child, stdin, BufReader::new(stdout))
            })
            .collect();
        for (_, _, lines) in &mut racers {
            next(lines, "ready");
        }
        Self(racers)
    }

    /// Sends all of them at once to these ids, one after the other; what each answers, by id.
    fn race(&mut self, ids: &[String]) -> Vec<Vec<String>> {
        let ids_of_all = ids.join("\n") + "\n";
        for (_, stdin, _) in &mut self.0 {
            stdin.write_all(ids_of_all.as_bytes()).unwrap();
        }
        let mut answers = vec![Vec::new(); ids.len()];
        for (_, _, lines) in &mut self.0 {
            for of_id in &mut answers {
                of_id.push(next(lines, "answer "));
            }
        }
        answers
    }

    fn stop(self) {
        for (mut child, stdin, lines) in self.0 {
            drop(stdin);
            drop(lines);
            child.kill().ok();
            child.wait().unwrap();
        }
    }
}

#[test]
fn xsl_05_sixteen_processes_that_open_one_id_get_one_answer() {
    const PROCESSES: usize = 16;
    /// One start for so many: they keep together, since each waits for the others at every id.
    const BATCH: u32 = 10;
    let rounds: u32 = 1_000;
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let begun = Instant::now();
    let mut racers = Racers::start(&home, &["open"; PROCESSES]);
    let mut winners = BTreeMap::new();
    for batch in 0..rounds / BATCH {
        let names: Vec<String> = (0..BATCH).map(|at| format!("s{batch}-{at}")).collect();
        for (name, answers) in names.iter().zip(racers.race(&names)) {
            let answers: BTreeSet<String> = answers.into_iter().collect();
            assert_eq!(answers.len(), 1, "{name}: {answers:?}");
            *winners.entry(answers.first().unwrap().clone()).or_insert(0) += 1;
            // The most open ones that there may be is another test's.
            fs::remove_file(live(&folder(&home), &id(name))).unwrap();
        }
    }
    racers.stop();
    println!(
        "{rounds} rounds of {PROCESSES} in {:?}; won: {winners:?}",
        begun.elapsed()
    );
    assert!(
        winners.len() > 2,
        "the same one was always first: {winners:?}"
    );
    let left = folder(&home).survey().unwrap();
    assert_eq!(left, taffrail_store::Survey::default());
}

#[test]
fn without_the_lock_racing_processes_get_different_answers() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let mut racers = Racers::start(&home, &["create twice over"; 16]);
    let mut torn = 0;
    for round in 0..300 {
        let answers = racers.race(&[format!("s{round}")]).concat();
        torn += u32::from(BTreeSet::from_iter(answers).len() > 1);
    }
    racers.stop();
    assert!(torn > 0, "the test above could not fail");
}

#[test]
fn xsl_09_racing_closes_leave_one_outcome_and_openers_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let mut racers = Racers::start(&home, &["close"; 8]);
    let folder = folder(&home);
    for round in 0..100 {
        let name = format!("s{round}");
        open(&folder, &id(&name), "the one");
        let answers = racers.race(std::slice::from_ref(&name)).concat();
        let closers = answers
            .iter()
            .filter(|answer| *answer == "closed it")
            .count();
        assert_eq!(closers, 1, "round {round}: {answers:?}");
        assert!(!live(&folder, &id(&name)).exists());
    }
    racers.stop();
    let closed = fs::read_dir(folder.path().join("closed")).unwrap().count();
    assert_eq!(closed, 100);
}
