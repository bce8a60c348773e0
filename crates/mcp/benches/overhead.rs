//! What the server itself costs: a call to a host that only remembers, in process and over a child's pipes; from start to
//! the first answer; memory. `cargo bench -p taffrail-mcp --features bench`
#![allow(clippy::unwrap_used, clippy::print_stdout)] // Prints its figures.
#![allow(clippy::disallowed_methods)] // Starts itself again as the server, and measures time.

#[path = "../tests/support/fake.rs"]
#[allow(dead_code)] // The tests need more of it.
mod fake;

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use taffrail_domain::Transport;
use taffrail_mcp::client::Client;
use taffrail_mcp::{About, ClientName, Offer, OfferedTo, serve_stdio};

const CALLS: usize = 5_000;
const STARTS: usize = 50;
const SERVE: &str = "serve-as-child";

const OFFER: Offer = Offer {
    read_only: false,
    transport: Transport::Stdio,
    to: OfferedTo::Program,
};

fn main() {
    if std::env::args().any(|argument| argument == SERVE) {
        return serve_stdio(Arc::new(fake::Fake::default()), &OFFER, &about()).unwrap();
    }
    let host = Arc::new(fake::Fake::default());
    let client = Client::in_process(host, &OFFER, &about(), &name()).unwrap();
    say("in process, slate.writeSeed", calls(&client));
    starts();
    let (mut child, client) = connected();
    say("over pipes, slate.writeSeed", calls(&client));
    say_memory(&child);
    client.close();
    child.wait().unwrap();
    over_sockets();
}

/// Clients on Node give their children sockets, not pipes.
fn over_sockets() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(SERVE)
        .stdin(OwnedFd::from(theirs.try_clone().unwrap()))
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    let client = Client::over_pipes(ours.try_clone().unwrap(), ours, &name()).unwrap();
    say("over sockets, slate.writeSeed", calls(&client));
    child.kill().unwrap();
    child.wait().unwrap();
}

fn about() -> About {
    About {
        version: "0.0.0".to_owned(),
        redaction: taffrail_redact::Options::default(),
    }
}

fn name() -> ClientName {
    ClientName {
        name: "bench".to_owned(),
        version: "1".to_owned(),
    }
}

fn connected() -> (Child, Client) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let client = Client::over_pipes(output, input, &name()).unwrap();
    (child, client)
}

fn calls(client: &Client) -> Vec<Duration> {
    let text = "x".repeat(200);
    let arguments = json!({"externalSessionId": "task-1", "text": text, "kind": "risk"});
    (0..CALLS)
        .map(|_| {
            let arguments = arguments.clone();
            let begun = Instant::now();
            client.call("slate.writeSeed", arguments).unwrap();
            begun.elapsed()
        })
        .collect()
}

fn starts() {
    let mut times = Vec::new();
    for at in 0..STARTS {
        let begun = Instant::now();
        let (mut child, client) = connected();
        times.push(begun.elapsed());
        if at == 0 {
            say_memory(&child);
        }
        client.close();
        child.wait().unwrap();
    }
    say("from start to the initialize answer", times);
}

fn say(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!("{what}: p50 {:?} p95 {:?} p99 {:?}", at(50), at(95), at(99));
}

fn say_memory(child: &Child) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    for line in status.lines() {
        if line.starts_with("VmRSS") || line.starts_with("RssAnon") || line.starts_with("Threads") {
            println!("{line}");
        }
    }
}
