//! Raw lines in, raw lines out: what a program that is no friend of ours may send.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_domain::Transport;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio_util::sync::CancellationToken;

use super::{Fake, STDIO, about, fitting};
use crate::Offer;
use crate::lines::LINE_LIMIT;
use crate::stdio::{runtime, serve_streams, server};

const LIMIT: Duration = Duration::from_secs(60);

/// Everything that the server writes when this is all that it reads.
pub(crate) fn talk(host: &Arc<Fake>, offer: &Offer, input: Vec<u8>) -> Vec<Value> {
    let bytes = runtime().unwrap().block_on(async {
        let server = server(host.clone(), *offer, &about()).unwrap();
        let (mut ours, theirs) = tokio::io::duplex(64 * 1024);
        let stop = CancellationToken::new();
        let serving = tokio::spawn(serve_streams(
            server,
            std::io::Cursor::new(input),
            theirs,
            stop,
        ));
        let mut bytes = Vec::new();
        let read = ours.read_to_end(&mut bytes);
        tokio::time::timeout(LIMIT, read).await.unwrap().unwrap();
        tokio::time::timeout(LIMIT, serving).await.unwrap().unwrap();
        bytes
    });
    let text = String::from_utf8(bytes).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn lines(messages: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        bytes.extend_from_slice(message.to_string().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

pub(crate) fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"}}})
}

pub(crate) fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {"name": tool}});
    message["params"]["arguments"] = arguments;
    message
}

/// The answer to a request, by its id.
pub(crate) fn answer_to<'a>(answers: &'a [Value], id: &Value) -> &'a Value {
    answers
        .iter()
        .find(|answer| &answer["id"] == id)
        .unwrap_or_else(|| panic!("no answer to {id} in {answers:?}"))
}

fn greeted(messages: &[Value]) -> Vec<Value> {
    let mut all = vec![initialize("2025-11-25"), initialized()];
    all.extend_from_slice(messages);
    all
}

fn says(host: &Arc<Fake>, messages: &[Value]) -> Vec<Value> {
    talk(host, &STDIO, lines(&greeted(messages)))
}

#[test]
fn mcp_01_every_version_with_a_handshake_is_spoken() {
    let host = Arc::new(Fake::default());
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let listing = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let messages = [initialize(version), initialized(), listing];
        let answers = talk(&host, &STDIO, lines(&messages));
        let greeting = &answer_to(&answers, &json!("init"))["result"];
        assert_eq!(greeting["protocolVersion"], version);
        assert_eq!(
            greeting["serverInfo"],
            json!({"name": "taffrail", "version": "1.2.3"})
        );
        let tools = answer_to(&answers, &json!(1))["result"]["tools"]
            .as_array()
            .unwrap();
        assert_eq!(tools.len(), 13, "{version}");
    }
    for version in ["2099-01-01", "2026-07-28", "nonsense"] {
        let answers = talk(&host, &STDIO, lines(&[initialize(version)]));
        assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn mcp_01_the_version_without_a_handshake_is_spoken() {
    let host = Arc::new(Fake::default());
    let mut message = call(1, "slate.writeSeed", fitting("slate.writeSeed"));
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "stateless", "version": "2"},
    });
    let answers = talk(&host, &STDIO, lines(&[message]));
    assert_eq!(
        answers[0]["result"]["structuredContent"]["text"], "a seed",
        "{answers:?}"
    );
    let client = host.seen()[0].caller.client.clone().unwrap();
    assert_eq!((&*client.name, &*client.version), ("stateless", "2"));
}

#[test]
fn mcp_01_a_call_before_the_handshake_is_refused_and_a_handshake_still_comes() {
    let host = Arc::new(Fake::default());
    let early = call(1, "slate.close", fitting("slate.close"));
    let late = call(2, "slate.close", fitting("slate.close"));
    let messages = [early, initialize("2025-06-18"), initialized(), late];
    let answers = talk(&host, &STDIO, lines(&messages));
    assert_eq!(answer_to(&answers, &json!(1))["error"]["code"], -32602);
    assert_eq!(answer_to(&answers, &json!(2))["result"]["isError"], false);
    assert_eq!(host.seen().len(), 1);
}

#[test]
fn mcp_01_a_success_is_structured_and_the_same_as_text() {
    let host = Arc::new(Fake::default());
    let answers = says(
        &host,
        &[call(1, "slate.close", json!({"externalSessionId": "a"}))],
    );
    let result = &answer_to(&answers, &json!(1))["result"];
    let value = json!({"externalSessionId": "a", "closed": true, "generation": 1,
        "proposals": [], "unbound": false});
    assert_eq!(result["structuredContent"], value);
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("{\n  \""), "{text}");
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
}

#[test]
fn xsl_07_the_caller_is_what_initialize_said() {
    let host = Arc::new(Fake::default());
    says(&host, &[call(1, "slate.close", fitting("slate.close"))]);
    let caller = host.seen()[0].caller.clone();
    assert_eq!(caller.transport, Transport::Stdio);
    let client = caller.client.unwrap();
    assert_eq!((&*client.name, &*client.version), ("raw", "0"));
}

#[test]
fn mcp_01_arguments_that_are_no_object_are_a_result_that_a_model_can_read() {
    let host = Arc::new(Fake::default());
    for wrong in [json!("text"), json!(1), json!([1]), json!(true)] {
        let answers = says(&host, &[call(1, "slate.close", wrong)]);
        let result = &answer_to(&answers, &json!(1))["result"];
        assert_eq!(result["isError"], true, "{answers:?}");
        assert_eq!(
            result["content"][0]["text"],
            "slate.close: 'arguments' must be an object"
        );
        assert_eq!(result["_meta"]["taffrail/code"], "tool_argument");
    }
    for params in [json!({}), json!({"name": 1}), json!(null)] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answers = says(&host, &[message]);
        let result = &answer_to(&answers, &json!(1))["result"];
        assert_eq!(
            result["content"][0]["text"],
            "tools/call: 'name' must be a string"
        );
    }
    let mut odd = call(1, "slate.close", json!({}));
    odd["params"]["requestState"] = json!(5);
    let answers = says(&host, &[odd]);
    let text = &answer_to(&answers, &json!(1))["result"]["content"][0]["text"];
    assert!(text.as_str().unwrap().contains("beside 'name'"), "{text}");
    let unknown = says(&host, &[call(1, "no-such", json!("x"))]);
    assert_eq!(answer_to(&unknown, &json!(1))["error"]["code"], -32602);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []});
    let answers = says(&host, &[list]);
    assert_eq!(answer_to(&answers, &json!(1))["error"]["code"], -32600);
    assert_eq!(host.seen(), []);
}

#[test]
fn mcp_01_no_arguments_at_all_are_an_empty_object() {
    let host = Arc::new(Fake::default());
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "notebook_read"}});
    let null = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "notebook_read", "arguments": null}});
    let answers = says(&host, &[bare, null]);
    for id in [1, 2] {
        assert_eq!(answer_to(&answers, &json!(id))["result"]["isError"], false);
    }
}

#[test]
fn mcp_01_unknown_tools_and_methods_are_errors_of_the_protocol() {
    let host = Arc::new(Fake::default());
    let unknown = json!({"jsonrpc": "2.0", "id": 2, "method": "slates/list"});
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    let answers = says(&host, &[call(1, "no\u{1b}such", json!({})), unknown, ping]);
    let error = &answer_to(&answers, &json!(1))["error"];
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "unknown tool 'no\\x1bsuch'");
    assert_eq!(answer_to(&answers, &json!(2))["error"]["code"], -32601);
    assert_eq!(answer_to(&answers, &json!(3))["result"], json!({}));
}

#[test]
fn mcp_01_what_is_not_offered_is_nothing_and_not_an_error() {
    let host = Arc::new(Fake::default());
    for (method, params, nothing) in [
        ("resources/list", json!({}), json!({"resources": []})),
        (
            "resources/templates/list",
            json!({}),
            json!({"resourceTemplates": []}),
        ),
        ("prompts/list", json!({}), json!({"prompts": []})),
        ("logging/setLevel", json!({"level": "info"}), json!({})),
    ] {
        let asks = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answers = says(&host, &[asks]);
        assert_eq!(
            answer_to(&answers, &json!(1))["result"],
            nothing,
            "{method}"
        );
        let greeting = &answer_to(&answers, &json!("init"))["result"];
        assert_eq!(
            greeting["capabilities"],
            json!({"tools": {}}),
            "{method} is advertised"
        );
    }
}

#[test]
fn mcp_01_nonsense_is_answered_and_the_connection_goes_on() {
    let host = Arc::new(Fake::default());
    let last = call(9, "slate.close", fitting("slate.close"));
    for (nonsense, code, id) in [
        (&b"not json"[..], -32700, json!(null)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 5,", -32700, json!(null)),
        (b"\xff\xfe\x00", -32700, json!(null)),
        (b"[]", -32600, json!(null)),
        (b"42", -32600, json!(null)),
        (b"{\"id\": 7}", -32600, json!(7)),
        (
            b"{\"jsonrpc\": \"1.0\", \"id\": \"x\", \"method\": \"ping\"}",
            -32600,
            json!("x"),
        ),
    ] {
        let mut input = lines(&greeted(&[]));
        input.extend_from_slice(nonsense);
        input.push(b'\n');
        input.extend_from_slice(&lines(std::slice::from_ref(&last)));
        let answers = talk(&host, &STDIO, input);
        let error = answers.iter().find(|answer| answer.get("error").is_some());
        let error = error.unwrap_or_else(|| panic!("{nonsense:?}: {answers:?}"));
        assert_eq!(
            (&error["error"]["code"], &error["id"]),
            (&json!(code), &id),
            "{nonsense:?}"
        );
        assert_eq!(answer_to(&answers, &json!(9))["result"]["isError"], false);
    }
}

#[test]
fn mcp_01_what_needs_no_answer_gets_none() {
    let host = Arc::new(Fake::default());
    let answers = says(
        &host,
        &[
            json!({"jsonrpc": "2.0", "method": "notifications/of/something"}),
            json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}),
            json!({"jsonrpc": "2.0", "id": 77, "result": {"nobody": "asked"}}),
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "yours"}}),
        ],
    );
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[test]
fn mcp_01_a_line_that_is_too_long_is_skipped_and_answered() {
    let host = Arc::new(Fake::default());
    let mut input = lines(&greeted(&[]));
    input.extend(std::iter::repeat_n(b'x', LINE_LIMIT + 2));
    input.push(b'\n');
    input.extend_from_slice(&lines(&[call(9, "slate.close", fitting("slate.close"))]));
    let answers = talk(&host, &STDIO, input);
    let error = &answer_to(&answers, &Value::Null)["error"];
    assert_eq!(
        error["message"],
        "the message exceeds the 4194304-byte limit"
    );
    assert_eq!(answer_to(&answers, &json!(9))["result"]["isError"], false);

    // The twin: one at the limit is taken.
    let mut padded = call(9, "slate.close", fitting("slate.close")).to_string();
    padded.push_str(&" ".repeat(LINE_LIMIT - padded.len()));
    let mut input = lines(&greeted(&[]));
    input.extend_from_slice(padded.as_bytes());
    input.push(b'\n');
    let answers = talk(&host, &STDIO, input);
    assert_eq!(answers.len(), 2, "{answers:?}");
}

#[test]
fn mcp_01_what_was_accepted_before_the_end_is_answered() {
    let host = Arc::new(Fake::default());
    let calls: Vec<_> = (0..100)
        .map(|id| call(id, "slate.close", fitting("slate.close")))
        .collect();
    let mut input = lines(&greeted(&calls));
    // The last line lacks its newline.
    assert_eq!(input.pop(), Some(b'\n'));
    let answers = talk(&host, &STDIO, input);
    assert_eq!(answers.len(), 101);
    assert_eq!(host.seen().len(), 100);
}

#[test]
fn mcp_01_an_end_before_the_greeting_is_an_end() {
    let host = Arc::new(Fake::default());
    assert_eq!(talk(&host, &STDIO, Vec::new()), Vec::<Value>::new());
    assert_eq!(talk(&host, &STDIO, b"\n\n".to_vec()), Vec::<Value>::new());
}

#[test]
fn mcp_01_a_client_that_reads_no_more_ends_the_connection() {
    let host = Arc::new(Fake::default());
    runtime().unwrap().block_on(async {
        let server = server(host, STDIO, &about()).unwrap();
        let (mut input, read) = tokio::io::duplex(64 * 1024);
        let (output, write) = tokio::io::duplex(64 * 1024);
        drop(output);
        let serving = tokio::spawn(serve_streams(server, read, write, CancellationToken::new()));
        // The input stays open: only the broken output can end it.
        input.write_all(&lines(&greeted(&[]))).await.unwrap();
        tokio::time::timeout(LIMIT, serving).await.unwrap().unwrap();
    });
}

/// A client in the same runtime, message by message.
pub(crate) struct Talk {
    write: DuplexStream,
    read: BufReader<DuplexStream>,
}

impl Talk {
    pub(crate) async fn greeted(host: Arc<Fake>) -> Self {
        let server = server(host, STDIO, &about()).unwrap();
        let (write, read) = tokio::io::duplex(64 * 1024);
        let (output, theirs) = tokio::io::duplex(64 * 1024);
        drop(tokio::spawn(serve_streams(
            server,
            read,
            theirs,
            CancellationToken::new(),
        )));
        let mut talk = Self {
            write,
            read: BufReader::new(output),
        };
        talk.say(&initialize("2025-11-25")).await;
        talk.hear().await;
        talk.say(&initialized()).await;
        talk
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        let line = lines(std::slice::from_ref(message));
        self.write.write_all(&line).await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let read = self.read.read_line(&mut line);
        tokio::time::timeout(LIMIT, read).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }
}
