//! As a new user with a real agent: `taffrail connect gemini`, a task in `@google/gemini-cli` against a scripted model on
//! loopback, `taffrail workspace catch-up`, a person's review, and the next run recalls it (MCP-02, XSL-01 to XSL-15).
//!
//! In the second suite: needs npm for the installation into `target/tmp/peers`, which `gemini.rs` makes too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![cfg(feature = "peers")]

mod common;

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::memory::{confirm, with_secrets_file};
use common::{committed, data, taffrail};
use serde_json::{Map, Value, json};
use taffrail_testkit::{Act, Hermetic, ModelServer, Repo, Script, Scripts};

const PACKAGE: &str = "@google/gemini-cli@0.61.0";
const LIMIT: Duration = Duration::from_secs(120);
const LEARNT: &str = "The pilot boat of Whitby answers on channel eleven.";

/// gemini puts `mcp_`, the server's name and `_` before a tool's own name.
fn call(tool: &str, arguments: &Value) -> Act {
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    let tool = format!("mcp_taffrail_{tool}");
    Act::Call { tool, arguments }
}

fn scripts() -> Scripts {
    let id = json!({"externalSessionId": "pilot"});
    let seed = json!({"externalSessionId": "pilot", "text": LEARNT, "kind": "decision"});
    let work = Script::new()
        .step([call("slate.open", &id)])
        .step([call("slate.writeSeed", &seed)])
        .step([call("slate.close", &id)])
        .step([Act::text("All noted.")]);
    let ask = Script::new()
        .step([call(
            "memory_recall",
            &json!({"query": "channel of the pilot boat of Whitby"}),
        )])
        .step([Act::text("All asked.")]);
    Scripts::built_in().with("work", work).with("ask", ask)
}

/// A new user who has gemini, signed in with a key that only the scripted model takes.
fn scene(server: &ModelServer) -> (Hermetic, Repo) {
    let mut world = common::world();
    let path = world.env()[OsStr::new("PATH")]
        .to_string_lossy()
        .into_owned();
    let programs = installed();
    world
        .set_env("PATH", format!("{}:{path}", programs.display()))
        .set_env("GEMINI_API_KEY", "not-a-key")
        .set_env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .set_env("GOOGLE_GEMINI_BASE_URL", server.url());
    let settings = r#"{
  // signed in
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false}
}
"#;
    std::fs::create_dir_all(world.home().join(".gemini")).unwrap();
    std::fs::write(world.home().join(".gemini/settings.json"), settings).unwrap();
    let repo = committed(&world);
    (world, repo)
}

fn installed() -> std::path::PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    let programs = place.join("node_modules/.bin");
    if !programs.join("gemini").exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-fund", "--no-audit", "--prefix"])
            .arg(&place)
            .arg(PACKAGE);
        assert!(npm.status().expect("npm is installed").success());
    }
    programs
}

#[track_caller]
fn gemini(world: &Hermetic, repo: &Repo, task: &str) -> String {
    let args = ["-p", task, "--yolo", "-m", "gemini-2.5-flash"];
    let program = installed().join("gemini");
    let run = world.program(program, &args).in_directory(repo.root());
    run.limit(LIMIT).go().success().stdout
}

#[test]
fn mcp_02_what_gemini_wrote_down_is_reviewed_by_a_person_and_recalled_by_its_next_run() {
    let server = ModelServer::start(scripts());
    let (world, repo) = scene(&server);
    with_secrets_file(&world);
    let settings = world.home().join(".gemini/settings.json");
    let before = std::fs::read(&settings).unwrap();
    taffrail(&world, &repo, &["connect", "gemini"]).success();
    taffrail(&world, &repo, &["connect", "--undo", "gemini"]).success();
    assert_eq!(
        std::fs::read(&settings).unwrap(),
        before,
        "undone to the byte"
    );
    taffrail(&world, &repo, &["connect", "gemini", "--hooks"]).success();
    assert_ne!(std::fs::read(&settings).unwrap(), before);

    let said = gemini(&world, &repo, "<<script:work>> note what you learn");
    assert!(said.contains("All noted."), "{said}");
    let waiting = data(&world, &repo, &["workspace", "catch-up", "--json"]);
    let proposals = waiting["proposals"].as_array().unwrap();
    assert_eq!(proposals.len(), 1, "{waiting}");
    let candidate = &proposals[0]["candidates"][0];
    assert_eq!(candidate["summary"], LEARNT);
    assert_eq!(candidate["origin"]["harness"], "mcp-external");
    let client = &candidate["origin"]["client"]["name"];
    assert!(client.to_string().contains("gemini"), "{candidate}");

    let unseen = server.model_calls().len();
    gemini(&world, &repo, "<<script:ask>> what is known?");
    let asked = answers_with(&server, unseen, LEARNT);
    assert!(!asked, "nobody has reviewed it yet");

    confirm(&world, repo.root(), candidate["memory"].as_str().unwrap());
    let unseen = server.model_calls().len();
    let said = gemini(&world, &repo, "<<script:ask>> what is known?");
    assert!(said.contains("All asked."), "{said}");
    assert!(
        answers_with(&server, unseen, LEARNT),
        "the next run recalls it"
    );
    let settled = data(&world, &repo, &["workspace", "catch-up", "--json"]);
    assert_eq!(settled["proposals"], json!([]));

    taffrail(&world, &repo, &["connect", "--undo", "gemini"]).success();
    // gemini writes its settings anew as it runs: what is ours is gone from what it made of them.
    let after = std::fs::read_to_string(&settings).unwrap();
    assert!(
        after.contains("gemini-api-key") && !after.contains("taffrail"),
        "{after}"
    );
}

/// Whether the model was given this by a later request than the first so many.
fn answers_with(server: &ModelServer, seen: usize, text: &str) -> bool {
    let calls = server.model_calls();
    let mut later = calls.iter().skip(seen);
    later.any(|call| serde_json::to_string(&call.body).unwrap().contains(text))
}
