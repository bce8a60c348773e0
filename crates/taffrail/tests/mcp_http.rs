//! Promise: over HTTP nobody gets anything who was not given the token, no page of another origin and no name that was
//! made to mean this machine either, and no slate is there (MCP-01, WEB-02, XSL-02).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::net::TcpStream;

use common::http::{HttpServer, hello};
use common::{committed, world};
use rustix::process::Signal;
use serde_json::json;
use taffrail_testkit::{Hermetic, Repo};

fn scene() -> (Hermetic, Repo, HttpServer) {
    let world = world();
    let repo = committed(&world);
    let server = HttpServer::start(&world, repo.root());
    (world, repo, server)
}

/// The headers of a client with the token, one of them replaced.
fn with(server: &HttpServer, line: &str) -> Vec<String> {
    let name = line.split(':').next().unwrap();
    let other = |header: &String| !header.starts_with(&format!("{name}:"));
    let mut headers: Vec<String> = server.headers().into_iter().filter(other).collect();
    headers.push(line.to_owned());
    headers
}

#[test]
fn mcp_01_s15_without_the_token_everything_is_401_and_nothing_is_touched() {
    let (world, _repo, server) = scene();
    let before = std::fs::read_dir(world.taffrail_home()).unwrap().count();
    let good = server.token.clone();
    let bad = [
        String::new(),
        "Authorization: Bearer".to_owned(),
        "Authorization: Bearer ".to_owned(),
        format!("Authorization: Bearer {}", &good[1..]),
        format!("Authorization: Bearer {good}0"),
        format!("Authorization: Bearer {}", good.to_uppercase() + "Z"),
        format!("Authorization: Basic {good}"),
        format!("Authorization: {good}"),
        format!("X-Token: {good}"),
        format!("Cookie: token={good}"),
        format!("Authorization: Bearer {good}\r\nAuthorization: Bearer {good}"),
    ];
    for header in &bad {
        let mut headers = with(&server, "Authorization: none");
        headers.pop();
        headers.extend((!header.is_empty()).then(|| header.clone()));
        for line in [
            "POST /mcp",
            "GET /mcp",
            "DELETE /mcp",
            "OPTIONS /mcp",
            "GET /",
            "PUT /x",
        ] {
            let reply = server.request(line, &headers, &hello());
            assert_eq!(reply.status, 401, "{line} {header}: {reply:?}");
            assert!(!reply.body.contains("serverInfo"), "{reply:?}");
        }
    }
    let line = format!("POST /mcp?token={good}");
    let mut headers = with(&server, "Authorization: none");
    headers.pop();
    assert_eq!(server.request(&line, &headers, &hello()).status, 401);
    let after = std::fs::read_dir(world.taffrail_home()).unwrap().count();
    assert_eq!(before, after, "a refused request made something");
    server.session();
}

#[test]
fn web_02_s14_a_page_of_another_origin_gets_nothing_even_with_the_token() {
    let (_world, _repo, server) = scene();
    let port = server.port;
    for origin in [
        "http://evil.example.com".to_owned(),
        "https://evil.example.com".to_owned(),
        "null".to_owned(),
        "file://".to_owned(),
        format!("http://evil.example.com:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{port}.evil.example.com"),
        format!("http://evil@127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}, http://evil.example.com"),
    ] {
        let headers = with(&server, &format!("Origin: {origin}"));
        let reply = server.request("POST /mcp", &headers, &hello());
        assert_eq!(reply.status, 403, "{origin}: {reply:?}");
        assert!(
            !reply.head.contains("access-control-"),
            "{origin}: {reply:?}"
        );
        let mut asks = headers.clone();
        asks.push("Access-Control-Request-Method: POST".to_owned());
        let reply = server.request("OPTIONS /mcp", &asks, "");
        assert!((400..500).contains(&reply.status), "{origin}: {reply:?}");
        assert!(
            !reply.head.contains("access-control-"),
            "{origin}: {reply:?}"
        );
    }
    let own = with(&server, &format!("Origin: http://127.0.0.1:{port}"));
    let reply = server.request("POST /mcp", &own, &hello());
    assert_eq!(reply.status, 200, "the twin: {reply:?}");
    assert!(!reply.head.contains("access-control-"), "{reply:?}");
}

#[test]
fn web_02_a_form_or_plain_text_as_a_page_may_send_it_unasked_is_refused() {
    let (_world, _repo, server) = scene();
    for content in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
    ] {
        let headers = with(&server, &format!("Content-Type: {content}"));
        let reply = server.request("POST /mcp", &headers, &hello());
        assert_eq!(reply.status, 415, "{content}: {reply:?}");
    }
}

#[test]
fn web_02_s14_a_name_that_was_made_to_mean_this_machine_gets_nothing() {
    let (_world, _repo, server) = scene();
    let port = server.port;
    for host in [
        "evil.example.com".to_owned(),
        format!("evil.example.com:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.2:{port}"),
        format!("0.0.0.0:{port}"),
        format!("localhost.evil.example.com:{port}"),
        format!("127.0.0.1:{port}.evil.example.com"),
        format!("evil@127.0.0.1:{port}"),
        String::new(),
    ] {
        let headers = with(&server, &format!("Host: {host}"));
        let reply = server.request("POST /mcp", &headers, &hello());
        assert!((400..500).contains(&reply.status), "{host}: {reply:?}");
        assert!(!reply.body.contains("serverInfo"), "{host}: {reply:?}");
        let line = format!("POST http://{host}/mcp");
        let reply = server.request(&line, &server.headers(), &hello());
        assert!(
            (400..500).contains(&reply.status) || reply.status == 0,
            "{host}: {reply:?}"
        );
    }
    let local = with(&server, &format!("Host: localhost:{port}"));
    assert_eq!(
        server.request("POST /mcp", &local, &hello()).status,
        200,
        "the twin"
    );
}

#[test]
fn mcp_01_it_listens_on_loopback_alone() {
    let (_world, _repo, server) = scene();
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_ok());
    assert!(TcpStream::connect(("127.0.0.2", server.port)).is_err());
}

#[test]
fn mcp_01_s15_a_token_opens_its_own_server_and_is_written_nowhere() {
    let (world, repo, server) = scene();
    let other = HttpServer::start(&world, repo.root());
    assert_ne!(server.token, other.token);
    assert_eq!(server.token.len(), 64);
    let headers = with(&other, &format!("Authorization: Bearer {}", server.token));
    assert_eq!(other.request("POST /mcp", &headers, &hello()).status, 401);
    // The twin: its own token is all that it takes.
    server.session();
    for of in ["cmdline", "environ", "status", "comm"] {
        let text =
            std::fs::read(format!("/proc/{}/{of}", server.running.pid())).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(!text.contains(&server.token), "{of}: {text}");
    }
    let mut left = vec![world.root().to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else if let Ok(bytes) = std::fs::read(entry.path()) {
                let token = server.token.as_bytes();
                let found = bytes.windows(token.len()).any(|at| at == token);
                assert!(!found, "{}", entry.path().display());
            }
        }
    }
    assert_eq!(server.running.stderr(), "");
}

#[test]
fn xsl_02_slates_are_not_there_over_http_and_no_folder_appears() {
    let (world, _repo, server) = scene();
    let headers = server.session();
    let ask = |method: &str, params: serde_json::Value| {
        let ask = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        server
            .request("POST /mcp", &headers, &ask.to_string())
            .message()
    };
    let listed = ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 10, "{listed}");
    let is_slate = |tool: &serde_json::Value| tool["name"].as_str().unwrap().starts_with("slate");
    assert!(!tools.iter().any(is_slate), "{listed}");
    for tool in ["slate.open", "slate.writeSeed", "slate.close"] {
        for arguments in [
            json!({"externalSessionId": "a", "text": "x"}),
            json!({}),
            json!({"externalSessionId": "../x"}),
        ] {
            let answer = ask("tools/call", json!({"name": tool, "arguments": arguments}));
            let text = answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap_or_default();
            assert!(text.contains("\"code\""), "{answer}");
            assert!(text.contains("slate_transport_denied"), "{answer}");
        }
    }
    assert!(!world.taffrail_home().join("external-slates").exists());
}

#[test]
fn mcp_01_a_signal_ends_it_and_its_port_is_free_again() {
    let (_world, _repo, server) = scene();
    server.session();
    server.running.signal(Signal::TERM);
    let port = server.port;
    let ran = server.running.wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}
