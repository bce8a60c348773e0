//! Directories that only the user can enter (S8).

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::super::*;
use super::{Ground, word};

#[test]
fn sto_01_s8_is_made_closed_with_all_above_it() {
    let ground = Ground::new();
    let deep = ground.root.join("a/b/c");
    private_dir(&deep).unwrap();
    private_dir(&deep).unwrap();
    for folder in ["a", "a/b", "a/b/c"] {
        let mode = std::fs::metadata(ground.root.join(folder)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn sto_01_s8_what_others_can_enter_is_refused() {
    let ground = Ground::new();
    let dir = ground.root.join("d");
    std::fs::create_dir(&dir).unwrap();
    for mode in [0o750, 0o705, 0o711, 0o1777, 0o740] {
        std::fs::set_permissions(&dir, PermissionsExt::from_mode(mode)).unwrap();
        let error = private_dir(&dir).unwrap_err();
        assert_eq!(word(&error), "not private", "{mode:o}");
        assert!(
            error.to_string().contains(&format!("mode is {mode:04o}")),
            "{error}"
        );
    }
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o700)).unwrap();
    private_dir(&dir).unwrap();
}

#[test]
fn sto_01_s8_links_files_and_what_belongs_to_others_are_refused() {
    let ground = Ground::new();
    let link = ground.root.join("l");
    symlink(&ground.outside, &link).unwrap();
    assert_eq!(word(&private_dir(&link).unwrap_err()), "symlink");
    let dangling = ground.root.join("n");
    symlink(ground.outside.join("planted"), &dangling).unwrap();
    assert_eq!(word(&private_dir(&dangling).unwrap_err()), "symlink");
    let file = ground.root.join("f");
    std::fs::write(&file, b"").unwrap();
    assert_eq!(word(&private_dir(&file).unwrap_err()), "not a folder");
    // Root gives one away; an ordinary user finds one that is root's.
    let foreign = if rustix::process::geteuid().is_root() {
        let dir = ground.root.join("d");
        private_dir(&dir).unwrap();
        std::os::unix::fs::chown(&dir, Some(65534), None).unwrap();
        dir
    } else {
        "/usr".into()
    };
    let error = private_dir(&foreign).unwrap_err();
    assert!(error.to_string().contains("belongs to user"), "{error}");
    ground.assert_outside_is_as_it_was();
}
