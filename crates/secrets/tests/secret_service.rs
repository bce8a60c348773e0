//! The keychain of Linux as it is: GNOME Keyring on a private bus. A missing program is a failure here.
#![cfg(all(target_os = "linux", feature = "peers"))]
#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Tests start the programs that they test against.

mod common;
#[path = "../../confine/tests/supervise/granted.rs"]
mod granted;

use std::time::{Duration, Instant};

use common::{Bus, holds};
use granted::granted;
use taffrail_domain::Millis;
use taffrail_secrets::{Backend, BackendKind, Keyring, Name, Secret, SecretsError};

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::new(text.as_bytes().to_vec())
}

fn names(keyring: &Keyring) -> Vec<String> {
    let held = keyring.list().unwrap();
    held.iter().map(|held| held.name.to_string()).collect()
}

#[test]
fn sec_01_values_are_kept_by_name_replaced_listed_and_removed() {
    let mut bus = Bus::start();
    bus.keyring();
    let keyring = Keyring::new(bus.inputs("aa"));
    assert_eq!(keyring.get(&name("openai")).unwrap(), None);
    assert!(names(&keyring).is_empty());
    keyring
        .set(&name("openai"), &secret("one"), Millis(1))
        .unwrap();
    keyring
        .set(&name("openai"), &secret("two"), Millis(2))
        .unwrap();
    keyring
        .set(&name("bytes"), &Secret::new(vec![0, 255, b'\n']), Millis(3))
        .unwrap();
    assert_eq!(keyring.get(&name("openai")).unwrap(), Some(secret("two")));
    assert_eq!(
        keyring.get(&name("bytes")).unwrap(),
        Some(Secret::new(vec![0, 255, b'\n']))
    );
    assert_eq!(names(&keyring), ["bytes", "openai"]);
    let since = keyring.list().unwrap()[0].since.unwrap();
    assert!(since > Millis(1_600_000_000_000), "{since:?}");
    assert!(keyring.remove(&name("openai")).unwrap());
    assert!(!keyring.remove(&name("openai")).unwrap());
    assert_eq!(names(&keyring), ["bytes"]);
}

#[test]
fn sec_01_two_homes_never_mix() {
    let mut bus = Bus::start();
    bus.keyring();
    let (one, two) = (
        Keyring::new(bus.inputs("aa")),
        Keyring::new(bus.inputs("aab")),
    );
    one.set(&name("key"), &secret("of one"), Millis(1)).unwrap();
    two.set(&name("key"), &secret("of two"), Millis(1)).unwrap();
    two.set(&name("other"), &secret("x"), Millis(1)).unwrap();
    assert_eq!(one.get(&name("key")).unwrap(), Some(secret("of one")));
    assert_eq!(names(&one), ["key"]);
    assert!(one.remove(&name("key")).unwrap());
    assert_eq!(two.get(&name("key")).unwrap(), Some(secret("of two")));
}

#[test]
fn sec_01_another_program_finds_it_under_the_service_and_the_account() {
    let mut bus = Bus::start();
    bus.keyring();
    let keyring = Keyring::new(bus.inputs("aa"));
    keyring
        .set(&name("openai"), &secret("SENTINEL"), Millis(1))
        .unwrap();
    let asked = ["lookup", "service", "taffrail", "username", "aa/openai"];
    assert_eq!(bus.output("secret-tool", &asked), "SENTINEL");
}

#[test]
fn sec_01_it_outlives_the_daemon_and_lies_nowhere_in_the_clear() {
    let mut bus = Bus::start();
    bus.keyring();
    let keyring = Keyring::new(bus.inputs("aa"));
    keyring
        .set(&name("openai"), &secret("SENTINEL-IN-FILE"), Millis(1))
        .unwrap();
    assert!(holds(&bus.data(), b"GnomeKeyring"), "its file is there");
    assert!(!holds(&bus.data(), b"SENTINEL-IN-FILE"));
    bus.stop_keyring();
    let error = keyring.get(&name("openai")).expect_err("it is gone");
    assert!(matches!(error, SecretsError::Unavailable { .. }), "{error}");
    bus.keyring();
    // The same value of the program finds its way back.
    assert_eq!(
        keyring.get(&name("openai")).unwrap(),
        Some(secret("SENTINEL-IN-FILE"))
    );
    let facts = keyring.facts();
    assert!(
        facts.is_persistent && facts.kind == BackendKind::Keyring,
        "{facts:?}"
    );
}

#[test]
fn sec_01_a_probe_leaves_nothing_behind() {
    let mut bus = Bus::start();
    bus.keyring();
    let entries =
        |bus: &Bus| bus.output("secret-tool", &["search", "--all", "service", "taffrail"]);
    let probe = Keyring::probe(&bus.inputs("aa")).unwrap();
    assert!(
        probe.is_running && probe.is_persistent == Some(true) && probe.is_locked == Some(false),
        "{probe:?}"
    );
    assert_eq!(entries(&bus), "");
    assert!(names(&Keyring::new(bus.inputs("aa"))).is_empty());
    assert_eq!(entries(&bus), "");
    // The twin: a kept value is seen by the same look.
    Keyring::new(bus.inputs("aa"))
        .set(&name("k"), &secret("v"), Millis(1))
        .unwrap();
    assert!(entries(&bus).contains("taffrail k"));
}

#[test]
fn sec_01_a_locked_collection_is_told_and_hangs_nobody() {
    let mut bus = Bus::start();
    bus.keyring();
    let keyring = Keyring::new(bus.inputs("aa"));
    keyring
        .set(&name("openai"), &secret("v"), Millis(1))
        .unwrap();
    lock(&bus);
    assert_eq!(
        Keyring::probe(&bus.inputs("aa")).unwrap().is_locked,
        Some(true)
    );
    granted::measure();
    for prompt in [Duration::ZERO, Duration::from_secs(1)] {
        let mut inputs = bus.inputs("aa");
        inputs.prompt = prompt;
        let keyring = Keyring::new(inputs);
        let since = Instant::now();
        let asked = [
            keyring.get(&name("openai")).map(drop),
            keyring.set(&name("openai"), &secret("w"), Millis(1)),
            keyring.list().map(drop),
        ];
        for result in asked {
            let error = result.expect_err("it is locked");
            assert!(matches!(error, SecretsError::Locked { .. }), "{error:?}");
        }
        assert!(
            granted(since) < Duration::from_secs(9),
            "{:?}",
            since.elapsed()
        );
    }
}

#[test]
fn sec_01_a_bus_without_a_service_is_told_at_once() {
    let bus = Bus::start();
    granted::measure();
    let since = Instant::now();
    let keyring = Keyring::new(bus.inputs("aa"));
    for error in [
        Keyring::probe(&bus.inputs("aa"))
            .map(drop)
            .expect_err("none"),
        keyring
            .set(&name("k"), &secret("v"), Millis(1))
            .expect_err("none"),
    ] {
        assert!(matches!(error, SecretsError::Unavailable { .. }));
        assert!(
            error.to_string().contains("org.freedesktop.secrets"),
            "{error}"
        );
    }
    assert!(
        granted(since) < Duration::from_secs(3),
        "{:?}",
        since.elapsed()
    );
}

#[test]
fn sec_01_a_collection_in_memory_is_not_used() {
    let mut bus = Bus::start();
    bus.keyring();
    let session = "objpath:/org/freedesktop/secrets/collection/session";
    call(&bus, "SetAlias", &["string:default", session]);
    let error = Keyring::new(bus.inputs("aa"))
        .set(&name("k"), &secret("v"), Millis(1))
        .expect_err("memory");
    assert!(error.to_string().contains("memory"), "{error}");
    assert_eq!(
        bus.output("secret-tool", &["search", "--all", "service", "taffrail"]),
        ""
    );
}

#[test]
fn sec_01_many_threads_may_ask_at_once() {
    let mut bus = Bus::start();
    bus.keyring();
    let keyring = Keyring::new(bus.inputs("aa"));
    std::thread::scope(|scope| {
        for turn in 0..8 {
            let keyring = &keyring;
            scope.spawn(move || {
                keyring
                    .set(&name(&format!("k{turn}")), &secret("v"), Millis(1))
                    .unwrap()
            });
        }
    });
    assert_eq!(keyring.list().unwrap().len(), 8);
}

fn lock(bus: &Bus) {
    let login = "array:objpath:/org/freedesktop/secrets/collection/login";
    call(bus, "Lock", &[login]);
}

fn call(bus: &Bus, method: &str, args: &[&str]) {
    let method = format!("org.freedesktop.Secret.Service.{method}");
    let mut line = vec![
        "--session",
        "--print-reply",
        "--dest=org.freedesktop.secrets",
        "/org/freedesktop/secrets",
        &method,
    ];
    line.extend(args);
    let ran = bus.program("dbus-send").args(line).output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}
