//! From the first line to the first prompt (FA-20, and the mode that is forced).

mod support;

use std::time::Duration;

use serde_json::{Value, json};
use support::{Play, SESSION, plan};
use taffrail_acp::v1::{EnvVariable, McpServer};
use taffrail_acp::{Context, Effect, Event, Gap, NoteKind, Plan};
use taffrail_domain::EndReason;

fn begun(plan: Plan) -> Play {
    let mut play = Play::new(plan);
    play.event(Event::Begun);
    play
}

fn initialized(plan: Plan, result: Value) -> Play {
    let mut play = begun(plan);
    play.answer("initialize", result);
    play
}

fn session(plan: Plan, result: Value) -> Play {
    let mut play = initialized(plan, json!({"protocolVersion": 1}));
    let mut result = result;
    result["sessionId"] = json!(SESSION);
    play.answer("session/new", result);
    play
}

#[test]
fn fa_20_initialize_advertises_exactly_what_is_served() {
    for write in [false, true] {
        let play = begun(Plan { write, ..plan() });
        assert_eq!(play.sent.len(), 1);
        let params = &play.sent[0]["params"];
        assert_eq!(params["protocolVersion"], json!(1));
        assert_eq!(
            params["clientCapabilities"],
            json!({"fs": {"readTextFile": true, "writeTextFile": write}, "terminal": false})
        );
    }
}

#[test]
fn fa_20_another_version_is_a_named_end_without_a_session() {
    for version in [
        json!(2),
        json!(0),
        json!("1"),
        json!(1.5),
        json!(-1),
        json!(null),
    ] {
        let play = initialized(plan(), json!({"protocolVersion": version}));
        assert_eq!(play.reason(), Some(EndReason::ProtocolVersion), "{version}");
        assert_eq!(play.was_sent("session/new"), 0);
    }
    assert_eq!(
        initialized(plan(), json!({})).reason(),
        Some(EndReason::ProtocolVersion)
    );
    assert_eq!(
        initialized(plan(), json!("hi")).reason(),
        Some(EndReason::ProtocolVersion)
    );
    // The twin: version 1 opens a session.
    assert_eq!(
        initialized(plan(), json!({"protocolVersion": 1})).was_sent("session/new"),
        1
    );
}

#[test]
fn fa_25_servers_are_an_array_even_when_there_are_none() {
    let play = initialized(plan(), json!({"protocolVersion": 1}));
    assert_eq!(
        play.sent[1]["params"],
        json!({"cwd": "/work/check out", "mcpServers": []})
    );
    let server = McpServer {
        name: "taffrail".into(),
        command: "/bin/t".into(),
        args: vec!["serve-mcp".into()],
        env: vec![EnvVariable {
            name: "TOKEN".into(),
            value: "x".into(),
        }],
    };
    let with = Plan {
        mcp_servers: vec![server],
        ..plan()
    };
    let play = initialized(with, json!({"protocolVersion": 1}));
    assert_eq!(
        play.sent[1]["params"]["mcpServers"],
        json!([{"name": "taffrail", "command": "/bin/t", "args": ["serve-mcp"],
            "env": [{"name": "TOKEN", "value": "x"}]}])
    );
}

#[test]
fn fa_26_what_is_never_answered_ends_by_its_own_name() {
    let mut play = begun(plan());
    assert_eq!(play.client.wakes_at(), Some(Duration::from_secs(30)));
    play.wait(29.9);
    assert_eq!(play.reason(), None);
    play.wait(0.2);
    assert_eq!(play.reason(), Some(EndReason::InitializeTimeout));
    assert_eq!(play.client.wakes_at(), None);

    let mut play = initialized(plan(), json!({"protocolVersion": 1}));
    play.wait(60.0);
    assert_eq!(play.reason(), Some(EndReason::SessionTimeout));

    let mode = Plan {
        mode: Some("ask".into()),
        ..plan()
    };
    let modes = json!({"modes": {"currentModeId": "auto", "availableModes": [{"id": "ask"}]}});
    let mut play = session(mode, modes);
    play.wait(60.0);
    assert_eq!(play.reason(), Some(EndReason::SessionTimeout));
}

#[test]
fn fa_01_an_agent_that_wants_a_sign_in_says_so_in_many_ways() {
    for (error, reason) in [
        (
            json!({"code": -32000, "message": "run auggie login"}),
            EndReason::SignIn,
        ),
        (json!({"code": 401, "message": "nope"}), EndReason::SignIn),
        (
            json!({"code": -32603, "message": "Unauthorized"}),
            EndReason::SignIn,
        ),
        (
            json!({"code": -32603, "message": "x", "data": {"details": "API key not valid"}}),
            EndReason::SignIn,
        ),
        (
            json!({"code": -32603, "message": "please log in"}),
            EndReason::SignIn,
        ),
        (
            json!({"code": -32603, "message": "not found in the catalog in use"}),
            EndReason::AgentError,
        ),
        (
            json!({"code": 1001, "message": "app-server died"}),
            EndReason::AgentError,
        ),
        (json!({"message": "no code"}), EndReason::AgentError),
        (json!("a bare string"), EndReason::AgentError),
        (json!([]), EndReason::AgentError),
    ] {
        for method in ["initialize", "session/new", "session/prompt"] {
            let mut play = match method {
                "initialize" => begun(plan()),
                "session/new" => initialized(plan(), json!({"protocolVersion": 1})),
                _ => Play::in_turn(),
            };
            play.fail(method, error.clone());
            let (ended, detail) = play.ended().unwrap();
            assert_eq!(ended, reason, "{method} {error}");
            assert!(detail.starts_with(method), "{detail}");
        }
    }
}

#[test]
fn fa_03_a_way_to_sign_in_is_used_only_if_it_is_offered() {
    let wants = || Plan {
        auth_method: Some("gemini-api-key".into()),
        ..plan()
    };
    let offers = json!({"protocolVersion": 1, "authMethods": [
        {"id": "oauth", "name": "o"}, 7, {"name": "no id"}, {"id": "gemini-api-key", "name": "k", "type": "terminal"}]});
    let mut play = initialized(wants(), offers.clone());
    assert_eq!(
        play.sent[1]["params"],
        json!({"methodId": "gemini-api-key"})
    );
    assert_eq!(play.client.facts().auth_methods.len(), 2);
    play.answer("authenticate", json!(null));
    assert_eq!(play.was_sent("session/new"), 1);
    assert_eq!(
        play.client.facts().authenticated.as_deref(),
        Some("gemini-api-key")
    );

    let mut play = initialized(wants(), offers);
    play.fail("authenticate", json!({"code": -32603, "message": "bad"}));
    assert_eq!(play.reason(), Some(EndReason::SignIn));

    let play = initialized(wants(), json!({"protocolVersion": 1, "authMethods": null}));
    assert_eq!(
        (play.was_sent("authenticate"), play.was_sent("session/new")),
        (0, 1)
    );
    assert_eq!(play.noted(NoteKind::AuthNotOffered), 1);
}

#[test]
fn fa_28_a_session_without_a_usable_id_is_none() {
    for result in [
        json!({}),
        json!({"sessionId": ""}),
        json!({"sessionId": "s".repeat(1025)}),
        json!({"sessionId": 7}),
        json!(null),
        json!([]),
    ] {
        let mut play = initialized(plan(), json!({"protocolVersion": 1}));
        play.answer("session/new", result.clone());
        assert_eq!(play.reason(), Some(EndReason::AgentError), "{result}");
    }
}

#[test]
fn fa_28_odd_answers_to_the_opening_are_read_for_what_they_hold() {
    let mut play = initialized(
        plan(),
        json!({"protocolVersion": 1, "agentInfo": {"name": 7, "version": null}, "agentCapabilities": [],
            "authMethods": {"a": 1}}),
    );
    play.answer(
        "session/new",
        json!({"sessionId": SESSION, "modes": null, "configOptions": "x", "models": []}),
    );
    assert_eq!(play.client.facts().turns, 1);
    assert_eq!(play.client.facts().agent.as_ref().unwrap().name, "7");
    assert_eq!(play.reason(), None);
}

fn asks_mode() -> Plan {
    Plan {
        mode: Some("default".into()),
        ..plan()
    }
}

fn mode_option(current: &str) -> Value {
    json!([{"id": "approval", "name": "Mode", "category": "mode", "type": "select", "currentValue": current,
        "options": [{"group": "g", "name": "G", "options": [{"value": "plan", "name": "Plan"}]},
            {"value": "default", "name": "Default"}, {"value": "auto", "name": "Auto"}]}])
}

#[test]
fn fa_22_the_mode_is_forced_by_the_option_before_the_list_of_modes() {
    let mut play = session(
        asks_mode(),
        json!({"configOptions": mode_option("auto"),
            "modes": {"currentModeId": "auto", "availableModes": [{"id": "default"}]}}),
    );
    assert_eq!(play.was_sent("session/set_mode"), 0);
    let sent = play.sent.last().unwrap().clone();
    assert_eq!(sent["method"], "session/set_config_option");
    assert_eq!(
        sent["params"],
        json!({"sessionId": SESSION, "configId": "approval", "value": "default"})
    );
    assert_eq!(
        play.was_sent("session/prompt"),
        0,
        "no prompt before the mode stands"
    );
    let effects = play.answer(
        "session/set_config_option",
        json!({"configOptions": mode_option("default")}),
    );
    assert!(effects.contains(&Effect::Ready));
    assert_eq!(play.was_sent("session/prompt"), 1);
    let mode = &play.client.facts().mode;
    assert_eq!(mode.before.as_deref(), Some("auto"));
    assert_eq!(mode.effective.as_deref(), Some("default"));
    assert!(mode.verified && mode.gap.is_none());
}

#[test]
fn fa_22_a_mode_is_verified_only_by_what_the_agent_tells() {
    let modes = json!({"modes": {"currentModeId": "auto", "availableModes": [{"id": "auto"}, {"id": "default"}]}});
    // A bare yes is no proof.
    let mut play = session(asks_mode(), modes.clone());
    assert_eq!(
        play.sent.last().unwrap()["params"],
        json!({"sessionId": SESSION, "modeId": "default"})
    );
    play.answer("session/set_mode", json!({}));
    assert_eq!(play.client.facts().mode.gap, Some(Gap::NotConfirmed));
    assert!(!play.client.facts().mode.verified);
    assert_eq!(play.was_sent("session/prompt"), 1);
    // An update is, before the answer or after it.
    play.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "default"}));
    assert!(play.client.facts().mode.verified && play.client.facts().mode.gap.is_none());
    let mut play = session(asks_mode(), modes);
    play.update(
        json!({"sessionUpdate": "config_option_update", "configOptions": mode_option("default")}),
    );
    play.answer("session/set_mode", json!({}));
    assert!(play.client.facts().mode.verified);
    assert_eq!(play.noted(NoteKind::ModeChanged), 0);
    // And a mode that is left during the turn is not verified any more.
    play.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "auto"}));
    assert_eq!(play.client.facts().mode.gap, Some(Gap::Other));
    assert_eq!(play.noted(NoteKind::ModeChanged), 1);
    // What the session begins with needs no setting.
    let begins =
        json!({"modes": {"currentModeId": "default", "availableModes": [{"id": "default"}]}});
    let play = session(asks_mode(), begins);
    assert!(play.client.facts().mode.verified);
    assert_eq!(play.was_sent("session/set_mode"), 0);
}

/// What the session begins with is the agent's word, and kimi does as its own settings say until the mode is set.
#[test]
fn fa_22_a_mode_that_is_told_to_stand_already_is_set_all_the_same() {
    let anyway = || Plan {
        sets_mode_anyway: true,
        ..asks_mode()
    };
    let begins =
        json!({"modes": {"currentModeId": "default", "availableModes": [{"id": "default"}]}});
    for answer in [None, Some(json!({"code": -32601, "message": "no"}))] {
        let mut play = session(anyway(), begins.clone());
        assert_eq!(play.was_sent("session/prompt"), 0);
        match answer {
            None => play.answer("session/set_mode", json!({})),
            Some(error) => play.fail("session/set_mode", error),
        };
        let mode = &play.client.facts().mode;
        assert!(mode.verified && mode.gap.is_none());
        assert_eq!(play.was_sent("session/set_mode"), 1);
        assert_eq!(play.was_sent("session/prompt"), 1);
    }
    let mut play = session(anyway(), json!({"configOptions": mode_option("default")}));
    play.answer(
        "session/set_config_option",
        json!({"configOptions": mode_option("plan")}),
    );
    assert_eq!(play.client.facts().mode.gap, Some(Gap::Other));
    assert!(!play.client.facts().mode.verified);
}

#[test]
fn fa_22_a_mode_that_cannot_be_forced_is_recorded_and_the_run_goes_on() {
    let play = session(asks_mode(), json!({"modes": null}));
    assert_eq!(play.client.facts().mode.gap, Some(Gap::NotOffered));
    assert_eq!(play.was_sent("session/prompt"), 1);
    let play = session(
        asks_mode(),
        json!({"modes": {"currentModeId": "x", "availableModes": [{"id": "y"}]}}),
    );
    assert_eq!(play.client.facts().mode.gap, Some(Gap::NoSuchValue));
    let modes = json!({"modes": {"currentModeId": "auto", "availableModes": [{"id": "default"}]}});
    let mut play = session(asks_mode(), modes.clone());
    play.fail("session/set_mode", json!({"code": -32602, "message": "no"}));
    assert_eq!(
        play.client.facts().mode.gap,
        Some(Gap::Refused("no".into()))
    );
    assert_eq!(play.was_sent("session/prompt"), 1);
    // A refused option falls back to the list of modes.
    let both = json!({"configOptions": mode_option("auto"), "modes": modes["modes"]});
    let mut play = session(asks_mode(), both);
    play.fail(
        "session/set_config_option",
        json!({"code": -32601, "message": "no"}),
    );
    assert_eq!(play.was_sent("session/set_mode"), 1);
    // An option that answers with another value is said to be other.
    let mut play = session(asks_mode(), json!({"configOptions": mode_option("auto")}));
    play.answer(
        "session/set_config_option",
        json!({"configOptions": mode_option("plan")}),
    );
    assert_eq!(play.client.facts().mode.gap, Some(Gap::Other));
}

#[test]
fn fa_01_a_model_is_asked_for_by_id_or_name_where_there_is_an_option() {
    let wants = |model: &str| Plan {
        model: Some(model.into()),
        ..plan()
    };
    let options = |current: &str| {
        json!({"configOptions": [{"id": "model", "name": "Model", "type": "select", "currentValue": current,
            "options": [{"value": "a", "name": "Model A"}, {"value": "b", "name": "Model B"}]}]})
    };
    for name in ["b", "Model B"] {
        let mut play = session(wants(name), options("a"));
        assert_eq!(
            play.sent.last().unwrap()["params"],
            json!({"sessionId": SESSION, "configId": "model", "value": "b"})
        );
        play.answer("session/set_config_option", options("b"));
        assert!(play.client.facts().model.verified);
    }
    let play = session(wants("c"), options("a"));
    assert_eq!(play.client.facts().model.gap, Some(Gap::NoSuchValue));
    let old = json!({"models": {"currentModelId": "gemini-2.5-flash", "availableModels": []}});
    let play = session(wants("x"), old.clone());
    assert_eq!(play.client.facts().model.gap, Some(Gap::NotOffered));
    assert_eq!(
        play.client.facts().model.effective.as_deref(),
        Some("gemini-2.5-flash")
    );
    assert!(
        session(wants("gemini-2.5-flash"), old)
            .client
            .facts()
            .model
            .verified
    );
}

#[test]
fn fa_04_context_goes_as_resources_where_they_are_taken_and_as_text_elsewhere() {
    let with = || Plan {
        context: vec![Context {
            uri: "file:///a/AGENTS.md".into(),
            mime_type: "text/markdown".into(),
            text: "be kind".into(),
        }],
        ..plan()
    };
    let opened = |capabilities| {
        let mut play = initialized(
            with(),
            json!({"protocolVersion": 1, "agentCapabilities": capabilities}),
        );
        play.answer("session/new", json!({"sessionId": SESSION}));
        play.sent.last().unwrap()["params"]["prompt"].clone()
    };
    let embedded = opened(json!({"promptCapabilities": {"embeddedContext": true}}));
    assert_eq!(
        embedded,
        json!([{"type": "text", "text": "do it"},
            {"type": "resource", "resource": {"uri": "file:///a/AGENTS.md", "mimeType": "text/markdown", "text": "be kind"}}])
    );
    let text = opened(json!({"promptCapabilities": {"embeddedContext": "yes"}}));
    assert_eq!(
        text,
        json!([{"type": "text", "text": "do it"}, {"type": "text", "text": "file:///a/AGENTS.md:\n\nbe kind"}])
    );
}

#[test]
fn fa_28_before_the_turn_requests_are_refused_and_updates_are_ignored() {
    let mut play = begun(plan());
    play.asks(json!(1), json!({"toolCallId": "t"}));
    assert_eq!(
        play.answers(&json!(1))[0]["error"]["message"],
        "no session stands yet"
    );
    play.answer("initialize", json!({"protocolVersion": 1}));
    play.update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "early"}}));
    assert_eq!(play.noted(NoteKind::OutsideTurn), 1);
    let mode = json!({"modes": {"currentModeId": "auto", "availableModes": [{"id": "default"}]}});
    let mut play = session(asks_mode(), mode);
    play.says(json!({"id": "r", "method": "fs/read_text_file", "params": {"sessionId": SESSION, "path": "/a"}}));
    assert_eq!(
        play.answers(&json!("r"))[0]["error"]["message"],
        "no turn is going on"
    );
    play.update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "early"}}));
    assert_eq!(play.client.text(), "");
}
