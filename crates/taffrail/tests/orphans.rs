//! Promise: two seconds after a box has ended, in whatever way, no process of it is left (CNF-05).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::time::Instant;

use common::{
    PATIENCE, Process, assert_none_left, boxed, boxed_terminal, checkouts, committed, descendants,
    kill_nine, review, supervisor_of, surely_bubblewrapped, taffrail, traces_of, wait_for_file,
    world,
};
use rustix::process::Signal;
use taffrail_testkit::{Hermetic, Repo, Running, Terminal, eventually};

/// Everything that a command can do to outlive its box, each naming a file of the checkout in its arguments: a session
/// of its own, a double fork, ignored signals, a daemon that holds the output, one that starts itself anew, one that
/// wipes its environment, one that holds a background shell.
const NEST: &str = r#"
keep="$PWD/keep"; touch "$keep"
setsid tail -f "$keep" &
( ( setsid tail -f "$keep" >/dev/null 2>&1 & ) & )
sh -c 'trap "" TERM HUP INT QUIT; tail -f "$0" & wait; wait; tail -f "$0"' "$keep" &
setsid sh -c 'trap "" TERM HUP INT QUIT; while :; do tail -f "$0"; done' "$keep" &
( cd /; exec setsid env -i PATH="$PATH" tail -f "$keep" </dev/null >/dev/null 2>&1 ) &
nohup sh -c 'tail -f "$0"; :' "$keep" >/dev/null 2>&1 &
"#;

/// A chain of processes, each of which starts the next in a session of its own and ends: its pid never stands still.
const HOPPER: &str = r#"
cat > hop <<'END'
#!/bin/sh
trap '' TERM HUP INT QUIT
setsid "$0" "$1" &
exit 0
END
chmod +x hop; ./hop "$PWD/a" & ./hop "$PWD/b" &
"#;

/// The ways to end a box that was started without a terminal.
#[derive(Debug, Clone, Copy)]
enum End {
    Exit,
    Signal(Signal),
    Timeout,
    KillTaffrail,
    KillSupervisor,
}

const ENDS: [End; 8] = [
    End::Exit,
    End::Signal(Signal::INT),
    End::Signal(Signal::TERM),
    End::Signal(Signal::HUP),
    End::Signal(Signal::QUIT),
    End::Timeout,
    End::KillTaffrail,
    End::KillSupervisor,
];

struct Nest {
    world: Hermetic,
    repo: Repo,
    running: Running,
    below: Vec<Process>,
}

/// A box in which `nest` runs, then waits for what `end` does.
fn nest(end: End, flags: &[&str], nest: &str, least: usize) -> Nest {
    // On a busy machine the time of the first limits may be over before the nest has grown.
    let limits: &[&str] = match end {
        End::Timeout => &["3s", "20s", "90s"],
        _ => &[""],
    };
    let grown = limits
        .iter()
        .find_map(|limit| grown(end, limit, flags, nest, least));
    grown.expect("a nest that grows")
}

/// None where the time was over before it had grown.
fn grown(end: End, limit: &str, flags: &[&str], nest: &str, least: usize) -> Option<Nest> {
    let world = world();
    let repo = committed(&world);
    let last = match end {
        End::Exit => "touch ready; until [ -e go ]; do sleep 0.02; done; exit 0",
        _ => "touch ready; exec sleep 300",
    };
    let mut flags = [flags, &["--name", "b"]].concat();
    if let End::Timeout = end {
        flags.extend(["--timeout", limit]);
    }
    let mut running = boxed(&world, &repo, &flags, &format!("{nest}\n{last}")).start();
    let mut below = Vec::new();
    let mut over = false;
    let grown = eventually(PATIENCE, || {
        below = descendants(running.pid());
        let names = |process: &&Process| process.line.contains("/box/wt/");
        let ready = || {
            let mut places = checkouts(&world).into_iter();
            places.any(|path| path.join("box/wt/ready").exists())
        };
        over = !running.is_running();
        over || (below.iter().filter(names).count() >= least && ready())
    });
    assert!(grown, "the nest did not grow: {below:#?}");
    assert!(!over || matches!(end, End::Timeout), "{}", running.stderr());
    (!over).then_some(Nest {
        world,
        repo,
        running,
        below,
    })
}

impl Nest {
    /// Ends it, and looks.
    fn assert_ends(self, end: End) {
        let Self {
            world,
            repo,
            running,
            below,
        } = self;
        let ended = match end {
            End::Exit => {
                let ready = wait_for_file(&world, "ready");
                std::fs::write(ready.with_file_name("go"), "").unwrap();
                running.wait().expect_code(0);
                Instant::now()
            }
            End::Signal(signal) => {
                running.signal(signal);
                running.wait().expect_code(130);
                Instant::now()
            }
            End::Timeout => {
                running.wait().expect_code(5);
                Instant::now()
            }
            End::KillTaffrail => {
                kill_nine(running);
                Instant::now()
            }
            End::KillSupervisor => {
                supervisor_of(running.pid()).signal(Signal::KILL);
                running.wait().expect_code(1);
                Instant::now()
            }
        };
        assert_none_left(&world, &below, ended);
        drop(repo);
    }
}

#[test]
fn cnf_05_nothing_is_left_after_any_ending() {
    for end in ENDS {
        nest(end, &[], NEST, 7).assert_ends(end);
    }
}

#[test]
fn cnf_05_nothing_is_left_without_the_sandbox_either() {
    for end in ENDS {
        nest(end, &["--no-sandbox"], NEST, 7).assert_ends(end);
    }
}

#[test]
fn cnf_05_the_twin_without_taffrail_leaves_them() {
    let world = world();
    let running = world
        .program(
            "sh",
            &["-c", &format!("{NEST}\ntouch ready; exec sleep 300")],
        )
        .start();
    let grown = eventually(PATIENCE, || traces_of(&world).len() >= 8);
    assert!(grown, "{:#?}", traces_of(&world));
    running.signal(Signal::KILL);
    running.wait();
    assert!(
        !eventually(common::BOUND, || traces_of(&world).is_empty()),
        "they ended by themselves"
    );
    // One of them carries no mark that the world's end would find.
    traces_of(&world)
        .iter()
        .for_each(|process| process.signal(Signal::KILL));
}

#[test]
fn cnf_05_a_process_that_never_stands_still() {
    for end in [
        End::Exit,
        End::Signal(Signal::TERM),
        End::KillTaffrail,
        End::KillSupervisor,
    ] {
        nest(end, &[], HOPPER, 1).assert_ends(end);
    }
}

#[test]
fn cnf_05_a_closed_terminal_leaves_nothing() {
    let world = world();
    let repo = committed(&world);
    let mut terminal = boxed_terminal(
        &world,
        &repo,
        &["--name", "b"],
        &format!("{NEST}\ntouch ready; exec sleep 300"),
    );
    wait_for_file(&world, "ready");
    let below = descendants(terminal.pid());
    terminal.hang_up();
    assert_eq!(terminal.wait_exit(PATIENCE), 130);
    assert_none_left(&world, &below, Instant::now());
}

#[test]
fn cnf_05_a_terminal_killed_with_its_taffrail_leaves_nothing() {
    let world = world();
    let repo = committed(&world);
    let mut terminal = boxed_terminal(
        &world,
        &repo,
        &["--name", "b"],
        &format!("{NEST}\ntouch ready; exec sleep 300"),
    );
    wait_for_file(&world, "ready");
    let below = descendants(terminal.pid());
    kill(&terminal);
    assert_eq!(terminal.wait_exit(PATIENCE), 128 + 9);
    assert_none_left(&world, &below, Instant::now());
}

fn kill(terminal: &Terminal) {
    let pid = rustix::process::Pid::from_raw(terminal.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
}

#[test]
fn cnf_05_what_the_command_left_is_counted_and_told() {
    let world = world();
    let repo = committed(&world);
    let ran = boxed(
        &world,
        &repo,
        &["--name", "b"],
        "setsid sleep 300 & setsid sleep 300 & exit 0",
    )
    .go()
    .success();
    assert!(
        ran.stderr
            .contains("ended after it: 2 processes that it had left running"),
        "{}",
        ran.stderr
    );
}

#[test]
fn cnf_05_a_daemon_that_holds_the_output_does_not_hang_us() {
    let world = world();
    let repo = committed(&world);
    let line = format!(
        "{} box -- sh -c 'setsid sleep 300 & (setsid sleep 300 &) ; echo out' 2>/dev/null | cat; echo END",
        env!("CARGO_BIN_EXE_taffrail")
    );
    let run = world
        .program("sh", &["-c", &line])
        .in_directory(repo.root())
        .limit(PATIENCE);
    assert_eq!(run.go().success().stdout, "out\nEND\n");
}

#[test]
fn cnf_05_a_second_signal_ends_it_at_once() {
    let world = world();
    let repo = committed(&world);
    let stubborn = "trap '' TERM INT HUP QUIT; touch ready; while :; do sleep 300 & wait; done";
    let running = boxed(&world, &repo, &["--name", "b"], stubborn).start();
    wait_for_file(&world, "ready");
    let below = descendants(running.pid());
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    running.wait().expect_code(130);
    assert_none_left(&world, &below, Instant::now());
    assert_eq!(review(&world, &repo, "b")["status"], "cancelled");
}

#[test]
fn cnf_05_taffrail_and_supervisor_killed_at_once_are_swept() {
    let nest = nest(End::KillTaffrail, &[], NEST, 9);
    let supervisor = supervisor_of(nest.running.pid());
    // Stopped first, so that neither can act between the two kills.
    supervisor.signal(Signal::STOP);
    nest.running.signal(Signal::STOP);
    supervisor.signal(Signal::KILL);
    kill_nine(nest.running);
    let ended = Instant::now();
    let mut below = nest.below.clone();
    if !surely_bubblewrapped() {
        // Without a process namespace nobody is left to act until the next command, and a process that wiped its
        // environment too is then found by nothing.
        taffrail(&nest.world, &nest.repo, &["box", "list"]).success();
        below.retain(|process| !wiped(process));
    }
    let gone = eventually(common::BOUND + common::MARGIN, || {
        below.iter().all(|process| !process.lives())
    });
    assert!(
        gone,
        "{:?} after the end: {:#?}",
        ended.elapsed(),
        below.iter().filter(|p| p.lives()).collect::<Vec<_>>()
    );
    for process in &nest.below {
        process.signal(Signal::KILL);
    }
}

/// Whether a living process has no mark in its environment.
fn wiped(process: &Process) -> bool {
    let environ = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    !environ.is_empty() && !String::from_utf8_lossy(&environ).contains("TAFFRAIL_RUN=")
}

/// Our session and group have no number in a pid namespace that was made around us, as a container runtime makes it.
#[cfg(feature = "peers")]
#[test]
fn cnf_05_a_session_from_outside_the_pid_namespace_changes_nothing() {
    let world = world();
    let repo = committed(&world);
    let script = format!(
        r#"
"{taffrail}" box --no-sandbox --name b -- sh -c 'setsid sleep 300 & touch ready; exec sleep 300' & run=$!
until [ -n "$(find {checkouts} -name ready)" ]; do sleep 0.02; done
for process in /proc/[0-9]*; do
  tr '\0' ' ' < "$process/cmdline" | grep -q -- __supervise && kill -9 "${{process#/proc/}}"
done
wait "$run"; echo "ended $?"
"#,
        taffrail = env!("CARGO_BIN_EXE_taffrail"),
        checkouts = world.taffrail_home().join("checkouts").display(),
    );
    let ran = world
        .program(
            "unshare",
            &[
                "--user",
                "--map-root-user",
                "--pid",
                "--fork",
                "--mount-proc",
                "sh",
                "-c",
                &script,
            ],
        )
        .in_directory(repo.root())
        .go();
    assert!(ran.stdout.contains("ended 1\n"), "{ran:?}");
}
