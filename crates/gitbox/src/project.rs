//! Which repository a folder belongs to, and the facts about it that decide what can be done.

use std::path::{Path, PathBuf};

use taffrail_confine::tool::ToolOutput;
use taffrail_domain::{Ended, Oid};

use crate::blob::ObjectFormat;
use crate::error::GitError;
use crate::runner::{Git, failed, shown_stderr};
use crate::work_tree::{is_top_of, marked};

/// Who a commit is by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `user.name`
    pub name: String,
    /// `user.email`
    pub email: String,
}

/// A repository with a work tree and a commit.
#[derive(Debug, Clone)]
pub struct Project {
    /// The work tree's top folder.
    pub root: PathBuf,
    /// The git folder of this work tree: of a linked one, `…/.git/worktrees/<name>`.
    pub git_dir: PathBuf,
    /// The git folder that holds objects and branches.
    pub common_dir: PathBuf,
    /// The commit that is checked out.
    pub head: Oid,
    /// The branch that is checked out; none when the head is detached.
    pub branch: Option<String>,
    /// The hash that names objects.
    pub object_format: ObjectFormat,
    /// The operator's name and address, from environment and config, when both are set.
    pub operator: Option<Identity>,
    /// Only a part of the work tree is checked out.
    pub sparse: bool,
    /// The history is cut off.
    pub shallow: bool,
    /// Objects may be missing that a server has.
    pub partial: bool,
    /// The operator's own list of ignored names (`core.excludesFile`), if the config names one.
    pub(crate) excludes_file: Option<PathBuf>,
}

/// Finds the repository of a folder. Runs `rev-parse`, `branch --show-current` and `config --list`; none of them runs
/// anything of the repository.
///
/// # Errors
/// [`GitError::NotARepository`], [`GitError::NoCommit`], [`GitError::OtherOwner`], [`GitError::Unsupported`] for what
/// has no work tree, and what running git can give.
pub fn discover(git: &Git, cwd: &Path) -> Result<Project, GitError> {
    let ask = |flag: &str| git.call(["rev-parse", "--path-format=absolute", flag], cwd);
    let output = ask("--show-toplevel").output()?;
    if output.ended != Ended::Exited(0) {
        return Err(not_a_project(cwd, &output));
    }
    let root = ask("--show-toplevel").path()?;
    let git_dir = ask("--absolute-git-dir").path()?;
    let common_dir = ask("--git-common-dir").path()?;
    refuse_foreign_worktree(git, cwd, &root)?;
    let settings = Settings::read(git, &root, &git_dir)?;
    Ok(Project {
        head: head(git, cwd, &root)?,
        branch: branch(git, cwd)?,
        object_format: object_format(&ask("--show-object-format").text()?, &root)?,
        operator: settings.operator(git),
        sparse: settings.is_true("core.sparsecheckout"),
        shallow: ask("--is-shallow-repository").text()? == "true",
        partial: settings.partial(),
        excludes_file: settings.excludes_file(git),
        root,
        git_dir,
        common_dir,
    })
}

/// What git's refusal to name a work tree means.
pub(crate) fn not_a_project(cwd: &Path, output: &ToolOutput) -> GitError {
    let said = shown_stderr(output);
    let path = cwd.to_owned();
    if said.contains("dubious ownership") {
        GitError::OtherOwner { path }
    } else if said.contains("must be run in a work tree") || said.contains("bare repository") {
        let what = "it has no work tree".to_owned();
        GitError::Unsupported { path, what }
    } else if said.contains("not a git repository") {
        // A damaged one needs other help than `git init`.
        marked(cwd).map_or(GitError::NotARepository { path }, |root| {
            let path = root.to_owned();
            let what = "git does not recognise its `.git`".to_owned();
            GitError::Unsupported { path, what }
        })
    } else {
        failed("rev-parse", output)
    }
}

/// `core.worktree` can name any folder: a project is where its own files are.
fn refuse_foreign_worktree(git: &Git, cwd: &Path, root: &Path) -> Result<(), GitError> {
    let prefix = git
        .call(["rev-parse", "--is-inside-work-tree"], cwd)
        .text()?;
    let real = cwd.canonicalize();
    if prefix == "true" && real.is_ok_and(|cwd| is_top_of(root, &cwd)) {
        return Ok(());
    }
    Err(GitError::Unsupported {
        path: root.to_owned(),
        what: "its work tree is another folder (`core.worktree`)".to_owned(),
    })
}

fn head(git: &Git, cwd: &Path, root: &Path) -> Result<Oid, GitError> {
    let args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    let output = git.call(args, cwd).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| GitError::NoCommit {
        path: root.to_owned(),
    })
}

fn branch(git: &Git, cwd: &Path) -> Result<Option<String>, GitError> {
    let name = git.call(["branch", "--show-current"], cwd).text()?;
    Ok((!name.is_empty()).then_some(name))
}

fn object_format(name: &str, root: &Path) -> Result<ObjectFormat, GitError> {
    ObjectFormat::named(name).ok_or_else(|| GitError::Unsupported {
        path: root.to_owned(),
        what: format!("its objects are named by {name}"),
    })
}

/// The operator's and the repository's config, later entries last.
struct Settings(Vec<(String, String)>);

impl Settings {
    fn read(git: &Git, root: &Path, git_dir: &Path) -> Result<Self, GitError> {
        let bytes = git.operator_config(root).repository(git_dir).bytes()?;
        let entries = bytes.split(|byte| *byte == 0).map(|entry| {
            let text = String::from_utf8_lossy(entry);
            // A key without a value, as in `[core] bare`, is true.
            let (key, value) = text.split_once('\n').unwrap_or((&text, "true"));
            (key.to_owned(), value.to_owned())
        });
        Ok(Self(entries.collect()))
    }

    fn get(&self, wanted: &str) -> Option<&str> {
        let mut last_first = self.0.iter().rev();
        last_first
            .find(|(key, _)| key == wanted)
            .map(|(_, value)| value.as_str())
    }

    fn is_true(&self, wanted: &str) -> bool {
        let value = self.get(wanted).map(str::to_ascii_lowercase);
        matches!(value.as_deref(), Some("true" | "yes" | "on" | "1"))
    }

    fn partial(&self) -> bool {
        self.0.iter().any(|(key, _)| {
            let remote = key.starts_with("remote.");
            key == "extensions.partialclone"
                || remote && (key.ends_with(".promisor") || key.ends_with(".partialclonefilter"))
        })
    }

    /// As git decides who an author is: environment before config.
    fn operator(&self, git: &Git) -> Option<Identity> {
        let find = |variable: &str, keys: [&str; 2]| {
            let set = git.environment().get(variable);
            set.map(|value| value.to_string_lossy().into_owned())
                .or_else(|| keys.iter().find_map(|key| self.get(key).map(str::to_owned)))
                .filter(|value| !value.trim().is_empty())
        };
        Some(Identity {
            name: find("GIT_AUTHOR_NAME", ["author.name", "user.name"])?,
            email: find("GIT_AUTHOR_EMAIL", ["author.email", "user.email"])?,
        })
    }

    /// `core.excludesFile`, else git's default place for it.
    fn excludes_file(&self, git: &Git) -> Option<PathBuf> {
        let home = git.environment().get("HOME").map(PathBuf::from);
        if let Some(named) = self.get("core.excludesfile") {
            return match named.strip_prefix("~/") {
                Some(below) => home.map(|home| home.join(below)),
                None => Some(PathBuf::from(named)),
            };
        }
        let config = git.environment().get("XDG_CONFIG_HOME").map(PathBuf::from);
        config
            .or_else(|| home.map(|home| home.join(".config")))
            .map(|config| config.join("git/ignore"))
    }
}
