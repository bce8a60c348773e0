//! `docs/mcp.md` fits the server: its table of tools is what the server lists, and its table of conformance is what the
//! second suite runs (`UPDATE_DOCS=1` writes both).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test compares a file of this repository with what is generated

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::http::HttpServer;
use common::mcp::Server;
use common::{committed, world};
use serde_json::{Value, json};

#[test]
fn mcp_01_docs_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp.md");
    let found = std::fs::read_to_string(&path).unwrap();
    let tables = [("tools", tools()), ("conformance", conformance())];
    let wanted = tables.iter().fold(found.clone(), |page, (name, table)| {
        with(&page, name, table)
    });
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
        return;
    }
    assert!(found == wanted, "docs/mcp.md is not current: UPDATE_DOCS=1");
}

/// The page with another table between two marks.
#[track_caller]
fn with(page: &str, name: &str, table: &str) -> String {
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&begin).expect("the mark before the table");
    let (_, after) = rest.split_once(&end).expect("the mark behind the table");
    format!("{before}{begin}{table}{end}{after}")
}

fn tools() -> String {
    let world = world();
    let repo = committed(&world);
    let all = Server::start(&world, repo.root()).tools();
    let reading = Server::start_with(&world, repo.root(), &["--read-only"]).tools();
    let reading = names(&reading);
    let server = HttpServer::start(&world, repo.root());
    let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    let listed = server.request("POST /mcp", &server.session(), &ask.to_string());
    let listed = listed.message();
    let over_http = names(listed["result"]["tools"].as_array().unwrap());
    let mut table = String::from(
        "| tool | what it is for | arguments | `--read-only` | `--http` |\n|---|---|---|---|---|\n",
    );
    let said = |is: bool| if is { "yes" } else { "no" };
    for tool in &all {
        let name = tool["name"].as_str().unwrap();
        let row = format!(
            "| `{name}` | {} | {} | {} | {} |\n",
            tool["title"].as_str().unwrap(),
            arguments(&tool["inputSchema"]),
            said(reading.contains(name)),
            said(over_http.contains(name)),
        );
        table.push_str(&row);
    }
    table
}

fn names(tools: &[Value]) -> BTreeSet<String> {
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

/// The arguments of a schema; what may be left out has a question mark.
fn arguments(schema: &Value) -> String {
    let none = Vec::new();
    let required = schema["required"].as_array().unwrap_or(&none);
    let properties = schema["properties"].as_object();
    let names = properties
        .into_iter()
        .flat_map(|properties| properties.keys());
    let shown: Vec<String> = names
        .map(|name| {
            let may = if required.contains(&json!(name)) {
                ""
            } else {
                "?"
            };
            format!("`{name}{may}`")
        })
        .collect();
    shown.join(" ")
}

fn conformance() -> String {
    let mut table = String::from("| scenario | |\n|---|---|\n");
    for line in include_str!("mcp_conformance.txt").lines() {
        let Some((word, rest)) = line.split_once(' ').filter(|(word, _)| *word != "#") else {
            continue;
        };
        let (name, why) = rest.split_once(": ").unwrap_or((rest, ""));
        let why = match word {
            "run" => "passes".to_owned(),
            _ => format!("left out: {why}"),
        };
        table.push_str(&format!("| `{name}` | {why} |\n"));
    }
    table
}
