//! Promise: a home without a byte left is freed by throwing away what takes the room, and nothing goes that nobody threw away
//! (STO-07, FA-31).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::external::{configure, events, result, run};
use common::{boxed, checkouts, committed, data, taffrail, world};
use taffrail_testkit::{FakeAgent, Hermetic, Repo};

/// The home on a small file system of its own, where this user may mount one.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o700)).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs"])
            .arg(at)
            .output();
        let done = mount.is_ok_and(|ran| ran.status.success());
        done.then(|| Self(at.to_owned()))
    }

    /// Takes what is left.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("backups/old.tar.gz");
        let mut file = fs::File::create(&path).unwrap();
        std::io::copy(&mut std::io::repeat(7), &mut file).unwrap_err();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

fn database(world: &Hermetic) -> rusqlite::Connection {
    rusqlite::Connection::open(world.taffrail_home().join("taffrail.db")).unwrap()
}

/// From here on the database says of these rows that the disk is full: a table whose numbers are used up answers so.
fn fill_database(world: &Hermetic, what: &str) {
    let sql = format!(
        "CREATE TABLE used_up (number INTEGER PRIMARY KEY AUTOINCREMENT, x);
         INSERT INTO used_up VALUES (9223372036854775807, 1);
         CREATE TRIGGER full BEFORE {what} BEGIN INSERT INTO used_up (x) VALUES (2); END;"
    );
    database(world).execute_batch(&sql).unwrap();
}

fn empty_database(world: &Hermetic) {
    database(world)
        .execute_batch("DROP TRIGGER full; DROP TABLE used_up;")
        .unwrap();
}

/// A box that was kept, with a change that waits.
fn kept(world: &Hermetic, repo: &Repo) -> PathBuf {
    let flags = ["--name", "b", "--keep", "--no-sandbox"];
    boxed(world, repo, &flags, "head -c 1000000 /dev/urandom > big")
        .go()
        .success();
    checkouts(world)[0].join("box/wt/big")
}

fn discarded(world: &Hermetic, repo: &Repo) -> bool {
    let rows = data(world, repo, &["box", "list", "--all", "--json"]);
    rows[0]["change"] == "discarded" && rows[0]["checkout"] == "removed"
}

#[test]
fn sto_07_what_takes_the_room_is_thrown_away_where_there_is_no_byte_left() {
    let world = world();
    let repo = committed(&world);
    let home = world.taffrail_home();
    let Some(small) = Small::mount(&home) else {
        // Who may mount nothing sees the same from the database's side.
        return without_a_row_it_goes_all_the_same(&world, &repo);
    };
    // The room is taken by what an agent wrote, which nobody could put on record.
    let fills = "head -c 100000000 /dev/urandom > big";
    let ran = boxed(&world, &repo, &["--name", "a", "--no-sandbox"], fills).go();
    assert!(
        ran.code != 0 && ran.stderr.contains("no space left"),
        "{}",
        ran.stderr
    );
    taffrail(&world, &repo, &["box", "discard", "a"]).success();
    assert!(checkouts(&world).is_empty());
    // By something else, with a kept box in the way, and with a diff alone.
    for keeps in [true, false] {
        if keeps {
            kept(&world, &repo);
        } else {
            let fills = "head -c 1000000 /dev/urandom > big";
            boxed(&world, &repo, &["--name", "b", "--no-sandbox"], fills)
                .go()
                .success();
        }
        let filled = small.fill();
        let shown = taffrail(&world, &repo, &["box", "review", "b"]).success();
        assert!(
            shown.stderr.contains("pending") || shown.stdout.contains("big"),
            "{shown:?}"
        );
        taffrail(&world, &repo, &["box", "discard", "b"]).success();
        fs::remove_file(filled).unwrap();
        assert!(discarded(&world, &repo) && checkouts(&world).is_empty());
    }
}

/// The discard of a kept box whose row finds no room: the tree goes, its folder's name says why, and the next command
/// finishes it.
#[track_caller]
fn without_a_row_it_goes_all_the_same(world: &Hermetic, repo: &Repo) {
    let big = kept(world, repo);
    fill_database(world, "INSERT ON decisions");
    // Whoever looks, lists or wants to land it loses nothing.
    for line in [["box", "list"].as_slice(), &["box", "review", "b"]] {
        taffrail(world, repo, line).success();
    }
    assert!(big.exists());
    let ran = taffrail(world, repo, &["box", "discard", "b"]).expect_code(1);
    assert!(ran.stderr.contains("no space left"), "{}", ran.stderr);
    let left = checkouts(world);
    assert_eq!(left.len(), 1);
    assert!(
        left[0].to_string_lossy().ends_with(".discarded"),
        "{left:?}"
    );
    assert_eq!(fs::read_dir(&left[0]).unwrap().count(), 0);
    assert!(!discarded(world, repo));
    // What is gone is no change to be landed.
    let row = &data(world, repo, &["box", "list", "--json"])[0];
    assert_eq!(row["change"], "pending", "{row}");
    assert_ne!(taffrail(world, repo, &["box", "land", "b"]).code, 0);
    empty_database(world);
    let done = taffrail(world, repo, &["box", "list"]).success();
    assert!(
        done.stderr.contains("was cut off; it is done now"),
        "{}",
        done.stderr
    );
    assert!(discarded(world, repo) && checkouts(world).is_empty());
}

#[test]
fn fa_31_a_discard_without_room_for_its_row_is_finished_by_the_next_command() {
    let world = world();
    let repo = committed(&world);
    without_a_row_it_goes_all_the_same(&world, &repo);
}

#[test]
fn fa_31_a_tree_that_was_never_captured_goes_too() {
    let world = world();
    let repo = committed(&world);
    let flags = ["--name", "b", "--no-sandbox"];
    fill_database_after_open(&world, &repo, "INSERT ON changes");
    let ran = boxed(&world, &repo, &flags, "echo 1 > one").go();
    assert_ne!(ran.code, 0);
    let one = checkouts(&world)[0].join("box/wt/one");
    assert!(one.exists(), "what could not be put on record is kept");
    // Nor can it be said that nobody wants it.
    let trigger = "CREATE TRIGGER fuller BEFORE UPDATE ON checkouts BEGIN INSERT INTO used_up (x) VALUES (2); END";
    database(&world).execute_batch(trigger).unwrap();
    taffrail(&world, &repo, &["box", "list"]).success();
    assert!(one.exists());
    taffrail(&world, &repo, &["box", "discard", "b"]).expect_code(1);
    assert!(!one.exists());
    // Of a tree that is gone nobody says that it changed nothing, or removed everything.
    let ran = taffrail(&world, &repo, &["box", "review", "b"]);
    assert!(!ran.stdout.contains("README.md"), "{}", ran.stdout);
    database(&world)
        .execute_batch("DROP TRIGGER fuller")
        .unwrap();
    empty_database(&world);
    taffrail(&world, &repo, &["box", "list"]).success();
    let rows = data(&world, &repo, &["box", "list", "--all", "--json"]);
    assert_eq!(rows[0]["checkout"], "removed", "{rows}");
    assert!(
        rows[0]["change"].is_null() && checkouts(&world).is_empty(),
        "{rows}"
    );
}

fn fill_database_after_open(world: &Hermetic, repo: &Repo, what: &str) {
    taffrail(world, repo, &["box", "list"]).success();
    fill_database(world, what);
}

#[test]
fn fa_31_the_diff_of_an_agent_s_run_goes_without_a_row_and_lands_no_more() {
    let world = world();
    let repo = committed(&world);
    let agent = FakeAgent::script("open\ndo write made.txt \"made\\n\"\ndone \"made\"\n");
    configure(&world, &agent, "write_in_checkout = \"allow\"");
    let ran = run(&world, &repo, &["--unattended", "--write"])
        .go()
        .success();
    let events = events(&ran.stdout);
    let ended = result(&events);
    let (of, patch) = (
        ended["run"].as_str().unwrap(),
        ended["patch"].as_str().unwrap(),
    );
    assert!(Path::new(patch).exists());
    fill_database(&world, "INSERT ON decisions");
    let discard = ["agents", "external", "discard", of];
    taffrail(&world, &repo, &discard).expect_code(1);
    assert!(!Path::new(patch).exists(), "it takes the room");
    empty_database(&world);
    assert_ne!(
        taffrail(&world, &repo, &["agents", "external", "land", of]).code,
        0
    );
    taffrail(&world, &repo, &discard).success();
    assert!(discarded(&world, &repo));
}

/// What a person has decided otherwise is not thrown away for room.
#[test]
fn fa_31_what_was_landed_is_not_thrown_away_for_room() {
    let world = world();
    let repo = committed(&world);
    kept(&world, &repo);
    database(&world)
        .execute_batch("UPDATE changes SET state = 'landed'")
        .unwrap();
    fill_database(&world, "UPDATE ON checkouts");
    // The sweep would clear what was landed, and finds no room to say so.
    let ran = taffrail(&world, &repo, &["box", "discard", "b"]).expect_code(1);
    assert!(ran.stderr.contains("landed"), "{}", ran.stderr);
    let patch = fs::read_dir(world.taffrail_home().join("sessions")).unwrap();
    let mut patch = patch.map(|session| session.unwrap().path().join("change.patch"));
    assert!(patch.any(|path| path.exists()));
}
