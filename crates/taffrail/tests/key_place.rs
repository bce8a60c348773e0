//! Promise: the file that opens the secrets lies in no folder that a box is shown: whoever reads it can approve (SEC-01,
//! CNF-03).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::{Path, PathBuf};

use common::{boxed, committed, world};
use taffrail_testkit::{Hermetic, Ran, Repo};

fn choose(world: &Hermetic, repo: &Repo, key: &Path) -> Ran {
    let key = key.to_str().unwrap();
    world.taffrail_in(
        repo.root(),
        &["secret", "backend", "file", "--key-file", key],
    )
}

#[test]
fn sec_01_a_key_file_in_a_project_or_a_shown_folder_is_refused() {
    let world = world();
    let repo = committed(&world);
    let shown = world.root().join("shown");
    std::fs::create_dir(&shown).unwrap();
    world.config(&format!("[sandbox]\nread = [{:?}]\n", shown));
    let other = world.repo("other");
    let link = world.root().join("link");
    std::os::unix::fs::symlink(repo.root(), &link).unwrap();
    let places: [(PathBuf, &str); 6] = [
        (repo.root().join("key"), "git work tree"),
        (PathBuf::from("src/key"), "git work tree"),
        (link.join("key"), "git work tree"),
        (other.root().join("key"), "git work tree"),
        (shown.join("key"), "every box may read"),
        (PathBuf::from("/etc/taffrail.key"), "every box may read"),
    ];
    for (place, why) in &places {
        let ran = choose(&world, &repo, place);
        assert_eq!(ran.code, 1, "{}: {ran:?}", place.display());
        assert!(ran.stderr.contains(why), "{}: {ran:?}", place.display());
        assert!(!place.exists() && !repo.root().join(place).exists());
    }
    // Of a registered project too that is no git work tree.
    let plain = world.root().join("plain");
    std::fs::create_dir(&plain).unwrap();
    world.taffrail_in(&plain, &["project", "add"]).success();
    let ran = choose(&world, &repo, &plain.join("key"));
    assert!(
        ran.code == 1 && ran.stderr.contains("in the project"),
        "{ran:?}"
    );
    // The twin: anywhere else it is made.
    choose(&world, &repo, &world.root().join("key")).success();
}

#[test]
fn sec_01_a_key_file_that_came_into_a_shown_folder_stays_hidden_from_a_box() {
    let world = world();
    let repo = committed(&world);
    let folder = world.root().join("later");
    std::fs::create_dir(&folder).unwrap();
    let key = folder.join("key");
    std::fs::write(folder.join("open.txt"), "open to every box").unwrap();
    choose(&world, &repo, &key).success();
    world.config(&format!("[sandbox]\nread = [{folder:?}]\n"));
    let script = format!(
        "cat {}/open.txt; test -s {key}; echo \"there $?\"; wc -c < {key}; echo \"read $?\"",
        folder.display(),
        key = key.display()
    );
    let ran = boxed(&world, &repo, &[], &script).go();
    assert!(ran.stdout.contains("open to every box"), "{ran:?}");
    assert!(!ran.stdout.contains("32\n"), "{ran:?}");
    assert!(
        !ran.stdout.contains("there 0") || !ran.stdout.contains("read 0"),
        "{ran:?}"
    );
}

#[test]
fn sec_01_a_project_around_the_key_file_makes_no_box() {
    let world = world();
    let repo = committed(&world);
    let place = world.root().join("becomes");
    std::fs::create_dir(&place).unwrap();
    choose(&world, &repo, &place.join("key")).success();
    let git = |args: &[&str]| {
        let by = ["-c", "user.name=A", "-c", "user.email=a@b"];
        let ran = world.program("git", &[&by, args].concat());
        ran.in_directory(&place).go().success();
    };
    git(&["init", "-q"]);
    git(&["add", "key"]);
    git(&["commit", "-qm", "the key too"]);
    let ran = world.taffrail_in(&place, &["box", "--", "cat", "key"]);
    assert!(
        ran.code != 0 && ran.stderr.contains("in this project"),
        "{ran:?}"
    );
}
