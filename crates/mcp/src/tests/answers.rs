//! Every answer fits the schema that is published for it.

use std::sync::Arc;

use serde_json::{Value, json};
use taffrail_domain::ErrorCode;

use super::{Fake, STDIO, client, fitting, keys};
use crate::catalog::{TOOLS, named};
use crate::schema::check;
use crate::tools;

#[test]
fn mcp_01_every_answer_fits_its_schema_with_and_without_what_may_be_left_out() {
    for host in [Fake::default(), Fake::full()] {
        let host = Arc::new(host);
        let client = client(&host, &STDIO);
        for tool in TOOLS {
            let answer = client.call(tool.name, fitting(tool.name)).unwrap();
            let fits = check(tool.output, &mut keys(answer.clone()));
            assert_eq!(fits, Ok(()), "{}: {answer}", tool.name);
        }
    }
}

#[test]
fn mcp_01_a_full_answer_has_every_key_of_its_schema() {
    let host = Arc::new(Fake::full());
    let client = client(&host, &STDIO);
    for tool in tools(&STDIO) {
        let answer = client.call(&tool.name, fitting(&tool.name)).unwrap();
        everything_is_there(&answer, &tool.output_schema.unwrap(), &tool.name);
    }
}

fn everything_is_there(value: &Value, schema: &Value, path: &str) {
    if let Some(properties) = schema["properties"].as_object() {
        for (key, inner) in properties {
            let path = format!("{path}.{key}");
            let value = value
                .get(key)
                .unwrap_or_else(|| panic!("{path} is not there"));
            everything_is_there(value, inner, &path);
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        assert!(!values.is_empty(), "{path} has nothing in it");
        everything_is_there(&values[0], items, path);
    }
}

#[test]
fn mcp_01_a_schema_finds_an_answer_that_does_not_fit() {
    let tool = named("slate.close").unwrap();
    let mut answer = keys(
        json!({"externalSessionId": "a", "closed": true, "generation": 1,
        "proposals": [], "unbound": false, "extra": 1}),
    );
    assert!(check(tool.output, &mut answer).is_err());
    answer.remove("extra");
    assert_eq!(check(tool.output, &mut answer), Ok(()));
}

#[test]
fn mcp_01_an_answer_has_a_limit() {
    let host = Arc::new(Fake::default());
    let client = client(&host, &STDIO);
    // The fake gives the path back; only the schema's own limit keeps it small, so a seed's text stands in.
    let mut largest = fitting("slate.writeSeed");
    largest["text"] = json!("\u{1}".repeat(4_000));
    assert!(client.call("slate.writeSeed", largest).is_ok());

    let tool = named("read_file").unwrap();
    let words = crate::refusal::Words::new(Default::default());
    let fits = json!({"content": "x".repeat(1024 * 1024 - 14)});
    assert_eq!(fits.to_string().len(), tool.answer_limit);
    let answer = crate::wire::answer(tool, fits, words);
    assert_ne!(answer.is_error, Some(true));
    let over = json!({"content": "x".repeat(1024 * 1024 - 13)});
    let answer = crate::wire::answer(tool, over, words);
    assert_eq!(answer.is_error, Some(true));
    let text = answer.content[0].as_text().unwrap().text.clone();
    assert!(
        text.starts_with("read_file: the answer has 1048577 bytes, more than the limit of 1048576"),
        "{text}"
    );
    assert!(answer.meta.unwrap()["taffrail/code"] == ErrorCode::ToolArgument.row().name);
}

#[test]
fn xsl_08_a_full_slate_can_be_opened() {
    let seed = json!({"id": format!("seed-{}", "0".repeat(36)), "text": "\u{1}".repeat(4_000),
        "ts": "2026-11-30T00:00:00.000Z", "kind": "contract-change", "trust": "external-unverified",
        "origin": {"harness": "mcp-external", "client": {"name": "\u{1}".repeat(200), "version": "\u{1}".repeat(200)}}});
    let slate = json!({"externalSessionId": "x".repeat(128), "generation": 1, "seeds": vec![seed; 200],
        "anchors": {"root": "\u{1}".repeat(4_096), "touched": vec!["\u{1}".repeat(1_024); 200], "note": "\u{1}".repeat(2_000)},
        "lastWriteAt": "2026-11-30T00:00:00.000Z"});
    let words = crate::refusal::Words::new(Default::default());
    let answer = crate::wire::answer(named("slate.open").unwrap(), slate, words);
    assert_ne!(answer.is_error, Some(true));
}
