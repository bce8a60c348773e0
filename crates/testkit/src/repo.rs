//! Real git repositories for tests, made by the real git in the environment of the test's own world.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::digest::{Times, digest, digest_with, manifest};
use crate::run::{Ran, Run, executable, write};

/// All commits are of this moment, so that the ids of equal histories are equal.
const WHEN: &str = "2001-02-03T04:05:06Z";

/// A repository with a working tree.
#[derive(Debug, Clone)]
pub struct Repo {
    root: PathBuf,
    env: BTreeMap<OsString, OsString>,
}

impl Repo {
    /// A new repository at `root`; git runs in `env` plus a fixed author and date.
    pub(crate) fn init(root: &Path, env: BTreeMap<OsString, OsString>) -> Self {
        std::fs::create_dir_all(root).unwrap_or_else(|e| panic!("{}: {e}", root.display()));
        let repo = Self {
            root: root.to_owned(),
            env,
        };
        repo.git(&["init", "-q", "-b", "main", "."]);
        repo
    }

    /// The top of its working tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path below its top.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes the file, with all directories above it.
    pub fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> &Self {
        write(&self.path(relative), content.as_ref());
        self
    }

    /// Writes the file and makes it executable for all.
    pub fn executable(&self, relative: &str, content: impl AsRef<[u8]>) -> &Self {
        executable(&self.path(relative), content);
        self
    }

    /// Makes a symbolic link at `relative` that points to `target`, as written.
    pub fn link(&self, relative: &str, target: impl AsRef<Path>) -> &Self {
        let path = self.path(relative);
        symlink(target, &path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self
    }

    /// Removes the file or link.
    pub fn remove(&self, relative: &str) -> &Self {
        let path = self.path(relative);
        std::fs::remove_file(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self
    }

    /// The file's content; bytes that are not UTF-8 replaced.
    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether there is anything at `relative`, a dangling link too.
    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).symlink_metadata().is_ok()
    }

    /// Records everything that is not ignored, and returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&[
            "commit",
            "-q",
            "--no-verify",
            "--allow-empty",
            "-m",
            message,
        ]);
        self.head()
    }

    /// The id of the current commit.
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim_end().to_owned()
    }

    /// What `git status` says, one line per path, without touching the index file.
    pub fn status(&self) -> String {
        self.git(&[
            "--no-optional-locks",
            "status",
            "--porcelain=v1",
            "--untracked-files=all",
        ])
    }

    /// Sets a key of its own configuration.
    pub fn config(&self, key: &str, value: &str) -> &Self {
        self.git(&["config", key, value]);
        self
    }

    /// Plants an executable hook.
    pub fn hook(&self, name: &str, script: &str) -> &Self {
        self.executable(&format!(".git/hooks/{name}"), script)
    }

    /// A linked working tree `name` beside this one, on a new branch of that name.
    pub fn worktree(&self, name: &str) -> Self {
        let root = self.root.with_file_name(name);
        let path = root.as_os_str();
        self.git(&[
            OsStr::new("worktree"),
            "add".as_ref(),
            "-q".as_ref(),
            "-b".as_ref(),
            name.as_ref(),
            path,
        ]);
        Self {
            root,
            env: self.env.clone(),
        }
    }

    /// Adds `other` as a submodule at `relative`; not committed yet.
    pub fn submodule(&self, other: &Self, relative: &str) -> &Self {
        let args = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"].map(OsStr::new);
        let all: Vec<&OsStr> = args
            .into_iter()
            .chain([other.root.as_os_str(), OsStr::new(relative)])
            .collect();
        self.git(&all);
        self
    }

    /// Runs git in its top and returns the standard output.
    ///
    /// # Panics
    /// With all output when git fails.
    #[track_caller]
    pub fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> String {
        self.try_git(args).success().stdout
    }

    /// Runs git in its top, whatever comes of it.
    pub fn try_git<A: AsRef<OsStr>>(&self, args: &[A]) -> Ran {
        Run::new("git", args)
            .envs(&self.env)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Test Author")
            .env("GIT_AUTHOR_EMAIL", "author@example.invalid")
            .env("GIT_COMMITTER_NAME", "Test Author")
            .env("GIT_COMMITTER_EMAIL", "author@example.invalid")
            .env("GIT_AUTHOR_DATE", WHEN)
            .env("GIT_COMMITTER_DATE", WHEN)
            .in_directory(&self.root)
            .go()
    }

    /// The digest of its whole directory, `.git` included, without times.
    pub fn digest(&self) -> String {
        digest(&self.root)
    }

    /// The digest of its whole directory, `.git` included, with times.
    pub fn digest_with_times(&self) -> String {
        digest_with(&self.root, Times::Counted)
    }

    /// What [`Repo::digest`] hashes, line by line.
    pub fn manifest(&self) -> Vec<String> {
        manifest(&self.root, Times::Ignored)
    }
}

#[cfg(test)]
mod tests;
