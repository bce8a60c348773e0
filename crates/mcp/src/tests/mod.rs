//! The server against a host that only remembers: over streams in memory, and over sockets.

mod answers;
mod arguments;
mod connection;
#[path = "../../tests/support/fake.rs"]
mod fake;
mod http;
mod listing;
mod long;
mod order;
mod properties;
mod refusals;
mod wire;

use std::sync::Arc;

use serde_json::{Map, Value, json};
use taffrail_domain::Transport;
use taffrail_redact::Options;

use crate::client::Client;
use crate::{About, ClientName, Host, Offer, OfferedTo};

pub(crate) use fake::Fake;

pub(crate) const STDIO: Offer = Offer {
    read_only: false,
    transport: Transport::Stdio,
    to: OfferedTo::Program,
};

pub(crate) fn about() -> About {
    About {
        version: "1.2.3".to_owned(),
        redaction: Options::default(),
    }
}

/// A client of this host, in process.
pub(crate) fn client(host: &Arc<Fake>, offer: &Offer) -> Client {
    let name = ClientName {
        name: "tester".to_owned(),
        version: "9".to_owned(),
    };
    let host: Arc<dyn Host> = host.clone();
    Client::in_process(host, offer, &about(), &name).unwrap()
}

/// Arguments that fit, one set for each tool, with everything that may be given.
pub(crate) fn fitting(tool: &str) -> Value {
    match tool {
        "slate.open" => json!({
            "externalSessionId": "task-1", "workspaceId": "wsp_1",
            "anchors": {"root": "/r", "touched": ["a.rs"], "note": "n"},
        }),
        "slate.writeSeed" => json!({
            "externalSessionId": "task-1", "text": "a seed", "kind": "risk", "idempotencyKey": "k",
        }),
        "slate.close" => json!({"externalSessionId": "task-1"}),
        "memory_recall" => json!({"query": "q", "limit": 5, "include": ["approved", "evidence"]}),
        "memory_propose" => json!({
            "type": "lesson", "content": "c", "summary": "s", "confidencePercent": 80,
            "staleAfterDays": 30,
            "sourceRefs": [{"kind": "file", "uri": "a.rs", "title": "t", "sourceTimestamp": "now"}],
        }),
        "notebook_read" | "workspace_list" => json!({}),
        "notebook_suggest" => json!({"section": "Commands", "entry": "just test"}),
        "session_search" => json!({"query": "q", "limit": 3}),
        "read_file" => json!({"path": "a.rs", "line": 1, "limit": 10}),
        "list_files" => json!({"path": "src", "glob": "*.rs", "limit": 10}),
        "search_text" => json!({
            "query": "q", "regex": true, "case_sensitive": true, "path": "src", "glob": "*.rs",
            "limit": 10,
        }),
        "taffrail_docs" => json!({"page": "p", "query": "q"}),
        other => panic!("no arguments for {other}"),
    }
}

pub(crate) fn keys(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(keys) => keys,
        other => panic!("{other} is no object"),
    }
}
