//! How long a checkout of 100 and 50,000 files takes, and the capture of one with 10,000 changed files.
// A bench is its own rim: it makes the trees that it measures.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use divan::Bencher;
use taffrail_confine::env::Environment;
use taffrail_gitbox::{
    CapturePlan, Checkout, CheckoutPlan, Git, Project, capture, discover, make_checkout,
};

fn main() {
    divan::main();
}

struct World {
    dir: tempfile::TempDir,
    git: Git,
    project: Project,
    next: AtomicUsize,
}

impl World {
    /// A repository of this many files of about 2 KiB, a hundred in each folder.
    fn new(files: usize) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path().join("p");
        for at in 0..files {
            let path = file(&root, at);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, content(at)).expect("a file");
        }
        for args in [
            "init -q -b main .",
            "add -A",
            "-c gc.auto=0 -c maintenance.auto=false -c user.name=B -c user.email=b@example.invalid commit -q -m x",
            "gc -q",
        ] {
            let done = Command::new("git")
                .args(args.split(' '))
                .current_dir(&root)
                .status();
            assert!(done.expect("git runs").success());
        }
        let path = std::env::var_os("PATH").expect("a search path");
        let git = Git::new("git".into(), &Environment::new([("PATH".into(), path)]));
        let project = discover(&git, &root).expect("a project");
        Self {
            dir,
            git,
            project,
            next: AtomicUsize::new(0),
        }
    }

    fn fresh(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.dir.path().join(format!("wt{number}"))
    }

    fn checkout(&self, dest: &Path) -> Checkout {
        let plan = CheckoutPlan {
            dest,
            kept: self.dir.path(),
            include_uncommitted: false,
            carry: &[],
            credentials: &[],
        };
        make_checkout(&self.git, &self.project, &plan, &mut |_| ()).expect("a checkout")
    }
}

fn file(root: &Path, at: usize) -> PathBuf {
    root.join(format!("d{}/f{at}.rs", at / 100))
}

fn content(at: usize) -> String {
    (0..60)
        .map(|line| format!("let value_{line} = {};\n", at * line))
        .collect()
}

#[divan::bench(args = [100, 50_000], sample_count = 5, sample_size = 1)]
fn checkout(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(files);
    bencher
        .with_inputs(|| world.fresh())
        .bench_values(|dest| world.checkout(&dest).listing.len());
}

#[divan::bench(args = [0, 10_000], sample_count = 5, sample_size = 1)]
fn capture_of_50_000(bencher: Bencher<'_, '_>, changed: usize) {
    let world = World::new(50_000);
    let dest = world.fresh();
    let checkout = world.checkout(&dest);
    for at in 0..changed {
        let text = content(at).replace("value_7 ", "other ");
        std::fs::write(file(&dest, at * 5), text).expect("a file");
    }
    bencher.bench(|| {
        let plan = CapturePlan {
            listing: &checkout.listing,
            worktree: &dest,
            kept: None,
            is_secret: &|_| false,
        };
        let captured = capture(&world.git, &world.project, &plan, &mut std::io::sink());
        assert_eq!(captured.expect("a capture").changes.len(), changed);
    });
}
