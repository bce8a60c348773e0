//! Somebody swaps a folder and a symlink, and a file and a symlink, while we work beneath the root (S7).
#![cfg(target_os = "linux")]

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::RenameFlags;

use super::super::*;
use super::{Ground, SECRET, at, word};

/// Swaps in one test of one way of opening.
const FLIPS: u64 = 100_000;
/// Tries after which the twin gives up.
const TRIES: u64 = 20_000_000;

/// `way` is a folder and `link` a symlink to the folder outside, or the reverse; likewise `end` and its partner.
fn ground() -> Ground {
    let ground = Ground::new();
    let path = |name: &str| ground.root.join(name);
    std::fs::create_dir(path("way")).unwrap();
    std::fs::write(path("way/secret"), b"inside").unwrap();
    symlink("../outside", path("way-link")).unwrap();
    std::fs::write(path("end"), b"inside").unwrap();
    symlink("../outside/secret", path("end-link")).unwrap();
    ground
}

struct Flipper<'a> {
    root: &'a Path,
    stop: AtomicBool,
    flips: AtomicU64,
}

impl Flipper<'_> {
    fn flip(&self) {
        let root = File::open(self.root).unwrap();
        while !self.stop.load(Ordering::Relaxed) {
            for (one, other) in [("way", "way-link"), ("end", "end-link")] {
                // What is replaced or removed by the other side is not there to be swapped for a moment.
                rustix::fs::renameat_with(&root, one, &root, other, RenameFlags::EXCHANGE).ok();
            }
            self.flips.fetch_add(2, Ordering::Relaxed);
        }
    }
}

/// Stops the flipper also when `work` fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` again and again beside the flipper until it says that it is done; gives back the swaps made.
fn beside_flipper(ground: &Ground, mut work: impl FnMut(u64) -> bool) -> u64 {
    let flipper = Flipper {
        root: &ground.root,
        stop: AtomicBool::new(false),
        flips: AtomicU64::new(0),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| flipper.flip());
        let _stop = StopAtEnd(&flipper.stop);
        while !work(flipper.flips.load(Ordering::Relaxed)) {}
    });
    flipper.flips.into_inner()
}

/// What one door answered over a whole test.
#[derive(Default)]
struct Seen {
    ok: u64,
    refused: u64,
}

impl Seen {
    fn note(&mut self, came: Result<(), FsError>) {
        match came {
            Ok(()) => self.ok += 1,
            Err(error) => {
                // Whether `way` is a link now or `end` has just been replaced: never anything else.
                assert!(
                    ["symlink", "absent", "exists"].contains(&word(&error)),
                    "{error:?}"
                );
                self.refused += 1;
            }
        }
    }
}

fn read(root: &Root, path: &str) -> Result<(), FsError> {
    let bytes = root.read(&at(path), 100)?;
    assert_eq!(bytes, b"inside", "read from outside");
    Ok(())
}

#[test]
fn cnf_01_s7_a_swapper_gets_no_byte_outside() {
    for walk in 0..2 {
        let ground = ground();
        let root = ground.both().remove(walk);
        let (mut reads, mut writes, mut lists) =
            (Seen::default(), Seen::default(), Seen::default());
        let flips = beside_flipper(&ground, |flips| {
            reads.note(read(&root, "way/secret"));
            reads.note(read(&root, "end"));
            writes.note(root.replace(&at("way/secret"), b"inside", 0o600));
            writes.note(root.write_new(&at("way/new"), b"inside", 0o600));
            writes.note(root.remove_file(&at("way/new")));
            writes.note(root.create_dirs(&at("way/deep/er"), 0o700));
            writes.note(root.remove_tree(&at("way/deep")));
            lists.note(root.entries(Some(&at("way"))).map(|entries| {
                assert!(
                    entries.iter().all(|entry| entry.name != b"dir"),
                    "listed outside"
                );
            }));
            flips >= FLIPS
        });
        assert!(flips >= FLIPS);
        for (door, seen) in [("read", reads), ("write", writes), ("list", lists)] {
            assert!(
                seen.ok > 0 && seen.refused > 0,
                "{door}: {} {}",
                seen.ok,
                seen.refused
            );
        }
        ground.assert_outside_is_as_it_was();
    }
}

/// The twin: a path that was resolved and tested a moment ago is read from outside.
#[test]
fn cnf_01_s7_twin_a_tested_path_leads_outside() {
    let ground = ground();
    let inside = ground.root.canonicalize().unwrap();
    let path = ground.root.join("way/secret");
    let (mut tries, mut escaped) = (0, false);
    beside_flipper(&ground, |_| {
        let tested = path
            .canonicalize()
            .is_ok_and(|found| found.starts_with(&inside));
        escaped = tested && std::fs::read(&path).is_ok_and(|bytes| bytes == SECRET);
        tries += 1;
        escaped || tries >= TRIES
    });
    assert!(escaped, "not once in {tries} tries");
}

#[test]
fn cnf_01_s35_removal_beside_a_swapper_stays_inside() {
    let ground = ground();
    let root = Root::open(&ground.root).unwrap();
    let (mut rounds, mut removed) = (0, 0);
    beside_flipper(&ground, |_| {
        for name in ["way", "way-link"] {
            // Against somebody who never stops it may give up, which is an error and nothing worse.
            removed += u32::from(root.remove_tree(&at(name)).is_ok());
        }
        std::fs::create_dir(ground.root.join("way")).ok();
        root.write_new(&at("way/secret"), b"inside", 0o600).ok();
        root.symlink(b"../outside", &at("way-link")).ok();
        rounds += 1;
        rounds >= 1_000
    });
    assert!(removed > rounds, "{removed} of {rounds}");
    for name in ["way", "way-link", "end", "end-link"] {
        root.remove_tree(&at(name)).unwrap();
    }
    assert!(root.entries(None).unwrap().is_empty());
    ground.assert_outside_is_as_it_was();
}
