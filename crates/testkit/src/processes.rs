//! The process table as a test sees it: who carries a mark in the environment, who stands below a directory.
//!
//! Linux only, from `/proc`; elsewhere the lists are empty and say so by panicking.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::run::eventually;

/// The ids of live processes whose environment at their start held `mark` (a part of `NAME=value` is enough).
/// Zombies have no environment and are not counted; neither are processes of other users that may not be read.
pub fn processes_with(mark: &str) -> Vec<u32> {
    let mark = mark.as_bytes();
    pids()
        .filter(|pid| {
            environment_of(*pid)
                .split(|byte| *byte == 0)
                .any(|entry| contains(entry, mark))
        })
        .collect()
}

/// The environment of a process at its start; empty where there is none or it may not be read.
///
/// A process that is becoming another program has none for a moment, and no arguments either: it is looked at until it is
/// one, for half a second at most. Neither have zombies and threads of the kernel, which hold no memory.
fn environment_of(pid: u32) -> Vec<u8> {
    /// Looks in a row that found arguments beside no environment: between two files of one look it may have become one.
    const SURE: u32 = 3;
    let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}"));
    let holds = |name: &str, found: fn(&u8) -> bool| read(name).is_ok_and(|b| b.iter().any(found));
    let (mut environment, mut without) = (Vec::new(), 0);
    eventually(Duration::from_millis(500), || {
        environment = read("environ").unwrap_or_default();
        let is_program = holds("cmdline", |_| true);
        without = if is_program { without + 1 } else { 0 };
        let may_come = without < SURE && read("environ").is_ok() && holds("statm", |b| *b > b'0');
        !environment.is_empty() || !may_come
    });
    environment
}

/// The ids of live processes whose working directory is `directory` or below it, seen from this mount namespace.
pub fn processes_under(directory: &Path) -> Vec<u32> {
    let canonical = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    pids()
        .filter(|pid| {
            std::fs::read_link(format!("/proc/{pid}/cwd"))
                .is_ok_and(|cwd| cwd.starts_with(&canonical))
        })
        .collect()
}

/// The ids of live processes that have `text` in one of their arguments: found whatever they did to their environment.
pub fn processes_saying(text: &str) -> Vec<u32> {
    pids()
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            contains(&line, text.as_bytes())
        })
        .collect()
}

/// Waits until no process carries `mark`; the ids that are left after `limit`, so that an empty list is success.
pub fn wait_gone(mark: &str, limit: Duration) -> Vec<u32> {
    let mut left = Vec::new();
    eventually(limit, || {
        left = processes_with(mark);
        left.is_empty()
    });
    left
}

/// Kills every process that carries `mark`, again and again until none was left at two looks in a row, or `limit` is over:
/// one that was forked behind the first look is seen by the second. A no-op where there is no `/proc`.
pub fn kill_all(mark: &str, limit: Duration) {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let mut none = 0;
    eventually(limit, || {
        let left = processes_with(mark);
        none = if left.is_empty() { none + 1 } else { 0 };
        for pid in left
            .iter()
            .filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?))
        {
            // Gone between the look and the kill: that is what is wanted.
            rustix::process::kill_process(pid, Signal::KILL).ok();
        }
        none == 2
    });
}

fn pids() -> impl Iterator<Item = u32> {
    let own = std::process::id();
    std::fs::read_dir("/proc")
        .expect("the process table is read from /proc, which only Linux has")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(move |pid| *pid != own)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty()
        && haystack
            .windows(needle.len())
            .any(|window| window == needle)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::run::Run;

    const LIMIT: Duration = Duration::from_secs(60);

    #[test]
    fn a_marked_process_is_found_in_its_own_session_and_gone_after_the_kill() {
        let mark = format!("MARK_{}=a", std::process::id());
        let (name, value) = mark.split_once('=').unwrap();
        Run::new("/bin/sh", &["-c", "/usr/bin/setsid sleep 300 & exit 0"])
            .env("PATH", "/usr/bin:/bin")
            .env(name, value)
            .go();
        let is_sleep = |pid: u32| {
            std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
        };
        assert!(eventually(LIMIT, || {
            matches!(processes_with(&mark)[..], [pid] if is_sleep(pid))
        }));
        assert_eq!(wait_gone(&mark, Duration::from_millis(30)).len(), 1);
        kill_all(&mark, LIMIT);
        assert_eq!(wait_gone(&mark, LIMIT), Vec::<u32>::new());
    }

    #[test]
    fn a_process_that_becomes_another_program_all_the_time_is_found_at_every_look() {
        let value = format!("{}-becomes", std::process::id());
        let script = r#"exec /bin/sh -c "$0" "$0""#;
        let mut running = Run::new("/bin/sh", &["-c", script, script])
            .env("BECOMES_MARK", &value)
            .start();
        let mark = format!("BECOMES_MARK={value}");
        for look in 0..100 {
            assert_eq!(processes_with(&mark), [running.pid()], "look {look}");
        }
        running.kill();
        assert_eq!(processes_with(&mark), Vec::<u32>::new());
    }

    #[test]
    fn a_process_is_found_by_where_it_stands() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("below")).unwrap();
        let mut running = Run::new("/bin/sleep", &["300"])
            .in_directory(root.path().join("below"))
            .start();
        assert_eq!(processes_under(root.path()), vec![running.pid()]);
        running.kill();
        assert_eq!(processes_under(root.path()), Vec::<u32>::new());
    }
}
