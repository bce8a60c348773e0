//! A child on pipes (FA-20, FA-26, CNF-05): its streams pass, its caller ends it, and the person's terminal is out of its
//! reach (S23).
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests start processes, read `/proc` themselves, and share helpers that fail loudly"
)]

#[path = "supervise/support.rs"]
mod support;

use std::io::{ErrorKind, Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use support::{Drives, PATIENCE, Person, Start, granted, launch, live, living, living_after};
use taffrail_confine::stream::{Drain, DrainLimits, Feed};
use taffrail_confine::supervise::{
    Cause, Event, FirstSignal, LaunchError, OurPipes, Outcome, Stop, Streams, pipes, run,
};
use taffrail_domain::{Ended, Rung};

/// The bound of CNF-05.
const BOUND: Duration = Duration::from_secs(2);

/// Everything an agent can do to outlive its run or to hold its streams open. Says `ready` when all of it runs.
const NEST: &str = r#"
keep="$PWD/keep"; touch "$keep"
up='touch "$0.$1"; exec tail -f "$0"'
deaf='trap "" TERM HUP INT; touch "$0.$1"; while :; do tail -f "$0"; done'
setsid sh -c "$up" "$keep" 1 &
( ( setsid sh -c "$up" "$keep" 2 & ) & )
sh -c "$deaf" "$keep" 3 &
setsid sh -c "$deaf" "$keep" 4 &
until [ -e "$keep.1" ] && [ -e "$keep.2" ] && [ -e "$keep.3" ] && [ -e "$keep.4" ]
do sleep 0.01; done
echo ready
"#;

fn rungs() -> Vec<Rung> {
    let mut rungs = vec![Rung::None, Rung::Partial];
    if cfg!(feature = "peers") {
        rungs.push(Rung::Full);
    }
    rungs
}

/// A run in a thread of its own, as an agent's driver has it.
struct Live {
    start: Start,
    pipes: OurPipes,
    stop: Stop,
    started: Receiver<()>,
    run: JoinHandle<Result<Outcome, LaunchError>>,
}

impl Live {
    fn new(rung: Rung, script: &str) -> Self {
        Self::of(Start::shell(rung, script), Stop::new().unwrap())
    }

    fn of(start: Start, stop: Stop) -> Self {
        let (ours, theirs) = pipes().unwrap();
        let argv = [vec![start.program.clone().into()], start.arguments.clone()].concat();
        let mut launch = launch(start.rung, start.run, &start.boxed(), &argv);
        launch.streams = Streams::Piped(theirs);
        launch.stop = Some(stop.clone());
        let (tell, started) = channel();
        let run = std::thread::spawn(move || {
            run(&launch, &mut |event| {
                if matches!(event, Event::Started(_)) {
                    tell.send(()).unwrap();
                }
                Ok(())
            })
        });
        Self {
            start,
            pipes: ours,
            stop,
            started,
            run,
        }
    }

    /// The next line of its output.
    fn line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.pipes.stdout.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        String::from_utf8(line).unwrap()
    }

    /// How it ended, its output to the end, and that nothing of it lives.
    fn over(mut self) -> (Outcome, String) {
        let since = Instant::now();
        let outcome = self.run.join().unwrap().unwrap();
        let mut rest = String::new();
        self.pipes.stdout.read_to_string(&mut rest).unwrap();
        let left = living_after(&self.start, BOUND.saturating_sub(granted(since)));
        assert!(left.is_empty(), "{left:#?}");
        (outcome, rest)
    }
}

#[test]
fn fa_20_bytes_pass_both_ways_and_the_end_of_input_is_an_end() {
    for rung in rungs() {
        let live = Live::new(rung, "cat; echo said >&2; exit 3");
        let sent: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        let feed = Feed::start(live.pipes.stdin, 2 << 20).unwrap();
        feed.send(sent.clone()).unwrap();
        let mut stdout = live.pipes.stdout;
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            stdout.read_to_end(&mut all).unwrap();
            all
        });
        let errors = Drain::start(live.pipes.stderr, DrainLimits::STDERR, || ()).unwrap();
        assert_eq!(feed.close(PATIENCE), 0);
        assert_eq!(reader.join().unwrap(), sent);
        let outcome = live.run.join().unwrap().unwrap();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Exited(3), Cause::Exit)
        );
        assert_eq!(errors.finish(PATIENCE).head, b"said\n");
    }
}

#[test]
fn cnf_05_a_child_on_pipes_has_these_and_no_other_descriptor() {
    // On the partial rung `/proc` is not granted.
    for rung in rungs().into_iter().filter(|rung| *rung != Rung::Partial) {
        let script = "for at in /proc/self/fd/*; do readlink $at; done | cut -d: -f1";
        let live = Live::new(rung, script);
        let (_, said) = live.over();
        // What `readlink` itself has: the pipe to `cut` for its output.
        assert_eq!(said.lines().collect::<Vec<_>>(), ["pipe"; 3], "{rung:?}");
    }
}

#[test]
fn cnf_05_what_holds_the_streams_after_the_childs_end_hangs_nobody() {
    for rung in rungs() {
        let live = Live::new(rung, &format!("{NEST}exit 3"));
        live.started.recv_timeout(PATIENCE).unwrap();
        let errors = Drain::start(
            live.pipes.stderr.try_clone().unwrap(),
            DrainLimits::STDERR,
            || (),
        );
        let (outcome, said) = live.over();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Exited(3), Cause::Exit)
        );
        assert!(outcome.left >= 4 && outcome.stuck == 0, "{outcome:?}");
        assert_eq!(said, "ready\n");
        errors.unwrap().finish(PATIENCE);
    }
}

/// The twin: started plainly, the same child is over and its output is not.
#[test]
fn cnf_05_twin_without_a_supervisor_the_output_stays_open() {
    let start = Start::shell(Rung::None, &format!("{NEST}exit 3"));
    let mut child = Command::new("/bin/sh")
        .args(["-c", &start.arguments[1].to_string_lossy()])
        .current_dir(start.boxed())
        .env("TAFFRAIL_RUN", start.run.short())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    let output = child.stdout.take().unwrap();
    let kept = Drain::start(output, DrainLimits::STDERR, || ()).unwrap();
    assert!(live(&start, 1));
    while kept.so_far().total < 6 {
        std::thread::yield_now();
    }
    let drain = Instant::now();
    assert_eq!(kept.finish(Duration::from_millis(100)).head, b"ready\n");
    assert!(drain.elapsed() >= Duration::from_millis(100));
    for _ in 0..2 {
        for (pid, _) in living(&start) {
            kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).ok();
        }
    }
}

#[test]
fn fa_26_a_stop_ends_what_minds_and_what_does_not() {
    for rung in rungs() {
        let script = format!("trap '' TERM HUP INT; {NEST}wait; sleep 300");
        let mut live = Live::new(rung, &script);
        assert_eq!(live.line(), "ready");
        let since = Instant::now();
        live.stop.stop();
        live.stop.stop();
        let (outcome, _) = live.over();
        assert_eq!(outcome.cause, Cause::Stopped);
        assert_eq!(outcome.ended, Ended::Signalled(9));
        // It had its grace, and no more.
        let lasted = since.elapsed();
        assert!(lasted > Duration::from_millis(1_400), "{lasted:?}");
        let lasted = granted(since);
        assert!(lasted < BOUND + Duration::from_millis(500), "{lasted:?}");

        let script = "trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.02; done";
        let mut live = Live::new(rung, script);
        assert_eq!(live.line(), "ready");
        live.stop.stop();
        let (outcome, said) = live.over();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Exited(5), Cause::Stopped)
        );
        assert_eq!(said, "cleaned\n");
    }
}

#[test]
fn fa_26_a_kill_does_not_wait() {
    for rung in rungs() {
        let mut live = Live::new(
            rung,
            "trap '' TERM; echo ready; while :; do sleep 0.02; done",
        );
        assert_eq!(live.line(), "ready");
        let since = Instant::now();
        live.stop.stop();
        live.stop.kill();
        let (outcome, _) = live.over();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Signalled(9), Cause::Stopped)
        );
        assert!(granted(since) < Duration::from_millis(1_400));
    }
}

#[test]
fn fa_26_a_child_whose_input_was_closed_gets_its_time() {
    for rung in rungs() {
        // One that ends with its input has ended by itself.
        let live = Live::new(rung, "cat; exit 4");
        live.started.recv_timeout(PATIENCE).unwrap();
        let Live { pipes, .. } = live;
        drop(pipes.stdin);
        live.stop.stop_after(PATIENCE);
        let outcome = live.run.join().unwrap().unwrap();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Exited(4), Cause::Exit)
        );
        // One that does not is asked, when its time is over; a later and longer time changes nothing.
        let mut live = Live::new(rung, "echo ready; exec sleep 300");
        assert_eq!(live.line(), "ready");
        let since = Instant::now();
        live.stop.stop_after(Duration::from_millis(200));
        live.stop.stop_after(PATIENCE);
        let (outcome, _) = live.over();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Signalled(15), Cause::Stopped)
        );
        assert!(since.elapsed() >= Duration::from_millis(200));
        assert!(since.elapsed() < PATIENCE / 2);
    }
}

#[test]
fn fa_26_a_stop_before_the_start_starts_nothing() {
    for rung in rungs() {
        for kill in [false, true] {
            let stop = Stop::new().unwrap();
            if kill {
                stop.kill();
            } else {
                stop.stop();
            }
            let live = Live::of(Start::shell(rung, "sleep 300"), stop);
            let (outcome, said) = live.over();
            assert_eq!((outcome.cause, &*said), (Cause::Stopped, ""));
        }
    }
}

#[test]
fn fa_28_an_output_that_is_closed_is_seen_while_the_child_lives() {
    for rung in rungs() {
        let live = Live::new(rung, "exec 1>&- 2>&-; read line; exit 6");
        live.started.recv_timeout(PATIENCE).unwrap();
        let Live {
            pipes: mut ours, ..
        } = live;
        let mut all = Vec::new();
        ours.stdout.read_to_end(&mut all).unwrap();
        ours.stderr.read_to_end(&mut all).unwrap();
        assert!(all.is_empty() && !live.run.is_finished());
        ours.stdin.write_all(b"on\n").unwrap();
        let outcome = live.run.join().unwrap().unwrap();
        assert_eq!(
            (outcome.ended, outcome.cause),
            (Ended::Exited(6), Cause::Exit)
        );
    }
}

#[test]
fn fa_28_an_input_that_is_closed_is_an_error_for_the_writer() {
    for rung in rungs() {
        for script in ["exit 0", "exec 0<&-; echo closed; exec sleep 300"] {
            let mut live = Live::new(rung, script);
            live.line();
            let end = Instant::now() + PATIENCE;
            let error = loop {
                if let Err(error) = live.pipes.stdin.write_all(b"x") {
                    break error;
                }
                assert!(Instant::now() < end, "{script}: somebody holds its input");
            };
            assert_eq!(error.kind(), ErrorKind::BrokenPipe);
            live.stop.stop();
            live.over();
        }
    }
}

/// Children that are none of the run's are left to those who wait for them, however the run ends.
#[test]
fn cnf_05_a_run_takes_no_ending_of_another_child() {
    for rung in rungs() {
        let mut other = Command::new("/bin/sh")
            .args(["-c", "exit 7"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&other);
        let handle = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty());
        let handle = handle.unwrap();
        let mut set = [rustix::event::PollFd::new(
            &handle,
            rustix::event::PollFlags::IN,
        )];
        assert!(support::poll_until(&mut set, Instant::now() + PATIENCE));
        let start = Start::shell(rung, "exit 3");
        let argv = [vec![start.program.clone().into()], start.arguments.clone()].concat();
        let launch = launch(rung, start.run, &start.boxed(), &argv);
        // It hears of the end of its supervisor and of its last word at once: then there is none to wait for any more.
        let outcome = run(&launch, &mut |event| {
            if matches!(event, Event::Started(_)) {
                assert!(living_after(&start, PATIENCE).is_empty());
            }
            Ok(())
        });
        assert_eq!(outcome.unwrap().ended, Ended::Exited(3));
        assert_eq!(other.wait().unwrap().code(), Some(7));
    }
}

/// In a program that leaves SIGPIPE as it is.
#[test]
fn fa_28_a_feed_outlives_a_broken_pipe_and_its_twin_does_not() {
    for rung in rungs() {
        for (drives, lives) in [(Drives::Feed, true), (Drives::Writes, false)] {
            let mut start = Start::shell(rung, "exit 0");
            start.drives = Some(drives);
            let mut peer = start.on_pipes();
            if lives {
                peer.events.wait_for("gone");
            }
            let status = peer.child.wait().unwrap();
            let signal = std::os::unix::process::ExitStatusExt::signal(&status);
            assert_eq!(signal, (!lives).then_some(libc::SIGPIPE));
            assert!(living_after(&start, BOUND).is_empty());
        }
    }
}

#[test]
fn cnf_05_pipes_of_a_child_that_does_not_start_are_closed() {
    for rung in rungs() {
        let start = Start::new(rung, "/usr/bin/not-there-at-all", &[]);
        let mut live = Live::of(start, Stop::new().unwrap());
        let mut all = Vec::new();
        live.pipes.stdout.read_to_end(&mut all).unwrap();
        let failed = live.run.join().unwrap();
        assert!(matches!(failed, Err(LaunchError::CommandNotFound { .. })));
        assert!(live.pipes.stdin.write_all(b"x").is_err());
    }
    // The same ends cannot be given twice: a second child would get none.
    let start = Start::shell(Rung::None, "exit 0");
    let (ours, theirs) = pipes().unwrap();
    let argv = [vec![start.program.clone().into()], start.arguments.clone()].concat();
    let mut launch = launch(start.rung, start.run, &start.boxed(), &argv);
    launch.streams = Streams::Piped(theirs);
    assert!(run(&launch, &mut |_| Ok(())).is_ok());
    let again = run(&launch, &mut |_| Ok(()));
    assert!(matches!(again, Err(LaunchError::Io { .. })), "{again:?}");
    drop(ours);
}

#[test]
fn fa_27_a_flood_is_stopped_by_its_reader() {
    for rung in rungs() {
        let live = Live::new(rung, "trap '' TERM; yes >&2; yes >&2; sleep 300");
        let stop = live.stop.clone();
        let limits = DrainLimits {
            budget: 1 << 20,
            ..DrainLimits::STDERR
        };
        let stderr = live.pipes.stderr.try_clone().unwrap();
        let errors = Drain::start(stderr, limits, move || stop.kill()).unwrap();
        let (outcome, _) = live.over();
        assert_eq!(outcome.cause, Cause::Stopped);
        let kept = errors.finish(Duration::ZERO);
        assert!(kept.over_budget && kept.total > 1 << 20);
        assert_eq!(kept.head.len() + kept.tail.len(), 64 << 10);
    }
}

fn driven(rung: Rung, script: &str) -> Start {
    let mut start = Start::shell(rung, script);
    start.drives = Some(Drives::Output);
    start
}

#[test]
fn fa_26_the_first_signal_is_told_and_the_second_cancels() {
    for rung in rungs() {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            let mut start = driven(rung, "echo ready; while :; do sleep 0.02; done");
            start.first_signal = FirstSignal::IsTold;
            let mut peer = start.on_pipes();
            assert_eq!(peer.line(), "ready");
            peer.signal(signal);
            let told = peer.events.wait_for("signal");
            assert_eq!(told, signal.as_raw().to_string());
            // It goes on: what it was told is the caller's to act on.
            assert!(live(&start, 2), "{:#?}", living(&start));
            peer.signal(Signal::INT);
            let outcome = peer.events.wait_for("outcome");
            assert!(outcome.contains("Cancelled(2)"), "{outcome}");
            peer.child.wait().unwrap();
            assert!(living_after(&start, BOUND).is_empty());
        }
    }
}

#[test]
fn cnf_05_on_pipes_too_kill_9_of_taffrail_leaves_nothing() {
    for rung in rungs() {
        let start = driven(rung, &format!("trap '' TERM HUP; {NEST}wait; sleep 300"));
        let mut peer = start.on_pipes();
        assert_eq!(peer.line(), "ready");
        assert!(live(&start, 5), "{:#?}", living(&start));
        let since = Instant::now();
        peer.signal(Signal::KILL);
        peer.child.wait().unwrap();
        let left = living_after(&start, BOUND.saturating_sub(granted(since)));
        assert!(left.is_empty(), "{left:#?}");
    }
}

/// Taffrail runs it in a thread that is not the one the kernel gives signals to.
#[test]
fn fa_20_ctrl_z_stops_taffrail_and_its_child_and_both_go_on() {
    for rung in rungs() {
        for script in [
            "echo ready; while :; do sleep 0.02; done",
            "trap '' TSTP; echo ready; while :; do sleep 0.02; done",
        ] {
            let start = driven(rung, script);
            let mut command = start.command();
            // A group beside ours in our session: there is somebody who could let it go on.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let mut events = start.open_events();
            events.wait_for("started");
            let mut ready = [0; 6];
            child
                .stdout
                .as_mut()
                .unwrap()
                .read_exact(&mut ready)
                .unwrap();
            let pid = Pid::from_child(&child);
            for _ in 0..3 {
                kill_process(pid, Signal::TSTP).unwrap();
                events.wait_for("suspended");
                let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
                assert_eq!(status.stopping_signal(), Some(libc::SIGTSTP));
                kill_process(pid, Signal::CONT).unwrap();
                // The very next event: it was stopped once.
                assert_eq!(events.next_line(), "resumed");
            }
            kill_process(pid, Signal::TERM).unwrap();
            let outcome = events.wait_for("outcome");
            assert!(outcome.contains("Cancelled(15)"), "{outcome}");
            child.wait().unwrap();
        }
    }
}

/// What an agent tries at the person's terminal: by the name of its own, by its real name, and from a new session, which
/// takes the next terminal that it opens for its own. Each that works leaves a file.
fn tries(name: &str) -> String {
    format!(
        "( : </dev/tty ) 2>/dev/null && : > read; ( echo seen >/dev/tty ) 2>/dev/null && : > write
( stty size </dev/tty ) >/dev/null 2>&1 && : > size
( echo seen >{name} ) 2>/dev/null && : > named
setsid -w sh -c '( : <>{name}; echo seen >/dev/tty ) 2>/dev/null && : > session'
: > done"
    )
}

fn worked(start: &Start) -> Vec<&'static str> {
    assert!(start.boxed().join("done").exists());
    let is_there = |name: &&'static str| start.boxed().join(name).exists();
    let all = ["read", "write", "size", "named", "session"];
    all.into_iter().filter(is_there).collect()
}

#[test]
fn pol_07_s23_an_agent_reaches_no_terminal_of_the_person() {
    for rung in rungs() {
        let mut person = Person::sits_down();
        let name = rustix::pty::ptsname(&person.master, Vec::new()).unwrap();
        let start = driven(rung, &tries(name.to_str().unwrap()));
        let mut peer = person.starts(start.command());
        let mut events = start.open_events();
        events.wait_for("outcome");
        // Without a sandbox a user's process may open what is the user's; that it is none of the agent's is all there is.
        let expected: &[&str] = match rung {
            Rung::None => &["named"],
            Rung::Partial | Rung::Full => &[],
        };
        assert_eq!(worked(&start), expected, "{rung:?}");
        peer.wait().unwrap();
        if rung != Rung::None {
            person.reads_once(Instant::now());
            assert_eq!(person.shows(), b"");
        }
    }
}

/// The twin: as a child that Taffrail gives its streams without a session of its own, it reaches all of it.
#[test]
fn pol_07_s23_twin_a_plain_child_reaches_the_terminal() {
    let mut person = Person::sits_down();
    let name = rustix::pty::ptsname(&person.master, Vec::new()).unwrap();
    let start = Start::shell(Rung::None, "");
    let mut plain = Command::new("/bin/sh");
    plain
        .args(["-c", &tries(name.to_str().unwrap())])
        .current_dir(start.boxed());
    person.starts(plain).wait().unwrap();
    assert_eq!(worked(&start), ["read", "write", "size", "named"]);
    person.reads_once(Instant::now() + PATIENCE);
    assert!(person.shows().starts_with(b"seen"));
}
