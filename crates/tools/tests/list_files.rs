//! `list_files`: order, limits, ignored files, globs.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::cell::Cell;

use support::{Ground, Impatient, Patient, list, listing, word};
use taffrail_tools::ProjectFiles;

fn names(files: &ProjectFiles, path: Option<&str>, glob: Option<&str>) -> Vec<String> {
    let ask = listing(path, glob, 1_000);
    files.list_files(&ask, &Patient::default()).unwrap().files
}

#[test]
fn mcp_01_files_are_listed_in_the_order_of_their_paths() {
    let ground = Ground::new();
    let paths = [
        "a-b", "a.b", "a/b", "a/b.c", "a0", "ab/c", "b/a/x", "b/a.x", "Z", "\u{e9}", "z",
    ];
    paths.iter().for_each(|path| ground.write(path, ""));
    std::fs::create_dir(ground.root.join("empty")).unwrap();
    let files = ground.files();
    let listed = names(&files, None, None);
    let mut sorted = paths.to_vec();
    sorted.sort_unstable();
    assert_eq!(listed, sorted);
    // Any limit gives the beginning of the same list.
    for limit in 1..=paths.len() as u64 {
        let ask = listing(None, None, limit);
        let part = files.list_files(&ask, &Patient::default()).unwrap();
        assert_eq!(part.files, sorted[..limit as usize]);
        assert_eq!(part.truncated, limit < paths.len() as u64, "{limit}");
    }
    assert_eq!(names(&files, Some("b"), None), ["b/a.x", "b/a/x"]);
    assert!(names(&files, Some("empty"), None).is_empty());
    for limit in [0, 1_001] {
        let ask = listing(None, None, limit);
        assert_eq!(
            word(&files.list_files(&ask, &Patient::default())),
            "argument"
        );
    }
}

#[test]
fn mcp_01_what_git_ignores_is_not_listed() {
    let ground = Ground::new();
    for path in [
        "src/a.rs",
        "target/x",
        "a.log",
        "keep/good.log",
        "keep/bad.log",
        "deep/target/x",
        "deep/out/x",
        "deep/in/out/x",
        "local.txt",
        "node/.bin/x",
        "only/a",
        "only/b",
    ] {
        ground.write(path, "");
    }
    ground.write(
        ".gitignore",
        "*.log\n/target/\nnode/\r\n/only/*\n!/only/b\n\u{0}\n[\n",
    );
    ground.write("keep/.gitignore", "!good.log\n");
    ground.write("deep/.gitignore", "/out\n");
    ground.write(".git/info/exclude", "local.txt\n");
    let files = ground.files();
    let expect = [
        ".gitignore",
        "deep/.gitignore",
        "deep/in/out/x",
        "deep/target/x",
        "keep/.gitignore",
        "keep/good.log",
        "only/b",
        "src/a.rs",
    ];
    assert_eq!(names(&files, None, None), expect);
    // A folder that is asked for by name is listed, and the rules above it still count in it.
    assert_eq!(names(&files, Some("target"), None), ["target/x"]);
    assert_eq!(
        names(&files, Some("keep"), None),
        ["keep/.gitignore", "keep/good.log"]
    );
    assert_eq!(names(&files, Some("deep"), None), expect[1..4]);
    // A list that is a link is not followed.
    std::fs::write(ground.outside.join("list"), "src/\n").unwrap();
    std::fs::remove_file(ground.root.join(".gitignore")).unwrap();
    ground.link("../outside/list", ".gitignore");
    assert!(names(&files, None, None).contains(&"src/a.rs".to_owned()));
}

#[test]
fn mcp_01_globs() {
    let ground = Ground::new();
    for path in [
        "a.rs",
        "src/b.rs",
        "src/in/c.rs",
        "src/d.md",
        "!x",
        "#y",
        "docs/e.md",
    ] {
        ground.write(path, "");
    }
    let files = ground.files();
    let cases: [(&str, &[&str]); 10] = [
        ("*.rs", &["a.rs", "src/b.rs", "src/in/c.rs"]),
        ("/*.rs", &["a.rs"]),
        ("src/*.rs", &["src/b.rs"]),
        ("src/**/*.rs", &["src/b.rs", "src/in/c.rs"]),
        ("**/*.md", &["docs/e.md", "src/d.md"]),
        (
            "*.{md,rs}",
            &["a.rs", "docs/e.md", "src/b.rs", "src/d.md", "src/in/c.rs"],
        ),
        ("src", &["src/b.rs", "src/d.md", "src/in/c.rs"]),
        ("!x", &["!x"]),
        ("#y", &["#y"]),
        ("../*", &[]),
    ];
    for (glob, expect) in cases {
        assert_eq!(names(&files, None, Some(glob)), expect, "{glob}");
    }
    assert_eq!(names(&files, Some("src"), Some("*.md")), ["src/d.md"]);
    for bad in ["", "  ", "a\nb", "{a", "a\0", &"x".repeat(1_001)] {
        let came = files.list_files(&listing(None, Some(bad), 10), &Patient::default());
        assert_eq!(word(&came), "argument", "{bad:?}");
        assert!(came.unwrap_err().to_string().starts_with("`glob`:"));
    }
}

#[test]
fn mcp_01_a_call_that_is_taken_back_stops() {
    let ground = Ground::new();
    (0..100).for_each(|at| ground.write(&format!("f{at:03}"), ""));
    let files = ground.files();
    let ask = listing(None, None, 1_000);
    let watch = Impatient(Cell::new(10));
    assert_eq!(word(&files.list_files(&ask, &watch)), "interrupted");
    let watch = Patient::default();
    assert_eq!(files.list_files(&ask, &watch).unwrap().files.len(), 100);
    assert_eq!(watch.told.get(), 100);
}

#[test]
fn mcp_01_a_tree_without_end_ends() {
    let ground = Ground::new();
    ground.write("a/file", "");
    let deep = format!("{}file", "d/".repeat(100));
    ground.write(&deep, "");
    ground.write("z", "");
    let listed = list(&ground.files(), None).unwrap();
    assert_eq!(listed.files, ["a/file", "z"]);
    assert!(
        listed.truncated,
        "what lies deeper than 64 folders is told of"
    );
    let near = "d/".repeat(60);
    let listed = list(&ground.files(), Some(&near)).unwrap();
    assert_eq!((listed.files, listed.truncated), (vec![deep], false));
}

#[test]
fn mcp_01_a_long_list_is_bounded() {
    let ground = Ground::new();
    for at in 0..1_000 {
        let name = format!("{}/{at:03}{}", "d".repeat(200), "n".repeat(200));
        ground.write(&name, "");
    }
    let listed = list(&ground.files(), None).unwrap();
    assert!(listed.truncated);
    let bytes: usize = listed.files.iter().map(String::len).sum();
    assert!(bytes <= 256 << 10 && listed.files.len() > 600, "{bytes}");
}

#[test]
fn mcp_01_a_name_that_is_no_text_is_listed_for_reading() {
    use std::os::unix::ffi::OsStrExt;
    let ground = Ground::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xffb");
    if std::fs::write(ground.root.join(name), "").is_ok() {
        assert_eq!(list(&ground.files(), None).unwrap().files, ["a\u{fffd}b"]);
    }
}
