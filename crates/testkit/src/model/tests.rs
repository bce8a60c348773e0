//! The server as a client meets it: over a socket, in each wire format, with each way to fail.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;

struct Client {
    stream: BufReader<TcpStream>,
}

struct Response {
    status: u16,
    body: String,
    whole: bool,
}

impl Client {
    fn to(server: &ModelServer) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    fn post(&mut self, path: &str, body: &Value) -> Response {
        let body = body.to_string();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        self.response()
    }

    fn send(&mut self, text: &str) {
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn response(&mut self) -> Response {
        let status = self
            .line()
            .split(' ')
            .nth(1)
            .map_or(0, |code| code.parse().unwrap());
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("transfer-encoding", "chunked")) => chunked = true,
                Some(_) => {}
                None => break,
            }
        }
        let (body, whole) = if chunked {
            self.chunks()
        } else {
            self.exactly(length)
        };
        Response {
            status,
            body,
            whole,
        }
    }

    fn exactly(&mut self, length: usize) -> (String, bool) {
        let mut body = Vec::new();
        self.stream
            .by_ref()
            .take(length as u64)
            .read_to_end(&mut body)
            .unwrap();
        let whole = body.len() == length;
        (String::from_utf8(body).unwrap(), whole)
    }

    fn chunks(&mut self) -> (String, bool) {
        let mut all = String::new();
        loop {
            let Ok(size) = usize::from_str_radix(&self.line(), 16) else {
                return (all, false);
            };
            all.push_str(&self.exactly(size).0);
            self.line();
            if size == 0 {
                return (all, true);
            }
        }
    }
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

fn schema() -> Value {
    json!({"type": "object", "required": ["file_path", "content"],
        "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}}})
}

/// Path for a whole answer, path for events, first request, and the request with the first tool's answer.
struct Dialect {
    wire: Wire,
    whole: &'static str,
    events: &'static str,
    first: Value,
    second: Value,
}

fn dialects() -> [Dialect; 4] {
    [gemini(), messages(), chat(), responses()]
}

fn gemini() -> Dialect {
    let tools = json!([{"functionDeclarations": [{"name": "write_file", "parametersJsonSchema": schema()}]}]);
    let user = json!({"role": "user", "parts": [{"text": "<<script:write>> please"}]});
    let call =
        json!({"role": "model", "parts": [{"functionCall": {"name": "write_file", "args": {}}}]});
    let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "write_file", "response": {}}}]});
    Dialect {
        wire: Wire::Gemini,
        whole: "/v1beta/models/m:generateContent",
        events: "/v1beta/models/m:streamGenerateContent?alt=sse",
        first: json!({"contents": [user], "tools": tools}),
        second: json!({"contents": [user, call, result], "tools": tools}),
    }
}

fn messages() -> Dialect {
    let tools = json!([{"name": "Write", "input_schema": schema()}]);
    let user = json!({"role": "user", "content": "<<script:write>> please"});
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Write", "input": {}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]});
    Dialect {
        wire: Wire::Messages,
        whole: "/v1/messages",
        events: "/v1/messages?beta=true",
        first: json!({"messages": [user], "tools": tools}),
        second: json!({"messages": [user, call, result], "tools": tools}),
    }
}

fn chat() -> Dialect {
    let tools =
        json!([{"type": "function", "function": {"name": "write_file", "parameters": schema()}}]);
    let user =
        json!({"role": "user", "content": [{"type": "text", "text": "<<script:write>> please"}]});
    let result = json!({"role": "tool", "tool_call_id": "t", "content": "ok"});
    Dialect {
        wire: Wire::Chat,
        whole: "/v1/chat/completions",
        events: "/v1/chat/completions",
        first: json!({"messages": [user], "tools": tools}),
        second: json!({"messages": [user, result], "tools": tools}),
    }
}

fn responses() -> Dialect {
    let tools = json!([{"type": "namespace", "tools": [{"type": "function", "name": "write_file", "parameters": schema()}]}]);
    let user = json!({"role": "user", "content": [{"type": "input_text", "text": "<<script:write>> please"}]});
    let result = json!({"type": "function_call_output", "call_id": "c", "output": "ok"});
    Dialect {
        wire: Wire::Responses,
        whole: "/v1/responses",
        events: "/v1/responses",
        first: json!({"input": [user], "tools": tools}),
        second: json!({"input": [user, result], "tools": tools}),
    }
}

fn streamed(body: &Value, streams: bool) -> Value {
    let mut body = body.clone();
    body["stream"] = json!(streams);
    body
}

/// The first call's name and arguments in a whole answer.
fn call_in(wire: Wire, answer: &Value) -> (Value, Value) {
    let parsed = |text: &Value| serde_json::from_str(text.as_str().unwrap()).unwrap();
    match wire {
        Wire::Gemini => {
            let call = &answer["candidates"][0]["content"]["parts"][0]["functionCall"];
            (call["name"].clone(), call["args"].clone())
        }
        Wire::Messages => (
            answer["content"][0]["name"].clone(),
            answer["content"][0]["input"].clone(),
        ),
        Wire::Chat => {
            let call = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
            (call["name"].clone(), parsed(&call["arguments"]))
        }
        Wire::Responses => (
            answer["output"][0]["name"].clone(),
            parsed(&answer["output"][0]["arguments"]),
        ),
    }
}

/// The words that the events of an answer bring, put together.
fn words_in(wire: Wire, events: &[Value]) -> String {
    let place = match wire {
        Wire::Gemini => "/candidates/0/content/parts/0/text",
        Wire::Messages => "/delta/text",
        Wire::Chat => "/choices/0/delta/content",
        Wire::Responses => "/delta",
    };
    events
        .iter()
        .filter_map(|event| event.pointer(place)?.as_str())
        .collect()
}

#[test]
fn each_wire_format_first_calls_and_then_ends_on_one_connection() {
    let server = ModelServer::start(Scripts::built_in());
    let mut client = Client::to(&server);
    for dialect in dialects() {
        let answer = client.post(dialect.whole, &dialect.first).json();
        let (name, arguments) = call_in(dialect.wire, &answer);
        assert!(
            ["write_file", "Write"].contains(&name.as_str().unwrap()),
            "{:?}",
            dialect.wire
        );
        assert_eq!(
            arguments,
            json!({"file_path": "hello.txt", "content": "hello\nworld\n"})
        );
        let ended = client.post(dialect.events, &streamed(&dialect.second, true));
        assert!(ended.whole, "{:?}", dialect.wire);
        assert_eq!(
            words_in(dialect.wire, &ended.events()),
            "Done.",
            "{:?}",
            dialect.wire
        );
    }
    let calls = server.model_calls();
    assert_eq!(calls.len(), 8);
    assert_eq!(calls[0].tools, ["write_file"]);
    assert_eq!(calls[0].wire, Some(Wire::Gemini));
}

#[test]
fn streamed_calls_carry_the_whole_arguments() {
    let server = ModelServer::start(Scripts::built_in());
    for dialect in dialects() {
        let answer = Client::to(&server).post(dialect.events, &streamed(&dialect.first, true));
        let events = answer.events();
        let text = match dialect.wire {
            Wire::Gemini => {
                events[0]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]
                    .to_string()
            }
            Wire::Messages => events
                .iter()
                .filter_map(|e| e.pointer("/delta/partial_json")?.as_str())
                .collect(),
            Wire::Chat => events
                .iter()
                .filter_map(|e| {
                    e.pointer("/choices/0/delta/tool_calls/0/function/arguments")?
                        .as_str()
                })
                .collect(),
            Wire::Responses => events
                .iter()
                .filter_map(|e| e["arguments"].as_str())
                .collect(),
        };
        let arguments: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(arguments["content"], "hello\nworld\n", "{:?}", dialect.wire);
    }
}

fn marked(dialect: &Dialect, script: &str) -> Value {
    let text = dialect
        .first
        .to_string()
        .replace("<<script:write>>", &format!("<<script:{script}>>"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn errors_and_broken_answers_reach_the_client_in_each_wire_format() {
    let server = ModelServer::start(Scripts::built_in());
    for dialect in dialects() {
        let mut client = Client::to(&server);
        let failed = client.post(dialect.whole, &marked(&dialect, "error"));
        assert_eq!(failed.status, 500);
        assert!(failed.json()["error"]["message"].is_string());
        let broken = client.post(dialect.events, &streamed(&marked(&dialect, "drop"), true));
        assert!(!broken.whole, "{:?}", dialect.wire);
        assert_eq!(words_in(dialect.wire, &broken.events()), "Half an ans");
        let cut = Client::to(&server).post(dialect.whole, &marked(&dialect, "drop"));
        assert!(!cut.whole, "{:?}", dialect.wire);
    }
}

#[test]
fn a_silent_model_ends_with_its_server() {
    let server = ModelServer::start(Scripts::built_in());
    let mut client = Client::to(&server);
    let dialect = gemini();
    let body = marked(&dialect, "hang").to_string();
    client.send(&format!(
        "POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        dialect.whole,
        body.len()
    ));
    assert!(server.wait_for_calls(1, Duration::from_secs(20)));
    client
        .stream
        .get_ref()
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let nothing = client.stream.get_mut().read(&mut [0]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    client
        .stream
        .get_ref()
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    drop(server);
    assert_eq!(
        client.stream.get_mut().read(&mut [0]).unwrap(),
        0,
        "the connection is closed"
    );
}

#[test]
fn chunked_requests_and_expectations_are_understood() {
    let server = ModelServer::start(Scripts::built_in());
    let mut client = Client::to(&server);
    let body = gemini().first.to_string();
    let (one, two) = body.split_at(7);
    client.send("POST /v1beta/models/m:generateContent HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.line(), "HTTP/1.1 100 Continue");
    assert_eq!(client.line(), "");
    for part in [one, two] {
        client.send(&format!("{:X};extension=1\r\n{part}\r\n", part.len()));
    }
    client.send("0\r\n\r\n");
    let (name, _) = call_in(Wire::Gemini, &client.response().json());
    assert_eq!(name, "write_file");
}

#[test]
fn side_questions_have_answers_and_unknown_ones_do_not() {
    let server = ModelServer::start(Scripts::built_in());
    let mut client = Client::to(&server);
    let table = [
        (
            "/v1beta/models/m:countTokens",
            200,
            "/totalTokens",
            json!(100),
        ),
        (
            "/v1/messages/count_tokens",
            200,
            "/input_tokens",
            json!(100),
        ),
        ("/v1/models", 200, "/data/0/id", json!("scripted")),
        ("/v1beta/models/other", 200, "/id", json!("other")),
        ("/v1/elsewhere", 404, "/error/code", json!(404)),
    ];
    for (path, status, place, expect) in &table {
        let answer = client.post(path, &json!({}));
        assert_eq!(answer.status, *status, "{path}");
        assert_eq!(answer.json().pointer(place), Some(expect), "{path}");
    }
    assert!(server.model_calls().is_empty());
    assert_eq!(server.requests().len(), table.len());
}

#[test]
fn an_answer_in_json_follows_the_schema_that_is_asked_for() {
    let server = ModelServer::start(Scripts::built_in());
    let body = json!({
        "contents": [{"role": "user", "parts": [{"text": "<<script:edit>> which model?"}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {
            "type": "object", "required": ["choice"], "properties": {"choice": {"enum": ["flash", "pro"]}}}}});
    let answer = Client::to(&server).post(gemini().whole, &body).json();
    assert_eq!(
        answer["candidates"][0]["content"]["parts"][0]["text"],
        r#"{"choice":"flash"}"#
    );
}

#[test]
fn own_scripts_come_from_code_and_from_json() {
    let scripts = Scripts::built_in()
        .with(
            "mine",
            Script::new().step([Act::text("one"), Act::text(" two")]),
        )
        .with_json(r#"{"theirs": [[{"text": "from json"}, {"http_error": 429}], ["hang"]]}"#)
        .unwrap();
    assert!(Scripts::built_in().with_json("[]").is_err());
    let server = ModelServer::start(scripts);
    let dialect = chat();
    let mut client = Client::to(&server);
    let said = client.post(dialect.whole, &marked(&dialect, "mine")).json();
    assert_eq!(said["choices"][0]["message"]["content"], "one two");
    assert_eq!(
        client
            .post(dialect.whole, &marked(&dialect, "theirs"))
            .status,
        429
    );
    let unknown = client
        .post(dialect.whole, &marked(&dialect, "nobody"))
        .json();
    assert_eq!(
        unknown["choices"][0]["message"]["content"],
        "no script `nobody`"
    );
}

#[test]
fn a_step_is_left_when_all_of_its_calls_are_answered() {
    let script = Script::new()
        .step([Act::text("both"), Act::read("a"), Act::read("b")])
        .step([Act::shell("ls")])
        .step([Act::text("end")]);
    let kind = |results| script.acts_after(results).last().cloned().unwrap();
    assert_eq!(kind(0), Act::read("b"));
    assert_eq!(kind(1), Act::read("b"));
    assert_eq!(kind(2), Act::shell("ls"));
    assert_eq!(kind(3), Act::text("end"));
    assert_eq!(kind(9), Act::text("end"));
    assert_eq!(Script::new().acts_after(0), [Act::text("done")]);
    assert_eq!(
        Script::new().step([Act::shell("ls")]).acts_after(1),
        [Act::text("done")]
    );
}
