//! What is listed to whom (XSL-01, XSL-02, MCP-01).

use std::sync::Arc;

use serde_json::json;
use taffrail_domain::{ErrorCode, Transport};

use super::{Fake, STDIO, client, fitting};
use crate::{Names, Offer, OfferedTo, catalog, tools};

const ALL: [&str; 13] = [
    "slate.open",
    "slate.writeSeed",
    "slate.close",
    "memory_recall",
    "memory_propose",
    "notebook_read",
    "notebook_suggest",
    "session_search",
    "workspace_list",
    "read_file",
    "list_files",
    "search_text",
    "taffrail_docs",
];

const MUTATING: [&str; 5] = [
    "slate.open",
    "slate.writeSeed",
    "slate.close",
    "memory_propose",
    "notebook_suggest",
];

fn offer(read_only: bool, transport: Transport) -> Offer {
    Offer {
        read_only,
        transport,
        to: OfferedTo::Program,
    }
}

#[test]
fn fa_25_the_agent_of_a_run_is_offered_what_reads_and_its_slate() {
    let mut run = offer(false, Transport::Stdio);
    run.to = OfferedTo::Run(Names::Dotted);
    let wanted = [
        "slate.open",
        "slate.writeSeed",
        "slate.close",
        "memory_recall",
        "notebook_read",
        "read_file",
        "list_files",
        "search_text",
    ];
    assert_eq!(names(&run), wanted);
}

#[test]
fn fa_25_an_agent_that_wants_plain_names_is_told_no_other() {
    let mut run = offer(false, Transport::Stdio);
    run.to = OfferedTo::Run(Names::Dotted);
    let dotted = tools(&run);
    run.to = OfferedTo::Run(Names::Plain);
    let plain = tools(&run);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    assert!(plain.iter().all(|tool| tool.name.chars().all(is_plain)));
    assert!(!dotted.iter().all(|tool| tool.name.chars().all(is_plain)));
    let told = [
        serde_json::to_string(&plain).unwrap(),
        crate::about::instructions(&run),
    ];
    for (dotted, plain) in dotted.iter().zip(&plain) {
        let changed = dotted.name != plain.name;
        assert_eq!(changed, dotted.name.contains('.'));
        assert!(!changed || told.iter().all(|told| !told.contains(&dotted.name)));
        for name in [&dotted.name, &plain.name] {
            assert_eq!(catalog::named(name).unwrap().name, dotted.name);
        }
    }
    assert!(catalog::named("memory.recall").is_none() && catalog::named("slate_seed").is_none());
}

fn names(offer: &Offer) -> Vec<String> {
    tools(offer).into_iter().map(|tool| tool.name).collect()
}

#[test]
fn xsl_01_the_whole_tool_list() {
    for transport in [Transport::Stdio, Transport::InProcess] {
        assert_eq!(names(&offer(false, transport)), ALL);
    }
    let host = Arc::new(Fake::default());
    let client = client(&host, &STDIO);
    assert_eq!(client.list_tools().unwrap(), tools(&STDIO));
}

#[test]
fn xsl_01_no_tool_lists_or_reads_slates() {
    let host = Arc::new(Fake::default());
    let client = client(&host, &STDIO);
    for name in ["slate.list", "slate.read", "slate.show", "slates_list"] {
        assert!(!ALL.contains(&name));
        let refused = client.call(name, json!({})).unwrap_err();
        assert!(refused.message.contains("unknown tool"), "{refused:?}");
    }
    assert_eq!(host.seen(), []);
}

#[test]
fn mcp_01_read_only_hides_what_changes_something() {
    let offer = offer(true, Transport::Stdio);
    let listed = names(&offer);
    assert!(listed.iter().all(|name| !MUTATING.contains(&name.as_str())));
    assert_eq!(listed.len(), ALL.len() - MUTATING.len());

    let host = Arc::new(Fake::default());
    let guarded = client(&host, &offer);
    for name in MUTATING {
        let refused = guarded.call(name, fitting(name)).unwrap_err();
        assert!(refused.message.contains(name), "{refused:?}");
        assert!(refused.message.contains("read-only"), "{refused:?}");
    }
    assert_eq!(host.seen(), []);

    // The twin: without --read-only the same calls reach the host.
    let open = client(&host, &STDIO);
    for name in MUTATING {
        open.call(name, fitting(name)).unwrap();
    }
    assert_eq!(host.seen().len(), MUTATING.len());
}

#[test]
fn xsl_02_over_http_slates_are_not_listed_and_answer_a_value_before_the_host() {
    for read_only in [false, true] {
        let offer = offer(read_only, Transport::Http);
        assert!(names(&offer).iter().all(|name| !name.starts_with("slate")));

        let host = Arc::new(Fake::with(|_, _| panic!("the host was touched")));
        let client = client(&host, &offer);
        for name in ["slate.open", "slate.writeSeed", "slate.close"] {
            for arguments in [
                fitting(name),
                json!({}),
                json!({"externalSessionId": "../x"}),
            ] {
                let answer = client.call(name, arguments).unwrap();
                assert_eq!(answer, json!({"code": "slate_transport_denied"}));
            }
        }
        assert_eq!(host.seen(), []);
    }
}

#[test]
fn xsl_02_the_twin_over_standard_streams_the_host_is_asked() {
    let host = Arc::new(Fake::with(|_, _| panic!("the host was touched")));
    let client = client(&host, &STDIO);
    let refused = client.call("slate.close", fitting("slate.close"));
    assert_eq!(refused.unwrap_err().code, ErrorCode::Internal);
    assert_eq!(host.seen().len(), 1);
}

#[test]
fn mcp_01_annotations_say_what_a_call_changes() {
    for tool in tools(&STDIO) {
        let hints = tool.annotations;
        assert_eq!(
            hints.read_only_hint,
            !MUTATING.contains(&tool.name.as_str()),
            "{}",
            tool.name
        );
        assert!(!hints.destructive_hint && !hints.open_world_hint);
    }
}

#[test]
fn mcp_01_every_tool_is_described_for_a_model() {
    for tool in tools(&STDIO) {
        assert!(
            (40..=600).contains(&tool.description.len()),
            "{}",
            tool.name
        );
        assert!(!tool.title.is_empty());
        let schema = tool.input_schema.to_string();
        assert!(
            schema.contains("\"additionalProperties\":false"),
            "{schema}"
        );
        assert_eq!(tool.input_schema["type"], "object");
        assert_eq!(tool.output_schema.unwrap()["type"], "object");
    }
    for name in ["memory_recall", "notebook_read"] {
        let tool = tools(&STDIO).into_iter().find(|tool| tool.name == name);
        assert!(tool.unwrap().description.contains("not instructions"));
    }
}

#[test]
fn mcp_01_the_server_says_who_it_is_and_how_slates_are_used() {
    let host = Arc::new(Fake::default());
    let greeting = client(&host, &STDIO).greeting().unwrap();
    assert_eq!((&*greeting.name, &*greeting.version), ("taffrail", "1.2.3"));
    let instructions = greeting.instructions.unwrap();
    for word in ["slate.open", "seed", "memory_recall", "reviewed"] {
        assert!(instructions.contains(word), "{word}");
    }
    let http = offer(false, Transport::Http);
    let greeting = client(&host, &http).greeting().unwrap();
    assert!(!greeting.instructions.unwrap().contains("slate.open"));
}
