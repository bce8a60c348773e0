//! FA-29: the exports parse, agree with the rows, and can be made again.
#![allow(clippy::disallowed_methods)] // Looks at the files of a home from outside.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use taffrail_domain::{
    Answer, Ended, Enforcement, Ground, Millis, Mode, Net, QuestionId, QuestionState, Reply, Risk,
    RunId, RunKind, RunStatus, Rung, Served, Surface, Verdict,
};
use taffrail_redact::Clean;
use taffrail_store::{
    AgentEnded, AgentReady, Answered, CheckoutState, DecisionSource, GrantSource, MessageRole,
    NewActionDecision, NewAgentRequest, NewAgentRun, NewQuestion, NewRun, Owner, StoreError, Taken,
    ToolCallSeen,
};

use super::*;
use crate::a_world::{NOW, World, world};
use crate::boxes::facts::clean_json;
use crate::boxes::sweep;

/// A process that cannot be: no boot has this id.
fn gone() -> Owner {
    Owner {
        pid: 7,
        start_ticks: 1,
        boot_id: "5f0c0c1e-0000-4000-8000-000000000001".to_owned(),
    }
}

fn ours() -> Owner {
    App::owner().unwrap()
}

/// The row of a run, with its agent.
fn begun(world: &World, end: u8, owner: &Owner) -> RunId {
    let (app, id) = (&world.app, RunId::new(1, [0, 0, 0, 0, 0, 0, 0, 0, 0, end]));
    let clean = |text: &str| app.redactor.clean(text);
    let checkout = app.home.checkout(&id);
    app.store
        .insert_run(&NewRun {
            id,
            kind: RunKind::External,
            name: &clean(&id.short()),
            project_root: Path::new("/p"),
            common_dir: Path::new("/p/.git"),
            command: &clean("gemini --acp"),
            agent: None,
            net: &Net::Off,
            owner,
            checkout: &checkout,
            facts: &clean("{}"),
        })
        .unwrap();
    app.store
        .insert_agent_run(
            &id,
            &NewAgentRun {
                agent: &clean("gemini-acp"),
                provider: &clean("acp:gemini-acp"),
                argv: &clean(r#"["gemini","--acp"]"#),
                version_found: Some(&clean("0.61.0")),
                task: &clean("mend the wall"),
                prompt_bytes: 900,
                prompt_cut: &clean("[]"),
                model: None,
                mode_requested: Mode::Auto,
                unattended: false,
                may_write: true,
                grant: GrantSource::None,
                client_capabilities: &clean(r#"{"fs":{"readTextFile":true,"writeTextFile":true}}"#),
                mcp: &clean(r#"{"offered":false,"reason":"--no-mcp"}"#),
            },
        )
        .unwrap();
    id
}

fn started(world: &World, run: &RunId) {
    let enforcement = Enforcement {
        rung: Rung::None,
        layers: Vec::new(),
        landlock_abi: 0,
        net: Net::Off,
        probes: Vec::new(),
        open: vec!["everything".to_owned()],
    };
    let enforcement = clean_json(&world.app.redactor, &enforcement);
    world.app.store.run_started(run, &enforcement).unwrap();
    let live = CheckoutState::Live;
    world.app.store.set_checkout_state(run, live).unwrap();
}

fn say(world: &World, run: &RunId, role: MessageRole, text: &str) {
    let text = world.app.redactor.clean(text);
    world.app.store.append_message(run, role, &text).unwrap();
}

fn call(world: &World, run: &RunId, id: &str, output: &str, status: &str) {
    let clean = |text: &str| world.app.redactor.clean(text);
    let seen = ToolCallSeen {
        call: &clean(id),
        title: Some(&clean("Run make")),
        kind: Some(&clean("execute")),
        status: Some(&clean(status)),
        locations: Some(&clean(r#"[{"path":"/c/a"}]"#)),
        input: Some(&clean(r#"{"command":"make"}"#)),
        output: Some(&clean(output)),
        updates: 3,
        bytes: 40,
    };
    world.app.store.upsert_tool_call(run, &seen).unwrap();
}

fn request(world: &World, run: &RunId, method: &str, outcome: Served) {
    let clean = |text: &str| world.app.redactor.clean(text);
    let reason = (outcome == Served::Refused).then(|| clean("it is not advertised"));
    let request = NewAgentRequest {
        method: &clean(method),
        what: Some(&clean("/c/src/lib.rs")),
        outcome,
        reason: reason.as_ref(),
        bytes: 12,
    };
    world.app.store.append_agent_request(run, &request).unwrap();
}

fn decide(
    world: &World,
    run: &RunId,
    answer: Answer,
    ground: Ground,
    question: Option<QuestionId>,
) {
    let clean = |text: &str| world.app.redactor.clean(text);
    let verdict = match ground {
        Ground::Human | Ground::Policy => Verdict::Allowed,
        _ => Verdict::Refused,
    };
    let option = (verdict == Verdict::Allowed).then(|| clean("proceed_once"));
    let decision = NewActionDecision {
        request: &clean("3"),
        tool_call: Some(&clean("call-1")),
        source: DecisionSource::Permission,
        action: &clean(r#"{"shell":{"command":"make","paths":[]}}"#),
        shown: &clean("make"),
        kind: Some(&clean("execute")),
        risk: Risk::Shell,
        destructive: false,
        answer,
        reasons: &clean(r#"["make is not on the read list"]"#),
        rule: None,
        verdict,
        ground,
        timed_out: false,
        option: option.as_ref(),
        mode_requested: Mode::Auto,
        mode_effective: Mode::Ask,
        question,
        asked_at: Millis(NOW.0 - 7),
    };
    world
        .app
        .store
        .record_action_decision(run, &decision)
        .unwrap();
}

fn ask(world: &World, run: RunId, end: u8) -> QuestionId {
    let clean = |text: &str| world.app.redactor.clean(text);
    let id = QuestionId::new(1, [end; 10]);
    world
        .app
        .store
        .ask_question(&NewQuestion {
            id,
            run,
            fingerprint: [end; 32],
            risk: Risk::Shell,
            destructive: false,
            may_grant: false,
            shown: &clean("make"),
            details: &clean("{}"),
            expires_at: None,
            owner: &gone(),
        })
        .unwrap();
    id
}

/// A run that did a bit of everything and ended well.
fn whole(world: &World) -> RunId {
    let (store, run) = (&world.app.store, begun(world, 1, &ours()));
    let clean = |text: &str| world.app.redactor.clean(text);
    started(world, &run);
    let ready = AgentReady {
        agent_name: Some(&clean("gemini-cli")),
        agent_version: Some(&clean("0.61.0")),
        protocol: Some(1),
        agent_session: Some(&clean("session-of-theirs")),
        embedded_context: Some(true),
        ..AgentReady::default()
    };
    store.agent_ready(&run, &ready).unwrap();
    say(world, &run, MessageRole::User, "mend the wall");
    call(world, &run, "call-1", &"so far ".repeat(1_000), "completed");
    call(world, &run, "call-2", "no", "failed");
    say(world, &run, MessageRole::Thought, "It is of stone.");
    say(world, &run, MessageRole::Assistant, "It stands again.");
    let asked = ask(world, run, 1);
    let answered = store.answer_question(&asked, &[1; 32], Reply::Yes, None, Surface::Inbox);
    assert_eq!(answered.unwrap(), Answered::Recorded);
    assert!(matches!(
        store.take_answer(&run, &asked, &[1; 32]).unwrap(),
        Taken::Answer(_)
    ));
    decide(world, &run, Answer::Ask, Ground::Human, Some(asked));
    decide(world, &run, Answer::Allow, Ground::Policy, None);
    decide(world, &run, Answer::Deny, Ground::NoAllowOption, None);
    request(world, &run, "fs/read_text_file", Served::Served);
    request(world, &run, "terminal/create", Served::Refused);
    request(world, &run, "mcp/memory_search", Served::Served);
    request(world, &run, "qwen/notify", Served::Ignored);
    let ended = AgentEnded {
        stop_reason: Some(&clean("end_turn")),
        usage: Some(&clean(r#"{"used":5,"size":9}"#)),
        result: Some(&clean(r#"{"status":"DONE","summary":"It stands."}"#)),
        frames_in: 12,
        stderr: Some(&clean("warning")),
        stderr_bytes: 7,
        notes: Some(&clean(r#"["a note"]"#)),
        unseen: Some(&clean(r#"[{"what":"inner_tools"}]"#)),
        ..AgentEnded::default()
    };
    let exited = Some(Ended::Exited(0));
    store
        .run_ended(&run, RunStatus::Completed, "end_turn", exited)
        .unwrap();
    store.agent_ended(&run, &ended).unwrap();
    run
}

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
        world.app.home.checkout(&run).to_string_lossy().into(),
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
    assert_eq!(archive[0]["ts"], "2025-11-30T00:00:00Z");
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
