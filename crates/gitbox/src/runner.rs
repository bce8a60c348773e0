//! The one runner of git (CNF-06): cleared environment, no system or global config, nothing of the repository runs.
//!
//! Knows how git is asked, not what for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_confine::env::{ChildEnv, Environment};
use taffrail_confine::tool::{Tool, ToolError, ToolLimits, ToolOutput, ToolSession};
use taffrail_domain::Ended;

use crate::error::GitError;

/// The oldest git that knows `GIT_CONFIG_GLOBAL`, without which the operator's config would be read.
const FLOOR: (u32, u32) = (2, 32);
const FLOOR_TEXT: &str = "2.32";
/// One question about a repository. Measured: 2–5 ms.
const SHORT: Duration = Duration::from_secs(60);
/// Standard output of one question. The listing of a tree with two million paths fits.
const STDOUT: usize = 512 * 1024 * 1024;
/// Standard error that is kept of one run.
const STDERR: usize = 64 * 1024;
/// Standard error that an error carries.
const STDERR_SHOWN: usize = 2_000;

/// Config that overrides the repository's, on every command line. Each line closes a door that a repository's own
/// config opens; filters and diff drivers have free names and cannot be closed here, so no command that asks for one
/// is ever run in the operator's repository.
const GUARDS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "index.sparse=false",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.ignoreCase=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.autocrlf=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.logAllRefUpdates=false",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "gpg.program=false",
    "submodule.recurse=false",
    "apply.ignoreWhitespace=no",
    "apply.whitespace=nowarn",
    "fetch.recurseSubmodules=false",
    "i18n.commitEncoding=UTF-8",
    "safe.bareRepository=explicit",
    "advice.detachedHead=false",
];

/// The environment besides the search path.
const SET: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("GIT_ADVICE", "0"),
    ("GIT_PROGRESS_DELAY", "0"),
    ("GIT_TRACE2", "0"),
    // Not a folder: nothing is found beneath it, and nothing can be put there.
    ("HOME", "/dev/null"),
    ("XDG_CONFIG_HOME", "/dev/null"),
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
    ("TZ", "UTC"),
];

/// What of the operator's environment says where git's config is, to read the operator's name from.
const CONFIG_NAMES: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// git, as Taffrail runs it.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    environment: Environment,
}

impl Git {
    /// The git at `program`: an absolute path, or a bare name that is looked up in the operator's `PATH`.
    pub fn new(program: PathBuf, environment: &Environment) -> Self {
        Self {
            program,
            environment: environment.clone(),
        }
    }

    /// The version, `2.47.3`.
    ///
    /// # Errors
    /// [`GitError::Missing`], and [`GitError::TooOld`] below 2.32.
    pub fn version(&self) -> Result<String, GitError> {
        let text = self.call(["version"], Path::new("/")).text()?;
        let number = text.split(' ').nth(2).unwrap_or(&text).to_owned();
        let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
        if (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < FLOOR {
            return Err(GitError::TooOld {
                found: number,
                floor: FLOOR_TEXT,
            });
        }
        Ok(number)
    }

    /// The operator's environment.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// A git command that runs in `cwd`.
    pub(crate) fn call<const N: usize>(&self, args: [&str; N], cwd: &Path) -> Call<'_> {
        let guards = GUARDS
            .iter()
            .flat_map(|guard| ["-c", guard])
            .chain(["--no-pager"])
            .chain(args);
        Call {
            program: &self.program,
            command: args.first().map_or("", |name| name).to_owned(),
            args: guards.map(OsString::from).collect(),
            env: self.child_env(),
            cwd: cwd.to_owned(),
            time: SHORT,
            stdin: Vec::new(),
        }
    }

    /// `config --list` that also reads the operator's own files. Reading config runs nothing.
    pub(crate) fn operator_config(&self, cwd: &Path) -> Call<'_> {
        let mut call = self.call([], cwd);
        call.command = "config".to_owned();
        call.args = ["config", "--list", "-z", "--includes"]
            .map(OsString::from)
            .to_vec();
        let unset = [
            "GIT_CONFIG_NOSYSTEM",
            "GIT_CONFIG_SYSTEM",
            "GIT_CONFIG_GLOBAL",
        ];
        let env = unset.into_iter().fold(call.env, ChildEnv::unset);
        call.env = CONFIG_NAMES
            .iter()
            .fold(env, |env, name| match self.environment.get(name) {
                Some(value) => env.set(name, value),
                None => env,
            });
        call
    }

    fn child_env(&self) -> ChildEnv {
        let env = ChildEnv::cleared().pass(&self.environment, &["PATH".to_owned()]);
        SET.iter()
            .fold(env, |env, (name, value)| env.set(name, value))
    }
}

/// One run of git that is being put together.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    program: &'a Path,
    command: String,
    args: Vec<OsString>,
    env: ChildEnv,
    cwd: PathBuf,
    time: Duration,
    stdin: Vec<u8>,
}

impl Call<'_> {
    /// In this repository, whatever is found above the working directory.
    pub(crate) fn repository(self, git_dir: &Path) -> Self {
        self.env("GIT_DIR", git_dir)
    }

    /// With the objects in this folder besides the repository's own.
    pub(crate) fn also_objects(self, folder: &Path) -> Self {
        let list = quoted_for_list(folder);
        self.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", list)
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, value: impl AsRef<OsStr>) -> Self {
        self.args.push(value.as_ref().to_owned());
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env = self.env.set(name, value);
        self
    }

    /// What git reads.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// For work that grows with the repository.
    pub(crate) fn long(mut self) -> Self {
        self.time = Duration::from_secs(30 * 60);
        self
    }

    /// For a question that nobody waits longer for.
    pub(crate) fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Runs it; a failure of git is not an error.
    pub(crate) fn output(self) -> Result<ToolOutput, GitError> {
        let tool = self.tool();
        tool.run(&self.stdin).map_err(|source| self.error(source))
    }

    /// Standard output of a run that must succeed.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, GitError> {
        self.watched(&mut |_| ())
    }

    /// As [`bytes`](Self::bytes), with standard error as it comes.
    pub(crate) fn watched(self, on_stderr: &mut dyn FnMut(&[u8])) -> Result<Vec<u8>, GitError> {
        let tool = self.tool();
        let output = tool
            .watch(&self.stdin, on_stderr)
            .map_err(|source| self.error(source))?;
        match output.ended {
            Ended::Exited(0) => Ok(output.stdout),
            _ => Err(failed(&self.command, &output)),
        }
    }

    /// Standard output of a run that must succeed, without its last newline.
    pub(crate) fn path(self) -> Result<PathBuf, GitError> {
        let bytes = self.bytes()?;
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        Ok(PathBuf::from(OsStr::from_bytes(line)))
    }

    /// Standard output of a run that must succeed, as trimmed text.
    pub(crate) fn text(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.bytes()?).trim().to_owned())
    }

    /// Starts it for questions and answers.
    pub(crate) fn session(self) -> Result<ToolSession, GitError> {
        self.tool().session().map_err(|source| self.error(source))
    }

    fn tool(&self) -> Tool {
        Tool {
            program: self.program.to_owned(),
            args: self.args.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            limits: ToolLimits {
                time: self.time,
                stdout: STDOUT,
                stderr: STDERR,
            },
        }
    }

    fn error(&self, source: ToolError) -> GitError {
        tool_error(&self.command, source)
    }
}

/// What a tool's failure means for git.
pub(crate) fn tool_error(command: &str, source: ToolError) -> GitError {
    let command = command.to_owned();
    match source {
        ToolError::Missing { program } => GitError::Missing { program },
        ToolError::TimedOut { limit, .. } => GitError::TimedOut { command, limit },
        source => GitError::Tool { command, source },
    }
}

/// The error of a run that ended otherwise than well.
pub(crate) fn failed(command: &str, output: &ToolOutput) -> GitError {
    GitError::Failed {
        command: command.to_owned(),
        code: match output.ended {
            Ended::Exited(code) => format!("exit code {code}"),
            Ended::Signalled(signal) => format!("signal {signal}"),
        },
        stderr: shown_stderr(output),
    }
}

/// The end of standard error, lossy.
pub(crate) fn shown_stderr(output: &ToolOutput) -> String {
    let start = output.stderr.len().saturating_sub(STDERR_SHOWN);
    let end = output.stderr.get(start..).unwrap_or_default();
    String::from_utf8_lossy(end).trim().to_owned()
}

/// A path as git takes it in a list of paths that are separated by colons.
fn quoted_for_list(path: &Path) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut text = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'"');
    OsString::from_vec(text)
}
