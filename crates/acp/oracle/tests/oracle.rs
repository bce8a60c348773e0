//! Everything that is sent can be read by the protocol's own types (FA-20).

#[path = "../../tests/support/mod.rs"]
mod support;

use agent_client_protocol_schema::v1::{
    ClientNotification, ClientRequest, Error, ReadTextFileResponse, RequestPermissionResponse,
    WriteTextFileResponse,
};
use serde_json::{Value, json};
use support::{Play, SESSION, key, plan};
use taffrail_acp::v1::{EnvVariable, Implementation, McpServer};
use taffrail_acp::{Context, Decision, Event, Plan, RpcError};

/// The envelope of a line, strictly.
fn fits(sent: &Value, result: Option<&str>) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| format!("{error}: {sent}");
    if sent["jsonrpc"] != "2.0" {
        return Err(format!("no envelope: {sent}"));
    }
    let params = sent.get("params").cloned().unwrap_or_default();
    match (sent.get("method").and_then(Value::as_str), sent.get("id")) {
        (Some(method), Some(_)) => ClientRequest::from_method_and_params(method, &params)
            .map(|_| ())
            .map_err(|error| told(&error)),
        (Some(method), None) => ClientNotification::from_method_and_params(method, &params)
            .map(|_| ())
            .map_err(|error| told(&error)),
        (None, _) => answer(sent, result),
    }
}

fn answer(sent: &Value, result: Option<&str>) -> Result<(), String> {
    let told = |error: serde_json::Error| format!("{error}: {sent}");
    if let Some(error) = sent.get("error") {
        return serde_json::from_value::<Error>(error.clone())
            .map(|_| ())
            .map_err(told);
    }
    let value = sent["result"].clone();
    match result {
        Some("permission") => {
            serde_json::from_value::<RequestPermissionResponse>(value).map(|_| ())
        }
        Some("read") => serde_json::from_value::<ReadTextFileResponse>(value).map(|_| ()),
        Some("write") => serde_json::from_value::<WriteTextFileResponse>(value).map(|_| ()),
        _ => return Err(format!("an answer to nothing: {sent}")),
    }
    .map_err(told)
}

fn full() -> Plan {
    Plan {
        client: Implementation {
            name: "taffrail".into(),
            title: Some("Taffrail".into()),
            version: "0.1.0".into(),
        },
        mcp_servers: vec![McpServer {
            name: "taffrail".into(),
            command: "/usr/bin/taffrail".into(),
            args: vec!["serve-mcp".into(), "--broker".into()],
            env: vec![EnvVariable {
                name: "TOKEN".into(),
                value: "x".into(),
            }],
        }],
        context: vec![Context {
            uri: "file:///w/AGENTS.md".into(),
            mime_type: "text/markdown".into(),
            text: "be kind".into(),
        }],
        auth_method: Some("key".into()),
        mode: Some("ask".into()),
        model: Some("m".into()),
        ..plan()
    }
}

fn opened(embedded: bool) -> Play {
    let mut play = Play::new(full());
    play.event(Event::Begun);
    play.answer(
        "initialize",
        json!({"protocolVersion": 1, "authMethods": [{"id": "key", "name": "k"}],
            "agentCapabilities": {"promptCapabilities": {"embeddedContext": embedded}}}),
    );
    play.answer("authenticate", json!({}));
    play.answer(
        "session/new",
        json!({"sessionId": SESSION, "modes": {"currentModeId": "auto", "availableModes": [{"id": "ask"}]},
            "configOptions": [{"id": "model", "type": "select", "currentValue": "a", "options": [{"value": "m"}]}]}),
    );
    play.answer("session/set_mode", json!({}));
    play.answer("session/set_config_option", json!({"configOptions": []}));
    play
}

#[test]
fn fa_20_the_protocols_own_types_read_all_that_is_sent() {
    for embedded in [false, true] {
        let mut play = opened(embedded);
        play.answer("session/prompt", json!({"stopReason": "end_turn"}));
        play.event(Event::Prompt("once more".into()));
        play.event(Event::Cancel);
        let methods: Vec<_> = play
            .sent
            .iter()
            .map(|sent| sent["method"].as_str().unwrap())
            .collect();
        assert_eq!(
            methods,
            [
                "initialize",
                "authenticate",
                "session/new",
                "session/set_mode",
                "session/set_config_option",
                "session/prompt",
                "session/prompt",
                "session/cancel"
            ]
        );
        for sent in &play.sent {
            fits(sent, None).unwrap();
        }
    }
}

#[test]
fn fa_20_the_protocols_own_types_read_every_answer() {
    let mut play = Play::in_turn();
    let before = play.sent.len();
    let allowed = key(&play.asks(json!("permission 1"), json!({"toolCallId": "t"})));
    play.decide(allowed, Decision::Allow);
    let none = key(&play.asks_with(json!("permission 2"), json!({"toolCallId": "t"}), json!([])));
    play.decide(none, Decision::Reject);
    let file = |method: &str| {
        json!({"id": format!("{method} 1"), "method": format!("fs/{method}_text_file"),
            "params": {"sessionId": SESSION, "path": "/a", "content": "x"}})
    };
    let request = key(&play.says(file("read")));
    play.event(Event::ReadDone {
        request,
        result: Ok("text".into()),
    });
    let request = key(&play.says(file("write")));
    play.event(Event::WriteDone {
        request,
        result: Ok(()),
    });
    let request = key(&play.says(file("read")));
    let error = RpcError {
        data: Some(json!({"path": "/a"})),
        ..RpcError::new(RpcError::NOT_FOUND, "gone")
    };
    play.event(Event::ReadDone {
        request,
        result: Err(error),
    });
    play.says(
        json!({"id": "terminal", "method": "terminal/create", "params": {"sessionId": SESSION}}),
    );
    play.asks(json!("permission 3"), json!({"toolCallId": "t"}));
    play.event(Event::Cancel);
    let answers = &play.sent[before..];
    assert_eq!(answers.len(), 8, "seven answers and the cancel");
    for sent in answers {
        let kind = sent["id"].as_str().and_then(|id| id.split(' ').next());
        fits(sent, kind).unwrap();
    }
}

#[test]
fn fa_20_the_oracle_sees_what_is_wrong() {
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    for wrong in [
        request("session/new", json!({"cwd": "/w"})),
        request("session/prompt", json!({"sessionId": "s"})),
        request("initialize", json!({"clientCapabilities": {}})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"outcome": {"outcome": "selected"}}}),
    ] {
        assert!(fits(&wrong, Some("permission")).is_err(), "{wrong}");
    }
}
