//! What a call of each tool takes, on a tree of 10,000 files in 100 folders.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a benchmark makes the files that it looks for

use std::sync::LazyLock;

use divan::Bencher;
use taffrail_tools::{ListFiles, ProjectFiles, ReadFile, SearchText, Watch};

struct Patient;

impl Watch for Patient {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: u64, _: Option<u64>) {}
}

static TREE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let line = "    let value = compute(first, second).unwrap_or_default();\n";
    for at in 0..10_000 {
        let folder = dir.path().join(format!("src/m{:02}", at % 100));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("// file {at}\n{}", line.repeat(60));
        std::fs::write(folder.join(format!("f{at:05}.rs")), text).unwrap();
    }
    std::fs::write(dir.path().join("long"), "01".repeat(4 << 20)).unwrap();
    std::fs::write(dir.path().join("large"), line.repeat(270_000)).unwrap();
    dir
});

fn files() -> ProjectFiles {
    ProjectFiles::open(TREE.path(), &[]).unwrap()
}

fn question(query: &str, regex: bool) -> SearchText {
    SearchText {
        query: query.to_owned(),
        regex,
        case_sensitive: false,
        path: None,
        glob: None,
        limit: 100,
    }
}

#[divan::bench(sample_count = 20, args = ["src/m42/f00042.rs", "large"])]
fn read(bencher: Bencher<'_, '_>, path: &str) {
    let (files, path) = (files(), path.to_owned());
    let ask = ReadFile {
        path,
        line: 1,
        limit: 2_000,
    };
    bencher.bench(|| files.read_file(&ask).unwrap());
}

#[divan::bench(sample_count = 20, args = ["first 200", "the last one", "none"])]
fn list(bencher: Bencher<'_, '_>, what: &str) {
    let files = files();
    let glob = match what {
        "first 200" => None,
        "the last one" => Some("f09999.rs".to_owned()),
        _ => Some("*.none".to_owned()),
    };
    let ask = ListFiles {
        path: None,
        glob,
        limit: 200,
    };
    bencher.bench(|| files.list_files(&ask, &Patient).unwrap());
}

#[divan::bench(sample_count = 10, args = ["file 9999", "nothing of it"])]
fn search(bencher: Bencher<'_, '_>, query: &str) {
    let (files, ask) = (files(), question(query, false));
    bencher.bench(|| files.search_text(&ask, &Patient).unwrap());
}

/// An expression of many states, on a line of 8 MiB of which it is tried on 64 KiB.
#[divan::bench(sample_count = 3, args = ["[01]*1[01]{900}[^01]", r"(\w\W?){9}2", "(0|1|01|10)*2"])]
fn worst(bencher: Bencher<'_, '_>, query: &str) {
    let files = files();
    let ask = SearchText {
        path: Some("long".to_owned()),
        ..question(query, true)
    };
    bencher.bench(|| files.search_text(&ask, &Patient).unwrap());
}

fn main() {
    divan::main();
}
