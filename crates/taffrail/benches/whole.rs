//! Whole commands, as a person waits for them: `cargo bench -p taffrail`. Medians and ratios in one run, never a test.
//!
//! Needs GNU time for peak memory (`apt install time`). `BENCH_DIR` names the file system to measure on, for
//! the one with reflink; without it the temporary directory. Prints a table for `docs/performance.md`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use taffrail_testkit::{Hermetic, Repo, Terminal, TerminalSize};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");

fn main() {
    // `cargo test --benches` runs this too, with a flag that asks for a trial only.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    println!("| what | median |\n|---|---|");
    if is_wanted("version") {
        version();
    }
    if is_wanted("start") {
        for (files, runs) in [(100, 15), (50_000, 3)] {
            box_start(files, runs);
        }
    }
    if is_wanted("terminal") {
        terminal();
    }
    let bytes = std::fs::metadata(TAFFRAIL).unwrap().len();
    println!(
        "| size of the binary | {:.1} MiB |",
        bytes as f64 / 1_048_576.0
    );
}

/// CLI-05: at most 10 ms and 15 MiB.
fn version() {
    let world = world();
    let run = || timed(Command::new(TAFFRAIL).arg("--version").env_clear());
    let bare = || timed(Command::new("/bin/true").env_clear());
    let (ours, theirs) = paired(31, run, bare);
    println!(
        "| `--version`, wall | {:.1} ms (`/bin/true` in the same run: {:.1} ms) |",
        millis(ours),
        millis(theirs)
    );
    println!(
        "| `--version`, peak memory | {:.1} MiB |",
        peak(&world, &["--version"]) as f64 / 1024.0
    );
}

/// From the start of `taffrail box` to the first byte of the child, against a bare spawn of the same child.
fn box_start(files: usize, runs: usize) {
    let world = world();
    let repo = repository(&world, files);
    let env = world.env().clone();
    let ours = || {
        let mut command = Command::new(TAFFRAIL);
        command
            .args(["box", "--unattended", "--", "echo", "first"])
            .current_dir(repo.root());
        first_byte(command.env_clear().envs(&env))
    };
    let bare = || {
        first_byte(
            Command::new("echo")
                .arg("first")
                .current_dir(repo.root())
                .env_clear()
                .envs(&env),
        )
    };
    let (ours, bare) = paired(runs, ours, bare);
    let over = millis(ours.saturating_sub(bare));
    let clone = world.root().join("clone");
    let plain = || {
        let mut git = Command::new("git");
        git.args(["clone", "--quiet", "--no-hardlinks"])
            .arg(repo.root())
            .arg(&clone);
        let took = timed(git.env_clear().envs(&env));
        std::fs::remove_dir_all(&clone).unwrap();
        took
    };
    let mut clones: Vec<_> = (0..runs).map(|_| plain()).collect();
    let clone = millis(median(&mut clones));
    println!("| plain `git clone --no-hardlinks` in the same run, {files} files | {clone:.0} ms |");
    println!(
        "| box start to the child's first byte over a bare spawn, {files} files | {over:.0} ms |"
    );
}

/// Peak memory of taffrail while 1 GB passes through the terminal: at most 64 MiB.
fn terminal() {
    let world = world();
    let repo = repository(&world, 10);
    let script = "head -c 1000000000 /dev/zero | tr '\\0' x | fold -w 200";
    let began = Instant::now();
    let args = [
        "-f",
        "peak=%M",
        TAFFRAIL,
        "box",
        "--unattended",
        "--",
        "bash",
        "-c",
        script,
    ];
    let run = world
        .program("/usr/bin/time", &args)
        .in_directory(repo.root())
        .limit(Duration::from_secs(600));
    let mut terminal = Terminal::spawn(
        run,
        TerminalSize {
            rows: 40,
            columns: 120,
        },
    );
    terminal.wait_for("peak=", Duration::from_secs(600));
    let screen = terminal.screen();
    let peak: f64 = screen
        .split("peak=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    terminal.wait_exit(Duration::from_secs(60));
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "| peak memory while 1 GB passes through the terminal | {:.1} MiB ({seconds:.0} s) |",
        peak / 1024.0
    );
}

fn world() -> Hermetic {
    let place = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    Hermetic::below(&place, TAFFRAIL)
}

fn repository(world: &Hermetic, files: usize) -> Repo {
    let repo = world.repo("bench");
    for at in 0..files {
        let folder = format!("d{:03}", at / 100);
        repo.file(
            &format!("{folder}/f{at}.txt"),
            format!("line one of {at}\n").repeat(40),
        );
    }
    repo.commit("start");
    repo
}

/// The two in turn, so that a machine whose speed drifts does not favour one.
fn paired(
    runs: usize,
    ours: impl Fn() -> Duration,
    theirs: impl Fn() -> Duration,
) -> (Duration, Duration) {
    let (_, _) = (ours(), theirs());
    let (mut first, mut second): (Vec<_>, Vec<_>) = (0..runs).map(|_| (ours(), theirs())).unzip();
    (median(&mut first), median(&mut second))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed(command: &mut Command) -> Duration {
    let began = Instant::now();
    assert!(command.stdout(Stdio::null()).status().unwrap().success());
    began.elapsed()
}

fn first_byte(command: &mut Command) -> Duration {
    use std::io::Read;
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    let took = began.elapsed();
    stdout.read_to_end(&mut Vec::new()).unwrap();
    assert!(child.wait().unwrap().success());
    took
}

fn peak(world: &Hermetic, args: &[&str]) -> u64 {
    let all: Vec<&str> = ["-f", "%M", TAFFRAIL]
        .into_iter()
        .chain(args.iter().copied())
        .collect();
    let ran = world
        .program(Path::new("/usr/bin/time"), &all)
        .go()
        .success();
    ran.stderr.lines().last().unwrap().trim().parse().unwrap()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
