//! The MCP server with other people's programs: the public conformance suite, the Inspector, the official Python and
//! TypeScript SDKs, and another user of the machine (MCP-01, MCP-02, WEB-02).
//!
//! In the second suite: needs npm, python3 with venv, and the registries for the first installation into `target/tmp`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![cfg(feature = "peers")]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use common::http::HttpServer;
use common::{committed, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Repo, Run};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");
const LIMIT: Duration = Duration::from_secs(120);
/// The suite wants a later Node than Debian has.
const NODE: &str = "22.22.0";

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/mcp")
}

fn run_to_end(program: &str, change: impl FnOnce(&mut Command)) {
    let mut command = Command::new(program);
    change(&mut command);
    let status = command
        .status()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(status.success(), "{command:?}");
}

/// Where the Node programs are: installed once, and again when a version changed.
fn node_peers() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-peers");
        let wanted = std::fs::read_to_string(scripts().join("package.json")).unwrap();
        let done = place.join("installed");
        if std::fs::read_to_string(&done).ok().as_ref() != Some(&wanted) {
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("package.json"), &wanted).unwrap();
            let arch = if cfg!(target_arch = "aarch64") {
                "arm64"
            } else {
                "x64"
            };
            let node = format!("node-linux-{arch}@{NODE}");
            run_to_end("npm", |npm| {
                npm.args([
                    "install",
                    "--no-fund",
                    "--no-audit",
                    "--silent",
                    "--no-save",
                ]);
                npm.arg(node).arg("--prefix").arg(&place);
            });
            std::fs::write(&done, &wanted).unwrap();
        }
        place
    })
}

fn node() -> PathBuf {
    let arch = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    node_peers().join(format!("node_modules/node-linux-{arch}/bin/node"))
}

/// A Python that has the SDK.
fn python() -> PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-python");
        let wanted = std::fs::read_to_string(scripts().join("requirements.txt")).unwrap();
        let done = place.join("installed");
        if std::fs::read_to_string(&done).ok().as_ref() != Some(&wanted) {
            // The system's own, so that an ordinary user can run what root installed.
            let system = Path::new("/usr/bin/python3");
            let python = if system.exists() {
                "/usr/bin/python3"
            } else {
                "python3"
            };
            run_to_end(python, |python| {
                python.args(["-m", "venv"]).arg(&place);
            });
            let pip = place.join("bin/pip");
            run_to_end(pip.to_str().unwrap(), |pip| {
                pip.args(["install", "--quiet", "-r"])
                    .arg(scripts().join("requirements.txt"));
            });
            std::fs::write(&done, &wanted).unwrap();
        }
        place
    });
    place.join("bin/python")
}

/// A program of ours on Node, in the world, with the peers at hand.
fn on_node(world: &Hermetic, script: &Path, args: &[&str]) -> Run {
    let script = script.to_str().unwrap();
    let args = [&[script], args].concat();
    let peers = node_peers().to_str().unwrap();
    world
        .program(node(), &args)
        .env("PEERS", peers)
        .limit(LIMIT)
}

/// One good call of each tool.
fn calls(with_slates: bool) -> Value {
    let slate = json!({"externalSessionId": "peer"});
    let seed = json!({"externalSessionId": "peer", "text": "A peer was here.", "kind": "risk"});
    let mut calls = vec![
        ("memory_recall", json!({"query": "who was here"})),
        (
            "memory_propose",
            json!({"type": "lesson", "content": "Peers come by."}),
        ),
        ("notebook_read", json!({})),
        (
            "notebook_suggest",
            json!({"section": "Log", "entry": "A peer came by."}),
        ),
        ("session_search", json!({})),
        ("workspace_list", json!({})),
        ("read_file", json!({"path": "README.md"})),
        ("list_files", json!({})),
        ("search_text", json!({"query": "two"})),
        ("taffrail_docs", json!({})),
    ];
    if with_slates {
        calls.push(("slate.open", slate.clone()));
        calls.push(("slate.writeSeed", seed));
        calls.push(("slate.close", slate));
    }
    let call = |(tool, arguments)| json!({"tool": tool, "arguments": arguments});
    calls.into_iter().map(call).collect()
}

/// The same calls with an argument that no tool has.
fn bad_calls(with_slates: bool) -> Value {
    let mut calls = calls(with_slates);
    for call in calls.as_array_mut().unwrap() {
        call["arguments"]["no_such_argument"] = json!(true);
    }
    calls
}

/// What an SDK saw of good calls: every tool of the list answered what its own schema says.
#[track_caller]
fn assert_good(seen: &Value, with_slates: bool) {
    let listed: BTreeSet<&str> = seen["tools"].as_array().unwrap().iter().map(name).collect();
    let called: BTreeSet<&str> = seen["calls"].as_array().unwrap().iter().map(tool).collect();
    assert_eq!(listed, called, "every tool is called");
    assert_eq!(listed.contains("slate.open"), with_slates);
    for call in seen["calls"].as_array().unwrap() {
        assert_eq!(call["refused"], false, "{call}");
        assert!(call["structured"].is_object(), "{call}");
    }
    for tool in seen["tools"].as_array().unwrap() {
        assert!(tool["outputSchema"].is_object(), "{tool}");
    }
    assert_eq!(seen["server"]["name"], "taffrail", "{seen}");
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap()
}

fn tool(call: &Value) -> &str {
    call["tool"].as_str().unwrap()
}

#[track_caller]
fn assert_bad(seen: &Value) {
    for call in seen["calls"].as_array().unwrap() {
        assert_eq!(call["refused"], true, "{call}");
        let text = call["text"].as_str().unwrap();
        assert!(
            text.contains(tool(call)) && text.contains("no_such_argument"),
            "{text}"
        );
    }
}

/// Much to search through, so that a call takes long enough to be taken back.
fn large(repo: &Repo) {
    let line = "the quick brown fox jumps over the lazy dog and comes back again\n";
    let text = line.repeat(1_000);
    for number in 0..400 {
        repo.file(&format!("large/{number}.txt"), &text);
    }
}

#[track_caller]
fn assert_taken_back(seen: &Value) {
    let cancelled = &seen["cancelled"];
    assert!(cancelled["progress"].as_u64() >= Some(1), "{seen}");
    assert!(cancelled["thrown"].is_string(), "{seen}");
    assert!(cancelled["pingMillis"].as_f64() < Some(5_000.0), "{seen}");
}

/// The task of a client over standard input and output.
fn at_stdio(repo: &Repo, calls: &Value) -> Value {
    let cwd = repo.root().to_str().unwrap();
    json!({"stdio": {"command": TAFFRAIL, "args": ["serve-mcp"], "cwd": cwd}, "calls": calls})
}

fn at_http(server: &HttpServer, calls: &Value) -> Value {
    json!({"http": {"url": server.url, "token": server.token}, "calls": calls})
}

/// Runs every task with one client: over both transports, good and bad calls, one taken back.
fn with_client(world: &Hermetic, repo: &Repo, client: impl Fn(&Value) -> Value) {
    assert_good(&client(&at_stdio(repo, &calls(true))), true);
    assert_bad(&client(&at_stdio(repo, &bad_calls(true))));
    let server = HttpServer::start(world, repo.root());
    assert_good(&client(&at_http(&server, &calls(false))), false);
    assert_bad(&client(&at_http(&server, &bad_calls(false))));
    large(repo);
    let long =
        json!({"tool": "search_text", "arguments": {"query": "(fox|dog).*never", "regex": true}});
    for mut task in [at_stdio(repo, &json!([])), at_http(&server, &json!([]))] {
        task["cancel"] = long.clone();
        assert_taken_back(&client(&task));
    }
}

#[test]
fn mcp_02_the_typescript_sdk_lists_calls_and_takes_back_over_both_transports() {
    let world = world();
    let repo = committed(&world);
    with_client(&world, &repo, |task| {
        let run = on_node(&world, &scripts().join("client.mjs"), &[]);
        run.input(task.to_string()).go().success().json()
    });
}

#[test]
fn mcp_02_the_python_sdk_lists_calls_and_takes_back_over_both_transports() {
    let world = world();
    let repo = committed(&world);
    let script = scripts().join("client.py");
    let client = |task: &Value| {
        let run = world.program(python(), &[script.to_str().unwrap()]);
        let run = run.limit(LIMIT).input(task.to_string());
        run.go().success().json()
    };
    with_client(&world, &repo, client);
    let mut newest = at_stdio(&repo, &calls(true));
    newest["auto"] = json!(true);
    assert_good(&client(&newest), true);
}

#[test]
fn mcp_02_the_inspector_lists_and_calls_every_tool() {
    let world = world();
    let repo = committed(&world);
    let inspector = node_peers().join("node_modules/.bin/mcp-inspector");
    let inspect = |args: &[&str]| {
        let line = [
            &["--cli", TAFFRAIL, "serve-mcp"],
            args,
            &["--format", "json", "-q"],
        ]
        .concat();
        let run = on_node(&world, &inspector, &line).in_directory(repo.root());
        run.go().success().json()
    };
    let listed = inspect(&["--method", "tools/list"]);
    let listed: BTreeSet<String> = found(&listed, "tools")
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| name(tool).to_owned())
        .collect();
    let mut called = BTreeSet::new();
    for call in calls(true).as_array().unwrap() {
        let arguments = call["arguments"].to_string();
        let line = [
            "--method",
            "tools/call",
            "--tool-name",
            tool(call),
            "--tool-args-json",
            &arguments,
        ];
        let answer = inspect(&line);
        assert!(found(&answer, "structuredContent").is_object(), "{answer}");
        called.insert(tool(call).to_owned());
    }
    assert_eq!(listed, called);
}

/// A field of an answer, whether the Inspector wraps it or not.
fn found<'a>(answer: &'a Value, field: &str) -> &'a Value {
    let inner = answer.get("result").unwrap_or(answer);
    &inner[field]
}

/// The lists beside this file: what must pass, and what is left out.
fn scenarios() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut run, mut left) = (BTreeSet::new(), BTreeSet::new());
    let lines = include_str!("mcp_conformance.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        let (name, why) = rest.split_once(": ").unwrap_or((rest, ""));
        match word {
            "run" => drop(run.insert(name.to_owned())),
            _ => {
                assert!(word == "left" && why.contains("the suite's "), "{line}");
                left.insert(name.to_owned());
            }
        }
    }
    (run, left)
}

#[test]
fn mcp_01_the_public_conformance_suite_passes_but_for_what_asks_for_its_own_examples() {
    let world = world();
    let repo = committed(&world);
    let suite = node_peers().join("node_modules/.bin/conformance");
    let ran = on_node(&world, &suite, &["list", "--server"])
        .go()
        .success();
    let listed = ran
        .stdout
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- "));
    let listed: BTreeSet<String> = listed
        .map(|line| line.split(' ').next().unwrap().into())
        .collect();
    let (run, left) = scenarios();
    let known: BTreeSet<String> = run.union(&left).cloned().collect();
    assert_eq!(
        listed, known,
        "the suite has other scenarios than the lists"
    );

    let server = HttpServer::start(&world, repo.root());
    let proxy = on_node(&world, &scripts().join("token-proxy.mjs"), &[&server.url]);
    let proxy = proxy.env("TOKEN", &server.token).start();
    proxy.wait_for("/mcp\n", LIMIT);
    let url = proxy.stdout().trim().to_owned();
    for scenario in &run {
        let out = world.root().join("conformance").join(scenario);
        let out = out.to_str().unwrap();
        let args = [
            "server",
            "--url",
            &url,
            "--scenario",
            scenario,
            "--output-dir",
            out,
        ];
        let ran = on_node(&world, &suite, &args).go();
        assert_eq!(ran.code, 0, "{scenario}: {}\n{}", ran.stdout, ran.stderr);
        let checks = checks(Path::new(out));
        assert!(checks.contains("SUCCESS"), "{scenario}: {checks:?}");
        let wrong = checks.contains("FAILURE") || checks.contains("WARNING");
        assert!(!wrong, "{scenario}: {checks:?}");
    }
}

/// The words that a scenario's checks ended with.
fn checks(out: &Path) -> BTreeSet<String> {
    let runs = std::fs::read_dir(out).unwrap().flatten();
    let files = runs.map(|entry| entry.path().join("checks.json"));
    let mut words = BTreeSet::new();
    for file in files {
        let checks: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let each = checks.as_array().unwrap().iter();
        words.extend(each.map(|check| check["status"].as_str().unwrap().to_owned()));
    }
    words
}

/// Needs root to be somebody else; an ordinary user's run looks at what it may see of itself, which is more.
#[test]
fn web_02_another_user_of_the_machine_gets_nothing() {
    let world = world();
    let repo = committed(&world);
    let server = HttpServer::start(&world, repo.root());
    server.session();
    let (pid, port) = (server.running.pid(), server.port);
    let script = format!(
        "cat /proc/{pid}/cmdline /proc/{pid}/environ /proc/{pid}/maps 2>/dev/null; \
         find {home} -type f 2>/dev/null; \
         exec 3<>/dev/tcp/127.0.0.1/{port}; \
         printf 'POST /mcp HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' >&3; \
         cat <&3",
        home = world.taffrail_home().display(),
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).env_clear().current_dir("/");
    let is_root = rustix::process::getuid().is_root();
    if is_root {
        std::os::unix::process::CommandExt::uid(&mut shell, 65_534);
        std::os::unix::process::CommandExt::gid(&mut shell, 65_534);
    }
    let said = shell.output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains(" 401 "), "{said}");
    assert!(!said.contains(&server.token), "{said}");
    if is_root {
        assert!(
            !said.contains("TAFFRAIL_HOME") && !said.contains("taffrail.db"),
            "{said}"
        );
    }
}
