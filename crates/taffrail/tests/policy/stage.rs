//! A shell in which no program is real, and command lines that nobody wrote.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{ALLOW, lines};

/// A shell in which no program is real: each one writes down the words that it was started with.
pub struct Stage {
    folder: tempfile::TempDir,
    /// Commands that were run so far.
    runs: Cell<u32>,
}

/// Programs that run others do so; what they run is on the stage too.
const WRAPPERS: &[&str] = &["timeout", "nice", "env", "stdbuf", "ionice"];
const SHELLS: &[&str] = &["bash", "sh"];
const PROGRAMS: &[&str] = &["git", "rm", "curl", "touch", "python3", "make", "sudo"];

impl Stage {
    pub fn new() -> Self {
        let stage = Self {
            folder: tempfile::tempdir().unwrap(),
            runs: Cell::new(0),
        };
        for folder in ["written", "tree/src"] {
            fs::create_dir_all(stage.path(folder)).unwrap();
        }
        let reads =
            lines(ALLOW).filter_map(|line| line.split_whitespace().next().map(str::to_owned));
        let names = reads.chain(PROGRAMS.iter().map(|name| (*name).to_owned()));
        for name in names.filter(|name| {
            name.bytes()
                .all(|at| at.is_ascii_alphanumeric() || at == b'_')
        }) {
            stage.stub(&name, "");
        }
        for name in WRAPPERS {
            stage.stub(name, &format!("exec /usr/bin/{name} \"$@\"\n"));
        }
        for name in SHELLS {
            stage.stub(name, &format!("exec /bin/{name} \"$@\"\n"));
        }
        // What another program copied can be started at once: what is open for writing here is so in every child that is
        // just being started, too.
        let copied = Command::new("/bin/cp")
            .args(["-r", "written", "bin"])
            .current_dir(stage.folder.path())
            .status();
        assert!(copied.unwrap().success());
        // What bash would do by itself is done by a stub too; what is no stub is written down all the same.
        let start = format!(
            "enable -n echo printf test [ pwd true false type kill\n\
             command_not_found_handle() {{ {} }}\n",
            log("\"$@\"")
        );
        fs::write(stage.path("start"), start).unwrap();
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn stub(&self, name: &str, then: &str) {
        let path = self.path("written").join(name);
        let words = log(&format!("{name} \"$@\""));
        fs::write(&path, format!("#!/bin/sh\n{words}\n{then}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Every argv that these bytes start, by themselves.
    pub fn run(&self, command: &str) -> BTreeSet<Vec<String>> {
        // A file of its own: what a command leaves in the background may still write when the next one runs.
        self.runs.set(self.runs.get() + 1);
        let seen = self.path(&format!("seen-{}", self.runs.get()));
        fs::write(&seen, "").unwrap();
        Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "-c", command])
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("BASH_ENV", self.path("start"))
            .env("SEEN", &seen)
            .env("LANG", "C.UTF-8")
            .current_dir(self.path("tree"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let seen = fs::read_to_string(seen).unwrap();
        let records = seen.split('\u{1e}').filter(|record| !record.is_empty());
        records
            .map(|record| record.split('\u{1f}').skip(1).map(str::to_owned).collect())
            .collect()
    }
}

/// Shell text that writes words down, in one write: the stages of a pipe write at the same time.
fn log(words: &str) -> String {
    format!(
        "seen=; for word in {words}; do seen=\"${{seen}}\u{1f}${{word}}\"; done; \
         /usr/bin/printf '%s' \"${{seen}}\u{1e}\" >> \"$SEEN\";"
    )
}

/// Words of the generated lines.
const WORDS: &[&str] = &[
    "ls",
    "cat",
    "echo",
    "a",
    "'b c'",
    "\"d e\"",
    "f\\ g",
    "-n",
    "--",
    "''",
    "\"\"",
    "x'y'z",
    "\"p\"'q'",
    "\\\\",
    "README.md",
    "2",
    "1",
    "src",
    "-la",
    "true",
    "a=b",
    "rm",
    "'$HOME'",
    "\"\\$x\"",
    "'a;b'",
    "\"a|b\"",
    "a#b",
    "@",
    "%",
    "+",
    ",",
    ":",
    "^",
    "=",
    "!",
    "{}",
    "\\;",
    "'\n'",
    "é",
    "'é'",
    "timeout",
    "5",
    "nice",
    "env",
    "time",
    "]",
    "bash",
    "-c",
    "'ls; pwd'",
    "\"echo 'x y'\"",
    "$x",
    "*",
    "~",
    "#",
    "`id`",
    "$(rm)",
    "rm -rf a",
    "command",
];
/// What stands between them.
const JOINS: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    "; ",
    " && ",
    " || ",
    " | ",
    "\n",
    " & ",
    ";",
    "|",
    "  ",
    "\t",
    " 2>&1 ",
    " >/dev/null ",
    " 2>/dev/null | ",
];

/// Command lines put together from parts, by a generator with a fixed beginning.
pub fn generated(count: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let starts = [
        "ls",
        "echo",
        "cat",
        "echo",
        "pwd; echo",
        "timeout 5 echo",
        "bash -c",
    ];
    let mut lines = Vec::new();
    while lines.len() < count {
        let mut line = starts[next(starts.len())].to_owned();
        for _ in 0..=next(5) {
            line.push_str(JOINS[next(JOINS.len())]);
            line.push_str(WORDS[next(WORDS.len())]);
        }
        lines.push(line);
    }
    lines
}
