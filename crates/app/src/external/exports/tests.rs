//! FA-29: the exports parse, agree with the rows, and can be made again.
#![allow(clippy::disallowed_methods)] // Looks at the files of a home from outside.

mod rows;

use std::collections::BTreeMap;
use std::fs;

use rows::{ask, begun, call, gone, ours, say, started, whole};
use serde_json::Value;
use taffrail_domain::{QuestionState, RunId, Served};
use taffrail_redact::Clean;
use taffrail_store::{AgentEnded, MessageRole, NewAgentRequest, StoreError, ToolCallSeen};

use super::*;
use crate::a_world::{World, world};
use crate::boxes::sweep;
use crate::boxes::view::Folders;

fn record(world: &World, run: &RunId) -> Value {
    let path = world.app.home.session(run).join(RECORD);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn lines(world: &World, run: &RunId, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.app.home.session(run).join(name)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn files(world: &World, run: &RunId) -> BTreeMap<String, Vec<u8>> {
    let listed = fs::read_dir(world.app.home.session(run)).unwrap();
    let files = listed.map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).unwrap())
    });
    files.filter(|(name, _)| !name.starts_with('.')).collect()
}

#[test]
fn fa_29_the_record_agrees_with_the_rows() {
    let world = world();
    let run = whole(&world);
    let exported = export(&world.app, &run).unwrap();
    assert_eq!(exported.files.len(), 3);
    let record = record(&world, &run);
    let is = |pointer: &str, expect: Value| {
        assert_eq!(record.pointer(pointer), Some(&expect), "{pointer}");
    };
    is("/agentId", "gemini-acp".into());
    is("/transport", "acp".into());
    is("/argv/1", "--acp".into());
    is(
        "/worktreePath",
        // Where the agent stands, as its session was told.
        Folders::of(&world.app.home, &run)
            .tree
            .to_string_lossy()
            .into(),
    );
    is("/agentInfo/name", "gemini-cli".into());
    is("/protocolVersion", 1.into());
    is("/mode/requested", "auto".into());
    is("/mode/effective", "ask".into());
    is("/mode/clamped", true.into());
    is("/unattended", false.into());
    is("/clientCapabilities/fs/readTextFile", true.into());
    is("/context/offered", false.into());
    is("/embeddedContextSent", true.into());
    is("/usage/used", 5.into());
    is("/cost", "missing".into());
    is("/stopReason", "end_turn".into());
    is("/cancelSent", false.into());
    is("/killed", false.into());
    is("/sessionId", "session-of-theirs".into());
    is("/status", "completed".into());
    is("/sandbox/rung", "none".into());
    is("/frames/fromAgent/frames", 12.into());
    is("/unseen/0/what", "inner_tools".into());
    is("/result/status", "DONE".into());
    is("/exit/code", 0.into());
    is("/otherRequests/0/method", "qwen/notify".into());
    is("/mcpRequests/0/outcome", "served".into());
    is("/terminalRequests/0/reason", "it is not advertised".into());
    is("/fsRequests/0/path", "/c/src/lib.rs".into());
    is("/fsRequests/0/bytes", 12.into());
    is("/elicitationRequests", Value::Array(Vec::new()));
    is("/toolCalls/1/status", "failed".into());
    is("/toolCalls/0/updates", 3.into());
}

#[test]
fn fa_29_every_decision_says_who_said_what_and_why() {
    let world = world();
    let run = whole(&world);
    export(&world.app, &run).unwrap();
    let record = record(&world, &run);
    let rows = world.app.store.action_decisions(&run, 0, 10).unwrap();
    let decisions = record["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), rows.len());
    let first = &decisions[0];
    for (name, expect) in [
        ("requestId", "3"),
        ("toolCallId", "call-1"),
        ("kind", "execute"),
        ("title", "Run make"),
        ("risk", "shell"),
        ("gateDecision", "ask"),
        ("verdict", "allowed"),
        ("reason", "human"),
        ("optionId", "proceed_once"),
        ("outcome", "selected"),
        ("modeRequested", "auto"),
        ("modeEffective", "ask"),
        ("questionId", rows[0].question.unwrap().short().as_str()),
    ] {
        assert_eq!(first[name], expect, "{name}");
    }
    assert_eq!(first["timedOut"], false);
    assert_eq!(first["reasons"][0], "make is not on the read list");
    assert_eq!(first["action"]["shell"]["command"], "make");
    let gates: Vec<_> = decisions.iter().map(|one| &one["gateDecision"]).collect();
    assert_eq!(gates, ["ask", "auto", "deny"]);
    assert_eq!(decisions[2]["outcome"], "cancelled");
    let question = &record["questions"][0];
    assert_eq!(
        (&question["reply"], &question["surface"]),
        (&"yes".into(), &"inbox".into())
    );
    assert_eq!(question["state"], "used");
}

#[test]
fn fa_29_what_was_said_and_done_is_in_order_and_the_archive_shortens_nothing() {
    let world = world();
    let run = whole(&world);
    export(&world.app, &run).unwrap();
    let archive = lines(&world, &run, ARCHIVE);
    let seen: Vec<_> = archive
        .iter()
        .map(|line| {
            (
                line["role"].as_str().unwrap(),
                line["kind"].as_str().unwrap(),
            )
        })
        .collect();
    let expect = [
        ("user", "message"),
        ("assistant", "message"),
        ("tool", "message"),
        ("assistant", "message"),
        ("tool", "message"),
        ("assistant", "thought"),
        ("assistant", "message"),
    ];
    assert_eq!(seen, expect);
    assert_eq!(archive[1]["toolCalls"][0]["arguments"]["command"], "make");
    assert_eq!(archive[2]["toolCallId"], "call-1");
    let rows = world.app.store.tool_calls(&run, 0, 10).unwrap();
    assert_eq!(archive[2]["content"].as_str(), rows[0].output.as_deref());
    assert_eq!(
        (&archive[2]["isError"], &archive[4]["isError"]),
        (&false.into(), &true.into())
    );
    assert_eq!(archive[0]["ts"], "2025-11-30T00:00:00.000Z");
    let messages = world.app.store.messages(&run, 0, 10).unwrap();
    assert_eq!(
        archive[6]["content"].as_str(),
        Some(messages[2].text.as_str())
    );

    let context = lines(&world, &run, CONTEXT);
    assert_eq!(
        context.len(),
        archive.len() - 1,
        "thoughts are not sent again"
    );
    assert_eq!(context[2]["packed"], true);
    assert_eq!(context[2]["content"].as_str().unwrap().len(), 2 << 10);
    assert_eq!(context[4], archive[4]);
}

#[test]
fn fa_29_what_is_deleted_is_made_again_byte_for_byte() {
    let world = world();
    let run = whole(&world);
    export(&world.app, &run).unwrap();
    let before = files(&world, &run);
    assert_eq!(before.len(), 3);
    fs::remove_dir_all(world.app.home.session(&run)).unwrap();
    export(&world.app, &run).unwrap();
    assert_eq!(files(&world, &run), before);
    // And over what is there, also over what a kill left half.
    let folder = world.app.home.session(&run);
    fs::write(folder.join(".exports.partial"), "half").unwrap();
    fs::write(folder.join(ARCHIVE), "other").unwrap();
    export(&world.app, &run).unwrap();
    assert_eq!(files(&world, &run), before);
    assert!(!folder.join(".exports.partial").exists());
}

#[test]
fn red_01_what_got_into_the_rows_past_the_redactor_does_not_get_out() {
    let world = world();
    let run = whole(&world);
    let past = Clean::ours(concat!("ghp_", "x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua4E"));
    let store = &world.app.store;
    store
        .append_message(&run, MessageRole::Assistant, &past)
        .unwrap();
    let seen = ToolCallSeen {
        call: &past,
        title: Some(&past),
        kind: None,
        status: Some(&past),
        locations: None,
        input: Some(&past),
        output: Some(&past),
        updates: 1,
        bytes: 1,
    };
    store.upsert_tool_call(&run, &seen).unwrap();
    let ended = AgentEnded {
        end_detail: Some(&past),
        stderr: Some(&past),
        notes: Some(&past),
        ..AgentEnded::default()
    };
    store.agent_ended(&run, &ended).unwrap();
    let requested = NewAgentRequest {
        method: &past,
        what: Some(&past),
        outcome: Served::Refused,
        reason: Some(&past),
        bytes: 0,
    };
    store.append_agent_request(&run, &requested).unwrap();
    assert!(
        store.messages(&run, 3, 1).unwrap()[0]
            .text
            .starts_with("ghp_"),
        "the twin: the row has it"
    );
    export(&world.app, &run).unwrap();
    for (name, bytes) in files(&world, &run) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(past.as_str()), "{name}");
        assert!(text.contains("[REDACTED"), "{name}");
    }
}

#[test]
fn fa_29_a_killed_run_is_exported_by_the_sweep_with_what_was_on_record() {
    let world = world();
    let run = begun(&world, 2, &gone());
    started(&world, &run);
    say(&world, &run, MessageRole::User, "mend the wall");
    call(&world, &run, "call-1", "half", "in_progress");
    let open = ask(&world, run, 9);
    sweep::sweep(&world.app).unwrap();
    let record = record(&world, &run);
    assert_eq!(
        (&record["status"], &record["reason"]),
        (&"died".into(), &"taffrail_killed".into())
    );
    for missing in [
        "/usage",
        "/cost",
        "/frames/fromAgent/frames",
        "/stderr/bytes",
        "/notes",
    ] {
        assert_eq!(
            record.pointer(missing),
            Some(&"missing".into()),
            "{missing}"
        );
    }
    assert_eq!(record["agentInfo"], "unreported");
    assert_eq!(record["unseen"][0]["what"], "end_not_seen");
    assert_eq!(lines(&world, &run, ARCHIVE).len(), 3);
    let question = world.app.store.question(&open).unwrap();
    assert_eq!(question.state, QuestionState::Withdrawn);
    assert_eq!(record["questions"][0]["state"], "withdrawn");
}

#[test]
fn fa_29_only_runs_of_agents_are_exported() {
    let world = world();
    let run = whole(&world);
    let other = begun(&world, 3, &ours());
    assert_eq!(exportable(&world.app).unwrap(), [run, other]);
    assert_eq!(find(&world.app, &run.short()).unwrap(), run);
    let unknown = export(&world.app, &RunId::new(1, [5; 10]));
    assert!(matches!(
        unknown,
        Err(AppError::Store(StoreError::NotFound { .. }))
    ));
}
