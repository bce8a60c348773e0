//! XSL-05, XSL-09, XSL-14 with real processes: many that race for one id, writers that are killed, holders that stand still.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the processes to race and to kill.

mod slates_support;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use slates_support::{NOW, folder, home_in, id, live, open, seed, slate};
use taffrail_domain::CloseTrigger;
use taffrail_slate::external::{ExternalId, Slate};
use taffrail_store::{Home, Live, SlateFolder};

const HOME: &str = "TAFFRAIL_SLATES_TEST_HOME";
const TASK: &str = "TAFFRAIL_SLATES_TEST_TASK";
/// Sets another number of kills than [`ROUNDS`].
const KILLS: &str = "TAFFRAIL_SLATES_TEST_KILLS";
const ROUNDS: u32 = 120;

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    let Some(home) = env::var_os(HOME) else {
        return;
    };
    let folder = folder(&Home::at(home.as_ref()).unwrap());
    match env::var(TASK).unwrap().as_str() {
        "work" => work(&folder),
        "hold" => hold(&folder),
        "create twice over" => race(&folder, create_unguarded),
        racer => race(&folder, |folder, id| race_step(folder, id, racer)),
    }
}

fn spawn(home: &Home, task: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .env(TASK, task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn random_below(limit: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % limit
}

// --- racing ---

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

/// The rest of the next line that begins so.
fn next(lines: &mut BufReader<ChildStdout>, begins: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(
            lines.read_line(&mut line).unwrap() > 0,
            "it ended before it said {begins}"
        );
        if let Some(rest) = line.trim_end().strip_prefix(begins) {
            return rest.to_owned();
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

// --- killing ---

/// Opens, writes and closes one id after the other until it is killed; says each step once it has been acknowledged.
fn work(folder: &SlateFolder) {
    const IDS: u64 = 3;
    loop {
        let name = format!("Agent{}", random_below(IDS));
        let id = id(&name);
        let held = folder.lock(&id).unwrap();
        let mut slate = match held.read().unwrap() {
            Live::Open(slate) => slate,
            Live::Closed(slate) => {
                held.retire(&slate).unwrap();
                continue;
            }
            Live::None => {
                let mut slate = slate(&id, "");
                slate.generation = next_generation(folder, &id);
                held.create(&slate).unwrap();
                say(&format!("ack open {name} {}", slate.generation));
                continue;
            }
            Live::Malformed { why } => panic!("{why}"),
        };
        let generation = slate.generation;
        if slate.seeds().len() > 4 {
            slate.close(CloseTrigger::Close, NOW);
            held.put(&slate).unwrap();
            held.retire(&slate).unwrap();
            say(&format!("ack close {name} {generation}"));
            continue;
        }
        let seed = seed(&"a text of some length ".repeat(100), NOW);
        let told = format!("ack seed {name} {generation} {}", seed.id);
        slate.add(seed).unwrap();
        held.put(&slate).unwrap();
        say(&told);
    }
}

/// As the database knows it in the program; here from the names of the closed ones.
fn next_generation(folder: &SlateFolder, id: &ExternalId) -> u32 {
    let begins = format!("{}.", id.file_stem());
    let names = fs::read_dir(folder.path().join("closed"))
        .into_iter()
        .flatten();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let generations = names.filter_map(|name| {
        name.strip_prefix(&begins)?
            .strip_suffix(".json")?
            .parse()
            .ok()
    });
    generations.max().unwrap_or(0_u32) + 1
}

/// An id, and which opening of it.
type Generation = (String, u32);

#[derive(Debug, Default)]
struct Told {
    seeds: Vec<(String, u32, String)>,
    opened: Vec<Generation>,
    closed: Vec<Generation>,
}

/// Kills the writer at a random point; what it had acknowledged.
fn killed_round(home: &Home) -> Told {
    let mut child = spawn(home, "work");
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut heard = String::new();
    for _ in 0..1 + random_below(60) {
        lines.read_line(&mut heard).unwrap();
    }
    // Not a wait for anything: the kill has to fall at a random point inside a call.
    std::thread::sleep(Duration::from_micros(random_below(3_000)));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    lines.read_to_string(&mut heard).unwrap();
    assert_eq!(status.signal(), Some(9), "it ended by itself: {heard}");
    let mut told = Told::default();
    // The last line may be torn; only whole ones count.
    let whole = heard.rsplit_once('\n').map_or("", |(whole, _)| whole);
    for line in whole.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let of = |name: &&str, generation: &&str| ((*name).to_owned(), generation.parse().unwrap());
        match words.as_slice() {
            ["ack", "seed", name, generation, seed] => {
                let (name, generation) = of(name, generation);
                told.seeds.push((name, generation, (*seed).to_owned()));
            }
            ["ack", "open", name, generation] => told.opened.push(of(name, generation)),
            ["ack", "close", name, generation] => told.closed.push(of(name, generation)),
            _ => {}
        }
    }
    told
}

/// What lies on disk. Each file was whole when it was seen first; one in `closed/` is not read a second time.
#[derive(Default)]
struct Disk {
    /// Where every seed lies, by its id.
    seeds: BTreeMap<String, Generation>,
    closed: BTreeSet<Generation>,
    read: BTreeMap<PathBuf, Slate>,
}

impl Disk {
    fn look(&mut self, folder: &SlateFolder) {
        (self.seeds, self.closed) = Default::default();
        for below in [folder.path().to_owned(), folder.path().join("closed")] {
            let is_closed = below.ends_with("closed");
            for entry in fs::read_dir(&below).into_iter().flatten() {
                self.add(&entry.unwrap().path(), is_closed);
            }
        }
    }

    fn add(&mut self, path: &Path, is_closed: bool) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".json") else {
            return;
        };
        let stem = if is_closed {
            name.rsplit_once('.').unwrap().0
        } else {
            name
        };
        let id = ExternalId::from_file_stem(stem).unwrap();
        let known = self.read.remove(path).filter(|_| is_closed);
        let slate = known.unwrap_or_else(|| {
            let slate = Slate::read(&fs::read(path).unwrap(), &id);
            slate.unwrap_or_else(|why| panic!("{} is torn: {why}", path.display()))
        });
        let of = (id.to_string(), slate.generation);
        for seed in slate.seeds() {
            let before = self.seeds.insert(seed.id.clone(), of.clone());
            assert_eq!(before, None, "a seed lies in two places");
        }
        if is_closed {
            assert!(slate.closed_at.is_some());
            assert!(self.closed.insert(of), "two outcomes");
        }
        self.read.insert(path.to_owned(), slate);
    }
}

#[test]
fn xsl_14_kill_at_any_point_tears_no_file_and_loses_no_acknowledged_seed() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let folder = folder(&home).with_patience(Duration::ZERO);
    let rounds = env::var(KILLS).map_or(ROUNDS, |kills| kills.parse().unwrap());
    let (mut seeds, mut closes, mut temporaries, mut half_closed) = (BTreeMap::new(), 0, 0, 0);
    let mut disk = Disk::default();
    for round in 0..rounds {
        let told = killed_round(&home);
        disk.look(&folder);
        for (name, generation, seed) in told.seeds {
            seeds.insert(seed, (name, generation));
        }
        for (seed, of) in &seeds {
            assert_eq!(
                disk.seeds.get(seed),
                Some(of),
                "round {round}: {seed} was acknowledged"
            );
        }
        for of in &told.closed {
            assert!(disk.closed.contains(of), "round {round}: {of:?} was closed");
        }
        for (name, generation) in &told.opened {
            let is_live = folder
                .path()
                .join(format!("{}.json", id(name).file_stem()))
                .exists();
            assert!(
                is_live || disk.closed.contains(&(name.clone(), *generation)),
                "round {round}: {name}"
            );
        }
        closes += told.closed.len();
        let survey = folder.survey().unwrap();
        temporaries += survey.temporaries.len();
        half_closed += survey.closed_left;
        assert_eq!(survey.malformed, [], "round {round}");
        // Nobody has to wait for who was killed: with no patience at all, every lock is there.
        for number in 0..3 {
            drop(folder.lock(&id(&format!("Agent{number}"))).unwrap());
        }
        folder.sweep().unwrap();
    }
    println!(
        "{rounds} kills, {} acknowledged seeds, {closes} closes, {temporaries} temporaries left, {half_closed} half closed",
        seeds.len()
    );
    assert!(
        seeds.len() > 100,
        "the writers were killed before they wrote"
    );
    assert!(temporaries > 0, "no kill fell inside a write");
}

// --- standing still ---

/// Takes the lock of an id, says so, and keeps it until it is killed.
fn hold(folder: &SlateFolder) {
    let held = folder.lock(&id("held")).unwrap();
    say("answer held");
    let mut nothing = String::new();
    std::io::stdin().read_line(&mut nothing).unwrap();
    drop(held);
}

#[test]
fn a_stopped_holder_blocks_its_stripe_alone_and_a_killed_one_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let folder = folder(&home).with_patience(Duration::from_millis(20));
    open(&folder, &id("held"), "");
    let mut child = spawn(&home, "hold");
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    next(&mut lines, "answer held");
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    let mut blocked = 0;
    let begun = Instant::now();
    for number in 0..200 {
        match folder.lock(&id(&format!("s{number}"))) {
            Ok(held) => assert_eq!(held.read().unwrap(), Live::None),
            Err(error) => {
                assert!(
                    matches!(error, taffrail_store::StoreError::Busy { .. }),
                    "{error}"
                );
                blocked += 1;
            }
        }
    }
    // One in 64, in the mean three of 200; what is blocked waited no longer than its patience.
    assert!(
        blocked < 20,
        "{blocked} of 200 were blocked in {:?}",
        begun.elapsed()
    );
    assert!(folder.lock(&id("held")).is_err());
    assert!(folder.try_lock_stem("held").unwrap().is_none());
    // Reclaim passes over it; it still sees it.
    let late = taffrail_domain::Millis(NOW.0 + 10);
    let idle = folder.idle(
        &mut taffrail_store::SlateCache::default(),
        late,
        1,
        &id("s1"),
    );
    assert_eq!(idle.unwrap(), ["held"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        folder
            .with_patience(Duration::ZERO)
            .lock(&id("held"))
            .is_ok()
    );
}
