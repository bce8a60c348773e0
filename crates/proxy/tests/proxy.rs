//! The proxy on real sockets of the loopback: what clients and attackers get, and what is told of them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a helper's panic is the test's failure; limits are measured

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use taffrail_domain::{HostName, Place};
use taffrail_proxy::{Ask, Limits, Names, Proxy, Service, Settings, Verdict, Visit, Why};

/// Every name is this machine; the rules say which of its ports may be met.
struct Here;

impl Names for Here {
    fn addresses(&self, name: &HostName) -> std::io::Result<Vec<IpAddr>> {
        match name.as_str() {
            "gone.test" => Err(std::io::ErrorKind::NotFound.into()),
            _ => Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]),
        }
    }
}

struct World {
    proxy: Proxy,
    at: SocketAddr,
    told: Arc<Mutex<Vec<Visit>>>,
}

fn limits() -> Limits {
    Limits {
        connections: 8,
        head: Duration::from_millis(400),
        connect: Duration::from_secs(2),
        idle: Duration::from_secs(5),
        ask: Duration::from_secs(5),
    }
}

fn world(rules: &[String], change: impl FnOnce(&mut Settings)) -> World {
    let told: Arc<Mutex<Vec<Visit>>> = Arc::default();
    let keep = Arc::clone(&told);
    let mut settings = Settings {
        rules: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
        password: None,
        names: Arc::new(Here),
        ask: None,
        told: Arc::new(move |visit: &Visit| keep.lock().unwrap().push(visit.clone())),
        limits: limits(),
    };
    change(&mut settings);
    let proxy = Proxy::new(settings).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    proxy.serve(vec![(listener, Service::Proxy)], None).unwrap();
    World { proxy, at, told }
}

impl World {
    /// A name and the address, both with this port: what a rule for an inner server needs.
    fn for_port(port: u16) -> World {
        world(
            &[format!("ok.test:{port}"), format!("127.0.0.1:{port}")],
            |_| {},
        )
    }

    fn say(&self, text: impl AsRef<[u8]>) -> String {
        let mut client = self.client();
        // A proxy that has heard enough may close before all was sent.
        client.write_all(text.as_ref()).ok();
        rest(&mut client)
    }

    fn client(&self) -> TcpStream {
        let client = TcpStream::connect(self.at).unwrap();
        client
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        client
    }

    /// Everything that was told, when all connections are over.
    fn visits(self) -> Vec<Visit> {
        assert!(self.proxy.stop(), "every thread ended");
        self.told.lock().unwrap().clone()
    }
}

fn rest(from: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A server for one connection: reads until `until` was seen, answers, and gives what it read.
fn server(until: &'static str, answer: &'static str) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serves = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        let mut seen = Vec::new();
        let mut chunk = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains(until) {
            let count = stream.read(&mut chunk).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&chunk[..count]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&seen).into_owned()
    });
    (port, serves)
}

/// A port on which nobody may be met: a connection to it is seen.
fn watched() -> (u16, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    (listener.local_addr().unwrap().port(), listener)
}

fn was_met(listener: &TcpListener) -> bool {
    listener.accept().is_ok()
}

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
fn s13_a_second_request_behind_the_first_reaches_nobody() {
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
fn s13_a_chunked_body_ends_where_its_chunks_end() {
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
fn s13_an_allowed_name_that_leads_to_this_machine_is_refused() {
    let (port, listener) = watched();
    let world = world(&[format!("*.rebound.test:{port}")], |_| {});
    let answer = world.say(format!("CONNECT a.rebound.test:{port} HTTP/1.1\r\n\r\n"));
    assert!(answer.contains("not of the open internet"), "{answer}");
    assert!(!was_met(&listener));
    // The twin: with the address among the rules the same name reaches it.
    let other = self::world(
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
fn s13_hosts_that_two_readers_read_in_two_ways_reach_nobody() {
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

#[test]
fn cnf_08_hostile_clients_get_a_short_answer_in_time() {
    let world = World::for_port(1);
    let huge = format!(
        "GET http://ok.test/ HTTP/1.1\r\nA: {}\r\n\r\n",
        "x".repeat(64 << 10)
    );
    for (what, text, status) in [
        (
            "http/2",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
            "505",
        ),
        ("tls", "\u{16}\u{3}\u{1}\0\u{5}".to_owned(), "400"),
        ("socks", "\u{5}\u{1}\0".to_owned(), "400"),
        ("huge", huge, "431"),
        (
            "origin form",
            "GET / HTTP/1.1\r\nHost: ok.test\r\n\r\n".to_owned(),
            "400",
        ),
        ("garbage", "x".repeat(100), "400"),
        (
            "two lengths",
            "GET http://ok.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
                .to_owned(),
            "400",
        ),
        ("slow", "GET http://ok.test/ HT".to_owned(), "408"),
    ] {
        let began = Instant::now();
        let answer = world.say(text);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{what}: {answer}"
        );
        assert!(answer.len() < 400, "{what}: {answer}");
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{what}: {:?}",
            began.elapsed()
        );
    }
    assert_eq!(world.visits(), []);
}

/// A client that sends one byte and then another is not waited for longer than one that sends none.
#[test]
fn cnf_08_a_drip_does_not_stretch_the_limit() {
    let world = World::for_port(1);
    let mut client = world.client();
    let mut writer = client.try_clone().unwrap();
    let (ends, ended) = mpsc::channel::<()>();
    let drips = thread::spawn(move || {
        let head = b"GET http://ok.test/ HTTP/1.1\r\n"
            .iter()
            .chain(b"A".iter().cycle());
        for byte in head {
            if writer.write_all(&[*byte]).is_err()
                || ended.recv_timeout(Duration::from_millis(20)).is_ok()
            {
                return;
            }
        }
    });
    let began = Instant::now();
    assert!(rest(&mut client).starts_with("HTTP/1.1 408 "));
    assert!(began.elapsed() < Duration::from_secs(4));
    drop(client);
    ends.send(()).ok();
    drips.join().unwrap();
}

#[test]
fn cnf_08_one_connection_too_many_is_answered_and_closed() {
    let (_, listener) = watched();
    let port = listener.local_addr().unwrap().port();
    let world = World::for_port(port);
    let held: Vec<TcpStream> = (0..limits().connections)
        .map(|_| {
            let mut client = world.client();
            write!(client, "CONNECT ok.test:{port} HTTP/1.1\r\n\r\n").unwrap();
            let mut head = [0; 12];
            client.read_exact(&mut head).unwrap();
            client
        })
        .collect();
    let mut client = world.client();
    assert!(rest(&mut client).starts_with("HTTP/1.1 503 "));
    drop(held);
    assert_eq!(world.visits().len(), limits().connections);
}

#[test]
fn cnf_08_a_silent_tunnel_ends_and_nothing_is_left() {
    let (port, listener) = watched();
    let rules = [format!("ok.test:{port}"), format!("127.0.0.1:{port}")];
    let world = world(&rules, |settings| {
        settings.limits.idle = Duration::from_millis(200)
    });
    let mut client = world.client();
    write!(client, "CONNECT ok.test:{port} HTTP/1.1\r\n\r\n").unwrap();
    let began = Instant::now();
    let answer = rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(began.elapsed() < Duration::from_secs(4));
    assert!(was_met(&listener));
    assert_eq!(world.visits().len(), 1);
}

#[test]
fn cnf_08_where_others_can_meet_the_port_a_password_is_needed() {
    let (port, listener) = watched();
    let rules = [format!("ok.test:{port}"), format!("127.0.0.1:{port}")];
    let world = world(&rules, |settings| {
        settings.password = Some("open sesame".to_owned())
    });
    let with = |header: &str| format!("CONNECT ok.test:{port} HTTP/1.1\r\n{header}\r\n");
    for header in [
        "",
        "Proxy-Authorization: Basic\r\n",
        "Proxy-Authorization: Basic dGFmZnJhaWw6b3BlbiBzZXNhbWY=\r\n",
        "Proxy-Authorization: Basic dGFmZnJhaWw6b3BlbiBzZXNhbWU\r\n",
        "Authorization: Basic dGFmZnJhaWw6b3BlbiBzZXNhbWU=\r\n",
    ] {
        let answer = world.say(with(header));
        assert!(answer.starts_with("HTTP/1.1 407 "), "{header}: {answer}");
    }
    assert!(!was_met(&listener));
    let mut client = world.client();
    let right = with("Proxy-Authorization: Basic dGFmZnJhaWw6b3BlbiBzZXNhbWU=\r\n");
    client.write_all(right.as_bytes()).unwrap();
    let mut head = [0; 12];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
}

#[test]
fn cnf_08_a_person_who_says_yes_opens_one_place() {
    let (port, served) = server("hello", "world!");
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let keep = Arc::clone(&asked);
    let ask: Arc<Ask> = Arc::new(move |place: &Place| {
        keep.lock().unwrap().push(place.to_string());
        place.host.to_string() == "ok.test"
    });
    let world = world(&[format!("127.0.0.1:{port}")], |settings| {
        settings.ask = Some(ask)
    });
    let mut client = world.client();
    write!(client, "CONNECT ok.test:{port} HTTP/1.1\r\n\r\nhello").unwrap();
    assert!(rest(&mut client).ends_with("world!"));
    served.join().unwrap();
    let refused = world.say(format!("CONNECT evil.test:{port} HTTP/1.1\r\n\r\n"));
    assert!(refused.contains("the person who was asked"), "{refused}");
    drop(client);
    assert_eq!(
        *asked.lock().unwrap(),
        [format!("ok.test:{port}"), format!("evil.test:{port}")]
    );
    let verdicts: Vec<Verdict> = world.visits().iter().map(|visit| visit.verdict).collect();
    assert!(verdicts.contains(&Verdict::Asked), "{verdicts:?}");
    assert!(
        verdicts.contains(&Verdict::Refused(Why::NotAnswered)),
        "{verdicts:?}"
    );
}

#[test]
fn cnf_08_what_is_allowed_and_does_not_answer_is_told_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let world = world(
        &[
            format!("*.test.example:{port}"),
            format!("gone.test:{port}"),
            format!("ok.test:{port}"),
            format!("127.0.0.1:{port}"),
        ],
        |_| {},
    );
    assert!(
        world
            .say(format!("CONNECT gone.test:{port} HTTP/1.1\r\n\r\n"))
            .contains("has no address")
    );
    assert!(
        world
            .say(format!("CONNECT ok.test:{port} HTTP/1.1\r\n\r\n"))
            .contains("did not answer")
    );
    let visits = world.visits();
    assert!(
        visits
            .iter()
            .all(|visit| visit.verdict == Verdict::Unreachable),
        "{visits:?}"
    );
    assert_eq!(visits.len(), 2);
}

#[test]
fn cnf_08_a_port_is_passed_through_as_it_is() {
    let (port, served) = server("ping", "pong");
    let world = World::for_port(1);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (over, run) = UnixStream::pair().unwrap();
    let to = SocketAddr::from(([127, 0, 0, 1], port));
    world
        .proxy
        .serve(vec![(listener, Service::Pass(to))], Some(over.into()))
        .unwrap();
    let mut client = TcpStream::connect(at).unwrap();
    client.write_all(b"ping").unwrap();
    assert_eq!(rest(&mut client), "pong");
    served.join().unwrap();
    drop(client);
    // The run is over: nothing is accepted any more.
    drop(run);
    let until = Instant::now() + Duration::from_secs(5);
    while TcpStream::connect(at).is_ok() {
        assert!(Instant::now() < until, "the listener is still there");
        thread::yield_now();
    }
    let visits = world.visits();
    assert_eq!(
        (visits[0].host.as_str(), visits[0].up, visits[0].down),
        ("127.0.0.1", 4, 4)
    );
}

#[test]
fn cnf_08_a_proxy_that_stops_ends_what_it_carries() {
    let (port, listener) = watched();
    let world = World::for_port(port);
    let mut client = world.client();
    write!(client, "CONNECT ok.test:{port} HTTP/1.1\r\n\r\n").unwrap();
    let mut head = [0; 39];
    client.read_exact(&mut head).unwrap();
    let (_held, _) = listener.accept().unwrap();
    let at = world.at;
    assert_eq!(world.visits().len(), 1);
    assert_eq!(rest(&mut client), "");
    assert!(TcpStream::connect(at).is_err());
}
