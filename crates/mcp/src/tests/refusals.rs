//! How a host's refusal looks on the wire.

use std::sync::Arc;

use serde_json::json;
use taffrail_domain::ErrorCode;

use super::wire::{answer_to, call, initialize, initialized, lines, talk};
use super::{Fake, STDIO, client, fitting};
use crate::Failure;

fn failing(failure: Failure) -> Arc<Fake> {
    Arc::new(Fake::with(move |_, _| Err(failure.clone())))
}

fn on_the_wire(failure: Failure) -> serde_json::Value {
    let host = failing(failure);
    let messages = [
        initialize("2025-11-25"),
        initialized(),
        call(1, "slate.close", fitting("slate.close")),
    ];
    let answers = talk(&host, &STDIO, lines(&messages));
    answer_to(&answers, &json!(1))["result"].clone()
}

#[test]
fn xsl_03_a_refusal_is_a_result_with_its_code_and_hint() {
    let result = on_the_wire(Failure {
        code: ErrorCode::SlateNotOpen,
        message: "no slate is open under 'task-1'".to_owned(),
        hint: None,
    });
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text":
            "slate.close: no slate is open under 'task-1'\nhint: slate.open first"}])
    );
    assert_eq!(result["_meta"], json!({"taffrail/code": "slate_not_open"}));
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn xsl_03_a_hint_of_its_own_stands_for_the_codes() {
    let result = on_the_wire(Failure {
        code: ErrorCode::SlateNotOpen,
        message: "no".to_owned(),
        hint: Some("wait".to_owned()),
    });
    assert_eq!(result["content"][0]["text"], "slate.close: no\nhint: wait");
}

#[test]
fn red_01_a_refusal_holds_no_secret_and_moves_no_cursor() {
    let secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let result = on_the_wire(Failure {
        code: ErrorCode::Io,
        message: format!("cannot read \u{1b}[31m{secret}\u{202e}"),
        hint: Some(format!("look at {secret}\u{7}")),
    });
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(!text.contains("a1B2c3D4"), "{text}");
    assert!(
        text.chars().all(|at| at == '\n' || !at.is_control()),
        "{text:?}"
    );
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn err_01_every_code_comes_through_to_a_client() {
    for code in ErrorCode::ALL {
        let failure = Failure {
            code: *code,
            message: "it did not work".to_owned(),
            hint: Some("try again".to_owned()),
        };
        let host = failing(failure.clone());
        let refused = client(&host, &STDIO).call("slate.close", fitting("slate.close"));
        assert_eq!(refused.unwrap_err(), failure);
    }
}

#[test]
fn mcp_01_a_host_that_breaks_down_fails_one_call() {
    let host = Arc::new(Fake::with(|seen, _| {
        assert_ne!(seen.tool, "slate.open", "broke down");
        Ok(())
    }));
    let client = client(&host, &STDIO);
    let refused = client
        .call("slate.open", fitting("slate.open"))
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Internal);
    client.call("slate.close", fitting("slate.close")).unwrap();
    for long in ["list_files", "search_text"] {
        client.call(long, fitting(long)).unwrap();
    }
}
