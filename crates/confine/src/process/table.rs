//! The table of processes as `/proc` shows it: parents, sessions, start times, and signals that hit the right one.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

/// What is read of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Process id.
    pub pid: i32,
    /// The parent's process id; 0 if it lies outside this namespace.
    pub parent: i32,
    /// The process group's id; 0 if it lies outside this namespace.
    pub group: i32,
    /// The session's id; 0 if it lies outside this namespace.
    pub session: i32,
    /// The letter of `/proc/<pid>/stat`.
    pub state: char,
    /// Clock ticks after the start of the machine.
    pub start_ticks: u64,
}

impl Entry {
    /// Ended, and only waits to be reaped.
    pub(crate) const fn is_over(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// One process, or `None` if there is none of this id.
pub(crate) fn entry(pid: i32) -> Option<Entry> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &String::from_utf8_lossy(&text))
}

/// The name in parentheses is the program's own choice and may hold `)` and spaces: fields count from the last one.
fn parse(pid: i32, stat: &str) -> Option<Entry> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    // Field 22 of proc_pid_stat(5); the session was field 6.
    let start_ticks = fields.nth(15)?.parse().ok()?;
    Some(Entry {
        pid,
        parent,
        group,
        session,
        state,
        start_ticks,
    })
}

/// Every process that can be seen and has not ended.
pub(crate) fn entries() -> Vec<Entry> {
    let Ok(folder) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    folder
        .filter_map(|found| found.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(entry)
        .filter(|entry| !entry.is_over())
        .collect()
}

/// Everything below a process that has not ended, whatever session or group it moved to.
pub(crate) fn descendants(root: i32) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        // One open and one read per process, where a look at all of `/proc` costs milliseconds.
        let Some(children) = children(parent) else {
            return descendants_by_parents(root);
        };
        // A child that has ended has no children any more: they went to the next subreaper.
        found.extend(
            children
                .into_iter()
                .filter_map(entry)
                .filter(|entry| !entry.is_over()),
        );
        open.extend(
            found
                .iter()
                .filter(|entry| entry.parent == parent)
                .map(|entry| entry.pid),
        );
    }
    found
}

/// The children of every thread. `None` where the kernel does not list them (built without `PROC_CHILDREN`).
fn children(pid: i32) -> Option<Vec<i32>> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Some(Vec::new());
    };
    let mut all = Vec::new();
    for thread in threads.flatten() {
        match std::fs::read_to_string(thread.path().join("children")) {
            Ok(list) => all.extend(
                list.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            ),
            // The thread has ended, or the file does not exist at all.
            Err(_) if thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(all)
}

fn descendants_by_parents(root: i32) -> Vec<Entry> {
    let mut children: BTreeMap<i32, Vec<Entry>> = BTreeMap::new();
    for entry in entries() {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        let below = children.remove(&parent).unwrap_or_default();
        open.extend(below.iter().map(|entry| entry.pid));
        found.extend(below);
    }
    found
}

/// The line from a process up to `root`, both included; empty if `root` is not above it.
pub(crate) fn line(from: i32, root: i32) -> BTreeSet<i32> {
    let mut line = BTreeSet::new();
    let mut at = from;
    while at != root {
        line.insert(at);
        match entry(at) {
            Some(entry) if entry.parent > 0 && !line.contains(&entry.parent) => at = entry.parent,
            _ => return BTreeSet::new(),
        }
    }
    line.insert(root);
    line
}

/// The pid, seen from here, of the descendant of `root` whose pid in its own namespace is `inner`.
pub(crate) fn outer(root: i32, inner: i32) -> Option<i32> {
    let own = |entry: &Entry| innermost(entry.pid) == Some(inner);
    descendants(root)
        .iter()
        .find(|entry| own(entry))
        .map(|entry| entry.pid)
}

fn innermost(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let ids = status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_ascii_whitespace().next_back()?.parse().ok()
}

/// Sends a signal to this very process: through a pidfd, after a second look at the start time, so that a pid that
/// was handed out again is not hit. Says whether it was sent.
pub(crate) fn signal(entry: &Entry, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(entry.pid) else {
        return false;
    };
    let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    let same = self::entry(entry.pid)
        .is_some_and(|now| now.start_ticks == entry.start_ticks && !now.is_over());
    same && rustix::process::pidfd_send_signal(&handle, signal).is_ok()
}

/// Takes the ending of one child, if it is a child of the caller and has ended.
pub(crate) fn reap(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        // Not our child, or not over yet: nothing to take.
        super::may_fail(rustix::process::waitpid(Some(pid), WaitOptions::NOHANG));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_05_a_name_with_parentheses_does_not_move_the_fields() {
        let stat = "7 (a) b (c)) S 3 7 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let entry = parse(7, stat).unwrap();
        assert_eq!(
            (entry.parent, entry.session, entry.start_ticks),
            (3, 5, 4242)
        );
        assert!(!entry.is_over());
        assert!(parse(7, "7 (x) Z").is_none());
    }

    #[test]
    fn cnf_05_descendants_in_sessions_of_their_own_are_found() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut child = std::process::Command::new("sh")
            .args(["-c", "setsid sleep 60 & echo $!; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line_read = String::new();
        let out = child.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line_read).unwrap();
        let deep: i32 = line_read.trim().parse().unwrap();
        for found in [descendants(own), descendants_by_parents(own)] {
            assert!(found.iter().any(|entry| entry.pid == deep));
        }
        let found = descendants(own);
        let grandchild = found.iter().find(|entry| entry.pid == deep).unwrap();
        assert_eq!(
            line(deep, own),
            BTreeSet::from([own, child.id() as i32, deep])
        );
        assert_eq!(outer(own, deep), Some(deep));
        assert!(signal(grandchild, Signal::KILL));
        child.wait().unwrap();
        let reused = Entry {
            start_ticks: 1,
            ..entry(own).unwrap()
        };
        assert!(
            !signal(&reused, Signal::KILL),
            "another process of the same pid is not hit"
        );
    }
}
