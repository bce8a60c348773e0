//! Copies between roots.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, Mode};

use super::super::*;
use super::{Ground, at, word};

fn roots(from: &Ground, to: &Ground) -> (Root, Root) {
    (
        Root::open(&from.root).unwrap(),
        Root::open(&to.root).unwrap(),
    )
}

#[test]
fn a_tree_arrives_as_it_is() {
    let (from, to) = (Ground::new(), Ground::new());
    let tree = from.root.join("a/tree");
    std::fs::create_dir_all(tree.join("sub/empty")).unwrap();
    std::fs::write(tree.join("file"), b"content").unwrap();
    std::fs::write(tree.join("sub/tool"), vec![7; 3_000_000]).unwrap();
    std::fs::set_permissions(tree.join("sub/tool"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::hard_link(tree.join("file"), tree.join("sub/again")).unwrap();
    std::fs::hard_link(from.outside.join("secret"), tree.join("hard")).unwrap();
    symlink("../../../outside", tree.join("out")).unwrap();
    symlink("absent", tree.join("dangling")).unwrap();
    rustix::fs::mkfifoat(CWD, tree.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 42);
    let file = std::fs::File::options()
        .write(true)
        .open(tree.join("file"))
        .unwrap();
    file.set_modified(old).unwrap();

    let (source, target) = roots(&from, &to);
    let mut heard = 0;
    let copied = target
        .copy_from(&source, &at("a/tree"), &mut |bytes| heard += bytes)
        .unwrap();
    assert_eq!(
        (copied.files, copied.bytes, copied.skipped),
        (6, 3_000_021, 1)
    );
    assert_eq!(heard, copied.bytes);

    let here = to.root.join("a/tree");
    assert_eq!(std::fs::read(here.join("file")).unwrap(), b"content");
    assert_eq!(
        std::fs::read(here.join("sub/tool")).unwrap(),
        vec![7; 3_000_000]
    );
    assert_eq!(
        std::fs::metadata(here.join("sub/tool")).unwrap().mode() & 0o700,
        0o700
    );
    assert_eq!(
        std::fs::metadata(here.join("file"))
            .unwrap()
            .modified()
            .unwrap(),
        old
    );
    assert_eq!(
        std::fs::read_link(here.join("out")).unwrap().to_str(),
        Some("../../../outside")
    );
    assert!(here.join("sub/empty").is_dir() && !here.join("pipe").exists());
    for file in ["file", "sub/again", "hard"] {
        assert_eq!(
            std::fs::metadata(here.join(file)).unwrap().nlink(),
            1,
            "{file}"
        );
    }
    from.assert_outside_is_as_it_was();
    to.assert_outside_is_as_it_was();
}

#[test]
fn one_file_or_link_is_copied_too() {
    let (from, to) = (Ground::new(), Ground::new());
    std::fs::write(from.root.join("f"), b"").unwrap();
    symlink("../outside/secret", from.root.join("l")).unwrap();
    let (source, target) = roots(&from, &to);
    assert_eq!(
        target
            .copy_from(&source, &at("f"), &mut |_| ())
            .unwrap()
            .files,
        1
    );
    assert_eq!(
        target
            .copy_from(&source, &at("l"), &mut |_| ())
            .unwrap()
            .files,
        1
    );
    assert_eq!(target.read_link(&at("l")).unwrap(), b"../outside/secret");
    let error = target
        .copy_from(&source, &at("f"), &mut |_| ())
        .unwrap_err();
    assert_eq!(word(&error), "exists");
    assert_eq!(error.path(), to.root.join("f"));
    let error = target
        .copy_from(&source, &at("absent"), &mut |_| ())
        .unwrap_err();
    assert_eq!(word(&error), "absent");
}

#[test]
fn links_on_the_way_are_refused_on_both_sides() {
    let (from, to) = (Ground::new(), Ground::new());
    symlink("../outside", from.root.join("way")).unwrap();
    let (source, target) = roots(&from, &to);
    let error = target
        .copy_from(&source, &at("way/secret"), &mut |_| ())
        .unwrap_err();
    assert_eq!(word(&error), "symlink");

    let (from, to) = (Ground::new(), Ground::new());
    std::fs::create_dir(from.root.join("way")).unwrap();
    std::fs::write(from.root.join("way/planted"), b"x").unwrap();
    symlink("../outside", to.root.join("way")).unwrap();
    let (source, target) = roots(&from, &to);
    let error = target
        .copy_from(&source, &at("way/planted"), &mut |_| ())
        .unwrap_err();
    assert_eq!(word(&error), "symlink");
    let error = target
        .copy_from(&source, &at("way"), &mut |_| ())
        .unwrap_err();
    assert_eq!(word(&error), "symlink");
    to.assert_outside_is_as_it_was();
}

/// Deeper than a path has bytes: what the kernel does not resolve at once is walked.
#[test]
fn a_tree_deeper_than_a_path_is_copied() {
    let (from, to) = (Ground::new(), Ground::new());
    let (source, target) = roots(&from, &to);
    let part = "d".repeat(250);
    let deep = vec![part.as_str(); 20].join("/");
    source.create_dirs(&at(deep.as_str()), 0o700).unwrap();
    let file = at(format!("{deep}/file"));
    source.write_new(&file, b"deep", 0o600).unwrap();
    let copied = target
        .copy_from(&source, &at(part.as_str()), &mut |_| ())
        .unwrap();
    assert_eq!(copied.files, 1);
    assert_eq!(target.read(&file, 10).unwrap(), b"deep");
    remove_tree(&to.root).unwrap();
    remove_tree(&from.root).unwrap();
}
