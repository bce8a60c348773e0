//! Recorded conversations played through the real binary (FA-28, FA-46's beginning). Those of real agents are played on
//! demand: `just play-transcripts FOLDER`; here is one of our own making, so that the way there is tested.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims
#![allow(clippy::print_stdout)] // figures and tables are for whoever asked for them

mod common;
mod external;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use external::{DONE, Over, case_of};
use serde_json::Value;
use taffrail_testkit::FakeAgent;

const RECORD: &str = r#"{"t":0,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
{"t":1,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}}
{"t":2,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/old/wt","mcpServers":[]}}}
{"t":2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-9"}}}
{"t":3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-9"}}}
{"t":3,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"r","method":"session/request_permission","params":{"sessionId":"s-9","toolCall":{"toolCallId":"t","kind":"read","title":"look","locations":[{"path":"/old/wt/README.md"}]},"options":[{"optionId":"y","kind":"allow_once","name":"y"}]}}}
{"t":3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"r","result":{"outcome":{"outcome":"selected","optionId":"y"}}}}
{"t":4,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-9","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"status\":\"DONE\",\"summary\":\"played\"}"}}}}}
{"t":4,"dir":"a2c","msg":{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}}
"#;

#[test]
fn fa_46_a_record_played_again_comes_to_the_same_decisions() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), RECORD).unwrap();
    let first = case_of(FakeAgent::playback(file.path())).ends(DONE);
    assert_eq!(first.events_of("decision")[0]["verdict"], "allowed");
    // Our own record is one that can be played, too.
    let again = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(again.path(), first.record("frames.jsonl")).unwrap();
    let second = case_of(FakeAgent::playback(again.path())).ends(DONE);
    assert_eq!(decisions(&first), decisions(&second));
}

fn decisions(over: &Over) -> Vec<String> {
    let events = over.events_of("decision");
    events
        .iter()
        .map(|event| {
            let word = |key: &str| event[key].as_str().unwrap_or("-").to_owned();
            format!("{}:{}/{}", word("risk"), word("verdict"), word("ground"))
        })
        .collect()
}

/// Every record below the folder that `TAFFRAIL_TRANSCRIPTS` names, as a table. A record fails if its run hangs, crashes,
/// leaves something, or ends in another way than its own last answer says.
#[test]
#[ignore = "on demand: just play-transcripts FOLDER"]
fn fa_28_every_record_of_a_folder() {
    let folder =
        std::env::var_os("TAFFRAIL_TRANSCRIPTS").expect("TAFFRAIL_TRANSCRIPTS names a folder");
    let records = records_below(Path::new(&folder));
    assert!(
        !records.is_empty(),
        "no record below {}",
        Path::new(&folder).display()
    );
    let next = AtomicUsize::new(0);
    let mut rows: Vec<(bool, String)> = std::thread::scope(|scope| {
        let play = || {
            let mut rows = Vec::new();
            while let Some(record) = records.get(next.fetch_add(1, Ordering::Relaxed)) {
                rows.push(row(Path::new(&folder), record));
            }
            rows
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(play)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a row"))
            .collect()
    });
    rows.sort_by(|one, other| one.1.cmp(&other.1));
    for (fits, row) in &rows {
        println!("{} {row}", if *fits { "ok " } else { "ODD" });
    }
    let odd = rows.iter().filter(|(fits, _)| !fits).count();
    println!("{} records, {odd} odd", rows.len());
    assert_eq!(odd, 0);
}

/// One record, played: whether it ended as it should, and how.
fn row(folder: &Path, record: &Path) -> (bool, String) {
    let over = case_of(FakeAgent::playback(record))
        .flag("--timeout=4s")
        .run();
    let result = over.result();
    let ended = result["reason"].as_str().unwrap_or("-");
    let name = record
        .strip_prefix(folder)
        .unwrap_or(record)
        .display()
        .to_string();
    let row = format!(
        "{name:<52} {:<3} {:<10} {ended:<16} {}",
        over.ran.code,
        result["status"].as_str().unwrap_or("-"),
        decisions(&over).join(" ")
    );
    (expected(record).contains(&ended), row)
}

fn records_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        let entries =
            std::fs::read_dir(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "jsonl") && is_acp(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A conversation; the records of line streams have no client in them.
fn is_acp(path: &Path) -> bool {
    lines_of(path).iter().any(|line| line["dir"] == "c2a")
}

fn lines_of(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// How a run may end, by the answer to the first prompt of the record. No record holds a result document. What waits for
/// an answer to a question that the record's client gave later, or never, ends by the run's limit.
fn expected(path: &Path) -> Vec<&'static str> {
    let lines = lines_of(path);
    let request = |method: &str| {
        let line = lines
            .iter()
            .find(|line| line["dir"] == "c2a" && line["msg"]["method"] == method);
        line.map(|line| line["msg"]["id"].clone())
    };
    let answer = |id: &Value| {
        lines
            .iter()
            .map(|line| (&line["dir"], &line["msg"]))
            .find(|(dir, msg)| **dir == "a2c" && msg.get("method").is_none() && msg["id"] == *id)
            .map(|(_, msg)| msg.clone())
    };
    let first = request("initialize").and_then(|id| answer(&id));
    if first.is_some_and(|msg| msg["result"]["protocolVersion"] != 1) {
        return vec!["protocol_version"];
    }
    let last = request("session/prompt").or_else(|| request("session/new"));
    let last = last.or_else(|| request("initialize")).unwrap_or_default();
    match answer(&last) {
        None => vec!["timeout"],
        Some(msg) if [-32000, 401, 403].contains(&msg["error"]["code"].as_i64().unwrap_or(0)) => {
            vec!["sign_in"]
        }
        Some(msg) if msg["error"].is_object() => vec!["agent_error"],
        Some(msg) if msg["result"]["stopReason"] == "cancelled" => vec!["agent_cancelled"],
        // One more turn is asked for; the record may hold one that ends in its own way.
        Some(_) => vec![
            "invalid_result",
            "timeout",
            "agent_error",
            "agent_cancelled",
        ],
    }
}
