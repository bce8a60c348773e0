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
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct World {
        dir: tempfile::TempDir,
    }

    fn world(files: &[(&str, &str)]) -> World {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for needed in ["project", "home"] {
            std::fs::create_dir_all(dir.path().join(needed)).unwrap();
        }
        World { dir }
    }

    impl World {
        fn project(&self) -> std::path::PathBuf {
            self.dir.path().join("project")
        }

        fn find(&self, program: Program) -> (Vec<(String, bool)>, Vec<Skipped>) {
            let home = self.dir.path().join("home");
            let (found, skipped) = find(program, Some(&self.project()), &home);
            let seen = found.into_iter().map(|file| (file.uri, file.personal));
            (seen.collect(), skipped)
        }
    }

    fn slug(world: &World) -> String {
        pieces::claude_folder(&world.project().to_string_lossy())
    }

    fn named(found: &[(String, bool)]) -> Vec<(&str, bool)> {
        found
            .iter()
            .map(|(uri, personal)| (uri.as_str(), *personal))
            .collect()
    }

    #[test]
    fn mem_08_each_program_s_files_are_found_and_told_apart() {
        let world = world(&[
            ("project/CLAUDE.md", "a"),
            ("project/.claude/rules/deep/b.md", "b"),
            ("project/.claude/rules/not.txt", "-"),
            ("project/AGENTS.md", "c"),
            ("project/part/AGENTS.md", "d"),
            ("project/node_modules/x/AGENTS.md", "-"),
            ("project/.cursorrules", "e"),
            ("project/.cursor/rules/f.mdc", "f"),
            ("home/.claude/CLAUDE.md", "g"),
            ("home/.codex/AGENTS.md", "h"),
            ("home/.gemini/GEMINI.md", "i"),
        ]);
        let memory = world
            .dir
            .path()
            .join("home/.claude/projects")
            .join(slug(&world))
            .join("memory");
        std::fs::create_dir_all(&memory).unwrap();
        std::fs::write(memory.join("MEMORY.md"), "m").unwrap();
        let shown = format!("~/.claude/projects/{}/memory/MEMORY.md", slug(&world));
        let expect: [(Program, &[(&str, bool)]); 5] = [
            (
                Program::Claude,
                &[
                    ("CLAUDE.md", false),
                    (".claude/rules/deep/b.md", false),
                    (&shown, false),
                    ("~/.claude/CLAUDE.md", true),
                ],
            ),
            (
                Program::Codex,
                &[("AGENTS.md", false), ("~/.codex/AGENTS.md", true)],
            ),
            (Program::Gemini, &[("~/.gemini/GEMINI.md", true)]),
            (
                Program::Cursor,
                &[(".cursorrules", false), (".cursor/rules/f.mdc", false)],
            ),
            (
                Program::AgentsMd,
                &[("AGENTS.md", false), ("part/AGENTS.md", false)],
            ),
        ];
        for (program, expected) in expect {
            let (found, skipped) = world.find(program);
            assert_eq!(named(&found), expected, "{program:?}");
            assert_eq!(skipped, []);
        }
    }

    #[test]
    fn mem_08_a_symlink_is_followed_inside_and_never_out() {
        let world = world(&[("project/AGENTS.md", "inside"), ("secret.md", "outside")]);
        let project = world.project();
        symlink("AGENTS.md", project.join("CLAUDE.md")).unwrap();
        std::fs::create_dir_all(project.join(".claude/rules")).unwrap();
        symlink("../../../secret.md", project.join(".claude/rules/out.md")).unwrap();
        symlink(
            world.dir.path().join("secret.md"),
            project.join("CLAUDE.local.md"),
        )
        .unwrap();
        symlink("..", project.join(".cursor")).unwrap();
        symlink("GEMINI.md", project.join("GEMINI.md")).unwrap();
        let (found, skipped) = world.find(Program::Claude);
        assert_eq!(named(&found), [("CLAUDE.md", false)]);
        let passed: Vec<_> = skipped
            .iter()
            .map(|skipped| skipped.place.as_str())
            .collect();
        assert_eq!(passed, ["CLAUDE.local.md", ".claude/rules/out.md"]);
        // The twin: read by its path, the file outside is there.
        let text = std::fs::read_to_string(project.join("CLAUDE.local.md")).unwrap();
        assert_eq!(text, "outside");
        assert_eq!(
            world.find(Program::Cursor).0,
            [],
            "a folder that is a link is not entered"
        );
        assert_eq!(world.find(Program::Gemini).0, [], "a loop ends");
    }

    #[test]
    fn mem_08_what_is_too_large_or_no_text_is_named() {
        let large = "x".repeat(300 << 10);
        let world = world(&[("project/CLAUDE.md", &large)]);
        std::fs::write(world.project().join("CLAUDE.local.md"), b"\xff").unwrap();
        let (found, skipped) = world.find(Program::Claude);
        assert_eq!((found.len(), skipped.len()), (0, 2));
        assert!(skipped[0].why.contains("larger than"), "{skipped:?}");
        assert!(skipped[1].why.contains("UTF-8"), "{skipped:?}");
    }
}
