use crate::Hermetic;

fn world() -> Hermetic {
    Hermetic::new("/bin/sh")
}

#[test]
fn equal_histories_have_equal_ids() {
    let world = world();
    let ids = ["one", "two"].map(|name| {
        world
            .repo(name)
            .file("a/b.txt", "text")
            .executable("run", "#!/bin/sh\n")
            .commit("first")
    });
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0].len(), 40);
}

#[test]
fn a_status_leaves_the_repository_as_it_was_and_a_dirty_file_shows() {
    let world = world();
    let repo = world.repo("p");
    repo.file("a", "1").link("l", "/nowhere").commit("first");
    let before = repo.digest_with_times();
    assert_eq!(repo.status(), "");
    assert_eq!(repo.digest_with_times(), before);
    repo.file("a", "22").file("new file", "x").remove("l");
    assert_eq!(repo.status(), " M a\n D l\n?? \"new file\"\n");
    assert_ne!(repo.digest(), before);
    assert!(!repo.exists("l"));
}

#[test]
fn hooks_run_and_worktrees_and_submodules_are_real() {
    let world = world();
    let repo = world.repo("p");
    repo.file("a", "1").commit("first");
    repo.hook("post-checkout", "#!/bin/sh\necho ran > .git/hook-ran\n");
    repo.git(&["checkout", "-q", "-b", "other"]);
    assert!(repo.exists(".git/hook-ran"));
    repo.hook("post-checkout", "#!/bin/sh\n");
    let tree = repo.worktree("linked");
    assert_eq!(tree.head(), repo.head());
    assert!(tree.path(".git").is_file());
    let sub = world.repo("sub");
    sub.file("s", "1").commit("sub");
    repo.submodule(&sub, "vendor/sub")
        .commit("with a submodule");
    assert_eq!(repo.read("vendor/sub/s"), "1");
}

#[test]
fn a_failing_git_fails_the_test_with_its_words() {
    let world = world();
    let ran = world.repo("p").try_git(&["rev-parse", "nowhere"]);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("nowhere"), "{ran:?}");
}
