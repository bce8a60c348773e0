use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use super::*;

fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("dir")).unwrap();
    fs::write(root.path().join("dir/file"), "content").unwrap();
    fs::write(root.path().join("other"), "other").unwrap();
    symlink("dir/file", root.path().join("link")).unwrap();
    root
}

#[test]
fn equal_trees_have_equal_digests_and_looking_changes_nothing() {
    let (one, two) = (tree(), tree());
    assert_eq!(digest(one.path()), digest(two.path()));
    let before = digest_with(one.path(), Times::Counted);
    assert_eq!(digest_with(one.path(), Times::Counted), before);
    assert_eq!(before.len(), 64);
}

#[test]
fn each_kind_of_change_changes_the_digest() {
    type Edit = fn(&Path);
    let edits: [(&str, Edit); 8] = [
        ("content", |root| {
            fs::write(root.join("dir/file"), "Content").unwrap();
        }),
        ("name", |root| {
            fs::rename(root.join("other"), root.join("othes")).unwrap();
        }),
        ("place", |root| {
            fs::rename(root.join("other"), root.join("dir/other")).unwrap();
        }),
        ("mode", |root| {
            fs::set_permissions(root.join("other"), Permissions::from_mode(0o711)).unwrap();
        }),
        ("empty directory", |root| {
            fs::create_dir(root.join("empty")).unwrap();
        }),
        ("removal", |root| {
            fs::remove_file(root.join("other")).unwrap();
        }),
        ("link target", |root| {
            fs::remove_file(root.join("link")).unwrap();
            symlink("other", root.join("link")).unwrap();
        }),
        ("link for file", |root| {
            fs::remove_file(root.join("other")).unwrap();
            symlink("dir/file", root.join("other")).unwrap();
        }),
    ];
    for (what, edit) in edits {
        let root = tree();
        let before = digest(root.path());
        edit(root.path());
        assert_ne!(digest(root.path()), before, "{what}");
    }
}

#[test]
fn a_touch_counts_only_where_times_count() {
    let root = tree();
    let (ignored, counted) = (
        digest(root.path()),
        digest_with(root.path(), Times::Counted),
    );
    let file = File::options()
        .write(true)
        .open(root.path().join("other"))
        .unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(7))
        .unwrap();
    assert_eq!(digest(root.path()), ignored);
    assert_ne!(digest_with(root.path(), Times::Counted), counted);
}

#[test]
fn pipes_and_strange_names_are_told_apart_and_never_opened() {
    let root = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"a\n\xff b");
    fs::write(root.path().join(name), "x").unwrap();
    let pipe = root.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let lines = manifest(root.path(), Times::Ignored);
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("a\\x0a\\xff\\x20b 644 file 1 ")),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line == "pipe 400 pipe"),
        "{lines:?}"
    );
}
