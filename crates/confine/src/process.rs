//! Facts about processes: who they are, whether they still live, which of them belong to a run.
//!
//! Must not know: what a run is for, the sandbox, the store. A process is named by pid, start time and boot id,
//! because a pid alone is handed out again. Elsewhere than on Linux no process is known, and no box starts.

#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use taffrail_domain::RunId;

#[cfg(target_os = "linux")]
pub(crate) mod table;

/// The environment variable that marks every process of a run; its value is the shown form of the run's id.
///
/// A process can leave the mark behind by starting another program without it, so it finds what was left over after
/// a crash and is never the only means while a run goes on.
pub const MARKER: &str = "TAFFRAIL_RUN";

/// How long [`sweep_marked`] goes on looking: a killed process leaves within milliseconds unless the kernel holds it.
#[cfg(target_os = "linux")]
const SWEEP_LIMIT: Duration = Duration::from_secs(2);
/// Looks in a row that have to find nothing. A process that is becoming another program has no environment to be known
/// by for a moment, and one whose parent ends meanwhile is in nobody's list of children.
#[cfg(target_os = "linux")]
const EMPTY_LOOKS: u32 = 3;

/// One process of this machine, for as long as the machine is up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The process id, in the namespace of Taffrail itself.
    pub pid: i32,
    /// Clock ticks between the start of the machine and that of the process.
    pub start_ticks: u64,
    /// The random id of this start of the machine.
    pub boot_id: String,
}

impl ProcessId {
    /// The calling process. `None` where there is no `/proc`.
    pub fn current() -> Option<Self> {
        Self::of(rustix::process::getpid().as_raw_nonzero().get())
    }

    /// The process that has this pid now. `None` if there is none, or if it has ended and waits to be reaped.
    #[cfg(target_os = "linux")]
    pub fn of(pid: i32) -> Option<Self> {
        let entry = table::entry(pid).filter(|entry| !entry.is_over())?;
        Some(Self {
            pid,
            start_ticks: entry.start_ticks,
            boot_id: boot_id()?,
        })
    }

    /// No process is known here.
    #[cfg(not(target_os = "linux"))]
    pub fn of(_: i32) -> Option<Self> {
        None
    }

    /// Whether this very process still runs: same start of the machine, same pid, same start time.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

#[cfg(target_os = "linux")]
fn boot_id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

/// Keeps other processes of the same user from reading or tracing this one, and its memory out of core files.
///
/// Linux forgets it when a program is started, so children are as open as before. Root can still look.
#[cfg(target_os = "linux")]
pub fn harden() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit};
    // Neither can fail for the calling process: both only take rights away from it. A kernel that refuses leaves
    // us as any other program is.
    may_fail(rustix::process::set_dumpable_behavior(
        DumpableBehavior::NotDumpable,
    ));
    let none = Rlimit {
        current: Some(0),
        maximum: rustix::process::getrlimit(Resource::Core).maximum,
    };
    may_fail(rustix::process::setrlimit(Resource::Core, none));
}

/// Nothing to harden with here.
#[cfg(not(target_os = "linux"))]
pub fn harden() {}

/// Takes an outcome whose failure changes nothing; the place of the call says why.
#[cfg(target_os = "linux")]
pub(crate) fn may_fail<T, E>(outcome: Result<T, E>) {
    drop(outcome.ok());
}

/// What a sweep found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Processes that were killed.
    pub killed: usize,
    /// Processes that were still there after two seconds: the kernel does not let go of them.
    pub left: usize,
}

/// Kills every process of this user that carries the mark of a run, but not the caller.
///
/// For a run whose supervisor is gone: a living run would be killed with it.
#[cfg(target_os = "linux")]
pub fn sweep_marked(run: &RunId) -> Swept {
    kill_until_gone(SWEEP_LIMIT, || marked(&run.short()))
}

/// No process is known here.
#[cfg(not(target_os = "linux"))]
pub fn sweep_marked(_: &RunId) -> Swept {
    Swept::default()
}

/// The processes of this user, the caller excepted, that carry the mark of this run.
#[cfg(target_os = "linux")]
pub(crate) fn marked(run: &str) -> Vec<table::Entry> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let is_marked =
        |entry: &table::Entry| entry.pid != own && mark_of(entry.pid).as_deref() == Some(run);
    table::entries().into_iter().filter(is_marked).collect()
}

/// The run whose mark a process carries. `None` also where the process may not be looked at.
#[cfg(target_os = "linux")]
pub(crate) fn mark_of(pid: i32) -> Option<String> {
    use std::os::unix::ffi::OsStrExt;
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let prefix = format!("{MARKER}=");
    let value = environ
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(prefix.as_bytes()))?;
    Some(
        std::ffi::OsStr::from_bytes(value)
            .to_string_lossy()
            .into_owned(),
    )
}

/// The command lines of the calling process's ancestors, the nearest first, as far as they can be seen.
#[cfg(target_os = "linux")]
pub fn ancestors() -> Vec<Vec<String>> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let parent = |pid: &i32| {
        table::entry(*pid)
            .map(|entry| entry.parent)
            .filter(|pid| *pid > 0)
    };
    let chain = std::iter::successors(parent(&own), parent);
    // Deeper than any real one: a process table that changes meanwhile cannot make a circle of it.
    chain.take(64).filter_map(command_line).collect()
}

/// No process is known here.
#[cfg(not(target_os = "linux"))]
pub fn ancestors() -> Vec<Vec<String>> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn command_line(pid: i32) -> Option<Vec<String>> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = line
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty());
    Some(
        words
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect(),
    )
}

/// Kills what `find` finds until it finds nothing more, at most for `limit`. Reaps what is a child of the caller.
#[cfg(target_os = "linux")]
pub(crate) fn kill_until_gone(limit: Duration, find: impl Fn() -> Vec<table::Entry>) -> Swept {
    let end = Instant::now() + limit;
    let (mut seen, mut empty) = (std::collections::BTreeSet::new(), 0);
    loop {
        let found = find();
        for entry in &found {
            if table::signal(entry, rustix::process::Signal::KILL) {
                seen.insert((entry.pid, entry.start_ticks));
            }
            table::reap(entry.pid);
        }
        empty = if found.is_empty() { empty + 1 } else { 0 };
        if empty == EMPTY_LOOKS || Instant::now() > end {
            return Swept {
                killed: seen.len(),
                left: found.len(),
            };
        }
        // Nothing to wait on: these are not our children. One tick of the kernel's slowest timer.
        std::thread::sleep(Duration::from_millis(4));
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleeper(mark: &str) -> Child {
        let child = Command::new("sleep")
            .arg("60")
            .env(MARKER, mark)
            .spawn()
            .unwrap();
        // Started is not yet `sleep`: until it is, it has no environment to be known by.
        while mark_of(child.id() as i32).as_deref() != Some(mark) {
            std::thread::yield_now();
        }
        child
    }

    #[test]
    fn rev_03_the_test_runner_stands_above_what_it_starts() {
        // This thread's process was started by something, unless it is the first of its namespace.
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        let expected = parent.and_then(command_line);
        assert_eq!(ancestors().first().cloned(), expected);
    }

    #[test]
    fn cnf_05_a_process_is_named_by_pid_start_and_boot() {
        let own = ProcessId::current().unwrap();
        assert!(own.is_alive());
        let reused = ProcessId {
            start_ticks: own.start_ticks + 1,
            ..own.clone()
        };
        let other_boot = ProcessId {
            boot_id: "0".into(),
            ..own
        };
        assert!(!reused.is_alive() && !other_boot.is_alive());
    }

    #[test]
    fn cnf_05_an_ended_process_is_not_alive_although_it_waits_to_be_reaped() {
        let mut child = sleeper("run_none");
        let id = ProcessId::of(child.id() as i32).unwrap();
        child.kill().unwrap();
        while id.is_alive() {
            std::thread::yield_now();
        }
        assert!(table::entry(id.pid).is_some(), "it is not reaped yet");
        child.wait().unwrap();
    }

    #[test]
    fn cnf_05_the_sweep_takes_the_marked_and_leaves_the_others() {
        let run = RunId::new(1, *b"sweep-test");
        let mut marked = sleeper(&run.short());
        let mut other = sleeper(&format!("{run}x"));
        let swept = sweep_marked(&run);
        assert_eq!(swept, Swept { killed: 1, left: 0 });
        assert!(ProcessId::of(marked.id() as i32).is_none());
        assert!(ProcessId::of(other.id() as i32).is_some());
        other.kill().unwrap();
        other.wait().unwrap();
        // The sweep reaped it already, as it may: it is what a next start would find.
        drop(marked.wait());
    }
}
