//! Somebody swaps a folder and a symlink, and a file and a symlink, while the tools read (CNF-01).
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::RenameFlags;
use support::{Ground, SECRET, list, read, search, word};
use taffrail_tools::{Match, ProjectFiles};

/// Swaps while the tools read.
const FLIPS: u64 = 100_000;
/// Tries after which the twin gives up.
const TRIES: u64 = 20_000_000;

fn ground() -> Ground {
    let ground = Ground::new();
    ground.write("way/secret", "inside");
    ground.link("../outside", "way-link");
    ground.write("end", "inside");
    ground.link("../outside/secret", "end-link");
    // A home that stands in the place of a folder every other moment.
    ground.write("state/inner/secret", SECRET);
    ground.write("plain/inner/secret", "inside");
    ground
}

const PAIRS: [(&str, &str); 3] = [("way", "way-link"), ("end", "end-link"), ("state", "plain")];

fn flip(root: &Path, stop: &AtomicBool, flips: &AtomicU64) {
    let root = File::open(root).unwrap();
    while !stop.load(Ordering::Relaxed) {
        for (one, other) in PAIRS {
            rustix::fs::renameat_with(&root, one, &root, other, RenameFlags::EXCHANGE).unwrap();
        }
        flips.fetch_add(PAIRS.len() as u64, Ordering::Relaxed);
    }
}

/// Stops the flipper also when `work` fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
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

#[test]
fn cnf_01_cnf_02_a_swapper_gets_no_byte_outside() {
    let ground = ground();
    // The flipper moves the home about: it is named by a handle, which leads to it wherever it is.
    let home = File::open(ground.root.join("state")).unwrap();
    let named = format!("/proc/self/fd/{}", home.as_raw_fd());
    let files = ProjectFiles::open(&ground.root, &[named.into()]).unwrap();
    let (mut ok, mut refused) = (0_u64, 0_u64);
    beside_flipper(&ground, |flips| {
        for path in ["way/secret", "end", "plain/inner/secret"] {
            match read(&files, path) {
                Ok(text) => {
                    assert_eq!(text.content, "inside", "{path}");
                    ok += 1;
                }
                other => {
                    assert!(["refused", "unfit"].contains(&word(&other)), "{other:?}");
                    refused += 1;
                }
            }
        }
        let listed = list(&files, Some("way"));
        assert!(listed.is_err() || listed.unwrap().files == ["way/secret"]);
        for path in [Some("way"), Some("state"), None] {
            let found = search(&files, "side", path).map(|found| found.matches);
            let clean = |one: &Match| one.text == "inside";
            assert!(found.is_err() || found.unwrap().iter().all(clean));
        }
        flips >= FLIPS
    });
    assert!(ok > 0 && refused > 0, "{ok} {refused}");
}

/// The twin: a reader that makes the path real, tests it and opens it.
#[test]
fn cnf_01_s7_twin_a_tested_path_leaks() {
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
