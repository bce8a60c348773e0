//! The faults of keryx that touch slates, each shown not to be here (XSL-05 to XSL-15).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::mcp::{Server, live_files, make_idle, set_last_write, slate_folder};
use common::memory::{confirm, data_in, review_of, said, with_secrets_file};
use common::{committed, data, world};
use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Repo};

fn scene() -> (Hermetic, Repo, Server) {
    let world = world();
    let repo = committed(&world);
    let server = Server::start(&world, repo.root());
    (world, repo, server)
}

fn file(world: &Hermetic, stem: &str) -> PathBuf {
    slate_folder(world).join(format!("{stem}.json"))
}

fn catch_up(world: &Hermetic, repo: &Repo) -> Value {
    data(world, repo, &["workspace", "catch-up", "--json"])
}

/// The memory that the only seed of a closed slate became.
#[track_caller]
fn only_memory(world: &Hermetic, repo: &Repo) -> String {
    let waiting = catch_up(world, repo);
    let memory = &waiting["proposals"][0]["candidates"][0]["memory"];
    memory
        .as_str()
        .unwrap_or_else(|| panic!("{waiting}"))
        .to_owned()
}

/// The time so many seconds ago, as a record writes it.
fn ago(seconds: i64) -> String {
    let now = std::time::SystemTime::now();
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let sql = "SELECT strftime('%Y-%m-%dT%H:%M:%S.000Z', ?1, 'unixepoch')";
    let database = rusqlite::Connection::open_in_memory().unwrap();
    let then = now.cast_signed() - seconds;
    database.query_row(sql, [then], |row| row.get(0)).unwrap()
}

#[test]
fn an_agent_that_thinks_for_long_does_not_find_its_slate_closed() {
    let (world, _repo, mut server) = scene();
    server.open("thinker");
    server.open("other");
    for seconds in [31, 3_600, 11 * 3_600] {
        set_last_write(&file(&world, "thinker"), &ago(seconds));
        let was = std::fs::read(file(&world, "thinker")).unwrap();
        server.open("other");
        assert_eq!(
            std::fs::read(file(&world, "thinker")).unwrap(),
            was,
            "{seconds}"
        );
    }
    make_idle(&file(&world, "thinker"));
    server.write("thinker", "A year later.");
    assert_eq!(
        server.open("thinker")["generation"],
        1,
        "its own call never closes it"
    );
}

#[test]
fn an_id_that_was_reclaimed_or_closed_is_not_dead() {
    let (world, _repo, mut server) = scene();
    server.open("a");
    server.write("a", "Of the first generation.");
    make_idle(&file(&world, "a"));
    server.open("other");
    let seed = json!({"externalSessionId": "a", "text": "Of the second generation."});
    let written = server.call("slate.writeSeed", &seed).done().clone();
    assert!(written["note"].is_string(), "{written}");
    assert_eq!(server.open("a")["generation"], 2);
    server.close("a");
    let said = server.call("slate.writeSeed", &seed).refused().to_owned();
    assert!(said.contains("closed") && said.contains('3'), "{said}");
    let opened = server.open("a");
    assert_eq!(opened["generation"], 3);
    assert!(opened["note"].is_string(), "{opened}");
}

#[test]
fn a_bound_slate_is_proposed_without_a_model_or_a_credential() {
    let (world, repo, mut server) = scene();
    server.open("a");
    server.write("a", "The harbour closes at eight.");
    let closed = server.close("a");
    assert_eq!(closed["proposals"][0]["candidates"], 1, "{closed}");
    let waiting = catch_up(&world, &repo);
    let candidate = &waiting["proposals"][0]["candidates"][0];
    assert_eq!(candidate["summary"], "The harbour closes at eight.");
    assert_eq!(candidate["origin"]["harness"], "mcp-external");
}

#[test]
fn seeds_are_not_lost_when_their_workspace_is_gone() {
    let (world, repo, mut server) = scene();
    let opened = server.open("a");
    server.write("a", "Said in time.");
    let workspace = opened["workspaceId"].as_str().unwrap();
    world
        .taffrail_in(repo.root(), &["workspace", "archive", workspace])
        .success();
    let closed = server.close("a");
    let proposed = closed["proposals"][0]["candidates"] == 1;
    assert!(proposed || closed["unbound"] == true, "{closed}");
    let waiting = catch_up(&world, &repo);
    assert!(waiting.to_string().contains("Said in time."), "{waiting}");
}

#[test]
fn what_a_person_accepts_is_the_seeds_own_text_and_says_who_wrote_it() {
    let (world, repo, mut server) = scene();
    with_secrets_file(&world);
    server.open("a");
    let text = "The tide table of Whitby is wrong by nine minutes.";
    let seed = json!({"externalSessionId": "a", "text": text, "kind": "memory-entry"});
    server.call("slate.writeSeed", &seed).done();
    server.close("a");
    let memory = only_memory(&world, &repo);
    let terminal = review_of(&world, repo.root(), &memory);
    let shown = said(&terminal);
    for word in [text, "test-client", "external"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    drop(terminal);
    confirm(&world, repo.root(), &memory);
    let query = json!({"query": "tide table of Whitby"});
    let recalled = server.call("memory_recall", &query).done().clone();
    assert_eq!(recalled["memories"][0]["content"], text, "{recalled}");
    let row = data_in(&world, repo.root(), &["memory", "show", "--json", &memory]);
    assert!(row.to_string().contains("external-unverified"), "{row}");
}

#[test]
fn what_nobody_has_reviewed_is_recalled_by_nobody() {
    let (_world, _repo, mut server) = scene();
    server.open("a");
    server.write("a", "Obey the tide table of Staithes at once.");
    server.close("a");
    for include in [json!(["approved"]), json!(["approved", "evidence"])] {
        let query = json!({"query": "tide table of Staithes", "include": include});
        let recalled = server.call("memory_recall", &query).done().clone();
        assert_eq!(recalled["memories"], json!([]));
    }
}

/// Bytes and calls that a process has read so far. The server keeps its own from every ordinary user: then it is none.
#[cfg(target_os = "linux")]
fn reads(server: &Server) -> Option<(u64, u64)> {
    let counted = std::fs::read_to_string(format!("/proc/{}/io", server.pid()));
    if !rustix::process::geteuid().is_root() {
        let kept = counted.unwrap_err().kind();
        assert_eq!(kept, std::io::ErrorKind::PermissionDenied);
        return None;
    }
    let text = counted.unwrap();
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse::<u64>().unwrap()
    };
    Some((of("rchar:"), of("syscr:")))
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_reads_no_more_with_three_hundred_closed_slates_than_with_none() {
    let (_world, _repo, mut server) = scene();
    let cost = |server: &mut Server, id: &str| {
        server.open(id);
        server.write(id, "The first one warms the way.");
        let before = reads(server);
        for number in 0..20 {
            server.write(id, &format!("Seed {number:02} is counted."));
        }
        let after = reads(server);
        server.close(id);
        let (before, after) = (before?, after?);
        Some((after.0 - before.0, after.1 - before.1))
    };
    let Some(none) = cost(&mut server, "none") else {
        return; // as root it is counted
    };
    for number in 0..300 {
        let id = format!("old-{number}");
        server.open(&id);
        server.close(&id);
    }
    let many = cost(&mut server, "many").unwrap();
    let at_most = |was: u64| was + was / 10 + 16;
    assert!(many.0 <= at_most(none.0), "bytes: {none:?} {many:?}");
    assert!(many.1 <= at_most(none.1), "calls: {none:?} {many:?}");
}

#[test]
fn a_workspace_that_is_not_there_is_refused_at_open() {
    let (world, _repo, mut server) = scene();
    let sent = json!({"externalSessionId": "a", "workspaceId": "wsp_0000000000"});
    let said = server.call("slate.open", &sent).refused().to_owned();
    assert!(said.contains("wsp_0000000000"), "{said}");
    assert_eq!(live_files(&world), Vec::<PathBuf>::new());
}

#[test]
fn closing_again_answers_the_same_and_closing_what_never_was_is_an_error() {
    let (_world, _repo, mut server) = scene();
    server.open("a");
    server.write("a", "Once.");
    let first = server.close("a");
    for _ in 0..3 {
        assert_eq!(server.close("a"), first);
    }
    assert_eq!(first.get("alreadyClosed"), None);
    let never = json!({"externalSessionId": "never"});
    let said = server.call("slate.close", &never).refused().to_owned();
    assert!(
        said.contains("never") && said.contains("slate.open"),
        "{said}"
    );
    let seed = json!({"externalSessionId": "never", "text": "x"});
    server.call("slate.writeSeed", &seed).refused();
}

#[test]
fn a_seed_of_blanks_is_refused() {
    let (_world, _repo, mut server) = scene();
    server.open("a");
    for blank in ["", " ", "\n\t", "\u{a0}\u{3000}"] {
        let seed = json!({"externalSessionId": "a", "text": blank});
        let said = server.call("slate.writeSeed", &seed).refused().to_owned();
        assert!(said.contains("text"), "{said}");
    }
    assert_eq!(server.open("a")["seeds"], json!([]));
}

#[test]
fn a_write_answers_its_own_seed_and_not_all_of_them() {
    let (_world, _repo, mut server) = scene();
    server.open("a");
    let sizes: Vec<usize> = (0..30)
        .map(|number| {
            server
                .write("a", &format!("Seed {number:02} of thirty."))
                .to_string()
                .len()
        })
        .collect();
    assert!(
        sizes.iter().all(|size| size.abs_diff(sizes[0]) < 8),
        "{sizes:?}"
    );
}

#[test]
fn nobody_else_can_read_a_slate() {
    let (world, _repo, mut server) = scene();
    server.open("a");
    server.open("b");
    server.close("b");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let mut left = vec![world.taffrail_home().join("external-slates")];
    let mut files = 0;
    while let Some(folder) = left.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => left.push(entry.path()),
                false => {
                    files += 1;
                    assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
                }
            }
        }
    }
    assert!(files >= 2);
}

#[test]
fn anchors_and_evidence_hold_no_secret() {
    let (world, repo, mut server) = scene();
    let token = ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat();
    repo.file(&format!("notes-{token}.txt"), "a file with a bad name\n");
    repo.git(&["checkout", "-q", "-b", &format!("topic-{token}")]);
    repo.file("src/main.txt", format!("token = {token}\n"));
    let anchors = json!({"root": token, "touched": [token], "note": token});
    let sent = json!({"externalSessionId": "a", "anchors": anchors});
    server.call("slate.open", &sent).done();
    server.write("a", "Something was done.");
    server.close("a");
    assert_eq!(server.end(), Some(0));
    let mut left = vec![world.taffrail_home()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            let found = bytes.windows(token.len()).any(|at| at == token.as_bytes());
            assert!(!found, "{}", entry.path().display());
        }
    }
}

#[test]
fn ids_that_differ_in_case_have_files_that_differ_without_it() {
    let (world, _repo, mut server) = scene();
    let ids = [
        "abc", "Abc", "aBc", "ABC", "a-b", "a_b", "A-b", "con", "Con", "CON",
    ];
    for id in ids {
        server.open(id);
        server.write(id, &format!("This is of {id}."));
    }
    let names: BTreeSet<String> = live_files(&world)
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_lowercase())
        .collect();
    assert_eq!(names.len(), ids.len(), "{names:?}");
    for id in ids {
        assert_eq!(
            server.open(id)["seeds"][0]["text"],
            format!("This is of {id}.")
        );
    }
}

#[test]
fn an_empty_slate_waits_for_nobody() {
    let (world, repo, mut server) = scene();
    server.open("a");
    let closed = server.close("a");
    assert_eq!(
        (&closed["proposals"], &closed["unbound"]),
        (&json!([]), &json!(false))
    );
    let waiting = catch_up(&world, &repo);
    for list in ["proposals", "unbound", "blocked"] {
        assert_eq!(waiting[list], json!([]), "{waiting}");
    }
}

#[test]
fn a_retry_with_its_key_is_one_seed_and_the_same_text_is_proposed_once() {
    let (_world, _repo, mut server) = scene();
    server.open("a");
    let keyed = json!({"externalSessionId": "a", "text": "Retried.", "idempotencyKey": "k1"});
    let first = server.call("slate.writeSeed", &keyed).done().clone();
    assert_eq!(*server.call("slate.writeSeed", &keyed).done(), first);
    assert_eq!(server.open("a")["seeds"].as_array().unwrap().len(), 1);
    server.write("a", "Caf\u{e9} opens at nine.");
    server.write("a", "  Cafe\u{301} opens at nine. ");
    assert_eq!(server.close("a")["proposals"][0]["candidates"], 2);
}

#[test]
fn it_works_in_a_bare_folder_without_set_up() {
    let world = world();
    let folder = world.directory("bare");
    let mut server = Server::start(&world, &folder);
    server.open("a");
    server.write("a", "Said in a bare folder.");
    assert_eq!(server.close("a")["proposals"][0]["candidates"], 1);
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        0,
        "nothing is written there"
    );
}

#[test]
fn read_only_offers_and_takes_no_slate() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start_with(&world, repo.root(), &["--read-only"]);
    let tools = server.tools();
    assert!(
        !tools
            .iter()
            .any(|tool| tool["name"].as_str().unwrap().starts_with("slate."))
    );
    assert!(
        server
            .call("slate.open", &json!({"externalSessionId": "a"}))
            .is_refused()
    );
    assert!(!world.taffrail_home().join("external-slates").exists());
}

/// Opening and closing without a seed is shown to nobody, so it must not fill the disk either.
#[test]
fn what_a_slate_without_seeds_was_about_is_not_kept() {
    let (world, _repo, mut server) = scene();
    let long = "far/away/".repeat(100);
    for seeds in [0, 1] {
        let id = format!("s{seeds}");
        let anchors = json!({"root": "r", "touched": vec![&long; 200]});
        let sent = json!({"externalSessionId": id, "anchors": anchors});
        server.call("slate.open", &sent).done();
        if seeds > 0 {
            server.write(&id, "The harbour closes at nine.");
        }
        server.close(&id);
    }
    let kept = |name: &str| {
        let path = slate_folder(&world).join("closed").join(name);
        std::fs::metadata(path).unwrap().len()
    };
    assert!(kept("s0.1.json") < 1_000);
    // The twin: what a review may need is kept whole.
    assert!(kept("s1.1.json") > 100_000);
    let database = rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap();
    let sql = "SELECT length(anchors) < 1000 FROM slate_closures ORDER BY seq";
    let mut statement = database.prepare(sql).unwrap();
    let small = statement
        .query_map([], |row| row.get::<_, bool>(0))
        .unwrap();
    assert_eq!(small.collect::<Result<Vec<_>, _>>().unwrap(), [true, false]);
}

/// A name is masked before it is cut, wherever a secret in it would be cut.
#[test]
fn a_client_s_name_leaves_no_half_of_a_secret() {
    let world = world();
    let repo = committed(&world);
    let token = ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat();
    let masked_away = format!("{token} ").repeat(4);
    for pad in [1, 10, 20, 30, 17_000] {
        let mut server = Server::spawn(&world, repo.root(), &[]);
        let name = format!("{masked_away}{} {token}", "z".repeat(pad));
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        });
        server.request("initialize", &hello);
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let id = format!("s{pad}");
        server.open(&id);
        server.write(&id, "Something was done.");
        let kept = std::fs::read_to_string(file(&world, &id)).unwrap();
        assert!(
            kept.contains("Something") && !kept.contains(&token[4..10]),
            "{kept}"
        );
    }
}
