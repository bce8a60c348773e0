//! Promise: a home is copied whole, comes back whole, says everything it holds, and forgets what a person erases
//! (STO-07, STO-09, STO-10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{PATIENCE, committed, data, taffrail, waiting, world};
use taffrail_testkit::{Hermetic, Key, Repo};

const SENTINEL: &str = "zyxsentinelqv";

/// A project with a box that waits, and a memory that says the sentinel.
fn filled(world: &Hermetic) -> Repo {
    let repo = committed(world);
    waiting(world, &repo, "work", "echo more > more.txt");
    let args = ["memory", "add", "--type", "lesson", SENTINEL];
    taffrail(world, &repo, &args).success();
    repo
}

fn holds(folder: &Path, needle: &str) -> bool {
    let needle = needle.as_bytes();
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, std::str::from_utf8(needle).unwrap());
        }
        fs::read(path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|at| at == needle))
    })
}

#[test]
fn sto_09_a_backup_is_checked_and_restored_into_another_home() {
    let world = world();
    let repo = filled(&world);
    let archive = world.root().join("mine.tar.gz");
    let name = archive.to_str().unwrap();
    let made = data(&world, &repo, &["backup", name, "--json"]);
    assert_eq!(made["path"], name);
    assert_eq!(made["missing"].as_array().unwrap().len(), 0);
    assert_eq!(
        archive.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    let verified = data(&world, &repo, &["backup", "verify", name, "--json"]);
    assert_eq!(verified["files"], made["files"]);
    let again = taffrail(&world, &repo, &["backup", name]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("is there already"),
        "{}",
        again.stderr
    );

    let other = world.root().join("other-home");
    let run = |args: &[&str]| {
        let command = world.command(args).in_directory(repo.root());
        command.env("TAFFRAIL_HOME", other.as_os_str()).go()
    };
    let restored = run(&["restore", name, "--json"]).success().json();
    assert_eq!(restored["data"]["approvals"], "hold");
    let boxes = run(&["box", "list", "--json"]).success().json();
    assert_eq!(boxes["data"][0]["name"], "work");
    let review = run(&["box", "review", "work"]).success();
    assert!(review.stdout.contains("more.txt"), "{}", review.stdout);
    let journal = run(&["audit", "show", "--json"]).success().stdout;
    assert!(journal.contains("backup_restored"), "{journal}");
    let refused = run(&["restore", name]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    run(&["restore", name, "--force"]).success();
    let kept = fs::read_dir(other.join("backups")).unwrap();
    let names: Vec<String> = kept
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("before-restore-")),
        "{names:?}"
    );
}

#[test]
fn sto_09_a_damaged_archive_changes_nothing() {
    let world = world();
    let repo = filled(&world);
    let archive = world.root().join("bad.tar.gz");
    fs::write(&archive, b"not an archive").unwrap();
    let before = fs::read(world.taffrail_home().join("taffrail.db")).unwrap();
    for args in [
        &["restore", archive.to_str().unwrap(), "--force"][..],
        &["backup", "verify", archive.to_str().unwrap()],
    ] {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("is not a whole backup"),
            "{}",
            ran.stderr
        );
    }
    assert!(fs::read(world.taffrail_home().join("taffrail.db")).unwrap() == before);
}

#[test]
fn sto_09_a_purge_is_asked_for_and_leaves_no_byte() {
    let world = world();
    let repo = filled(&world);
    let list = data(&world, &repo, &["memory", "list", "--json"]);
    let text = list.to_string();
    let at = text.find("mem_").unwrap();
    let id = &text[at..at + 14];
    assert!(holds(&world.taffrail_home(), SENTINEL));
    let refused = taffrail(&world, &repo, &["purge", "--memory", id]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let mut terminal = world.person(repo.root(), &["purge", "--memory", id]);
    terminal.wait_for("type erase", PATIENCE);
    terminal.send("no");
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 1);
    let planned = data(
        &world,
        &repo,
        &["purge", "--memory", id, "--dry-run", "--json"],
    );
    assert_eq!(planned["memories"], 1);
    assert!(
        holds(&world.taffrail_home(), SENTINEL),
        "nothing was erased so far"
    );

    let erased = data(&world, &repo, &["purge", "--memory", id, "--yes", "--json"]);
    assert_eq!(erased["erased"]["memories"], 1);
    assert_eq!(erased["log_is_cut"], true);
    assert!(!holds(&world.taffrail_home(), SENTINEL));
    taffrail(&world, &repo, &["audit", "verify"]).success();
    let gone = taffrail(&world, &repo, &["purge", "--memory", id, "--yes"]);
    assert_eq!(gone.code, 7, "{}", gone.stderr);
    let doctor = data(&world, &repo, &["doctor", "--json"]);
    let bad = doctor
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["weight"] == "bad");
    let about: Vec<&str> = bad
        .map(|finding| finding["about"].as_str().unwrap())
        .collect();
    assert!(
        !about
            .iter()
            .any(|about| ["database", "index", "journal", "records"].contains(about)),
        "{doctor}"
    );
}

#[test]
fn sto_09_what_is_asked_for_wrongly_erases_nothing() {
    let world = world();
    let repo = filled(&world);
    for (args, code) in [
        (&["purge"][..], 2),
        (&["purge", "--yes"], 2),
        (&["purge", "--before", "yesterday", "--yes"], 2),
        (&["purge", "--project", "nobody", "--yes"], 7),
        (&["purge", "--memory", "mem_0000000000", "--yes"], 7),
        (
            &["purge", "--memory", "mem_0", "--session", "x", "--yes"],
            2,
        ),
    ] {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.stderr);
    }
    let nothing = data(
        &world,
        &repo,
        &["purge", "--before", "2000-01-01", "--yes", "--json"],
    );
    assert_eq!(nothing["erased"]["memories"], 0);
    assert!(holds(&world.taffrail_home(), SENTINEL));
}

#[test]
fn sto_09_everything_is_exported_as_json_lines() {
    let world = world();
    let repo = filled(&world);
    let lines = taffrail(&world, &repo, &["export", "--all"])
        .success()
        .stdout;
    let kinds: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|value| value["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["sessions", "changes", "memories", "memory_texts", "journal"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}");
    }
    assert!(lines.contains(SENTINEL));
    let file = world.root().join("all.jsonl");
    let name = file.to_str().unwrap();
    taffrail(&world, &repo, &["export", "--all", name]).success();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let there = taffrail(&world, &repo, &["export", "--all", name]);
    assert_eq!(there.code, 1, "{}", there.stderr);
}

#[test]
fn sto_10_a_doctor_on_a_full_home_looks_only_and_its_repair_says_what_it_did() {
    let world = world();
    let repo = filled(&world);
    let db = world.taffrail_home().join("taffrail.db");
    let all = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = (fs::read(&db).unwrap(), all(&world.taffrail_home()));
    let found = data(&world, &repo, &["doctor", "--json"]);
    assert!((fs::read(&db).unwrap(), all(&world.taffrail_home())) == before);
    let abouts = found
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["about"].as_str().unwrap());
    let abouts: Vec<&str> = abouts.collect();
    for about in [
        "home", "disk", "database", "journal", "index", "records", "seals", "secrets", "sandbox",
        "git",
    ] {
        assert!(abouts.contains(&about), "{about}: {abouts:?}");
    }
    fs::set_permissions(&db, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(world.taffrail_home().join("sessions/run_0123456789")).unwrap();
    let bad = taffrail(&world, &repo, &["doctor"]);
    assert_eq!(bad.code, 1);
    assert!(bad.stdout.contains("--repair"), "{}", bad.stdout);
    let mended = taffrail(&world, &repo, &["doctor", "--repair"]);
    assert!(
        mended.stderr.contains("away from others"),
        "{}",
        mended.stderr
    );
    assert!(
        mended.stderr.contains("run_0123456789"),
        "{}",
        mended.stderr
    );
    assert!(
        mended.stderr.contains("before-repair-"),
        "{}",
        mended.stderr
    );
    let after = data(&world, &repo, &["doctor", "--json"]).to_string();
    assert!(
        !after.contains("run_0123456789") && !after.contains("others can reach"),
        "{after}"
    );
}

/// A small file system of its own where this user may mount one; else none, and the limit on a file's length stands in.
struct Small {
    mount: std::path::PathBuf,
}

impl Small {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir(at).unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o700)).unwrap();
        let mount = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs"])
            .arg(at)
            .output();
        let done = mount.is_ok_and(|ran| ran.status.success());
        done.then(|| Self {
            mount: at.to_owned(),
        })
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        drop(
            std::process::Command::new("umount")
                .arg(&self.mount)
                .output(),
        );
    }
}

#[test]
fn sto_07_a_full_disk_is_named_with_what_to_prune_and_keeps_what_was_acknowledged() {
    let world = world();
    let repo = committed(&world);
    let home = world.root().join("small");
    let small = Small::mount(&home);
    let text = "word ".repeat(1_000);
    let add = |number: usize, blocks: u64| {
        let said = format!("number {number} {text}");
        let args = ["memory", "add", "--personal", "--type", "lesson", &said];
        let run = match &small {
            Some(_) => world.command(&args),
            None => {
                let binary = env!("CARGO_BIN_EXE_taffrail");
                let line = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
                let mut all = vec!["-c", &line, binary];
                all.extend(args);
                world.program("/bin/sh", &all)
            }
        };
        run.in_directory(repo.root())
            .env("TAFFRAIL_HOME", home.as_os_str())
            .go()
    };
    assert_eq!(add(0, 100_000).code, 0);
    // Nearly full from here on: an old backup takes what is left, or the database may grow by a little only.
    let database = home.join("taffrail.db").metadata().unwrap().len();
    let blocks = database.div_ceil(512) + 60;
    if small.is_some() {
        let ballast = home.join("backups/old.tar.gz");
        let taken = (4 << 20) - 2 * database - (300 << 10);
        fs::write(&ballast, vec![7; usize::try_from(taken).unwrap()]).unwrap();
        fs::set_permissions(&ballast, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let mut acknowledged = 1;
    let refused = loop {
        let ran = add(acknowledged, blocks);
        if ran.code != 0 {
            break ran;
        }
        acknowledged += 1;
        assert!(acknowledged < 500, "the disk is never full");
    };
    if small.is_some() {
        names_the_place(&refused.stderr, &home);
    }
    let conn = memories_in(&world, &repo, &home);
    assert_eq!(
        conn, acknowledged,
        "every acknowledged memory is there, and no other"
    );
}

/// The message of a full disk: the file system, and the folder that holds most.
#[track_caller]
fn names_the_place(said: &str, home: &Path) {
    let place = format!("the file system at {}", home.display());
    for words in ["no space left", &place, "backups holds"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// Memories in a home, counted from a copy on another file system: a full one takes no log.
fn memories_in(world: &Hermetic, repo: &Repo, home: &Path) -> usize {
    let copy = world.root().join("copy");
    fs::create_dir(&copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o700)).unwrap();
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
        }
    }
    let command = world
        .command(&["export", "--all"])
        .in_directory(repo.root());
    let ran = command
        .env("TAFFRAIL_HOME", copy.as_os_str())
        .go()
        .success();
    ran.stdout
        .lines()
        .filter(|line| line.contains("\"kind\":\"memories\""))
        .count()
}
