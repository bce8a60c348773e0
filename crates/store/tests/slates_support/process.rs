//! Starts the test binary again as another process, and talks with it in lines.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Starts a process.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use taffrail_store::{Home, SlateFolder};

const HOME: &str = "TAFFRAIL_SLATES_TEST_HOME";
const TASK: &str = "TAFFRAIL_SLATES_TEST_TASK";

/// What this process was started for, in one that was started by [`spawn`].
pub fn task() -> Option<(SlateFolder, String)> {
    let home = Home::at(env::var_os(HOME)?.as_ref()).unwrap();
    Some((super::folder(&home), env::var(TASK).unwrap()))
}

/// Starts the test `child` of this binary.
pub fn spawn(home: &Home, task: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(HOME, home.root())
        .env(TASK, task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The rest of the next line that begins so.
pub fn next(lines: &mut BufReader<ChildStdout>, begins: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(
            lines.read_line(&mut line).unwrap() > 0,
            "it ended before it said {begins}"
        );
        if let Some(rest) = line.trim_end().strip_prefix(begins) {
            return rest.to_owned();
        }
    }
}
