//! A run with a bit of everything on record.

use std::path::Path;

use taffrail_domain::{
    Answer, Ended, Enforcement, Ground, Millis, Mode, Net, QuestionId, Reply, Risk, RunId, RunKind,
    RunStatus, Rung, Served, Surface, Verdict,
};
use taffrail_store::{
    AgentEnded, AgentReady, Answered, CheckoutState, DecisionSource, GrantSource, MessageRole,
    NewActionDecision, NewAgentRequest, NewAgentRun, NewQuestion, NewRun, Owner, Taken,
    ToolCallSeen,
};

use crate::App;
use crate::a_world::{NOW, World};
use crate::boxes::facts::clean_json;

/// A process that cannot be: no boot has this id.
pub(super) fn gone() -> Owner {
    Owner {
        pid: 7,
        start_ticks: 1,
        boot_id: "5f0c0c1e-0000-4000-8000-000000000001".to_owned(),
    }
}

pub(super) fn ours() -> Owner {
    App::owner().unwrap()
}

/// The row of a run, with its agent.
pub(super) fn begun(world: &World, end: u8, owner: &Owner) -> RunId {
    let (app, id) = (&world.app, RunId::new(1, [0, 0, 0, 0, 0, 0, 0, 0, 0, end]));
    let clean = |text: &str| app.redactor.clean(text);
    let checkout = app.home.checkout(&id);
    app.store
        .insert_agent_run(
            &NewRun {
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
            },
            &NewAgentRun {
                agent: &clean("gemini-acp"),
                provider: &clean("acp:gemini-acp"),
                argv: &clean(r#"["gemini","--acp"]"#),
                version_found: Some(&clean("0.61.0")),
                task: &clean("mend the wall"),
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

pub(super) fn started(world: &World, run: &RunId) {
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

pub(super) fn say(world: &World, run: &RunId, role: MessageRole, text: &str) {
    let text = world.app.redactor.clean(text);
    world.app.store.append_message(run, role, &text).unwrap();
}

pub(super) fn call(world: &World, run: &RunId, id: &str, output: &str, status: &str) {
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

pub(super) fn request(world: &World, run: &RunId, method: &str, outcome: Served) {
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

pub(super) fn decide(
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

pub(super) fn ask(world: &World, run: RunId, end: u8) -> QuestionId {
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
pub(super) fn whole(world: &World) -> RunId {
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
