//! FA-30: what is captured, flagged and refused.

use taffrail_domain::{ChangeKind, Flag};
use taffrail_gitbox::GitError;

use crate::world::{World, executable, put, repo_path, summary};

fn start() -> World {
    World::with(&[
        ("a.txt", "1\n2\n3\n"),
        ("d/b.txt", "b\n"),
        ("gone", "x\n"),
        (".gitignore", "*.log\n/out/\n"),
        ("kept.log.txt", "k"),
    ])
}

#[test]
fn fa_30_every_kind_of_change() {
    let world = start();
    world.repo.link("l", "a.txt").commit("link");
    let (project, checkout) = world.checkout();
    let dest = world.dest();
    put(&dest, "a.txt", "1\ntwo\n3\n");
    put(&dest, "new", "SECRET=1\n");
    put(&dest, "bin", b"\0\x01");
    executable(&dest, "d/b.txt");
    std::fs::remove_file(dest.join("gone")).unwrap();
    std::fs::remove_file(dest.join("l")).unwrap();
    put(&dest, "l", "now a file\n");
    std::fs::remove_file(dest.join("kept.log.txt")).unwrap();
    put(&dest, "kept.log.txt/inside", "dir\n");
    put(&dest, "x.log", "ignored");
    put(&dest, "out/deep/y", "ignored");
    std::fs::create_dir(dest.join("empty")).unwrap();
    let (captured, patch) = world.capture(&project, &checkout.listing);
    assert_eq!(
        summary(&captured),
        [
            "Modified a.txt",
            "Added bin +binary",
            "ModeChanged d/b.txt +executable",
            "Deleted gone",
            "Deleted kept.log.txt",
            "Added kept.log.txt/inside",
            "TypeChanged l",
            "Added new +secret",
        ]
    );
    let counts = &captured.changes[0];
    assert_eq!((counts.added, counts.removed), (Some(1), Some(1)));
    assert_eq!(captured.changes[1].added, None);
    assert_eq!(captured.patch_bytes, patch.len() as u64);
    let ignored: Vec<_> = captured
        .ignored
        .iter()
        .map(|one| (one.path.to_text(), one.bytes))
        .collect();
    assert_eq!(ignored, [("out".to_owned(), 7), ("x.log".to_owned(), 7)]);
    let again = world.capture(&project, &checkout.listing);
    assert_eq!(again.0.hash, captured.hash);
    assert_eq!(again.1, patch);
}

#[test]
fn fa_30_nothing_changed_is_an_empty_diff() {
    let world = start();
    let (project, checkout) = world.checkout();
    let (captured, patch) = world.capture(&project, &checkout.listing);
    assert!(captured.changes.is_empty() && patch.is_empty());
    assert_eq!(captured.patch_bytes, 0);
}

#[test]
fn fa_30_a_large_file_is_a_binary_literal() {
    let world = start();
    let (project, checkout) = world.checkout();
    let content: String = (0..1_500_000).map(|at| format!("{at}\n")).collect();
    put(&world.dest(), "large.txt", format!("{content}SECRET=1\n"));
    put(&world.dest(), "a.txt", &content);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    assert_eq!(
        summary(&captured),
        ["Modified a.txt +binary", "Added large.txt +binary +secret"]
    );
    assert!(patch.len() < content.len() * 2);
    world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    let landed = world.repo.git(&["show", "external/x:a.txt"]);
    assert_eq!(landed, content);
}

#[test]
fn fa_30_a_base_that_is_gone_is_named() {
    let world = start();
    let (project, checkout) = world.checkout();
    put(&world.dest(), "a.txt", "other\n");
    let (_, _, oid) = checkout
        .listing
        .files()
        .find(|(path, ..)| **path == repo_path("a.txt"))
        .unwrap();
    let (folder, file) = oid.as_str().split_at(2);
    std::fs::remove_file(world.repo.path(&format!(".git/objects/{folder}/{file}"))).unwrap();
    let error = world
        .try_capture(&project, &checkout.listing, &mut Vec::new())
        .unwrap_err();
    assert!(matches!(error, GitError::MissingObject { .. }), "{error}");
}

#[test]
fn fa_30_unknown_folders_are_no_reason_to_stop() {
    let world = start();
    let (project, checkout) = world.checkout();
    let deep = format!("{}leaf", "d/".repeat(900));
    put(&world.dest(), &deep, "x");
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert_eq!(captured.changes.len(), 1);
    assert_eq!(captured.changes[0].kind, ChangeKind::Added);
    assert!(!captured.changes[0].flags.contains(&Flag::OddName));
}

#[test]
fn fa_30_what_a_run_locked_is_captured_all_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let world = start();
    let (project, checkout) = world.checkout();
    let dest = world.dest();
    put(&dest, "a.txt", "locked\n");
    put(&dest, "deep/new", "n\n");
    for (name, mode) in [("a.txt", 0o000), ("deep/new", 0o200), ("deep", 0o000)] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(dest.join(name), mode).unwrap();
    }
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert_eq!(summary(&captured), ["Modified a.txt", "Added deep/new"]);
}
