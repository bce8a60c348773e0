//! What a tool call is about, from the shapes that real agents send (FA-22).

#![allow(clippy::unwrap_used, clippy::too_many_lines)] // A test fails by a panic, and its table is one.
#![allow(clippy::disallowed_methods)] // Measures how long gathering takes.

use serde_json::{Value, json};
use taffrail_acp::v1::{command, diffs, hosts, paths, raw_input};

fn of_raw(raw: &Value) -> Vec<String> {
    paths(&json!(null), &raw_input(raw), &json!(null)).unwrap()
}

#[test]
fn fa_22_every_path_of_a_raw_input_is_found() {
    for (raw, wanted) in [
        // The names that agents use.
        (json!({"file_path": "/w/a"}), vec!["/w/a"]),
        (json!({"filepath": "/w/a"}), vec!["/w/a"]),
        (json!({"filePath": "a"}), vec!["a"]),
        (json!({"fileName": "a"}), vec!["a"]),
        (json!({"path": "Makefile"}), vec!["Makefile"]),
        (json!({"abs_path": "/w/a"}), vec!["/w/a"]),
        (json!({"absolutePath": "/w/a b"}), vec!["/w/a b"]),
        (json!({"notebook_path": "x.ipynb"}), vec!["x.ipynb"]),
        (json!({"target_file": "x"}), vec!["x"]),
        (json!({"paths": ["a", "b"]}), vec!["a", "b"]),
        (json!({"source": "a", "destination": "b"}), vec!["b", "a"]),
        (json!({"old_path": "a", "new_path": "b"}), vec!["b", "a"]),
        (json!({"cwd": "sub"}), vec!["sub"]),
        (json!({"directory": ".."}), vec![".."]),
        // Any key, if it looks like a path.
        (json!({"x": "/etc/passwd"}), vec!["/etc/passwd"]),
        (json!({"x": "~/.ssh/id_rsa"}), vec!["~/.ssh/id_rsa"]),
        (json!({"x": "~"}), vec!["~"]),
        (json!({"x": "../up"}), vec!["../up"]),
        (json!({"x": "./here"}), vec!["./here"]),
        (json!({"x": "$HOME/.netrc"}), vec!["$HOME/.netrc"]),
        (json!({"x": "src/main.rs"}), vec!["src/main.rs"]),
        (json!({"x": "plain"}), vec![]),
        (json!({"x": "some words, and/or others"}), vec![]),
        // At any depth, of any form, each once.
        (
            json!({"path": {"deep": [{"value": "/w/a"}, "/w/a", 7, null, true]}}),
            vec!["/w/a"],
        ),
        (
            json!({"edits": [{"file": "a"}, {"file": "b"}]}),
            vec!["a", "b"],
        ),
        (json!({"changes": {"/w/a": {"type": "add"}}}), vec!["/w/a"]),
        (json!("/w/a"), vec!["/w/a"]),
        (json!(["/w/a"]), vec!["/w/a"]),
        (json!("{\"file_path\": \"/w/a\"}"), vec!["/w/a"]),
        (json!("{\"file_path\": \"/w/a"), vec![]),
        (json!({"uri": "file:///w/a%20b#L3"}), vec!["/w/a b"]),
        (json!({"path": "file://host/w/a"}), vec!["/w/a"]),
        (json!({"url": "https://x.example/a/b"}), vec![]),
        // The text of files is none.
        (json!({"path": "a", "content": "/etc/passwd"}), vec!["a"]),
        (
            json!({"path": "a", "old_string": "/a", "new_string": "/b"}),
            vec!["a"],
        ),
        (json!({"path": ""}), vec![]),
        (json!(null), vec![]),
        (json!(3), vec![]),
        (json!({}), vec![]),
        // Patches.
        (
            json!({"patch": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Add File: /c\n*** Delete File: d\n"}),
            vec!["a", "b", "/c", "d"],
        ),
        (
            json!({"input": "*** Begin Patch\n*** Update File: /etc/hosts\n"}),
            vec!["/etc/hosts"],
        ),
        (json!({"diff": "--- a/x\n+++ b/x\n@@"}), vec!["x"]),
        (
            json!({"diff": "--- /dev/null\n+++ b/w/x\t2026\n@@", "fileName": "/w/x"}),
            vec!["/w/x"],
        ),
    ] {
        let mut found = of_raw(&raw);
        let mut wanted = wanted;
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{raw}");
    }
}

#[test]
fn fa_22_locations_and_content_are_gathered_too() {
    let locations =
        json!([{"path": "/w/a", "line": 3}, {"path": 7}, {}, null, {"path": "file:///w/b"}]);
    let content = json!([{"type": "diff", "path": "/w/c", "oldText": null, "newText": ""},
        {"type": "content", "content": {"type": "resource_link", "uri": "file:///w/d", "name": "d"}},
        {"type": "content", "content": {"type": "resource", "resource": {"uri": "file:///w/e", "text": ""}}},
        {"type": "terminal", "terminalId": "never-created"}, 7]);
    let found = paths(&locations, &json!({"path": "/w/f"}), &content).unwrap();
    assert_eq!(found, ["/w/a", "/w/b", "/w/f", "/w/c", "/w/d", "/w/e"]);
    let odd = paths(&json!({"path": "/x"}), &json!(null), &json!("odd")).unwrap();
    assert!(odd.is_empty());
}

#[test]
fn fa_22_more_paths_than_anybody_looks_at_are_refused() {
    let many = |count: usize| json!((0..count).map(|at| format!("/w/{at}")).collect::<Vec<_>>());
    assert_eq!(of_raw(&many(1000)).len(), 1000);
    assert!(paths(&json!(null), &many(1001), &json!(null)).is_err());
    let keys: serde_json::Map<_, _> = (0..1001).map(|at| (format!("/w/{at}"), json!(1))).collect();
    assert!(paths(&json!(null), &Value::Object(keys), &json!(null)).is_err());
    let patch: String = (0..1001)
        .map(|at| format!("*** Add File: f{at}\n"))
        .collect();
    assert!(paths(&json!(null), &json!({"patch": patch}), &json!(null)).is_err());
}

#[test]
fn fa_21_what_would_be_written_is_told_with_its_path() {
    for (content, raw, wanted) in [
        (
            json!([{"type": "diff", "path": "/a", "oldText": "o", "newText": "n"}]),
            json!({}),
            vec![("/a", Some("o"), "n")],
        ),
        (
            json!([{"type": "diff", "path": "/a", "newText": "n"}, {"type": "diff", "path": "/b"}, {"type": "diff"}, 3]),
            json!({}),
            vec![("/a", None, "n")],
        ),
        (
            json!([]),
            json!({"file_path": "/a", "content": "x\n"}),
            vec![("/a", None, "x\n")],
        ),
        (
            json!([]),
            json!({"filePath": "/a", "oldString": "o", "newString": "n"}),
            vec![("/a", Some("o"), "n")],
        ),
        (
            json!([]),
            json!({"path": "/a", "file_text": "x"}),
            vec![("/a", None, "x")],
        ),
        (
            json!([]),
            json!({"file_path": "/a", "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}]}),
            vec![("/a", Some("1"), "2"), ("/a", Some("3"), "4")],
        ),
        (json!([]), json!({"path": "/a"}), vec![]),
        (json!([]), json!({"content": "x"}), vec![]),
        (
            json!([]),
            json!({"path": {"odd": 1}, "content": "x"}),
            vec![],
        ),
        (json!(null), json!(null), vec![]),
    ] {
        let found = diffs(&content, &raw);
        let found: Vec<_> = found
            .iter()
            .map(|diff| (diff.path.as_str(), diff.old.as_deref(), diff.new.as_str()))
            .collect();
        assert_eq!(found, wanted, "{content} {raw}");
    }
}

#[test]
fn fa_28_a_tool_call_that_is_made_to_be_slow_is_not() {
    let key = "k".repeat(1 << 20);
    let many: Vec<_> = (0..500_000).map(|at| json!(at.to_string())).collect();
    // Spellings of one key: each would take all of the arguments.
    let spellings = (0..100_000).map(|at| {
        let gap = "_".repeat(at % 300) + &" ".repeat(at / 300);
        (format!("com{gap}mand"), json!("x"))
    });
    let mut fields: serde_json::Map<_, _> = spellings.collect();
    fields.insert("args".into(), json!(["y".repeat(1 << 20)]));
    let edits: Vec<_> = (0..50_000)
        .map(|at| json!({"new_string": at.to_string()}))
        .collect();
    for (what, raw) in [
        ("a long key over many values", json!({&key: &many})),
        ("many commands", json!({"commands": many})),
        ("one key in many spellings", Value::Object(fields)),
        (
            "a long path over many edits",
            json!({"path": "p".repeat(2 << 20), "edits": edits}),
        ),
        (
            "schemes and no hosts",
            json!({"url": "a://".repeat(1 << 19)}),
        ),
        (
            "headers and no paths",
            json!({"diff": "+++ \n--- \n*** \n".repeat(1 << 17)}),
        ),
    ] {
        let begun = std::time::Instant::now();
        let told = command(&raw, true)
            .map(|command| command.unwrap_or_default().len())
            .unwrap_or_default();
        let diffs: usize = diffs(&json!(null), &raw)
            .iter()
            .map(|diff| diff.path.len() + diff.new.len())
            .sum();
        let paths = paths(&json!(null), &raw, &json!(null))
            .unwrap_or_default()
            .len();
        assert!(
            told + diffs < 16 << 20 && paths <= 1000 && hosts(&raw).len() <= 32,
            "{what}"
        );
        // A second is the promise; a minute leaves room for a busy machine. Quadratic work takes many.
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(60),
            "{what}: {:?}",
            begun.elapsed()
        );
    }
}
