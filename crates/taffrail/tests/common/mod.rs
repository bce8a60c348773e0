//! What the tests of promises share: a project with everything in it, boxes around shell scripts, a person who
//! answers on a terminal, and a look at which processes of a run are left.
// Each test program uses a part of it.
#![allow(dead_code)]

pub mod external;
pub mod http;
pub mod mcp;
pub mod memory;
pub mod scene;
pub mod slates;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use taffrail_testkit::{
    Hermetic, Key, Ran, Repo, Run, Running, Terminal, TerminalSize, eventually,
};

/// Longer than anything here takes on a loaded machine; reaching it fails the test.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// CNF-05: what a run may leave, and for how long.
pub const BOUND: Duration = Duration::from_secs(2);
/// What two cores with twenty others on them get beyond [`BOUND`]. What nobody ends stays for minutes, and is told from that.
pub const MARGIN: Duration = Duration::from_secs(20);

/// A world around the binary under test. With `TAFFRAIL_TEST_RUNG=partial` no box has bubblewrap.
pub fn world() -> Hermetic {
    let mut world = Hermetic::new(env!("CARGO_BIN_EXE_taffrail"));
    if is_held_to_partial() {
        world.set_env("TAFFRAIL_BWRAP", "/nowhere/bwrap");
    }
    world
}

fn is_held_to_partial() -> bool {
    std::env::var_os("TAFFRAIL_TEST_RUNG").is_some_and(|rung| rung == "partial")
}

/// Whether boxes have bubblewrap: known only in the second suite, which fails without it.
pub fn surely_bubblewrapped() -> bool {
    cfg!(feature = "peers") && !is_held_to_partial()
}

/// A repository with an operator's name, a commit of several kinds of files, and work of all kinds under way.
pub fn project(world: &Hermetic) -> Repo {
    let repo = committed(world);
    repo.file("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    repo.file("README.md", "# Project\n\nbeing edited\n");
    repo.file("untracked.txt", "not added\n");
    repo.file("build/out.o", "ignored\n");
    repo
}

/// The same without any work under way.
pub fn committed(world: &Hermetic) -> Repo {
    let repo = world.repo("project");
    repo.config("user.name", "Ada Operator");
    repo.config("user.email", "ada@example.invalid");
    repo.file("README.md", "# Project\n")
        .file("src/main.txt", "one\ntwo\nthree\n")
        .file(".gitignore", "build/\n")
        .executable("run.sh", "#!/bin/sh\necho run\n")
        .link("link", "README.md");
    repo.commit("start");
    repo
}

/// `taffrail box FLAGS -- sh -c SCRIPT` in the project, not started.
pub fn boxed(world: &Hermetic, repo: &Repo, flags: &[&str], script: &str) -> Run {
    let mut line = vec!["box"];
    line.extend(flags);
    line.extend(["--", "sh", "-c", script]);
    world.command(&line).in_directory(repo.root())
}

/// The same on a terminal.
pub fn boxed_terminal(world: &Hermetic, repo: &Repo, flags: &[&str], script: &str) -> Terminal {
    let mut line = vec!["box"];
    line.extend(flags);
    line.extend(["--", "sh", "-c", script]);
    world.terminal(repo.root(), &line)
}

/// A box named `name` that ran `script` to its end and waits for a decision.
pub fn waiting(world: &Hermetic, repo: &Repo, name: &str, script: &str) {
    let ran = boxed(world, repo, &["--name", name], script).go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A command of taffrail in the project, to its end.
pub fn taffrail(world: &Hermetic, repo: &Repo, args: &[&str]) -> Ran {
    world.taffrail_in(repo.root(), args)
}

/// The `data` of a command that answers in JSON.
#[track_caller]
pub fn data(world: &Hermetic, repo: &Repo, args: &[&str]) -> serde_json::Value {
    let ran = taffrail(world, repo, args).success();
    ran.json()["data"].clone()
}

/// What `box review --json` says of a box.
#[track_caller]
pub fn review(world: &Hermetic, repo: &Repo, name: &str) -> serde_json::Value {
    data(world, repo, &["box", "review", "--json", name])
}

/// The digits that confirm a landing.
#[track_caller]
pub fn digits(world: &Hermetic, repo: &Repo, name: &str) -> String {
    let answer = review(world, repo, name);
    let hash = answer["change"]["hash"].as_str().unwrap_or_default();
    hash.chars().take(12).collect()
}

/// `taffrail box land` on a terminal, each flag confirmed as it is asked for, the digits typed as `typed` says.
/// The exit code and what was on the screen.
pub fn land_typing(
    world: &Hermetic,
    repo: &Repo,
    args: &[&str],
    flags: &[&str],
    typed: Option<&str>,
) -> (i32, String) {
    let mut line = vec!["box", "land"];
    line.extend(args);
    let mut terminal = world.terminal(repo.root(), &line);
    for flag in flags {
        terminal.wait_for(&format!("type {flag} to confirm"), PATIENCE);
        terminal.send(flag);
        terminal.key(Key::Enter);
    }
    if let Some(typed) = typed {
        terminal.wait_for("digits of its hash", PATIENCE);
        terminal.send(typed);
        terminal.key(Key::Enter);
    }
    let code = terminal.wait_exit(PATIENCE);
    (
        code,
        String::from_utf8_lossy(&terminal.raw()).replace('\r', ""),
    )
}

/// A question drops the keys that were pressed within 300 ms of its drawing. It is quiet for longer than that, on a loaded
/// machine too.
const GUARD: Duration = Duration::from_secs(1);
/// After this time a key counts as dropped, and a person presses it again.
const REACTION: Duration = Duration::from_secs(20);

/// Presses a key at a question that stands on the screen, once it takes one, until the screen shows `until`.
#[track_caller]
pub fn press(terminal: &Terminal, key: &str, until: &str) {
    for _ in 0..4 {
        press_once(terminal, key);
        if terminal.wait_until(REACTION, |screen| screen.contents().contains(until)) {
            return;
        }
    }
    panic!("no `{until}` after `{key}`:\n{}", terminal.screen());
}

/// Presses a key at a question that stands on the screen, once it takes one.
#[track_caller]
pub fn press_once(terminal: &Terminal, key: &str) {
    terminal.wait_for("[n]o", PATIENCE);
    terminal.wait_quiet(GUARD, PATIENCE);
    terminal.send(key);
}

/// A command of taffrail on a terminal in which this line was typed before it was started.
pub fn typed_ahead(world: &Hermetic, repo: &Repo, args: &[&str], line: &str) -> Terminal {
    let go = world.root().join("go").display().to_string();
    let waits = r#"until [ -e "$0" ]; do sleep 0.02; done; exec "$@""#;
    let words = ["-c", waits, &go, env!("CARGO_BIN_EXE_taffrail")];
    let run = world.program("/bin/sh", &[&words, args].concat());
    let run = run.in_directory(repo.root()).env("TERM", "xterm-256color");
    let terminal = Terminal::spawn(run, TerminalSize::default());
    terminal.send(format!("{line}\r"));
    // What is echoed is in the queue.
    let stands = terminal.wait_until(PATIENCE, |screen| {
        screen.contents().contains(line) && screen.cursor_position().0 > 0
    });
    assert!(stands, "{}", terminal.screen());
    std::fs::write(go, "").expect("a file");
    terminal
}

/// Lands a box whose change holds these flags, as a person does, and returns what was said.
#[track_caller]
pub fn land(world: &Hermetic, repo: &Repo, name: &str, flags: &[&str]) -> String {
    let digits = digits(world, repo, name);
    let (code, said) = land_typing(world, repo, &[name], flags, Some(&digits));
    assert_eq!(code, 0, "{said}");
    said
}

/// The branch that a landing said it made.
pub fn branch_of(said: &str) -> String {
    let after = said.split("landed as branch ").nth(1).unwrap_or_default();
    after
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The folders below the home's `checkouts/`.
pub fn checkouts(world: &Hermetic) -> Vec<PathBuf> {
    let folder = world.taffrail_home().join("checkouts");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// A folder for `PATH` in which the usual tools are, and no agent that this machine may have.
pub fn tools(world: &Hermetic) -> PathBuf {
    let folder = world.directory("tools-alone");
    let path = world.env().get(OsStr::new("PATH"));
    let places: Vec<PathBuf> = std::env::split_paths(path.expect("a PATH")).collect();
    for tool in ["git", "sh", "bash", "touch", "sleep", "bwrap"] {
        let found = places.iter().map(|place| place.join(tool));
        if let Some(found) = found.into_iter().find(|place| place.exists()) {
            std::os::unix::fs::symlink(found, folder.join(tool)).expect("a link");
        }
    }
    folder
}

/// Waits until a file appears anywhere below the world's checkouts, and says where.
#[track_caller]
pub fn wait_for_file(world: &Hermetic, name: &str) -> PathBuf {
    let mut found = None;
    let there = eventually(PATIENCE, || {
        let mut places = checkouts(world)
            .into_iter()
            .map(|path| path.join("box/wt").join(name));
        found = places.find(|path| path.exists());
        found.is_some()
    });
    assert!(there, "`{name}` did not appear in a checkout");
    found.unwrap_or_default()
}

/// A process, told from a later one with its pid by its start.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub pid: i32,
    pub started: u64,
    pub line: String,
}

impl Process {
    /// Whether it still runs; a zombie does not.
    pub fn lives(&self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.started == self.started && !stat.over)
    }

    /// Sends it a signal; one that is gone is no error.
    pub fn signal(&self, signal: Signal) {
        if let Some(pid) = Pid::from_raw(self.pid) {
            rustix::process::kill_process(pid, signal).ok();
        }
    }
}

struct Stat {
    parent: i32,
    started: u64,
    over: bool,
}

/// Fields 3, 4 and 22 of `/proc/<pid>/stat`, counted after the name, which may hold blanks and brackets.
fn stat(pid: i32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let words: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Stat {
        over: matches!(words.first(), Some(&"Z" | &"X")),
        parent: words.get(1)?.parse().ok()?,
        started: words.get(19)?.parse().ok()?,
    })
}

fn pids() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("the process table");
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn process(pid: i32) -> Option<Process> {
    let stat = stat(pid).filter(|stat| !stat.over)?;
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    Some(Process {
        pid,
        started: stat.started,
        line,
    })
}

/// Everything that descends from a process, itself excepted.
pub fn descendants(ancestor: u32) -> Vec<Process> {
    let table: Vec<(i32, i32)> = pids()
        .into_iter()
        .filter_map(|pid| Some((pid, stat(pid)?.parent)))
        .collect();
    let mut below = BTreeSet::from([ancestor.cast_signed()]);
    loop {
        let more: Vec<i32> = table
            .iter()
            .filter(|(pid, parent)| below.contains(parent) && !below.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        if more.is_empty() {
            below.remove(&ancestor.cast_signed());
            return below.into_iter().filter_map(process).collect();
        }
        below.extend(more);
    }
}

/// The supervisor of a taffrail that runs a box.
#[track_caller]
pub fn supervisor_of(taffrail: u32) -> Process {
    let is_supervisor = |process: &Process| process.line.contains("__supervise");
    descendants(taffrail)
        .into_iter()
        .find(is_supervisor)
        .expect("a supervisor below taffrail")
}

/// Processes of a world's boxes by any trace they carry: the environment, the arguments or the working directory
/// name its folder. A process of this user that empties all three cannot be told from any other.
pub fn traces_of(world: &Hermetic) -> Vec<Process> {
    let root = world.root().to_string_lossy().into_owned();
    let own = std::process::id().cast_signed();
    let names = |path: String| {
        std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&root))
    };
    let stands = |pid: i32| {
        std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&root))
    };
    let traced = |pid: &i32| {
        names(format!("/proc/{pid}/environ"))
            || names(format!("/proc/{pid}/cmdline"))
            || stands(*pid)
    };
    pids()
        .into_iter()
        .filter(|pid| *pid != own)
        .filter(traced)
        .filter_map(process)
        .collect()
}

/// Nothing of `before` and nothing with a trace of the world is left within [`BOUND`] of `ended`, and [`MARGIN`].
#[track_caller]
pub fn assert_none_left(world: &Hermetic, before: &[Process], ended: Instant) {
    let mut left = Vec::new();
    let bound = BOUND + MARGIN;
    let gone = eventually(bound.saturating_sub(ended.elapsed()), || {
        left = before
            .iter()
            .filter(|process| process.lives())
            .cloned()
            .collect();
        left.extend(traces_of(world));
        left.is_empty()
    });
    assert!(gone, "left {:?} after the end: {left:#?}", ended.elapsed());
}

/// Kills a taffrail as `kill -9` does, and waits until it is gone. What it had started is not touched.
pub fn kill_nine(running: Running) {
    running.signal(Signal::KILL);
    let ran = running.wait();
    assert_eq!(ran.code, 128 + 9, "{}", ran.stderr);
}

/// Everything below a folder as text, for a look that no secret is in it.
pub fn holds(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&place) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() => {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    if bytes.windows(needle.len()).any(|window| window == needle) {
                        found.push(path);
                    }
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    found
}
