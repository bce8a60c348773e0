//! FA-30: the diff is one that plain git applies, and gives the very tree that was captured.

use std::path::Path;

use proptest::prelude::*;

use crate::world::{World, executable, plain_ok, put};

/// Applies the diff with plain git to a fresh checkout of the base, and compares the two trees' ids.
fn check(world: &World) {
    let (project, checkout) = world.checkout();
    let oracle = world.run_dir().join("oracle");
    let root = world.repo.root().to_str().unwrap();
    plain_ok(world.run_dir(), &["clone", "-q", root, "oracle"]);
    (CHANGE.with(|change| change.borrow_mut().take()).unwrap())(&world.dest());
    let (captured, patch) = world.capture(&project, &checkout.listing);
    let file = world.run_dir().join("oracle.patch");
    std::fs::write(&file, &patch).unwrap();
    if !patch.is_empty() {
        plain_ok(
            &oracle,
            &["apply", "--index", "--binary", file.to_str().unwrap()],
        );
    }
    // The checkout's own git is only an oracle here.
    plain_ok(&world.dest(), &["add", "-A", "."]);
    let expected = plain_ok(&world.dest(), &["write-tree"]);
    assert_eq!(
        plain_ok(&oracle, &["write-tree"]),
        expected,
        "{}",
        String::from_utf8_lossy(&patch)
    );
    let names = plain_ok(
        &world.dest(),
        &[
            "diff",
            "--cached",
            "--no-renames",
            "--name-only",
            "-z",
            "HEAD",
        ],
    );
    let names = names.split('\0').filter(|name| !name.is_empty()).count();
    assert_eq!(captured.changes.len(), names);
    if !patch.is_empty() {
        let landed = world
            .land(&project, &checkout, &captured.changes, &patch)
            .unwrap();
        let tree = world
            .repo
            .git(&["rev-parse", &format!("{}^{{tree}}", landed.commit)]);
        assert_eq!(tree.trim(), expected);
    }
}

type Change = Box<dyn FnOnce(&Path)>;

thread_local! {
    static CHANGE: std::cell::RefCell<Option<Change>> = const { std::cell::RefCell::new(None) };
}

fn check_change(world: &World, change: impl FnOnce(&Path) + 'static) {
    CHANGE.with(|slot| *slot.borrow_mut() = Some(Box::new(change)));
    check(world);
}

#[test]
fn fa_30_odd_names_and_contents() {
    let names: [&[u8]; 12] = [
        b"plain",
        b"with space",
        b"-rf",
        b"q\"uote",
        b"back\\slash",
        b"new\nline",
        b"t\tab",
        b"\xff\xfe",
        "\u{e9}\u{4e2d}".as_bytes(),
        b" lead",
        b"trail ",
        b"a/b c/d",
    ];
    let world = World::empty();
    for name in names {
        put(world.repo.root(), name, "old\nline\n");
    }
    world.repo.commit("first");
    check_change(&world, move |at| {
        for (nth, name) in names.iter().enumerate() {
            match nth % 3 {
                0 => put(at, name, "new\nline"),
                1 => put(at, name, b"\0binary"),
                _ => put(at, name, ""),
            }
            put(at, [name, b"+".as_slice()].concat(), "added");
            put(at, [name, b"=".as_slice()].concat(), "");
        }
    });
}

#[test]
fn fa_30_types_modes_and_places() {
    let world = World::with(&[
        ("f", "f\n"),
        ("g", "g\n"),
        ("d/x", "x\n"),
        ("e", ""),
        ("n", "no newline"),
        ("bin", "\0a"),
        ("r", "1\r\n2\r\n"),
    ]);
    world.repo.link("l", "f").link("m", "g").commit("second");
    check_change(&world, |at| {
        std::fs::remove_file(at.join("f")).unwrap();
        crate::world::link(at, "f", "g");
        std::fs::remove_file(at.join("l")).unwrap();
        put(at, "l", "file\n");
        executable(at, "l");
        std::fs::remove_file(at.join("m")).unwrap();
        crate::world::link(at, "m", "n");
        std::fs::remove_file(at.join("g")).unwrap();
        put(at, "g/deep/er", "1\n");
        std::fs::remove_dir_all(at.join("d")).unwrap();
        put(at, "d", "was a folder\n");
        put(at, "e", "no longer empty");
        put(at, "n", "no newline\n");
        std::fs::remove_file(at.join("bin")).unwrap();
        put(at, "r", "1\n2\r\n");
        executable(at, "r");
    });
}

#[test]
fn fa_30_attributes_that_convert() {
    let world = World::with(&[
        (".gitattributes", "* text=auto eol=crlf filter=lfs diff=x\n"),
        ("a.txt", "1\n2\n"),
    ]);
    let (project, checkout) = world.checkout();
    put(&world.dest(), "a.txt", "1\r\n2\n");
    put(&world.dest(), "b.txt", "new\r\n");
    let (captured, patch) = world.capture(&project, &checkout.listing);
    world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    assert_eq!(world.repo.git(&["show", "external/x:b.txt"]), "new\r\n");
    assert_eq!(world.repo.git(&["show", "external/x:a.txt"]), "1\r\n2\n");
}

#[test]
fn fa_30_sha_256() {
    let world = World::empty();
    let root = world.repo.root();
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    plain_ok(
        root,
        &["init", "-q", "-b", "main", "--object-format=sha256", "."],
    );
    world
        .repo
        .file("a", "1\n")
        .file("bin", b"\0")
        .commit("first");
    check_change(&world, |at| {
        put(at, "a", "2\n");
        put(at, "bin", b"\0\0");
        put(at, "c", "");
    });
}

/// A small tree: contents that share lines, so that hunks have context.
fn tree() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let name = prop::sample::select(vec![
        "a",
        "b",
        "c d",
        "dir/e",
        "dir/f",
        "dir/sub/g",
        "\u{e9}",
    ]);
    let line = prop::sample::select(vec![
        "x\n",
        "y\n",
        "z\n",
        "\n",
        "}\n",
        "long line of text\r\n",
    ]);
    let text = (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text = lines.concat().into_bytes();
        if cut {
            text.pop();
        }
        text
    });
    let binary = prop::collection::vec(any::<u8>(), 0..300);
    let content = prop_oneof![4 => text, 1 => binary];
    prop::collection::btree_map(name.prop_map(str::to_owned), content, 0..7)
        .prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn fa_30_any_tree_to_any_tree(before in tree(), after in tree()) {
        let world = World::empty();
        for (name, content) in &before {
            put(world.repo.root(), name, content);
        }
        world.repo.commit("first");
        check_change(&world, move |at| {
            for (name, _) in &before {
                std::fs::remove_file(at.join(name)).unwrap();
            }
            for (name, content) in &after {
                put(at, name, content);
            }
        });
    }
}
