//! A machine without a keychain: the cause is told, quickly, and nothing is kept anywhere else (SEC-01).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Tests measure what a person waits.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use taffrail_domain::Millis;
use taffrail_secrets::{Backend, Keyring, KeyringInputs, Secret, SecretsError};

#[path = "../../confine/tests/supervise/granted.rs"]
mod granted;

use granted::granted;

/// Five seconds of patience, and what a loaded machine adds.
const BOUND: Duration = Duration::from_secs(9);
/// Answers that need no waiting.
const QUICK: Duration = Duration::from_secs(3);

fn inputs(bus: Option<&str>) -> KeyringInputs {
    granted::measure();
    KeyringInputs {
        home: "0123456789abcdef".to_owned(),
        bus: bus.map(str::to_owned),
        prompt: Duration::ZERO,
    }
}

/// Every call ends with `Unavailable` and this cause within the limit.
#[track_caller]
fn assert_unavailable(bus: Option<&str>, cause: &str, limit: Duration) {
    let told = |result: Result<(), SecretsError>, since: Instant| {
        let error = result.expect_err("no keychain is there");
        assert!(
            matches!(error, SecretsError::Unavailable { .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains(cause), "{error}");
        assert!(granted(since) < limit, "{:?}", since.elapsed());
    };
    let keyring = Keyring::new(inputs(bus));
    let name = "openai".parse().unwrap();
    let value = Secret::new(b"SENTINEL".to_vec());
    let start = Instant::now;
    let (since, asked) = (start(), Keyring::probe(&inputs(bus)).map(drop));
    told(asked, since);
    let (since, asked) = (start(), keyring.set(&name, &value, Millis(1)));
    told(asked, since);
    let (since, asked) = (start(), keyring.get(&name).map(drop));
    told(asked, since);
    let facts = keyring.facts();
    assert!(
        !facts.is_persistent && facts.about.contains(cause),
        "{facts:?}"
    );
}

#[test]
fn sec_01_without_a_bus_the_cause_is_told() {
    assert_unavailable(None, "DBUS_SESSION_BUS_ADDRESS is not set", QUICK);
    let missing = Some("unix:path=/nowhere/bus");
    assert_unavailable(missing, "/nowhere/bus", QUICK);
    assert_unavailable(missing, "No such file or directory", QUICK);
}

#[test]
fn sec_01_an_address_that_starts_programs_or_leaves_the_machine_is_not_used() {
    for address in [
        "autolaunch:",
        "unixexec:path=/bin/sh",
        "tcp:host=127.0.0.1,port=1",
        "",
    ] {
        assert_unavailable(Some(address), "names no local socket", QUICK);
    }
}

#[test]
fn sec_01_a_dead_socket_is_told_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bus");
    drop(UnixListener::bind(&path).unwrap());
    let address = format!("unix:path={}", path.display());
    assert_unavailable(Some(&address), "Connection refused", QUICK);
}

#[test]
fn sec_01_a_bus_that_takes_connections_and_never_answers_hangs_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bus");
    let listener = UnixListener::bind(&path).unwrap();
    let address = format!("unix:path={}", path.display());
    let keyring = Keyring::new(inputs(Some(&address)));
    let since = Instant::now();
    let error = keyring
        .get(&"openai".parse().unwrap())
        .expect_err("no answer");
    assert!(
        matches!(&error, SecretsError::Unavailable { cause } if cause.contains("no answer")),
        "{error}"
    );
    assert!(granted(since) < BOUND, "{:?}", since.elapsed());
    drop(listener);
}

#[test]
fn sec_01_a_bus_that_lets_in_and_then_is_silent_hangs_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bus");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(let_in));
    let since = Instant::now();
    let address = address(&path);
    let error = Keyring::probe(&inputs(Some(&address))).expect_err("no answer");
    assert!(matches!(error, SecretsError::Unavailable { .. }), "{error}");
    assert!(granted(since) < BOUND, "{:?}", since.elapsed());
}

fn address(path: &Path) -> String {
    format!("unix:path={}", path.display())
}

/// The server's half of the authentication, and not a word after it.
fn let_in(stream: UnixStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|read| read > 0) {
        let answer: &[u8] = match line.trim_start_matches('\0') {
            said if said.starts_with("AUTH") => b"OK 0123456789abcdef0123456789abcdef\r\n",
            said if said.starts_with("NEGOTIATE") => b"AGREE_UNIX_FD\r\n",
            _ => b"",
        };
        if stream.write_all(answer).is_err() {
            return;
        }
        line.clear();
    }
}
