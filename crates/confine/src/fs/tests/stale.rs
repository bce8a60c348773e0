//! What a killed process left is removed, and nothing beside it.

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use super::super::*;
use super::Ground;

const AGE: Duration = Duration::from_secs(600);

fn folder(ground: &Ground, name: &str, old: bool) {
    let path = ground.root.join(name);
    private_dir(&path).unwrap();
    std::fs::write(path.join("file"), "x").unwrap();
    if old {
        let then = SystemTime::now() - 2 * AGE;
        File::open(&path).unwrap().set_modified(then).unwrap();
    }
}

fn names(ground: &Ground) -> Vec<String> {
    let entries = std::fs::read_dir(&ground.root).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn fa_03_only_an_old_folder_of_that_name_is_removed() {
    let ground = Ground::new();
    folder(&ground, "probe-old", true);
    folder(&ground, "probe-new", false);
    folder(&ground, "other-old", true);
    remove_stale(&ground.root, "probe-", AGE);
    assert_eq!(names(&ground), ["other-old", "probe-new"]);
    remove_stale(&ground.root, "probe-", Duration::ZERO);
    assert_eq!(names(&ground), ["other-old"]);
}

#[test]
fn fa_03_what_others_can_enter_links_and_files_stay() {
    let ground = Ground::new();
    folder(&ground, "probe-open", true);
    let open = ground.root.join("probe-open");
    std::fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
    symlink(&ground.outside, ground.root.join("probe-link")).unwrap();
    std::fs::write(ground.root.join("probe-file"), "x").unwrap();
    remove_stale(&ground.root, "probe-", Duration::ZERO);
    assert_eq!(names(&ground), ["probe-file", "probe-link", "probe-open"]);
    remove_stale(&ground.root.join("nowhere"), "probe-", Duration::ZERO);
    ground.assert_outside_is_as_it_was();
}
