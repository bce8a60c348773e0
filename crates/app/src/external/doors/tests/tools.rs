//! What the tools of a run reach, and whose they are.

use serde_json::{Value, json};
use taffrail_domain::{MemoryStatus, Served};
use taffrail_mcp::client::Client;

use super::{Scene, read, scene, scene_with};
use crate::external::McpScope;

fn seed(client: &Client, id: &str, text: &str) -> Value {
    let arguments = json!({"externalSessionId": id, "text": text, "kind": "decision"});
    client.call("slate.writeSeed", arguments).unwrap()
}

fn open(client: &Client, id: &str) -> Value {
    client
        .call("slate.open", json!({"externalSessionId": id}))
        .unwrap()
}

#[test]
fn fa_25_the_scope_says_whose_files_are_read() {
    let checkout = scene();
    let client = checkout.connect().client();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    let found = client
        .call("search_text", json!({"query": "in the"}))
        .unwrap();
    assert!(!found.to_string().contains("project"), "{found}");
    let project = scene_with(McpScope::Project);
    let client = project.connect().client();
    assert_eq!(read(&client, "a.txt"), "in the project\n");
    // Where the operator works is the project: nothing beside it is.
    let beside = project.world.app.inputs.user_home.join("x");
    super::put(&beside, "x");
    for path in ["../home/x", beside.to_str().unwrap()] {
        assert!(
            client.call("read_file", json!({"path": path})).is_err(),
            "{path}"
        );
    }
}

#[test]
fn cnf_02_s39_credentials_are_read_by_no_door_of_a_run() {
    let scene = scene();
    super::put(&scene.checkout.join(".env"), "KEY=planted-secret\n");
    let client = scene.connect().client();
    let refused = client
        .call("read_file", json!({"path": ".env"}))
        .unwrap_err();
    assert_eq!(refused.code.row().name, "path_refused");
    let found = client
        .call("search_text", json!({"query": "planted"}))
        .unwrap();
    assert_eq!(found["matches"], json!([]));
    let calls = scene.calls();
    assert_eq!(
        (calls[0].what.as_str(), calls[0].outcome),
        (".env", Served::Refused)
    );
}

#[test]
fn fa_25_the_slate_is_the_run_s_whatever_the_agent_calls_it() {
    let scene = scene();
    let client = scene.connect().client();
    let run = scene.doors.run().short();
    let opened = open(&client, "mine");
    assert_eq!(opened["externalSessionId"], run);
    seed(&client, "somebody-elses", "We keep amounts in cents.");
    // Another connection, another id: the same slate, with what it holds.
    let again = open(&scene.connect().client(), "another");
    assert_eq!(
        (again["generation"].clone(), &again["externalSessionId"]),
        (json!(1), &json!(run))
    );
    assert_eq!(again["seeds"][0]["origin"]["harness"], "external:fake-acp");
    let closed = client
        .call("slate.close", json!({"externalSessionId": "x"}))
        .unwrap();
    assert_eq!(closed["externalSessionId"], run);
    let again = client
        .call("slate.close", json!({"externalSessionId": "y"}))
        .unwrap();
    assert_eq!(closed, again);
}

#[test]
fn fa_25_the_end_of_a_run_closes_its_slate_and_leaves_candidates_that_say_whose_they_are() {
    let scene = scene();
    let client = scene.connect().client();
    open(&client, "x");
    seed(&client, "x", "We keep amounts in cents, as integers.");
    let closure = scene.doors.finish().unwrap().unwrap();
    let proposed: u64 = closure
        .proposals
        .iter()
        .map(|proposal| proposal.candidates)
        .sum();
    assert_eq!((proposed, closure.unbound.is_some()), (1, false));
    let row = candidates(&scene).pop().unwrap();
    assert_eq!(row.status, MemoryStatus::Pending);
    assert_eq!(row.source.runtime, "external:fake-acp");
    assert_eq!(row.source.session, Some(scene.doors.run().short()));
    assert_eq!(row.source.client.as_deref(), Some("tester 1"));
    // Nothing more comes in, and the end may come twice.
    assert!(
        client
            .call("slate.open", json!({"externalSessionId": "x"}))
            .is_err()
    );
    let text = json!({"externalSessionId": "x", "text": "late"});
    assert!(client.call("slate.writeSeed", text).is_err());
    let again = scene.doors.finish().unwrap().unwrap();
    assert_eq!(again.generation, closure.generation);
    assert_eq!(candidates(&scene).len(), 1);
}

fn candidates(scene: &Scene) -> Vec<taffrail_store::MemoryRow> {
    super::memories(&scene.world.app)
}

#[test]
fn fa_25_without_a_slate_the_end_of_a_run_makes_nothing() {
    let scene = scene();
    assert!(scene.doors.finish().unwrap().is_none());
    assert!(candidates(&scene).is_empty());
}

#[test]
fn fa_25_what_is_recorded_of_a_call_is_one_bounded_line() {
    let scene = scene();
    let client = scene.connect().client();
    let query = format!("a\nb\u{1b}[2J{}", "x".repeat(3_000));
    client
        .call(
            "memory_recall",
            json!({"query": query, "include": ["evidence"]}),
        )
        .unwrap();
    let told = &scene.calls()[0].what;
    assert_eq!(told.chars().count(), 400);
    assert!(!told.contains(char::is_control));
}
