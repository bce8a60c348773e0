//! What driving a foreign agent costs: `cargo bench -p taffrail --bench external`. Medians in one run, never a test.
//!
//! The same fake agent is driven twice: by `taffrail agents external run`, and by a bare relay that reads its lines and
//! gives the four answers that it waits for. The difference is ours. Needs GNU time for peak memory
//! (`apt install time`). Prints a table for `docs/performance.md`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use taffrail_testkit::{FakeAgent, Hermetic, Repo};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");
/// Updates of the longer conversation. Text of 100 bytes each stays below the 16 MiB that a run may say.
const UPDATES: u32 = 50_000;
const RUNS: usize = 5;

fn main() {
    // `cargo test --benches` runs this too, with a flag that asks for a trial only.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!("| what | median |\n|---|---|");
    let (few, many) = (scene(&script(0)), scene(&script(UPDATES)));
    let ours = |scene: &Scene| median(|| scene.driven(&[]));
    let bare = |scene: &Scene| median(|| scene.relayed());
    let (start, start_bare) = (ours(&few), bare(&few));
    println!(
        "| a run with an empty turn, sandboxed | {:.0} ms (the agent under a bare relay: {:.0} ms) |",
        millis(start),
        millis(start_bare)
    );
    let open = median(|| few.driven(&["--no-sandbox"]));
    println!("| the same with `--no-sandbox` | {:.0} ms |", millis(open));
    let each = |long: Duration, short: Duration| {
        long.saturating_sub(short).as_secs_f64() * 1e6 / f64::from(UPDATES)
    };
    let (us, relay) = (each(ours(&many), start), each(bare(&many), start_bare));
    println!(
        "| an update message of 100 bytes | {:.1} µs over a bare relay's {relay:.1} µs |",
        us - relay
    );
    println!(
        "| peak memory of taffrail with {UPDATES} updates | {:.1} MiB |",
        many.peak()
    );
    println!("| peak memory with an empty turn | {:.1} MiB |", few.peak());
}

/// A conversation of so many updates and a result document.
fn script(updates: u32) -> String {
    let text = "x".repeat(99);
    format!("open\nrepeat {updates} {{ say \"{text}\\n\" }}\ndone \"done\"\n")
}

struct Scene {
    world: Hermetic,
    repo: Repo,
    agent: FakeAgent,
}

fn scene(script: &str) -> Scene {
    let world = Hermetic::new(TAFFRAIL);
    let repo = world.repo("project");
    repo.file("a.txt", "a\n");
    repo.commit("start");
    let agent = FakeAgent::script(script);
    world.config(&format!(
        "[external_agents]\nenabled = true\n\
         [external_agents.fake]\ntransport = \"acp\"\ntest = true\n{}",
        agent.toml()
    ));
    Scene { world, repo, agent }
}

const RUN: [&str; 8] = [
    "agents",
    "external",
    "run",
    "fake",
    "--task",
    "go",
    "--unattended",
    "--json",
];

impl Scene {
    /// A whole run, from the command to its exit.
    fn driven(&self, flags: &[&str]) -> Duration {
        let line: Vec<&str> = RUN.iter().chain(flags).copied().collect();
        let run = self.world.command(&line).in_directory(self.repo.root());
        let began = Instant::now();
        run.go().success();
        began.elapsed()
    }

    /// The same conversation under a client that does nothing but read and answer.
    fn relayed(&self) -> Duration {
        let began = Instant::now();
        let mut child = Command::new(self.agent.program())
            .args(self.agent.args())
            .current_dir(self.repo.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut to = child.stdin.take().unwrap();
        let asks = [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#.to_owned(),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"cwd":"{}","mcpServers":[]}}}}"#,
                self.repo.root().display()
            ),
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}"#.to_owned(),
        ];
        for ask in asks {
            writeln!(to, "{ask}").unwrap();
        }
        let last = "\"id\":2";
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            if line.unwrap().contains(last) {
                break;
            }
        }
        drop(to);
        child.wait().unwrap();
        began.elapsed()
    }

    /// Mebibytes of the largest process of a run, which is ours: the fake agent holds no message.
    fn peak(&self) -> f64 {
        let line: Vec<&str> = ["-f", "%M", TAFFRAIL].into_iter().chain(RUN).collect();
        let run = self.world.program(Path::new("/usr/bin/time"), &line);
        let ran = run.in_directory(self.repo.root()).go().success();
        let kib: f64 = ran.stderr.lines().last().unwrap().trim().parse().unwrap();
        kib / 1_024.0
    }
}

fn median(run: impl Fn() -> Duration) -> Duration {
    run();
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
