//! Promise: what an existing project of another harness left in its slates can be brought in, masked, once, unbound, and whatever
//! its files say, nothing of theirs is written or followed (XSL-09, XSL-14).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::PathBuf;

use common::mcp::Server;
use common::memory::data_in;
use common::slates::{assert_has, candidate, catch_up, done, list, show, told};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Repo};

const DECISION: &str = "The harbour crane is greased with lithium soap.";
const RISK: &str = "The harbour crane may stall when the tide gauge is frozen.";

/// A slate as keryx keeps it, with `more` in place of what every one has.
fn kept(id: &str, seeds: &[Value], more: &Value) -> String {
    let mut slate = json!({
        "externalSessionId": id,
        "anchors": {"root": "/home/ada/harbour", "touched": ["a.ts"], "note": "the crane"},
        "seeds": seeds,
        "lastWriteAt": "2026-08-22T10:11:12.345Z",
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        slate[key] = value.clone();
    }
    slate.to_string()
}

fn seed(number: u32, text: &str, kind: Option<&str>) -> Value {
    let mut seed = json!({
        "id": format!("seed-00000000-0000-4000-8000-{number:012}"),
        "text": text,
        "ts": "2026-08-22T10:11:12.000Z",
        "origin": {"harness": "mcp-external"},
        "trust": "external-unverified",
    });
    if let Some(kind) = kind {
        seed["kind"] = json!(kind);
    }
    seed
}

fn slates(repo: &Repo) -> PathBuf {
    repo.root().join(".keryx/external-slates")
}

/// Writes files into the slates of a keryx project in the repository.
fn files(repo: &Repo, files: &[(&str, String)]) {
    for (name, text) in files {
        let path = slates(repo).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[track_caller]
fn import(world: &Hermetic, repo: &Repo) -> Value {
    let line = ["workspace", "import", "--from", "keryx", ".", "--json"];
    data_in(world, repo.root(), &line)
}

#[test]
fn xsl_09_slates_come_in_unbound_and_nothing_there_is_written() {
    let (world, repo) = told();
    let closed = json!({"closedAt": "2026-08-22T11:00:00.000Z", "workspaceId": "workspace-0123"});
    let one = [seed(1, DECISION, Some("decision")), seed(2, RISK, None)];
    let lines = [
        ("one.json", kept("one", &one, &closed)),
        ("empty.json", kept("empty", &[], &Value::Null)),
        ("one.json.lock/owner.json", "{\"pid\":1}".to_owned()),
        (
            "one/slate-archive/x-unbound-candidate.json",
            "{}".to_owned(),
        ),
    ];
    files(&repo, &lines);
    let before = taffrail_testkit::digest(&repo.root().join(".keryx"));
    let report = import(&world, &repo);
    assert_eq!(report["project"], "project");
    assert_eq!(
        (&report["empty"], &report["skipped"]),
        (&json!(1), &json!([]))
    );
    assert_eq!(
        taffrail_testkit::digest(&repo.root().join(".keryx")),
        before
    );
    let waits = catch_up(&world, repo.root());
    let unbound = &waits["unbound"][0];
    assert_eq!(list(&waits, "unbound").len(), 1);
    assert_eq!(
        (&unbound["slate"], &unbound["trigger"]),
        (&json!("one"), &json!("import"))
    );
    assert_eq!(unbound["summary"], "2 seeds: 1 decision, 1 follow-up");
    assert_eq!(unbound["seeds"][0]["origin"], json!({"harness": "keryx"}));

    // Bound, they are reviewed like every other seed.
    let id = unbound["unbound"].as_str().unwrap();
    done(
        &world,
        repo.root(),
        &["workspace", "bind", id, "--new", "from keryx"],
    );
    let (_, memory) = candidate(&catch_up(&world, repo.root()), "decision");
    let shown = show(&world, repo.root(), &memory);
    assert_eq!(shown["seeds"][0]["origin"]["harness"], "keryx");
    assert_eq!(
        (&shown["channel"], &shown["status"]),
        (&json!("external"), &json!("pending"))
    );
}

#[test]
fn xsl_09_a_second_import_brings_only_what_is_new() {
    let (world, repo) = told();
    let two = [seed(1, DECISION, None), seed(2, RISK, None)];
    files(&repo, &[("one.json", kept("one", &two, &Value::Null))]);
    assert_eq!(import(&world, &repo)["imported"][0]["seeds"], 2);
    let again = import(&world, &repo);
    assert_eq!(
        (&again["imported"], &again["same"]),
        (&json!([]), &json!(1))
    );
    let [one, two] = two;
    let three = [one, two, seed(3, "A third thing.", None)];
    files(&repo, &[("one.json", kept("one", &three, &Value::Null))]);
    let third = import(&world, &repo);
    let brought = &third["imported"][0];
    assert_eq!(
        (&brought["seeds"], &brought["generation"]),
        (&json!(1), &json!(2))
    );
    let waits = catch_up(&world, repo.root());
    assert_eq!(list(&waits, "unbound").len(), 2);
    assert_eq!(waits["unbound"][1]["seeds"][0]["text"], "A third thing.");
    // What went from the file and is back is not new.
    files(
        &repo,
        &[("one.json", kept("one", &three[2..], &Value::Null))],
    );
    assert_eq!(import(&world, &repo)["same"], 1);
    files(&repo, &[("one.json", kept("one", &three, &Value::Null))]);
    assert_eq!(import(&world, &repo)["same"], 1);
}

#[test]
fn xsl_08_secrets_of_an_imported_slate_reach_no_disk() {
    let (world, repo) = told();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let noted = json!({"anchors": {"root": format!("/x/{token}"), "note": format!("push {token}"), "touched": [&token]}});
    let seeds = [seed(1, &format!("deploy with {token}"), None)];
    files(&repo, &[("one.json", kept("one", &seeds, &noted))]);
    let report = import(&world, &repo);
    assert_eq!(report["imported"][0]["seeds"], 1, "{report}");
    let waits = catch_up(&world, repo.root());
    assert!(!waits.to_string().contains(&token), "{waits}");
    let holds = |name: &str| {
        let bytes = std::fs::read(world.taffrail_home().join(name)).unwrap_or_default();
        bytes
            .windows(token.len())
            .any(|part| part == token.as_bytes())
    };
    assert!(!holds("taffrail.db") && !holds("taffrail.db-wal"));
}

#[test]
fn xsl_14_what_makes_no_sense_is_passed_over_and_named() {
    let (world, repo) = told();
    let good = [
        seed(1, DECISION, Some("decision")),
        json!({"text": 5}),
        seed(2, &"x".repeat(4_001), None),
        seed(3, "odd", Some("nonsense")),
    ];
    let twice = [seed(7, "two files for one", None)];
    let lines = [
        ("good.json", kept("good", &good, &Value::Null)),
        ("torn.json", "{\"externalSessionId\":\"torn\"".to_owned()),
        ("list.json", "[]".to_owned()),
        ("noid.json", "{}".to_owned()),
        ("evil.json", kept("../../evil", &good, &Value::Null)),
        ("other.json", kept("good", &twice, &Value::Null)),
        ("deep.json", "[".repeat(100_000)),
        ("a\u{1b}[2J.json", "{".to_owned()),
        ("big.json", " ".repeat((16 << 20) + 1)),
        ("notes.txt", "not one of them".to_owned()),
    ];
    files(&repo, &lines);
    let report = import(&world, &repo);
    let imported = list(&report, "imported");
    assert_eq!(imported.len(), 1, "{report}");
    let good = &imported[0];
    assert_eq!(
        (&good["slate"], &good["seeds"]),
        (&json!("good"), &json!(2))
    );
    assert_eq!(list(good, "remarks").len(), 3, "{report}");
    let skipped: Vec<_> = list(&report, "skipped")
        .iter()
        .map(|one| &one["place"])
        .collect();
    for name in ["torn", "list", "noid", "evil", "other", "deep", "big"] {
        let name = json!(format!("{name}.json"));
        assert!(skipped.contains(&&name), "{name}: {skipped:?}");
    }
    assert_eq!(skipped.len(), 8, "{skipped:?}");
    assert!(!report.to_string().contains("\\u001b"), "{report}");
    let line = ["workspace", "import", "--from", "keryx", "."];
    let said = done(&world, repo.root(), &line).stderr;
    assert_has(
        &said,
        &["skipped torn.json", "0 new for project, 1 as before"],
    );
}

#[test]
fn xsl_14_links_and_pipes_are_not_followed() {
    let (world, repo) = told();
    let outside = world.root().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    let text = kept("linked", &[seed(9, "stolen", None)], &Value::Null);
    std::fs::write(outside.join("linked.json"), text).unwrap();
    files(&repo, &[("empty.json", kept("empty", &[], &Value::Null))]);
    let link = slates(&repo).join("linked.json");
    std::os::unix::fs::symlink(outside.join("linked.json"), link).unwrap();
    let (pipe, read) = (slates(&repo).join("pipe.json"), rustix::fs::Mode::RUSR);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, pipe, fifo, read, 0).unwrap();
    let report = import(&world, &repo);
    assert_eq!(report["imported"], json!([]), "{report}");
    assert_eq!(list(&report, "skipped").len(), 2, "{report}");
    // Nor is a folder that is itself a link.
    std::fs::remove_dir_all(slates(&repo)).unwrap();
    std::os::unix::fs::symlink(&outside, slates(&repo)).unwrap();
    let line = ["workspace", "import", "--from", "keryx", "."];
    let ran = world.taffrail_in(repo.root(), &line);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(catch_up(&world, repo.root())["unbound"], json!([]));
    // The twin: named by the person, the same folder is read.
    std::fs::rename(&outside, world.root().join("external-slates")).unwrap();
    let named = world.root().join("external-slates");
    let line = [
        "workspace",
        "import",
        "--from",
        "keryx",
        named.to_str().unwrap(),
        "--project",
        "project",
        "--json",
    ];
    let report = data_in(&world, repo.root(), &line);
    assert_eq!(report["imported"][0]["slate"], "linked", "{report}");
}

#[test]
fn cli_01_a_folder_without_slates_is_an_error() {
    let (world, repo) = told();
    for (folder, why) in [
        ("nowhere", "is not there"),
        (".", "has no .keryx/external-slates"),
    ] {
        let line = ["workspace", "import", "--from", "keryx", folder];
        let ran = world.taffrail_in(repo.root(), &line);
        assert!(ran.code == 2 && ran.stderr.contains(why), "{ran:?}");
    }
}

#[test]
fn xsl_09_an_import_takes_no_generation_from_a_slate_that_is_open_here() {
    let (world, repo) = told();
    let folder = repo.root();
    let mut server = Server::start(&world, folder);
    server.open("one");
    server.write("one", "written here");
    let theirs = [seed(1, DECISION, None)];
    files(&repo, &[("one.json", kept("one", &theirs, &Value::Null))]);
    let report = import(&world, &repo);
    assert_eq!(report["imported"][0]["generation"], 2, "{report}");
    let closed = server.close("one");
    assert_eq!(closed["proposals"][0]["candidates"], 1, "{closed}");
    let waits = catch_up(&world, folder);
    let (_, memory) = candidate(&waits, "follow-up");
    assert_eq!(
        show(&world, folder, &memory)["text"]["content"],
        "written here"
    );
    assert_eq!(list(&waits, "unbound").len(), 1);
    // The id goes on behind both.
    assert_eq!(server.open("one")["generation"], 3);
}

/// Every import looks at what came before under the lock of the slate, and notes what it brought in the same write.
#[test]
fn xsl_09_imports_at_once_bring_each_slate_once() {
    let (world, repo) = told();
    let lines: Vec<(String, String)> = (0..12)
        .map(|at| {
            let id = format!("slate-{at}");
            let text = format!("Buoy {at} is painted red.");
            let slate = kept(&id, &[seed(at, &text, None)], &Value::Null);
            (format!("{id}.json"), slate)
        })
        .collect();
    let lines: Vec<(&str, String)> = lines
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone()))
        .collect();
    files(&repo, &lines);
    let reports: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| import(&world, &repo)))
            .collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let brought: usize = reports
        .iter()
        .map(|report| report["imported"].as_array().unwrap().len())
        .sum();
    let waits = catch_up(&world, repo.root());
    assert_eq!((brought, list(&waits, "unbound").len()), (12, 12));
}
