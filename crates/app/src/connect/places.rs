//! Which file of which program holds what, and what is written there.

use std::path::{Path, PathBuf};

use super::document::Format;
use super::json::Dialect;
use super::node::{Node, Piece};
use super::{Program, unfit::ConnectFault};
use crate::AppInputs;

/// The key of every entry.
pub(super) const NAME: &str = "taffrail";
/// The instructions for those programs that read such files; original wording, for an agent to read.
const SKILL: &str = include_str!("skill.md");
/// Seconds a program waits for a hook: it answers in five at the most, this is for a machine that is busy.
const HOOK_SECONDS: u64 = 10;

const STRICT: Dialect = Dialect {
    comments: false,
    trailing_commas: false,
};
const COMMENTED: Dialect = Dialect {
    comments: true,
    trailing_commas: false,
};
const LOOSE: Dialect = Dialect {
    comments: true,
    trailing_commas: true,
};

/// One file of a program.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub path: PathBuf,
    pub format: Format,
    /// What is put into it.
    pub pieces: Vec<Piece>,
    /// All of it, where the file is ours as a whole.
    pub whole: Option<&'static str>,
}

/// Every file that connecting a program writes, in this order.
pub(super) fn targets(
    inputs: &AppInputs,
    program: Program,
    with_hooks: bool,
) -> Result<Vec<Target>, ConnectFault> {
    if with_hooks && !has_hooks(program) {
        return Err(ConnectFault::NoHooks {
            program: program.name(),
        });
    }
    let at = Places { inputs };
    let server = Server::new(inputs)?;
    let (path, format) = at.configuration(program);
    let mut targets = vec![Target {
        path,
        format,
        pieces: vec![server.entry(program)],
        whole: None,
    }];
    if with_hooks {
        add_hooks(&mut targets, at.settings(program), server.hooks(program));
    }
    targets.extend(at.skills(program).map(|folder| Target {
        path: folder.join(NAME).join("SKILL.md"),
        format: Format::Ours,
        pieces: Vec::new(),
        whole: Some(SKILL),
    }));
    Ok(targets)
}

/// The notation of a file that is on record, and whether it is ours as a whole.
pub(super) fn format(inputs: &AppInputs, program: Program, path: &Path) -> Format {
    let at = Places { inputs };
    if path.file_name().is_some_and(|name| name == "SKILL.md") {
        return Format::Ours;
    }
    let (configuration, format) = at.configuration(program);
    match program {
        Program::Claude if path != configuration => Format::Json(LOOSE),
        _ => format,
    }
}

const fn has_hooks(program: Program) -> bool {
    match program {
        Program::Claude | Program::Gemini => true,
        Program::Codex | Program::Opencode | Program::Cursor | Program::Vscode | Program::Zed => {
            false
        }
    }
}

/// Hooks may be in a file of their own or beside the entry.
fn add_hooks(targets: &mut Vec<Target>, (path, format): (PathBuf, Format), hooks: Vec<Piece>) {
    match targets.iter_mut().find(|target| target.path == path) {
        Some(target) => target.pieces.extend(hooks),
        None => targets.push(Target {
            path,
            format,
            pieces: hooks,
            whole: None,
        }),
    }
}

struct Places<'a> {
    inputs: &'a AppInputs,
}

impl Places<'_> {
    /// The file of the MCP servers, for the user and not for one project.
    fn configuration(&self, program: Program) -> (PathBuf, Format) {
        let home = &self.inputs.user_home;
        match program {
            Program::Claude => (self.claude_json(), Format::Json(STRICT)),
            Program::Codex => (self.codex().join("config.toml"), Format::Toml),
            Program::Gemini => (self.gemini().join("settings.json"), Format::Json(COMMENTED)),
            Program::Opencode => (self.opencode_json(), Format::Json(LOOSE)),
            Program::Cursor => (home.join(".cursor/mcp.json"), Format::Json(LOOSE)),
            Program::Vscode => (self.vscode().join("User/mcp.json"), Format::Json(LOOSE)),
            Program::Zed => (self.xdg().join("zed/settings.json"), Format::Json(LOOSE)),
        }
    }

    fn settings(&self, program: Program) -> (PathBuf, Format) {
        match program {
            Program::Claude => (self.claude().join("settings.json"), Format::Json(LOOSE)),
            Program::Gemini
            | Program::Codex
            | Program::Opencode
            | Program::Cursor
            | Program::Vscode
            | Program::Zed => self.configuration(program),
        }
    }

    /// Where the program looks for skills of the user; none where it has no such place that is known.
    fn skills(&self, program: Program) -> Option<PathBuf> {
        match program {
            Program::Claude => Some(self.claude().join("skills")),
            Program::Codex => Some(self.codex().join("skills")),
            Program::Gemini => Some(self.gemini().join("skills")),
            Program::Opencode => Some(self.opencode().join("skills")),
            Program::Cursor => Some(self.inputs.user_home.join(".cursor/skills")),
            Program::Vscode | Program::Zed => None,
        }
    }

    fn claude(&self) -> PathBuf {
        self.named("CLAUDE_CONFIG_DIR")
            .unwrap_or_else(|| self.inputs.user_home.join(".claude"))
    }

    /// Beside the folder `.claude`, but inside of one that is named; an old installation keeps it under another name.
    fn claude_json(&self) -> PathBuf {
        let old = self.claude().join(".config.json");
        if old.is_file() {
            return old;
        }
        self.named("CLAUDE_CONFIG_DIR")
            .unwrap_or_else(|| self.inputs.user_home.clone())
            .join(".claude.json")
    }

    fn codex(&self) -> PathBuf {
        self.named("CODEX_HOME")
            .unwrap_or_else(|| self.inputs.user_home.join(".codex"))
    }

    fn gemini(&self) -> PathBuf {
        self.named("GEMINI_CLI_HOME")
            .unwrap_or_else(|| self.inputs.user_home.clone())
            .join(".gemini")
    }

    fn opencode(&self) -> PathBuf {
        self.named("OPENCODE_CONFIG_DIR")
            .unwrap_or_else(|| self.xdg().join("opencode"))
    }

    /// The later of its names is read over the earlier one; a file that is there is not doubled by another.
    fn opencode_json(&self) -> PathBuf {
        if let Some(path) = self.named("OPENCODE_CONFIG") {
            return path;
        }
        let folder = self.opencode();
        let commented = folder.join("opencode.jsonc");
        if commented.is_file() {
            commented
        } else {
            folder.join("opencode.json")
        }
    }

    /// The folder of the released editor; of its Insiders build where only that one is there.
    fn vscode(&self) -> PathBuf {
        let above = if cfg!(target_os = "macos") {
            self.inputs.user_home.join("Library/Application Support")
        } else {
            self.xdg()
        };
        let insiders = above.join("Code - Insiders");
        let released = above.join("Code");
        if !released.is_dir() && insiders.is_dir() {
            insiders
        } else {
            released
        }
    }

    fn xdg(&self) -> PathBuf {
        self.named("XDG_CONFIG_HOME")
            .unwrap_or_else(|| self.inputs.user_home.join(".config"))
    }

    /// An absolute path of the environment; the programs fall back on the usual place for an empty one.
    fn named(&self, variable: &str) -> Option<PathBuf> {
        let value = self.inputs.environment.get(variable)?;
        let path = PathBuf::from(value);
        path.is_absolute().then_some(path)
    }
}

/// How this executable is started by another program.
struct Server {
    command: String,
    home: Option<String>,
}

impl Server {
    fn new(inputs: &AppInputs) -> Result<Self, ConnectFault> {
        let home = inputs.environment.get("TAFFRAIL_HOME");
        let home = home.filter(|home| !home.is_empty());
        Ok(Self {
            command: written(&inputs.exe)?,
            home: home.map(|home| written(Path::new(home))).transpose()?,
        })
    }

    fn entry(&self, program: Program) -> Piece {
        let command = Node::text(&self.command);
        let argument = Node::text("serve-mcp");
        let arguments = Node::list([argument.clone()]);
        let (outer, value) = match program {
            Program::Claude | Program::Cursor => (
                "mcpServers",
                Node::map([
                    ("type", Node::text("stdio")),
                    ("command", command),
                    ("args", arguments),
                ]),
            ),
            Program::Gemini => (
                "mcpServers",
                Node::map([("command", command), ("args", arguments)]),
            ),
            Program::Codex => (
                "mcp_servers",
                Node::map([("command", command), ("args", arguments)]),
            ),
            Program::Opencode => (
                "mcp",
                Node::map([
                    ("type", Node::text("local")),
                    ("command", Node::list([command, argument])),
                    ("enabled", Node::Flag(true)),
                ]),
            ),
            Program::Vscode => (
                "servers",
                Node::map([
                    ("type", Node::text("stdio")),
                    ("command", command),
                    ("args", arguments),
                ]),
            ),
            Program::Zed => (
                "context_servers",
                Node::map([("command", command), ("args", arguments)]),
            ),
        };
        Piece {
            path: vec![outer.to_owned()],
            key: Some(NAME.to_owned()),
            value: self.with_home(program, value),
        }
    }

    /// A program that passes few variables on would serve another home than the one that is in use here.
    fn with_home(&self, program: Program, value: Node) -> Node {
        let variables = match program {
            Program::Opencode => "environment",
            Program::Claude
            | Program::Codex
            | Program::Gemini
            | Program::Cursor
            | Program::Vscode
            | Program::Zed => "env",
        };
        match (value, &self.home) {
            (Node::Map(mut entries), Some(home)) => {
                let home = Node::map([("TAFFRAIL_HOME", Node::text(home))]);
                entries.push((variables.to_owned(), home));
                Node::Map(entries)
            }
            (value, _) => value,
        }
    }

    fn hooks(&self, program: Program) -> Vec<Piece> {
        // Claude Code counts in seconds, Gemini CLI in milliseconds.
        let limit = match program {
            Program::Gemini => HOOK_SECONDS * 1_000,
            Program::Claude
            | Program::Codex
            | Program::Opencode
            | Program::Cursor
            | Program::Vscode
            | Program::Zed => HOOK_SECONDS,
        };
        let events = [
            ("SessionStart", "session-start"),
            ("SessionEnd", "session-end"),
        ];
        let piece = |(event, word): (&str, &str)| Piece {
            path: vec!["hooks".to_owned(), event.to_owned()],
            key: None,
            value: Node::map([(
                "hooks",
                Node::list([Node::map([
                    ("type", Node::text("command")),
                    ("command", Node::text(self.hook(program, word))),
                    ("timeout", Node::Plain(limit.to_string())),
                ])]),
            )]),
        };
        events.into_iter().map(piece).collect()
    }

    /// A line for a shell.
    fn hook(&self, program: Program, word: &str) -> String {
        let home = self.home.as_ref();
        let home = home.map_or_else(String::new, |home| {
            format!("TAFFRAIL_HOME={} ", quoted(home))
        });
        let command = quoted(&self.command);
        format!("{home}{command} hook {word} --client {}", program.name())
    }
}

/// A path as text. Programs put the environment in for `$`, and a control character has no place in a shell's line.
fn written(path: &Path) -> Result<String, ConnectFault> {
    let fault = |why| ConnectFault::Executable {
        path: path.to_owned(),
        why,
    };
    let text = path.to_str().ok_or_else(|| fault("is not UTF-8"))?;
    if text.chars().any(|at| at == '$' || at.is_control()) {
        return Err(fault(
            "holds `$` or a control character, which programs read as more than a path",
        ));
    }
    Ok(text.to_owned())
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |at: char| at.is_ascii_alphanumeric() || "/._-+@:,".contains(at);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
