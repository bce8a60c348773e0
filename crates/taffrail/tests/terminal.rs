//! Promise: a program in a box has the terminal as if there were no box: keys, size, signals, suspension, colours,
//! and afterwards the terminal is as it was (FA-06).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command};
use std::time::Duration;

use common::{
    BOUND, MARGIN, PATIENCE, boxed_terminal, checkouts, committed, descendants, review,
    supervisor_of, world,
};
use rustix::process::Signal;
use rustix::pty::OpenptFlags;
use taffrail_testkit::{Hermetic, Key, Repo, Terminal, TerminalSize, eventually};

/// The bytes of a file in the one checkout that was kept.
fn kept(world: &Hermetic, name: &str) -> Vec<u8> {
    let folder = checkouts(world).pop().expect("a kept checkout");
    std::fs::read(folder.join("box/wt").join(name)).unwrap()
}

/// Waits for the question at the end, answers `keep`, and returns the exit code.
#[track_caller]
fn keep(mut terminal: Terminal) -> i32 {
    terminal.wait_for("[k]eep", PATIENCE);
    terminal.send("k\r");
    terminal.wait_exit(PATIENCE)
}

#[test]
fn fa_06_every_byte_that_is_typed_arrives() {
    let world = world();
    let repo = committed(&world);
    let mut typed: Vec<u8> = (0..=255).collect();
    for text in [
        "\x1b[A\x1b[B\x1bOP\x1b[5~",
        "äöü 箱 🚢",
        "\x1b[200~pasted\r\nlines\t\x1b[201~",
        "\x03\x04\x1a\x1c\x13\x11",
    ] {
        typed.extend(text.as_bytes());
    }
    let script = format!(
        "stty raw -echo; echo READY; dd bs=1 count={} of=keys 2>dd.log; stty sane",
        typed.len()
    );
    let terminal = boxed_terminal(&world, &repo, &["--keep"], &script);
    terminal.wait_for("READY", PATIENCE);
    for chunk in typed.chunks(7) {
        terminal.send(chunk);
    }
    assert_eq!(keep(terminal), 0);
    assert_eq!(kept(&world, "keys"), typed);
}

#[test]
fn fa_06_lines_are_edited_and_ended_by_the_terminal() {
    let world = world();
    let repo = committed(&world);
    let terminal = boxed_terminal(
        &world,
        &repo,
        &["--keep"],
        "echo READY; cat > typed; echo ENDED",
    );
    terminal.wait_for("READY", PATIENCE);
    terminal.send("helx");
    terminal.key(Key::Backspace);
    terminal.send("lo 箱\r");
    terminal.key(Key::Control('d'));
    terminal.wait_for("ENDED", PATIENCE);
    assert_eq!(keep(terminal), 0);
    assert_eq!(kept(&world, "typed"), "hello 箱\n".as_bytes());
}

#[test]
fn fa_06_the_size_is_the_terminals_and_changes_with_it() {
    let world = world();
    let repo = committed(&world);
    // A signal in front of a `read` waits for the line: it is told of by the first line that comes.
    let script = "trap 'echo \"SIZE $(stty size)\"' WINCH; echo \"SIZE $(stty size)\"; echo READY
                  until read -r line && test -n \"$line\"; do :; done; echo \"GOT $line\"";
    let mut terminal = boxed_terminal(&world, &repo, &[], script);
    terminal.wait_for("SIZE 24 80", PATIENCE);
    terminal.wait_for("READY", PATIENCE);
    for (rows, columns) in [(40, 132), (24, 50)] {
        terminal.resize(TerminalSize { rows, columns });
        let size = format!("SIZE {rows} {columns}");
        shown_or_again(&terminal, &size, || terminal.send("\r"));
    }
    terminal.send("end\r");
    terminal.wait_for("GOT end", PATIENCE);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
}

/// Waits until the screen shows a text, and does this every two seconds until then: a signal in front of a `read` waits.
#[track_caller]
fn shown_or_again(terminal: &Terminal, text: &str, again: impl Fn()) {
    let second = Duration::from_secs(2);
    let shown = eventually(PATIENCE, || {
        let is_shown = terminal.wait_until(second, |screen| screen.contents().contains(text));
        if !is_shown {
            again();
        }
        is_shown
    });
    assert!(shown, "{}", terminal.screen());
}

#[test]
fn fa_06_ctrl_c_is_the_programs_own() {
    let world = world();
    let repo = committed(&world);
    let script = "trap 'echo INTERRUPTED' INT; echo READY; until read -r line; do :; done; echo \"GOT $line\"";
    let mut terminal = boxed_terminal(&world, &repo, &["--name", "b"], script);
    terminal.wait_for("READY", PATIENCE);
    terminal.key(Key::Control('c'));
    shown_or_again(&terminal, "INTERRUPTED", || terminal.key(Key::Control('c')));
    terminal.send("on\r");
    terminal.wait_for("GOT on", PATIENCE);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    assert_eq!(review(&world, &repo, "b")["status"], "completed");
}

/// A shell with job control on a terminal.
fn shell(world: &Hermetic, repo: &Repo) -> Terminal {
    let run = world.program("bash", &["--norc", "--noprofile", "-i"]);
    let run = run
        .in_directory(repo.root())
        .env("PS1", "shell> ")
        .env("TERM", "xterm");
    let terminal = Terminal::spawn(
        run,
        TerminalSize {
            rows: 50,
            columns: 200,
        },
    );
    terminal.wait_for("shell> ", PATIENCE);
    terminal
}

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");

#[test]
fn fa_06_ctrl_z_suspends_the_whole_and_fg_goes_on() {
    let world = world();
    let repo = committed(&world);
    let mut terminal = shell(&world, &repo);
    let script = "echo BEG\"IN\"; until read -r line; do :; done; echo \"G\"\"OT $line\"";
    terminal.send(format!("{TAFFRAIL} box --name b -- sh -c '{script}'\r"));
    for round in 0..3 {
        if round == 0 {
            terminal.wait_for("BEGIN", PATIENCE);
        }
        terminal.key(Key::Control('z'));
        // The shell says so when it has the terminal again; before that, keys are dropped.
        let said = |screen: &str| screen.matches("Stopped").count() > round;
        assert!(
            terminal.wait_until(PATIENCE, |screen| said(&screen.contents())),
            "{}",
            terminal.screen()
        );
        terminal.send(format!("echo $((40 + {round}))-here\r"));
        terminal.wait_for(&format!("{}-here", 40 + round), PATIENCE);
        let below = descendants(terminal.pid());
        let supervises = |process: &common::Process| process.line.contains("__supervise");
        assert!(below.iter().any(supervises), "{below:#?}");
        terminal.send(format!("fg; echo back-$((50 + {round}))\r"));
        // bash names the job that goes on.
        assert!(
            eventually(PATIENCE, || !below
                .iter()
                .any(|process| stopped(process.pid))),
            "nothing goes on"
        );
    }
    terminal.send("hello\r");
    terminal.wait_for("GOT hello", PATIENCE);
    terminal.wait_for("back-52", PATIENCE);
    assert_eq!(review(&world, &repo, "b")["status"], "completed");
    terminal.send("exit 7\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 7);
}

/// Whether a process is stopped by job control.
fn stopped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| rest.starts_with(" T"))
}

#[test]
fn fa_06_a_shell_in_the_box_has_job_control_of_its_own() {
    let world = world();
    let repo = committed(&world);
    let args = [
        "box",
        "--name",
        "b",
        "--",
        "bash",
        "--norc",
        "--noprofile",
        "-i",
    ];
    let mut terminal = world.terminal(repo.root(), &args);
    terminal.wait_for("bash", PATIENCE);
    // Printed by the job itself, so that it is in the foreground when the key comes.
    terminal.send("sh -c 'echo in-$((1 + 1)); exec cat'\r");
    terminal.wait_for("in-2", PATIENCE);
    terminal.key(Key::Control('z'));
    terminal.wait_for("Stopped", PATIENCE);
    terminal.send("echo still-$((2 + 1)); kill %1; exit 0\r");
    terminal.wait_for("still-3", PATIENCE);
    // An interactive shell says once that jobs are left; the second time it goes.
    let ended = || review(&world, &repo, "b")["status"] == "completed";
    if !eventually(Duration::from_secs(3), ended) {
        terminal.send("exit 0\r");
    }
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
}

#[test]
fn fa_06_colours_titles_and_the_clipboard_pass_untouched() {
    let world = world();
    let repo = committed(&world);
    let shown = r"\033[31mRED\033[0m \033[38;2;1;2;3mTRUE\033[0m\033]0;a title\007\033]52;c;aGVsbG8=\007\033P+q544e\033\\\200\377END";
    let script =
        format!("stty -opost; printf '{shown}'; stty opost; echo; echo DONE; read -r line");
    let mut terminal = boxed_terminal(&world, &repo, &[], &script);
    terminal.wait_for("DONE", PATIENCE);
    let (red, _) = terminal.colours_of("RED").unwrap();
    let (real, _) = terminal.colours_of("TRUE").unwrap();
    assert_eq!(format!("{red:?} {real:?}"), "Idx(1) Rgb(1, 2, 3)");
    assert_eq!(terminal.title(), "a title");
    assert_eq!(terminal.clipboard(), ["aGVsbG8="]);
    let expected = b"\x1b[31mRED\x1b[0m \x1b[38;2;1;2;3mTRUE\x1b[0m\x1b]0;a title\x07\x1b]52;c;aGVsbG8=\x07\x1bP+q544e\x1b\\\x80\xffEND";
    let raw = terminal.raw();
    assert!(
        raw.windows(expected.len()).any(|window| window == expected),
        "{}",
        String::from_utf8_lossy(&raw)
    );
    terminal.send("\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
}

#[test]
fn fa_06_a_full_screen_program_draws_redraws_and_leaves() {
    let world = world();
    let repo = committed(&world);
    let script = r#"
        draw() { set -- $(stty size); printf '\033[2J\033[1;1H%s by %s\033[%s;1HBOTTOM' "$1" "$2" "$1"; }
        stty -icanon -echo min 1; printf '\033[?1049h\033[?25l'; trap draw WINCH; draw
        while :; do
          key=$(dd bs=1 count=1 2>/dev/null) || continue
          case $key in q) break ;; '') ;; *) printf '\033[2;1Hkey %s' "$key" ;; esac
        done
        printf '\033[?25h\033[?1049l'; stty sane; echo "saved" > result"#;
    let terminal = boxed_terminal(&world, &repo, &["--keep"], script);
    terminal.wait_for("24 by 80", PATIENCE);
    terminal.wait_for("BOTTOM", PATIENCE);
    assert!(terminal.look(|screen| screen.alternate_screen() && screen.hide_cursor()));
    assert_eq!(terminal.find("BOTTOM"), Some((23, 0)));
    terminal.send("x");
    terminal.wait_for("key x", PATIENCE);
    terminal.resize(TerminalSize {
        rows: 30,
        columns: 90,
    });
    // The shell runs its trap when the key that it waits for came; the signal may come a moment after the key.
    let redrawn = (0..20).any(|_| {
        terminal.send("y");
        terminal.wait_until(Duration::from_secs(1), |screen| {
            screen.contents().contains("30 by 90")
        })
    });
    assert!(redrawn, "{}", terminal.screen());
    assert!(
        terminal.wait_until(PATIENCE, |screen| screen.contents().lines().nth(29)
            == Some("BOTTOM"))
    );
    terminal.send("q");
    terminal.wait_for("[k]eep", PATIENCE);
    assert!(terminal.look(|screen| !screen.alternate_screen() && !screen.hide_cursor()));
    assert_eq!(keep(terminal), 0);
    assert_eq!(kept(&world, "result"), b"saved\n");
}

/// `taffrail box -- sh -c SCRIPT` as the child of a plain shell on a terminal, which leaves the terminal as it finds
/// it and says `AFTER` when taffrail is gone.
fn under_a_shell(world: &Hermetic, repo: &Repo, script: &str) -> Terminal {
    let line = format!(
        "{TAFFRAIL} box --unattended -- sh -c '{script}'; echo AFTER $?; read -r line; exit 0"
    );
    let run = world
        .program("sh", &["-c", &line])
        .in_directory(repo.root())
        .env("TERM", "xterm");
    Terminal::spawn(run, TerminalSize::default())
}

/// The taffrail below such a shell.
fn taffrail_below(terminal: &Terminal) -> common::Process {
    let is_box = |process: &common::Process| process.line.starts_with(&format!("{TAFFRAIL} box"));
    descendants(terminal.pid())
        .into_iter()
        .find(is_box)
        .expect("taffrail below the shell")
}

#[test]
fn fa_06_the_terminal_is_as_it_was_after_every_ending() {
    for (script, code) in [
        ("echo READY; read -r line", "AFTER 0"),
        (
            "stty raw -echo; echo READY; dd bs=1 count=1 2>/dev/null; exit 3",
            "AFTER 1",
        ),
        (
            "stty raw -echo; echo READY; dd bs=1 count=1 2>/dev/null; kill -9 $$",
            "AFTER 1",
        ),
    ] {
        let world = world();
        let repo = committed(&world);
        let mut terminal = under_a_shell(&world, &repo, script);
        terminal.wait_for("READY", PATIENCE);
        assert!(
            !terminal.is_cooked(),
            "keys are passed on, not edited twice"
        );
        terminal.send("\r");
        terminal.wait_for(code, PATIENCE);
        assert!(terminal.is_cooked(), "{script}");
        terminal.send("\r");
        assert_eq!(terminal.wait_exit(PATIENCE), 0);
    }
}

#[test]
fn fa_06_the_terminal_is_as_it_was_after_every_kill() {
    type Kill = fn(&Terminal);
    let kills: [(Kill, &str); 4] = [
        (
            |terminal| taffrail_below(terminal).signal(Signal::TERM),
            "AFTER 130",
        ),
        (
            |terminal| taffrail_below(terminal).signal(Signal::INT),
            "AFTER 130",
        ),
        (
            |terminal| taffrail_below(terminal).signal(Signal::KILL),
            "AFTER 137",
        ),
        (
            |terminal| {
                supervisor_of(taffrail_below(terminal).pid.cast_unsigned()).signal(Signal::KILL)
            },
            "AFTER 1",
        ),
    ];
    for (kill, after) in kills {
        let world = world();
        let repo = committed(&world);
        let mut terminal =
            under_a_shell(&world, &repo, "stty raw -echo; echo READY; exec sleep 300");
        terminal.wait_for("READY", PATIENCE);
        kill(&terminal);
        terminal.wait_for(after, PATIENCE);
        assert!(
            eventually(BOUND + MARGIN, || terminal.is_cooked()),
            "{after}: the terminal is left raw"
        );
        terminal.send("\r");
        assert_eq!(terminal.wait_exit(PATIENCE), 0);
    }
}

#[test]
fn fa_06_pipes_pass_untouched_and_talk_stays_on_stderr() {
    let world = world();
    let repo = committed(&world);
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let (from, to) = (world.root().join("in"), world.root().join("out"));
    std::fs::write(&from, &bytes).unwrap();
    let line = format!(
        "cat '{}' | {TAFFRAIL} box -- cat | cat > '{}'",
        from.display(),
        to.display()
    );
    let ran = world
        .program("sh", &["-c", &line])
        .in_directory(repo.root())
        .go()
        .success();
    assert_eq!(std::fs::read(&to).unwrap(), bytes);
    assert!(
        ran.stderr.contains("box run_") && ran.stderr.contains("nothing changed"),
        "{}",
        ran.stderr
    );
}

#[test]
fn fa_06_only_the_streams_that_are_a_terminal_become_one() {
    let world = world();
    let repo = committed(&world);
    let script = "for s in 0 1 2; do test -t $s && echo \"tty $s\" >> streams; done; echo to-the-pipe; echo to-the-screen >&2";
    let line = format!(
        "{TAFFRAIL} box --keep --unattended -- sh -c '{script}' | sed s/pipe/PIPE/; echo AFTER"
    );
    let run = world
        .program("sh", &["-c", &line])
        .in_directory(repo.root())
        .env("TERM", "xterm");
    let mut terminal = Terminal::spawn(run, TerminalSize::default());
    terminal.wait_for("AFTER", PATIENCE);
    assert!(
        terminal.find("to-the-PIPE").is_some() && terminal.find("to-the-screen").is_some(),
        "{}",
        terminal.screen()
    );
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    assert_eq!(kept(&world, "streams"), b"tty 0\ntty 2\n");
}

#[test]
fn fa_06_64_mib_pass_through_the_terminal() {
    const MIB: usize = 1 << 20;
    let world = world();
    let repo = committed(&world);
    let args = [
        "box",
        "--unattended",
        "--",
        "sh",
        "-c",
        "stty -opost; dd if=/dev/zero bs=1048576 count=64 2>/dev/null",
    ];
    let (mut child, master) = on_a_bare_terminal(&world, &repo, &args);
    let (mut zeroes, mut buffer) = (0, vec![0; 1 << 16]);
    // The other end is gone: an error of the terminal, not an end of file.
    while let Ok(count @ 1..) = rustix::io::read(&master, &mut buffer) {
        zeroes += buffer[..count].iter().filter(|byte| **byte == 0).count();
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(zeroes, 64 * MIB);
}

/// Without the screen model, which is too slow for this much.
fn on_a_bare_terminal(world: &Hermetic, repo: &Repo, args: &[&str]) -> (Child, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let slave = rustix::pty::ioctl_tiocgptpeer(&master, flags).unwrap();
    let stream = || slave.as_fd().try_clone_to_owned().unwrap();
    let child = Command::new("setsid")
        .args(["--ctty", TAFFRAIL])
        .args(args)
        .env_clear()
        .envs(world.env())
        .current_dir(repo.root())
        .stdin(stream())
        .stdout(stream())
        .stderr(stream())
        .spawn()
        .unwrap();
    (child, master)
}

#[test]
fn fa_06_what_a_program_leaves_on_the_screen_hides_nothing_of_ours() {
    let world = world();
    let repo = committed(&world);
    // The other screen, hidden text, line drawing, one line of margins, and a string that is never ended: a terminal
    // shows nothing more of what comes, which is the twin.
    let script = r"printf '\033[?1049h\033[8m\033(0\033[5;5r\033_'; printf 'SWALLOWED'";
    let terminal = boxed_terminal(
        &world,
        &repo,
        &["--keep"],
        &format!("echo x > new; {script}"),
    );
    terminal.wait_for("[k]eep", PATIENCE);
    assert!(!terminal.screen().contains("SWALLOWED"));
    assert!(terminal.screen().contains("1 file changed"));
    terminal.look(|screen| {
        assert!(!screen.alternate_screen());
        assert!(!screen.hide_cursor());
    });
    assert_eq!(keep(terminal), 0);
}
