//! FA-29, POL-01: what another vendor's agent did is on record as it was told, within bounds, and comes back so.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Looks into the database from outside.

mod support;

use rusqlite::Connection;
use support::external::{self, NOW, Set, agent_run, ask, called, decide, open_at, requested};
use support::{clean, home_in, insert, new_id, with_new_run};
use taffrail_domain::{Answer, Ground, Millis, Mode, RunStatus, Served, Verdict};
use taffrail_memory::journal::Verifier;
use taffrail_redact::{Options, Redactor};
use taffrail_store::{
    AgentEnded, AgentReady, DecisionSource, EXTERNAL_PAGE, GrantSource, Home, MessageRole,
    NewMessage, Peek, Store, StoreError, ToolCallSeen,
};

struct World {
    home: Home,
    store: Store,
    _dir: tempfile::TempDir,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    World {
        store: open_at(&home, Set::at(NOW)),
        home,
        _dir: dir,
    }
}

#[test]
fn fa_29_a_run_is_recorded_before_when_it_stands_and_at_its_end() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    let row = store.agent_run(&run).unwrap().unwrap();
    assert_eq!(
        (row.agent.as_str(), row.provider.as_str()),
        ("gemini-acp", "acp:gemini-acp")
    );
    assert_eq!(
        (row.task.as_str(), row.prompt_bytes, row.prompt_cut.as_str()),
        ("mend the harbour wall", 0, "[]")
    );
    external::prompted(store, &run).unwrap();
    let given = store.agent_run(&run).unwrap().unwrap();
    assert_eq!(given.prompt_bytes, 1_234);
    assert_eq!(given.prompt_cut, r#"["AGENTS.md: 12 bytes"]"#);
    assert!(given.mcp.contains("\"offered\":true"), "{}", given.mcp);
    assert_eq!(
        (row.mode_requested, row.mode_effective),
        (Mode::Trust, Mode::Ask)
    );
    assert_eq!(
        (row.grant, row.may_write, row.unattended),
        (GrantSource::None, true, false)
    );
    // What nobody reported is missing, never 0.
    assert_eq!((&row.usage, &row.cost, row.protocol), (&None, &None, None));
    assert_eq!(
        (row.frames_in, row.stderr_bytes, &row.notes),
        (None, None, &None)
    );

    let ready = AgentReady {
        agent_name: Some(&clean("gemini-cli")),
        agent_version: Some(&clean("0.61.0")),
        protocol: Some(1),
        agent_capabilities: Some(&clean(r#"{"loadSession":true}"#)),
        agent_session: Some(&clean("s-1")),
        agent_mode: Some(&clean("default")),
        agent_mode_verified: Some(false),
        embedded_context: Some(true),
    };
    store.agent_ready(&run, &ready).unwrap();
    store.agent_granted(&run, GrantSource::Human).unwrap();
    store
        .agent_usage(&run, Some(&clean(r#"{"used":5,"size":9}"#)), None)
        .unwrap();
    let row = store.agent_run(&run).unwrap().unwrap();
    assert_eq!(
        (row.protocol, row.agent_mode_verified),
        (Some(1), Some(false))
    );
    assert_eq!(row.grant, GrantSource::Human);
}

#[test]
fn fa_29_the_end_of_a_run_leaves_what_was_reported_before() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    let name = clean("gemini-cli");
    let ready = AgentReady {
        agent_name: Some(&name),
        ..AgentReady::default()
    };
    store.agent_ready(&run, &ready).unwrap();
    store
        .agent_usage(&run, Some(&clean(r#"{"used":5,"size":9}"#)), None)
        .unwrap();
    let ended = AgentEnded {
        stop_reason: Some(&clean("end_turn")),
        cost: Some(&clean(r#"{"amount":0.5,"currency":"EUR"}"#)),
        result: Some(&clean(r#"{"status":"DONE"}"#)),
        result_verdict: Some(&clean("valid")),
        repair_asked: true,
        stderr: Some(&clean("warning: password=Zx81kq93mnPq77ab")),
        stderr_bytes: 34,
        frames_in: 12,
        frames_out: 7,
        notes: Some(&clean(r#"["one"]"#)),
        ..AgentEnded::default()
    };
    store.agent_ended(&run, &ended).unwrap();
    let row = store.agent_run(&run).unwrap().unwrap();
    assert_eq!(
        row.usage.as_deref(),
        Some(r#"{"used":5,"size":9}"#),
        "what was reported before stays"
    );
    assert_eq!(
        row.cost.as_deref(),
        Some(r#"{"amount":0.5,"currency":"EUR"}"#)
    );
    assert_eq!(
        (row.frames_in, row.bytes_in, row.frames_out),
        (Some(12), Some(0), Some(7))
    );
    assert_eq!(
        (row.repair_asked, row.cancel_sent, &row.killed),
        (true, false, &None)
    );
    assert_eq!(row.agent_name.as_deref(), Some("gemini-cli"));
    assert!(!row.stderr.unwrap().contains("Zx81"));
}

#[test]
fn fa_29_only_a_run_that_is_there_has_a_record_and_only_one() {
    let World { store, .. } = &world();
    let plain = new_id();
    insert(store, plain, "a box").unwrap();
    assert_eq!(store.agent_run(&plain).unwrap(), None);
    let nowhere = store.agent_ready(&plain, &AgentReady::default());
    assert!(matches!(nowhere, Err(StoreError::NotFound { .. })));
    let unknown = store.append_message(&new_id(), MessageRole::User, &clean("x"));
    assert!(matches!(
        unknown,
        Err(StoreError::NotFound { what: "run", .. })
    ));
    let nowhere = external::prompted(store, &plain);
    assert!(matches!(nowhere, Err(StoreError::NotFound { .. })));
    let run = agent_run(store);
    let again = external::insert_agent_run(store, run);
    assert!(matches!(again, Err(StoreError::IdTaken { .. })));
    // What is refused leaves neither of the rows.
    let other = new_id();
    with_new_run(other, "a box", |run| {
        let taken = store.insert_run(run);
        assert!(matches!(taken, Err(StoreError::NameTaken { .. })));
    });
    assert!(store.agent_run(&other).is_err());
}

#[test]
fn fa_01_a_run_ends_over_its_budget_or_refused() {
    let World { store, .. } = &world();
    for (status, reason) in [
        (RunStatus::Budget, "line_limit"),
        (RunStatus::Refused, "gate"),
    ] {
        let run = agent_run(store);
        store.run_ended(&run, status, reason, None).unwrap();
        assert_eq!(store.run(&run).unwrap().status, status);
    }
}

#[test]
fn fa_29_messages_keep_their_order_and_come_in_pages() {
    let World { store, .. } = &world();
    let (run, other) = (agent_run(store), agent_run(store));
    store
        .append_message(&run, MessageRole::User, &clean("the task"))
        .unwrap();
    store
        .append_message(&other, MessageRole::User, &clean("elsewhere"))
        .unwrap();
    let texts: Vec<_> = (0..30)
        .map(|number| clean(&format!("part {number}")))
        .collect();
    let parts: Vec<_> = texts
        .iter()
        .map(|text| NewMessage {
            role: MessageRole::Thought,
            text,
        })
        .collect();
    store.append_messages(&run, &parts).unwrap();
    store.append_messages(&run, &[]).unwrap();
    store
        .append_message(&run, MessageRole::Assistant, &clean("done"))
        .unwrap();
    let mut seen = Vec::new();
    loop {
        let page = store.messages(&run, seen.len() as u64, 7).unwrap();
        assert!(page.len() <= 7);
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    assert_eq!(seen.len(), 32);
    assert!((0..).zip(&seen).all(|(at, row)| row.position == at));
    assert_eq!(
        (seen[1].text.as_str(), seen[31].role),
        ("part 0", MessageRole::Assistant)
    );
    assert_eq!(store.messages(&other, 0, 10).unwrap().len(), 1);
}

#[test]
fn fa_29_a_tool_call_is_one_row_however_often_it_is_told_of() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    let first = ToolCallSeen {
        call: &clean("call-1"),
        title: Some(&clean("Write file")),
        kind: Some(&clean("edit")),
        status: Some(&clean("pending")),
        locations: Some(&clean(r#"[{"path":"/c/a"}]"#)),
        input: Some(&clean(
            r#"{"path":"a","token":"ghp_x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua4E"}"#,
        )),
        output: None,
        updates: 1,
        bytes: 100,
    };
    store.upsert_tool_call(&run, &first).unwrap();
    called(store, &run, "call-2", "other", 1);
    called(store, &run, "call-1", "so far: a", 40);
    let done = ToolCallSeen {
        title: None,
        kind: None,
        status: Some(&clean("completed")),
        locations: None,
        input: None,
        ..first
    };
    store.upsert_tool_call(&run, &done).unwrap();
    let calls = store.tool_calls(&run, 0, EXTERNAL_PAGE).unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[0].call.as_str(), calls[0].position), ("call-1", 0));
    assert_eq!((calls[0].updates, calls[0].bytes), (42, 209));
    assert_eq!(calls[0].title.as_deref(), Some("Write file"));
    assert_eq!(calls[0].status.as_deref(), Some("completed"));
    assert_eq!(calls[0].output.as_deref(), Some("so far: a"));
    assert!(!calls[0].input.as_ref().unwrap().contains("ghp_x7"));
    assert_eq!(store.tool_calls(&run, 1, 5).unwrap().len(), 1);
}

#[test]
fn fa_27_what_is_larger_than_is_kept_says_so_and_fills_no_database() {
    let World { store, home, .. } = &world();
    let run = agent_run(store);
    let large = "é".repeat(1 << 20);
    let json = clean(&format!("{{\"command\":\"{large}\"}}"));
    let text = clean(&large);
    let seen = ToolCallSeen {
        call: &text,
        title: Some(&text),
        kind: Some(&text),
        status: Some(&text),
        locations: Some(&json),
        input: Some(&json),
        output: Some(&text),
        updates: 1,
        bytes: 9,
    };
    for _ in 0..20 {
        store.upsert_tool_call(&run, &seen).unwrap();
    }
    requested(store, &run, &large, Served::Refused, Some(&large));
    let call = &store.tool_calls(&run, 0, 5).unwrap()[0];
    assert_eq!((call.updates, call.bytes), (20, 180));
    for line in [&call.title, &call.kind, &call.status] {
        assert!(line.as_ref().unwrap().len() <= 1 << 10);
    }
    assert_eq!(call.output.as_ref().unwrap().len(), 64 << 10);
    let input: serde_json::Value = serde_json::from_str(call.input.as_ref().unwrap()).unwrap();
    assert_eq!(input["bytes"], json.as_str().len());
    assert!(
        input["begins"]
            .as_str()
            .unwrap()
            .starts_with("{\"command\":\"éé")
    );
    let request = &store.agent_requests(&run, 0, 5).unwrap()[0];
    assert_eq!(request.method.len(), 200);
    assert_eq!(request.reason.as_ref().unwrap().len(), 4 << 10);
    drop(Connection::open(home.db()).unwrap().execute_batch("VACUUM"));
    assert!(std::fs::metadata(home.db()).unwrap().len() < 2 << 20);
}

#[test]
fn fa_24_a_decision_says_what_was_asked_who_said_what_and_why() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    let question = ask(store, run, [3; 32], None);
    decide(store, &run, Answer::Ask, Ground::Human, Some(question));
    decide(store, &run, Answer::Ask, Ground::Timeout, None);
    decide(store, &run, Answer::Allow, Ground::Policy, None);
    let rows = store.action_decisions(&run, 0, 10).unwrap();
    assert_eq!(rows.len(), 3);
    let row = &rows[0];
    assert_eq!(
        (row.source, row.verdict),
        (DecisionSource::Permission, Verdict::Allowed)
    );
    assert_eq!((row.answer, row.ground), (Answer::Ask, Ground::Human));
    assert_eq!((row.question, row.timed_out), (Some(question), false));
    assert_eq!(
        (row.asked_at, row.decided_at),
        (Millis(NOW - 5), Millis(NOW))
    );
    assert_eq!(
        (row.mode_requested, row.mode_effective),
        (Mode::Trust, Mode::Ask)
    );
    assert_eq!(row.option.as_deref(), Some("proceed_once"));
    assert!(rows[1].timed_out);
    assert_eq!(
        store.action_decisions(&run, rows[0].seq, 10).unwrap().len(),
        2
    );
}

#[test]
fn pol_01_asked_decisions_are_journaled_without_a_word_of_the_action() {
    let World { store, home, .. } = &world();
    let run = agent_run(store);
    let question = ask(store, run, [3; 32], None);
    decide(store, &run, Answer::Allow, Ground::Policy, None);
    decide(store, &run, Answer::Deny, Ground::Policy, None);
    assert_eq!(store.journal_head().unwrap().seq, 0, "only what was asked");
    decide(store, &run, Answer::Ask, Ground::Human, Some(question));
    decide(store, &run, Answer::Ask, Ground::Unattended, None);
    let entries = store.entries_of(&run.bytes()).unwrap();
    let kinds: Vec<_> = entries.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(kinds, ["question_decided", "question_decided"]);
    let id: String = question
        .bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let facts = format!(
        "{{\"destructive\":true,\"door\":\"permission\",\"ground\":\"human\",\"question\":\"{id}\",\
         \"risk\":\"destructive\",\"verdict\":\"allowed\"}}"
    );
    assert_eq!(entries[0].facts, facts);
    assert!(!entries[1].facts.contains("question"));
    let mut verifier = Verifier::new(&[]);
    for entry in store.journal_entries(1, 10).unwrap() {
        verifier.push(&entry.seen());
    }
    verifier.finish().unwrap();
    let peek = Peek::open(home).unwrap().unwrap();
    assert_eq!(peek.journal().unwrap(), Ok(2));
}

#[test]
fn pol_01_a_decision_that_the_journal_refuses_is_not_on_record() {
    let World { store, home, .. } = &world();
    let run = agent_run(store);
    let raw = Connection::open(home.db()).unwrap();
    raw.execute_batch(
        "CREATE TRIGGER no BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .unwrap();
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        decide(store, &run, Answer::Ask, Ground::Human, None);
    }));
    assert!(refused.is_err());
    assert!(store.action_decisions(&run, 0, 10).unwrap().is_empty());
}

#[test]
fn fa_28_requests_are_on_record_with_what_became_of_them() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    requested(store, &run, "fs/read_text_file", Served::Served, None);
    requested(
        store,
        &run,
        "terminal/create",
        Served::Refused,
        Some("it is not advertised"),
    );
    requested(store, &run, "qwen/notify", Served::Ignored, None);
    let rows = store.agent_requests(&run, 0, 10).unwrap();
    let seen: Vec<_> = rows.iter().map(|row| (row.position, row.outcome)).collect();
    assert_eq!(
        seen,
        [
            (0, Served::Served),
            (1, Served::Refused),
            (2, Served::Ignored)
        ]
    );
    assert_eq!(rows[1].reason.as_deref(), Some("it is not advertised"));
    assert_eq!(store.agent_requests(&run, 2, 10).unwrap().len(), 1);
}

#[test]
fn sto_09_an_export_of_everything_has_the_rows_of_agents() {
    let World { store, .. } = &world();
    let run = agent_run(store);
    external::prompted(store, &run).unwrap();
    store
        .append_message(&run, MessageRole::User, &clean("the task"))
        .unwrap();
    called(store, &run, "call-1", "out", 1);
    let question = ask(store, run, [3; 32], None);
    decide(store, &run, Answer::Ask, Ground::Human, Some(question));
    requested(store, &run, "fs/read_text_file", Served::Served, None);
    let mut out = Vec::new();
    store
        .export(&Redactor::new(Options::default()), &mut out)
        .unwrap();
    let lines: Vec<serde_json::Value> = out
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let of = |kind: &str| {
        let found: Vec<_> = lines.iter().filter(|line| line["kind"] == kind).collect();
        assert_eq!(found.len(), 1, "{kind}");
        found[0].clone()
    };
    assert_eq!(
        of("agent_runs")["mcp"]["server"],
        "taffrail",
        "JSON stays JSON"
    );
    assert_eq!(of("messages")["text"], "the task");
    assert_eq!(of("tool_calls")["output"], "out");
    assert_eq!(of("questions")["short"], question.short());
    assert_eq!(of("action_decisions")["action_decisions_kind"], "execute");
    assert_eq!(of("agent_requests")["method"], "fs/read_text_file");
}
