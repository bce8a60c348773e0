//! FA-10: what a checkout is, of every kind of repository.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use taffrail_domain::FileMode;
use taffrail_gitbox::{CheckoutPlan, GitError, Listing, Progress, discover, make_checkout};
use taffrail_testkit::{Times, manifest};

use crate::world::{World, git_with_home, link, plain_ok, put, repo_path};

fn names_below(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            names.push(name.into_owned());
            if path.is_dir() && !path.is_symlink() {
                todo.push(path);
            }
        }
    }
    names
}

#[test]
fn fa_10_an_independent_clone() {
    let world = World::with(&[("a.txt", "1\n"), ("d/b.txt", "2\n")]);
    world.repo.executable("run", "#!/bin/sh\n");
    world.repo.link("l", "a.txt").commit("second");
    world.repo.git(&["tag", "v1"]);
    world.repo.git(&["branch", "other"]);
    world
        .repo
        .git(&["remote", "add", "origin", "https://example.invalid/x"]);
    world.repo.hook("post-checkout", "#!/bin/sh\n");
    let before = world.repo.digest_with_times();
    let (project, checkout) = world.checkout();
    assert_eq!(world.repo.digest_with_times(), before);

    let dest = world.dest();
    assert_eq!(checkout.base, project.head);
    assert_eq!(checkout.branch, "main");
    assert_eq!(plain_ok(&dest, &["status", "--porcelain"]), "");
    assert_eq!(plain_ok(&dest, &["log", "--format=%s"]), "second\nfirst");
    assert_eq!(
        plain_ok(&dest, &["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
    assert_eq!(plain_ok(&dest, &["remote"]), "");
    plain_ok(&dest, &["fsck", "--strict"]);
    assert!(!dest.join(".git/hooks").exists());
    assert!(!dest.join(".git/objects/info/alternates").exists());
    assert!(!dest.join(".git/logs").exists());
    for name in names_below(&dest) {
        let facts = dest.join(&name).symlink_metadata().unwrap();
        assert!(
            facts.is_dir() || facts.nlink() == 1,
            "{name} has more than one link"
        );
    }
    let listed: Vec<_> = checkout
        .listing
        .files()
        .map(|(path, mode, _)| (path.to_text(), mode))
        .collect();
    let expected = [
        ("a.txt", FileMode::File),
        ("d/b.txt", FileMode::File),
        ("l", FileMode::Symlink),
        ("run", FileMode::Executable),
    ];
    assert_eq!(listed, expected.map(|(path, mode)| (path.to_owned(), mode)));
    assert_eq!(
        Listing::from_bytes(&checkout.listing.to_bytes()).unwrap(),
        checkout.listing
    );
    assert!(checkout.not_supported.is_empty());
}

#[test]
fn fa_10_packed_detached_linked_subfolder() {
    let world = World::with(&[("a", "1\n"), ("sub/b", "2\n")]);
    world.repo.git(&["gc", "-q"]);
    assert!(world.repo.exists(".git/packed-refs"));
    let from_below = discover(&world.git, &world.repo.path("sub")).unwrap();
    assert_eq!(from_below.root, world.project().root);

    let linked = world.repo.worktree("linked");
    linked.file("c", "3\n").commit("in the linked tree");
    let project = discover(&world.git, linked.root()).unwrap();
    assert_eq!(project.branch.as_deref(), Some("linked"));
    assert_eq!(project.common_dir, world.project().common_dir);
    let before = world.repo.digest_with_times();
    let dest = world.dest();
    let plan = CheckoutPlan {
        dest: &dest,
        kept: world.run_dir(),
        include_uncommitted: false,
        carry: &[],
        credentials: &[],
    };
    let checkout = make_checkout(&world.git, &project, &plan, &mut |_| ()).unwrap();
    assert_eq!(std::fs::read_to_string(dest.join("c")).unwrap(), "3\n");
    assert_eq!(checkout.branch, "linked");
    assert_eq!(world.repo.digest_with_times(), before);
    std::fs::remove_dir_all(&dest).unwrap();

    linked.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    let project = discover(&world.git, linked.root()).unwrap();
    assert_eq!(project.branch, None);
    let checkout = make_checkout(&world.git, &project, &plan, &mut |_| ()).unwrap();
    assert_eq!(checkout.branch, "main");
    assert!(!dest.join("c").exists());
}

#[test]
fn fa_10_sha_256_shallow_alternates() {
    let world = World::empty();
    let wide = world.hermetic.projects().join("wide");
    std::fs::create_dir(&wide).unwrap();
    plain_ok(&wide, &["init", "-q", "--object-format=sha256", "."]);
    put(&wide, "a", "1\n");
    plain_ok(&wide, &["add", "."]);
    plain_ok(&wide, &["commit", "-q", "-m", "x"]);

    world.repo.file("a", "1\n").commit("first");
    world.repo.file("a", "2\n").commit("second");
    let source = format!("file://{}", world.repo.root().display());
    let projects = world.hermetic.projects();
    plain_ok(&projects, &["clone", "-q", "--depth=1", &source, "shallow"]);
    let root = world.repo.root().to_str().unwrap();
    plain_ok(&projects, &["clone", "-q", "--shared", root, "shared"]);
    for (name, commits) in [("wide", "1"), ("shallow", "1"), ("shared", "2")] {
        let project = discover(&world.git, &projects.join(name)).unwrap();
        let dest = world.run_dir().join(name);
        let plan = CheckoutPlan {
            dest: &dest,
            kept: world.run_dir(),
            include_uncommitted: false,
            carry: &[],
            credentials: &[],
        };
        let before = manifest(&projects.join(name), Times::Counted);
        let checkout = make_checkout(&world.git, &project, &plan, &mut |_| ()).unwrap();
        assert_eq!(manifest(&projects.join(name), Times::Counted), before);
        assert_eq!(
            plain_ok(&dest, &["rev-list", "--count", "HEAD"]),
            commits,
            "{name}"
        );
        assert_eq!(plain_ok(&dest, &["status", "--porcelain"]), "", "{name}");
        assert!(!dest.join(".git/objects/info/alternates").exists());
        assert_eq!(project.shallow, name == "shallow");
        assert_eq!(!checkout.not_supported.is_empty(), name == "shallow");
        plain_ok(&dest, &["fsck"]);
    }
}

/// git moves a pack to its place at the end, which it cannot from one file system to another.
#[test]
fn fa_10_objects_that_lie_elsewhere_reach_another_file_system() {
    let world = World::with(&[("a", "1\n")]);
    let projects = world.hermetic.projects();
    let root = world.repo.root().to_str().unwrap();
    plain_ok(&projects, &["clone", "-q", "--shared", root, "shared"]);
    let memory = Path::new("/dev/shm");
    let other = if memory.is_dir() {
        memory
    } else {
        world.run_dir()
    };
    let other = tempfile::tempdir_in(other).unwrap();
    put(&projects.join("shared"), "a", "2\n");
    let project = discover(&world.git, &projects.join("shared")).unwrap();
    let dest = other.path().join("wt");
    let plan = CheckoutPlan {
        dest: &dest,
        kept: other.path(),
        include_uncommitted: true,
        carry: &[],
        credentials: &[],
    };
    let before = manifest(&projects.join("shared"), Times::Counted);
    let checkout = make_checkout(&world.git, &project, &plan, &mut |_| ()).unwrap();
    assert_eq!(
        manifest(&projects.join("shared"), Times::Counted),
        before,
        "nothing is written beside the project's objects, not even for a moment"
    );
    assert!(checkout.uncommitted.is_some());
    assert_eq!(std::fs::read_to_string(dest.join("a")).unwrap(), "2\n");
    plain_ok(&dest, &["fsck"]);
}

#[test]
fn fa_10_what_has_no_checkout() {
    let world = World::empty();
    let error = |path: &Path| discover(&world.git, path).unwrap_err();
    assert!(matches!(
        error(world.repo.root()),
        GitError::NoCommit { .. }
    ));
    let plain = world.hermetic.directory("plain");
    assert!(matches!(error(&plain), GitError::NotARepository { .. }));
    plain_ok(&plain, &["init", "-q", "--bare", "."]);
    assert!(matches!(error(&plain), GitError::Unsupported { .. }));
    let inside = world.repo.path(".git");
    assert!(matches!(error(&inside), GitError::Unsupported { .. }));
    world.repo.file("a", "1").commit("first");
    world.repo.config("core.worktree", plain.to_str().unwrap());
    assert!(matches!(
        error(world.repo.root()),
        GitError::Unsupported { .. }
    ));
}

#[test]
fn fa_10_a_repository_of_another_user() {
    let world = World::with(&[("a", "1")]);
    let root = world.repo.root();
    // Only root can give a repository away; for others the message is all that can be tested.
    if std::os::unix::fs::chown(root, Some(12345), Some(12345)).is_err() {
        return;
    }
    std::os::unix::fs::chown(root.join(".git"), Some(12345), Some(12345)).unwrap();
    let error = discover(&world.git, root).unwrap_err();
    assert!(matches!(error, GitError::OtherOwner { .. }), "{error}");
}

#[test]
fn fa_10_missing_and_old_git() {
    let world = World::empty();
    let missing = taffrail_gitbox::Git::new("/nonexistent/git".into(), &Default::default());
    let error = discover(&missing, world.repo.root()).unwrap_err();
    assert!(matches!(error, GitError::Missing { .. }), "{error}");
    let old = world.hermetic.root().join("old-git");
    std::fs::write(&old, "#!/bin/sh\necho git version 2.31.9\n").unwrap();
    crate::world::executable(world.hermetic.root(), "old-git");
    let old = taffrail_gitbox::Git::new(old, &Default::default());
    assert!(matches!(old.version(), Err(GitError::TooOld { .. })));
    assert!(world.git.version().unwrap().starts_with("2."));
}

#[test]
fn fa_10_attributes_do_not_change_a_byte() {
    let attributes = "*.txt text=auto eol=crlf\n*.id ident\n*.bin filter=lfs\n";
    let world = World::with(&[
        (".gitattributes", attributes),
        ("a.txt", "1\n2\n"),
        ("b.id", "$Id$\n"),
    ]);
    world
        .repo
        .file("d.bin", "version https://git-lfs.github.com/spec/v1\n")
        .commit("second");
    let (project, checkout) = world.checkout();
    let read = |name: &str| std::fs::read_to_string(world.dest().join(name)).unwrap();
    assert_eq!(read("a.txt"), "1\n2\n");
    assert_eq!(read("b.id"), "$Id$\n");
    assert!(read("d.bin").starts_with("version "));
    assert_eq!(checkout.not_supported, ["files of git-lfs are pointers"]);
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert!(captured.changes.is_empty(), "{:?}", captured.changes);
}

#[test]
fn fa_10_submodules_are_empty_and_said() {
    let world = World::with(&[("a", "1\n")]);
    let sub = world.hermetic.repo("sub");
    sub.file("s", "1").commit("sub");
    world
        .repo
        .submodule(&sub, "vendor/sub")
        .commit("with a submodule");
    let (project, checkout) = world.checkout();
    assert_eq!(
        checkout.not_supported,
        ["the submodule `vendor/sub` is an empty folder"]
    );
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert!(captured.changes.is_empty());
    put(&world.dest(), "vendor/sub/planted", "x");
    let (captured, patch) = world.capture(&project, &checkout.listing);
    assert_eq!(
        crate::world::summary(&captured),
        ["TypeChanged vendor/sub !gitlink"]
    );
    assert!(patch.is_empty());
}

#[test]
fn fa_10_progress_is_told() {
    let world = World::with(&[("a", "1\n"), ("b", "2\n")]);
    let project = world.project();
    let plan = CheckoutPlan {
        dest: &world.dest(),
        kept: world.run_dir(),
        include_uncommitted: false,
        carry: &[],
        credentials: &[],
    };
    let mut seen = Vec::new();
    make_checkout(&world.git, &project, &plan, &mut |step| seen.push(step)).unwrap();
    assert!(
        seen.iter()
            .any(|step| matches!(step, Progress::Objects(bytes) if *bytes > 0))
    );
    assert!(seen.contains(&Progress::Files(2, 2)), "{seen:?}");
    let again = make_checkout(&world.git, &project, &plan, &mut |_| ());
    assert!(again.is_err(), "an existing folder was taken");
    assert!(
        world.dest().join("a").exists(),
        "an existing folder was removed"
    );
}

/// A project with ignored paths of every sort.
fn carrying_world() -> World {
    let ignored = "node_modules/\n*.log\nbuild\n.env*\nsecret-link\n";
    let world = World::with(&[
        (".gitignore", ignored),
        ("src/a", "1\n"),
        ("tracked.txt", "t"),
    ]);
    let root = world.repo.root();
    put(root, "node_modules/m/index.js", "js");
    put(root, "node_modules/m/.env", "TOKEN=1");
    put(root, "x.log", "log");
    put(root, ".env", "TOKEN=1");
    put(root, "untracked", "u");
    link(root, "node_modules/out", "/etc/passwd");
    std::fs::create_dir(root.join("build")).unwrap();
    link(root, "secret-link", "/etc");
    world
}

#[test]
fn fa_10_carry() {
    let world = carrying_world();
    let root = world.repo.root();
    let before = world.repo.digest();
    let (project, checkout) = world
        .checkout_with(false, &["node_modules/", "./x.log"])
        .unwrap();
    assert_eq!(world.repo.digest(), before);
    let dest = world.dest();
    assert_eq!(
        std::fs::read(dest.join("node_modules/m/index.js")).unwrap(),
        b"js"
    );
    assert!(dest.join("node_modules/out").is_symlink());
    assert!(!dest.join("node_modules/m/.env").exists());
    let carried: Vec<_> = checkout
        .carried
        .iter()
        .map(|one| (one.path.to_text(), one.files))
        .collect();
    assert_eq!(
        carried,
        [("node_modules".to_owned(), 3), ("x.log".to_owned(), 1)]
    );
    assert_eq!(
        checkout.carried[0].left_out,
        [repo_path("node_modules/m/.env")]
    );
    std::fs::write(dest.join("node_modules/m/index.js"), "changed").unwrap();
    let (captured, _) = world.capture(&project, &checkout.listing);
    assert!(captured.changes.is_empty() && captured.ignored.is_empty());
    assert_eq!(
        std::fs::read(root.join("node_modules/m/index.js")).unwrap(),
        b"js"
    );
}

#[test]
fn fa_10_what_cannot_be_carried() {
    let world = carrying_world();
    let dest = world.dest();
    for name in [
        ".env",
        "missing",
        "../p/x.log",
        "/etc",
        "tracked.txt",
        "src",
        "untracked",
        ".git/config",
        "secret-link/passwd",
        "",
    ] {
        let error = world.checkout_with(false, &[name]).unwrap_err();
        assert!(matches!(error, GitError::Carry { .. }), "{name}: {error}");
        assert!(!dest.exists(), "{name}: something was left");
    }
}

#[test]
fn fa_10_carry_credentials_that_user_config_names() {
    let world = World::with(&[(".gitignore", ".env*\n")]);
    put(world.repo.root(), ".env", "TOKEN=1");
    let carry = [".env".to_owned()];
    let plan = CheckoutPlan {
        dest: &world.dest(),
        kept: world.run_dir(),
        include_uncommitted: false,
        carry: &carry,
        credentials: &carry,
    };
    make_checkout(&world.git, &world.project(), &plan, &mut |_| ()).unwrap();
    assert!(world.dest().join(".env").exists());
}

#[test]
fn fa_10_worktreeinclude() {
    let world = World::with(&[
        (".gitignore", "target/\n*.local\n.env\n"),
        (
            ".worktreeinclude",
            "target/debug\n*.local\n.env\ntracked\nuntracked\n",
        ),
        ("tracked", "t"),
    ]);
    let root = world.repo.root();
    put(root, "target/debug/x", "x");
    put(root, "target/release/y", "y");
    put(root, "conf/a.local", "l");
    put(root, ".env", "TOKEN=1");
    put(root, "untracked", "u");
    put(&world.hermetic.home(), ".config/git/ignore", "*.mine\n");
    let (_, checkout) = world.checkout();
    let carried: Vec<_> = checkout
        .carried
        .iter()
        .map(|one| one.path.to_text())
        .collect();
    assert_eq!(carried, ["conf/a.local", "target/debug"]);
    assert!(!world.dest().join(".env").exists());
    assert!(!world.dest().join("target/release").exists());
}

#[test]
fn fa_31_the_operator_is_read_from_their_own_config() {
    let world = World::with(&[("a", "1")]);
    assert_eq!(world.project().operator, None);
    put(
        &world.hermetic.home(),
        ".gitconfig",
        "[user]\n\tname = Op Erator\n\temail = op@example.invalid\n",
    );
    let git = git_with_home(&world.hermetic.home());
    let operator = discover(&git, world.repo.root()).unwrap().operator.unwrap();
    assert_eq!(
        (operator.name.as_str(), operator.email.as_str()),
        ("Op Erator", "op@example.invalid")
    );
    world.repo.config("user.name", "Local");
    let operator = discover(&git, world.repo.root()).unwrap().operator.unwrap();
    assert_eq!(operator.name, "Local");
}
