//! Addresses of an agent's hosts, looked up before its start, for a program that cannot ask for names inside.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for a limit.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long all look-ups together may take. Without the network they end at once or never.
const LIMIT: Duration = Duration::from_secs(2);
const OWN: &str = "127.0.0.1 localhost\n::1 localhost\n";

/// The text of a private `/etc/hosts`: the machine itself, and every host whose address came in time.
pub(super) fn hosts_file(hosts: &[String]) -> String {
    let lines = look_up(hosts)
        .into_iter()
        .map(|(address, host)| format!("{address} {host}\n"));
    OWN.to_owned() + &lines.collect::<String>()
}

fn look_up(hosts: &[String]) -> Vec<(IpAddr, String)> {
    let (send, receive) = mpsc::channel();
    for host in hosts.iter().cloned() {
        let send = send.clone();
        // The system's resolver has no limit of its own: a thread that it holds is left to end by itself.
        thread::spawn(move || {
            let found = (host.as_str(), 443).to_socket_addrs();
            let addresses: Vec<_> = found
                .map(|all| all.map(|at| at.ip()).collect())
                .unwrap_or_default();
            // Nobody listens any more when the limit is over.
            send.send((host, addresses)).unwrap_or_default();
        });
    }
    drop(send);
    let deadline = Instant::now() + LIMIT;
    let left = || deadline.saturating_duration_since(Instant::now());
    let answers = std::iter::from_fn(|| receive.recv_timeout(left()).ok());
    let mut pinned: Vec<_> = answers
        .flat_map(|(host, addresses)| {
            addresses
                .into_iter()
                .map(move |address| (address, host.clone()))
        })
        .collect();
    pinned.sort();
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_itself_is_always_named() {
        let text = hosts_file(&["localhost".to_owned()]);
        assert!(text.starts_with(OWN), "{text}");
        assert!(
            text.lines()
                .skip(2)
                .any(|line| line.ends_with(" localhost")),
            "{text}"
        );
    }

    #[test]
    fn a_name_without_an_address_is_left_out_in_time() {
        let began = Instant::now();
        assert_eq!(hosts_file(&["no-such-host.invalid".to_owned()]), OWN);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
