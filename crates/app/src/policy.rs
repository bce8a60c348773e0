//! What the policy answers to a command line, and why: the rules of the user's file, the facts of this machine's disk.
//! Opens no database and makes no home.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use taffrail_config::{Config, PolicyRule};
use taffrail_confine::fs::is_credential;
use taffrail_domain::{Action, Actor, FileMode, Flag, Held, Mode, RepoPath};
use taffrail_gitbox::flags;
use taffrail_policy::{Context, Decision, Facts, Part, Place, RuleSpec, Rules, Whole, decide};
use taffrail_tools::Withheld;

use crate::context::{find_home, read_config};
use crate::redaction::Refusal;
use crate::{AppError, AppInputs};

/// Entries of a folder that is read whole which are looked at; with more of them it counts as unfit. Some tens of
/// milliseconds.
const MOST_ENTRIES: usize = 20_000;
/// Folders that other programs fill: what is in them is nobody's secret, and there is much of it.
const FILLED: &[&str] = &[".git", "node_modules", "target", ".venv", "vendor", "dist"];

/// The policy in force for this user.
pub struct Policy {
    rules: Rules,
    home: PathBuf,
    /// The mode of the user's file.
    pub mode: Mode,
}

/// Under which circumstances a command is judged.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    /// The mode.
    pub mode: Mode,
    /// What holds the command.
    pub held: Held,
    /// Who would give it.
    pub actor: Actor,
}

impl Policy {
    /// The policy of the home in use.
    ///
    /// # Errors
    /// What is wrong in the configuration, a rule that contradicts its examples among it.
    pub fn open(inputs: &AppInputs) -> Result<Self, AppError> {
        let home = find_home(inputs)?;
        let config = read_config(inputs, &home)?;
        Ok(Self {
            rules: rules(&config)?,
            mode: (*config.policy.mode).into(),
            home: home.root().to_owned(),
        })
    }

    /// What is answered to this command line in this folder, which is taken for the working tree.
    pub fn check(&self, command: &[u8], folder: &Path, when: Circumstances) -> Decision {
        let disk = Disk::new(folder);
        let context = Context {
            actor: when.actor,
            held: when.held,
            grant: false,
            root: folder.as_os_str().as_bytes(),
            cwd: folder.as_os_str().as_bytes(),
            home: self.home.as_os_str().as_bytes(),
            facts: &disk,
        };
        let action = Action::Shell {
            command: command.to_vec(),
            paths: Vec::new(),
        };
        decide(&action, when.mode, &self.rules, &context)
    }
}

/// The rules of a configuration, each checked against its examples.
///
/// # Errors
/// The rule and the example that do not fit.
pub fn rules(config: &Config) -> Result<Rules, AppError> {
    let specs = config.rules.iter().enumerate().map(spec).collect();
    Ok(Rules::new(specs)?)
}

/// What the rules of a configuration withhold from tools that only read: such a call waits for nobody, so that what would be
/// asked is withheld like what is denied.
///
/// # Errors
/// As for [`rules`].
pub(crate) fn withheld(config: &Config) -> Result<Withheld, AppError> {
    let rules = rules(config)?;
    Ok(Arc::new(move |path| rules.withhold(path)))
}

fn spec((place, rule): (usize, &PolicyRule)) -> RuleSpec {
    RuleSpec {
        name: format!("policy.rule.{} ({})", place + 1, rule.origin),
        answer: rule.answer,
        command: rule.command.clone(),
        path: rule.path.clone(),
        host: rule.host.clone(),
        risk: rule.risk,
        destructive: rule.destructive,
        foreign: rule.foreign,
        matches: rule.matches.clone(),
        not_matches: rule.not_matches.clone(),
    }
}

/// The facts of the disk around one working tree.
pub struct Disk {
    /// The tree, its links followed; none where it is not there.
    root: Option<PathBuf>,
    unfit: RefCell<BTreeMap<(Vec<u8>, Whole), bool>>,
}

impl Disk {
    /// Around this working tree, which may be missing.
    pub fn new(root: &Path) -> Self {
        Self {
            root: std::fs::canonicalize(root).ok(),
            unfit: RefCell::default(),
        }
    }

    fn place_of(&self, real: &Path) -> Place {
        let Some(inside) = self
            .root
            .as_ref()
            .and_then(|root| real.strip_prefix(root).ok())
        else {
            return Place::Outside;
        };
        match RepoPath::new(inside.as_os_str().as_bytes()) {
            Ok(path) if is_credential(&path) => Place::Credential,
            _ => Place::Inside,
        }
    }

    /// Follows what is there of a path. What is not there yet lies where its nearest folder lies.
    fn follow(&self, path: &Path) -> Place {
        for ancestor in path.ancestors() {
            match std::fs::canonicalize(ancestor) {
                Ok(real) => return self.place_of(&real),
                // A link to nothing may be a link to something tomorrow.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !is_link(ancestor) => {}
                Err(_) => return Place::Outside,
            }
        }
        Place::Outside
    }

    fn walk(&self, folder: &Path, whole: Whole) -> io::Result<bool> {
        let mut left = MOST_ENTRIES;
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                left -= 1;
                let name = entry.file_name();
                if left == 0 {
                    return Ok(true);
                }
                if whole == Whole::Visible && name.as_bytes().starts_with(b".") {
                    continue;
                }
                let kind = entry.file_type()?;
                let is_filled = FILLED.iter().any(|filled| name == *filled);
                if kind.is_dir() && !is_filled {
                    folders.push(entry.path());
                } else if kind.is_symlink() {
                    let leads =
                        whole == Whole::Followed && self.follow(&entry.path()) != Place::Inside;
                    if leads {
                        return Ok(true);
                    }
                } else if kind.is_file() && self.place_of(&entry.path()) == Place::Credential {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

impl Facts for Disk {
    fn is_credential(&self, path: &RepoPath) -> bool {
        is_credential(path)
    }

    fn is_obeyed(&self, path: &RepoPath) -> bool {
        let facts = flags::Facts {
            path,
            aliases: &[],
            old: Some(FileMode::File),
            new: Some(FileMode::File),
            binary: false,
            secret: false,
            collides: false,
        };
        let obeyed = [
            Flag::Ci,
            Flag::Hook,
            Flag::AgentRules,
            Flag::EditorTask,
            Flag::GitConfig,
        ];
        flags::flags(&facts)
            .iter()
            .any(|flag| obeyed.contains(flag))
    }

    /// A tree that is not there has nothing that leads anywhere.
    fn leads(&self, path: &[u8]) -> Place {
        match self.root {
            Some(_) => self.follow(Path::new(OsStr::from_bytes(path))),
            None => Place::Inside,
        }
    }

    fn is_unfit_whole(&self, path: &[u8], whole: Whole) -> bool {
        let key = (path.to_vec(), whole);
        if let Some(known) = self.unfit.borrow().get(&key) {
            return *known;
        }
        let path = Path::new(OsStr::from_bytes(path));
        let unfit = match std::fs::canonicalize(path) {
            Ok(real) if real.is_dir() => self.walk(&real, whole).unwrap_or(true),
            _ => false,
        };
        self.unfit.borrow_mut().insert(key, unfit);
        unfit
    }
}

#[derive(Deserialize)]
struct Question {
    id: serde_json::Value,
    command: String,
    #[serde(default)]
    cwd: Option<PathBuf>,
}

/// The answer to one line of a batch.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// What the policy says.
    Checked {
        /// The id of the line, as it came.
        id: serde_json::Value,
        /// The decision.
        #[serde(flatten)]
        verdict: Verdict,
    },
    /// The line was not understood.
    Refused {
        /// The id of the line where it has one.
        id: serde_json::Value,
        /// Why.
        error: Refusal,
    },
}

impl Answered {
    /// Whether the line was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }

    /// The answer to a line that is too long to be read.
    pub fn too_long(bytes: usize) -> Self {
        refuse(
            b"",
            format!("the line has {bytes} bytes, which is over the limit"),
        )
    }
}

/// A decision as JSON (CLI-06).
#[derive(Serialize)]
pub struct Verdict {
    answer: &'static str,
    risk: &'static str,
    destructive: bool,
    reasons: Vec<String>,
    commands: Vec<OneCommand>,
}

#[derive(Serialize)]
struct OneCommand {
    argv: Vec<String>,
    risk: &'static str,
}

impl From<&Decision> for Verdict {
    fn from(decision: &Decision) -> Self {
        let command = |part: &Part| OneCommand {
            argv: part
                .argv
                .iter()
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect(),
            risk: part.risk.name(),
        };
        Self {
            answer: decision.answer.name(),
            risk: decision.risk.name(),
            destructive: decision.destructive,
            reasons: decision.reasons.iter().map(ToString::to_string).collect(),
            commands: decision.commands.iter().map(command).collect(),
        }
    }
}

/// Answers one JSON line `{"id","command","cwd"?}`.
pub fn answer(policy: &Policy, line: &[u8], folder: &Path, when: Circumstances) -> Answered {
    let question = match serde_json::from_slice::<Question>(line) {
        Ok(question) => question,
        Err(error) => {
            return refuse(
                line,
                format!("the line is not {{\"id\",\"command\",\"cwd\"?}}: {error}"),
            );
        }
    };
    let folder = question
        .cwd
        .as_deref()
        .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
    let decision = policy.check(question.command.as_bytes(), &folder, when);
    Answered::Checked {
        id: question.id,
        verdict: Verdict::from(&decision),
    }
}

fn refuse(line: &[u8], message: String) -> Answered {
    let id = serde_json::from_slice::<serde_json::Value>(line)
        .ok()
        .and_then(|value| value.get("id").cloned());
    Answered::Refused {
        id: id.unwrap_or_default(),
        error: Refusal {
            code: "usage",
            message,
        },
    }
}
