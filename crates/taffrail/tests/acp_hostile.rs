//! FA-45: `taffrail acp` before clients that go away, flood, or do not read: it ends by itself, and nothing of it is left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use common::{PATIENCE, descendants};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, eventually};

/// What an end may take. It takes a moment; two cores with twenty others on them get this much, and what hangs hangs for
/// twenty minutes.
const BOUND: Duration = Duration::from_secs(40);

/// A client by hand.
struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    cwd: String,
    _world: Hermetic,
}

impl Peer {
    fn start(script: &str) -> Self {
        let world = common::world();
        let cwd = world.directory("work");
        let file = world.root().join("script.yaml");
        std::fs::write(&file, script).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_taffrail"));
        child.args(["acp", "--script"]).arg(&file).current_dir(&cwd);
        child.env_clear().envs(world.env());
        child.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            cwd: cwd.display().to_string(),
            _world: world,
        }
    }

    /// Up to a turn that goes on, in a client that serves no files.
    fn in_turn(script: &str) -> Self {
        Self::in_turn_with(script, &json!([]))
    }

    fn in_turn_with(script: &str, servers: &Value) -> Self {
        let mut peer = Self::start(script);
        peer.request(0, "initialize", &json!({"protocolVersion": 1}));
        peer.until("id", &json!(0));
        let new = json!({"cwd": peer.cwd, "mcpServers": servers});
        peer.request(1, "session/new", &new);
        let session = peer.until("id", &json!(1))["result"]["sessionId"].clone();
        peer.prompt(2, &session);
        peer
    }

    fn prompt(&mut self, id: u64, session: &Value) {
        let prompt = json!([{"type": "text", "text": "go"}]);
        let params = json!({"sessionId": session, "prompt": prompt});
        self.request(id, "session/prompt", &params);
    }

    fn says(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        self.write(format!("{message}\n").as_bytes());
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) {
        self.says(&json!({"id": id, "method": method, "params": params}));
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next message whose `key` is `value`.
    #[track_caller]
    fn until(&mut self, key: &str, value: &Value) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it ended");
            let message: Value = serde_json::from_str(&line).expect("a message");
            if message[key] == *value {
                return message;
            }
        }
    }

    /// Closes its input; within the bound it is gone with everything below it. Its exit code and all that it said.
    #[track_caller]
    fn closed(mut self) -> (i32, String) {
        let below = descendants(self.child.id());
        let before = Instant::now();
        drop(self.input.take());
        let mut said = String::new();
        self.output.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(before.elapsed() < BOUND, "{:?}", before.elapsed());
        let gone = eventually(BOUND, || below.iter().all(|process| !process.lives()));
        assert!(gone, "{below:?}");
        (status.code().unwrap_or(-1), said)
    }

    /// Waits until a process with these words in its line runs below it.
    #[track_caller]
    fn wait_for_below(&self, words: &str) {
        let pid = self.child.id();
        let is_up = || {
            descendants(pid)
                .iter()
                .any(|below| below.line.contains(words))
        };
        assert!(eventually(PATIENCE, is_up), "no `{words}` runs");
    }
}

#[test]
fn fa_45_the_end_of_its_input_during_a_question_ends_it() {
    let mut peer = Peer::in_turn("steps: [edit: {path: a.txt, new: x}]");
    peer.until("method", &json!("session/request_permission"));
    let (code, said) = peer.closed();
    assert_eq!(code, 0);
    assert!(said.contains(r#""stopReason":"cancelled""#), "{said}");
}

#[test]
fn fa_45_the_end_of_its_input_during_a_command_ends_both_and_what_the_command_started() {
    let mut peer = Peer::in_turn("steps: [run: 'sleep 1234 & sleep 4321; true']");
    peer.allows();
    peer.wait_for_below("sleep 1234");
    peer.wait_for_below("sleep 4321");
    assert_eq!(peer.closed().0, 0);
}

#[test]
fn fa_45_the_end_of_its_input_ends_a_server_that_never_greets() {
    let servers = json!([{"name": "mute", "command": "/bin/sh", "args": ["-c", "sleep 2345 & wait"], "env": []}]);
    let peer = Peer::in_turn_with("steps: [mcp: {tool: any}]", &servers);
    peer.wait_for_below("sleep 2345");
    assert_eq!(peer.closed().0, 0);
}

#[test]
fn fa_45_a_cancelled_command_is_ended_and_the_next_prompt_works() {
    let mut peer = Peer::in_turn("steps: [run: 'sleep 3456 & sleep 6543; true']");
    let session = peer.allows();
    peer.wait_for_below("sleep 6543");
    let below = descendants(peer.child.id());
    peer.says(&json!({"method": "session/cancel", "params": {"sessionId": session}}));
    let answer = peer.until("id", &json!(2));
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    assert!(
        eventually(BOUND, || below.iter().all(|it| !it.lives())),
        "{below:?}"
    );
    peer.prompt(3, &session);
    let asked = peer.until("method", &json!("session/request_permission"));
    peer.says(&json!({"id": asked["id"], "result": {"outcome": {"outcome": "selected", "optionId": "no"}}}));
    assert_eq!(
        peer.until("id", &json!(3))["result"]["stopReason"],
        "end_turn"
    );
    assert_eq!(peer.closed().0, 0);
}

#[test]
fn fa_45_its_own_file_tools_stay_beneath_the_folder_and_off_credentials() {
    let script = "steps:\n- edit: {path: ../out.txt, new: x}\n- edit: {path: .env, new: x}\n\
                  - edit: {path: .git/config, new: x}\n- edit: {path: in/side.txt, new: x}\n- read: ../script.yaml\n";
    let mut peer = Peer::in_turn(script);
    // Whatever is asked is allowed, and what must not be written is not.
    let mut failed = Vec::new();
    loop {
        let mut line = String::new();
        assert_ne!(peer.output.read_line(&mut line).unwrap(), 0);
        let message: Value = serde_json::from_str(&line).unwrap();
        let update = &message["params"]["update"];
        if message["method"] == "session/request_permission" {
            peer.answer_yes(&message["id"]);
        } else if update["status"] == "failed" {
            failed.push(update["toolCallId"].as_str().unwrap().to_owned());
        } else if message["id"] == 2 {
            break;
        }
    }
    assert_eq!(failed, ["step_1", "step_2", "step_3", "step_5"]);
    let folder = std::path::PathBuf::from(&peer.cwd);
    assert_eq!(
        std::fs::read_to_string(folder.join("in/side.txt")).unwrap(),
        "x"
    );
    for not in [".env", ".git", "../out.txt"] {
        assert!(!folder.join(not).exists(), "{not}");
    }
    assert_eq!(peer.closed().0, 0);
}

impl Peer {
    /// Says yes to the next question; its session.
    fn allows(&mut self) -> Value {
        let asked = self.until("method", &json!("session/request_permission"));
        self.answer_yes(&asked["id"]);
        asked["params"]["sessionId"].clone()
    }

    fn answer_yes(&mut self, id: &Value) {
        self.says(
            &json!({"id": id, "result": {"outcome": {"outcome": "selected", "optionId": "once"}}}),
        );
    }

    /// Its resident memory at most, in KiB.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmHWM:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

#[test]
fn fa_45_junk_and_a_line_of_sixty_mebibytes_are_survived_and_one_without_an_end_is_not() {
    let mut peer = Peer::start("steps: []");
    peer.write(b"\n\xff\xfe{\n[1,2]\n{\"jsonrpc\":\"2.0\"}\nnull\n");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..60 {
        peer.write(&piece);
    }
    peer.write(b"\n");
    peer.request(1, "initialize", &json!({"protocolVersion": 1}));
    assert_eq!(peer.until("id", &json!(1))["result"]["protocolVersion"], 1);
    assert!(peer.peak() < 64 << 10, "{} KiB", peer.peak());
    // Past 64 MiB the connection ends, with the reason, while the client still writes.
    for _ in 0..80 {
        if peer.input.as_mut().unwrap().write_all(&piece).is_err() {
            break;
        }
    }
    let mut why = String::new();
    peer.child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut why)
        .unwrap();
    assert!(
        why.contains("the connection ended: a line has more than"),
        "{why}"
    );
    assert_eq!(peer.child.wait().unwrap().code(), Some(1));
}

#[test]
fn fa_45_a_client_that_does_not_read_holds_up_nothing_but_what_it_is_told() {
    let says = "- say: ".to_owned() + &"x".repeat(60_000) + "\n";
    let script = format!("steps:\n{}", says.repeat(16));
    let mut peer = Peer::start(&script);
    let sessions: Vec<Value> = (0..8)
        .map(|id| {
            let new = json!({"cwd": peer.cwd, "mcpServers": []});
            peer.request(id, "session/new", &new);
            peer.until("id", &json!(id))["result"]["sessionId"].clone()
        })
        .collect();
    for (at, session) in sessions.iter().enumerate() {
        peer.prompt(100 + at as u64, session);
    }
    // Everything it was sent is taken, though nothing that it says is.
    for id in 0..2_000 {
        peer.request(10_000 + id, "nothing/of/this/name", &json!({}));
    }
    assert!(peer.peak() < 128 << 10, "{} KiB", peer.peak());
    let before = Instant::now();
    drop(peer.input.take());
    let ended = eventually(BOUND, || peer.child.try_wait().unwrap().is_some());
    assert!(ended, "{:?}", before.elapsed());
}
