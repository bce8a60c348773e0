//! Where other programs keep what they were told, for this project and for the person (MEM-08). Only read; a symlink is
//! followed once and only to a file beneath the same root.

use std::path::Path;

use taffrail_confine::fs::{EntryKind, FsError, Root};
use taffrail_domain::RepoPath;
use taffrail_memory::pieces::{self, Place, Program};

use super::Skipped;

/// An instruction file is a few pages; more is something else. In bytes.
const FILE_LIMIT: u64 = 256 << 10;
/// Files of one import: more than a person reads in a sitting.
const MOST_FILES: usize = 256;
/// Folders that are looked into: a tree of rules, not a disk.
const MOST_FOLDERS: usize = 4_096;
/// Folders that no instruction file is looked for in: what is built, fetched or the repository's own.
const PASSED_OVER: [&[u8]; 5] = [b".git", b"node_modules", b"target", b"vendor", b".venv"];

/// What a program reads in a person's home, for every project.
const fn in_home(program: Program) -> &'static [Pattern<'static>] {
    use Pattern::{File, Folder};
    match program {
        Program::Claude => &[
            File(".claude/CLAUDE.md"),
            Folder {
                path: ".claude/rules",
                ending: ".md",
                deep: true,
            },
        ],
        Program::Codex => &[File(".codex/AGENTS.override.md"), File(".codex/AGENTS.md")],
        Program::Gemini => &[File(".gemini/GEMINI.md")],
        Program::Cursor | Program::AgentsMd => &[],
    }
}

/// What is looked for beneath a root.
#[derive(Debug, Clone, Copy)]
enum Pattern<'a> {
    /// This file.
    File(&'a str),
    /// The files in this folder whose names end so.
    Folder {
        path: &'a str,
        ending: &'a str,
        deep: bool,
    },
    /// Every file of this name.
    Everywhere(&'static str),
}

fn pattern(place: &Place) -> Pattern<'_> {
    match place.ending {
        Some(ending) => Pattern::Folder {
            path: &place.path,
            ending,
            deep: place.deep,
        },
        None => Pattern::File(&place.path),
    }
}

/// A file of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is, for people and source refs: below the project, or `~/…`.
    pub uri: String,
    /// It speaks of the person, not of this project.
    pub personal: bool,
    /// Its text.
    pub text: String,
}

/// Everything that a program keeps for a project whose root is `project`, and for the person whose home is `home`.
///
/// # Errors
/// None for what is missing; what cannot be read is named in the list of what was passed over.
pub fn find(program: Program, project: Option<&Path>, home: &Path) -> (Vec<Found>, Vec<Skipped>) {
    let mut search = Search::default();
    if let Some(project) = project {
        in_project(&mut search, program, project, home);
    }
    // A home that is itself the project was read above.
    if project != Some(home) {
        search.beneath(home, in_home(program), "~/", true);
    }
    (search.found, search.skipped)
}

fn in_project(search: &mut Search, program: Program, project: &Path, home: &Path) {
    let places = pieces::places(program, &project.to_string_lossy());
    for place in &places {
        let (folder, shown) = match place.root {
            pieces::Root::Project => (project, ""),
            pieces::Root::Home => (home, "~/"),
        };
        search.beneath(folder, &[pattern(place)], shown, false);
    }
    // What programs read when they work in a part of the project.
    if program == Program::AgentsMd {
        search.beneath(project, &[Pattern::Everywhere("AGENTS.md")], "", false);
    }
}

#[derive(Default)]
struct Search {
    found: Vec<Found>,
    skipped: Vec<Skipped>,
    folders: usize,
}

impl Search {
    fn beneath(&mut self, folder: &Path, patterns: &[Pattern<'_>], shown: &str, personal: bool) {
        let root = match Root::open(folder) {
            Ok(root) => root,
            Err(FsError::NotFound { .. }) => return,
            Err(error) => return self.skip(shown.to_owned(), error.to_string()),
        };
        let place = Opened {
            root: &root,
            shown,
            personal,
        };
        for pattern in patterns {
            match pattern {
                Pattern::File(name) => self.file(&place, name.as_bytes()),
                Pattern::Folder { path, ending, deep } => {
                    let wanted = |name: &[u8]| name.ends_with(ending.as_bytes());
                    self.folder(&place, path.as_bytes(), *deep, &wanted);
                }
                Pattern::Everywhere(name) => {
                    self.folder(&place, b"", true, &|file: &[u8]| file == name.as_bytes());
                }
            }
        }
    }

    fn folder(
        &mut self,
        place: &Opened<'_>,
        name: &[u8],
        deep: bool,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) {
        let mut waiting = vec![name.to_vec()];
        while let Some(folder) = waiting.pop() {
            self.folders += 1;
            if self.folders > MOST_FOLDERS {
                let why = format!("more than {MOST_FOLDERS} folders");
                return self.skip(place.uri(&folder), why);
            }
            let path = RepoPath::new(folder.clone()).ok();
            let entries = match place.root.entries(path.as_ref()) {
                Ok(entries) => entries,
                Err(FsError::NotFound { .. }) => continue,
                Err(error) => {
                    self.skip(place.uri(&folder), error.to_string());
                    continue;
                }
            };
            // The stack gives the last folder back first.
            for entry in entries.iter().rev() {
                if deep
                    && entry.kind == EntryKind::Dir
                    && !PASSED_OVER.contains(&entry.name.as_slice())
                {
                    waiting.push(joined(&folder, &entry.name));
                }
            }
            for entry in entries {
                if entry.kind != EntryKind::Dir && wanted(&entry.name) {
                    self.file(place, &joined(&folder, &entry.name));
                }
            }
        }
    }

    fn file(&mut self, place: &Opened<'_>, name: &[u8]) {
        let uri = place.uri(name);
        if self.found.iter().any(|file| file.uri == uri) {
            return;
        }
        if self.found.len() >= MOST_FILES {
            return self.skip(uri, format!("more than {MOST_FILES} files"));
        }
        let read = RepoPath::new(name.to_vec())
            .ok()
            .map(|path| read(place.root, &path));
        match read {
            None | Some(Err(FsError::NotFound { .. })) => {}
            Some(Err(error)) => self.skip(uri, error.to_string()),
            Some(Ok(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => self.found.push(Found {
                    uri,
                    personal: place.personal,
                    text,
                }),
                Err(_) => self.skip(uri, "it is not UTF-8 text".to_owned()),
            },
        }
    }

    fn skip(&mut self, place: String, why: String) {
        self.skipped.push(Skipped { place, why });
    }
}

struct Opened<'a> {
    root: &'a Root,
    shown: &'a str,
    personal: bool,
}

impl Opened<'_> {
    fn uri(&self, name: &[u8]) -> String {
        format!("{}{}", self.shown, String::from_utf8_lossy(name))
    }
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        name.to_vec()
    } else {
        [folder, b"/", name].concat()
    }
}

/// A file, or what a symlink in its place names beneath the same root.
fn read(root: &Root, path: &RepoPath) -> Result<Vec<u8>, FsError> {
    let refused = match root.read(path, FILE_LIMIT) {
        Err(error @ FsError::Symlink { .. }) => error,
        done => return done,
    };
    // A link that stands on the way, and not at the end, is not followed at all.
    let target = root
        .read_link(path)
        .ok()
        .and_then(|target| beside(path, &target));
    target.map_or(Err(refused), |target| root.read(&target, FILE_LIMIT))
}

/// Where a relative link leads from the folder of `path`, if it stays beneath the root.
fn beside(path: &RepoPath, target: &[u8]) -> Option<RepoPath> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = path.parts().collect();
    parts.pop();
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    RepoPath::new(parts.join(&b'/')).ok()
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
