//! POL-04, FA-25: what a rule of the user's is about, no read tool of a run gives out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::external::{configure, events, result, run};
use common::mcp::Server;
use serde_json::{Value, json};
use taffrail_testkit::{FakeAgent, Hermetic, Repo};

const DENIED: &str = "the denied plum";
const ASKED: &str = "the asked plum";
const PROMPTED: &str = "the plum of the prompt";
const RULES: &str = r#"
[[policy.rule]]
answer = "deny"
path = "secrets/**"
match = ["secrets/plan.md"]
[[policy.rule]]
answer = "ask"
path = "drafts/*.md"
match = ["drafts/asked.md"]
[[policy.rule]]
answer = "deny"
path = "AGENTS.md"
match = ["AGENTS.md"]
"#;
/// What the agent was sent; then every way in which the read tools name a file or show what is in one.
const SCRIPT: &str = r#"
open
say "${params}\n"
mcp start
mcp call read_file {"path":"secrets/plan.md"} -> a
mcp call read_file {"path":"./secrets/plan.md"} -> b
mcp call read_file {"path":"drafts/asked.md"} -> c
mcp call read_file {"path":"to-plan.md"} -> d
mcp call search_text {"query":"plum"} -> e
mcp call search_text {"query":"p.um","regex":true,"path":"secrets"} -> f
mcp call search_text {"query":"plum","path":"drafts/asked.md"} -> g
mcp call list_files {} -> h
mcp call list_files {"path":"secrets","glob":"**/*.md"} -> i
mcp call read_file {"path":"README.md"} -> j
say "${a} ${b} ${c} ${d} ${e} ${f} ${g} ${h} ${i} ${j}\n"
mcp stop
done "read"
"#;

fn scene(rules: &str) -> (Hermetic, Repo) {
    let world = common::world();
    let repo = common::committed(&world);
    repo.file("secrets/plan.md", DENIED)
        .file("drafts/asked.md", ASKED)
        .file("AGENTS.md", PROMPTED)
        .link("to-plan.md", "secrets/plan.md");
    repo.commit("plums");
    configure(&world, &FakeAgent::script(SCRIPT), rules);
    (world, repo)
}

/// What the agent was sent and answered, all of it, and the record's rows of its calls.
fn answers(world: &Hermetic, repo: &Repo, flags: &[&str]) -> (String, Vec<Value>) {
    let ran = run(
        world,
        repo,
        &[&["--unattended", "--no-sandbox"], flags].concat(),
    )
    .go();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    let of = result(&events)["run"].as_str().unwrap().to_owned();
    let line = ["agents", "external", "show", &of, "--json"];
    let record = common::data(world, repo, &line);
    (
        ran.stdout,
        record["mcpRequests"].as_array().unwrap().clone(),
    )
}

#[test]
fn pol_04_what_a_rule_is_about_no_read_tool_of_a_run_gives_out() {
    let (world, repo) = scene(RULES);
    for scope in ["checkout", "project"] {
        let (told, calls) = answers(&world, &repo, &["--mcp-scope", scope]);
        assert!(!told.contains("plum"), "{told}");
        for name in ["secrets/plan.md", "drafts/asked.md"] {
            assert!(
                !told.contains(&format!("\"{name}\\\"")),
                "{scope} {name}: {told}"
            );
        }
        assert!(
            told.contains("a rule of the user's policy withholds it"),
            "{told}"
        );
        assert!(told.contains("# Project"), "{scope}: {told}");
        let outcomes: Vec<&str> = calls
            .iter()
            .map(|call| call["outcome"].as_str().unwrap())
            .collect();
        let (no, yes) = ("refused", "served");
        assert_eq!(
            outcomes,
            [no, no, no, no, yes, yes, no, yes, yes, yes],
            "{calls:?}"
        );
        let why = calls[0]["reason"].as_str().unwrap();
        assert!(why.starts_with("path_refused: `secrets/plan.md`"), "{why}");
    }
}

#[test]
fn pol_04_without_a_rule_the_same_calls_give_it_out() {
    let (world, repo) = scene("");
    for scope in ["checkout", "project"] {
        let (told, calls) = answers(&world, &repo, &["--mcp-scope", scope]);
        assert!(
            [DENIED, ASKED, PROMPTED]
                .iter()
                .all(|text| told.contains(text)),
            "{scope}: {told}"
        );
        let refused = calls.iter().filter(|call| call["outcome"] == "refused");
        let refused: Vec<&Value> = refused.map(|call| &call["what"]).collect();
        assert_eq!(refused, ["to-plan.md"], "{scope}");
    }
}

/// A command of a box has the files of its checkout anyway; the tools keep to one rule for all.
#[test]
fn pol_04_the_offer_of_a_box_keeps_to_the_rules_and_a_program_of_the_person_s_own_does_not() {
    let (world, repo) = scene(RULES);
    let script = format!(
        r#"printf '%s\n' '{hello}' '{initialized}' '{call}' | '{taffrail}' serve-mcp --broker"#,
        hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "sh", "version": "1"}}}),
        initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "read_file", "arguments": {"path": "secrets/plan.md"}}}),
        taffrail = env!("CARGO_BIN_EXE_taffrail"),
    );
    let ran = common::boxed(&world, &repo, &[], &script).go().success();
    assert!(ran.stdout.contains("policy withholds it"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(DENIED), "{}", ran.stdout);
    let mut server = Server::start(&world, repo.root());
    let read = server.call("read_file", &json!({"path": "secrets/plan.md"}));
    assert_eq!(read.done()["content"], DENIED);
}

#[test]
fn pol_03_what_an_agent_of_another_vendor_would_be_answered_can_be_looked_up() {
    let world = common::world();
    world.config(
        "[policy]\nmode = \"trust\"\n\n\
         [[policy.rule]]\nanswer = \"allow\"\ncommand = [\"cargo\"]\nmatch = [\"cargo test\"]\n\n\
         [[policy.rule]]\nanswer = \"allow\"\ncommand = [\"npm\", \"ci\"]\nforeign = true\nmatch = [\"npm ci\"]\n",
    );
    let answer = |flags: &[&str], command: &str| {
        let line = [&["policy", "check", "--json"], flags, &["--", command]].concat();
        let ran = world.command(&line).go().success();
        ran.json()["data"]["answer"].as_str().unwrap().to_owned()
    };
    let foreign: &[&str] = &["--foreign"];
    for (command, own, theirs) in [
        ("ls", "allow", "ask"),
        ("make", "allow", "ask"),
        ("cargo test", "allow", "ask"),
        ("npm install", "ask", "ask"),
        ("npm ci", "allow", "allow"),
        ("taffrail memory review", "ask", "deny"),
    ] {
        assert_eq!(answer(&[], command), own, "{command}");
        assert_eq!(answer(foreign, command), theirs, "{command}");
    }
}
