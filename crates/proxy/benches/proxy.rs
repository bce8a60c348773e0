//! What the proxy costs: one more connection, and bytes through a tunnel, each beside the same without it.
#![allow(missing_docs, clippy::unwrap_used)] // a measurement that fails has no result

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, OnceLock};

use divan::counter::BytesCount;
use taffrail_proxy::{Limits, Proxy, Service, Settings, SystemNames, Visit};

const BULK: usize = 16 << 20;

fn main() {
    divan::main();
}

/// A server that answers a byte `n` by `n` mebibytes, and the proxy before it.
fn world() -> (SocketAddr, SocketAddr) {
    static WORLD: OnceLock<(SocketAddr, SocketAddr, Proxy)> = OnceLock::new();
    let (server, proxy, _running) = WORLD.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
        let proxy = Proxy::new(Settings {
            rules: vec![server.to_string().parse().unwrap()],
            password: None,
            names: Arc::new(SystemNames),
            ask: None,
            told: Arc::new(|_: &Visit| {}),
            limits: Limits::default(),
        })
        .unwrap();
        let (listener, port) = taffrail_proxy::listen_here().unwrap();
        proxy.serve(vec![(listener, Service::Proxy)], None).unwrap();
        (server, SocketAddr::from(([127, 0, 0, 1], port)), proxy)
    });
    (*server, *proxy)
}

fn answer(mut client: TcpStream) {
    std::thread::spawn(move || {
        let mut wanted = [0];
        if client.read_exact(&mut wanted).is_ok() {
            let bytes = vec![b'x'; usize::from(wanted[0]) << 20];
            // A client that has seen enough is gone.
            client.write_all(&bytes).unwrap_or_default();
        }
    });
}

fn direct() -> TcpStream {
    TcpStream::connect(world().0).unwrap()
}

fn tunnel() -> TcpStream {
    let (server, proxy) = world();
    let mut client = TcpStream::connect(proxy).unwrap();
    write!(client, "CONNECT {server} HTTP/1.1\r\n\r\n").unwrap();
    let mut head = [0; 39];
    client.read_exact(&mut head).unwrap();
    client
}

fn get(mut client: TcpStream, mebibytes: u8) -> usize {
    client.write_all(&[mebibytes]).unwrap();
    let mut chunk = vec![0; 64 << 10];
    let mut all = 0;
    loop {
        match client.read(&mut chunk).unwrap() {
            0 => return all,
            count => all += count,
        }
    }
}

#[divan::bench]
fn connection_direct() -> usize {
    get(direct(), 0)
}

#[divan::bench]
fn connection_through_the_proxy() -> usize {
    get(tunnel(), 0)
}

#[divan::bench]
fn bulk_direct(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(BULK))
        .bench(|| assert_eq!(get(direct(), 16), BULK));
}

#[divan::bench]
fn bulk_through_the_proxy(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::new(BULK))
        .bench(|| assert_eq!(get(tunnel(), 16), BULK));
}
