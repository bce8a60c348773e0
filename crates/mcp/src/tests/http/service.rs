//! Behind the gate: calls, sessions, limits.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_domain::Transport;

use super::{HTTP, PATIENCE, Reply, Served, serve};
use crate::http::{LIMITS, Limits};
use crate::tests::wire::call;
use crate::tests::{Fake, about, fitting};
use crate::{HttpOptions, ServeError, serve_http};

/// A session's id, and a request of that session.
fn session(served: &Served) -> String {
    let reply = served.ask(&served.hello());
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.header("mcp-session-id").unwrap().to_owned()
}

fn within(served: &Served, session: &str, message: &Value) -> Reply {
    served.ask(&served.good(message).with("Mcp-Session-Id", session))
}

#[test]
fn xsl_02_slates_are_denied_before_the_host() {
    let served = serve();
    let id = session(&served);
    for tool in ["slate.open", "slate.writeSeed", "slate.close"] {
        let reply = within(&served, &id, &call(1, tool, fitting(tool)));
        let result = &reply.message()["result"];
        assert_eq!(
            result["structuredContent"],
            json!({"code": "slate_transport_denied"})
        );
        assert_eq!(result["isError"], false);
        // Not even with arguments that are no object is it asked anything.
        let reply = within(&served, &id, &call(2, tool, json!("x")));
        let result = &reply.message()["result"];
        assert_eq!(
            result["structuredContent"],
            json!({"code": "slate_transport_denied"})
        );
    }
    let listing = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let tools = within(&served, &id, &listing).message()["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 10);
}

#[test]
fn mcp_01_calls_go_through_and_a_session_ends_when_asked() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let id = session(&served);
    for tool in [
        "notebook_read",
        "memory_recall",
        "search_text",
        "list_files",
    ] {
        let reply = within(&served, &id, &call(1, tool, fitting(tool)));
        assert_eq!(reply.message()["result"]["isError"], false, "{reply:?}");
    }
    let seen = host.seen();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen[0].caller.transport, Transport::Http);
    assert_eq!(seen[0].caller.client.as_ref().unwrap().name, "raw");
    let wrong = within(&served, &id, &call(2, "read_file", json!("x")));
    assert_eq!(wrong.message()["result"]["isError"], true);

    let end = served
        .hello()
        .line("DELETE /mcp HTTP/1.1")
        .with("Mcp-Session-Id", &id);
    assert!(served.ask(&end).status < 300);
    assert_eq!(
        within(&served, &id, &call(3, "notebook_read", json!({}))).status,
        404
    );
}

#[test]
fn mcp_01_the_version_without_sessions_is_served_too() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let mut message = call(1, "notebook_read", json!({}));
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "stateless", "version": "2"},
    });
    let asks = served
        .good(&message)
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "notebook_read");
    let reply = served.ask(&asks);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(
        host.seen()[0].caller.client.as_ref().unwrap().name,
        "stateless"
    );
}

#[test]
fn mcp_01_sessions_are_bounded_and_the_oldest_goes() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let sessions: Vec<_> = (0..64).map(|_| session(&served)).collect();
    let asks = |id: &str| within(&served, id, &call(1, "notebook_read", json!({}))).status;
    // The first is used once more, so the second is now the one used longest ago.
    assert_eq!(asks(&sessions[0]), 200);
    let last = session(&served);
    assert_eq!(asks(&sessions[1]), 404);
    assert_eq!(asks(&sessions[0]), 200);
    assert_eq!(asks(&sessions[63]), 200);
    assert_eq!(asks(&last), 200);
}

#[test]
fn mcp_01_who_is_slow_or_silent_is_let_go() {
    let served = |limits| Served::with(&Arc::new(Fake::default()), limits);
    let head = served(Limits {
        head: Duration::from_millis(100),
        ..LIMITS
    });
    for begun in [
        "",
        "POST /mcp HTT",
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    ] {
        let mut stream = head.connect();
        // On a busy machine it may be let go before it has said anything.
        stream.write_all(begun.as_bytes()).ok();
        let mut answer = Vec::new();
        let gone = stream.read_to_end(&mut answer);
        let kept = gone.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(!kept, "{begun:?} is waited for");
        assert_ne!(Reply::of(&answer).status, 200, "{begun:?}");
    }
    let body = served(Limits {
        body: Duration::from_millis(100),
        ..LIMITS
    });
    let mut slow = body.hello().with("Content-Length", "100");
    slow.body = b"{".to_vec();
    assert_eq!(body.ask(&slow).status, 408);
}

#[test]
fn mcp_01_connections_are_bounded_and_more_wait() {
    let limits = Limits {
        connections: 2,
        ..LIMITS
    };
    let served = Served::with(&Arc::new(Fake::default()), limits);
    let silent = [served.connect(), served.connect()];
    let mut third = served.connect();
    third.write_all(&served.hello().bytes()).unwrap();
    third
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    assert!(third.read(&mut [0; 1]).is_err(), "a third was served");
    drop(silent);
    third.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut answer = Vec::new();
    third.read_to_end(&mut answer).unwrap();
    assert_eq!(Reply::of(&answer).status, 200);
}

#[test]
fn mcp_01_only_loopback_is_bound() {
    let served = serve();
    assert!(served.at.ip().is_loopback());
    assert_eq!(served.at.ip().to_string(), "127.0.0.1");
}

#[test]
fn mcp_01_a_port_that_is_taken_is_named() {
    let served = serve();
    let options = HttpOptions {
        port: served.at.port(),
        token: [7; 32],
    };
    let host = Arc::new(Fake::default());
    let announced = |_: &str, _: &str| panic!("announced what is not bound");
    let error = serve_http(host, &HTTP, &about(), &options, announced).unwrap_err();
    assert!(
        matches!(error, ServeError::AddressTaken { port } if port == served.at.port()),
        "{error}"
    );
    assert!(
        !format!("{options:?}").contains("7, 7"),
        "the token is shown"
    );
}

#[test]
fn web_02_a_full_answer_says_that_it_is_no_page() {
    let served = serve();
    for request in [served.hello(), served.hello().without("Authorization")] {
        let reply = served.ask(&request);
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(
            reply.header("cache-control").unwrap().contains("no-"),
            "{reply:?}"
        );
    }
}
