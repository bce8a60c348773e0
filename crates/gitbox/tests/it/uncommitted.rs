//! FA-10: the operator's uncommitted work becomes the first commit.

use taffrail_domain::ChangeKind;

use crate::world::{World, executable, link, plain_ok, put, summary};

/// A project whose operator changed, staged, removed and added files.
fn working_world() -> World {
    let world = World::with(&[
        ("same", "s\n"),
        ("edited", "1\n"),
        ("staged", "1\n"),
        ("deleted", "d\n"),
        ("dir/file", "f\n"),
        ("to-dir", "t\n"),
        (".gitignore", "*.log\n"),
    ]);
    let root = world.repo.root();
    put(root, "edited", "2\n");
    put(root, "staged", "2\n");
    world.repo.git(&["add", "staged"]);
    world.repo.remove("deleted");
    world.repo.remove("to-dir");
    put(root, "to-dir/inside", "i\n");
    put(root, "new file", "n\n");
    put(root, b"odd\xff", "o");
    put(root, "script", "#!/bin/sh\n");
    executable(root, "script");
    link(root, "link", "same");
    put(root, "x.log", "ignored");
    put(root, ".env", "TOKEN=1");
    put(root, "dir/.env.local", "TOKEN=1");
    put(root, ".env.example", "TOKEN=\n");
    put(root, "key.pem", "-----BEGIN");
    world
}

#[test]
fn fa_10_what_the_operator_sees_is_what_the_agent_gets() {
    let world = working_world();
    let before = world.repo.digest_with_times();
    let (project, checkout) = world.checkout_with(true, &[]).unwrap();
    assert_eq!(world.repo.digest_with_times(), before);

    let dest = world.dest();
    let work = checkout.uncommitted.as_ref().unwrap();
    let names: Vec<_> = work
        .changes
        .iter()
        .map(|change| (change.kind, change.path.to_text()))
        .collect();
    let expected = [
        (ChangeKind::Added, ".env.example"),
        (ChangeKind::Deleted, "deleted"),
        (ChangeKind::Modified, "edited"),
        (ChangeKind::Added, "link"),
        (ChangeKind::Added, "new file"),
        (ChangeKind::Added, "odd\u{fffd}"),
        (ChangeKind::Added, "script"),
        (ChangeKind::Modified, "staged"),
        (ChangeKind::Deleted, "to-dir"),
        (ChangeKind::Added, "to-dir/inside"),
    ];
    assert_eq!(names, expected.map(|(kind, name)| (kind, name.to_owned())));
    assert_eq!(plain_ok(&dest, &["status", "--porcelain"]), "");
    assert_eq!(plain_ok(&dest, &["rev-list", "--count", "HEAD"]), "2");
    assert!(!dest.join(".env").exists() && !dest.join("key.pem").exists());
    assert_eq!(
        checkout.not_supported.len(),
        3,
        "{:?}",
        checkout.not_supported
    );

    // The agent's change is against that commit, and its old content is not in the operator's repository.
    put(&dest, "edited", "2\n3\n");
    std::fs::remove_file(dest.join("new file")).unwrap();
    let (captured, patch) = world.capture(&project, &checkout.listing);
    assert_eq!(summary(&captured), ["Modified edited", "Deleted new file"]);

    let landed = world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    let log = world
        .repo
        .git(&["log", "--format=%s", &landed.commit.to_string()]);
    assert_eq!(log, "what the agent did\nuncommitted work\nfirst\n");
    assert_eq!(world.repo.git(&["show", "external/x:edited"]), "2\n3\n");
    assert_eq!(world.repo.git(&["show", "external/x:staged"]), "2\n");
    let modes = world.repo.git(&["ls-tree", "external/x", "script", "link"]);
    assert!(
        modes.contains("100755 blob") && modes.contains("120000 blob"),
        "{modes}"
    );
}

#[test]
fn fa_10_nothing_uncommitted_is_no_commit() {
    let world = World::with(&[("a", "1\n")]);
    // Touched, not changed: the facts differ and the bytes do not.
    put(world.repo.root(), "a", "1\n");
    let (_, checkout) = world.checkout_with(true, &[]).unwrap();
    assert!(checkout.uncommitted.is_none());
    assert_eq!(checkout.listing.base(), &checkout.base);
}

#[test]
fn fa_10_conversions_of_the_operator_are_no_changes() {
    let world = World::with(&[
        (".gitattributes", "*.txt text eol=crlf\n*.big filter=lfs\n"),
        ("a.txt", "1\n2\n"),
        ("b.txt", "1\n"),
        ("c.big", "pointer\n"),
    ]);
    let root = world.repo.root();
    put(root, "a.txt", "1\r\n2\r\n");
    put(root, "b.txt", "1\r\nnew\r\n");
    put(root, "c.big", "the whole content");
    let (_, checkout) = world.checkout_with(true, &[]).unwrap();
    let work = checkout.uncommitted.unwrap();
    let names: Vec<_> = work
        .changes
        .iter()
        .map(|change| change.path.to_text())
        .collect();
    assert_eq!(names, ["b.txt"]);
    assert_eq!(
        std::fs::read(world.dest().join("b.txt")).unwrap(),
        b"1\nnew\n"
    );
    assert_eq!(
        std::fs::read(world.dest().join("c.big")).unwrap(),
        b"pointer\n"
    );
    assert!(
        checkout
            .not_supported
            .iter()
            .any(|note| note.contains("c.big"))
    );
}

#[test]
fn fa_10_sparse_conflicted_and_intended() {
    let world = World::with(&[("in/a", "1\n"), ("out/b", "2\n")]);
    world
        .repo
        .git(&["sparse-checkout", "set", "--no-cone", "/in/"]);
    assert!(!world.repo.exists("out/b"));
    put(world.repo.root(), "in/new", "n\n");
    world.repo.git(&["add", "-N", "in/new"]);
    let (project, checkout) = world.checkout_with(true, &[]).unwrap();
    assert!(project.sparse);
    let work = checkout.uncommitted.unwrap();
    let names: Vec<_> = work
        .changes
        .iter()
        .map(|change| change.path.to_text())
        .collect();
    assert_eq!(names, ["in/new"]);
    assert!(world.dest().join("out/b").exists());
}

#[test]
fn fa_10_a_conflict_is_taken_as_it_lies_there() {
    let world = World::with(&[("a", "1\n")]);
    world.repo.git(&["checkout", "-q", "-b", "other"]);
    world.repo.file("a", "other\n").commit("other");
    world.repo.git(&["checkout", "-q", "main"]);
    world.repo.file("a", "main\n").commit("main");
    world.repo.try_git(&["merge", "-q", "other"]);
    assert!(world.repo.read("a").contains("<<<<<<<"));
    let (_, checkout) = world.checkout_with(true, &[]).unwrap();
    assert_eq!(checkout.uncommitted.unwrap().changes.len(), 1);
    assert_eq!(
        std::fs::read_to_string(world.dest().join("a")).unwrap(),
        world.repo.read("a")
    );
}

#[test]
fn fa_10_a_repository_inside_stays_behind() {
    let world = World::with(&[("a", "1\n")]);
    plain_ok(world.repo.root(), &["init", "-q", "inner"]);
    put(world.repo.root(), "b", "2\n");
    let (_, checkout) = world.checkout_with(true, &[]).unwrap();
    assert_eq!(checkout.uncommitted.unwrap().changes.len(), 1);
    assert!(!world.dest().join("inner").exists());
    assert_eq!(checkout.not_supported.len(), 1);
}
