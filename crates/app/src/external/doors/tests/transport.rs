//! Connections over the FIFOs: one after the other, several at once, and none that is mixed with another.

use std::io::{Read, Write};

use taffrail_domain::Served;

use super::{environment, line, piped, read, scene};
use crate::external::doors::Broker;
use crate::external::doors::fifos::SLOTS;

#[test]
fn fa_25_the_agent_of_a_run_is_offered_what_it_may_use_and_every_call_is_told() {
    let scene = scene();
    let client = scene.connect().client();
    let greeting = client.greeting().unwrap();
    assert_eq!(greeting.name, "taffrail");
    assert!(greeting.instructions.unwrap().contains("this run's"));
    let mut names: Vec<_> = client
        .list_tools()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "list_files",
            "memory_recall",
            "notebook_read",
            "read_file",
            "search_text",
            "slate.close",
            "slate.open",
            "slate.writeSeed",
        ]
    );
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    let calls = scene.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].tool.as_str(), calls[0].what.as_str()),
        ("read_file", "a.txt")
    );
    assert_eq!(
        (calls[0].outcome, &calls[0].reason),
        (Served::Served, &None)
    );
    assert!(calls[0].bytes > 16);
}

#[test]
fn fa_25_a_pipe_without_the_token_of_the_run_is_refused() {
    let scene = scene();
    let env = |token: &str| {
        let folder = scene.folder.to_string_lossy().into_owned();
        environment(vec![
            ("TAFFRAIL_BROKER_DIR".to_owned(), folder),
            ("TAFFRAIL_BROKER_TOKEN".to_owned(), token.to_owned()),
        ])
    };
    let almost = format!("{}08", "07".repeat(31));
    assert!(
        piped(&env(&almost))
            .refused()
            .contains("not the one of this run")
    );
    for odd in ["", "07", &"zz".repeat(32), &"+7".repeat(32)] {
        assert!(piped(&env(odd)).refused().contains("is no token"), "{odd}");
    }
    assert!(piped(&environment(vec![])).refused().contains("not set"));
    // The twin: with the token it is served, in the slot where others were refused.
    let client = piped(&env(&"07".repeat(32))).client();
    assert_eq!(read(&client, "a.txt"), "in the checkout\n");
    assert_eq!(scene.calls().len(), 1);
}

#[test]
fn fa_25_so_many_pipes_are_served_at_once_and_one_more_is_told_so() {
    let scene = scene();
    let clients: Vec<_> = (0..SLOTS).map(|_| scene.connect().client()).collect();
    for (at, client) in clients.iter().enumerate() {
        assert_eq!(read(client, "a.txt"), "in the checkout\n", "{at}");
    }
    assert!(scene.connect().refused().contains("connections are taken"));
    drop(clients);
    for _ in 0..SLOTS * 3 {
        assert_eq!(read(&retried(&scene), "a.txt"), "in the checkout\n");
    }
}

/// The locks of the pipes before are given back when their threads end, a moment after their streams.
fn retried(scene: &super::Scene) -> taffrail_mcp::client::Client {
    for _ in 0..1_000_000 {
        let piped = scene.connect();
        let name = taffrail_mcp::ClientName {
            name: "tester".to_owned(),
            version: "1".to_owned(),
        };
        let client = taffrail_mcp::client::Client::over_pipes(piped.output, piped.input, &name);
        if let Ok(client) = client {
            return client;
        }
        std::thread::yield_now();
    }
    panic!("no slot became free");
}

#[test]
fn fa_25_an_agent_that_ends_its_input_gets_every_answer_first() {
    let scene = scene();
    let mut piped = scene.connect();
    piped.input.write_all(&line(&hello())).unwrap();
    for id in 1..=40 {
        piped.input.write_all(&line(&reading(id))).unwrap();
    }
    drop(piped.input);
    let mut said = String::new();
    piped.output.read_to_string(&mut said).unwrap();
    piped.thread.join().unwrap().unwrap();
    assert_eq!(
        said.matches("in the checkout").count(),
        80,
        "text and structure"
    );
}

#[test]
fn fa_25_a_run_that_ends_ends_its_pipes() {
    let mut scene = scene();
    let mut idle = scene.connect();
    // What is answered has come through: no thread that has not begun yet meets the end.
    idle.input.write_all(&line(&hello())).unwrap();
    let mut said = vec![0];
    while !said.ends_with(b"\n") {
        let mut byte = [0];
        idle.output.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
    let client = scene.connect().client();
    read(&client, "a.txt");
    scene.stop();
    let mut said = String::new();
    idle.output.read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    idle.thread.join().unwrap().unwrap();
    assert!(
        client
            .call("notebook_read", serde_json::Value::Null)
            .is_err()
    );
    assert!(scene.connect().refused().contains("the run is over"));
}

#[test]
fn fa_25_what_is_offered_names_this_program_and_the_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let broker = Broker::open(folder.path(), [1; 32]).unwrap();
    let entry = broker.entry(std::path::Path::new("/opt/taffrail"));
    assert_eq!(
        (entry.name.as_str(), entry.command.as_str()),
        ("taffrail", "/opt/taffrail")
    );
    assert_eq!(entry.args, ["serve-mcp", "--broker"]);
    assert_eq!(entry.env, broker.env());
    assert_eq!(entry.env[1].1, "01".repeat(32));
    assert_ne!(Broker::token().unwrap(), Broker::token().unwrap());
}

pub(super) fn hello() -> serde_json::Value {
    serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"}}})
}

pub(super) fn reading(id: u64) -> serde_json::Value {
    serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "read_file", "arguments": {"path": "a.txt"}}})
}
