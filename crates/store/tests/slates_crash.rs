//! XSL-14 with real processes: writers that are killed, holders that stand still.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as the process to kill.

mod slates_support;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use slates_support::process::{self, next, say, spawn};
use slates_support::{NOW, folder, home_in, id, open, seed, slate};
use taffrail_domain::CloseTrigger;
use taffrail_slate::external::{ExternalId, Slate};
use taffrail_store::{Home, Live, SlateFolder};

/// Sets another number of kills than [`ROUNDS`].
const KILLS: &str = "TAFFRAIL_SLATES_TEST_KILLS";
const ROUNDS: u32 = 120;

/// Not a test of its own: what the child processes do.
#[test]
fn child() {
    match process::task() {
        None => {}
        Some((folder, task)) if task == "work" => work(&folder),
        Some((folder, _)) => hold(&folder),
    }
}

fn random_below(limit: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % limit
}

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
