//! A world of its own for one test: home, Taffrail's home, projects, temporary files, and an environment that holds
//! nothing else. Removed at the end, with every process that still carries its mark.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::normalise::Normaliser;
use crate::processes::kill_all;
use crate::repo::Repo;
use crate::run::{Ran, Run, write};
use crate::terminal::{Terminal, TerminalSize};

/// The variable that marks every process of a hermetic world. A box clears it like any other.
pub(crate) const MARK: &str = "TAFFRAIL_TEST_MARK";

/// A temporary world around the real binary.
#[derive(Debug)]
pub struct Hermetic {
    root: TempDir,
    binary: PathBuf,
    env: BTreeMap<OsString, OsString>,
}

impl Hermetic {
    /// A fresh world around `binary`: in a test of the binary's crate, `env!("CARGO_BIN_EXE_taffrail")`.
    ///
    /// # Panics
    /// When the directories cannot be made.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::below(&std::env::temp_dir(), binary)
    }

    /// Like [`Hermetic::new`], below `parent`: for programs that treat the temporary directory as special.
    ///
    /// # Panics
    /// When the directories cannot be made.
    pub fn below(parent: &Path, binary: impl Into<PathBuf>) -> Self {
        // A short prefix: paths of Unix sockets end at 108 bytes.
        let root = tempfile::Builder::new()
            .prefix("tt")
            .tempdir_in(parent)
            .expect("a temporary directory");
        for name in ["home", "taffrail", "projects", "tmp"] {
            let path = root.path().join(name);
            DirBuilder::new()
                .mode(0o700)
                .create(&path)
                .expect("a directory of the test");
        }
        let env = environment(root.path());
        Self {
            root,
            binary: binary.into(),
            env,
        }
    }

    /// The directory that holds all of it.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `HOME` of every run.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// `TAFFRAIL_HOME` of every run, made with mode 0700.
    pub fn taffrail_home(&self) -> PathBuf {
        self.root.path().join("taffrail")
    }

    /// Where repositories of the test live.
    pub fn projects(&self) -> PathBuf {
        self.root.path().join("projects")
    }

    /// The whole environment of every run.
    pub fn env(&self) -> &BTreeMap<OsString, OsString> {
        &self.env
    }

    /// Every later run has `name` set to `value`.
    pub fn set_env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// The mark that every process of this world carries in its environment, as `NAME=value`.
    pub fn mark(&self) -> String {
        let value = self
            .env
            .get(OsStr::new(MARK))
            .map(|value| value.to_string_lossy());
        format!("{MARK}={}", value.unwrap_or_default())
    }

    /// Writes Taffrail's user configuration, `config.toml` in its home.
    pub fn config(&self, toml: &str) -> &Self {
        write(&self.taffrail_home().join("config.toml"), toml.as_bytes());
        self
    }

    /// A new git repository `name` below [`Hermetic::projects`], with one empty branch `main`.
    pub fn repo(&self, name: &str) -> Repo {
        Repo::init(&self.projects().join(name), self.env.clone())
    }

    /// A plain directory `name` below [`Hermetic::projects`], not a repository.
    pub fn directory(&self, name: &str) -> PathBuf {
        let path = self.projects().join(name);
        std::fs::create_dir_all(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        path
    }

    /// Runs the binary with `args` in [`Hermetic::projects`], to its end.
    pub fn taffrail<A: AsRef<OsStr>>(&self, args: &[A]) -> Ran {
        self.command(args).go()
    }

    /// Runs the binary with `args` in `directory`, to its end.
    pub fn taffrail_in<A: AsRef<OsStr>>(&self, directory: &Path, args: &[A]) -> Ran {
        self.command(args).in_directory(directory).go()
    }

    /// The binary with `args`, not started: for another limit, input, variable or directory.
    pub fn command<A: AsRef<OsStr>>(&self, args: &[A]) -> Run {
        self.program(self.binary.clone(), args)
    }

    /// Any program with `args` in this world, not started.
    pub fn program<A: AsRef<OsStr>>(&self, program: impl Into<PathBuf>, args: &[A]) -> Run {
        Run::new(program, args)
            .envs(&self.env)
            .in_directory(self.projects())
            .normaliser(self.normaliser())
    }

    /// The binary with `args` on a terminal of its own, in `directory`.
    pub fn terminal<A: AsRef<OsStr>>(&self, directory: &Path, args: &[A]) -> Terminal {
        let run = self
            .command(args)
            .in_directory(directory)
            .env("TERM", "xterm-256color");
        Terminal::spawn(run, TerminalSize::default())
    }

    /// The binary with `args` on a person's terminal, in `directory`: nothing that runs the tests is an ancestor of it.
    pub fn person<A: AsRef<OsStr>>(&self, directory: &Path, args: &[A]) -> Terminal {
        let run = self
            .command(args)
            .in_directory(directory)
            .env("TERM", "xterm-256color");
        Terminal::spawn_orphan(run, TerminalSize::default())
    }

    /// The replacements that make texts of two worlds equal.
    pub fn normaliser(&self) -> Normaliser {
        Normaliser::new()
            .path(self.root(), "$ROOT")
            .path(&self.home(), "$HOME")
            .path(&self.taffrail_home(), "$TAFFRAIL_HOME")
            .path(&self.projects(), "$PROJECTS")
            .path(&self.binary, "$TAFFRAIL")
    }

    /// `text` with paths of this world, ids, hashes and times made equal.
    pub fn normalise(&self, text: &str) -> String {
        self.normaliser().apply(text)
    }
}

impl Drop for Hermetic {
    fn drop(&mut self) {
        kill_all(&self.mark(), Duration::from_secs(30));
    }
}

fn environment(root: &Path) -> BTreeMap<OsString, OsString> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let mark = root.file_name().unwrap_or_default().to_owned();
    let own = |name: &str| root.join(name).into_os_string();
    BTreeMap::from([
        ("PATH".into(), path),
        ("HOME".into(), own("home")),
        ("TAFFRAIL_HOME".into(), own("taffrail")),
        ("TMPDIR".into(), own("tmp")),
        ("LANG".into(), "C.UTF-8".into()),
        ("TZ".into(), "UTC".into()),
        (MARK.into(), mark),
    ])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn world() -> Hermetic {
        Hermetic::new("/bin/sh")
    }

    #[test]
    fn the_binary_sees_this_world_and_nothing_of_the_callers() {
        let world = world();
        let ran = world.taffrail(&["-c", "env; pwd"]).success();
        let names: Vec<&str> = ran
            .stdout
            .lines()
            .filter_map(|l| l.split_once('='))
            .map(|p| p.0)
            .collect();
        for name in &names {
            let known = world.env().contains_key(OsStr::new(name));
            assert!(
                known || ["PWD", "OLDPWD", "SHLVL", "_"].contains(name),
                "{name} leaked"
            );
        }
        let snapshot = ran.snapshot();
        assert!(
            snapshot.contains("HOME=$HOME\n") && snapshot.ends_with("\n$PROJECTS\n"),
            "{snapshot}"
        );
        assert!(
            snapshot.contains("TAFFRAIL_HOME=$TAFFRAIL_HOME\n"),
            "{snapshot}"
        );
    }

    #[test]
    fn homes_are_private_and_two_worlds_are_two() {
        let (one, two) = (world(), world());
        let mode = std::fs::metadata(one.taffrail_home())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_ne!(one.mark(), two.mark());
        assert_ne!(one.root(), two.root());
    }

    #[test]
    fn a_world_that_ends_takes_its_strays_with_it() {
        let world = world();
        let mark = world.mark();
        world
            .taffrail(&["-c", "setsid sleep 300 >/dev/null 2>&1 & exit 0"])
            .success();
        // Not before it is the last program that it becomes.
        let is_sleep = |pid: u32| {
            std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
        };
        let there = || matches!(crate::processes_with(&mark)[..], [pid] if is_sleep(pid));
        assert!(crate::eventually(Duration::from_secs(60), there));
        drop(world);
        assert_eq!(crate::processes_with(&mark), Vec::<u32>::new());
    }
}
