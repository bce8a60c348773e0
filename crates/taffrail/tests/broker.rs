//! `taffrail serve-mcp --broker`: the pipe that an agent in a run starts, and the run's own process behind it (FA-25). The test
//! is the run's process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use common::memory::{add, confirm, with_secrets_file};
use common::{committed, world};
use serde_json::json;
use taffrail_app::external::McpScope;
use taffrail_app::external::doors::{Broker, DoorsOf, MethodCall, RunDoors, Serving};
use taffrail_app::secrets::Nobody;
use taffrail_app::{App, AppInputs};
use taffrail_confine::env::Environment;
use taffrail_domain::{Clock, Millis, RunId};
use taffrail_mcp::client::Client;
use taffrail_mcp::{ClientName, Names};
use taffrail_testkit::{Hermetic, Repo};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");
const QUERY: &str = "how do we store amounts of money";
const TEXT: &str = "We store amounts of money in cents as integers, never as floats.";

struct SystemTime;

impl Clock for SystemTime {
    fn now(&self) -> Millis {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap();
        Millis(i64::try_from(since.as_millis()).unwrap())
    }
}

/// The application of the run's process, over the home of the world.
fn app(world: &Hermetic, repo: &Repo) -> App {
    App::open(AppInputs {
        environment: Environment::new(world.env().clone()),
        cwd: repo.root().canonicalize().unwrap(),
        exe: TAFFRAIL.into(),
        user_home: world.home(),
        clock: Arc::new(SystemTime),
        ask: Arc::new(Nobody),
    })
    .unwrap()
}

struct Run {
    doors: Arc<RunDoors>,
    env: Vec<(String, String)>,
    calls: Arc<Mutex<Vec<MethodCall>>>,
    _serving: Serving,
}

fn run(app: &App, checkout: &Path, scratch: &Path) -> Run {
    let calls: Arc<Mutex<Vec<MethodCall>>> = Arc::default();
    let told = Arc::clone(&calls);
    let of = DoorsOf {
        run: RunId::new(1_764_460_800_000, [5; 10]),
        agent: "fake-acp".to_owned(),
        checkout: checkout.to_owned(),
        project: app.inputs.cwd.clone(),
        scope: McpScope::Checkout,
        names: Names::Dotted,
    };
    let on_call = Box::new(move |call| told.lock().unwrap().push(call));
    let doors = Arc::new(RunDoors::new(app, of, on_call).unwrap());
    let broker = Broker::open(scratch, Broker::token().unwrap()).unwrap();
    Run {
        env: broker.env(),
        _serving: broker.serve(doors.clone(), Names::Dotted).unwrap(),
        doors,
        calls,
    }
}

/// The program with nothing in its environment but what the run says: no HOME, no PATH.
fn broker(env: &[(String, String)]) -> Command {
    let mut command = Command::new(TAFFRAIL);
    command
        .args(["serve-mcp", "--broker"])
        .env_clear()
        .envs(env.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn client(child: &mut Child) -> Client {
    let name = ClientName {
        name: "tester".to_owned(),
        version: "1".to_owned(),
    };
    let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    Client::over_pipes(output, input, &name).unwrap()
}

#[test]
fn fa_25_the_pipe_needs_no_home_and_what_a_person_approved_comes_through_it() {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let memory = add(&world, repo.root(), &["--type", "decision", TEXT]);
    let (app, scratch) = (app(&world, &repo), world.directory("scratch"));
    let run = run(&app, repo.root(), &scratch);
    let mut child = broker(&run.env).current_dir("/").spawn().unwrap();
    let client = client(&mut child);
    let recalled = |client: &Client| {
        client
            .call("memory_recall", json!({"query": QUERY}))
            .unwrap()
    };
    // Promise 1, and its twin: not before a person said so.
    assert_eq!(recalled(&client)["memories"], json!([]));
    confirm(&world, repo.root(), &memory);
    let found = recalled(&client);
    assert_eq!(found["memories"][0]["content"], TEXT, "{found}");
    let read = client
        .call("read_file", json!({"path": "README.md"}))
        .unwrap();
    assert!(read["content"].as_str().unwrap().starts_with("# Project"));
    client
        .call("slate.open", json!({"externalSessionId": "mine"}))
        .unwrap();
    let seed =
        json!({"externalSessionId": "mine", "text": "Cents are never floats.", "kind": "decision"});
    client.call("slate.writeSeed", seed).unwrap();
    client.close();
    assert!(child.wait().unwrap().success());
    let closure = run.doors.finish().unwrap().unwrap();
    assert_eq!(closure.proposals.len(), 1);
    let tools: Vec<_> = run
        .calls
        .lock()
        .unwrap()
        .iter()
        .map(|call| call.tool.clone())
        .collect();
    let wanted = [
        "memory_recall",
        "memory_recall",
        "read_file",
        "slate.open",
        "slate.writeSeed",
    ];
    assert_eq!(tools, wanted);
}

#[test]
fn fa_25_without_a_run_the_pipe_says_so_and_makes_nothing() {
    let world = world();
    let home = world.root().join("elsewhere");
    for env in [
        vec![],
        vec![
            ("HOME".to_owned(), world.home().display().to_string()),
            ("TAFFRAIL_HOME".to_owned(), home.display().to_string()),
        ],
        vec![
            ("TAFFRAIL_BROKER_DIR".to_owned(), "/nonexistent".to_owned()),
            ("TAFFRAIL_BROKER_TOKEN".to_owned(), "00".repeat(32)),
        ],
    ] {
        let out = broker(&env).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(
            out.stdout.is_empty() && said.starts_with("error: "),
            "{said}"
        );
    }
    assert!(!home.exists());
    let both = Command::new(TAFFRAIL)
        .args(["serve-mcp", "--broker", "--http"])
        .output()
        .unwrap();
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn fa_25_the_pipe_ends_with_its_run_and_with_its_agent() {
    let world = world();
    let repo = committed(&world);
    let (app, scratch) = (app(&world, &repo), world.directory("scratch"));
    let run = run(&app, repo.root(), &scratch);
    let mut first = broker(&run.env).spawn().unwrap();
    let connected = client(&mut first);
    // Killed in the middle: the next one is served.
    first.kill().unwrap();
    first.wait().unwrap();
    drop(connected);
    let mut second = broker(&run.env).spawn().unwrap();
    assert_eq!(client(&mut second).list_tools().unwrap().len(), 8);
    assert!(second.wait().unwrap().success());
    let mut third = broker(&run.env).spawn().unwrap();
    let connected = client(&mut third);
    drop(run);
    assert!(third.wait().unwrap().success());
    assert!(connected.list_tools().is_err());
}

/// What the process has open while it passes bytes on.
#[test]
fn fa_25_the_pipe_opens_two_fifos_and_no_other_file() {
    let world = world();
    let repo = committed(&world);
    let (app, scratch) = (app(&world, &repo), world.directory("scratch"));
    let run = run(&app, repo.root(), &scratch);
    let mut child = broker(&run.env).spawn().unwrap();
    let client = client(&mut child);
    client.list_tools().unwrap();
    let folder = PathBuf::from(&run.env[0].1);
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    let open: Vec<PathBuf> = open
        .map(|fd| std::fs::read_link(fd.unwrap().path()).unwrap())
        .collect();
    for path in open.iter().filter(|path| path.is_absolute()) {
        let is_ours = path.starts_with(&folder) && path.parent() == Some(&folder);
        assert!(
            is_ours || path == Path::new("/dev/null"),
            "{}",
            path.display()
        );
    }
    assert!(open.iter().any(|path| path.starts_with(&folder)));
    drop(client);
    child.wait().unwrap();
}

/// One session as a client has it, from inside of a box: the answers, one a line. The id of a call is the name of its tool:
/// an id that two requests share while both are open is one that only the first is answered by.
const SESSION: &str = r#"
mcp() { printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$@" | "$BINARY" serve-mcp --broker; }
call() { printf '{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"%s","arguments":%s}}' "$1" "$1" "$2"; }
"#;

/// `taffrail box` around a script that has `mcp` and `call`.
fn boxed(world: &Hermetic, repo: &Repo, script: &str) -> taffrail_testkit::Ran {
    let script = format!("BINARY='{TAFFRAIL}'\n{SESSION}\n{script}");
    common::boxed(world, repo, &["--name", "b"], &script).go()
}

#[test]
fn fa_06_a_box_offers_memory_and_its_checkout_and_keeps_a_row_of_every_call() {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let memory = add(&world, repo.root(), &["--type", "decision", TEXT]);
    confirm(&world, repo.root(), &memory);
    let script = format!(
        r#"echo changed > README.md
        mcp "$(call memory_recall '{{"query":"{QUERY}"}}')"
        mcp "$(call read_file '{{"path":"README.md"}}')"
        mcp "$(call slate.open '{{"externalSessionId":"x"}}')" "$(call slate.writeSeed '{{"externalSessionId":"x","text":"The README was changed in a box.","kind":"decision"}}')"
        mcp "$(call read_file '{{"path":"../../../../taffrail.db"}}')"
        cat '{home}/taffrail.db' > /dev/null 2>&1 || echo home hidden"#,
        home = world.taffrail_home().display(),
    );
    let ran = boxed(&world, &repo, &script).success();
    assert!(ran.stdout.contains("never as floats"), "{}", ran.stdout);
    assert!(ran.stdout.contains("changed\\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("path_refused"), "{}", ran.stdout);
    assert!(ran.stdout.contains("home hidden"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("1 candidate(s) for the memory wait"),
        "{}",
        ran.stderr
    );
    let rows = common::data(&world, &repo, &["memory", "list", "--json"]);
    let rows = rows.to_string();
    assert!(rows.contains("The README was changed in a box."), "{rows}");
    let database = rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap();
    let mut told = database
        .prepare("SELECT method, outcome FROM agent_requests ORDER BY position")
        .unwrap();
    let told = told
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .unwrap();
    let told: Vec<String> = told
        .map(|row| row.unwrap())
        .map(|(method, outcome)| format!("{method} {outcome}"))
        .collect();
    assert_eq!(
        told,
        [
            "mcp/memory_recall served",
            "mcp/read_file served",
            "mcp/slate.open served",
            "mcp/slate.writeSeed served",
            "mcp/read_file refused",
        ]
    );
}

#[test]
fn fa_06_a_box_offers_nothing_where_the_configuration_says_so() {
    let world = world();
    world.config("[mcp]\noffer = false\n");
    let repo = committed(&world);
    let script = "env | grep TAFFRAIL_BROKER || echo nothing offered";
    let ran = boxed(&world, &repo, script).success();
    assert!(ran.stdout.contains("nothing offered"), "{}", ran.stdout);
    // The twin.
    world.config("");
    let ran = common::boxed(&world, &repo, &[], script).go().success();
    assert!(
        ran.stdout.contains("TAFFRAIL_BROKER_DIR="),
        "{}",
        ran.stdout
    );
}
