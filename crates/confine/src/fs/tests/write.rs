//! What writing leaves, also when it fails.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::super::*;
use super::{Ground, at, word};

#[test]
fn replace_makes_a_whole_new_file_and_leaves_no_other() {
    let ground = Ground::new();
    let root = Root::open(&ground.root).unwrap();
    root.create_dirs(&at("a/b/c"), 0o700).unwrap();
    root.replace(&at("a/b/f"), b"one", 0o600).unwrap();
    let before = root.stat(&at("a/b/f")).unwrap().1;
    root.replace(&at("a/b/f"), b"two", 0o700).unwrap();
    let after = root.stat(&at("a/b/f")).unwrap().1;
    assert_ne!(before.ino, after.ino);
    assert!(after.executable && !before.executable);
    assert_eq!(root.read(&at("a/b/f"), 10).unwrap(), b"two");
    assert_eq!(root.entries(Some(&at("a/b"))).unwrap().len(), 2);
    let mode = std::fs::metadata(ground.root.join("a/b")).unwrap().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn write_new_never_writes_over() {
    let ground = Ground::new();
    let root = Root::open(&ground.root).unwrap();
    root.write_new(&at("f"), b"one", 0o600).unwrap();
    assert_eq!(
        word(&root.write_new(&at("f"), b"two", 0o600).unwrap_err()),
        "exists"
    );
    assert_eq!(root.read(&at("f"), 10).unwrap(), b"one");
    root.symlink(b"../outside/planted", &at("l")).unwrap();
    assert_eq!(
        word(&root.write_new(&at("l"), b"two", 0o600).unwrap_err()),
        "exists"
    );
    ground.assert_outside_is_as_it_was();
}

/// A full disk (`/dev/full` answers every write with it) is named, and nothing half-written stays.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let error = std::io::Write::write_all(&mut &full, b"x").unwrap_err();
    assert_eq!(word(&FsError::from_io("/somewhere", error)), "full");
}

#[test]
fn what_is_removed_is_the_link_itself() {
    let ground = Ground::new();
    let root = Root::open(&ground.root).unwrap();
    root.symlink(b"../outside", &at("l")).unwrap();
    root.remove_file(&at("l")).unwrap();
    root.symlink(b"../outside", &at("l")).unwrap();
    root.remove_tree(&at("l")).unwrap();
    root.remove_tree(&at("l")).unwrap();
    root.remove_tree(&at("absent/deeper")).unwrap();
    assert!(root.entries(None).unwrap().is_empty());
    assert_eq!(word(&root.remove_file(&at("l")).unwrap_err()), "absent");
    root.create_dirs(&at("d"), 0o755).unwrap();
    assert_eq!(
        word(&root.remove_file(&at("d")).unwrap_err()),
        "not regular"
    );
    ground.assert_outside_is_as_it_was();
}

#[test]
fn what_may_not_be_written_says_so() {
    if rustix::process::geteuid().is_root() {
        return; // Root may write anywhere.
    }
    let ground = Ground::new();
    let dir = ground.root.join("d");
    std::fs::create_dir(&dir).unwrap();
    std::fs::set_permissions(&dir, PermissionsExt::from_mode(0o500)).unwrap();
    let root = Root::open(&ground.root).unwrap();
    let error = root.replace(&at("d/f"), b"x", 0o600).unwrap_err();
    assert_eq!(word(&error), "denied");
}
