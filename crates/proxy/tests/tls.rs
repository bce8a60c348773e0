//! Domain fronting: a front that serves many names, a tunnel to one of them, and TLS in it that names another (S13).
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a helper's panic is the test's failure; limits are measured

mod support;
#[path = "support/hello.rs"]
mod tls;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

use support::{PATIENCE, World, rest};
use taffrail_proxy::{Service, Verdict, Visit, Why};

/// A front that answers with the name that it was asked for, then hears its client out, and gives all that it heard.
fn front() -> (u16, thread::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serves = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (mut seen, mut answered) = (Vec::new(), false);
        let mut chunk = [0; 4096];
        loop {
            let count = stream.read(&mut chunk).unwrap();
            seen.extend_from_slice(&chunk[..count]);
            if let (false, Some(name)) = (answered, named(&seen)) {
                stream.write_all(name.as_bytes()).unwrap();
                answered = true;
            }
            if count == 0 {
                return seen;
            }
        }
    });
    (port, serves)
}

/// The name in records, as somebody finds it who does not look closely.
fn named(records: &[u8]) -> Option<&'static str> {
    let (mut rest, mut heard) = (records, Vec::new());
    while let [_, _, _, high, low, after @ ..] = rest {
        let length = (usize::from(*high) << 8 | usize::from(*low)).min(after.len());
        heard.extend_from_slice(&after[..length]);
        rest = &after[length..];
    }
    let heard = String::from_utf8_lossy(&heard);
    ["ok.test", "evil.test"]
        .into_iter()
        .find(|name| heard.contains(name))
}

fn answer(client: &mut TcpStream, length: usize) -> String {
    let mut bytes = vec![0; length];
    client.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A tunnel of this client to `ok.test`, with these bytes right behind its head.
fn tunnel(world: &World, port: u16, behind: &[u8]) -> TcpStream {
    let mut client = world.client();
    let head = format!("CONNECT ok.test:{port} HTTP/1.1\r\n\r\n");
    client
        .write_all(&[head.as_bytes(), behind].concat())
        .unwrap();
    let mut head = [0; 39];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 Connection established\r\n\r\n");
    client
}

fn hello(name: Option<&str>) -> Vec<u8> {
    tls::records(&tls::hello(name), 16 << 10)
}

fn expect(port: u16, verdict: Verdict, up: usize, down: usize) -> Visit {
    Visit {
        host: "ok.test".to_owned(),
        tunnel: None,
        port,
        verdict,
        address: Some(SocketAddr::from(([127, 0, 0, 1], port))),
        up: up as u64,
        down: down as u64,
    }
}

#[test]
fn cnf_08_s13_tls_to_the_tunnel_s_host_passes_in_one_piece_and_in_many() {
    for each in [16 << 10, 9] {
        let (port, served) = front();
        let world = World::for_port(port);
        let said = tls::records(&tls::hello(Some("ok.test")), each);
        let (front_part, back) = said.split_at(30);
        let mut client = tunnel(&world, port, front_part);
        for byte in back.chunks(3) {
            client.write_all(byte).unwrap();
        }
        assert_eq!(answer(&mut client, 7), "ok.test");
        drop(client);
        assert_eq!(served.join().unwrap(), said);
        let expect = expect(port, Verdict::Allowed, said.len(), 7);
        assert_eq!(world.visits(), [expect]);
    }
}

#[test]
fn cnf_08_s13_tls_to_another_host_of_the_front_is_refused_and_told() {
    let evil = hello(Some("evil.test"));
    // Right behind the head, and after the tunnel stands.
    for at in [0, evil.len()] {
        let (port, served) = front();
        let world = World::for_port(port);
        let mut client = tunnel(&world, port, &evil[..at]);
        client.write_all(&evil[at..]).unwrap();
        let mut said = Vec::new();
        client.read_to_end(&mut said).unwrap();
        // A fatal alert: unrecognized_name.
        assert_eq!(said, [21, 3, 3, 0, 2, 2, 112]);
        assert_eq!(served.join().unwrap(), b"", "not a byte went up");
        let expect = Visit {
            host: "evil.test".to_owned(),
            tunnel: Some("ok.test".to_owned()),
            ..expect(port, Verdict::Refused(Why::OtherName), 0, 0)
        };
        assert_eq!(world.visits(), [expect]);
    }
}

/// The twin: bytes that nobody looks at reach the other host of the same front.
#[test]
fn cnf_08_s13_twin_a_front_serves_whom_tls_names() {
    let (port, served) = front();
    let world = World::for_port(port);
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = door.local_addr().unwrap();
    let to = SocketAddr::from(([127, 0, 0, 1], port));
    let doors = vec![(door, Service::Pass(to))];
    world.proxy.serve(doors, None).unwrap();
    let mut client = TcpStream::connect(at).unwrap();
    client.write_all(&hello(Some("evil.test"))).unwrap();
    assert_eq!(answer(&mut client, 9), "evil.test");
    drop(client);
    assert_eq!(served.join().unwrap(), hello(Some("evil.test")));
}

#[test]
fn cnf_08_s13_tls_that_names_nobody_is_refused_in_a_tunnel_to_a_name() {
    let (port, served) = front();
    let world = World::for_port(port);
    let mut client = tunnel(&world, port, &hello(None));
    let mut said = Vec::new();
    client.read_to_end(&mut said).unwrap();
    assert_eq!(said.last(), Some(&112));
    assert_eq!(served.join().unwrap(), b"");
    let expect = expect(port, Verdict::Refused(Why::NoName), 0, 0);
    assert_eq!(world.visits(), [expect]);
}

#[test]
fn cnf_08_s13_a_hello_that_never_ends_goes_nowhere() {
    let (port, served) = front();
    let world = World::for_port(port);
    let said = hello(Some("ok.test"));
    let mut client = tunnel(&world, port, &said[..said.len() - 1]);
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut client), "");
    assert_eq!(served.join().unwrap(), b"");
    assert_eq!(world.visits(), [expect(port, Verdict::Allowed, 0, 0)]);
}

#[test]
fn cnf_08_s13_a_second_hello_to_another_host_ends_the_tunnel() {
    let (port, served) = front();
    let world = World::for_port(port);
    let good = hello(Some("ok.test"));
    let mut client = tunnel(&world, port, &good);
    assert_eq!(answer(&mut client, 7), "ok.test");
    client.write_all(&hello(Some("evil.test"))).unwrap();
    assert_eq!(rest(&mut client), "", "no alert behind the server's words");
    assert_eq!(served.join().unwrap(), good, "not a byte more went up");
    let visits = world.visits();
    let verdict = Verdict::Refused(Why::OtherName);
    assert_eq!(
        (visits[0].host.as_str(), visits[0].verdict),
        ("evil.test", verdict)
    );
    assert_eq!((visits[0].up, visits[0].down), (good.len() as u64, 7));
}
