//! The proxy's bounds on real sockets: hostile clients, limits, passwords, a person's answer, the end.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a helper's panic is the test's failure; limits are measured

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use support::granted::granted;
use support::{PATIENCE, World, limits, rest, server, was_met, watched, world};
use taffrail_domain::Place;
use taffrail_proxy::{Ask, Service, Verdict, Why};

/// A proxy whose clients have so long for the head of their request.
fn impatient(head: Duration) -> World {
    world(&["ok.test:1".to_owned()], |settings| {
        settings.limits.head = head
    })
}

#[test]
fn cnf_08_hostile_clients_get_a_short_answer_in_time() {
    let (world, hurried) = (World::for_port(1), impatient(Duration::from_millis(400)));
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
        let asked = if what == "slow" { &hurried } else { &world };
        let answer = asked.say(text);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{what}: {answer}"
        );
        assert!(answer.len() < 400, "{what}: {answer}");
        assert!(
            granted(began) < Duration::from_secs(3),
            "{what}: {:?}",
            began.elapsed()
        );
    }
    assert_eq!((world.visits(), hurried.visits()), (vec![], vec![]));
}

/// A client that sends one byte and then another is not waited for longer than one that sends none.
#[test]
fn cnf_08_a_drip_does_not_stretch_the_limit() {
    let world = impatient(Duration::from_millis(400));
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
    assert!(granted(began) < Duration::from_secs(4));
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
    assert!(granted(began) < Duration::from_secs(4));
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
    // None that the system gives out: one that was free a moment ago may be somebody's by now.
    let port = 1;
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
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(at).is_ok() {
        assert!(Instant::now() < until, "the listener is still there");
        thread::yield_now();
    }
    // Who came before the end was seen met nobody behind it, and may be told first.
    let visits = world.visits();
    let carried: Vec<_> = visits.iter().filter(|visit| visit.up > 0).collect();
    let told = carried
        .iter()
        .map(|visit| (visit.host.as_str(), visit.up, visit.down));
    assert_eq!(told.collect::<Vec<_>>(), [("127.0.0.1", 4, 4)]);
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
