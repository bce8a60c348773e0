//! One program run to its end within a limit, and the one place where a test waits.
//!
//! Output goes to files, not to pipes, so that a descendant that keeps a descriptor open cannot hold up the test.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tempfile::NamedTempFile;

use crate::DEFAULT_LIMIT;
use crate::normalise::Normaliser;

/// Pause between two looks of [`eventually`]: short against a process start (about 1 ms), cheap against a core.
const PAUSE: Duration = Duration::from_millis(3);

/// Looks at `condition` until it holds or `limit` is over; says whether it held.
pub fn eventually(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
}

/// A program to run: what is not named here is not there. The environment starts empty.
#[derive(Debug, Clone)]
pub struct Run {
    program: PathBuf,
    args: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    directory: PathBuf,
    input: Vec<u8>,
    limit: Duration,
    normaliser: Normaliser,
}

impl Run {
    /// `program` with `args`, in `/`, with no environment, no input and [`DEFAULT_LIMIT`].
    pub fn new<A: AsRef<OsStr>>(program: impl Into<PathBuf>, args: &[A]) -> Self {
        Self {
            program: program.into(),
            args: args.iter().map(|arg| arg.as_ref().to_owned()).collect(),
            env: BTreeMap::new(),
            directory: PathBuf::from("/"),
            input: Vec::new(),
            limit: DEFAULT_LIMIT,
            normaliser: Normaliser::new(),
        }
    }

    /// With one more variable, or another value for it.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With all of `variables`.
    #[must_use]
    pub fn envs(mut self, variables: &BTreeMap<OsString, OsString>) -> Self {
        self.env.extend(variables.clone());
        self
    }

    /// Without the variable.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.env.remove(OsStr::new(name));
        self
    }

    /// With `directory` as its working directory.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// With `input` on its standard input, then end of file.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Killed, and the test failed, after `limit`.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// With `normaliser` for [`Ran::snapshot`].
    #[must_use]
    pub fn normaliser(mut self, normaliser: Normaliser) -> Self {
        self.normaliser = normaliser;
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started, or does not end within the limit.
    pub fn go(self) -> Ran {
        self.start().wait()
    }

    /// Starts it in a process group of its own and returns at once.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(self) -> Running {
        heed_signals();
        let stdout = NamedTempFile::new().expect("a file for the output");
        let stderr = NamedTempFile::new().expect("a file for the errors");
        let child = Command::new(&self.program)
            .args(&self.args)
            .env_clear()
            .envs(&self.env)
            .current_dir(&self.directory)
            .stdin(input_file(&self.input))
            .stdout(stdout.reopen().expect("the file for the output"))
            .stderr(stderr.reopen().expect("the file for the errors"))
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", self.line()));
        let line = self.line();
        Running {
            child,
            line,
            stdout,
            stderr,
            started: Instant::now(),
            limit: self.limit,
            normaliser: self.normaliser,
        }
    }

    /// The program, its arguments, environment and directory, for [`crate::Terminal`].
    pub(crate) fn into_parts(self) -> (Vec<OsString>, BTreeMap<OsString, OsString>, PathBuf) {
        let mut line = vec![self.program.into_os_string()];
        line.extend(self.args);
        (line, self.env, self.directory)
    }

    fn line(&self) -> String {
        format!(
            "{} {:?} in {}",
            self.program.display(),
            self.args,
            self.directory.display()
        )
    }
}

/// Signals that this process was started with as ignored (a job in the background of a script, `nohup`) would be ignored
/// by what a test starts, too, and a test that sends them would wait in vain. A signal that is caught here is at its
/// default in a started program; what catches it here only does what the default does.
pub(crate) fn heed_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
            signal_hook::flag::register_conditional_default(signal, always)
                .expect("a signal that can be caught");
        }
    });
}

fn input_file(input: &[u8]) -> Stdio {
    if input.is_empty() {
        return Stdio::null();
    }
    let mut file = tempfile::tempfile().expect("a file for the input");
    file.write_all(input).expect("the input written");
    file.rewind().expect("the input rewound");
    Stdio::from(file)
}

/// A program under way. Dropped, it is killed with its process group.
#[derive(Debug)]
pub struct Running {
    child: Child,
    line: String,
    stdout: NamedTempFile,
    stderr: NamedTempFile,
    started: Instant,
    limit: Duration,
    normaliser: Normaliser,
}

impl Running {
    /// Its process id, which is its process group's too.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to its standard output so far.
    pub fn stdout(&self) -> String {
        text_of(self.stdout.path())
    }

    /// What it has written to its standard error so far.
    pub fn stderr(&self) -> String {
        text_of(self.stderr.path())
    }

    /// Waits until its standard output contains `text`.
    ///
    /// # Panics
    /// When that does not happen within `limit`.
    pub fn wait_for(&self, text: &str, limit: Duration) {
        let seen = eventually(limit, || self.stdout().contains(text));
        assert!(
            seen,
            "`{text}` not printed in {limit:?} by {}\n{}",
            self.line,
            self.so_far()
        );
    }

    /// Sends `signal` to the program alone.
    pub fn signal(&self, signal: Signal) {
        rustix::process::kill_process(self.group(), signal).expect("the signal sent");
    }

    /// Sends `signal` to its whole process group, as a terminal does.
    pub fn signal_group(&self, signal: Signal) {
        rustix::process::kill_process_group(self.group(), signal).expect("the signal sent");
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.ended().is_none()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end within its limit; it and its group are killed first.
    pub fn wait(mut self) -> Ran {
        let left = self.limit.saturating_sub(self.started.elapsed());
        let mut status = None;
        let ended = eventually(left, || {
            status = self.ended();
            status.is_some()
        });
        let Some(status) = status.filter(|_| ended) else {
            self.kill();
            panic!(
                "not ended in {:?}: {}\n{}",
                self.limit,
                self.line,
                self.so_far()
            );
        };
        Ran {
            stdout: self.stdout(),
            stderr: self.stderr(),
            code: code_of(status),
            took: self.started.elapsed(),
            normaliser: self.normaliser.clone(),
        }
    }

    /// Kills it and its process group, and reaps it.
    pub fn kill(&mut self) {
        // Both fail only when there is nothing left to kill or to reap.
        rustix::process::kill_process_group(self.group(), Signal::KILL).ok();
        self.child.wait().ok();
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the state of a child")
    }

    fn group(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn so_far(&self) -> String {
        let (stdout, stderr) = (self.stdout(), self.stderr());
        format!(
            "stdout:\n{}\nstderr:\n{}",
            excerpt(&stdout),
            excerpt(&stderr)
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_running() {
            self.kill();
        }
    }
}

fn text_of(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Beginning and end of a text that nobody reads in full: a flood is megabytes of it.
fn excerpt(text: &str) -> Cow<'_, str> {
    /// Bytes of each.
    const END: usize = 16 * 1024;
    if text.len() <= 2 * END {
        return Cow::Borrowed(text);
    }
    let (begins, ends) = (
        text.floor_char_boundary(END),
        text.ceil_char_boundary(text.len() - END),
    );
    let left_out = ends - begins;
    let (begin, end) = (&text[..begins], &text[ends..]);
    Cow::Owned(format!("{begin}\n[{left_out} bytes left out]\n{end}"))
}

/// The exit code, or 128 and the number of the signal that ended it, as a shell says it.
pub(crate) fn code_of(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// A program that ended.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Its standard output; bytes that are not UTF-8 replaced.
    pub stdout: String,
    /// Its standard error; bytes that are not UTF-8 replaced.
    pub stderr: String,
    /// Its exit code; 128 and the signal's number when a signal ended it.
    pub code: i32,
    /// From its start to its end.
    pub took: Duration,
    normaliser: Normaliser,
}

impl Ran {
    /// Itself, when the exit code is `code`.
    ///
    /// # Panics
    /// With its output, as [`Ran::told`] tells it, when the exit code is another.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "exit code\n{}", self.told());
        self
    }

    /// Itself, when it ended with 0.
    ///
    /// # Panics
    /// With its output, as [`Ran::told`] tells it, when it did not.
    #[track_caller]
    pub fn success(self) -> Self {
        self.expect_code(0)
    }

    /// Its standard output as JSON.
    ///
    /// # Panics
    /// When it is not one JSON value.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not JSON: {error}\n{}", self.told()))
    }

    /// Exit code, standard output and standard error in one text, with paths, ids, hashes and times made equal.
    pub fn snapshot(&self) -> String {
        self.normaliser
            .apply(&self.plain(&self.stdout, &self.stderr))
    }

    /// Exit code, standard output and standard error for the message of a failed test: of what is longer than 32 KiB the
    /// beginning and the end.
    pub fn told(&self) -> String {
        self.plain(&excerpt(&self.stdout), &excerpt(&self.stderr))
    }

    fn plain(&self, stdout: &str, stderr: &str) -> String {
        let mut out = format!("exit: {}\n", self.code);
        for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            if !text.is_empty() {
                out.push_str(&format!("--- {name}\n{text}"));
                if !text.ends_with('\n') {
                    out.push_str("<no newline>\n");
                }
            }
        }
        out
    }
}

/// A file that holds `bytes`, with all directories above it.
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent).unwrap_or_else(|e| panic!("{}: {e}", parent.display()));
    let mut file = File::create(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    file.write_all(bytes)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// A program of these bytes at `path`, which may be started at once, with all directories above it.
///
/// Another process writes it: every test beside this one forks, and what a fork holds open for writing until it becomes
/// another program, the kernel starts for nobody (`ETXTBSY`).
///
/// # Panics
/// When it cannot be written.
pub fn executable(path: &Path, bytes: impl AsRef<[u8]>) {
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent).unwrap_or_else(|e| panic!("{}: {e}", parent.display()));
    in_a_shell(r#"cat >"$0" && chmod 755 "$0""#, &[path], bytes.as_ref());
}

/// A copy of the program `from` at `to`, made as [`executable`] makes one.
///
/// # Panics
/// When it cannot be copied.
pub fn executable_copy(from: &Path, to: &Path) {
    in_a_shell(r#"cp "$0" "$1""#, &[from, to], &[]);
}

fn in_a_shell(script: &str, paths: &[&Path], input: &[u8]) {
    let mut args = vec![OsStr::new("-c"), OsStr::new(script)];
    args.extend(paths.iter().map(|path| path.as_os_str()));
    let run = Run::new("/bin/sh", &args).env("PATH", "/usr/bin:/bin");
    run.input(input).go().success();
}

#[cfg(test)]
mod tests;
