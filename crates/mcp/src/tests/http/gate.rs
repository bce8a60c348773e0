//! The gate: each refusal beside its twin that passes.

use super::{TOKEN, serve};
use crate::tests::wire::initialize;

#[test]
fn web_02_no_token_or_a_wrong_one_is_401_before_anything_else() {
    let served = serve();
    let good = served.hello();
    assert_eq!(served.ask(&good).status, 200);
    for wrong in [
        good.clone().without("Authorization"),
        good.clone().with("Authorization", "Bearer "),
        good.clone()
            .with("Authorization", format!("Bearer {}", "0".repeat(64))),
        good.clone()
            .with("Authorization", format!("Bearer {TOKEN}0")),
        good.clone()
            .with("Authorization", format!("Bearer {}", &TOKEN[..63])),
        good.clone().with("Authorization", TOKEN),
        good.clone().with("Authorization", format!("Basic {TOKEN}")),
        good.clone().and("Authorization", format!("Bearer {TOKEN}")),
        good.clone()
            .with("Authorization", format!("Bearer {}", TOKEN.to_uppercase())),
    ] {
        let reply = served.ask(&wrong);
        assert_eq!(reply.status, 401, "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), Some("bearer"));
        // Whatever else is wrong, or whichever path or method: the token comes first.
        for line in [
            "GET / HTTP/1.1",
            "DELETE /mcp HTTP/1.1",
            "OPTIONS /mcp HTTP/1.1",
            "TRACE /x HTTP/1.1",
        ] {
            let also = wrong
                .clone()
                .line(line)
                .with("Host", "evil.example")
                .with("Origin", "http://evil.example");
            assert_eq!(served.ask(&also).status, 401);
        }
    }
    // The scheme's name is of no case, as HTTP has it.
    let lower = good.with("Authorization", format!("bearer {TOKEN}"));
    assert_eq!(served.ask(&lower).status, 200);
}

#[test]
fn web_02_a_host_that_is_not_ours_is_403() {
    let served = serve();
    let port = served.at.port();
    let good = served.hello();
    for ours in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("LOCALHOST:{port}"),
    ] {
        assert_eq!(served.ask(&good.clone().with("Host", ours)).status, 200);
    }
    for theirs in [
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.1:{port}.evil.example"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.2:{port}"),
        format!("0.0.0.0:{port}"),
        "::1".to_owned(),
    ] {
        let reply = served.ask(&good.clone().with("Host", &theirs));
        assert!(matches!(reply.status, 400 | 403), "{theirs}: {reply:?}");
    }
    assert_eq!(served.ask(&good.clone().without("Host")).status, 403);
    let two = good.clone().and("Host", "evil.example");
    assert!(matches!(served.ask(&two).status, 400 | 403));
    // The host in the request's own line counts, too.
    let proxied = good
        .clone()
        .line(&format!("POST http://evil.example:{port}/mcp HTTP/1.1"));
    assert_eq!(served.ask(&proxied).status, 403);
    let own = good.line(&format!("POST http://127.0.0.1:{port}/mcp HTTP/1.1"));
    assert_eq!(served.ask(&own).status, 200);
}

#[test]
fn web_02_an_origin_that_is_not_ours_is_403() {
    let served = serve();
    let port = served.at.port();
    let good = served.hello();
    for ours in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
    ] {
        let reply = served.ask(&good.clone().with("Origin", ours));
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    for theirs in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port}/"),
        String::new(),
    ] {
        let reply = served.ask(&good.clone().with("Origin", &theirs));
        assert_eq!(reply.status, 403, "{theirs}: {reply:?}");
    }
    let two = good
        .and("Origin", format!("http://127.0.0.1:{port}"))
        .and("Origin", "http://evil.example");
    assert_eq!(served.ask(&two).status, 403);
}

#[test]
fn web_02_a_browsers_question_before_a_request_gets_no_leave() {
    let served = serve();
    let port = served.at.port();
    let asks = served
        .hello()
        .line("OPTIONS /mcp HTTP/1.1")
        .with("Access-Control-Request-Method", "POST")
        .with("Origin", format!("http://127.0.0.1:{port}"));
    for asks in [asks.clone(), asks.without("Authorization")] {
        let reply = served.ask(&asks);
        assert!(matches!(reply.status, 401 | 403), "{reply:?}");
        assert!(!reply.head.contains("access-control"), "{reply:?}");
    }
}

#[test]
fn web_02_paths_methods_and_content_types_are_few() {
    let served = serve();
    let good = served.hello();
    for (line, status) in [
        ("POST / HTTP/1.1", 404),
        ("POST /mcp/ HTTP/1.1", 404),
        ("POST /MCP HTTP/1.1", 404),
        ("POST /mcp/../mcp HTTP/1.1", 404),
        ("POST /.well-known/oauth-protected-resource HTTP/1.1", 404),
        ("PUT /mcp HTTP/1.1", 405),
        ("HEAD /mcp HTTP/1.1", 405),
        ("PATCH /mcp HTTP/1.1", 405),
        ("TRACE /mcp HTTP/1.1", 405),
        ("OPTIONS /mcp HTTP/1.1", 405),
        ("BREW /mcp HTTP/1.1", 405),
    ] {
        assert_eq!(
            served.ask(&good.clone().line(line)).status,
            status,
            "{line}"
        );
    }
    let tunnel = format!("CONNECT 127.0.0.1:{} HTTP/1.1", served.at.port());
    assert_eq!(served.ask(&good.clone().line(&tunnel)).status, 404);
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "",
    ] {
        let reply = served.ask(&good.clone().with("Content-Type", kind));
        assert_eq!(reply.status, 415, "{kind}");
    }
    assert_eq!(
        served.ask(&good.clone().without("Content-Type")).status,
        415
    );
    let charset = good.with("Content-Type", "application/json; charset=utf-8");
    assert_eq!(served.ask(&charset).status, 200);
}

#[test]
fn web_02_a_body_has_a_limit() {
    let served = serve();
    let mut over = served.hello();
    over.body = vec![b' '; 4 * 1024 * 1024 + 1];
    assert_eq!(served.ask(&over).status, 413);
    // What is announced is refused before it is sent.
    let mut announced = served.hello().with("Content-Length", "4194305");
    announced.body.clear();
    assert_eq!(served.ask(&announced).status, 413);
    // What is not announced is counted.
    let mut chunked = served.hello().with("Transfer-Encoding", "chunked");
    chunked.body = format!(
        "{:x}\r\n{}\r\n0\r\n\r\n",
        over.body.len(),
        " ".repeat(over.body.len())
    )
    .into_bytes();
    assert_eq!(served.ask(&chunked).status, 413);
    // The twins: one at the limit passes, announced or not.
    let mut most = served.hello();
    most.body.resize(4 * 1024 * 1024, b' ');
    assert_eq!(served.ask(&most).status, 200);
    let body = initialize("2025-11-25").to_string();
    let mut chunked = served.hello().with("Transfer-Encoding", "chunked");
    chunked.body = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes();
    assert_eq!(served.ask(&chunked).status, 200);
}
