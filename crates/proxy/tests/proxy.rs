//! The proxy on real sockets of the loopback: what clients get, and what is told of them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a helper's panic is the test's failure; limits are measured

mod support;

use std::io::{Read, Write};
use std::net::SocketAddr;

use support::{World, rest, server, was_met, watched, world};
use taffrail_proxy::{Verdict, Visit, Why};

#[test]
fn cnf_08_a_tunnel_carries_both_ways_and_is_told_with_its_bytes() {
    let (port, served) = server("hello", "world!");
    let world = World::for_port(port);
    let mut client = world.client();
    // The first bytes of the tunnel come with its head, as some clients send them.
    write!(
        client,
        "CONNECT ok.test:{port} HTTP/1.1\r\nHost: ok.test:{port}\r\n\r\nhel"
    )
    .unwrap();
    let mut head = [0; 39];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 Connection established\r\n\r\n");
    client.write_all(b"lo").unwrap();
    assert_eq!(rest(&mut client), "world!");
    drop(client);
    assert_eq!(served.join().unwrap(), "hello");
    let expect = Visit {
        host: "ok.test".to_owned(),
        tunnel: None,
        port,
        verdict: Verdict::Allowed,
        address: Some(SocketAddr::from(([127, 0, 0, 1], port))),
        up: 5,
        down: 6,
    };
    assert_eq!(world.visits(), [expect]);
}

#[test]
fn cnf_08_a_plain_request_goes_on_in_its_own_form() {
    let (port, served) = server("abc", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let world = World::for_port(port);
    let answer = world.say(format!(
        "POST http://ok.test:{port}/v1?x=1 HTTP/1.1\r\nHost: ok.test:{port}\r\nProxy-Connection: keep-alive\r\n\
         Content-Length: 3\r\n\r\nabc"
    ));
    assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
    let seen = served.join().unwrap();
    let expect = format!(
        "POST /v1?x=1 HTTP/1.1\r\nHost: ok.test:{port}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
    );
    assert_eq!(seen, expect);
    let visits = world.visits();
    assert_eq!(
        (visits[0].up, visits[0].down),
        (expect.len() as u64, answer.len() as u64)
    );
}

#[test]
fn cnf_08_s13_a_second_request_behind_the_first_reaches_nobody() {
    let (port, served) = server("abc", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let world = World::for_port(port);
    let answer = world.say(format!(
        "POST http://ok.test:{port}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET http://inner.test/ HTTP/1.1\r\n\
         Host: inner.test\r\n\r\n"
    ));
    assert!(answer.ends_with("ok"), "{answer}");
    let seen = served.join().unwrap();
    assert!(seen.ends_with("\r\n\r\nabc"), "{seen}");
    assert_eq!(world.visits().len(), 1);
}

#[test]
fn cnf_08_s13_a_chunked_body_ends_where_its_chunks_end() {
    let (port, served) = server("0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nok");
    let world = World::for_port(port);
    let answer = world.say(format!(
        "POST http://ok.test:{port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n"
    ));
    assert!(answer.ends_with("ok"), "{answer}");
    assert!(!served.join().unwrap().contains("admin"));
}

#[test]
fn cnf_08_an_unknown_host_is_refused_in_words_and_told() {
    let (port, listener) = watched();
    let world = World::for_port(1);
    for request in [
        format!("CONNECT evil.test:{port} HTTP/1.1\r\n\r\n"),
        format!("GET http://evil.test:{port}/ HTTP/1.1\r\n\r\n"),
    ] {
        let answer = world.say(request);
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
        assert!(answer.contains("is not among the hosts"), "{answer}");
    }
    assert!(!was_met(&listener));
    let visits = world.visits();
    assert_eq!(visits.len(), 2);
    for visit in visits {
        assert_eq!((visit.host.as_str(), visit.port), ("evil.test", port));
        assert_eq!(visit.verdict, Verdict::Refused(Why::NotAllowed));
    }
}

/// S13: the name is allowed and leads to this machine, which no rule names.
#[test]
fn cnf_08_s13_an_allowed_name_that_leads_to_this_machine_is_refused() {
    let (port, listener) = watched();
    let world = world(&[format!("*.rebound.test:{port}")], |_| {});
    let answer = world.say(format!("CONNECT a.rebound.test:{port} HTTP/1.1\r\n\r\n"));
    assert!(answer.contains("not of the open internet"), "{answer}");
    assert!(!was_met(&listener));
    // The twin: with the address among the rules the same name reaches it.
    let other = support::world(
        &[
            format!("*.rebound.test:{port}"),
            format!("127.0.0.1:{port}"),
        ],
        |_| {},
    );
    let mut client = other.client();
    write!(client, "CONNECT a.rebound.test:{port} HTTP/1.1\r\n\r\n").unwrap();
    let mut head = [0; 12];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    assert!(was_met(&listener));
    let refused = Verdict::Refused(Why::Address);
    let visits = world.visits();
    assert_eq!(
        (visits[0].verdict, visits[0].address),
        (refused, Some(SocketAddr::from(([127, 0, 0, 1], port))))
    );
}

#[test]
fn cnf_08_s13_hosts_that_two_readers_read_in_two_ways_reach_nobody() {
    let (port, listener) = watched();
    let world = World::for_port(port);
    let hosts = [
        "127.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "ok.test.",
        "evil.test\0.ok.test",
        "ok.test@127.0.0.1",
        "127.0.0.1\0ok.test",
        "ok.test%00",
        "ok。test",
        "127.0.0.1%25",
    ];
    for host in hosts {
        for request in [
            format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n"),
            format!("GET http://{host}:{port}/ HTTP/1.1\r\n\r\n"),
        ] {
            let answer = world.say(&request);
            assert!(
                answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
                "{request:?}: {answer}"
            );
        }
    }
    let two = format!("GET http://ok.test:{port}/ HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    assert!(world.say(two).contains("names two hosts"));
    assert!(!was_met(&listener));
    let visits = world.visits();
    assert!(
        visits
            .iter()
            .all(|visit| visit.verdict == Verdict::Refused(Why::Malformed))
    );
    // Those whose bytes are text are told with what they said.
    assert!(
        visits.iter().any(|visit| visit.host.contains("0x7f.1")),
        "{visits:?}"
    );
}
