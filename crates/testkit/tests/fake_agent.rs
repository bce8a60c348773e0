//! The language of the fake agent, command by command, against the smallest client there is.
#![allow(clippy::disallowed_methods)]

mod client;

use std::time::{Duration, Instant};

use client::Client;
use serde_json::{Value, json};

#[test]
fn a_script_opens_talks_and_ends_its_turn() {
    let mut client = Client::start("open\nsay hello\nthink hmm\ndone fine");
    client.open();
    let told = |message: &Value| message.pointer("/params/update/content/text").cloned();
    assert_eq!(told(&client.message()), Some(json!("hello")));
    let thought = client.message();
    assert_eq!(
        thought["params"]["update"]["sessionUpdate"],
        "agent_thought_chunk"
    );
    let document = told(&client.message()).unwrap();
    assert_eq!(
        document,
        "```json\n{\"status\":\"DONE\",\"summary\":\"fine\"}\n```\n"
    );
    assert_eq!(
        client.message(),
        json!({"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}})
    );
    assert_eq!(client.end(), (0, String::new()));
}

#[test]
fn a_question_takes_the_branch_of_its_answer() {
    let script = "open\nask-edit e a.txt new\non allow { say yes }\non reject { say no }\notherwise { say other }\ndone";
    for (option, said) in [("once", "yes"), ("no", "no"), ("nothing", "other")] {
        let mut client = Client::start(script);
        client.open();
        let question = client.message();
        assert_eq!(question["method"], "session/request_permission");
        assert_eq!(
            question["params"]["toolCall"]["locations"][0]["path"],
            "/tmp/a.txt"
        );
        assert_eq!(question["params"]["sessionId"], "s1");
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": outcome}));
        let told = client.message();
        assert_eq!(told["params"]["update"]["content"]["text"], said);
    }
}

#[test]
fn what_was_cancelled_and_what_failed_are_outcomes_of_their_own() {
    let mut client = Client::start(
        "open\nask q {\"toolCall\":{\"toolCallId\":\"t\"}}\non cancelled { say cancelled }\n\
         read a.txt -> r\non error { say \"${r.error.message}\" }",
    );
    client.open();
    let question = client.message();
    let answer = json!({"outcome": {"outcome": "cancelled"}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    assert_eq!(
        client.message()["params"]["update"]["content"]["text"],
        "cancelled"
    );
    let read = client.message();
    client.send(
        &json!({"jsonrpc": "2.0", "id": read["id"], "error": {"code": 1, "message": "gone"}}),
    );
    assert_eq!(
        client.message()["params"]["update"]["content"]["text"],
        "gone"
    );
}

#[test]
fn questions_wait_side_by_side_and_ids_are_the_scripts() {
    let mut client = Client::start(
        "open\nnext-id \"0\"\nask-later a {\"toolCall\":{\"toolCallId\":\"a\"}}\nnext-id -3\n\
         ask-later b {\"toolCall\":{\"toolCallId\":\"b\"},\"options\":[]}\nawait b\nawait a\ndone",
    );
    client.open();
    let (first, second) = (client.message(), client.message());
    assert_eq!((&first["id"], &second["id"]), (&json!("0"), &json!(-3)));
    assert_eq!(second["params"]["options"], json!([]));
    for id in [&first["id"], &second["id"]] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
    client.message();
    assert_eq!(client.message()["result"]["stopReason"], "end_turn");
}

#[test]
fn requests_that_a_script_does_not_expect_are_answered_out_of_courtesy() {
    let mut client = Client::start("auto x/y {\"z\":1}\nopen\nexpect-cancel\nend cancelled");
    client.open();
    client.send(&json!({"jsonrpc": "2.0", "id": 8, "method": "session/set_mode", "params": {}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "x/y", "params": {}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {}}));
    assert_eq!(
        client.message(),
        json!({"jsonrpc": "2.0", "id": 8, "result": {}})
    );
    assert_eq!(client.message()["result"], json!({"z": 1}));
    assert_eq!(client.message()["result"]["stopReason"], "cancelled");
}

#[test]
fn bytes_are_exactly_as_told() {
    let mut client = Client::start(
        "raw \"\\xff\\x00{\\n\"\nsplit 1\ncrlf on\nset sessionId s\nsay a\ncrlf off\nno-final-newline\nsay b\nexit 7",
    );
    client.close_input();
    let (code, out) = client.bytes();
    assert_eq!(code, 7);
    assert!(out.starts_with(b"\xff\0{\n{\"jsonrpc"));
    assert!(out.windows(3).any(|end| end == b"}\r\n") && out.ends_with(b"}"));
}

#[test]
fn floods_have_their_size_and_are_legal_where_they_should_be() {
    for (kind, size, legal) in [
        ("array", 1 << 20, true),
        ("nested", 1 << 20, true),
        ("string", 1 << 20, true),
        ("line", 1 << 20, false),
    ] {
        let mut client = Client::start(&format!("set sessionId s\nflood {kind} 1MiB\nexit 0"));
        client.close_input();
        let (_, out) = client.bytes();
        assert!(
            (size - 4..=size).contains(&out.len()),
            "{kind}: {}",
            out.len()
        );
        let count = |wanted: u8| out.iter().filter(|byte| **byte == wanted).count();
        let balanced = count(b'[') == count(b']') && count(b'{') == count(b'}');
        assert_eq!(out.ends_with(b"}\n") && balanced, legal, "{kind}");
    }
    let mut client = Client::start("flood stderr 100KiB\nexit 0");
    client.close_input();
    assert_eq!(client.end().1.len(), 100 << 10);
}

#[test]
fn repetition_counts_and_what_must_hold_ends_the_script() {
    let mut client =
        Client::start("set sessionId s\nrepeat 3 { say n${n} }\nmust ${n} 2\nmust ${n} 3");
    let texts: Vec<Value> = (0..3)
        .map(|_| client.message()["params"]["update"]["content"]["text"].clone())
        .collect();
    assert_eq!(texts, [json!("n0"), json!("n1"), json!("n2")]);
    assert_eq!(
        client.end(),
        (97, "fake-agent: line 4: is 2, must be 3\n".to_owned())
    );
}

#[test]
fn a_script_that_cannot_be_played_says_where() {
    let client = Client::start("open\nsing");
    assert_eq!(
        client.end(),
        (98, "fake-agent: line 2: no verb: sing\n".to_owned())
    );
    let client = Client::start("set a 1\nsay ${b}");
    assert_eq!(
        client.end(),
        (98, "fake-agent: line 2: say: no value: b\n".to_owned())
    );
}

#[test]
fn it_acts_on_its_own_disk_in_the_folder_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let script = "open\ndo write d/a.txt \"x\\x00\"\ndo append d/a.txt y\ndo symlink l d/a.txt\ndo mkdir e/f\n\
         do pipe p\ndo write gone.txt z\ndo remove gone.txt\ndo shell \"pwd; exit 3\" -> s\n\
         say \"${s.code} ${s.stdout}\"\ndone";
    let mut client = Client::start(script);
    client.open_in(folder.path());
    let told = client.message();
    let here = folder.path().canonicalize().unwrap();
    let said = format!("3 {}\n", here.display());
    assert_eq!(told["params"]["update"]["content"]["text"], said);
    assert_eq!(std::fs::read(folder.path().join("l")).unwrap(), b"x\0y");
    assert!(folder.path().join("e/f").is_dir() && folder.path().join("p").exists());
    assert!(!folder.path().join("gone.txt").exists());
}

#[test]
fn the_end_of_input_ends_it_unless_it_does_not_care() {
    let client = Client::start("hang");
    assert_eq!(client.end().0, 0);
    let mut deaf = Client::start("ignore-eof\nset sessionId s\nsay up\nhang");
    deaf.message();
    deaf.close_input();
    assert!(deaf.lives_for(Duration::from_millis(300)));
}

#[test]
fn signals_are_nothing_to_it_when_it_says_so() {
    let mut deaf = Client::start("ignore-term\nset sessionId s\nsay up\nhang");
    deaf.message();
    deaf.terminate();
    assert!(deaf.lives_for(Duration::from_millis(300)));
    let mut plain = Client::start("set sessionId s\nsay up\nhang");
    plain.message();
    plain.terminate();
    assert_eq!(plain.end().0, 128 + 15);
    let killed = Client::start("kill-self 9");
    assert_eq!(killed.end().0, 128 + 9);
}

#[test]
fn it_closes_its_output_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start("open\nclose stdout\ndo write after.txt \"${sessionId}\"\nhang");
    client.open_in(folder.path());
    let (_, out) = client.output_ended(Duration::from_secs(20));
    assert_eq!(out, b"");
    let file = folder.path().join("after.txt");
    let seen = || std::fs::read(&file).is_ok_and(|bytes| bytes == b"s1");
    assert!(taffrail_testkit::eventually(Duration::from_secs(20), seen));
    assert!(client.lives_for(Duration::from_millis(50)));
}

#[test]
fn its_grandchild_stays_and_holds_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start("open\ndaemonise\nexit 0");
    client.open_in(folder.path());
    assert!(client.exited(Duration::from_secs(20)));
    let tag = folder.path().display().to_string();
    let stays = || taffrail_testkit::processes_saying(&tag).len() == 1;
    assert!(taffrail_testkit::eventually(Duration::from_secs(20), stays));
    for pid in taffrail_testkit::processes_saying(&tag) {
        // It is seen before it has made one.
        let leads = || session_of(pid) == Some(pid);
        let leads = taffrail_testkit::eventually(Duration::from_secs(20), leads);
        assert!(leads, "no session of its own");
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}

/// From the process table, since `getsid` has no word for a session that began outside of a container.
fn session_of(pid: u32) -> Option<u32> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name: state, parent, group, session.
    let (_, facts) = line.rsplit_once(") ")?;
    facts.split(' ').nth(3)?.parse().ok()
}

#[test]
fn sleeping_takes_its_time() {
    let begun = Instant::now();
    let mut client = Client::start("set sessionId s\nsleep 200ms\nsay up");
    client.message();
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[test]
fn it_is_a_client_of_the_server_that_is_offered() {
    // The server is this very program: a script that answers three requests.
    let server = "expect initialize ; answer {\"protocolVersion\":\"2025-06-18\"}\nexpect notifications/initialized\n\
         expect tools/list ; answer {\"tools\":[{\"name\":\"t\"}]}\nexpect tools/call -> c\n\
         answer {\"got\":\"${c}\"}";
    let script = "open\nmcp start -> hello\nmcp list -> tools\nmcp call t {\"a\":1} -> called\nmcp stop\n\
         say \"${hello.result.protocolVersion} ${tools.result.tools.0.name} ${called.result.got}\"";
    let mut client = Client::start(script);
    let offer = json!([{"name": "m", "command": env!("CARGO_BIN_EXE_fake-agent"), "args": ["--inline", server], "env": []}]);
    client.open_with("/tmp", &offer);
    let said = "2025-06-18 t {\"arguments\":{\"a\":1},\"name\":\"t\"}";
    assert_eq!(
        client.message()["params"]["update"]["content"]["text"],
        said
    );
}
