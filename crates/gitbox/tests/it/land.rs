//! FA-31: landing by plumbing, and every way in which it is refused.

use taffrail_domain::{ErrorCode, FileMode, Millis};
use taffrail_gitbox::LandError;

use crate::world::{World, executable, link, put};

/// Everything in the project that landing must not touch: all but objects and the one branch.
fn untouched(world: &World) -> Vec<String> {
    let mut lines = world.repo.manifest();
    lines.retain(|line| !line.contains(".git/objects") && !line.contains("refs/heads/external"));
    lines
}

fn changed(world: &World) -> (taffrail_gitbox::Project, taffrail_gitbox::Checkout) {
    let (project, checkout) = world.checkout();
    let dest = world.dest();
    put(&dest, "a", "two\n");
    put(&dest, "new/b", "b");
    put(&dest, "run", "#!/bin/sh\n");
    executable(&dest, "run");
    link(&dest, "l", "a");
    std::fs::remove_file(dest.join("gone")).unwrap();
    (project, checkout)
}

fn start() -> World {
    World::with(&[("a", "one\n"), ("gone", "g\n")])
}

#[test]
fn fa_31_a_new_branch_and_nothing_else() {
    let world = start();
    // A dirty tree and index stay as they are.
    put(world.repo.root(), "a", "dirty\n");
    put(world.repo.root(), "staged", "s\n");
    world.repo.git(&["add", "staged"]);
    world.repo.config("core.logAllRefUpdates", "always");
    world.repo.config("commit.gpgSign", "true");
    world.repo.config("apply.whitespace", "error");
    world.repo.config("core.autocrlf", "true");
    let before = untouched(&world);
    let (project, checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    let landed = world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    assert_eq!(untouched(&world), before);
    assert_eq!(landed.branch, "external/x");
    assert!(!world.run_dir().join("land").exists());

    let format = "%an <%ae> %at|%cn <%ce> %ct|%P|%B";
    let facts = world
        .repo
        .git(&["log", "-1", &format!("--format={format}"), "external/x"]);
    let head = world.repo.head();
    assert_eq!(
        facts.trim(),
        format!(
            "Operator <op@example.invalid> 1700000000|taffrail (sh) <taffrail@localhost> 1700000000|{head}|what the agent did"
        )
    );
    let tree = world
        .repo
        .git(&["ls-tree", "-r", "--name-only", "external/x"]);
    assert_eq!(tree, "a\nl\nnew/b\nrun\n");
    world.repo.git(&["fsck", "--strict"]);
}

#[test]
fn fa_31_only_a_branch_that_is_not_there() {
    let world = start();
    let (project, checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    world.repo.git(&["branch", "external/x"]);
    let land = || {
        world
            .land(&project, &checkout, &captured.changes, &patch)
            .unwrap_err()
    };
    assert!(matches!(land(), LandError::BranchExists { .. }));
    world.repo.git(&["branch", "-D", "external/x"]);
    world.repo.git(&["branch", "external"]);
    let error = land();
    assert_eq!(error.code(), ErrorCode::BranchExists, "{error}");
    assert_eq!(error.to_string(), "the branch `external` is already there");
    world.repo.git(&["pack-refs", "--all"]);
    let error = land();
    assert_eq!(error.code(), ErrorCode::BranchExists, "{error}");
}

#[test]
fn fa_31_a_branch_that_is_this_landing_cut_off_is_taken_as_it_is() {
    let world = start();
    let (project, checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    let land = |when| world.land_at(&project, &checkout, &captured.changes, &patch, Millis(when));
    let cut_off = land(1_700_000_000_000).unwrap();
    let before = world.repo.digest();
    let again = land(1_800_000_000_000).unwrap();
    assert_eq!(again, cut_off);
    assert_eq!(world.repo.digest(), before, "nothing more was written");

    // Packed it is the same branch; with one thing more it is another.
    world.repo.git(&["pack-refs", "--all"]);
    assert_eq!(land(1_800_000_000_000).unwrap(), cut_off);
    let tree = format!("{}^{{tree}}", cut_off.commit);
    let head = world.repo.head();
    let of_another = [
        vec![
            "commit-tree",
            "-p",
            &head,
            "-m",
            "what the agent did",
            &tree,
        ],
        vec![
            "commit-tree",
            "-p",
            cut_off.commit.as_str(),
            "-m",
            "work on top",
            &tree,
        ],
    ];
    for commit in of_another {
        let other = world.repo.git(&commit);
        world
            .repo
            .git(&["update-ref", "refs/heads/external/x", other.trim()]);
        let refused = land(1_800_000_000_000).unwrap_err();
        assert!(
            matches!(refused, LandError::BranchExists { .. }),
            "{refused}"
        );
    }
}

#[test]
fn fa_31_a_lock_that_a_landing_left_that_was_cut_off_holds_up_no_other() {
    let lock = ".git/refs/heads/external/x.lock";
    for (held, is_taken) in [("", true), ("0123456789abcdef\n", true), ("note\n", false)] {
        let world = start();
        let (project, checkout) = changed(&world);
        let (captured, patch) = world.capture(&project, &checkout.listing);
        let land = || world.land(&project, &checkout, &captured.changes, &patch);
        world.repo.file(lock, held);
        // The twin: whose it is is not known, so that it stays; nor is it a branch.
        let refused = land().unwrap_err();
        assert!(matches!(refused, LandError::Git(_)), "{refused}");
        assert_eq!(world.repo.read(lock), held);
        // Nor does a note on anything but a branch take a lock away.
        world.repo.file(".git/config.lock", held);
        put(world.run.path(), "land/making", "config");
        land().unwrap_err();
        assert!(world.repo.exists(".git/config.lock"));
        put(world.run.path(), "land/making", "refs/heads/external/x");
        assert_eq!(land().is_ok(), is_taken, "{held}");
        assert_eq!(world.repo.exists(lock), !is_taken);
    }
}

#[test]
fn fa_31_what_does_not_apply_leaves_no_object() {
    let world = start();
    let (project, checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    let before = world.repo.digest();
    let text = String::from_utf8(patch.clone()).unwrap();
    let check = |patch: &str, code: ErrorCode| {
        let error = world
            .land(&project, &checkout, &captured.changes, patch.as_bytes())
            .unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(world.repo.digest(), before);
    };
    check(&text.replace("-one", "-uno"), ErrorCode::ApplyFailed);
    // Applies, and gives something else than a person was shown.
    check(&text.replace("+two", "+too"), ErrorCode::ApplyFailed);
    check(
        &text.replace("new file mode 100755", "new file mode 100644"),
        ErrorCode::ApplyFailed,
    );
    let extra = "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n";
    check(&format!("{text}{extra}"), ErrorCode::ApplyFailed);
    check(
        &format!(
            "{text}{}",
            extra
                .replace("b/x", "b/../../x")
                .replace("a/x", "a/../../x")
        ),
        ErrorCode::ApplyFailed,
    );
    check(
        &format!(
            "{text}{}",
            extra
                .replace("b/x", "b/.git/hooks/x")
                .replace("a/x", "a/.git/hooks/x")
        ),
        ErrorCode::ApplyFailed,
    );
    check("", ErrorCode::ApplyFailed);
    let mut changes = captured.changes.clone();
    changes[0].new = changes[0]
        .new
        .take()
        .map(|(_, oid)| (FileMode::Executable, oid));
    let error = world
        .land(&project, &checkout, &changes, &patch)
        .unwrap_err();
    assert!(matches!(error, LandError::NotAsRecorded { .. }), "{error}");
    assert_eq!(world.repo.digest(), before);
}

#[test]
fn fa_31_a_base_that_is_gone_is_named() {
    let world = start();
    let (project, mut checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    checkout.base = "1234567890123456789012345678901234567890".parse().unwrap();
    let error = world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap_err();
    assert!(matches!(error, LandError::BaseGone { .. }), "{error}");
}

#[test]
fn fa_31_the_operator_may_have_gone_on() {
    let world = start();
    let (project, checkout) = changed(&world);
    let (captured, patch) = world.capture(&project, &checkout.listing);
    let base = world.repo.head();
    world.repo.file("a", "the operator's\n").commit("meanwhile");
    world.repo.git(&["gc", "-q"]);
    world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    let parent = world.repo.git(&["rev-parse", "external/x~1"]);
    assert_eq!(parent.trim(), base);
}

#[test]
fn fa_31_from_a_linked_worktree() {
    let world = start();
    let linked = world.repo.worktree("linked");
    linked.file("c", "1\n").commit("linked");
    let project = taffrail_gitbox::discover(&world.git, linked.root()).unwrap();
    let plan = taffrail_gitbox::CheckoutPlan {
        dest: &world.dest(),
        kept: world.run_dir(),
        include_uncommitted: false,
        carry: &[],
        credentials: &[],
    };
    let checkout =
        taffrail_gitbox::make_checkout(&world.git, &project, &plan, &mut |_| ()).unwrap();
    put(&world.dest(), "c", "2\n");
    let (captured, patch) = world.capture(&project, &checkout.listing);
    world
        .land(&project, &checkout, &captured.changes, &patch)
        .unwrap();
    assert_eq!(linked.git(&["show", "external/x:c"]), "2\n");
    assert_eq!(linked.status(), "");
}
