//! Real agents of other vendors, driven over ACP in the sandbox, against a scripted model on loopback: what they ask, what
//! is answered, what lands (FA-20 to FA-31, FA-41).
//!
//! In the second suite: needs bubblewrap and npm. gemini runs there; goose, copilot, qwen and claude, 1 GB of them, run with
//! `just real-agents`. They are installed below `TAFFRAIL_TEST_AGENTS` where that is set.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![cfg(feature = "peers")]

#[path = "real/agents.rs"]
mod agents;
mod common;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agents::{CLAUDE, COPILOT, GEMINI, GOOSE, QWEN, Real};
use common::external::{events, of_type, result};
use common::{assert_none_left, checkouts, committed, data, land, press_once};
use serde_json::Value;
use taffrail_testkit::{
    Act, Hermetic, ModelServer, Repo, Script, Scripts, Terminal, TerminalSize, eventually,
};

/// A start of Node's on a loaded machine takes ten seconds, and a run has two of them.
const LIMIT: Duration = Duration::from_secs(180);
/// How long a pressed key is given before it is pressed again.
const REACTION: Duration = Duration::from_secs(20);
const RESULT: &str = r#"{"status":"DONE","summary":"the script is played"}"#;

/// A world in which one agent is installed and switched on, and its model plays `four`.
struct Scene {
    world: Hermetic,
    server: ModelServer,
    repo: Repo,
    real: &'static Real,
}

/// Reads, writes twice, runs a command, says the result.
fn four_steps() -> Script {
    Script::new()
        .step([Act::text("I look first."), Act::read("README.md")])
        .step([Act::write("hello.txt", "hello\nworld\n")])
        .step([Act::write("second.txt", "no\n")])
        .step([Act::shell("echo from-shell > shell.txt")])
        .step([Act::text(RESULT)])
}

/// The same where a refusal would end the turn before the rest: one write, one command.
fn three_steps() -> Script {
    Script::new()
        .step([Act::text("I look first."), Act::read("README.md")])
        .step([Act::write("hello.txt", "hello\nworld\n")])
        .step([Act::shell("echo from-shell > shell.txt")])
        .step([Act::text(RESULT)])
}

fn scene(real: &'static Real, script: Script, settings: &str) -> Scene {
    let server = ModelServer::start(Scripts::built_in().with("work", script));
    // A run has `/tmp` for itself: what it is to see of the machine lies elsewhere.
    let mut world = common::world();
    let path = world.env()[OsStr::new("PATH")]
        .to_string_lossy()
        .into_owned();
    world.set_env("PATH", format!("{}:{path}", real.installed().display()));
    for (name, value) in real.variables {
        world.set_env(*name, value.replace("URL", &server.url()));
    }
    std::fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let signed_in = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false}}"#;
    std::fs::write(world.home().join(".gemini/settings.json"), signed_in).unwrap();
    let (entry, port) = (real.entry, server.port());
    world.config(&format!(
        "[external_agents]\nenabled = true\n{settings}\n[external_agents.{entry}]\nloopback_ports = [{port}]\n"
    ));
    let repo = committed(&world);
    Scene {
        world,
        server,
        repo,
        real,
    }
}

const TASK: &str = "<<script:work>> do the work";

impl Scene {
    fn line<'a>(&self, flags: &[&'a str]) -> Vec<&'a str> {
        let mut line = vec![
            "agents",
            "external",
            "run",
            self.real.entry,
            "--task",
            TASK,
            "--json",
        ];
        line.extend(flags);
        line
    }

    /// A run that nobody attends, to its end; every event of it.
    fn unattended(&self) -> Vec<Value> {
        let before = self.repo.digest();
        let line = self.line(&["--write", "--unattended"]);
        let run = self.world.command(&line).in_directory(self.repo.root());
        let ran = run.limit(LIMIT).go();
        assert_none_left(&self.world, &[], Instant::now());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(before, self.repo.digest(), "the project is as it was");
        let events = events(&ran.stdout);
        self.check(&events);
        events
    }

    /// What holds after every run: it is completed, contained, told of, and its record agrees with what was told.
    #[track_caller]
    fn check(&self, events: &[Value]) {
        let init = &of_type(events, "init")[0];
        assert_eq!(init["sandbox"], "full", "{init}");
        assert_eq!(init["protocol"], 1);
        let last = result(events);
        assert_eq!(
            (&last["status"], &last["reason"]),
            (&"completed".into(), &"end_turn".into()),
            "{last}"
        );
        assert_eq!(last["result"]["summary"], "the script is played");
        assert_eq!(last["wrote_without_asking"], serde_json::json!([]));
        assert_eq!(checkouts(&self.world), Vec::<PathBuf>::new());
        assert!(self.server.model_calls().len() >= 4);
        let folder = Path::new(last["session_dir"].as_str().unwrap());
        let export: Value = serde_json::from_str(&read(folder, "acp-run.json")).unwrap();
        assert_eq!(export["agentId"], self.real.entry);
        let decided = of_type(events, "decision").len();
        assert_eq!(
            export["decisions"].as_array().unwrap().len(),
            decided,
            "{export}"
        );
        for name in ["context.jsonl", "archive.jsonl", "frames.jsonl"] {
            let text = read(folder, name);
            let lines: Vec<Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            assert!(!lines.is_empty(), "{name}");
        }
        assert!(!read(folder, "frames.jsonl").contains("not-a-key"));
    }

    /// The paths of the stored diff.
    fn changed(&self, run: &str) -> Vec<String> {
        let answer = data(
            &self.world,
            &self.repo,
            &["agents", "external", "review", "--json", run],
        );
        let changes = answer["change"]["changes"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let path = |change: &Value| change["path"].as_str().unwrap().to_owned();
        changes.iter().map(path).collect()
    }
}

fn read(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Verdict and ground of every decision, with the beginning of what was asked.
fn decisions(events: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let decisions = of_type(events, "decision").into_iter();
    decisions
        .map(|at| {
            format!(
                "{} {}: {}",
                text(&at["verdict"]),
                text(&at["ground"]),
                text(&at["what"])
            )
        })
        .collect()
}

/// How many decisions begin with this and hold that.
fn count(decisions: &[String], begins: &str, holds: &str) -> usize {
    let is_it = |at: &&String| at.starts_with(begins) && at.contains(holds);
    decisions.iter().filter(is_it).count()
}

fn run_of(events: &[Value]) -> &str {
    result(events)["run"].as_str().unwrap()
}

#[test]
fn fa_24_gemini_with_the_grant_edits_its_checkout_and_runs_nothing() {
    let scene = scene(&GEMINI, four_steps(), "write_in_checkout = \"allow\"");
    let events = scene.unattended();
    let decisions = decisions(&events);
    assert_eq!(
        count(&decisions, "allowed grant", "hello.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(
        count(&decisions, "allowed same-edit", "hello.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(
        count(&decisions, "refused unattended", "shell.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(count(&decisions, "allowed", "shell.txt"), 0);
    assert_eq!(scene.changed(run_of(&events)), ["hello.txt", "second.txt"]);
    let written = of_type(&events, "fs_request").into_iter();
    let written = written.filter(|at| at["method"] == "fs/write_text_file");
    assert_eq!(written.count(), 2);
}

/// A run on a person's terminal whose stdout is a file: what is on the screen is the question.
struct Attended {
    terminal: Terminal,
    stdout: PathBuf,
}

impl Scene {
    fn attended(&self) -> Attended {
        let stdout = self.world.root().join("events.jsonl");
        let mut words = vec![
            "-c".to_owned(),
            r#"out=$1; shift; exec "$@" >"$out""#.to_owned(),
            "sh".to_owned(),
            stdout.display().to_string(),
            env!("CARGO_BIN_EXE_taffrail").to_owned(),
        ];
        words.extend(self.line(&["--write"]).into_iter().map(str::to_owned));
        let run = self.world.program("/bin/sh", &words);
        let run = run
            .in_directory(self.repo.root())
            .env("TERM", "xterm-256color");
        let terminal = Terminal::spawn_orphan(run, TerminalSize::default());
        Attended { terminal, stdout }
    }
}

impl Attended {
    /// Waits for the question about this, and answers it. A key that was pressed too early is dropped, so that it may need to
    /// be pressed again.
    #[track_caller]
    fn answers(&self, question: &str, key: &str, ground: &str) {
        self.terminal.wait_for(question, LIMIT);
        for _ in 0..4 {
            press_once(&self.terminal, key);
            let answered = eventually(REACTION, || {
                let text = std::fs::read_to_string(&self.stdout).unwrap_or_default();
                let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
                count(&decisions(&events(whole)), ground, question) > 0
            });
            if answered {
                return;
            }
        }
        panic!("{question} is not answered\n{}", self.terminal.screen());
    }

    fn ended(mut self) -> (i32, Vec<Value>) {
        let code = self.terminal.wait_exit(LIMIT);
        assert!(self.terminal.is_cooked(), "the terminal is as it was");
        (
            code,
            events(&std::fs::read_to_string(&self.stdout).unwrap()),
        )
    }
}

#[test]
fn fa_31_gemini_asks_a_person_for_each_edit_and_command_and_what_was_allowed_lands() {
    let scene = scene(&GEMINI, four_steps(), "");
    let before = scene.repo.digest();
    let attended = scene.attended();
    attended.answers("hello.txt", "y", "allowed human");
    attended.answers("second.txt", "n", "refused human");
    attended.answers("shell.txt", "y", "allowed human");
    let (code, events) = attended.ended();
    assert_eq!(code, 0, "{events:#?}");
    assert_eq!(before, scene.repo.digest(), "the project is as it was");
    scene.check_attended(&events);
    let run = run_of(&events);
    assert_eq!(scene.changed(run), ["hello.txt", "shell.txt"]);
    let said = land(&scene.world, &scene.repo, run, &[]);
    let branch = common::branch_of(&said);
    let show = |path: &str| scene.repo.git(&["show", &format!("{branch}:{path}")]);
    assert_eq!(show("hello.txt"), "hello\nworld\n");
    assert_eq!(show("shell.txt"), "from-shell\n");
    let names = scene.repo.git(&["diff", "--name-only", "main", &branch]);
    assert_eq!(names, "hello.txt\nshell.txt\n");
}

impl Scene {
    /// The record of a run that a person attended: a command that was allowed made a file that no question was about.
    fn check_attended(&self, events: &[Value]) {
        let last = result(events);
        assert_eq!(last["status"], "completed", "{last}");
        let folder = Path::new(last["session_dir"].as_str().unwrap());
        let export: Value = serde_json::from_str(&read(folder, "acp-run.json")).unwrap();
        let decided = of_type(events, "decision").len();
        assert_eq!(
            export["decisions"].as_array().unwrap().len(),
            decided,
            "{export}"
        );
        let shown = data(
            &self.world,
            &self.repo,
            &["agents", "external", "show", "--json", run_of(events)],
        );
        assert!(shown.to_string().contains("second.txt"), "{shown}");
    }
}

#[test]
#[ignore = "loads 144 MB from npm: just real-agents"]
fn fa_24_qwen_edits_with_the_grant_and_runs_nothing() {
    let scene = scene(&QWEN, three_steps(), "write_in_checkout = \"allow\"");
    let events = scene.unattended();
    let decisions = decisions(&events);
    assert_eq!(
        count(&decisions, "allowed grant", "hello.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(
        count(&decisions, "refused unattended", "shell.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(scene.changed(run_of(&events)), ["hello.txt"]);
    assert!(
        of_type(&events, "fs_request").len() >= 2,
        "it reads and writes through us"
    );
}

#[test]
#[ignore = "loads 189 MB from npm: just real-agents"]
fn fa_24_copilot_edits_with_the_grant_and_runs_nothing() {
    let scene = scene(&COPILOT, three_steps(), "write_in_checkout = \"allow\"");
    let events = scene.unattended();
    let decisions = decisions(&events);
    assert_eq!(
        count(&decisions, "allowed grant", "hello.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(
        count(&decisions, "refused unattended", "shell.txt"),
        1,
        "{decisions:#?}"
    );
    assert_eq!(scene.changed(run_of(&events)), ["hello.txt"]);
    assert!(
        of_type(&events, "fs_request").is_empty(),
        "it writes by itself after the yes"
    );
    assert!(!of_type(&events, "usage").is_empty());
}

/// It asks before each call of our MCP server: that is let through where nobody is asked, and is a row.
fn recalls_edits_and_runs_nothing(real: &'static Real, tool: &str) {
    let recall = Act::Call {
        tool: tool.to_owned(),
        arguments: serde_json::from_str(r#"{"query":"how we store money"}"#).unwrap(),
    };
    let script = Script::new()
        .step([recall])
        .step([Act::write("hello.txt", "hello\nworld\n")])
        .step([Act::shell("echo from-shell > shell.txt")])
        .step([Act::text(RESULT)]);
    let scene = scene(real, script, "write_in_checkout = \"allow\"");
    let events = scene.unattended();
    let decisions = decisions(&events);
    for (begins, holds) in [
        ("allowed policy", "taffrail's own: memory_recall"),
        ("allowed grant", "hello.txt"),
        ("refused unattended", "shell.txt"),
    ] {
        assert_eq!(count(&decisions, begins, holds), 1, "{decisions:#?}");
    }
    assert_eq!(scene.changed(run_of(&events)), ["hello.txt"]);
    let folder = Path::new(result(&events)["session_dir"].as_str().unwrap());
    let export: Value = serde_json::from_str(&read(folder, "acp-run.json")).unwrap();
    let calls = &export["mcpRequests"];
    assert_eq!(calls[0]["method"], "mcp/memory_recall", "{export}");
    assert_eq!(calls[0]["outcome"], "served", "{export}");
}

#[test]
fn fa_25_gemini_recalls_what_is_known_where_nobody_is_asked() {
    recalls_edits_and_runs_nothing(&GEMINI, "mcp_taffrail_memory_recall");
}

#[test]
#[ignore = "loads 402 MB from npm: just real-agents"]
fn fa_25_claude_recalls_what_is_known_where_nobody_is_asked() {
    recalls_edits_and_runs_nothing(&CLAUDE, "mcp__taffrail__memory_recall");
}

/// It says no kind of what it asks for: everything counts as the strictest kind, which no grant covers.
#[test]
#[ignore = "loads 269 MB from npm: just real-agents"]
fn fa_22_goose_says_no_kind_and_is_refused_everything_where_nobody_is_asked() {
    let scene = scene(&GOOSE, three_steps(), "write_in_checkout = \"allow\"");
    let events = scene.unattended();
    let decisions = decisions(&events);
    assert!(decisions.len() >= 3, "{decisions:#?}");
    assert_eq!(
        count(&decisions, "refused unattended", ""),
        decisions.len(),
        "{decisions:#?}"
    );
    assert_eq!(scene.changed(run_of(&events)), Vec::<String>::new());
}
