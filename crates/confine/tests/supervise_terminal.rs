//! The terminal of a run (FA-06): keys, size, Ctrl-C, Ctrl-Z and colours as outside, and as before afterwards.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests start processes, read `/proc` themselves, and share helpers that fail loudly"
)]

#[path = "supervise/support.rs"]
mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::{PATIENCE, Person, Start, granted, living_after, same_modes, supervisor_of};
use taffrail_domain::Rung;

fn rungs() -> Vec<Rung> {
    let mut rungs = vec![Rung::None, Rung::Partial];
    if cfg!(feature = "peers") {
        rungs.push(Rung::Full);
    }
    rungs
}

/// What the screen shows of a script that ends with `end`, in the box and plainly.
fn both_ways(rung: Rung, script: &str) -> (Vec<u8>, Vec<u8>) {
    let script = format!("{script}; printf end");
    let start = Start::shell(rung, &script);
    let mut person = Person::sits_down();
    let mut boxed = person.starts(start.command());
    let mut events = start.open_events();
    let inside = person.sees("end");
    events.wait_for("outcome");
    boxed.wait().unwrap();
    // The kernel hung the terminal up when the leader of its session ended.
    let mut person = Person::sits_down();
    let mut plain = Command::new("/bin/sh");
    plain.args(["-c", &script]).env("TERM", "xterm-256color");
    let mut plain = person.starts(plain);
    let outside = person.sees("end");
    plain.wait().unwrap();
    (inside, outside)
}

#[test]
fn fa_06_colours_and_modes_are_those_of_outside() {
    for rung in rungs() {
        let script = r"printf '\033[1;38;5;196mred\033[0m\ttab\nline\r\n\033]0;title\007'; stty -a";
        let (inside, outside) = both_ways(rung, script);
        assert!(inside.windows(4).any(|window| window == b"38;5"));
        assert_eq!(
            String::from_utf8_lossy(&inside),
            String::from_utf8_lossy(&outside)
        );
    }
}

#[test]
fn fa_06_every_byte_typed_arrives_and_every_byte_shown_leaves() {
    for rung in rungs() {
        let start = Start::shell(rung, "stty raw -echo; printf ready; exec cat");
        let mut person = Person::sits_down();
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        person.sees("ready");
        let every: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        person.types(&every);
        assert_eq!(person.sees(&every), every);
        kill_process(Pid::from_child(&boxed), Signal::TERM).unwrap();
        events.wait_for("outcome");
        boxed.wait().unwrap();
    }
}

#[test]
fn fa_06_nothing_of_the_last_output_is_lost() {
    for rung in rungs() {
        let start = Start::shell(rung, "stty -opost; seq 1 40000; printf end");
        let mut person = Person::sits_down();
        // The shell stays until all is read: the end of a session's leader throws away what is not.
        let mut boxed = person.starts(under_a_shell(&start, "read hold"));
        let mut events = start.open_events();
        let seen = person.sees("end");
        let expected: String = (1..=40_000).map(|number| format!("{number}\n")).collect();
        assert!(
            seen == format!("{expected}end").as_bytes(),
            "{} bytes",
            seen.len()
        );
        let outcome = events.wait_for("outcome");
        assert!(
            outcome.contains(&format!("bytes_out: {}", seen.len())),
            "{outcome}"
        );
        person.types(b"\r");
        boxed.wait().unwrap();
    }
}

#[test]
fn fa_06_the_size_follows_the_window() {
    for rung in rungs() {
        let script = "trap 'stty size' WINCH; stty size; echo ready; while :; do sleep 0.02; done";
        let start = Start::shell(rung, script);
        let mut person = Person::sits_down();
        person.resizes(91, 17);
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        person.sees("17 91");
        person.sees("ready");
        person.resizes(132, 43);
        person.sees("43 132");
        person.types(b"\x03");
        events.wait_for("outcome");
        boxed.wait().unwrap();
    }
}

#[test]
fn fa_06_ctrl_c_is_the_childs_own() {
    for rung in rungs() {
        let start = Start::shell(
            rung,
            "trap 'echo caught' INT; (echo ready; exec sleep 300); trap - INT; echo on; exec sleep 300",
        );
        let mut person = Person::sits_down();
        let before = person.modes();
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        person.sees("ready");
        person.types(b"\x03");
        person.sees("caught");
        person.sees("on");
        person.types(b"\x03");
        let outcome = events.wait_for("outcome");
        assert!(
            outcome.contains("Signalled(2)") && outcome.contains("cause: Exit"),
            "{outcome}"
        );
        boxed.wait().unwrap();
        assert!(same_modes(&before, &person.modes()));
    }
}

/// A shell with job control that runs Taffrail in the foreground, and says when it got the terminal back.
fn under_a_shell(start: &Start, after: &str) -> Command {
    let taffrail = start.command();
    let mut shell = Command::new("bash");
    let script = format!("set -m; \"$@\"; echo \"[shell has it: $?]\"; {after}");
    shell.args(["--norc", "--noprofile", "-c", &script, "shell"]);
    shell.arg(taffrail.get_program()).args(taffrail.get_args());
    shell
}

fn state_of(pid: &str) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().trim()[..1].to_owned()
}

#[test]
fn fa_06_ctrl_z_gives_the_shell_its_terminal_and_fg_goes_on() {
    for rung in rungs() {
        let start = Start::shell(
            rung,
            "echo ready; read one; echo got $one; read two; echo got $two; stty size",
        );
        let mut person = Person::sits_down();
        let before = person.modes();
        let after = "read go; fg >/dev/null; echo \"[back: $?]\"";
        let mut shell = person.starts(under_a_shell(&start, after));
        let mut events = start.open_events();
        let child = events.wait_for("started");
        person.sees("ready");
        assert!(
            !same_modes(&before, &person.modes()),
            "keys pass as they are"
        );
        person.types(b"first\r");
        person.sees("got first");
        person.types(b"\x1a");
        events.wait_for("suspended");
        // 128 + SIGTSTP: the shell saw Taffrail stop.
        person.sees("[shell has it: 148]");
        assert!(same_modes(&before, &person.modes()));
        assert_eq!(state_of(&child), "T");
        person.resizes(70, 20);
        person.types(b"go\r");
        events.wait_for("resumed");
        person.types(b"second\r");
        person.sees("got second");
        person.sees("20 70");
        person.sees("[back: 0]");
        assert!(events.wait_for("outcome").contains("Exited(0)"));
        shell.wait().unwrap();
        assert!(same_modes(&before, &person.modes()));
    }
}

#[test]
fn fa_06_a_shell_in_the_box_has_job_control_of_its_own() {
    for rung in rungs() {
        let start = Start::new(rung, "/bin/bash", &["--norc", "--noprofile", "-i"]);
        let mut person = Person::sits_down();
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        person.types(b"PS1='prom''pt>'\r");
        person.sees("prompt>");
        person.types(b"sed -u s/^/got:/\r");
        person.types(b"one\n");
        person.sees("got:one");
        person.types(b"\x1a");
        person.sees("Stopped");
        person.types(b"fg\r");
        person.types(b"two\n");
        person.sees("got:two");
        person.types(b"\x03");
        person.sees("prompt>");
        person.types(b"echo st''atus $?; exit 4\r");
        person.sees("status 130");
        let outcome = events.wait_for("outcome");
        assert!(outcome.contains("Exited(4)"), "{outcome}");
        boxed.wait().unwrap();
    }
}

#[test]
fn fa_06_where_nobody_could_continue_us_ctrl_z_does_not_hang() {
    let start = Start::shell(Rung::None, "echo ready; read one; echo got $one");
    let mut person = Person::sits_down();
    // The leader of its session has no shell above it.
    let mut boxed = person.starts(start.command());
    let mut events = start.open_events();
    person.sees("ready");
    person.types(b"\x1a");
    events.wait_for("suspended");
    events.wait_for("resumed");
    person.types(b"still\r");
    person.sees("got still");
    events.wait_for("outcome");
    boxed.wait().unwrap();
}

#[test]
fn fa_06_the_terminal_is_as_before_however_the_run_ends() {
    let endings = [
        ("signal", Signal::TERM),
        ("signal", Signal::HUP),
        ("signal", Signal::KILL),
        ("supervisor", Signal::KILL),
        ("panic", Signal::TSTP),
    ];
    for (name, signal) in endings {
        let mut start = Start::shell(Rung::None, "stty raw -echo; printf ready; exec sleep 300");
        start.panics_when_suspended = name == "panic";
        let mut person = Person::sits_down();
        let before = person.modes();
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        events.wait_for("started");
        person.sees("ready");
        assert!(!same_modes(&before, &person.modes()), "{name}");
        let since = Instant::now();
        let target = match name {
            "supervisor" => supervisor_of(boxed.id()),
            _ => Pid::from_child(&boxed),
        };
        kill_process(target, signal).unwrap();
        boxed.wait().unwrap();
        let left = living_after(
            &start,
            Duration::from_secs(2).saturating_sub(granted(since)),
        );
        assert!(left.is_empty(), "{name}: {left:#?}");
        assert!(same_modes(&before, &person.modes()), "{name}");
    }
}

#[test]
fn cnf_05_a_closed_terminal_ends_everything() {
    for rung in rungs() {
        let start = Start::shell(
            rung,
            "setsid tail -f \"$PWD\"/../box/x 2>/dev/null & trap '' HUP TERM; echo ready; sleep 300",
        );
        std::fs::write(start.boxed().join("x"), "").unwrap();
        let mut person = Person::sits_down();
        let mut boxed = person.starts(start.command());
        let mut events = start.open_events();
        person.sees("ready");
        let since = Instant::now();
        drop(person);
        let outcome = events.wait_for("outcome");
        assert!(outcome.contains("Cancelled(1)"), "{outcome}");
        let left = living_after(
            &start,
            Duration::from_secs(2).saturating_sub(granted(since)),
        );
        assert!(left.is_empty(), "{left:#?}");
        boxed.wait().unwrap();
    }
}

#[test]
fn fa_06_streams_that_are_no_terminal_go_through_as_they_are() {
    // Standard output is a pipe, the others are the terminal: as in `taffrail box -- CMD | cat`.
    for rung in rungs() {
        let script = "test -t 0 && ! test -t 1 && test -t 2 && echo to-pipe; read key; echo \"key $key\" >&2";
        let start = Start::shell(rung, script);
        let taffrail = start.command();
        let mut shell = Command::new("sh");
        shell.args(["-c", "\"$@\" | sed 's/^/piped: /'", "shell"]);
        shell.arg(taffrail.get_program()).args(taffrail.get_args());
        let mut person = Person::sits_down();
        let mut shell = person.starts(shell);
        let mut events = start.open_events();
        events.wait_for("started");
        person.sees("piped: to-pipe");
        person.types(b"pressed\r");
        person.sees("key pressed");
        events.wait_for("outcome");
        shell.wait().unwrap();
    }
}

#[test]
fn fa_06_in_the_background_the_terminal_stays_the_shells() {
    let start = Start::shell(
        Rung::None,
        "echo from behind; until [ -e go ]; do sleep 0.02; done; echo done",
    );
    let mut person = Person::sits_down();
    let before = person.modes();
    let taffrail = start.command();
    let mut shell = Command::new("bash");
    let script =
        "set -m; \"$@\" & read line; echo \"shell read $line\"; fg >/dev/null; echo \"[back: $?]\"";
    shell.args(["--norc", "--noprofile", "-c", script, "shell"]);
    shell.arg(taffrail.get_program()).args(taffrail.get_args());
    let mut shell = person.starts(shell);
    let mut events = start.open_events();
    events.wait_for("started");
    person.sees("from behind");
    assert!(same_modes(&before, &person.modes()));
    person.types(b"mine\r");
    person.sees("shell read mine");
    std::fs::write(start.boxed().join("go"), "").unwrap();
    person.sees("done");
    person.sees("[back: 0]");
    events.wait_for("outcome");
    shell.wait().unwrap();
    assert!(same_modes(&before, &person.modes()));
}

/// The largest memory that a process has had so far, in KiB.
fn most_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
fn fa_06_memory_stays_bounded_whatever_passes_the_terminal() {
    // 1 GB in the measured run; here as much as a debug build passes in a moment.
    let bytes: u64 =
        std::env::var("SUPERVISE_FLOOD").map_or(32 << 20, |text| text.parse().unwrap());
    let script =
        format!("stty -opost; yes 0123456789 | head -c {bytes}; echo; echo full; read key");
    let start = Start::shell(Rung::None, &script);
    let mut person = Person::sits_down();
    let mut boxed = person.starts(start.command());
    let mut events = start.open_events();
    events.wait_for("started");
    let begun = Instant::now();
    let mut total = 0;
    while total < bytes {
        let count = person.reads_once(Instant::now() + PATIENCE);
        assert!(count > 0, "{total} bytes came");
        total += count as u64;
        person.forgets();
    }
    let most = most_memory(boxed.id());
    let supervisor = supervisor_of(boxed.id()).as_raw_nonzero().get() as u32;
    println!(
        "{total} bytes in {:?}; taffrail {most} KiB, supervisor {} KiB",
        begun.elapsed(),
        most_memory(supervisor)
    );
    assert!(most < 64 << 10, "{most} KiB");
    person.types(b"\r");
    events.wait_for("outcome");
    boxed.wait().unwrap();
}
