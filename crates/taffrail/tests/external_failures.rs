//! EVT-01, FA-12, FA-29: a run that fails, wherever it does: one result at the end of its events, and a record that says what it
//! was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::time::Instant;

use common::external::{configure, events, of_type, result, run};
use rustix::process::Signal;
use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Ran, Repo};

const SCRIPT: &str = r#"
open
say "I look first.\n"
read README.md -> x
ask-run s "ls -la"
do write made.txt "made\n"
done "one file"
"#;
/// 1.2 MiB of text that no diff makes smaller.
const LARGE: &str =
    "open\ndo shell \"head -c 900000 /dev/urandom | base64 > big.txt\" -> x\ndone \"large\"\n";

/// Where a run is made to fail.
struct Case {
    what: &'static str,
    script: &'static str,
    /// Lines of the user's `config.toml`, and of its part about foreign agents.
    config: &'static str,
    flags: &'static [&'static str],
    /// What the database refuses.
    refused: Option<&'static str>,
    code: &'static str,
    exit: i32,
}

const PLAIN: Case = Case {
    what: "",
    script: SCRIPT,
    config: "",
    flags: &[],
    refused: None,
    code: "internal",
    exit: 1,
};

const CASES: &[Case] = &[
    Case {
        what: "the checkout",
        flags: &["--carry", "absent"],
        code: "carry_refused",
        exit: 3,
        ..PLAIN
    },
    Case {
        what: "the setup",
        config: "[checkout]\nsetup = \"exit 3\"\n",
        code: "setup_failed",
        ..PLAIN
    },
    Case {
        what: "the prompt",
        refused: Some("UPDATE OF prompt_bytes ON agent_runs"),
        ..PLAIN
    },
    Case {
        what: "what is sent",
        refused: Some("INSERT ON messages"),
        ..PLAIN
    },
    Case {
        what: "the start",
        refused: Some("UPDATE OF enforcement ON sessions"),
        ..PLAIN
    },
    Case {
        what: "the session",
        refused: Some("UPDATE OF agent_session ON agent_runs"),
        ..PLAIN
    },
    Case {
        what: "a decision",
        refused: Some("INSERT ON action_decisions"),
        ..PLAIN
    },
    Case {
        what: "the ending",
        refused: Some("UPDATE OF ended_at ON sessions"),
        ..PLAIN
    },
    Case {
        what: "the change",
        refused: Some("INSERT ON changes"),
        code: "capture_failed",
        ..PLAIN
    },
    Case {
        what: "the quota",
        script: LARGE,
        config: "[record]\ndiffs_mib = 1\n",
        code: "quota_full",
        exit: 5,
        ..PLAIN
    },
    Case {
        what: "the end of the agent's part",
        refused: Some("UPDATE OF end_detail ON agent_runs"),
        ..PLAIN
    },
];

fn scene(script: &str, config: &str) -> (Hermetic, Repo) {
    let world = common::world();
    let repo = common::committed(&world);
    configure(&world, &FakeAgent::script(script), "");
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    world.config(&format!("{config}{before}"));
    (world, repo)
}

/// Makes the database refuse something from now on.
fn refuse(world: &Hermetic, what: &str) {
    let home = rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap();
    let trigger =
        format!("CREATE TRIGGER full BEFORE {what} BEGIN SELECT RAISE(ABORT, 'full'); END");
    home.execute_batch(&trigger).unwrap();
}

fn failing(case: &Case) -> (Hermetic, Repo, Ran) {
    let (world, repo) = scene(case.script, case.config);
    if let Some(refused) = case.refused {
        common::taffrail(&world, &repo, &["box", "list"]).success();
        refuse(&world, refused);
    }
    let flags = [&["--unattended", "--no-sandbox"], case.flags].concat();
    let ran = run(&world, &repo, &flags).go();
    (world, repo, ran)
}

/// The events of a run that failed: numbered without a gap, an error before the one result, which ends them.
#[track_caller]
fn ended(what: &str, stdout: &str, code: &str) -> Vec<Value> {
    let events = events(stdout);
    let seqs: Vec<u64> = events
        .iter()
        .map(|event| event["seq"].as_u64().expect(what))
        .collect();
    assert_eq!(
        seqs,
        (1..=events.len() as u64).collect::<Vec<_>>(),
        "{what}"
    );
    assert_eq!(of_type(&events, "result").len(), 1, "{what}: {stdout}");
    let result = result(&events);
    assert_eq!(
        (&result["status"], &result["reason"]),
        (&"error".into(), &code.into()),
        "{what}: {result}"
    );
    let errors = of_type(&events, "error");
    assert_eq!(errors.len(), 1, "{what}: {stdout}");
    assert_eq!(
        (&errors[0]["code"], &errors[0]["message"]),
        (&code.into(), &result["detail"]),
        "{what}"
    );
    assert!(
        result["patch"].is_null()
            && result["detail"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
    );
    events
}

#[test]
fn evt_01_a_run_that_fails_ends_its_events_with_one_result_that_names_the_error() {
    for case in CASES {
        let (world, repo, ran) = failing(case);
        assert_eq!(
            ran.code, case.exit,
            "{}: {}{}",
            case.what, ran.stdout, ran.stderr
        );
        assert!(
            ran.stderr.contains("error: "),
            "{}: {}",
            case.what,
            ran.stderr
        );
        let events = ended(case.what, &ran.stdout, case.code);
        // The record of it can be read, whatever it holds.
        let of = result(&events)["run"].as_str().unwrap();
        let record = common::data(&world, &repo, &["agents", "external", "show", of, "--json"]);
        assert_eq!(record["task"], "the task", "{}", case.what);
    }
}

#[test]
fn evt_01_a_run_whose_change_cannot_be_kept_tells_what_else_came_of_it() {
    let case = CASES.iter().find(|case| case.what == "the change").unwrap();
    let (_world, _repo, ran) = failing(case);
    let events = ended(case.what, &ran.stdout, case.code);
    let result = result(&events);
    assert_eq!(result["result"]["summary"], "one file");
    assert_eq!(
        result["refused"].as_array().map(Vec::len),
        Some(1),
        "{result}"
    );
    assert!(
        result["detail"]
            .as_str()
            .unwrap()
            .contains("the checkout is kept at"),
        "{result}"
    );
}

#[test]
fn evt_01_a_run_that_goes_well_tells_of_no_error() {
    let (_world, _repo, ran) = failing(&PLAIN);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let events = events(&ran.stdout);
    assert_eq!(
        (
            of_type(&events, "error").len(),
            of_type(&events, "result").len()
        ),
        (0, 1)
    );
    assert_eq!(result(&events)["status"], "completed");
}

/// No run, no events: the one line that every command answers with.
#[test]
fn evt_01_what_ends_before_there_is_a_run_is_the_answer_of_every_command() {
    let (world, _repo) = scene(SCRIPT, "");
    let nowhere = world.directory("nowhere");
    let line = [
        "agents",
        "external",
        "run",
        "fake",
        "--task",
        "t",
        "--json",
        "--unattended",
    ];
    let ran = world.command(&line).in_directory(&nowhere).go();
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    assert_eq!(ran.json()["error"]["code"], "project_not_git");
}

/// A box has no events: one line, whatever comes.
#[test]
fn evt_01_a_box_that_fails_answers_with_one_line() {
    for (what, config, refused, code) in [
        (
            "the setup",
            "[checkout]\nsetup = \"exit 3\"\n",
            None,
            "setup_failed",
        ),
        (
            "the start",
            "",
            Some("UPDATE OF enforcement ON sessions"),
            "internal",
        ),
        (
            "the ending",
            "",
            Some("UPDATE OF ended_at ON sessions"),
            "internal",
        ),
        (
            "the change",
            "",
            Some("INSERT ON changes"),
            "capture_failed",
        ),
    ] {
        let (world, repo) = scene(SCRIPT, config);
        common::taffrail(&world, &repo, &["box", "list"]).success();
        refused
            .into_iter()
            .for_each(|refused| refuse(&world, refused));
        let ran = common::boxed(&world, &repo, &["--json"], "echo 1 > one").go();
        assert_eq!(ran.code, 1, "{what}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.lines().count(), 1, "{what}: {}", ran.stdout);
        assert_eq!(ran.json()["error"]["code"], code, "{what}: {}", ran.stdout);
    }
}

/// A setup command that waits: the agent is not started while it does.
const WAITS: &str = "[checkout]\nsetup = \"touch begun; exec sleep 300\"\n";

#[test]
fn evt_01_an_interrupt_before_the_agent_is_a_result_too() {
    let (world, repo) = scene(SCRIPT, WAITS);
    let running = run(&world, &repo, &["--unattended"]).start();
    common::wait_for_file(&world, "begun");
    running.signal(Signal::INT);
    let ran = running.wait();
    assert_eq!(ran.code, 130, "{}{}", ran.stdout, ran.stderr);
    ended("interrupted", &ran.stdout, "interrupted");
    assert!(common::checkouts(&world).is_empty());
}

/// A run that was killed while its checkout was prepared, and swept.
fn killed_early() -> (Hermetic, Repo, String) {
    let (world, repo) = scene(SCRIPT, WAITS);
    let running = run(&world, &repo, &["--unattended"]).start();
    common::wait_for_file(&world, "begun");
    let below = common::descendants(running.pid());
    common::kill_nine(running);
    common::assert_none_left(&world, &below, Instant::now());
    let listed = common::data(&world, &repo, &["box", "list", "--all", "--json"]);
    let row = &listed[0];
    assert_eq!(
        (&row["status"], &row["reason"]),
        (&"died".into(), &"taffrail_killed".into()),
        "{listed}"
    );
    assert_eq!(row["agent"], "fake", "{listed}");
    let of = row["run"].as_str().unwrap().to_owned();
    (world, repo, of)
}

#[test]
fn fa_29_a_run_that_was_killed_before_its_agent_says_what_it_was_to_be() {
    let (world, repo, of) = killed_early();
    assert!(common::checkouts(&world).is_empty());
    let shown = common::taffrail(&world, &repo, &["agents", "external", "show", &of]).success();
    for expected in [
        "the task",
        "it told no name",
        "died (taffrail_killed)",
        "nothing was started",
        "no valid document (missing)\n",
        "our MCP server: not offered",
        "ended before its agent was started",
    ] {
        assert!(
            shown.stdout.contains(expected),
            "no `{expected}` in\n{}",
            shown.stdout
        );
    }
    assert!(!shown.stdout.contains("partial"), "{}", shown.stdout);
    let record = common::data(
        &world,
        &repo,
        &["agents", "external", "show", &of, "--json"],
    );
    assert_eq!(record["unseen"][0]["what"], "never_started", "{record}");
    assert_eq!(
        (&record["prompt"]["bytes"], &record["decisions"]),
        (&0.into(), &serde_json::json!([]))
    );
    assert_eq!(record["agentInfo"], "unreported");
    let made = common::taffrail(&world, &repo, &["sessions", "export", &of]).success();
    assert_eq!(made.stdout.lines().count(), 3, "{}", made.stdout);
}

/// The twin: what a run was before its agent was on record with it.
#[test]
fn fa_29_without_the_row_of_its_agent_nothing_can_be_said_of_it() {
    let (world, repo, of) = killed_early();
    let home = rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap();
    home.execute_batch("DELETE FROM agent_runs").unwrap();
    for line in [
        ["agents", "external", "show", &of].as_slice(),
        &["sessions", "export", &of],
    ] {
        let ran = common::taffrail(&world, &repo, line);
        assert_ne!(ran.code, 0, "{}", ran.stdout);
        assert!(
            ran.stderr.contains("cut off before one was started"),
            "{}",
            ran.stderr
        );
    }
}
