//! REC-11, writing: memories in batches, and one by one beside a bare append and fsync of as many bytes in the same run.
//!
//! `cargo bench -p taffrail-store --bench writes`; `BENCH_DIR` says where (a file system that really syncs).
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A benchmark reads the clock, its place, and prints.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taffrail_domain::{Channel, Clock, MemoryId, MemoryType, Millis};
use taffrail_memory::draft::{Draft, Scope, screen};
use taffrail_redact::{Options, Redactor};
use taffrail_store::{Home, NewMemory, Store};

const BATCHED: u32 = 20_000;
const SINGLE: u32 = 2_000;

struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

fn main() {
    let place = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(place).unwrap();
    batched(dir.path());
    one_by_one(dir.path());
}

fn batched(dir: &Path) {
    let store = open(&dir.join("batched"));
    let rows: Vec<NewMemory> = (0..BATCHED).map(row).collect();
    let begun = Instant::now();
    store.write_memories(rows).unwrap();
    store.settle_recall().unwrap();
    let rate = f64::from(BATCHED) / begun.elapsed().as_secs_f64();
    println!("batched, screened before: {rate:.0} rows a second, with the index");
}

fn one_by_one(dir: &Path) {
    let store = open(&dir.join("single"));
    // The first of a home also makes its id and grows the files.
    for at in 0..100 {
        store.write_memory(row(at)).unwrap();
    }
    let mut bare = File::create(dir.join("bare")).unwrap();
    let (mut ours, mut theirs, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for at in 100..100 + SINGLE {
        let new = row(at);
        let before = bytes_written();
        let begun = Instant::now();
        store.write_memory(new).unwrap();
        ours.push(begun.elapsed());
        written.push(bytes_written() - before);
        let usual = median(&mut written.clone());
        let block = vec![7_u8; usize::try_from(usual).unwrap()];
        let begun = Instant::now();
        bare.write_all(&block).unwrap();
        bare.sync_data().unwrap();
        theirs.push(begun.elapsed());
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let bytes = median(&mut written);
    println!(
        "one by one: {ours:?} at the median, {bytes} bytes; bare append and fsync of as many {theirs:?}; ratio {:.2}",
        ratio(ours, theirs)
    );
}

fn open(root: &Path) -> Store {
    Store::open(&Home::at(root).unwrap(), Arc::new(Still)).unwrap()
}

fn row(at: u32) -> NewMemory {
    let word = |at: u32| format!("word{}", at.wrapping_mul(2_654_435_761) % 5_000);
    let words: Vec<String> = (0..30).map(|place| word(at * 31 + place)).collect();
    let text = format!("Fact {at}. {}.", words.join(" "));
    let mut draft = Draft::new(Scope::Personal, MemoryType::Lesson, text, Channel::Import);
    draft.source.runtime = format!("bench-{at}");
    let mut random = [0; 10];
    random[..4].copy_from_slice(&at.to_be_bytes());
    random[6..].copy_from_slice(&at.wrapping_mul(2_654_435_761).to_be_bytes());
    NewMemory {
        draft: screen(draft, &Redactor::new(Options::default())).unwrap(),
        id: MemoryId::new(1_800_000_000_000, random),
        salt: [7; 16],
    }
}

/// What this process has handed to the kernel so far.
fn bytes_written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.unwrap().parse().unwrap()
}

fn median<T: Ord + Copy>(values: &mut [T]) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}
