//! Promise: whatever a client sends to the tools of slates, it is contained, told what is wrong in words that help, and
//! nothing is kept that should not be (XSL-03, XSL-04, XSL-05, XSL-07, XSL-08).
#![allow(clippy::print_stdout)] // says what a failure is told by
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod cases;
#[path = "../common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cases::{Case, HOST, TOOLS, Wanted, secrets, without_text};
use common::mcp::{Server, live_files, record};
use common::{committed, world};
use serde_json::json;

#[test]
fn xsl_03_s34_two_hundred_hostile_calls_are_contained_and_nothing_is_kept_that_should_not_be() {
    let world = world();
    let repo = committed(&world);
    let project = repo.digest_with_times();
    let mut server = Server::spawn(&world, repo.root(), &[]);
    let secret = &secrets()[0];
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": format!("client {secret}"), "version": secret},
    });
    server.initialized = server.request("initialize", &hello).0;
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    server.open(HOST);
    server.open("first");
    server.close("first");
    let before = paths(&world.taffrail_home());

    let cases = cases::all();
    assert!(cases.len() >= 200, "{}", cases.len());
    println!("{} hostile calls", cases.len());
    let mut opened = BTreeSet::from([HOST.to_owned()]);
    for case in &cases {
        judge(&mut server, case, &mut opened);
    }
    let live: BTreeSet<String> = live_files(&world)
        .iter()
        .map(|path| {
            record(path)["externalSessionId"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(live, opened, "exactly what was opened is open");
    assert_origins(&world);
    for id in &opened {
        server.close(id);
    }
    assert_eq!(server.end(), Some(0));

    assert_eq!(repo.digest_with_times(), project, "the project was touched");
    let slates = |path: &&PathBuf| {
        path.components()
            .any(|part| part.as_os_str() == "external-slates")
    };
    let after = paths(&world.taffrail_home());
    let new: Vec<&PathBuf> = after.difference(&before).collect();
    let strange: Vec<&&PathBuf> = new.iter().filter(|path| !slates(path)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert_eq!(
        new.iter()
            .filter(|path| slates(path) && path.extension().is_some())
            .count(),
        opened.len()
    );
    assert_no_secret(world.root());
}

fn judge(server: &mut Server, case: &Case, opened: &mut BTreeSet<String>) {
    let (tool, shown) = (case.tool, case.arguments.to_string());
    let shown: String = shown.chars().take(200).collect();
    let answer = server.call(tool, &case.arguments);
    let whole = answer.0.to_string();
    for secret in secrets() {
        assert!(!whole.contains(&secret), "{tool} {shown}: {whole}");
    }
    match &case.wanted {
        Wanted::Refused(words) => {
            assert!(answer.is_refused(), "{tool} {shown}: {whole}");
            let said = answer.refused();
            assert!(said.chars().count() < 1_000, "{tool} {shown}: {said}");
            for word in words.iter().map(String::as_str).chain([tool]) {
                assert!(
                    plain(said).contains(word),
                    "`{word}`: {tool} {shown}: {said}"
                );
            }
            let is_control = |at: char| at.is_control() && at != '\n';
            assert!(!said.contains(is_control), "{tool} {shown}: {said:?}");
        }
        Wanted::Opened(id) => {
            assert_eq!(answer.done()["externalSessionId"], **id, "{shown}");
            opened.insert(id.clone());
        }
        Wanted::Done => drop(answer.done()),
    }
}

/// Without the commas of thousands.
fn plain(said: &str) -> String {
    said.replace(',', "")
}

fn assert_origins(world: &taffrail_testkit::Hermetic) {
    for path in live_files(world) {
        let slate = record(&path);
        for seed in slate["seeds"].as_array().unwrap() {
            assert_eq!(seed["origin"]["harness"], "mcp-external", "{seed}");
            assert_eq!(seed["trust"], "external-unverified", "{seed}");
        }
    }
}

/// Every path below a folder.
fn paths(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            }
            found.insert(entry.path());
        }
    }
    found
}

/// No secret in a name or a byte of anything below, the database with all its pages included.
fn assert_no_secret(folder: &Path) {
    let mut files = 0;
    for path in paths(folder) {
        let name = path.as_os_str().as_bytes().to_ascii_lowercase();
        let bytes = if path.is_file() {
            std::fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        files += 1;
        for secret in secrets() {
            let secret = secret.as_bytes();
            let holds = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|at| at == part);
            assert!(!holds(&bytes, secret), "a secret in {}", path.display());
            assert!(
                !holds(&name, &secret.to_ascii_lowercase()),
                "a secret's name: {}",
                path.display()
            );
        }
    }
    assert!(files > 10, "{}", folder.display());
}

#[test]
fn xsl_04_an_id_that_is_a_secret_is_kept_nowhere() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    server.open(HOST);
    for secret in secrets() {
        for tool in TOOLS {
            let mut arguments = json!({"externalSessionId": secret, "text": "In order."});
            arguments = without_text(tool, arguments);
            let answer = server.call(tool, &arguments);
            assert!(!answer.refused().contains(&secret), "{}", answer.0);
        }
    }
    assert_eq!(server.end(), Some(0));
    assert_eq!(live_files(&world).len(), 1);
    assert_no_secret(world.root());
}
