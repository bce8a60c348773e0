//! Trees that do not want to be removed.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};

use super::super::*;
use super::{Ground, at, word};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

/// A chain of folders, longer than any path may be, with a file in each.
fn dig(root: &Path, depth: usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here: OwnedFd = rustix::fs::open(root, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        rustix::fs::mkdirat(here.as_fd(), "deeper", Mode::from_raw_mode(0o700)).unwrap();
        let file = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        drop(rustix::fs::openat(&here, "file", file, Mode::from_raw_mode(0o600)).unwrap());
        here = rustix::fs::openat(&here, "deeper", flags, Mode::empty()).unwrap();
    }
}

/// The twin: a removal that asks by path whether something is a folder goes through the link.
fn remove_by_path(path: &Path) {
    for found in std::fs::read_dir(path).unwrap() {
        let found = found.unwrap().path();
        if found.is_dir() {
            remove_by_path(&found);
        } else {
            std::fs::remove_file(found).unwrap();
        }
    }
}

#[test]
fn cnf_01_s35_twin_by_path_what_is_outside_is_removed() {
    let ground = Ground::new();
    symlink("../outside", ground.root.join("a")).unwrap();
    remove_by_path(&ground.root);
    assert!(is_gone(&ground.outside.join("secret")));
}

#[test]
fn cnf_01_s35_links_out_of_the_tree_are_removed_and_not_followed() {
    let ground = Ground::new();
    for (target, link) in [
        ("../outside", "a"),
        ("/", "b"),
        ("..", "c"),
        ("absent", "d"),
    ] {
        symlink(target, ground.root.join(link)).unwrap();
    }
    std::fs::create_dir(ground.root.join("dir")).unwrap();
    symlink(&ground.outside, ground.root.join("dir/e")).unwrap();
    std::fs::hard_link(ground.outside.join("secret"), ground.root.join("hard")).unwrap();
    let pipe = ground.root.join("dir/pipe");
    rustix::fs::mkfifoat(CWD, &pipe, Mode::from_raw_mode(0)).unwrap();
    drop(UnixListener::bind(ground.root.join("dir/socket")).unwrap());
    remove_tree(&ground.root).unwrap();
    assert!(is_gone(&ground.root));
    ground.assert_outside_is_as_it_was();
}

/// An agent that runs `chmod -R 0` leaves this. As an ordinary user the plain way fails, which is the twin.
#[test]
fn folders_without_rights_are_removed() {
    for mode in [0o000, 0o500, 0o400, 0o300, 0o100] {
        let ground = Ground::new();
        let outer = ground.root.join("outer");
        std::fs::create_dir_all(outer.join("inner/full")).unwrap();
        std::fs::create_dir_all(outer.join("empty")).unwrap();
        std::fs::write(outer.join("inner/full/file"), b"x").unwrap();
        std::fs::write(outer.join("file"), b"x").unwrap();
        for folder in ["inner/full", "inner", "empty", ""] {
            chmod(&outer.join(folder), mode);
        }
        chmod(&ground.root, mode);
        if !rustix::process::geteuid().is_root() {
            assert!(std::fs::remove_dir_all(&ground.root).is_err(), "{mode:o}");
        }
        remove_tree(&ground.root).unwrap();
        assert!(is_gone(&ground.root), "{mode:o}");
    }
}

/// More levels than a process may have files open, than a stack holds, than a path has bytes.
#[test]
fn a_deep_tree_is_removed() {
    let ground = Ground::new();
    dig(&ground.root, 2_500);
    remove_tree(&ground.root).unwrap();
    assert!(is_gone(&ground.root));
}

#[test]
fn a_deep_tree_without_rights_is_removed() {
    let ground = Ground::new();
    let mut path = ground.root.clone();
    let mut folders = Vec::new();
    for _ in 0..200 {
        path.push("d");
        std::fs::create_dir(&path).unwrap();
        folders.push(path.clone());
    }
    folders.iter().rev().for_each(|folder| chmod(folder, 0o500));
    let root = Root::open(&ground.root).unwrap();
    root.remove_tree(&at("d")).unwrap();
    assert!(root.entries(None).unwrap().is_empty());
}

#[test]
fn a_wide_tree_is_removed() {
    let ground = Ground::new();
    for folder in 0..20 {
        let folder = ground.root.join(format!("{folder}"));
        std::fs::create_dir(&folder).unwrap();
        for file in 0..100 {
            std::fs::write(folder.join(format!("{file}")), b"").unwrap();
        }
    }
    remove_tree(&ground.root).unwrap();
    assert!(is_gone(&ground.root));
}

#[test]
fn what_is_not_a_tree_is_not_removed() {
    let ground = Ground::new();
    remove_tree(&ground.root.join("absent")).unwrap();
    remove_tree(&ground.root.join("absent/deeper")).unwrap();
    let link = ground.root.join("link");
    symlink(&ground.outside, &link).unwrap();
    assert_eq!(word(&remove_tree(&link).unwrap_err()), "symlink");
    let file = ground.root.join("file");
    std::fs::write(&file, b"x").unwrap();
    assert_eq!(word(&remove_tree(&file).unwrap_err()), "not a folder");
    assert_eq!(
        word(&remove_tree(&ground.root.join("..")).unwrap_err()),
        "outside"
    );
    assert_eq!(word(&remove_tree(Path::new("/")).unwrap_err()), "outside");
    assert!(!is_gone(&link) && !is_gone(&file));
    ground.assert_outside_is_as_it_was();
}

/// What is mounted into a tree is somebody else's: every machine with Linux has `/proc` mounted.
#[cfg(target_os = "linux")]
#[test]
fn what_is_mounted_inside_is_not_entered() {
    let slash = rustix::fs::open("/", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    assert!(super::super::remove::is_foreign(
        slash.as_fd(),
        "proc".as_ref()
    ));
    assert!(!super::super::remove::is_foreign(
        slash.as_fd(),
        "etc".as_ref()
    ));
}
