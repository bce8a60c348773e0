//! Where space went: which file system is full, and what in the home can be given back (STO-07).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::backup::free_bytes;

/// Folders of a home that grow, with what gives their space back.
const PARTS: [(&str, &str); 4] = [
    ("backups", "remove old ones in backups/"),
    ("checkouts", "taffrail box list, then land or discard"),
    ("sessions", "taffrail purge --before DATE"),
    ("blobs", "taffrail purge --before DATE"),
];
/// Files looked at before a folder's size is given up on: a message must not take minutes.
const MOST_FILES: usize = 200_000;

/// The file system that a path lies on, and what could be removed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// Where it is mounted.
    pub mount: PathBuf,
    /// Bytes left for this user; none where nobody knows.
    pub free: Option<u64>,
    /// The largest folder of the home on it: which, its bytes, and what gives them back.
    pub largest: Option<(PathBuf, u64, &'static str)>,
}

/// Looks at where a path lies. `home` is the home's folder, whose parts are measured.
pub fn room(path: &Path, home: &Path) -> Room {
    let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    let own = device(there);
    let mount = there
        .ancestors()
        .take_while(|path| device(path) == own)
        .last()
        .unwrap_or(there);
    let parts = PARTS.map(|(name, fix)| {
        let folder = home.join(name);
        let bytes = if device(&folder) == own {
            size(&folder)
        } else {
            0
        };
        (folder, bytes, fix)
    });
    let largest = parts.into_iter().max_by_key(|(_, bytes, _)| *bytes);
    Room {
        mount: mount.to_owned(),
        free: free_bytes(there),
        largest: largest.filter(|(_, bytes, _)| *bytes > 0),
    }
}

/// Bytes that the files below a folder take, links not followed.
fn size(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let (mut bytes, mut count) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            count += 1;
            if count > MOST_FILES {
                return bytes;
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) => bytes += found.blocks() * 512,
                Err(_) => {}
            }
        }
    }
    bytes
}

impl Room {
    /// One line: the file system, what is left, and what to remove.
    pub fn advice(&self) -> String {
        let free = self
            .free
            .map_or_else(String::new, |free| format!(" has {} left", human(free)));
        let mount = self.mount.display();
        match &self.largest {
            Some((folder, bytes, fix)) => format!(
                "the file system at {mount}{free}; {} holds {}: {fix}",
                folder.display(),
                human(*bytes)
            ),
            None => format!(
                "the file system at {mount}{free}; free space there, then run the command again"
            ),
        }
    }
}

/// A size for people, in powers of 1,024.
pub fn human(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut rest = 0;
    let mut unit = 0;
    while value >= 1_024 && unit + 1 < UNITS.len() {
        rest = (value % 1_024) * 10 / 1_024;
        value /= 1_024;
        unit += 1;
    }
    let name = UNITS.get(unit).unwrap_or(&"B");
    if unit == 0 || value >= 100 {
        format!("{value} {name}")
    } else {
        format!("{value}.{rest} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sto_07_the_file_system_and_what_to_remove_are_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("backups")).unwrap();
        fs::write(dir.path().join("backups/old.tar.gz"), vec![7; 300_000]).unwrap();
        let found = room(&dir.path().join("taffrail.db"), dir.path());
        assert!(dir.path().starts_with(&found.mount));
        let (folder, bytes, _) = found.largest.clone().unwrap();
        assert_eq!(folder, dir.path().join("backups"));
        assert!(bytes >= 300_000);
        let advice = found.advice();
        assert!(
            advice.contains("backups") && advice.contains("the file system at"),
            "{advice}"
        );
    }

    #[test]
    fn sizes_are_for_people() {
        for (bytes, text) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_536, "1.5 KiB"),
            (5 << 30, "5.0 GiB"),
            (300 << 20, "300 MiB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }
}
