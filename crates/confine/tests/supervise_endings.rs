//! Endings of a run (CNF-05): whatever ends it, none of its processes is left two seconds later.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests start processes, read `/proc` themselves, and share helpers that fail loudly"
)]

#[path = "supervise/support.rs"]
mod support;

use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use support::{Peer, Start, granted, live, living, living_after, supervisor_of};
use taffrail_domain::Rung;

/// The bound of CNF-05.
const BOUND: Duration = Duration::from_secs(2);

/// Everything a child can do to outlive its run: sessions of its own, double forks, ignored signals, a daemon that
/// holds the output, a process without the mark. Says `ready` when all of them run.
const NEST: &str = r#"
keep="$PWD/keep"; touch "$keep"
up='touch "$0.$1"; exec tail -f "$0"'
deaf='trap "" TERM HUP INT; touch "$0.$1"; while :; do tail -f "$0"; done'
setsid sh -c "$up" "$keep" 1 </dev/null &
( ( setsid sh -c "$up" "$keep" 2 >/dev/null 2>&1 & ) & )
sh -c "$deaf" "$keep" 3 &
setsid sh -c "$deaf" "$keep" 4 &
env -i setsid sh -c "$up" "$keep" 5 &
until [ -e "$keep.1" ] && [ -e "$keep.2" ] && [ -e "$keep.3" ] && [ -e "$keep.4" ] && [ -e "$keep.5" ]
do sleep 0.01; done
echo ready
"#;

fn nest(rung: Rung, then: &str) -> Start {
    let mut start = Start::shell(rung, &format!("{NEST}{then}"));
    start.terminal = false;
    start
}

fn begun(start: &Start) -> Peer {
    let mut peer = start.on_pipes();
    peer.events.wait_for("started");
    assert_eq!(peer.line(), "ready");
    peer
}

fn assert_none_left(start: &Start, since: Instant) {
    let rest = BOUND.saturating_sub(granted(since));
    let left = living_after(start, rest);
    assert!(
        left.is_empty(),
        "left {:?} after the end: {left:#?}",
        since.elapsed()
    );
}

fn rungs() -> Vec<Rung> {
    let mut rungs = vec![Rung::None, Rung::Partial];
    if cfg!(feature = "peers") {
        rungs.push(Rung::Full);
    }
    rungs
}

#[test]
fn cnf_05_the_exit_code_and_the_signal_of_the_child_are_told() {
    for rung in rungs() {
        for (script, ended) in [
            ("exit 0", "Exited(0)"),
            ("exit 7", "Exited(7)"),
            ("kill -9 $$", "Signalled(9)"),
            ("kill -TERM $$", "Signalled(15)"),
        ] {
            let start = Start::shell(rung, script);
            let mut peer = start.on_pipes();
            assert_eq!(peer.events.wait_for("enforced"), rung.name());
            let outcome = peer.events.wait_for("outcome");
            assert!(
                outcome.contains(ended) && outcome.contains("cause: Exit"),
                "{script}: {outcome}"
            );
            assert!(outcome.contains("left: 0"), "{outcome}");
            peer.child.wait().unwrap();
        }
    }
}

#[test]
fn cnf_05_a_start_that_cannot_be_put_on_record_does_not_happen() {
    for rung in rungs() {
        let mut start = Start::shell(rung, "echo here > mark");
        start.vetoes_the_start = true;
        let mut peer = start.on_pipes();
        let since = Instant::now();
        assert!(peer.events.wait_for("error").contains("Vetoed"));
        peer.child.wait().unwrap();
        assert!(!start.boxed().join("mark").exists());
        assert_none_left(&start, since);
    }
}

#[test]
fn cnf_05_a_normal_end_takes_what_the_child_left_running() {
    for rung in rungs() {
        let start = nest(rung, "exit 3");
        let mut peer = start.on_pipes();
        let outcome = peer.events.wait_for("outcome");
        let since = Instant::now();
        assert!(
            outcome.contains("Exited(3)") && outcome.contains("cause: Exit"),
            "{outcome}"
        );
        let left = outcome
            .split("left: ")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap();
        assert!(left.parse::<usize>().unwrap() >= 5, "{outcome}");
        peer.child.wait().unwrap();
        assert_none_left(&start, since);
    }
}

#[test]
fn cnf_05_without_a_supervisor_the_nest_outlives_its_start() {
    // The twin: the same script, started plainly.
    let start = nest(Rung::None, "exit 3");
    let status = std::process::Command::new("/bin/sh")
        .args(["-c", &start.arguments[1].to_string_lossy()])
        .current_dir(start.boxed())
        .env("TAFFRAIL_RUN", start.run.short())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
    assert!(live(&start, 5), "{:#?}", living(&start));
    for (pid, _) in living(&start) {
        kill_process(rustix::process::Pid::from_raw(pid).unwrap(), Signal::KILL).ok();
    }
    for (pid, _) in living_after(&start, Duration::from_millis(200)) {
        kill_process(rustix::process::Pid::from_raw(pid).unwrap(), Signal::KILL).ok();
    }
}

#[test]
fn cnf_05_signals_to_taffrail_end_everything() {
    for rung in rungs() {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            let start = nest(rung, "wait; sleep 300");
            let mut peer = begun(&start);
            let since = Instant::now();
            peer.signal(signal);
            let outcome = peer.events.wait_for("outcome");
            assert!(
                outcome.contains(&format!("Cancelled({})", signal.as_raw())),
                "{outcome}"
            );
            assert_none_left(&start, since);
            peer.child.wait().unwrap();
        }
    }
}

/// A closed terminal and a service manager tell once; the first key of a person counts too.
#[test]
fn cnf_05_a_signal_that_came_while_the_run_was_prepared_ends_it() {
    for rung in rungs() {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let mut start = Start::shell(rung, "sleep 300");
            start.terminal = false;
            start.noted = Some(signal);
            let mut peer = start.on_pipes();
            let outcome = peer.events.wait_for("outcome");
            assert!(
                outcome.contains(&format!("Cancelled({})", signal.as_raw())),
                "{outcome}"
            );
            assert_none_left(&start, Instant::now());
            peer.child.wait().unwrap();
        }
    }
}

#[test]
fn cnf_05_a_second_signal_does_not_wait_for_the_grace() {
    let start = nest(Rung::None, "trap '' TERM; echo armed; wait; sleep 300");
    let mut peer = begun(&start);
    assert_eq!(peer.line(), "armed");
    let since = Instant::now();
    peer.signal(Signal::INT);
    peer.signal(Signal::TERM);
    peer.events.wait_for("outcome");
    assert!(
        granted(since) < Duration::from_millis(1_400),
        "{:?}",
        since.elapsed()
    );
    peer.child.wait().unwrap();
    assert_none_left(&start, since);
}

#[test]
fn cnf_05_a_child_that_heeds_term_ends_in_its_own_way() {
    for rung in rungs() {
        let script = "trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
        let mut start = Start::shell(rung, script);
        start.terminal = false;
        let mut peer = begun(&start);
        peer.signal(Signal::TERM);
        assert_eq!(peer.line(), "cleaned");
        let outcome = peer.events.wait_for("outcome");
        assert!(
            outcome.contains("Exited(5)") && outcome.contains("Cancelled(15)"),
            "{outcome}"
        );
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_the_limit_on_time_ends_everything() {
    for rung in rungs() {
        let mut start = nest(rung, "wait; sleep 300");
        start.timeout = Duration::from_millis(700);
        let mut peer = start.on_pipes();
        let outcome = peer.events.wait_for("outcome");
        let since = Instant::now();
        assert!(outcome.contains("cause: Timeout"), "{outcome}");
        assert_none_left(&start, since);
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_kill_9_of_taffrail_leaves_nothing() {
    for rung in rungs() {
        let start = nest(rung, "trap '' TERM HUP; wait; sleep 300");
        let mut peer = begun(&start);
        assert!(live(&start, 6), "{:#?}", living(&start));
        let since = Instant::now();
        peer.signal(Signal::KILL);
        peer.child.wait().unwrap();
        assert_none_left(&start, since);
    }
}

#[test]
fn cnf_05_kill_9_of_the_supervisor_leaves_nothing() {
    for rung in rungs() {
        let start = nest(rung, "wait; sleep 300");
        let mut peer = begun(&start);
        let supervisor = supervisor_of(peer.child.id());
        let since = Instant::now();
        kill_process(supervisor, Signal::KILL).unwrap();
        let outcome = peer.events.wait_for("outcome");
        assert!(outcome.contains("SupervisorLost"), "{outcome}");
        assert_none_left(&start, since);
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_a_stopped_supervisor_goes_on() {
    let start = nest(Rung::None, "wait; sleep 300");
    let mut peer = begun(&start);
    let since = Instant::now();
    kill_process(supervisor_of(peer.child.id()), Signal::STOP).unwrap();
    peer.signal(Signal::TERM);
    let outcome = peer.events.wait_for("outcome");
    assert!(outcome.contains("Cancelled(15)"), "{outcome}");
    assert_none_left(&start, since);
    peer.child.wait().unwrap();
}

#[test]
fn cnf_05_a_child_that_kills_its_warden_ends_with_it() {
    for rung in rungs() {
        let start = nest(rung, "kill -9 $PPID; trap '' TERM HUP; sleep 300");
        let mut peer = start.on_pipes();
        let outcome = peer.events.wait_for("outcome");
        let since = Instant::now();
        assert!(outcome.contains("SupervisorLost"), "{outcome}");
        assert_none_left(&start, since);
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_a_child_that_stops_its_warden_does_not_hang_the_run() {
    for rung in rungs() {
        let start = nest(rung, "kill -STOP $PPID; exit 3");
        let mut peer = start.on_pipes();
        let outcome = peer.events.wait_for("outcome");
        assert!(outcome.contains("Exited(3)"), "{outcome}");
        assert_none_left(&start, Instant::now());
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_an_end_before_the_start_leaves_nothing() {
    for rung in rungs() {
        for signal in [Signal::KILL, Signal::TERM] {
            let start = nest(rung, "wait; sleep 300");
            let mut peer = start.on_pipes();
            // The events are open, so it has begun; how far it came is a matter of chance.
            let since = Instant::now();
            peer.signal(signal);
            peer.child.wait().unwrap();
            assert_none_left(&start, since);
        }
    }
}

#[test]
fn cnf_05_both_killed_the_next_start_sweeps() {
    let start = nest(Rung::Partial, "wait; sleep 300");
    let mut peer = begun(&start);
    let supervisor = supervisor_of(peer.child.id());
    peer.signal(Signal::STOP);
    kill_process(supervisor, Signal::KILL).unwrap();
    peer.signal(Signal::KILL);
    peer.child.wait().unwrap();
    taffrail_confine::process::sweep_marked(&start.run);
    let marked: Vec<_> = living(&start);
    // The one that dropped the mark is named by its arguments only; a sweep by mark cannot know it.
    assert!(marked.len() <= 1, "{marked:#?}");
    for (pid, _) in marked {
        kill_process(rustix::process::Pid::from_raw(pid).unwrap(), Signal::KILL).ok();
    }
}

#[test]
fn cnf_05_a_command_that_cannot_start_is_told_from_one_that_is_not_there() {
    for rung in rungs() {
        let mut missing = Start::new(rung, "/usr/bin/not-there-at-all", &[]);
        missing.terminal = false;
        let mut peer = missing.on_pipes();
        assert!(peer.events.wait_for("error").starts_with("CommandNotFound"));
        peer.child.wait().unwrap();
        assert_none_left(&missing, Instant::now());
        let folder = Start::new(rung, "/usr", &[]);
        let mut peer = folder.on_pipes();
        assert!(peer.events.wait_for("error").starts_with("Spawn"));
        peer.child.wait().unwrap();
    }
}

#[test]
fn fa_06_a_script_without_interpreter_line_runs_as_in_a_shell() {
    let start = Start::new(Rung::None, "./plain", &["seen"]);
    // Written by another program: what was open for writing here would be so in every child that is just being started,
    // and could not be run as long.
    let written = std::process::Command::new("/bin/sh")
        .args(["-c", "echo 'echo \"$1 $#\"' > plain; chmod 755 plain"])
        .current_dir(start.boxed())
        .status();
    assert!(written.unwrap().success());
    let mut peer = start.on_pipes();
    assert_eq!(peer.line(), "seen 1");
    peer.child.wait().unwrap();
}

#[test]
fn cnf_05_the_child_gets_no_descriptor_no_blocked_signal_and_only_its_environment() {
    for rung in rungs() {
        let script = "ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status; env | cut -d= -f1 | sort | xargs";
        let mut start = Start::shell(rung, script);
        start.terminal = false;
        let mut peer = start.on_pipes();
        if rung != Rung::Partial {
            // `ls` itself holds the fourth. On the partial rung `/proc` is not granted.
            assert_eq!(peer.line(), "4");
            assert_eq!(peer.line(), "SigBlk:\t0000000000000000");
            assert_eq!(peer.line(), "SigIgn:\t0000000000000000");
        } else {
            peer.line();
        }
        assert_eq!(
            peer.line(),
            "PATH PWD TAFFRAIL_RUN TERM _".replace(" _", if cfg!(any()) { " _" } else { "" })
        );
        peer.child.wait().unwrap();
    }
}

#[test]
fn cnf_05_s31_other_processes_of_the_user_cannot_read_ours() {
    let start = nest(Rung::None, "wait; sleep 300");
    let mut peer = start.on_pipes();
    assert_eq!(peer.events.wait_for("dumpable"), "NotDumpable");
    peer.events.wait_for("started");
    let supervisor = supervisor_of(peer.child.id());
    for pid in [
        peer.child.id().to_string(),
        supervisor.as_raw_nonzero().to_string(),
    ] {
        let folder = std::path::Path::new("/proc").join(pid);
        // The kernel gives the memory of such a process to root, whoever runs it.
        let owner = std::fs::metadata(folder.join("mem")).unwrap();
        assert_eq!(std::os::unix::fs::MetadataExt::uid(&owner), 0);
        let limits = std::fs::read_to_string(folder.join("limits")).unwrap();
        let core = limits
            .lines()
            .find(|line| line.contains("core file"))
            .unwrap();
        assert!(
            core.split_ascii_whitespace().any(|word| word == "0"),
            "{core}"
        );
    }
    // The twin: the memory of any other process of ours is ours to read.
    let mut plain = std::process::Command::new("sleep")
        .arg("300")
        .spawn()
        .unwrap();
    let folder = std::path::Path::new("/proc").join(plain.id().to_string());
    let owner = std::fs::metadata(folder.join("mem")).unwrap();
    let uid = std::os::unix::fs::MetadataExt::uid(&owner);
    assert_eq!(uid, rustix::process::getuid().as_raw());
    plain.kill().unwrap();
    plain.wait().unwrap();
    peer.signal(Signal::KILL);
    peer.child.wait().unwrap();
    living_after(&start, BOUND);
}
