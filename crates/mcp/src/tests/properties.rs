//! Whatever comes, nothing panics, nothing hangs, and no host is asked with what the published schema does not take.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Number, Value};
use taffrail_domain::Transport;
use tokio_util::sync::CancellationToken;

use super::wire::{initialize, initialized, lines, talk};
use super::{Fake, STDIO, fitting, keys};
use crate::call::Call;
use crate::catalog::{TOOLS, Tool};
use crate::refusal::Words;
use crate::watch::Meter;
use crate::{Caller, Names};

/// A reader of JSON Schema that knows only what is published here, and nothing of the server's own check.
fn takes(schema: &Value, value: &Value) -> bool {
    let of_type = match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("type {other}"),
    };
    of_type
        && schema
            .as_object()
            .unwrap()
            .iter()
            .all(|(keyword, limit)| match keyword.as_str() {
                "type" | "description" => true,
                "properties" => {
                    value.as_object().unwrap().iter().all(|(key, inner)| {
                        limit.get(key).is_none_or(|schema| takes(schema, inner))
                    })
                }
                "required" => limit
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|key| value.get(key.as_str().unwrap()).is_some()),
                "additionalProperties" => value
                    .as_object()
                    .unwrap()
                    .keys()
                    .all(|key| schema["properties"].get(key).is_some()),
                "minLength" => length(value) >= limit.as_u64().unwrap(),
                "maxLength" => length(value) <= limit.as_u64().unwrap(),
                "pattern" => pattern(limit.as_str().unwrap(), value.as_str().unwrap()),
                "enum" => limit.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().unwrap() >= limit.as_f64().unwrap(),
                "maximum" => value.as_f64().unwrap() <= limit.as_f64().unwrap(),
                "items" => value
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|item| takes(limit, item)),
                "maxItems" => value.as_array().unwrap().len() as u64 <= limit.as_u64().unwrap(),
                other => panic!("keyword {other}"),
            })
}

fn length(value: &Value) -> u64 {
    value.as_str().unwrap().chars().count() as u64
}

fn pattern(pattern: &str, text: &str) -> bool {
    let word = |at: char| at.is_ascii_alphanumeric() || at == '_' || at == '-';
    match pattern {
        "^[A-Za-z0-9_-]+$" => !text.is_empty() && text.chars().all(word),
        // JavaScript's \s: Unicode's white space without U+0085, and the byte order mark.
        r"\S" => text
            .chars()
            .any(|at| at == '\u{85}' || !(at.is_whitespace() || at == '\u{feff}')),
        other => panic!("pattern {other}"),
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (0_u64..30).prop_map(Value::from),
        (0_u64..30).prop_map(|at| Value::from(at as f64)),
        any::<f64>().prop_map(|at| Number::from_f64(at).map_or(Value::Null, Value::Number)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((name(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,12}",
        "[A-Za-z0-9_-]{1,20}",
        "[ \\t\\n\u{85}\u{a0}\u{feff}]{0,4}",
        Just("risk".to_owned()),
        Just("approved".to_owned()),
        Just("lesson".to_owned()),
        (3_990_usize..4_010).prop_map(|length| "é".repeat(length)),
        (120_usize..135).prop_map(|length| "x".repeat(length)),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "externalSessionId",
            "workspaceId",
            "anchors",
            "root",
            "touched",
            "note",
            "text",
            "kind",
            "idempotencyKey",
            "origin",
            "trust",
            "query",
            "limit",
            "include",
            "type",
            "content",
            "sourceRefs",
            "uri",
            "title",
            "path",
            "line",
            "glob",
            "regex",
            "page",
            "section",
            "entry",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ]
}

/// A tool with fitting arguments of which some were changed, or with any object at all.
fn calls() -> impl Strategy<Value = (&'static Tool, Map<String, Value>)> {
    let tool = proptest::sample::select(TOOLS.to_vec());
    let changes =
        proptest::collection::vec((any::<proptest::sample::Index>(), name(), json()), 0..3);
    (tool, any::<bool>(), changes).prop_map(|(tool, from_fitting, changes)| {
        let mut arguments = Map::new();
        if from_fitting {
            arguments = keys(fitting(tool.name));
        }
        for (at, other, value) in changes {
            let known = tool.input.get(at.index(tool.input.len().max(1)));
            let key = known
                .filter(|_| other.len() % 2 == 0)
                .map_or(other, |field| field.name.to_owned());
            arguments.insert(key, value);
        }
        (tool, arguments)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn xsl_03_the_host_is_asked_exactly_when_the_published_schema_takes_the_arguments((tool, arguments) in calls()) {
        let host = Fake::default();
        let mut kept = arguments.clone();
        if tool.which.is_slate() {
            kept.remove("origin");
            kept.remove("trust");
        }
        let schema = tool.info(Names::Dotted).input_schema;
        let call = Call {
            tool,
            caller: Caller { transport: Transport::Stdio, client: None },
            arguments,
            words: Words::new(Default::default()),
        };
        let result = call.run(&host, &Meter::new(CancellationToken::new()));
        let fits = takes(&schema, &Value::Object(kept));
        prop_assert_eq!(host.seen().len(), usize::from(fits));
        prop_assert_eq!(result.is_error, Some(!fits));
        if !fits {
            let text = &result.content[0].as_text().unwrap().text;
            let named = format!("{}: '", tool.name);
            prop_assert!(text.starts_with(&named), "{}", text);
            prop_assert!(text.chars().all(|at| at == '\n' || !at.is_control()), "{:?}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mcp_01_any_bytes_end_at_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), greets in any::<bool>()) {
        let host = Arc::new(Fake::default());
        let mut input = Vec::new();
        if greets {
            input = lines(&[initialize("2025-11-25"), initialized()]);
        }
        input.extend_from_slice(&bytes);
        talk(&host, &STDIO, input);
        prop_assert_eq!(host.seen(), vec![]);
    }

    #[test]
    fn mcp_01_any_messages_end_at_their_end(values in proptest::collection::vec(json(), 0..8), method in "(tools/call|tools/list|initialize|ping|notifications/cancelled|.{0,8})") {
        let host = Arc::new(Fake::default());
        let mut messages = vec![initialize("2025-11-25"), initialized()];
        for (at, value) in values.into_iter().enumerate() {
            messages.push(serde_json::json!({"jsonrpc": "2.0", "id": at, "method": method, "params": value}));
            messages.push(value);
        }
        talk(&host, &STDIO, lines(&messages));
    }
}
