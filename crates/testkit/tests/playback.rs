//! A recorded conversation played by the fake agent to a client that is not the one of the record.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod client;

use client::Client;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// What an agent and its recorder wrote: sign-in, a read, a question, noise on both outputs.
const RECORD: &str = r#"{"t":0,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
{"t":1,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}}
{"t":1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"key"}}}
{"t":1,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{"signed":true}}}
{"t":2,"dir":"c2a","msg":{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/old/wt","mcpServers":[]}}}
{"t":2,"dir":"stderr","msg":"a word"}
{"t":2,"dir":"a2c-raw","msg":"not a frame"}
{"t":2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-9"}}}
{"t":3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s-9"}}}
{"t":3,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"r","method":"fs/read_text_file","params":{"sessionId":"s-9","path":"/old/wt/a"}}}
{"t":3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"r","error":{"code":-32002,"message":"Resource not found"}}}
{"t":3,"dir":"note","msg":"the recorder's remark"}
{"t":4,"dir":"c2a","msg":{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-9"}}}
{"t":4,"dir":"a2c","msg":{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}}
{"t":5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":4,"method":"session/list","params":{}}}
{"t":5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":4,"result":{"sessions":[]}}}
"#;

fn playing(record: &str) -> (Client, NamedTempFile) {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), record).unwrap();
    let path = file.path().display().to_string();
    (Client::spawn(&["playback", &path]), file)
}

fn begin(client: &mut Client) -> Value {
    client.request(10, "initialize", &json!({}));
    assert_eq!(
        client.message(),
        json!({"jsonrpc": "2.0", "id": 10, "result": {"protocolVersion": 1}})
    );
    client.request(
        11,
        "session/new",
        &json!({"cwd": "/new/place", "mcpServers": []}),
    );
    assert_eq!(client.line(), b"not a frame\n");
    client.message()
}

#[test]
fn ids_and_the_folder_are_the_clients_and_what_it_leaves_out_is_left_out() {
    let (mut client, _file) = playing(RECORD);
    assert_eq!(begin(&mut client)["result"]["sessionId"], "s-9");
    client.request(12, "session/prompt", &json!({"sessionId": "s-9"}));
    let read = client.message();
    assert_eq!(read["params"]["path"], "/new/place/a");
    client.send(&json!({"jsonrpc": "2.0", "id": "r", "result": {"content": ""}}));
    let end = client.message();
    assert_eq!(
        end,
        json!({"jsonrpc": "2.0", "id": 12, "result": {"stopReason": "cancelled"}})
    );
    // Another turn, of which the record knows nothing.
    client.request(13, "session/prompt", &json!({"sessionId": "s-9"}));
    let end = client.message();
    assert_eq!(
        (&end["id"], &end["result"]["stopReason"]),
        (&json!(13), &json!("end_turn"))
    );
    assert_eq!(client.end(), (0, "a word\n".to_owned()));
}

#[test]
fn what_only_the_client_sends_is_answered() {
    let (mut client, _file) = playing(RECORD);
    begin(&mut client);
    client.request(20, "session/set_mode", &json!({}));
    assert_eq!(
        client.message(),
        json!({"jsonrpc": "2.0", "id": 20, "result": {}})
    );
    client.request(21, "x/y", &json!({}));
    assert_eq!(client.message()["error"]["code"], -32601);
    client.request(12, "session/prompt", &json!({"sessionId": "s-9"}));
    assert_eq!(client.message()["method"], "fs/read_text_file");
}

#[test]
fn a_recorded_sign_in_is_played_to_a_client_that_signs_in() {
    let (mut client, _file) = playing(RECORD);
    client.request(10, "initialize", &json!({}));
    client.message();
    client.request(11, "authenticate", &json!({"methodId": "key"}));
    assert_eq!(client.message()["result"], json!({"signed": true}));
}

#[test]
fn our_own_record_keeps_frames_as_text() {
    let line = json!({"t": 0, "dir": "a2c", "msg": "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"});
    let (mut client, _file) = playing(&line.to_string());
    assert_eq!(client.message(), json!({"jsonrpc": "2.0", "method": "x"}));
}

#[test]
fn what_is_no_record_is_said() {
    let (client, _file) = playing("{\"dir\":\"a2c\"}\n");
    assert_eq!(
        client.end(),
        (98, "fake-agent: no record at line 1\n".to_owned())
    );
}
