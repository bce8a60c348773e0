//! XSL-12: the files of external slates. Writing a seed, opening and closing, looking for idle ones, with none and with
//! many closed slates on disk; beside each write, a bare write, fsync, rename and fsync of the folder in the same run.
//!
//! `cargo bench -p taffrail-store --bench slate_files`; `BENCH_DIR` says where (a file system that really syncs).
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A benchmark reads the clock, its place, and prints.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use taffrail_domain::{CloseTrigger, Millis};
use taffrail_redact::{Options, Redactor};
use taffrail_slate::external::{Anchors, ExternalId, Origin, Seed, Slate};
use taffrail_store::{Held, Home, Live, SlateCache, SlateFolder};

const NOW: Millis = Millis(1_800_000_000_000);
const HOUR: i64 = 3_600_000;
/// Characters of a seed's text.
const TEXT: usize = 400;
const TIMES: u32 = 400;

fn main() {
    let place = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(place).unwrap();
    for closed in [0, 1_000, 10_000] {
        let folder = folder(&dir.path().join(format!("closed-{closed}")));
        plant_closed(&folder, closed);
        println!("-- {closed} closed slates on disk");
        calls(&folder);
    }
    println!("-- one open slate");
    for seeds in [1, 50, 200] {
        puts(&folder(&dir.path().join(format!("seeds-{seeds}"))), seeds);
    }
    println!("-- looking for idle ones");
    for open in [1, 100, 500] {
        idle(&folder(&dir.path().join(format!("open-{open}"))), open);
    }
}

fn folder(root: &Path) -> SlateFolder {
    SlateFolder::new(&Home::at(root).unwrap(), None)
}

fn id(text: &str) -> ExternalId {
    text.parse().unwrap()
}

fn seed(number: u32) -> Seed {
    let mut random = [7; 16];
    random[..4].copy_from_slice(&number.to_be_bytes());
    let text = "a fact of use "
        .repeat(TEXT / 14 + 1)
        .chars()
        .take(TEXT)
        .collect::<String>();
    let text = Redactor::new(Options::default()).clean(&text);
    let origin = Origin {
        harness: Origin::MCP.to_owned(),
        client: None,
    };
    Seed::new(random, text, NOW, None, origin)
}

fn with_seeds(id: &ExternalId, seeds: u32) -> Slate {
    let mut slate = Slate::new(id, 1, Anchors::default(), NOW);
    (0..seeds).for_each(|number| slate.add(seed(number)).unwrap());
    slate
}

fn plant_closed(folder: &SlateFolder, count: u32) {
    drop(folder.lock(&id("first")).unwrap());
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    for number in 0..count {
        let name = format!("old{number}");
        let bytes = with_seeds(&id(&name), 3).bytes().unwrap();
        fs::write(closed.join(format!("{name}.1.json")), bytes).unwrap();
    }
    File::open(&closed).unwrap().sync_all().unwrap();
    rustix::fs::sync();
}

fn open(held: &Held<'_>) -> Slate {
    match held.read().unwrap() {
        Live::Open(slate) => slate,
        other => panic!("{other:?}"),
    }
}

/// A slate opened, given ten seeds, and closed, each call as a server does it: idle ones first, then the lock.
fn calls(folder: &SlateFolder) {
    let mut cache = SlateCache::default();
    let (mut opens, mut writes, mut closes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..TIMES / 10 {
        let id = id(&format!("s{round}"));
        opens.push(timed(|| {
            assert!(folder.idle(&mut cache, NOW, HOUR, &id).unwrap().is_empty());
            let held = folder.lock(&id).unwrap();
            assert_eq!(held.read().unwrap(), Live::None);
            held.create(&with_seeds(&id, 0)).unwrap();
        }));
        for number in 0..10 {
            let seed = seed(number);
            writes.push(timed(|| {
                folder.idle(&mut cache, NOW, HOUR, &id).unwrap();
                let held = folder.lock(&id).unwrap();
                let mut slate = open(&held);
                slate.add(seed).unwrap();
                held.put(&slate).unwrap();
            }));
        }
        closes.push(timed(|| {
            folder.idle(&mut cache, NOW, HOUR, &id).unwrap();
            let held = folder.lock(&id).unwrap();
            let mut slate = open(&held);
            slate.close(CloseTrigger::Close, NOW);
            held.put(&slate).unwrap();
            held.retire(&slate).unwrap();
        }));
    }
    say("open", opens);
    say("write a seed (1 to 10 there)", writes);
    say("close", closes);
}

fn puts(folder: &SlateFolder, seeds: u32) {
    let id = id("s1");
    let held = folder.lock(&id).unwrap();
    let slate = with_seeds(&id, seeds);
    held.create(&slate).unwrap();
    drop(held);
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    let bytes = slate.bytes().unwrap();
    let dir = File::open(folder.path()).unwrap();
    for _ in 0..TIMES {
        ours.push(timed(|| {
            let held = folder.lock(&id).unwrap();
            held.put(&open(&held)).unwrap();
        }));
        bare.push(timed(|| {
            let path = folder.path().join("bare");
            let mut file = File::create(&path).unwrap();
            file.write_all(&bytes).unwrap();
            file.sync_all().unwrap();
            fs::rename(&path, path.with_extension("there")).unwrap();
            dir.sync_all().unwrap();
        }));
    }
    say(
        &format!("lock, read, put of {seeds} seeds, {} bytes", bytes.len()),
        ours,
    );
    say("    a bare write of as many bytes", bare);
}

fn idle(folder: &SlateFolder, open: u32) {
    drop(folder.lock(&id("first")).unwrap());
    for number in 0..open {
        let name = format!("s{number}");
        let bytes = with_seeds(&id(&name), 10).bytes().unwrap();
        fs::write(folder.path().join(format!("{name}.json")), bytes).unwrap();
    }
    let nobody = id("nobody");
    let mut cache = SlateCache::default();
    let first = timed(|| drop(folder.idle(&mut cache, NOW, HOUR, &nobody).unwrap()));
    println!(
        "{:<48} {:>7.3} ms once",
        format!("{open} open, none known"),
        millis(first)
    );
    let known =
        (0..TIMES).map(|_| timed(|| drop(folder.idle(&mut cache, NOW, HOUR, &nobody).unwrap())));
    say(&format!("{open} open, all known"), known.collect());
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn say(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| millis(times[(times.len() - 1) * part / 100]);
    println!("{what:<48} {:>7.3} ms p50 {:>7.3} ms p95", at(50), at(95));
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
