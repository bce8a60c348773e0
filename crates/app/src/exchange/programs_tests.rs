//! What of whose files is found, and what is never followed.
#![allow(clippy::disallowed_methods)] // a test makes the files that it looks for

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
