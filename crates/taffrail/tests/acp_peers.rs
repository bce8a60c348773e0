//! FA-45 with other people's clients: acpx, the official SDKs for Python, TypeScript and Rust.
//!
//! In the second suite: needs npm, python3 with venv, and the registries for the first installation into `target/tmp`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![cfg(feature = "peers")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Ran, Run};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");
const LIMIT: Duration = Duration::from_secs(120);
const SCRIPT: &str = "steps:
- say: \"I look first.\\n\"
- plan: [look, mend]
- read: a.txt
- edit: {path: a.txt, old: one, new: two}
- result: {status: DONE, summary: played}
";
/// What a client is told of one turn, whatever it answers.
const TOLD: [&str; 7] = [
    "agent_message_chunk",
    "plan",
    "tool_call",
    "tool_call_update",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
];

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/acp")
}

fn run_to_end(program: impl AsRef<std::ffi::OsStr>, change: impl FnOnce(&mut Command)) {
    let mut command = Command::new(program);
    change(&mut command);
    let status = command.status().expect("the peers are installed");
    assert!(status.success(), "{command:?}");
}

/// A folder that `fill` fills, once, and again when the file that names the versions changed.
fn installed(name: &str, versions: &str, fill: impl FnOnce(&Path)) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let wanted = std::fs::read_to_string(scripts().join(versions)).unwrap();
    let done = place.join("installed");
    if std::fs::read_to_string(&done).ok().as_ref() != Some(&wanted) {
        std::fs::create_dir_all(&place).unwrap();
        fill(&place);
        std::fs::write(&done, &wanted).unwrap();
    }
    place
}

fn node_peers() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        installed("acp-peers", "package.json", |place| {
            std::fs::copy(scripts().join("package.json"), place.join("package.json")).unwrap();
            run_to_end("npm", |npm| {
                npm.args(["install", "--no-fund", "--no-audit", "--silent"]);
                npm.arg("--prefix").arg(place);
            });
        })
    })
}

fn python() -> PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        installed("acp-python", "requirements.txt", |place| {
            // The system's own, so that an ordinary user can run what root installed.
            let system = Path::new("/usr/bin/python3");
            let python = if system.exists() {
                system
            } else {
                Path::new("python3")
            };
            run_to_end(python, |python| {
                python.args(["-m", "venv"]).arg(place);
            });
            run_to_end(place.join("bin/pip"), |pip| {
                pip.args(["install", "--quiet", "-r"])
                    .arg(scripts().join("requirements.txt"));
            });
        })
    });
    place.join("bin/python")
}

/// The client among the examples of the official Rust crate, built from the crate's own package.
fn rust() -> PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        installed("acp-rust", "rust/Cargo.toml", |place| {
            let main = place.join("src/main.rs");
            std::fs::create_dir_all(place.join("src")).unwrap();
            std::fs::copy(scripts().join("rust/Cargo.toml"), place.join("Cargo.toml")).unwrap();
            // Cargo wants a program before it says where the package lies.
            std::fs::write(&main, "fn main() {}").unwrap();
            std::fs::copy(rust_example(place), &main).unwrap();
            run_to_end(cargo(), |cargo| {
                cargo.args(["build", "--quiet", "--target-dir"]);
                cargo.arg(place.join("target")).current_dir(place);
            });
        })
    });
    place.join("target/debug/taffrail-acp-peer")
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn rust_example(place: &Path) -> PathBuf {
    let mut cargo = Command::new(cargo());
    cargo.args(["metadata", "--format-version", "1"]);
    let said = cargo.current_dir(place).output().unwrap();
    let said: Value = serde_json::from_slice(&said.stdout).expect("the registry answers");
    let packages = said["packages"].as_array().unwrap();
    let found = packages
        .iter()
        .find(|it| it["name"] == "agent-client-protocol");
    let manifest = Path::new(found.unwrap()["manifest_path"].as_str().unwrap());
    manifest
        .with_file_name("examples")
        .join("yolo_one_shot_client.rs")
}

/// A folder with `a.txt` in it, and the script beside it.
struct Scene {
    world: Hermetic,
    folder: PathBuf,
    script: String,
}

impl Scene {
    fn new() -> Self {
        let world = common::world();
        let folder = world.directory("work");
        std::fs::write(folder.join("a.txt"), "one\n").unwrap();
        let script = world.root().join("script.yaml");
        std::fs::write(&script, SCRIPT).unwrap();
        let script = script.display().to_string();
        Self {
            world,
            folder,
            script,
        }
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.folder.join("a.txt")).unwrap()
    }

    fn acpx(&self, flags: &[&str]) -> Ran {
        let acpx = node_peers().join("node_modules/.bin/acpx");
        let agent = format!("{TAFFRAIL} acp --script {}", self.script);
        let args = [&["--agent", &agent], flags, &["exec", "go"]].concat();
        self.run(self.world.program(acpx, &args))
    }

    fn run(&self, run: Run) -> Ran {
        run.in_directory(&self.folder).limit(LIMIT).go()
    }

    /// What an SDK's client saw of two turns that it answered so.
    fn seen(&self, program: &Path, client: &str, answer: &str) -> Value {
        let task = json!({
            "command": [TAFFRAIL, "acp", "--script", self.script], "cwd": self.folder, "answer": answer,
        });
        let client = scripts().join(client);
        let run = self.world.program(program, &[client]);
        let run = run.env("PEERS", node_peers()).input(task.to_string());
        self.run(run).success().json()
    }

    #[track_caller]
    fn plays(program: &Path, client: &str) {
        let two_turns = [TOLD, TOLD].concat();
        for (answer, text, stop) in [
            ("once", "two\n", "end_turn"),
            ("no", "one\n", "end_turn"),
            ("cancel", "one\n", "cancelled"),
        ] {
            let scene = Self::new();
            let seen = scene.seen(program, client, answer);
            assert_eq!(
                (&seen["version"], &seen["name"]),
                (&json!(1), &json!("taffrail"))
            );
            assert_eq!(seen["stops"], json!([stop, "end_turn"]), "{answer}: {seen}");
            let asked = json!({"kind": "edit", "options": ["allow_once", "reject_once"]});
            assert_eq!(seen["asked"][0], asked, "{seen}");
            if answer != "cancel" {
                assert_eq!(seen["updates"], json!(two_turns), "{answer}");
            }
            assert_eq!(scene.text(), text, "{answer}");
        }
    }
}

#[test]
fn fa_45_acpx_plays_denies_and_takes_nothing_but_frames() {
    let scene = Scene::new();
    // What it is denied makes acpx's own end 5, which is what it says of an agent that was refused.
    let ran = scene.acpx(&["--deny-all"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("I look first."), "{}", ran.stdout);
    let ran = scene.acpx(&["--approve-reads"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("Read a.txt (completed)"),
        "{}",
        ran.stdout
    );
    assert_eq!(scene.text(), "one\n");
    let ran = scene.acpx(&["--approve-all", "--format", "json", "--json-strict"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr, "");
    let read = |line| serde_json::from_str::<Value>(line).unwrap();
    let frames: Vec<_> = ran.stdout.lines().map(read).collect();
    let last = frames.last().unwrap();
    assert_eq!(last["result"]["stopReason"], "end_turn", "{last}");
    assert_eq!(scene.text(), "two\n");
}

#[test]
fn fa_45_the_python_sdk_allows_refuses_and_cancels() {
    Scene::plays(&python(), "client.py");
}

#[test]
fn fa_45_the_typescript_sdk_allows_refuses_and_cancels() {
    Scene::plays(Path::new("node"), "client.mjs");
}

#[test]
fn fa_45_the_rust_sdks_own_example_plays_the_script() {
    let scene = Scene::new();
    let agent = format!("{TAFFRAIL} acp --script {}", scene.script);
    let ran = scene.run(scene.world.program(rust(), &["--command", &agent, "go"]));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("Stop reason: EndTurn"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("I look first."), "{}", ran.stdout);
    assert_eq!(scene.text(), "two\n");
}
