//! FA-06 with a real agent: `@google/gemini-cli` in the box, against a scripted model on loopback, headless and in its
//! own full-screen interface; reviewed, landed, and the branch holds exactly what it did.
//!
//! In the second suite: needs bubblewrap, and npm for the installation into `target/peers`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![cfg(feature = "peers")]

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use taffrail_testkit::{
    Act, Hermetic, Key, ModelServer, Repo, Script, Scripts, Terminal, TerminalSize,
};

const PACKAGE: &str = "@google/gemini-cli@0.61.0";
const LIMIT: Duration = Duration::from_secs(120);
/// Between the last key of a line and Enter: the interface takes what comes at once for a paste.
const TYPED: Duration = Duration::from_millis(400);

#[test]
fn fa_06_gemini_edits_and_runs_a_command_and_its_change_lands_exactly() {
    let (world, server, repo) = scene();
    let before = repo.digest();
    let task = "<<script:work>> do the work";
    let args = [
        "box",
        "--name",
        "work",
        "--unattended",
        "--",
        "gemini",
        "-p",
        task,
        "--yolo",
        "-m",
        "gemini-2.5-flash",
    ];
    let ran = world
        .command(&args)
        .in_directory(repo.root())
        .limit(LIMIT)
        .go()
        .success();
    assert!(ran.stderr.contains("agent gemini"), "{}", ran.stderr);
    let asked = server.model_calls().len();
    assert!(asked >= 3, "the model was asked {asked} times");
    assert_eq!(
        before,
        repo.digest(),
        "the project changed before anything landed"
    );

    let review = world
        .taffrail_in(repo.root(), &["box", "review", "--json", "work"])
        .success()
        .json();
    assert_eq!(changed(&review), ["hello.txt", "shell.txt"]);
    land(&world, &repo, "work");
    let branch = branch(&repo);
    assert_eq!(
        repo.git(&["show", &format!("{branch}:hello.txt")]),
        "hello\nworld\n"
    );
    assert_eq!(
        repo.git(&["show", &format!("{branch}:shell.txt")]),
        "from-shell\n"
    );
    assert_eq!(
        repo.git(&["diff", "--name-only", "main", &branch]),
        "hello.txt\nshell.txt\n"
    );
}

#[test]
fn fa_06_gemini_works_in_its_own_interface_in_a_box() {
    let (world, _server, repo) = scene();
    let before = repo.digest_with_times();
    let args = [
        "box",
        "--name",
        "screen",
        "--",
        "gemini",
        "--yolo",
        "-m",
        "gemini-2.5-flash",
    ];
    let mut terminal = world.terminal(repo.root(), &args);
    terminal.wait_for("Type your message", LIMIT);
    terminal.resize(TerminalSize {
        rows: 30,
        columns: 100,
    });
    terminal.wait_for("Type your message", LIMIT);
    type_line(&terminal, "<<script:work>> do the work");
    terminal.wait_for("All done", LIMIT);
    type_line(&terminal, "/quit");
    terminal.wait_for("[d]iscard", LIMIT);
    terminal.send("k\r");
    assert_eq!(terminal.wait_exit(LIMIT), 0);
    assert!(terminal.is_cooked());
    let review = world
        .taffrail_in(repo.root(), &["box", "review", "--json", "screen"])
        .success()
        .json();
    assert_eq!(changed(&review), ["hello.txt", "shell.txt"]);
    assert_eq!(before, repo.digest_with_times());
}

/// CNF-08: its model is at an address that is met over the proxy and in no other way, and the record has every byte of it.
#[test]
fn cnf_08_gemini_reaches_its_model_over_the_proxy() {
    let (mut world, server, repo) = scene();
    let model = forwarded(server.port());
    world.set_env("GOOGLE_GEMINI_BASE_URL", format!("http://{model}"));
    world.config(&format!(
        "[external_agents.gemini]\nhosts = [\"{model}\"]\n"
    ));
    let args = [
        "box",
        "--name",
        "work",
        "--unattended",
        "--",
        "gemini",
        "-p",
        "<<script:work>> do the work",
        "--yolo",
        "-m",
        "gemini-2.5-flash",
    ];
    let ran = world.command(&args).in_directory(repo.root());
    let ran = ran.limit(LIMIT).go().success();
    assert!(ran.stderr.contains("network by host"), "{}", ran.stderr);
    let review = world.taffrail_in(repo.root(), &["box", "review", "--json", "work"]);
    let review = review.success().json();
    assert_eq!(changed(&review), ["hello.txt", "shell.txt"]);
    let events = review["data"]["events"].as_array().expect("events");
    let event = events.iter().find(|event| event["type"] == "network");
    let hosts = &event.expect("what it reached")["body"]["hosts"];
    let host = |row: &&serde_json::Value| row["host"] == "127.0.0.2";
    let row = hosts.as_array().expect("hosts").iter().find(host);
    let row = row.expect("the model");
    assert_eq!(row["verdict"], "allowed", "{hosts}");
    assert!(
        row["up"].as_u64() > Some(1_000) && row["down"].as_u64() > Some(200),
        "{hosts}"
    );
}

/// The model's server under another address of this machine: what programs send to their proxy, where they do not send
/// `127.0.0.1`.
fn forwarded(port: u16) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.2:0").expect("another address of the loopback");
    let at = listener.local_addr().expect("an address");
    // Ends with the test's process.
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", port)).expect("the model's server");
            for (mut from, mut to) in [
                (
                    client.try_clone().expect("a copy"),
                    server.try_clone().expect("a copy"),
                ),
                (server, client),
            ] {
                std::thread::spawn(move || {
                    // One end that is gone ends the other.
                    std::io::copy(&mut from, &mut to).ok();
                    to.shutdown(Shutdown::Write).ok();
                });
            }
        }
    });
    at
}

/// Types a line the way hands do: Enter comes when the line stands there and nothing moves any more.
fn type_line(terminal: &Terminal, line: &str) {
    terminal.wait_quiet(TYPED, LIMIT);
    terminal.send(line);
    terminal.wait_for(line, LIMIT);
    terminal.wait_quiet(TYPED, LIMIT);
    terminal.key(Key::Enter);
}

/// A world with gemini on its PATH, signed in with a key that only the scripted model takes.
fn scene() -> (Hermetic, ModelServer, Repo) {
    let work = Script::new()
        .step([
            Act::text("I will write a file."),
            Act::write("hello.txt", "hello\nworld\n"),
        ])
        .step([Act::shell("echo from-shell > shell.txt")])
        .step([Act::text("All done.")]);
    let server = ModelServer::start(Scripts::built_in().with("work", work));
    let mut world = Hermetic::new(env!("CARGO_BIN_EXE_taffrail"));
    let path = world
        .env()
        .get(std::ffi::OsStr::new("PATH"))
        .cloned()
        .unwrap_or_default();
    let path = format!(
        "{}:{}",
        installed().join("node_modules/.bin").display(),
        path.to_string_lossy()
    );
    world
        .set_env("PATH", path)
        .set_env("GEMINI_API_KEY", "not-a-key");
    world.set_env("GOOGLE_GEMINI_BASE_URL", server.url());
    let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true}}"#;
    std::fs::create_dir_all(world.home().join(".gemini")).expect("a folder");
    std::fs::write(world.home().join(".gemini/settings.json"), settings).expect("a file");
    world.config(&format!(
        "[external_agents.gemini]\nloopback_ports = [{}]\n",
        server.port()
    ));
    let repo = world.repo("project");
    repo.file("README.md", "a project\n").commit("start");
    (world, server, repo)
}

/// Installed once per run of the suite; npm leaves an installation that is there alone.
fn installed() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
        if !place.join("node_modules/.bin/gemini").exists() {
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-fund", "--no-audit", "--prefix"])
                .arg(&place)
                .arg(PACKAGE);
            assert!(
                npm.status().expect("npm is installed").success(),
                "npm could not install {PACKAGE}"
            );
        }
        place
    })
}

fn changed(review: &serde_json::Value) -> Vec<&str> {
    let changes = review["data"]["change"]["changes"]
        .as_array()
        .expect("changes");
    changes
        .iter()
        .filter_map(|change| change["path"].as_str())
        .collect()
}

/// Lands as a person does: on a terminal, with the digits that are shown.
fn land(world: &Hermetic, repo: &Repo, name: &str) {
    let mut terminal = world.terminal(repo.root(), &["box", "land", name]);
    let mut digits = None;
    let shown = terminal.wait_until(LIMIT, |screen| {
        let screen = screen.contents();
        let asked = screen.split_once("digits of its hash, ");
        digits = asked.and_then(|(_, rest)| Some(rest.split_once(':')?.0.to_owned()));
        digits.is_some()
    });
    assert!(shown, "{}", terminal.screen());
    let digits = digits.unwrap_or_default();
    terminal.send(format!("{digits}\r"));
    terminal.wait_for("landed as branch", LIMIT);
    assert_eq!(terminal.wait_exit(LIMIT), 0);
}

fn branch(repo: &Repo) -> String {
    repo.git(&[
        "for-each-ref",
        "--format=%(refname:short)",
        "refs/heads/external",
    ])
    .trim()
    .to_owned()
}
