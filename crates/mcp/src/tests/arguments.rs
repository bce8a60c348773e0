//! The check of arguments (XSL-03), tool by tool and limit by limit.

use std::sync::Arc;

use serde_json::{Value, json};
use taffrail_domain::ErrorCode;

use super::{Fake, STDIO, client, fitting};
use crate::{Failure, Names, tools};

fn refused(tool: &str, arguments: Value) -> String {
    let host = Arc::new(Fake::default());
    let Failure { code, message, .. } = client(&host, &STDIO).call(tool, arguments).unwrap_err();
    assert_eq!(code, ErrorCode::ToolArgument, "{message}");
    assert_eq!(host.seen(), [], "the host was asked");
    message
}

fn accepted(tool: &str, arguments: Value) -> String {
    let host = Arc::new(Fake::default());
    client(&host, &STDIO).call(tool, arguments).unwrap();
    host.seen().pop().unwrap().args
}

/// The fitting arguments of a tool with one key changed.
fn with(tool: &str, key: &str, value: Value) -> Value {
    let mut arguments = fitting(tool);
    arguments[key] = value;
    arguments
}

#[test]
fn xsl_03_what_fits_reaches_the_host() {
    for tool in tools(&STDIO) {
        accepted(&tool.name, fitting(&tool.name));
    }
}

#[test]
fn xsl_03_an_unknown_key_is_named_in_every_tool() {
    for tool in tools(&STDIO) {
        let message = refused(&tool.name, with(&tool.name, "bogus", json!(1)));
        assert!(message.contains("'bogus' is no argument"), "{message}");
    }
}

#[test]
fn xsl_03_a_missing_key_is_named_in_every_tool() {
    for tool in tools(&STDIO) {
        let required = tool.input_schema["required"].as_array().cloned();
        for key in required.unwrap_or_default() {
            let key = key.as_str().unwrap();
            let mut arguments = fitting(&tool.name);
            arguments.as_object_mut().unwrap().remove(key);
            let message = refused(&tool.name, arguments);
            assert_eq!(message, format!("'{key}' is required"));
        }
    }
}

#[test]
fn xsl_03_a_wrong_type_is_named_in_every_tool() {
    for tool in tools(&STDIO) {
        let properties = tool.input_schema["properties"].clone();
        for (key, schema) in properties.as_object().unwrap() {
            for wrong in [json!(null), json!(-1.5), json!(["x"]), json!({"x": 1})] {
                let fits = matches!(
                    (schema["type"].as_str().unwrap(), &wrong),
                    ("array", Value::Array(_)) | ("object", Value::Object(_))
                );
                if fits {
                    continue;
                }
                let message = refused(&tool.name, with(&tool.name, key, wrong));
                assert!(
                    message.starts_with(&format!("'{key}' must be ")),
                    "{message}"
                );
            }
        }
    }
}

#[test]
fn xsl_08_limits_count_characters_not_bytes() {
    let whole = "é".repeat(4_000);
    let args = accepted(
        "slate.writeSeed",
        with("slate.writeSeed", "text", json!(whole)),
    );
    assert!(args.contains(&whole), "cut silently");
    let long = "é".repeat(4_001);
    let message = refused(
        "slate.writeSeed",
        with("slate.writeSeed", "text", json!(long)),
    );
    let clip = "é".repeat(80);
    assert_eq!(
        message,
        format!("'text' exceeds the 4000-character limit (got 4001: \"{clip}…\")")
    );
}

#[test]
fn xsl_05_anchors_have_limits_of_their_own() {
    let open = |anchors: Value| with("slate.open", "anchors", anchors);
    accepted("slate.open", open(json!({"root": "r".repeat(4_096)})));
    accepted(
        "slate.open",
        open(json!({"touched": vec!["t".repeat(1_024); 200]})),
    );
    accepted("slate.open", open(json!({"note": "n".repeat(2_000)})));
    for (anchors, why) in [
        (
            json!({"root": "r".repeat(4_097)}),
            "'anchors.root' exceeds the 4096-character limit (got 4097:",
        ),
        (
            json!({"touched": vec!["t"; 201]}),
            "'anchors.touched' exceeds the 200-item limit (got 201)",
        ),
        (
            json!({"touched": ["a", "t".repeat(1_025)]}),
            "'anchors.touched[1]' exceeds the 1024-character limit (got 1025:",
        ),
        (
            json!({"note": "n".repeat(2_001)}),
            "'anchors.note' exceeds the 2000-character limit (got 2001:",
        ),
        (
            json!({"branch": "main"}),
            "'anchors.branch' is no argument (known: root, touched, note)",
        ),
        (
            json!({"touched": [1]}),
            "'anchors.touched[0]' must be a string (got 1)",
        ),
    ] {
        let message = refused("slate.open", open(anchors));
        assert!(message.starts_with(why), "{message}");
    }
}

#[test]
fn xsl_04_an_id_is_128_of_a_few_characters() {
    let open = |id: &str| json!({"externalSessionId": id});
    for id in ["a", "A-b_9", &"x".repeat(128)] {
        accepted("slate.open", open(id));
    }
    for id in ["../x", "a b", "a/b", "a\0b", "é", "a.b", "a\n", "\u{202e}a"] {
        let message = refused("slate.open", open(id));
        assert!(
            message.contains("may hold A-Z a-z 0-9 _ - only"),
            "{message}"
        );
    }
    assert_eq!(
        refused("slate.open", open("")),
        "'externalSessionId' must not be blank"
    );
    assert!(
        refused("slate.open", open(&"x".repeat(129))).contains("128-character limit (got 129:")
    );
}

#[test]
fn xsl_07_an_unknown_kind_refuses_the_whole_call() {
    let message = refused(
        "slate.writeSeed",
        with("slate.writeSeed", "kind", json!("idea")),
    );
    assert_eq!(
        message,
        "'kind' must be one of decision, wiki-update, memory-entry, follow-up, contract-change, risk (got \"idea\")"
    );
}

#[test]
fn xsl_08_a_blank_text_is_refused() {
    for blank in ["", " ", "\n\t\u{a0}\u{3000}\u{feff}"] {
        let message = refused(
            "slate.writeSeed",
            with("slate.writeSeed", "text", json!(blank)),
        );
        assert_eq!(message, "'text' must not be blank");
    }
}

#[test]
fn xsl_03_origin_and_trust_of_a_caller_are_dropped_before_the_check() {
    for tool in ["slate.open", "slate.writeSeed", "slate.close"] {
        let mut forged = fitting(tool);
        forged["origin"] = json!({"harness": "taffrail"});
        forged["trust"] = json!("operator");
        assert_eq!(accepted(tool, forged), accepted(tool, fitting(tool)));
    }
    // The twin: nothing is dropped anywhere else.
    let message = refused(
        "memory_propose",
        with("memory_propose", "trust", json!("x")),
    );
    assert!(message.contains("'trust' is no argument"), "{message}");
}

#[test]
fn xsl_03_numbers_have_bounds_and_a_whole_one_may_have_a_fraction_of_nothing() {
    let limit = |value: Value| json!({"query": "q", "limit": value});
    assert!(accepted("memory_recall", limit(json!(5.0))).contains("Some(5)"));
    for (value, shown) in [
        (json!(0), "0"),
        (json!(21), "21"),
        (json!(-3), "-3"),
        (json!(1e300), "1e300"),
        (json!(1e300), "1e+300"),
    ] {
        let message = refused("memory_recall", limit(value));
        assert!(
            message.starts_with("'limit' must be 1 to 20 (got "),
            "{message} {shown}"
        );
    }
    assert_eq!(
        refused("memory_recall", limit(json!(1.5))),
        "'limit' must be a whole number (got 1.5)"
    );
    let line = refused("read_file", json!({"path": "a", "line": 0}));
    assert_eq!(line, "'line' must be at least 1 (got 0)");
}

#[test]
fn xsl_03_what_is_given_back_is_redacted_clipped_and_escaped() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let message = refused(
        "slate.writeSeed",
        with("slate.writeSeed", "kind", json!(secret)),
    );
    assert!(!message.contains("a1B2c3D4"), "{message}");

    // A secret that begins within the clip and ends outside of it.
    let across = format!("{} {secret} {}", "x ".repeat(30), "y ".repeat(2_000));
    let message = refused(
        "slate.writeSeed",
        with("slate.writeSeed", "text", json!(across)),
    );
    assert!(!message.contains("a1B2c3"), "{message}");

    let hostile = "\u{1b}[2J\u{202e}\r\nkind";
    let message = refused(
        "slate.writeSeed",
        with("slate.writeSeed", "kind", json!(hostile)),
    );
    assert!(
        message
            .chars()
            .all(|at| !at.is_control() && at != '\u{202e}'),
        "{message:?}"
    );

    // An unknown key is the caller's text, too.
    let message = refused("slate.close", json!({"externalSessionId": "a", secret: 1}));
    assert!(!message.contains("a1B2c3D4"), "{message}");
    let long = "k".repeat(5_000);
    assert!(refused("slate.close", json!({"externalSessionId": "a", long: 1})).len() < 300);
}

#[test]
fn xsl_05_the_limits_are_the_slates_own() {
    use taffrail_slate::external as slate;
    let open = &crate::catalog::named("slate.open")
        .unwrap()
        .info(Names::Dotted)
        .input_schema["properties"];
    let seed = &crate::catalog::named("slate.writeSeed")
        .unwrap()
        .info(Names::Dotted)
        .input_schema["properties"];
    for (schema, limit) in [
        (&open["externalSessionId"]["maxLength"], slate::ID_LIMIT),
        (
            &open["anchors"]["properties"]["root"]["maxLength"],
            slate::ROOT_LIMIT,
        ),
        (
            &open["anchors"]["properties"]["touched"]["maxItems"],
            slate::TOUCHED_LIMIT,
        ),
        (
            &open["anchors"]["properties"]["touched"]["items"]["maxLength"],
            slate::TOUCHED_ITEM_LIMIT,
        ),
        (
            &open["anchors"]["properties"]["note"]["maxLength"],
            slate::NOTE_LIMIT,
        ),
        (&seed["text"]["maxLength"], slate::TEXT_LIMIT),
        (&seed["idempotencyKey"]["maxLength"], slate::KEY_LIMIT),
    ] {
        assert_eq!(schema, &json!(limit));
    }
}
