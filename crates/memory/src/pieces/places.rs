//! Where other programs keep what they were told and what they wrote down.

use super::Program;

/// What a place is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// The project's top folder.
    Project,
    /// The operator's home folder. The file speaks for every project unless the path names one.
    Home,
}

/// A file, or the files with an ending in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What the path is relative to.
    pub root: Root,
    /// The file or folder, with `/`.
    pub path: String,
    /// For a folder the ending of its files; absent for a file.
    pub ending: Option<&'static str>,
    /// Whether folders below it count too.
    pub deep: bool,
}

/// Where `program` keeps what concerns the project at `project` (its absolute path), in the order of reading. Files that speak
/// for all projects of the operator are not among them.
pub fn places(program: Program, project: &str) -> Vec<Place> {
    match program {
        Program::Claude => vec![
            file("CLAUDE.md"),
            file(".claude/CLAUDE.md"),
            file("CLAUDE.local.md"),
            folder(Root::Project, ".claude/rules".to_owned(), ".md"),
            folder(
                Root::Home,
                format!(".claude/projects/{}/memory", claude_folder(project)),
                ".md",
            ),
        ],
        Program::Codex => vec![
            file("AGENTS.override.md"),
            file("AGENTS.md"),
            file(".codex/AGENTS.md"),
            folder(Root::Project, ".codex/memories".to_owned(), ".md"),
        ],
        Program::Gemini => vec![file("GEMINI.md"), file(".gemini/GEMINI.md")],
        Program::Cursor => vec![
            file(".cursorrules"),
            folder(Root::Project, ".cursor/rules".to_owned(), ".mdc"),
        ],
        Program::AgentsMd => vec![file("AGENTS.md"), file(".agents/AGENTS.md")],
    }
}

/// The folder that Claude Code makes for a project: its path with every character that is no ASCII letter or digit as `-`.
pub fn claude_folder(project: &str) -> String {
    project
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect()
}

fn file(path: &str) -> Place {
    Place {
        root: Root::Project,
        path: path.to_owned(),
        ending: None,
        deep: false,
    }
}

fn folder(root: Root, path: String, ending: &'static str) -> Place {
    Place {
        root,
        path,
        ending: Some(ending),
        deep: true,
    }
}
