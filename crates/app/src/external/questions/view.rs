//! Everything that a person is shown of a question, in one value for every surface: a terminal shows it as it is, a row and
//! the inbox without its secrets.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use taffrail_domain::Action;
use taffrail_redact::{Clean, Redactor};
use taffrail_text::Shown;

use super::{Asking, Edit};
use crate::connect::diff;

/// Everything that a person is shown. Every text was escaped; a surface escapes it again, which changes nothing, because it
/// may have come from a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The agent's id in the registry.
    pub agent: String,
    /// What it wants, in our words: `run a command`.
    pub wants: String,
    /// What the agent calls it, in its own words.
    pub title: Option<String>,
    /// The kind that the agent gave it, in its own word.
    pub kind: Option<String>,
    /// The action itself, whole.
    pub parts: Vec<Part>,
    /// The working directory.
    pub cwd: String,
    /// Why it is asked, in the policy's words.
    pub reasons: Vec<String>,
    /// Something in it was masked, because it looks like a secret: it is not whole.
    pub masked: bool,
}

/// A part of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it is, in our words: `command`, `path`, `removes`.
    pub label: String,
    /// How it is laid out.
    pub form: Form,
    /// The part.
    pub text: String,
}

/// How a part is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// One line.
    Line,
    /// Lines.
    Block,
    /// Lines of a diff.
    Diff,
}

impl View {
    pub(super) fn of(asking: &Asking) -> Self {
        let mut parts = parts(&within(&asking.action, &asking.cwd));
        parts.extend(asking.edits.iter().map(|told| edit(told, &asking.cwd)));
        let beside = asking.beside.iter();
        parts.extend(
            beside.map(|call| part(ANNOUNCED, Form::Block, Shown::block(call).into_string())),
        );
        Self {
            agent: line(&asking.agent),
            wants: match (&asking.action, asking.kind.as_deref()) {
                (Action::Unknown { .. }, Some("execute")) => WORDS_ONLY.to_owned(),
                (action, _) => wants(action).to_owned(),
            },
            title: asking.title.as_deref().map(line),
            kind: asking.kind.as_deref().map(line),
            parts,
            cwd: bytes(&asking.cwd),
            reasons: reasons(&asking.reasons),
            masked: false,
        }
    }

    /// The same without secrets; `masked` says whether there were any.
    pub fn clean(&self, redactor: &Redactor) -> Self {
        let mut clean = self.clone();
        for text in clean.texts() {
            *text = redactor.clean(text).into_string();
        }
        let masked = clean != *self;
        Self {
            masked: self.masked || masked,
            ..clean
        }
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let parts = self.parts.iter_mut().map(|part| &mut part.text);
        [&mut self.agent, &mut self.cwd]
            .into_iter()
            .chain(self.title.iter_mut())
            .chain(self.kind.iter_mut())
            .chain(parts)
            .chain(self.reasons.iter_mut())
    }

    /// As JSON for a row. A secret that only shows in the JSON as a whole would break it: then the parts are left out.
    pub(super) fn to_row(&self, redactor: &Redactor) -> Clean {
        let clean = self.clean(redactor);
        let whole = redactor.clean(&json(&clean));
        if Self::from_row(whole.as_str()).is_some() {
            return whole;
        }
        redactor.clean(&json(&Self {
            parts: Vec::new(),
            title: None,
            masked: true,
            ..clean
        }))
    }

    pub(super) fn from_row(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// A row of another version: what is there is shown, and nothing of it can be let through from here.
    pub(super) fn unreadable(shown: &str) -> Self {
        Self {
            agent: String::new(),
            wants: "do something".to_owned(),
            title: None,
            kind: None,
            parts: vec![part("action", Form::Block, shown.to_owned())],
            cwd: String::new(),
            reasons: Vec::new(),
            masked: true,
        }
    }

    /// One line: what it wants, and the first words of the action.
    pub fn one_line(&self) -> Shown {
        let first = self.parts.iter().find(|part| part.form != Form::Diff);
        let text = first.map_or("", |part| part.text.as_str());
        Shown::line(&format!("{}: {text}", self.wants))
    }

    /// The whole action as text, part by part.
    pub(super) fn text(&self) -> String {
        let parts = self.parts.iter().map(|part| match part.form {
            Form::Line => format!("{}: {}\n", part.label, part.text),
            Form::Block | Form::Diff => format!("{}:\n{}\n", part.label, part.text),
        });
        std::iter::once(format!("{}\n", self.wants))
            .chain(parts)
            .collect()
    }
}

/// An action in one line, escaped: for events, lists and decisions. Secrets in it are not masked. Paths of the working
/// directory are told as they are called there, each once: agents tell one by its location and again by its change.
pub fn summary(action: &Action, cwd: &[u8]) -> Shown {
    let parts = parts(&within(action, cwd));
    let mut texts: Vec<&str> = Vec::new();
    for part in &parts {
        if !texts.contains(&part.text.as_str()) {
            texts.push(&part.text);
        }
    }
    Shown::line(&format!("{}: {}", wants(action), texts.join(", ")))
}

/// A value of strings and booleans always has a JSON form.
fn json(view: &View) -> String {
    serde_json::to_string(view).unwrap_or_default()
}

/// A command of which an agent told no more than a title.
const WORDS_ONLY: &str = "run a command, of which it gives only its own words";

/// What an agent said that it does, and may be what its question is about.
const ANNOUNCED: &str = "it announced, and has not ended";

/// The same action with the paths that lie in the working directory as they are called there. The directory itself is shown
/// beside it, so that nothing is left out.
fn within(action: &Action, cwd: &[u8]) -> Action {
    let list = |paths: &[Vec<u8>]| paths.iter().map(|path| inside(path, cwd)).collect();
    match action.clone() {
        Action::Read { paths } => Action::Read {
            paths: list(&paths),
        },
        Action::Write { paths, removes } => Action::Write {
            paths: list(&paths),
            removes: list(&removes),
        },
        Action::Shell { command, paths } => Action::Shell {
            command,
            paths: list(&paths),
        },
        Action::OwnTool { tool, paths } => Action::OwnTool {
            tool,
            paths: list(&paths),
        },
        Action::Unknown { what, paths } => Action::Unknown {
            what,
            paths: list(&paths),
        },
        other @ (Action::Network { .. } | Action::Delegate { .. }) => other,
    }
}

/// A path without the working directory before it. One that climbs out again, or names the directory itself, stays whole.
fn inside(path: &[u8], cwd: &[u8]) -> Vec<u8> {
    let rest = path
        .strip_prefix(cwd)
        .and_then(|rest| rest.strip_prefix(b"/"));
    let plain = |rest: &&[u8]| {
        let mut names = rest.split(|byte| *byte == b'/');
        names.all(|name| !name.is_empty() && name != b"..")
    };
    let rest = rest.filter(|rest| !cwd.is_empty() && plain(rest));
    rest.unwrap_or(path).to_vec()
}

const fn wants(action: &Action) -> &'static str {
    match action {
        Action::Read { .. } => "read files",
        Action::Write { removes, .. } if removes.is_empty() => "write files",
        Action::Write { paths, .. } if paths.is_empty() => "remove files",
        Action::Write { .. } => "write and remove files",
        Action::Shell { .. } => "run a command",
        Action::Network { .. } => "reach a host",
        Action::Delegate { .. } => "start another agent",
        Action::OwnTool { .. } => "use a tool of taffrail's own",
        Action::Unknown { .. } => "do something that cannot be looked into",
    }
}

fn parts(action: &Action) -> Vec<Part> {
    let list = |label: &str, paths: &[Vec<u8>]| -> Vec<Part> {
        let part = |path: &Vec<u8>| part(label, Form::Line, bytes(path));
        paths.iter().map(part).collect()
    };
    match action {
        Action::Read { paths } => list("path", paths),
        Action::Write { paths, removes } => {
            [list("path", paths), list("removes", removes)].concat()
        }
        Action::Shell { command, paths } => {
            let command = Shown::bytes_block(command).into_string();
            let command = part("command", Form::Block, command);
            [vec![command], list("path", paths)].concat()
        }
        Action::Network { host } => vec![part("host", Form::Line, line(host))],
        Action::Delegate { agent } => vec![part("agent", Form::Line, line(agent))],
        Action::OwnTool { tool, paths } => [
            vec![part("tool", Form::Line, line(tool))],
            list("path", paths),
        ]
        .concat(),
        Action::Unknown { what, paths } => {
            let what = part("it calls itself", Form::Line, line(what));
            [vec![what], list("path", paths)].concat()
        }
    }
}

/// What would be written. Where the agent told no old text, it is shown as all new.
fn edit(edit: &Edit, cwd: &[u8]) -> Part {
    let path = inside(edit.path.as_bytes(), cwd);
    let path = Path::new(OsStr::from_bytes(&path));
    let diff = diff::unified(path, edit.old.as_deref(), Some(&edit.new));
    part("change", Form::Diff, Shown::block(&diff).into_string())
}

/// Each once: a floor is told as what decided and as what was found.
fn reasons(told: &[String]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for reason in told.iter().map(|reason| line(reason)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn part(label: &str, form: Form, text: String) -> Part {
    Part {
        label: label.to_owned(),
        form,
        text,
    }
}

fn line(text: &str) -> String {
    Shown::line(text).into_string()
}

fn bytes(bytes: &[u8]) -> String {
    Shown::bytes_line(bytes).into_string()
}
