//! What the tests of the files of slates share.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Looks at what was made, with the plain file system.
#![allow(dead_code)] // Each test file uses its own part.

pub mod process;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use taffrail_domain::{Millis, ProjectId};
use taffrail_redact::{Options, Redactor};
use taffrail_slate::external::{Anchors, AnchorsSent, ExternalId, Origin, Seed, Slate};
use taffrail_store::{Held, Home, Live, SlateCache, SlateFolder, StoreError};

pub const NOW: Millis = Millis(1_800_000_000_000);
pub const HOUR: i64 = 3_600_000;

pub fn home_in(dir: &tempfile::TempDir) -> Home {
    Home::at(&dir.path().join("home")).unwrap()
}

pub fn project(number: u8) -> ProjectId {
    ProjectId::from_bytes([number; 16])
}

pub fn folder(home: &Home) -> SlateFolder {
    SlateFolder::new(home, Some(&project(1)))
}

pub fn id(text: &str) -> ExternalId {
    text.parse().unwrap()
}

pub fn seed(text: &str, at: Millis) -> Seed {
    let mut random = [0; 16];
    getrandom::fill(&mut random).unwrap();
    let origin = Origin {
        harness: Origin::MCP.to_owned(),
        client: None,
    };
    let text = Redactor::new(Options::default()).clean(text);
    Seed::new(random, text, at, None, origin)
}

/// A slate whose note says who made it.
pub fn slate(id: &ExternalId, note: &str) -> Slate {
    let sent = AnchorsSent {
        note: Some(note.to_owned()),
        ..AnchorsSent::default()
    };
    let anchors = Anchors::new(&sent, &Redactor::new(Options::default())).unwrap();
    Slate::new(id, 1, anchors, NOW)
}

/// Opens an id as `slate.open` does: what is there, or a new one.
pub fn open(folder: &SlateFolder, id: &ExternalId, note: &str) -> Slate {
    let held = folder.lock(id).unwrap();
    match held.read().unwrap() {
        Live::Open(slate) => slate,
        Live::None => {
            let slate = slate(id, note);
            held.create(&slate).unwrap();
            slate
        }
        other => panic!("{other:?}"),
    }
}

/// Writes a seed as `slate.writeSeed` does.
pub fn write(folder: &SlateFolder, id: &ExternalId, text: &str) -> Result<(), StoreError> {
    let held = folder.lock(id)?;
    let Live::Open(mut slate) = held.read()? else {
        panic!("{id} is not open");
    };
    slate.add(seed(text, NOW)).unwrap();
    held.put(&slate)
}

pub fn live(folder: &SlateFolder, id: &ExternalId) -> PathBuf {
    folder.path().join(format!("{}.json", id.file_stem()))
}

/// The file's bytes, inode and times, of everything below a folder that is a file.
pub type Sight = (Vec<u8>, u64, i64, i64, i64, i64);

pub fn sight(below: &Path, but: &[&Path]) -> BTreeMap<PathBuf, Sight> {
    let mut seen = BTreeMap::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let found = fs::symlink_metadata(&path).unwrap();
            if found.is_dir() {
                folders.push(path);
            } else if found.is_file() && !but.contains(&path.as_path()) {
                let bytes = fs::read(&path).unwrap();
                let changed = (found.ctime(), found.ctime_nsec());
                let at = (found.mtime(), found.mtime_nsec());
                let sight = (bytes, found.ino(), at.0, at.1, changed.0, changed.1);
                seen.insert(path, sight);
            }
        }
    }
    seen
}

pub fn text_of(folder: &SlateFolder, id: &ExternalId) -> Vec<String> {
    match folder.lock(id).unwrap().read().unwrap() {
        Live::Open(slate) | Live::Closed(slate) => slate
            .seeds()
            .iter()
            .map(|seed| seed.text().to_owned())
            .collect(),
        other => panic!("{other:?}"),
    }
}

pub fn why(folder: &SlateFolder, id: &ExternalId) -> String {
    match folder.lock(id).unwrap().read().unwrap() {
        Live::Malformed { why } => why,
        other => panic!("{other:?}"),
    }
}

/// The idle ones at a time, after an hour without a write.
pub fn idle(folder: &SlateFolder, cache: &mut SlateCache, now: Millis) -> Vec<String> {
    folder.idle(cache, now, HOUR, &id("nobody")).unwrap()
}

pub fn open_slate(held: &Held<'_>) -> Slate {
    match held.read().unwrap() {
        Live::Open(slate) => slate,
        other => panic!("{other:?}"),
    }
}
