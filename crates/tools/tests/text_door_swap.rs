//! Somebody swaps a folder and a symlink, and a file and a symlink, while an agent reads and writes through the door
//! (CNF-01; S7, S35).
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::RenameFlags;
use support::{Ground, SECRET};
use taffrail_tools::{DoorError, DoorOptions, TextDoor};

/// Swaps while the door is used.
const FLIPS: u64 = 100_000;
/// Tries after which a twin gives up.
const TRIES: u64 = 20_000_000;

const PAIRS: [(&str, &str); 2] = [("way", "way-link"), ("end", "end-link")];

fn ground() -> Ground {
    let ground = Ground::new();
    ground.write("way/secret", "inside");
    ground.link("../outside", "way-link");
    ground.write("end", "inside");
    ground.link("../outside/secret", "end-link");
    ground
}

/// Stops the flipper also when `work` fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn flip(root: &Path, stop: &AtomicBool, flips: &AtomicU64) {
    let root = File::open(root).unwrap();
    while !stop.load(Ordering::Relaxed) {
        for (one, other) in PAIRS {
            rustix::fs::renameat_with(&root, one, &root, other, RenameFlags::EXCHANGE).unwrap();
        }
        flips.fetch_add(PAIRS.len() as u64, Ordering::Relaxed);
    }
}

fn beside_flipper(ground: &Ground, mut work: impl FnMut(u64) -> bool) {
    let (stop, flips) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| flip(&ground.root, &stop, &flips));
        let _stop = StopAtEnd(&stop);
        while !work(flips.load(Ordering::Relaxed)) {}
    });
}

fn door(ground: &Ground) -> TextDoor {
    let options = DoorOptions {
        may_write: true,
        ..DoorOptions::default()
    };
    TextDoor::open(&ground.root, options).unwrap()
}

fn assert_outside_is_as_it_was(ground: &Ground) {
    let names = |path: &Path| {
        let entries = std::fs::read_dir(path).unwrap();
        let mut names: Vec<_> = entries.map(|one| one.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&ground.outside), ["dir", "secret"]);
    assert_eq!(names(&ground.outside.join("dir")), ["secret"]);
    for path in ["secret", "dir/secret"] {
        let held = std::fs::read_to_string(ground.outside.join(path));
        assert_eq!(held.unwrap(), SECRET);
    }
}

/// Of one way through the door: how often it was open, and how often not.
#[derive(Default)]
struct Seen(u64, u64);

impl Seen {
    fn note<T>(&mut self, came: &Result<T, DoorError>) {
        match came {
            Ok(_) => self.0 += 1,
            Err(error) => {
                let word = error.word();
                // `missing` where the name went between a step and the look at its letters.
                assert!(["symlink", "missing", "unfit"].contains(&word), "{error:?}");
                self.1 += 1;
            }
        }
    }
}

#[test]
fn cnf_01_s7_s35_a_swapper_gets_no_byte_outside() {
    let ground = ground();
    let door = door(&ground);
    let (mut reads, mut writes) = (Seen::default(), Seen::default());
    let absolute = ground.root.join("way/secret");
    beside_flipper(&ground, |flips| {
        for path in [Path::new("way/secret"), Path::new("end"), &absolute] {
            let came = door.read(path, None, None);
            if let Ok(text) = &came {
                assert_eq!(text, "inside", "{path:?}");
            }
            reads.note(&came);
        }
        for path in ["way/secret", "way/new", "way/deep/er", "end"] {
            writes.note(&door.write(Path::new(path), "inside"));
        }
        flips >= FLIPS
    });
    for (way, Seen(ok, refused)) in [("read", reads), ("write", writes)] {
        assert!(ok > 0 && refused > 0, "{way}: {ok} {refused}");
    }
    assert_outside_is_as_it_was(&ground);
}

/// The twins: a door that makes the path real, tests it and opens it.
#[test]
fn cnf_01_s7_twin_a_tested_path_is_read_outside() {
    let ground = ground();
    let path = ground.root.join("way/secret");
    let (mut tries, mut leaked) = (0, false);
    beside_flipper(&ground, |_| {
        let tested = path
            .canonicalize()
            .is_ok_and(|real| real.starts_with(&ground.root));
        leaked = tested && std::fs::read_to_string(&path).is_ok_and(|text| text == SECRET);
        tries += 1;
        leaked || tries >= TRIES
    });
    assert!(leaked, "not once in {tries} tries");
}

#[test]
fn cnf_01_s35_twin_a_tested_path_is_written_outside() {
    let ground = ground();
    let path = ground.root.join("way/secret");
    let secret = ground.outside.join("secret");
    let (mut tries, mut planted) = (0, false);
    beside_flipper(&ground, |_| {
        let tested = path
            .canonicalize()
            .is_ok_and(|real| real.starts_with(&ground.root));
        if tested {
            std::fs::write(&path, "planted").ok();
        }
        planted = std::fs::read_to_string(&secret).is_ok_and(|text| text == "planted");
        tries += 1;
        planted || tries >= TRIES
    });
    assert!(planted, "not once in {tries} tries");
}
