//! What the user's policy withholds, on all three tools (POL-04).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test makes the files that it looks for

mod support;

use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex};

use support::{Ground, Patient, list, listing, question, read, search, word};
use taffrail_domain::RepoPath;
use taffrail_tools::{ProjectFiles, SearchText, Withheld};

const HELD: &str = "plum";

fn ground() -> Ground {
    let ground = Ground::new();
    for path in [
        "secrets/key.txt",
        "secrets/deep/er/key.txt",
        "secrets/.gitignore",
        "kept.md",
        "vault/one.txt",
    ] {
        ground.write(path, HELD);
    }
    ground.write("Secrets/other.txt", "pear");
    ground.write("notes/secrets/mine.txt", "pear");
    ground.write("open.md", "pear");
    ground.link("secrets/key.txt", "to-key");
    ground.link("secrets", "to-secrets");
    ground.link("../secrets/key.txt", "notes/to-key");
    ground
}

/// `secrets/**`, one file, and a folder by itself.
fn withheld() -> Withheld {
    Arc::new(|path: &RepoPath| {
        let path = path.as_bytes();
        path.starts_with(b"secrets/") || path == b"kept.md" || path == b"vault"
    })
}

fn closed(ground: &Ground) -> ProjectFiles {
    ground.files().withholding(withheld())
}

/// Ways to say one of the withheld files, and one of the folders.
const FILES: &[&str] = &[
    "secrets/key.txt",
    "./secrets/key.txt",
    "secrets/key.txt/",
    "secrets/deep/er/key.txt",
    "secrets/.gitignore",
    "kept.md",
    "./kept.md",
];

#[test]
fn pol_04_what_is_withheld_is_neither_read_nor_listed_nor_found() {
    let ground = ground();
    let files = closed(&ground);
    for path in FILES {
        let came = read(&files, path);
        assert_eq!(word(&came), "refused", "{path}");
        let why = came.unwrap_err().to_string();
        assert!(
            why.ends_with("a rule of the user's policy withholds it"),
            "{why}"
        );
        assert_eq!(word(&search(&files, HELD, Some(path))), "refused", "{path}");
    }
    // There or not, it is said the same.
    assert_eq!(word(&read(&files, "secrets/absent")), "refused");
    assert_eq!(word(&list(&files, Some("vault"))), "refused");
    assert_eq!(word(&list(&files, Some("secrets/deep"))), "refused");
    let all = list(&files, None).unwrap();
    let expected = ["Secrets/other.txt", "notes/secrets/mine.txt", "open.md"];
    assert_eq!(
        (all.files, all.truncated),
        (expected.map(str::to_owned).to_vec(), false)
    );
    assert_eq!(list(&files, Some("secrets")).unwrap().files, [""; 0]);
    for path in [None, Some("."), Some("secrets")] {
        let found = search(&files, HELD, path).unwrap();
        assert_eq!(
            (found.matches, found.files > 0),
            (vec![], path != Some("secrets"))
        );
    }
    let by_glob = SearchText {
        regex: true,
        glob: Some("**/*key*".to_owned()),
        ..question(".")
    };
    let found = files.search_text(&by_glob, &Patient::default()).unwrap();
    assert_eq!((found.matches, found.files), (vec![], 0));
    let named = files.list_files(
        &listing(None, Some("secrets/**"), 1_000),
        &Patient::default(),
    );
    assert_eq!(named.unwrap().files, [""; 0]);
}

#[test]
fn pol_04_what_nobody_withholds_is_read_listed_and_found() {
    let ground = ground();
    let files = ground.files();
    for path in ["secrets/key.txt", "./secrets/deep/er/key.txt", "kept.md"] {
        assert_eq!(read(&files, path).unwrap().content, HELD, "{path}");
        assert_eq!(
            search(&files, HELD, Some(path)).unwrap().matches.len(),
            1,
            "{path}"
        );
    }
    let all = list(&files, None).unwrap().files;
    assert_eq!(all.len(), 8, "{all:?}");
    assert_eq!(search(&files, HELD, None).unwrap().matches.len(), 5);
    assert_eq!(list(&files, Some("secrets")).unwrap().files.len(), 3);
}

/// What is not withheld by its own path leads to nothing that is.
#[test]
fn pol_04_no_other_name_leads_to_what_is_withheld() {
    let ground = ground();
    let files = closed(&ground);
    for path in [
        "to-key",
        "to-secrets/key.txt",
        "to-secrets/deep/er/key.txt",
        "notes/to-key",
        "notes/../secrets/key.txt",
        "secrets/../secrets/key.txt",
        "/secrets/key.txt",
        "SECRETS/key.txt",
        "secrets//key.txt",
        "secrets/./key.txt",
        "s\u{200c}ecrets/key.txt",
        "secrets\\key.txt",
        "KEPT.md",
    ] {
        assert_ne!(word(&read(&files, path)), "ok", "{path}");
        assert_ne!(word(&search(&files, HELD, Some(path))), "ok", "{path}");
    }
    for path in ["to-secrets", "to-secrets/deep", "notes/..", "SECRETS"] {
        assert_ne!(word(&list(&files, Some(path))), "ok", "{path}");
    }
    let absolute = ground.root.join("secrets/key.txt");
    assert_eq!(word(&read(&files, absolute.to_str().unwrap())), "refused");
}

/// The rule is over where a file lies, and knows it by the path that is opened then.
#[test]
fn pol_04_every_path_that_is_opened_was_asked_about() {
    let ground = ground();
    let asked: Arc<Mutex<Vec<RepoPath>>> = Arc::default();
    let told = Arc::clone(&asked);
    let files = ground.files().withholding(Arc::new(move |path: &RepoPath| {
        told.lock().unwrap().push(path.clone());
        false
    }));
    let take = || std::mem::take(&mut *asked.lock().unwrap());
    let given = list(&files, None).unwrap().files;
    let of_list = take();
    for file in &given {
        assert!(
            of_list
                .iter()
                .any(|path| path.as_bytes() == file.as_bytes()),
            "{file}"
        );
    }
    search(&files, HELD, Some("notes")).unwrap();
    let of_search: Vec<String> = take().iter().map(RepoPath::to_text).collect();
    assert_eq!(of_search[0], "notes");
    assert!(
        of_search.contains(&"notes/secrets/mine.txt".to_owned()),
        "{of_search:?}"
    );
    read(&files, "./open.md").unwrap();
    assert_eq!(take(), [RepoPath::new("open.md").unwrap()]);
    // A file that was moved is asked about by its new path.
    let (from, to) = (
        ground.root.join("open.md"),
        ground.root.join("secrets/open.md"),
    );
    std::fs::rename(from, to).unwrap();
    let closed = closed(&ground);
    assert_eq!(word(&read(&closed, "secrets/open.md")), "refused");
    assert_eq!(word(&read(&closed, "open.md")), "unfit");
    // Names that are no text count by their bytes.
    let odd = std::ffi::OsStr::from_bytes(b"secrets/\xff.txt");
    std::fs::write(ground.root.join(odd), HELD).unwrap();
    assert_eq!(search(&closed, HELD, None).unwrap().matches, []);
    assert_eq!(search(&files, HELD, None).unwrap().matches.len(), 6);
}
