//! Heads as clients send them, and as attackers do.

use super::*;
use proptest::prelude::*;

fn head(text: &str) -> Result<Head, BadHead> {
    parse(text.as_bytes())
}

fn server_head(text: &str) -> String {
    match head(text).unwrap().wish {
        Wish::Request { head, .. } => String::from_utf8(head).unwrap(),
        Wish::Tunnel => panic!("a tunnel"),
    }
}

#[test]
fn cnf_08_a_tunnel_as_clients_ask_for_it() {
    for text in [
        "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n",
        "CONNECT api.example.com:443 HTTP/1.1\r\nhost: api.example.com\r\nconnection: close\r\n\r\n",
        "CONNECT API.example.com:443 HTTP/1.0\r\n\r\n",
        "CONNECT api.example.com:443 HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    ] {
        let head = head(text).unwrap();
        assert_eq!(head.wish, Wish::Tunnel);
        assert_eq!(head.place.to_string(), "api.example.com:443");
    }
    let with = "CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n";
    assert_eq!(
        head(with).unwrap().authorization.as_deref(),
        Some("Basic eDp5")
    );
}

#[test]
fn cnf_08_a_request_goes_on_without_what_is_the_proxy_s() {
    let got = server_head(
        "POST http://a.example:8080/x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nProxy-Connection: keep-alive\r\n\
         Proxy-Authorization: Basic eDp5\r\nConnection: keep-alive, X-Mine, Content-Length\r\nX-Mine: 1\r\n\
         Accept: */*\r\nContent-Length: 3\r\n\r\n",
    );
    assert_eq!(
        got,
        "POST /x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    );
    let got = server_head("GET http://a.example?q HTTP/1.1\r\n\r\n");
    assert_eq!(
        got,
        "GET /?q HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"
    );
}

#[test]
fn cnf_08_s13_a_request_that_names_two_hosts_or_a_malformed_one_is_none() {
    for text in [
        "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example:8080\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost: \r\n\r\n",
        "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n",
        "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:80\r\n\r\n",
    ] {
        assert!(matches!(head(text), Err(BadHead::TwoHosts(_))), "{text:?}");
    }
    for text in [
        "GET http://a.example@b.example/ HTTP/1.1\r\n\r\n",
        "GET http://user:pass@a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example./ HTTP/1.1\r\n\r\n",
        "GET http://127.1/ HTTP/1.1\r\n\r\n",
        "GET http:///x HTTP/1.1\r\n\r\n",
        "GET http://a.example:99999/ HTTP/1.1\r\n\r\n",
        "CONNECT a.example HTTP/1.1\r\n\r\n",
        "CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\n\r\n",
        "CONNECT http://a.example:443 HTTP/1.1\r\n\r\n",
        "CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n",
    ] {
        assert!(
            matches!(head(text), Err(BadHead::Host(..))),
            "{text:?}: {:?}",
            head(text)
        );
    }
}

#[test]
fn cnf_08_s13_what_two_readers_could_read_in_two_ways_is_no_request() {
    for text in [
        "GET /etc HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET https://a.example/ HTTP/1.1\r\n\r\n",
        "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example\\@b.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example/#x HTTP/1.1\r\n\r\n",
        "GET http://a.example/ü HTTP/1.1\r\n\r\n",
        "GET  http://a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example/ x HTTP/1.1\r\n\r\n",
        "GET http://a.example/\r\n\r\n",
        "GET http://a.example/ HTTPS\r\n\r\n",
        "G(T http://a.example/ HTTP/1.1\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\nHost: b\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nA: b\nHost: b\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nA: b\rHost: b\r\n\r\n",
        "GET http://a.example\0.b/ HTTP/1.1\r\n\r\n",
        "CONNECT a.example\0.allowed.example:443 HTTP/1.1\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n Host: a.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n: b\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nnothing\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nContent-Length: \r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
        "CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
        "CONNECT a.example:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "\r\n\r\n",
        "",
    ] {
        assert!(
            matches!(head(text), Err(BadHead::Syntax(_))),
            "{text:?}: {:?}",
            head(text)
        );
    }
    let many = format!(
        "GET http://a.example/ HTTP/1.1\r\n{}\r\n",
        "A: b\r\n".repeat(129)
    );
    assert!(matches!(head(&many), Err(BadHead::Syntax(_))));
    assert_eq!(head("PRI * HTTP/2.0\r\n\r\n"), Err(BadHead::Version));
    assert_eq!(
        head("GET http://a.example/ HTTP/0.9\r\n\r\n"),
        Err(BadHead::Version)
    );
}

#[test]
fn cnf_08_another_protocol_is_known_by_its_first_bytes() {
    assert!(may_be_request(b""));
    assert!(may_be_request(b"CONN"));
    assert!(may_be_request(b"GET http"));
    assert!(!may_be_request(b"\x16\x03\x01"));
    assert!(!may_be_request(b"\x05\x01\x00"));
    assert!(!may_be_request(b"\r\nGET"));
    assert!(!may_be_request(&[b'A'; 40]));
}

/// Pieces of heads, well-formed and not, so that many of their sums are requests.
fn piece() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "GET ",
        "CONNECT ",
        "http://",
        "a.example",
        "b.example",
        ":80",
        ":443",
        "/",
        "?x",
        " HTTP/1.1",
        "\r\n",
        "\r\n\r\n",
        "\n",
        "\r",
        "Host: ",
        "Host:",
        "a.example\r\n",
        "Connection: host\r\n",
        "Content-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n",
        " ",
        "\t",
        "\0",
        "@",
        "#",
        "127.1",
        "[::1]",
        "X: y\r\n",
        "ü",
    ];
    prop_oneof![
        8 => proptest::sample::select(KNOWN).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// What goes on to a server, read by somebody who knows nothing of how it was made.
fn naive(head: &[u8]) -> (String, Vec<(String, String)>) {
    let text = String::from_utf8(head.to_vec()).unwrap();
    let text = text.strip_suffix("\r\n\r\n").unwrap();
    let mut lines = text.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let header = |line: &str| {
        line.split_once(": ")
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
    };
    (line, lines.map(|line| header(line).unwrap()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn cnf_08_s13_whatever_is_let_through_names_one_host_and_one_length(
        start in proptest::sample::select(vec!["GET http://a.example/ HTTP/1.1\r\n", "POST http://a.example:8080/x HTTP/1.0\r\n", ""]),
        pieces in proptest::collection::vec(piece(), 0..12),
    ) {
        let text = format!("{start}{}\r\n\r\n", pieces.concat());
        let end = length(text.as_bytes()).unwrap();
        if let Ok(Head { place, wish: Wish::Request { head, .. }, .. }) = parse(&text.as_bytes()[..end]) {
            prop_assert!(!head.contains(&0));
            let (line, headers) = naive(&head);
            let parts: Vec<&str> = line.split(' ').collect();
            prop_assert_eq!(parts.len(), 3);
            prop_assert!(parts[1].starts_with('/'), "{}", line);
            let values = |name: &str| headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone()).collect::<Vec<_>>();
            let host = values("host");
            prop_assert_eq!(host.len(), 1);
            prop_assert_eq!(Place::parse(&host[0], Some(HTTP)).unwrap(), place);
            prop_assert_eq!(values("connection"), ["close"]);
            prop_assert!(values("content-length").len() + values("transfer-encoding").len() <= 1);
            prop_assert!(values("proxy-authorization").is_empty());
        }
    }

    #[test]
    fn cnf_08_s13_no_bytes_make_the_reader_fail(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        // A refusal or a request; a panic fails the test.
        drop(parse(&bytes));
        prop_assert!(length(&bytes).is_none_or(|end| end <= bytes.len()));
    }
}
