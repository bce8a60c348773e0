//! Runs of other vendors' agents for tests: made-up facts, a clock that is set, questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use taffrail_domain::{
    Answer, Clock, Ground, Millis, Mode, QuestionId, Risk, RunId, Served, Verdict,
};
use taffrail_store::{
    AgentPrompted, DecisionSource, GrantSource, Home, NewActionDecision, NewAgentRequest,
    NewAgentRun, NewQuestion, Store, StoreError, ToolCallSeen,
};

use super::{clean, new_id, owner, with_new_run};

/// A clock that stands where it is put.
pub struct Set(AtomicI64);

impl Set {
    pub fn at(millis: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(millis)))
    }

    pub fn put(&self, millis: i64) {
        self.0.store(millis, Ordering::SeqCst);
    }
}

impl Clock for Set {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

/// What the tests' clock begins with.
pub const NOW: i64 = 1_800_000_000_000;

pub fn open_at(home: &Home, clock: Arc<Set>) -> Store {
    Store::open(home, clock).unwrap()
}

/// A run with its agent on record.
pub fn agent_run(store: &Store) -> RunId {
    let id = new_id();
    insert_agent_run(store, id).unwrap();
    id
}

/// A run of an agent before anything of it is made.
pub fn insert_agent_run(store: &Store, id: RunId) -> Result<(), StoreError> {
    let name = id.short();
    with_new_run(id, name.trim_start_matches("run_"), |run| {
        store.insert_agent_run(
            run,
            &NewAgentRun {
                agent: &clean("gemini-acp"),
                provider: &clean("acp:gemini-acp"),
                argv: &clean(r#"["gemini","--acp"]"#),
                version_found: Some(&clean("0.61.0")),
                task: &clean("mend the harbour wall"),
                model: None,
                mode_requested: Mode::Trust,
                unattended: false,
                may_write: true,
                grant: GrantSource::None,
                client_capabilities: &clean(r#"{"fs":{"readTextFile":true}}"#),
                mcp: &clean(r#"{"offered":false,"reason":"not yet"}"#),
            },
        )
    })
}

/// What the agent of such a run is given.
pub fn prompted(store: &Store, id: &RunId) -> Result<(), StoreError> {
    store.agent_prompted(
        id,
        &AgentPrompted {
            bytes: 1_234,
            cut: &clean(r#"["AGENTS.md: 12 bytes"]"#),
            mcp: &clean(r#"{"offered":true,"server":"taffrail","scope":"checkout"}"#),
        },
    )
}

pub fn question_id() -> QuestionId {
    let mut random = [0; 10];
    getrandom::fill(&mut random).unwrap();
    QuestionId::new(NOW.unsigned_abs(), random)
}

/// Asks about the action with this fingerprint; it waits until `expires_at`, or for ever.
pub fn ask(
    store: &Store,
    run: RunId,
    fingerprint: [u8; 32],
    expires_at: Option<i64>,
) -> QuestionId {
    let id = question_id();
    store
        .ask_question(&NewQuestion {
            id,
            run,
            fingerprint,
            risk: Risk::Shell,
            destructive: true,
            may_grant: false,
            shown: &clean("rm -rf target"),
            details: &clean(r#"{"reasons":["it removes files"]}"#),
            expires_at: expires_at.map(Millis),
            owner: &owner(7),
        })
        .unwrap();
    id
}

/// Puts a decision on record that the policy answered so.
pub fn decide(
    store: &Store,
    run: &RunId,
    answer: Answer,
    ground: Ground,
    question: Option<QuestionId>,
) {
    let verdict = match ground {
        Ground::Human | Ground::Policy if answer != Answer::Deny => Verdict::Allowed,
        _ => Verdict::Refused,
    };
    store
        .record_action_decision(
            run,
            &NewActionDecision {
                request: &clean("17"),
                tool_call: Some(&clean("call-3")),
                source: DecisionSource::Permission,
                action: &clean(r#"{"shell":"rm -rf target"}"#),
                shown: &clean("rm -rf target"),
                kind: Some(&clean("execute")),
                risk: Risk::Destructive,
                destructive: true,
                answer,
                reasons: &clean(r#"["removes files for good"]"#),
                rule: None,
                verdict,
                ground,
                timed_out: ground == Ground::Timeout,
                option: Some(&clean("proceed_once")),
                mode_requested: Mode::Trust,
                mode_effective: Mode::Ask,
                question,
                asked_at: Millis(NOW - 5),
            },
        )
        .unwrap();
}

/// A tool call of which nothing but its id and its output is said.
pub fn called(store: &Store, run: &RunId, call: &str, output: &str, updates: u64) {
    store
        .upsert_tool_call(
            run,
            &ToolCallSeen {
                call: &clean(call),
                title: None,
                kind: None,
                status: None,
                locations: None,
                input: None,
                output: Some(&clean(output)),
                updates,
                bytes: output.len() as u64,
            },
        )
        .unwrap();
}

pub fn requested(store: &Store, run: &RunId, method: &str, outcome: Served, reason: Option<&str>) {
    store
        .append_agent_request(
            run,
            &NewAgentRequest {
                method: &clean(method),
                what: Some(&clean("/checkout/src/lib.rs")),
                outcome,
                reason: reason.map(clean).as_ref(),
                bytes: 12,
            },
        )
        .unwrap();
}
