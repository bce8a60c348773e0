//! A proxy for which every name is this machine, servers, and what was told.
#![allow(dead_code)] // each test program uses a part of it

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use taffrail_domain::HostName;
use taffrail_proxy::{Limits, Names, Proxy, Service, Settings, Visit};

#[path = "../../../confine/tests/supervise/granted.rs"]
pub mod granted;

/// Every name is this machine; the rules say which of its ports may be met.
pub struct Here;

impl Names for Here {
    fn addresses(&self, name: &HostName) -> std::io::Result<Vec<IpAddr>> {
        match name.as_str() {
            "gone.test" => Err(std::io::ErrorKind::NotFound.into()),
            _ => Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]),
        }
    }
}

pub struct World {
    pub proxy: Proxy,
    pub at: SocketAddr,
    pub told: Arc<Mutex<Vec<Visit>>>,
}

/// Longer than anything here takes on a busy machine: a test that needs it has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Bounds that no machine is too slow for; a test of one of them sets its own.
pub fn limits() -> Limits {
    Limits {
        connections: 8,
        head: PATIENCE,
        connect: PATIENCE,
        idle: PATIENCE,
        ask: PATIENCE,
    }
}

pub fn world(rules: &[String], change: impl FnOnce(&mut Settings)) -> World {
    granted::measure();
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
    pub fn for_port(port: u16) -> World {
        world(
            &[format!("ok.test:{port}"), format!("127.0.0.1:{port}")],
            |_| {},
        )
    }

    pub fn say(&self, text: impl AsRef<[u8]>) -> String {
        let mut client = self.client();
        // A proxy that has heard enough may close before all was sent.
        client.write_all(text.as_ref()).ok();
        rest(&mut client)
    }

    pub fn client(&self) -> TcpStream {
        let client = TcpStream::connect(self.at).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client
    }

    /// Everything that was told, when all connections are over.
    pub fn visits(self) -> Vec<Visit> {
        // It waits for two seconds, in which a busy machine may let no thread come to its end.
        let ended = (0..30).any(|_| self.proxy.stop());
        assert!(ended, "a thread never ends");
        self.told.lock().unwrap().clone()
    }
}

pub fn rest(from: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A server for one connection: reads until `until` was seen, answers, and gives what it read.
pub fn server(until: &'static str, answer: &'static str) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serves = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
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
pub fn watched() -> (u16, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    (listener.local_addr().unwrap().port(), listener)
}

pub fn was_met(listener: &TcpListener) -> bool {
    listener.accept().is_ok()
}
