//! How long the look at a work tree of 20,000 files takes when a slate is closed.
// A bench is its own rim: it makes the trees that it measures.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use divan::Bencher;
use taffrail_confine::env::Environment;
use taffrail_gitbox::{Git, WorkLimits, work_changes};

fn main() {
    divan::main();
}

struct World {
    dir: tempfile::TempDir,
    git: Git,
}

const FILES: usize = 20_000;

fn file(root: &Path, at: usize) -> PathBuf {
    root.join(format!("d{:03}/f{at:05}.txt", at % 200))
}

fn run(root: &Path, args: &str) {
    let done = Command::new("git")
        .args(args.split(' '))
        .current_dir(root)
        .status();
    assert!(done.expect("git runs").success());
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for at in 0..FILES {
            let path = file(dir.path(), at);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, format!("line {at}\n").repeat(100)).expect("a file");
        }
        run(dir.path(), "init -q -b main .");
        run(dir.path(), "add -A");
        run(
            dir.path(),
            "-c gc.auto=0 -c user.name=B -c user.email=b@example.invalid commit -q -m x",
        );
        run(dir.path(), "gc -q");
        let path = std::env::var_os("PATH").expect("a search path");
        let git = Git::new("git".into(), &Environment::new([("PATH".into(), path)]));
        Self { dir, git }
    }

    /// Changes so many files; one of them is put into the index, so that a part of the trees is read.
    fn change(&self, count: usize) {
        for at in 0..count {
            let text = format!("line {at}\n").repeat(99) + "another\n";
            std::fs::write(file(self.dir.path(), at), text).expect("a file");
        }
        if count > 0 {
            run(self.dir.path(), "add d000/f00000.txt");
        }
    }
}

#[divan::bench(sample_count = 10, args = [0, 100, 2_000])]
fn changed_files(bencher: Bencher<'_, '_>, count: usize) {
    let world = World::new();
    world.change(count);
    let limits = WorkLimits {
        time: Duration::from_secs(60),
        ..WorkLimits::default()
    };
    bencher.bench_local(|| {
        let found = work_changes(&world.git, world.dir.path(), &limits).expect("a work tree");
        assert_eq!(found.changed.expect("looked at").files.len(), count);
    });
}
