//! Promise: what another program drops into a slate waits for a person, whole and with its origin, and steers nothing until that
//! person said so (XSL-09, XSL-10, XSL-14, XSL-15).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::mcp::{CLIENT, Server, slate_folder};
use common::memory::{add, asked_code, confirm, data_in, prompt, said, search, with_secrets_file};
use common::{PATIENCE, committed, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Key, Repo, Terminal};

const QUERY: &str = "how is the harbour crane greased";
const DECISION: &str =
    "The harbour crane is greased with lithium soap. Graphite wore the bearings out.";
const RISK: &str = "The harbour crane may stall when the tide gauge is frozen.";

fn told() -> (Hermetic, Repo) {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    (world, repo)
}

/// Opens a slate, writes seeds of a kind each, closes it, and gives what the close answered.
#[track_caller]
fn slate(world: &Hermetic, folder: &Path, id: &str, seeds: &[(Option<&str>, &str)]) -> Value {
    let mut server = Server::start(world, folder);
    let anchors = json!({"root": folder, "note": "the crane", "touched": ["src/main.txt"]});
    let open = json!({"externalSessionId": id, "anchors": anchors});
    server.call("slate.open", &open).done();
    for (kind, text) in seeds {
        let mut seed = json!({"externalSessionId": id, "text": text});
        if let Some(kind) = kind {
            seed["kind"] = json!(kind);
        }
        server.call("slate.writeSeed", &seed).done();
    }
    server.close(id)
}

/// The same where two workspaces are active, so that the slate belongs to none; its unbound candidate.
#[track_caller]
fn unbound_slate(
    world: &Hermetic,
    folder: &Path,
    id: &str,
    seeds: &[(Option<&str>, &str)],
) -> String {
    for title in ["cranes", "locks"] {
        let known = data_in(world, folder, &["workspace", "list", "--json"]);
        if !known
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["title"] == title)
        {
            world
                .taffrail_in(folder, &["workspace", "create", title])
                .success();
        }
    }
    let closed = slate(world, folder, id, seeds);
    assert_eq!(closed["unbound"], true, "{closed}");
    let waits = catch_up(world, folder);
    let found = waits["unbound"].as_array().unwrap().iter();
    let mut found = found.filter(|one| one["slate"] == id);
    found.next().unwrap()["unbound"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[track_caller]
fn catch_up(world: &Hermetic, folder: &Path) -> Value {
    data_in(world, folder, &["workspace", "catch-up", "--json"])
}

#[track_caller]
fn show(world: &Hermetic, folder: &Path, memory: &str) -> Value {
    data_in(world, folder, &["memory", "show", memory, "--json"])
}

fn review(world: &Hermetic, folder: &Path, what: &str) -> Terminal {
    let terminal = world.person(folder, &["workspace", "review", what]);
    terminal.wait_for("[?]", PATIENCE);
    terminal
}

/// The memory of the only candidate of a kind that waits.
#[track_caller]
fn candidate(waits: &Value, kind: &str) -> (String, String) {
    let mut proposals = waits["proposals"].as_array().unwrap().iter();
    let proposal = proposals.find(|one| one["kind"] == kind).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        text(&proposal["proposal"]),
        text(&proposal["candidates"][0]["memory"]),
    )
}

#[test]
fn xsl_15_a_seed_is_reviewed_on_a_terminal_and_recalled_only_then() {
    let (world, repo) = told();
    let folder = repo.root();
    let closed = slate(
        &world,
        folder,
        "s1",
        &[(Some("decision"), DECISION), (Some("risk"), RISK)],
    );
    assert_eq!(closed["unbound"], false, "{closed}");
    let waits = catch_up(&world, folder);
    let (proposal, decision) = candidate(&waits, "decision");
    let (_, risk) = candidate(&waits, "risk");

    // A pending one is in no prompt; the twin: whoever asks for pending ones finds it.
    assert!(!prompt(&world, folder, QUERY).contains("lithium"));
    assert!(search(&world, folder, &[QUERY]).is_empty());
    assert!(search(&world, folder, &["--include", "pending", QUERY]).contains(&decision));

    let mut terminal = review(&world, folder, &proposal);
    let screen = said(&terminal);
    for words in [
        "1 to review of prp_",
        "lithium soap",
        "Graphite wore",
        CLIENT,
        "its own words",
        "mcp-external",
        "external-unverified",
        "s1 generation 1",
        "channel external",
        "branch main",
    ] {
        assert!(screen.contains(words), "`{words}` is not in {screen}");
    }
    assert!(!screen.contains("tide gauge"), "{screen}");
    terminal.send("c");
    terminal.wait_for("digits of its hash", PATIENCE);
    let code = asked_code(&terminal);
    terminal.send(&code);
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));

    let workspace = waits["proposals"][0]["workspace"].as_str().unwrap();
    let mut terminal = review(&world, folder, workspace);
    assert!(said(&terminal).contains("tide gauge") && !said(&terminal).contains("lithium"));
    terminal.send("x");
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));

    assert_eq!(
        search(&world, folder, &[QUERY]),
        std::slice::from_ref(&decision)
    );
    let given = prompt(&world, folder, QUERY);
    assert!(
        given.contains("lithium") && !given.contains("tide gauge"),
        "{given}"
    );
    assert_eq!(show(&world, folder, &risk)["status"], "rejected");
    // What was decided waits no more.
    assert_eq!(catch_up(&world, folder)["proposals"], json!([]));
    let ran = world
        .taffrail_in(folder, &["workspace", "catch-up"])
        .success();
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("nothing waits"),
        "{ran:?}"
    );
}

#[test]
fn xsl_15_a_rejected_seed_does_not_come_back() {
    let (world, repo) = told();
    let folder = repo.root();
    slate(&world, folder, "s1", &[(Some("decision"), DECISION)]);
    let (proposal, memory) = candidate(&catch_up(&world, folder), "decision");
    let mut terminal = review(&world, folder, &proposal);
    terminal.send("x");
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    // The same slate, and another one, say it again.
    for id in ["s1", "s2"] {
        slate(&world, folder, id, &[(Some("decision"), DECISION)]);
    }
    assert_eq!(show(&world, folder, &memory)["status"], "rejected");
    assert_eq!(catch_up(&world, folder)["proposals"], json!([]));
    assert!(!prompt(&world, folder, QUERY).contains("lithium"));
}

#[test]
fn xsl_09_a_memory_says_in_json_who_wrote_its_seed_and_what_the_work_stood_on() {
    let (world, repo) = told();
    let folder = repo.root();
    slate(&world, folder, "s1", &[(Some("decision"), DECISION)]);
    let (proposal, memory) = candidate(&catch_up(&world, folder), "decision");
    let shown = show(&world, folder, &memory);
    assert_eq!(shown["channel"], "external");
    assert_eq!(shown["first_provenance"], "generated");
    assert_eq!(shown["type"], "decision");
    assert_eq!(shown["slate_kind"], "decision");
    assert_eq!(shown["source"]["task"], "s1#1");
    assert_eq!(shown["source"]["client"], format!("{CLIENT} 1.2.3"));
    assert_eq!(shown["text"]["content"], DECISION);
    let seed = &shown["seeds"][0];
    assert_eq!(seed["proposal"], proposal);
    assert_eq!(
        (&seed["slate"], &seed["generation"]),
        (&json!("s1"), &json!(1))
    );
    assert_eq!(seed["trust"], "external-unverified");
    assert_eq!(
        seed["origin"],
        json!({"harness": "mcp-external", "client": {"name": CLIENT, "version": "1.2.3"}})
    );
    assert_eq!(seed["anchors"]["note"], "the crane");
    let evidence = &shown["evidence"];
    assert_eq!(evidence["slate"], json!({"id": "s1", "generation": 1}));
    assert_eq!(evidence["seed"]["hash"], seed["hash"]);
    assert_eq!(evidence["git"]["branch"], "main", "{evidence}");
    assert_eq!(
        evidence["git"]["base"].as_str().map(str::len),
        Some(40),
        "{evidence}"
    );
    let text = world
        .taffrail_in(folder, &["memory", "show", &memory])
        .success()
        .stdout;
    for words in [
        "external-unverified",
        "s1 generation 1",
        &proposal,
        "it says note the crane",
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    // One that no seed said has none.
    let typed = add(&world, folder, &["Something that a person typed."]);
    assert_eq!(show(&world, folder, &typed)["seeds"], json!([]));
}

#[test]
fn xsl_10_repeats_are_proposed_once_and_what_resembles_stands_beside_the_candidate() {
    let (world, repo) = told();
    let folder = repo.root();
    let accepted = add(
        &world,
        folder,
        &[
            "--type",
            "decision",
            "The harbour crane is greased with lithium soap every Monday.",
        ],
    );
    confirm(&world, folder, &accepted);
    let near = "The harbour crane is greased with lithium soap every Friday.";
    let spaced = format!("  {near}\n");
    let closed = slate(
        &world,
        folder,
        "s1",
        &[
            (Some("decision"), near),
            (Some("decision"), near),
            (None, &spaced),
        ],
    );
    assert_eq!(closed["proposals"].as_array().unwrap().len(), 1, "{closed}");
    assert_eq!(closed["proposals"][0]["candidates"], 1, "{closed}");
    let (proposal, memory) = candidate(&catch_up(&world, folder), "decision");
    assert_eq!(
        show(&world, folder, &memory)["neighbours"][0]["memory"],
        accepted
    );
    let mut terminal = review(&world, folder, &proposal);
    let screen = said(&terminal);
    assert!(
        screen.contains("resembles") && screen.contains(&accepted),
        "{screen}"
    );
    terminal.send("q");
    terminal.wait_exit(PATIENCE);
}

#[test]
fn xsl_09_a_long_page_stays_whole_and_an_absent_kind_is_a_follow_up() {
    let (world, repo) = told();
    let folder = repo.root();
    let page = "A page about cranes. ".repeat(190);
    let seeds = [
        (Some("wiki-update"), page.as_str()),
        (None, "Who greases the second crane?"),
        (
            Some("wiki-update"),
            "The page about locks is at docs/locks.md.",
        ),
    ];
    slate(&world, folder, "s1", &seeds);
    let waits = catch_up(&world, folder);
    assert_eq!(waits["blocked"], json!([]), "{waits}");
    let (_, long) = candidate(&waits, "wiki-update");
    let long = show(&world, folder, &long);
    assert_eq!(
        (&long["type"], &long["slate_kind"]),
        (&json!("lesson"), &json!("wiki-update"))
    );
    assert_eq!(
        long["text"]["content"].as_str().unwrap().trim_end(),
        page.trim_end()
    );
    let proposals = waits["proposals"].as_array().unwrap();
    let wiki = proposals
        .iter()
        .find(|one| one["kind"] == "wiki-update")
        .unwrap();
    assert_eq!(wiki["candidates"][1]["type"], "output", "{wiki}");
    let (_, question) = candidate(&waits, "follow-up");
    assert_eq!(show(&world, folder, &question)["type"], "open_question");
}

#[test]
fn xsl_09_a_refused_seed_is_named_with_its_reason_and_the_others_go_on() {
    let (world, repo) = told();
    let folder = repo.root();
    // Letters that nobody sees: more than blanks to a slate, no ink to the guardrails.
    let unseen = "\u{e0041}\u{e0042}";
    let closed = slate(
        &world,
        folder,
        "s1",
        &[(Some("decision"), unseen), (Some("decision"), DECISION)],
    );
    assert_eq!(closed["proposals"][0]["candidates"], 1, "{closed}");
    let waits = catch_up(&world, folder);
    let blocked = &waits["blocked"][0];
    assert_eq!(blocked["kind"], "decision", "{waits}");
    assert!(
        blocked["reason"].as_str().unwrap().contains("is empty"),
        "{blocked}"
    );
    assert_eq!(waits["proposals"][0]["waiting"], 1);
    let text = world
        .taffrail_in(folder, &["workspace", "catch-up"])
        .success()
        .stdout;
    assert!(
        text.contains("refused by the guardrails") && text.contains("is empty"),
        "{text}"
    );
    let workspace = blocked["workspace"].as_str().unwrap();
    let whole = data_in(&world, folder, &["workspace", "show", workspace, "--json"]);
    assert_eq!(
        whole["holds"][0]["candidates"][0]["outcome"], "blocked",
        "{whole}"
    );
    let journal = data_in(&world, folder, &["audit", "show", "--json"]);
    let kinds: Vec<_> = journal
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["kind"].clone())
        .collect();
    assert!(kinds.contains(&json!("memory_blocked")), "{kinds:?}");
}

#[test]
fn xsl_09_an_unbound_candidate_is_bound_by_a_person_and_is_then_as_if_it_had_been_bound() {
    let (world, repo) = told();
    let folder = repo.root();
    let seeds = [
        (None, "Who greases the second crane?"),
        (None, "Where is the soap?"),
        (Some("risk"), RISK),
    ];
    let unbound = unbound_slate(&world, folder, "s1", &seeds);
    let text = world
        .taffrail_in(folder, &["workspace", "catch-up"])
        .success()
        .stdout;
    for words in [
        "of no workspace",
        "3 seeds: 2 follow-up, 1 risk",
        "Where is the soap?",
        "external-unverified",
        &format!("taffrail workspace bind {unbound}"),
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    // Nobody can say which of two is meant.
    let ran = world.taffrail_in(folder, &["workspace", "bind", &unbound]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("2 active workspace(s)")
            && ran.stderr.contains(&format!("bind {unbound} WORKSPACE")),
        "{ran:?}"
    );
    // An agent is told no.
    for line in [
        vec!["workspace", "bind", &unbound, "cranes"],
        vec!["workspace", "dismiss", &unbound],
    ] {
        let ran = world
            .command(&line)
            .in_directory(folder)
            .env("CLAUDECODE", "1")
            .go();
        assert_eq!(ran.code, 3, "{ran:?}");
    }
    let bound = data_in(
        &world,
        folder,
        &["workspace", "bind", &unbound, "cranes", "--json"],
    );
    let kinds: Vec<_> = bound["bound"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].clone())
        .collect();
    assert_eq!(kinds, [json!("follow-up"), json!("risk")], "{bound}");
    let waits = catch_up(&world, folder);
    assert_eq!(waits["unbound"], json!([]));
    let (_, risk) = candidate(&waits, "risk");
    let risk = show(&world, folder, &risk);
    assert_eq!(risk["evidence"]["slate"]["id"], "s1");
    assert_eq!(risk["seeds"][0]["trust"], "external-unverified");
    assert_eq!(
        (&risk["type"], &risk["open"]),
        (&json!("constraint"), &json!(true))
    );
    let again = world.taffrail_in(folder, &["workspace", "bind", &unbound, "locks", "--json"]);
    assert_eq!(
        again.json()["error"]["code"],
        "unbound_decided",
        "{again:?}"
    );
    let journal = data_in(&world, folder, &["audit", "verify", "--json"]);
    assert_eq!(journal["holds"], true);
}

#[test]
fn xsl_09_a_dismissed_candidate_is_listed_no_more_and_can_be_taken_back() {
    let (world, repo) = told();
    let folder = repo.root();
    let unbound = unbound_slate(&world, folder, "s1", &[(None, "Where is the soap?")]);
    world
        .taffrail_in(folder, &["workspace", "dismiss", &unbound])
        .success();
    assert_eq!(catch_up(&world, folder)["unbound"], json!([]));
    let ran = world.taffrail_in(folder, &["workspace", "bind", &unbound, "cranes"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    world
        .taffrail_in(folder, &["workspace", "dismiss", &unbound, "--undo"])
        .success();
    assert_eq!(
        catch_up(&world, folder)["unbound"][0]["seeds"][0]["text"],
        "Where is the soap?"
    );
    let bound = data_in(
        &world,
        folder,
        &["workspace", "bind", &unbound, "--new", "soap", "--json"],
    );
    assert_eq!(
        (&bound["made"], &bound["title"]),
        (&json!(true), &json!("soap"))
    );
}

#[test]
fn xsl_09_a_slate_without_seeds_is_never_listed() {
    let (world, repo) = told();
    let folder = repo.root();
    slate(&world, folder, "bound", &[]);
    world
        .taffrail_in(folder, &["workspace", "create", "another"])
        .success();
    slate(&world, folder, "unbound", &[]);
    let waits = catch_up(&world, folder);
    assert_eq!(
        (&waits["proposals"], &waits["unbound"], &waits["blocked"]),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[test]
fn xsl_06_workspaces_are_made_listed_shown_and_archived() {
    let (world, repo) = told();
    let folder = repo.root();
    let made = data_in(&world, folder, &["workspace", "create", "cranes", "--json"]);
    let id = made["workspace"].as_str().unwrap().to_owned();
    slate(&world, folder, "s1", &[(Some("decision"), DECISION)]);
    let listed = data_in(&world, folder, &["workspace", "list", "--json"]);
    assert_eq!(
        (&listed[0]["workspace"], &listed[0]["waiting"]),
        (&json!(id), &json!(1))
    );
    let text = world
        .taffrail_in(folder, &["workspace", "show", &id])
        .success()
        .stdout;
    for words in [
        "cranes",
        "1 to review",
        "lithium",
        "external-unverified",
        "branch main",
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    world
        .taffrail_in(folder, &["workspace", "archive", &id])
        .success();
    assert_eq!(
        data_in(&world, folder, &["workspace", "list", "--json"]),
        json!([])
    );
    // What waits in it can still be reviewed.
    assert_eq!(
        catch_up(&world, folder)["proposals"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let all = data_in(
        &world,
        folder,
        &["workspace", "list", "--archived", "--json"],
    );
    assert_eq!(all[0]["status"], "archived");
    world
        .taffrail_in(folder, &["workspace", "archive", &id, "--undo"])
        .success();
    assert_eq!(
        data_in(&world, folder, &["workspace", "list", "--json"])[0]["status"],
        "active"
    );
    for (title, code) in [
        ("", 2),
        (" ", 2),
        (&*"x".repeat(201), 2),
        (&*"x".repeat(200), 0),
    ] {
        assert_eq!(
            world
                .taffrail_in(folder, &["workspace", "create", title])
                .code,
            code,
            "{title}"
        );
    }
    for line in [
        ["workspace", "show", "wsp_zzzzzzzzzz"],
        ["workspace", "review", "prp_zzzzzzzzzz"],
        ["workspace", "bind", "unb_zzzzzzzzzz"],
    ] {
        let ran = world.taffrail_in(folder, &line);
        assert!([3, 7].contains(&ran.code), "{ran:?}");
    }
}

#[test]
fn xsl_09_catch_up_keeps_to_the_project_unless_it_is_asked_for_all() {
    let (world, repo) = told();
    slate(&world, repo.root(), "s1", &[(Some("decision"), DECISION)]);
    let other = world.directory("other");
    assert_eq!(catch_up(&world, &other)["proposals"], json!([]));
    let all = data_in(
        &world,
        &other,
        &["workspace", "catch-up", "--all-projects", "--json"],
    );
    assert_eq!(all["proposals"][0]["project"], "project", "{all}");
    let workspace = all["proposals"][0]["workspace"].as_str().unwrap();
    let one = data_in(
        &world,
        &other,
        &["workspace", "catch-up", "--workspace", workspace, "--json"],
    );
    assert_eq!(one["proposals"].as_array().unwrap().len(), 1);
}

#[test]
fn rev_03_no_pipe_reviews_a_proposal() {
    let (world, repo) = told();
    let folder = repo.root();
    slate(&world, folder, "s1", &[(Some("decision"), DECISION)]);
    let (proposal, memory) = candidate(&catch_up(&world, folder), "decision");
    for input in ["", "c\n", "c\n000000\n"] {
        let ran = world
            .command(&["workspace", "review", &proposal])
            .in_directory(folder)
            .input(input)
            .go();
        assert_eq!(ran.code, 3, "{ran:?}");
    }
    assert_eq!(show(&world, folder, &memory)["status"], "pending");
}

#[test]
fn xsl_15_what_a_program_says_of_itself_cannot_repaint_the_screen() {
    let (world, repo) = told();
    let folder = repo.root();
    let mut server = Server::spawn(&world, folder, &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "nice\u{1b}[2J\u{202e}client", "version": "1\r\nconfirmed"},
    });
    server.request("initialize", &hello);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let open = json!({"externalSessionId": "s1", "anchors": {"note": "a\u{1b}]0;b\u{7}"}});
    server.call("slate.open", &open).done();
    server.write("s1", "A text\u{1b}[31m with colours.");
    server.close("s1");
    let memory = catch_up(&world, folder)["proposals"][0]["candidates"][0]["memory"]
        .as_str()
        .unwrap()
        .to_owned();
    for line in [
        vec!["memory", "show", &memory],
        vec!["workspace", "catch-up"],
        vec!["workspace", "list"],
    ] {
        let out = world.taffrail_in(folder, &line).success().stdout;
        assert!(
            !out.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']),
            "{line:?}: {out:?}"
        );
    }
}

#[test]
fn xsl_14_doctor_says_what_waits_and_which_files_are_none() {
    let (world, repo) = told();
    let folder = repo.root();
    unbound_slate(&world, folder, "s1", &[(None, "Where is the soap?")]);
    let clean = data_in(&world, folder, &["doctor", "--json"]);
    let about = |found: &Value, name: &str| -> Vec<Value> {
        let all = found.as_array().unwrap().iter();
        all.filter(|one| one["about"] == name).cloned().collect()
    };
    assert!(
        about(&clean, "workspaces")[0]["saw"]
            .as_str()
            .unwrap()
            .contains("unbound candidates 1")
    );
    assert_eq!(about(&clean, "slates"), Vec::<Value>::new());
    let bad = slate_folder(&world).join("bad.json");
    std::fs::write(&bad, "{\"externalSessionId\":").unwrap();
    std::fs::set_permissions(&bad, Permissions::from_mode(0o600)).unwrap();
    let found = data_in(&world, folder, &["doctor", "--json"]);
    let slates = about(&found, "slates");
    assert_eq!(slates[0]["weight"], "warning", "{slates:?}");
    assert!(
        slates[0]["saw"].as_str().unwrap().contains("bad.json"),
        "{slates:?}"
    );
}

/// A slate as keryx keeps it.
fn keryx_slate(id: &str, seeds: &Value, more: &Value) -> Value {
    let mut slate = json!({
        "externalSessionId": id,
        "anchors": {"root": "/home/ada/harbour", "touched": ["a.ts"], "note": "the crane"},
        "seeds": seeds,
        "lastWriteAt": "2026-08-22T10:11:12.345Z",
    });
    for (key, value) in more.as_object().unwrap() {
        slate[key] = value.clone();
    }
    slate
}

fn keryx_seed(number: u32, text: &str, kind: Option<&str>) -> Value {
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

/// Writes files into the slates of a keryx project below the repository.
fn keryx_files(repo: &Repo, files: &[(&str, String)]) {
    let folder = repo.root().join(".keryx/external-slates");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[track_caller]
fn import(world: &Hermetic, repo: &Repo) -> Value {
    let folder = repo.root();
    data_in(
        world,
        folder,
        &["workspace", "import", "--from", "keryx", ".", "--json"],
    )
}

#[test]
fn xsl_09_slates_of_keryx_come_in_unbound_and_a_second_import_brings_only_what_is_new() {
    let (world, repo) = told();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let secret = format!("deploy with {token}");
    let two = json!([
        keryx_seed(1, DECISION, Some("decision")),
        keryx_seed(2, &secret, None)
    ]);
    let anchored = json!({"anchors": {"root": "", "note": format!("push with {token}")}});
    let closed = json!({"closedAt": "2026-08-22T11:00:00.000Z", "workspaceId": "workspace-0123456789abcdef"});
    let files = [
        ("one.json", keryx_slate("one", &two, &closed).to_string()),
        (
            "noted.json",
            keryx_slate(
                "noted",
                &json!([keryx_seed(3, RISK, Some("risk"))]),
                &anchored,
            )
            .to_string(),
        ),
        (
            "empty.json",
            keryx_slate("empty", &json!([]), &json!({})).to_string(),
        ),
        ("one.json.lock/owner.json", "{\"pid\":1}".to_owned()),
        (
            "one/slate-archive/x-unbound-candidate.json",
            "{}".to_owned(),
        ),
    ];
    keryx_files(&repo, &files);
    let before = taffrail_testkit::digest(&repo.root().join(".keryx"));
    let report = import(&world, &repo);
    let brought: Vec<_> = report["imported"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["slate"].clone(), one["seeds"].clone()))
        .collect();
    assert_eq!(
        brought,
        [(json!("noted"), json!(1)), (json!("one"), json!(2))],
        "{report}"
    );
    assert_eq!(
        (&report["empty"], &report["skipped"], &report["project"]),
        (&json!(1), &json!([]), &json!("project"))
    );
    assert_eq!(
        taffrail_testkit::digest(&repo.root().join(".keryx")),
        before,
        "nothing there is written"
    );

    let waits = catch_up(&world, repo.root());
    assert!(!waits.to_string().contains(&token), "{waits}");
    let unbound = waits["unbound"].as_array().unwrap();
    let one = unbound.iter().find(|one| one["slate"] == "one").unwrap();
    assert_eq!(one["trigger"], "import");
    assert_eq!(one["summary"], "2 seeds: 1 decision, 1 follow-up");
    assert_eq!(one["seeds"][0]["origin"], json!({"harness": "keryx"}));
    for file in ["taffrail.db", "taffrail.db-wal"] {
        let bytes = std::fs::read(world.taffrail_home().join(file)).unwrap_or_default();
        assert!(
            !bytes
                .windows(token.len())
                .any(|part| part == token.as_bytes()),
            "{file}"
        );
    }

    let again = import(&world, &repo);
    assert_eq!(
        (&again["imported"], &again["same"]),
        (&json!([]), &json!(2)),
        "{again}"
    );
    let three = json!([two[0], two[1], keryx_seed(4, "A third thing.", None)]);
    keryx_files(
        &repo,
        &[(
            "one.json",
            keryx_slate("one", &three, &json!({})).to_string(),
        )],
    );
    let third = import(&world, &repo);
    assert_eq!(third["imported"][0]["seeds"], 1, "{third}");
    assert_eq!(third["imported"][0]["generation"], 2, "{third}");

    // Bound, they are reviewed like every other seed.
    let id = one["unbound"].as_str().unwrap();
    world
        .taffrail_in(
            repo.root(),
            &["workspace", "bind", id, "--new", "from keryx"],
        )
        .success();
    let (_, memory) = candidate(&catch_up(&world, repo.root()), "decision");
    let shown = show(&world, repo.root(), &memory);
    assert_eq!(shown["seeds"][0]["origin"]["harness"], "keryx");
    assert_eq!(
        (&shown["channel"], &shown["status"]),
        (&json!("external"), &json!("pending"))
    );
}

#[test]
fn xsl_14_what_makes_no_sense_in_a_folder_of_keryx_is_passed_over_and_named() {
    let (world, repo) = told();
    let outside = world.root().join("outside.json");
    std::fs::write(
        &outside,
        keryx_slate(
            "linked",
            &json!([keryx_seed(9, "stolen", None)]),
            &json!({}),
        )
        .to_string(),
    )
    .unwrap();
    let good = keryx_slate(
        "good",
        &json!([keryx_seed(1, DECISION, Some("decision")), {"text": 5}, keryx_seed(2, &"x".repeat(4_001), None), keryx_seed(3, "odd", Some("nonsense"))]),
        &json!({}),
    );
    let files = [
        ("good.json", good.to_string()),
        ("torn.json", "{\"externalSessionId\":\"torn\"".to_owned()),
        ("list.json", "[]".to_owned()),
        ("noid.json", "{}".to_owned()),
        (
            "evil.json",
            keryx_slate("../../evil", &json!([]), &json!({})).to_string(),
        ),
        (
            "other.json",
            keryx_slate(
                "good",
                &json!([keryx_seed(7, "two files for one", None)]),
                &json!({}),
            )
            .to_string(),
        ),
        ("deep.json", "[".repeat(100_000)),
        ("a\u{1b}[2J.json", "{".to_owned()),
        ("big.json", " ".repeat((16 << 20) + 1)),
        ("notes.txt", "not one of them".to_owned()),
    ];
    keryx_files(&repo, &files);
    let folder = repo.root().join(".keryx/external-slates");
    std::os::unix::fs::symlink(&outside, folder.join("linked.json")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("pipe.json"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let report = import(&world, &repo);
    let imported = report["imported"].as_array().unwrap();
    assert_eq!(imported.len(), 1, "{report}");
    assert_eq!(
        (&imported[0]["slate"], &imported[0]["seeds"]),
        (&json!("good"), &json!(2)),
        "{report}"
    );
    assert_eq!(
        imported[0]["remarks"].as_array().unwrap().len(),
        3,
        "{report}"
    );
    let skipped: Vec<&str> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["place"].as_str().unwrap())
        .collect();
    for name in [
        "torn.json",
        "list.json",
        "noid.json",
        "evil.json",
        "other.json",
        "deep.json",
        "big.json",
        "linked.json",
        "pipe.json",
    ] {
        assert!(skipped.contains(&name), "{name}: {skipped:?}");
    }
    assert_eq!(skipped.len(), 10, "{skipped:?}");
    assert!(!report.to_string().contains("\\u001b"), "{report}");
    // A folder of slates that is a link itself is not followed.
    std::fs::remove_dir_all(repo.root().join(".keryx")).unwrap();
    std::fs::create_dir(repo.root().join(".keryx")).unwrap();
    std::os::unix::fs::symlink(world.root(), &folder).unwrap();
    let ran = world.taffrail_in(
        repo.root(),
        &["workspace", "import", "--from", "keryx", "."],
    );
    assert_ne!(ran.code, 0, "{ran:?}");
    let none = world.taffrail(&["workspace", "import", "--from", "keryx", "nowhere"]);
    assert!(
        none.code != 0 && none.stderr.contains("is not there"),
        "{none:?}"
    );
}

#[test]
fn xsl_09_an_import_takes_no_generation_from_a_slate_that_is_open_here() {
    let (world, repo) = told();
    let folder = repo.root();
    let mut server = Server::start(&world, folder);
    server.open("one");
    server.write("one", "written here");
    keryx_files(
        &repo,
        &[(
            "one.json",
            keryx_slate("one", &json!([keryx_seed(1, DECISION, None)]), &json!({})).to_string(),
        )],
    );
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
    assert_eq!(waits["unbound"].as_array().unwrap().len(), 1);
}

#[test]
fn xsl_09_a_slate_of_a_folder_that_can_be_no_project_is_personal() {
    let (world, _) = told();
    let home = world.home();
    slate(
        &world,
        &home,
        "s1",
        &[(
            Some("memory-entry"),
            "Ada reads tide tables in the morning.",
        )],
    );
    let waits = catch_up(&world, &home);
    assert_eq!(waits["proposals"][0]["project"], Value::Null, "{waits}");
    let (proposal, memory) = candidate(&waits, "memory-entry");
    assert_eq!(show(&world, &home, &memory)["project"], Value::Null);
    let terminal = review(&world, &home, &proposal);
    assert!(said(&terminal).contains("personal"), "{}", said(&terminal));
}

#[test]
fn cli_01_every_key_of_these_answers_is_written_down() {
    let (world, repo) = told();
    let folder = repo.root();
    slate(
        &world,
        folder,
        "s0",
        &[
            (Some("decision"), DECISION),
            (Some("decision"), "\u{e0041}"),
        ],
    );
    let unbound = unbound_slate(&world, folder, "s1", &[(None, "Where is the soap?")]);
    keryx_files(
        &repo,
        &[
            (
                "one.json",
                keryx_slate("one", &json!([keryx_seed(1, RISK, None)]), &json!({})).to_string(),
            ),
            ("bad.json", "{".to_owned()),
        ],
    );
    let report = import(&world, &repo);
    let waits = catch_up(&world, folder);
    let (_, memory) = candidate(&waits, "decision");
    let workspace = waits["proposals"][0]["workspace"].as_str().unwrap();
    let answers = [
        report,
        data_in(
            &world,
            folder,
            &["workspace", "catch-up", "--workspace", workspace, "--json"],
        ),
        data_in(&world, folder, &["workspace", "show", workspace, "--json"]),
        data_in(
            &world,
            folder,
            &["workspace", "bind", &unbound, "cranes", "--json"],
        ),
        data_in(
            &world,
            folder,
            &["workspace", "list", "--archived", "--json"],
        ),
        show(&world, folder, &memory)["seeds"].clone(),
        waits,
    ];
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let text = std::fs::read_to_string(page).unwrap().replace('\n', " ");
    let known: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .flat_map(str::split_whitespace)
        .collect();
    answers.iter().for_each(|answer| keys(answer, &known));
}

fn keys(value: &Value, known: &[&str]) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| keys(one, known)),
        Value::Object(object) => {
            for (key, within) in object {
                assert!(known.contains(&key.as_str()), "`{key}` is in no page");
                if !["anchors", "evidence"].contains(&key.as_str()) {
                    keys(within, known);
                }
            }
        }
        _ => {}
    }
}
