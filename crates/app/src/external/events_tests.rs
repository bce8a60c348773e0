//! EVT-01: `docs/schemas/run-event.json` is made of the types, and every event fits it. `UPDATE_DOCS=1` writes it.
#![allow(
    clippy::disallowed_methods,
    reason = "a test compares a file of this repository with what is generated"
)]

use std::path::Path;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use taffrail_domain::{Answer, Ground, Risk, RunStatus, Rung, Served, Verdict};

use super::*;

const TITLE: &str = "One event of a run of a foreign agent";
const ABOUT: &str = "One line of `taffrail agents external run --json`. Within version 1 types and keys are only added: a \
                     reader ignores what it does not know. Texts of an agent are redacted, and untrusted: a screen escapes them.";

/// How a run ends (FA-01).
const ENDED: [RunStatus; 7] = [
    RunStatus::Completed,
    RunStatus::Error,
    RunStatus::Refused,
    RunStatus::Timeout,
    RunStatus::Budget,
    RunStatus::Cancelled,
    RunStatus::Died,
];

/// The schema as it is published: what the types say, and the words of the closed lists.
fn generated() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Envelope>();
    let mut schema = schema.to_value();
    schema["title"] = json!(TITLE);
    schema["description"] = json!(ABOUT);
    schema["properties"]["v"] =
        json!({"const": VERSION, "description": "The version of the envelope."});
    close(&mut schema);
    schema
}

/// The words of a field, where the list of them is closed.
fn words(field: &str) -> Option<Vec<&'static str>> {
    Some(match field {
        "risk" => Risk::ALL.iter().map(|word| word.name()).collect(),
        "answer" => Answer::ALL.iter().map(|word| word.name()).collect(),
        "verdict" => Verdict::ALL.iter().map(|word| word.name()).collect(),
        "ground" => Ground::ALL.iter().map(|word| word.name()).collect(),
        "outcome" => Served::ALL.iter().map(|word| word.name()).collect(),
        "sandbox" => [Rung::None, Rung::Partial, Rung::Full]
            .iter()
            .map(|rung| rung.name())
            .collect(),
        _ => return None,
    })
}

/// Puts the words of closed lists to the fields that have one; `status` is one only in the last event.
fn close(schema: &mut Value) {
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let is_last = fields.contains_key("session_dir");
        for (name, field) in fields.iter_mut() {
            if let Some(words) = words(name) {
                field["enum"] = json!(words);
            }
            if is_last && name == "status" {
                field["enum"] = json!(ENDED.map(RunStatus::name));
            }
        }
    }
    match schema {
        Value::Object(map) => map.values_mut().for_each(close),
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn published() -> Value {
    serde_json::from_str(include_str!("../../../../docs/schemas/run-event.json")).unwrap()
}

#[test]
fn evt_01_docs_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/run-event.json");
    let expected = format!("{}\n", serde_json::to_string_pretty(&generated()).unwrap());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/schemas/run-event.json is out of date: run this test with UPDATE_DOCS=1"
    );
}

/// One event of every type.
fn samples() -> Vec<RunEvent> {
    let text = || "x".to_owned();
    let all = vec![
        RunEvent::Init(init()),
        RunEvent::Message {
            text: text(),
            thought: false,
        },
        RunEvent::ToolCall {
            id: text(),
            title: None,
            kind: Some(text()),
            status: None,
        },
        RunEvent::Decision(Decided {
            what: text(),
            risk: Risk::Write.name(),
            destructive: false,
            answer: Answer::Ask.name(),
            verdict: Verdict::Refused.name(),
            ground: Ground::Unattended.name(),
            reasons: vec![text()],
        }),
        RunEvent::Question {
            id: text(),
            what: text(),
            risk: Risk::Shell.name(),
            destructive: true,
        },
        RunEvent::FsRequest {
            method: text(),
            path: text(),
            outcome: Served::Served.name(),
            reason: None,
            bytes: 3,
        },
        RunEvent::Usage {
            used: Some(1),
            size: None,
            cost: Some(Cost {
                amount: 0.25,
                currency: text(),
            }),
        },
        RunEvent::Note { text: text() },
        RunEvent::Error {
            code: text(),
            message: text(),
        },
        RunEvent::Result(Box::new(ended())),
    ];
    all.iter().for_each(is_sampled);
    all
}

/// Does not compile with a type that has no sample above.
fn is_sampled(event: &RunEvent) {
    match event {
        RunEvent::Init(_)
        | RunEvent::Message { .. }
        | RunEvent::ToolCall { .. }
        | RunEvent::Decision(_)
        | RunEvent::Question { .. }
        | RunEvent::FsRequest { .. }
        | RunEvent::Usage { .. }
        | RunEvent::Note { .. }
        | RunEvent::Error { .. }
        | RunEvent::Result(_) => {}
    }
}

fn init() -> Init {
    let text = || "x".to_owned();
    Init {
        run: text(),
        agent: text(),
        agent_name: None,
        agent_version: Some(text()),
        protocol: 1,
        checkout: text(),
        sandbox: Rung::Full.name(),
        mode: None,
        enforcement: None,
    }
}

fn ended() -> Ended {
    let text = || "x".to_owned();
    Ended {
        run: text(),
        status: RunStatus::Completed.name(),
        reason: text(),
        detail: None,
        session_dir: text(),
        patch: None,
        patch_hash: None,
        result: Some(json!({"status": "DONE"})),
        refused: vec![text()],
        wrote_without_asking: Vec::new(),
        candidates: 0,
    }
}

fn lines() -> Vec<Value> {
    let line = |(seq, event)| Envelope {
        v: VERSION,
        seq: seq as u64 + 1,
        ts: "2026-01-01T00:00:00Z".into(),
        event,
    };
    let lines = samples().into_iter().enumerate().map(line);
    lines
        .map(|line| serde_json::to_value(line).unwrap())
        .collect()
}

#[test]
fn evt_01_every_event_fits_the_schema_and_every_type_is_published() {
    let schema = published();
    let lines = lines();
    for line in &lines {
        assert!(fits(&schema, &schema, line), "{line}");
    }
    let types = schema["oneOf"].as_array().unwrap();
    assert_eq!(types.len(), lines.len());
    for line in &lines {
        let published = types
            .iter()
            .any(|kind| kind["properties"]["type"]["const"] == line["type"]);
        assert!(published, "{line}");
    }
}

/// The twin: a key that is gone, of another kind or outside of its list does not fit.
#[test]
fn evt_01_what_is_no_event_does_not_fit() {
    let schema = published();
    let mut tried = 0;
    for line in lines() {
        for key in line.as_object().unwrap().keys() {
            let mut gone = line.clone();
            gone.as_object_mut().unwrap().remove(key);
            let mut other = line.clone();
            other[key] = json!([[]]);
            assert!(!fits(&schema, &schema, &gone), "without {key}: {line}");
            // A result document is any JSON.
            assert!(
                key == "result" || !fits(&schema, &schema, &other),
                "{key}: {line}"
            );
            if words(key).is_some() {
                let mut odd = line.clone();
                odd[key] = json!("odd");
                assert!(!fits(&schema, &schema, &odd), "{key}: {line}");
            }
            tried += 1;
        }
        let mut unknown = line.clone();
        unknown["type"] = json!("later");
        assert!(!fits(&schema, &schema, &unknown));
    }
    assert!(tried > 60, "{tried}");
}

/// As much of JSON Schema as the published one uses. A word that it does not know fails the test.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(rules) = schema.as_object() else {
        return schema == &Value::Bool(true);
    };
    rules.iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "$defs" | "title" | "description" | "format" => true,
        "$ref" => {
            let pointer = rule.as_str().unwrap().trim_start_matches('#');
            fits(root, root.pointer(pointer).unwrap(), value)
        }
        "const" => rule == value,
        "enum" => rule.as_array().unwrap().contains(value),
        "minimum" => value
            .as_f64()
            .is_none_or(|number| number >= rule.as_f64().unwrap()),
        "type" => match rule {
            Value::Array(names) => names.iter().any(|name| is_a(name, value)),
            name => is_a(name, value),
        },
        "required" => rule
            .as_array()
            .unwrap()
            .iter()
            .all(|name| value.get(name.as_str().unwrap()).is_some()),
        "properties" => rule
            .as_object()
            .unwrap()
            .iter()
            .all(|(name, rule)| value.get(name).is_none_or(|value| fits(root, rule, value))),
        "items" => value
            .as_array()
            .is_none_or(|items| items.iter().all(|item| fits(root, rule, item))),
        "anyOf" => rule
            .as_array()
            .unwrap()
            .iter()
            .any(|rule| fits(root, rule, value)),
        "oneOf" => {
            rule.as_array()
                .unwrap()
                .iter()
                .filter(|rule| fits(root, rule, value))
                .count()
                == 1
        }
        other => panic!("{other} is not checked"),
    })
}

fn is_a(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("{other} is not checked"),
    }
}
