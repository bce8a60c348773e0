//! What stands in a work tree, as evidence (MEM-07), with the real git as the oracle.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use taffrail_domain::RepoPath;
use taffrail_gitbox::{Changed, WorkChanges, WorkLimits, WorkStatus, work_changes};

use super::world::World;

/// No test waits for a clock.
const PATIENT: WorkLimits = WorkLimits {
    time: Duration::from_secs(600),
    entries: 20_000,
    changes: 2_000,
    patch: 1 << 20,
};

fn look(world: &World) -> WorkChanges {
    look_at(world, world.repo.root(), &PATIENT)
}

fn look_at(world: &World, folder: &Path, limits: &WorkLimits) -> WorkChanges {
    work_changes(&world.git, folder, limits).unwrap()
}

fn changed(world: &World) -> Changed {
    look(world).changed.unwrap()
}

/// Paths with their status and counted lines, as lines.
fn shown(changed: &Changed) -> Vec<String> {
    let files = changed.files.iter().map(|file| {
        let lines = file.lines.map_or("-".to_owned(), |(added, removed)| {
            format!("+{added}-{removed}")
        });
        format!("{} {} {lines}", file.status.name(), file.path.to_text())
    });
    files.collect()
}

/// What git says of tracked files against the commit: lines that came and went by path.
fn numstat(world: &World) -> BTreeMap<String, Option<(u32, u32)>> {
    let said = world
        .repo
        .git(&["diff", "--numstat", "--no-renames", "-z", "HEAD"]);
    let lines = said.split('\0').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let words: Vec<&str> = line.splitn(3, '\t').collect();
            let counts = words[0].parse().ok().zip(words[1].parse().ok());
            (words[2].to_owned(), counts)
        })
        .collect()
}

/// What git says of files that it does not know.
fn unknown(world: &World) -> Vec<String> {
    let said = world
        .repo
        .git(&["ls-files", "--others", "--exclude-standard", "-z"]);
    said.split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Says the same as git, file by file and line by line.
fn assert_as_git(world: &World) {
    let found = changed(world);
    assert!(found.left_out.is_empty(), "{:?}", found.left_out);
    let (mut tracked, mut untracked) = (BTreeMap::new(), Vec::new());
    for file in &found.files {
        let path = file.path.to_text();
        if file.status == WorkStatus::Untracked {
            untracked.push(path);
        } else {
            tracked.insert(path, file.lines);
        }
    }
    assert_eq!(tracked, numstat(world));
    assert_eq!(untracked, unknown(world));
}

fn world() -> World {
    let lines: String = (0..200).map(|at| format!("line {at}\n")).collect();
    World::with(&[
        ("a", "1\n2\n3\n"),
        ("dir/b", "one\n"),
        ("dir/sub/c", &lines),
        ("dir-x/d", "x"),
        ("gone", "1\n2\n"),
        ("z", "z\n"),
        (".gitignore", "*.log\n/out/\n"),
    ])
}

/// Everything that can be done to a work tree.
fn work(world: &World) {
    let repo = &world.repo;
    repo.file("a", "1\nTWO\n3\n4\n");
    repo.file("dir/sub/c", "short\n");
    repo.file("staged", "new\nfile\n");
    repo.git(&["add", "staged"]);
    repo.file("dir/b", "staged\n");
    repo.git(&["add", "dir/b"]);
    repo.file("dir/b", "staged\nand changed\n");
    repo.git(&["rm", "-q", "gone"]);
    std::fs::remove_file(repo.path("dir-x/d")).unwrap();
    repo.executable("z", "z\n");
    repo.file("untracked/file", "u\n");
    repo.file("noted", "n\n");
    repo.git(&["add", "-N", "noted"]);
    repo.file("x.log", "ignored\n");
    repo.file("out/y", "ignored\n");
}

#[test]
fn mem_07_says_what_git_says() {
    let world = world();
    assert!(changed(&world).files.is_empty() && changed(&world).patch.is_empty());
    work(&world);
    let expect = [
        "modified a +2-1",
        "deleted dir-x/d +0-1",
        "modified dir/b +2-1",
        "modified dir/sub/c +1-200",
        "deleted gone +0-2",
        "added noted +1-0",
        "added staged +2-0",
        "untracked untracked/file +1-0",
        "modified z +0-0",
    ];
    assert_eq!(shown(&changed(&world)), expect);
    assert_as_git(&world);
    let patch = String::from_utf8(changed(&world).patch).unwrap();
    assert!(patch.contains("+TWO") && patch.contains("-line 199") && patch.contains("+u"));
    assert!(!patch.contains("ignored"));
}

#[test]
fn mem_07_of_every_kind_of_repository() {
    type Make = fn(&World);
    let kinds: [(&str, Make); 6] = [
        ("packed", |world| drop(world.repo.git(&["gc", "-q"]))),
        ("packed with offsets", |world| {
            world
                .repo
                .git(&["repack", "-q", "-a", "-d", "-f", "--depth=50"]);
        }),
        ("packed with ids", |world| {
            world
                .repo
                .git(&["config", "repack.useDeltaBaseOffset", "false"]);
            world.repo.git(&["repack", "-q", "-a", "-d", "-f"]);
        }),
        ("index 4", |world| {
            world.repo.git(&["update-index", "--index-version", "4"]);
        }),
        ("index 2 without trees", |world| {
            world.repo.git(&["read-tree", "HEAD"]);
            world.repo.git(&["update-index", "--index-version", "2"]);
            world.repo.file("aside", "");
            world.repo.git(&["add", "aside"]);
            world.repo.git(&["rm", "-q", "-f", "aside"]);
        }),
        ("touched", |world| {
            for path in ["a", "dir/b", "dir/sub/c"] {
                let content = std::fs::read(world.repo.path(path)).unwrap();
                std::fs::remove_file(world.repo.path(path)).unwrap();
                world.repo.file(path, content);
            }
        }),
    ];
    for (name, make) in kinds {
        let world = world();
        // Versions of one file, so that a pack has differences in it.
        for at in 0..5 {
            let lines: String = (at..200).map(|at| format!("line {at}\n")).collect();
            world.repo.file("dir/sub/c", lines);
            world.repo.commit("next");
        }
        make(&world);
        assert!(shown(&changed(&world)).is_empty(), "{name}");
        work(&world);
        assert_as_git(&world);
        make(&world);
        assert_as_git(&world);
    }
}

#[test]
fn mem_07_links_folders_and_files_in_each_other_s_place() {
    let world = world();
    world.repo.link("link", "a");
    world.repo.commit("link");
    std::fs::remove_file(world.repo.path("link")).unwrap();
    world.repo.link("link", "z");
    std::fs::remove_file(world.repo.path("a")).unwrap();
    world.repo.file("a/below", "1\n");
    std::fs::remove_dir_all(world.repo.path("dir")).unwrap();
    world.repo.link("dir", "dir-x");
    let found = shown(&changed(&world));
    let expect = [
        "deleted a +0-3",
        "untracked a/below +1-0",
        "untracked dir +1-0",
        "deleted dir/b +0-1",
        "deleted dir/sub/c +0-200",
        "modified link +1-1",
    ];
    assert_eq!(found, expect);
    assert_as_git(&world);
}

#[test]
fn mem_07_branch_and_base() {
    let world = world();
    let head = world.repo.git(&["rev-parse", "HEAD"]);
    let found = look(&world);
    assert_eq!(found.branch.as_deref(), Some("main"));
    assert_eq!(found.base.unwrap().as_str(), head.trim());
    // From a folder below, and detached.
    world.repo.git(&["checkout", "-q", "--detach"]);
    let found = look_at(&world, &world.repo.path("dir/sub"), &PATIENT);
    assert_eq!(found.branch, None);
    assert_eq!(found.base.unwrap().as_str(), head.trim());
    // A linked work tree has an index of its own.
    let linked = world.repo.worktree("linked");
    std::fs::write(linked.root().join("a"), "changed\n").unwrap();
    let found = look_at(&world, linked.root(), &PATIENT);
    assert_eq!(shown(&found.changed.unwrap()), ["modified a +1-3"]);
    // Outside of git, in a git folder, in a bare repository: nothing.
    let plain = world.hermetic.directory("plain");
    for folder in [plain, world.repo.path(".git")] {
        assert_eq!(work_changes(&world.git, &folder, &PATIENT), None);
    }
}

#[test]
fn mem_07_before_the_first_commit_everything_is_new() {
    let world = World::empty();
    world.repo.file("a", "1\n");
    world.repo.git(&["add", "a"]);
    world.repo.file("b", "1\n");
    let found = look(&world);
    assert_eq!(
        (found.branch.as_deref(), &found.base),
        (Some("main"), &None)
    );
    let expect = ["added a +1-0", "untracked b +1-0"];
    assert_eq!(shown(&found.changed.unwrap()), expect);
}

#[test]
fn mem_07_what_is_taken_out_of_the_index_and_still_there_has_not_changed() {
    let world = world();
    world.repo.git(&["rm", "-q", "--cached", "a", "z"]);
    world.repo.file("z", "changed\n");
    assert_eq!(shown(&changed(&world)), ["modified z +1-1"]);
}

#[test]
fn mem_07_conflicts_hidden_files_and_submodules() {
    let world = world();
    let repo = &world.repo;
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.file("a", "other\n");
    repo.commit("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.file("a", "main\n");
    repo.commit("main");
    assert!(
        repo.try_git(&["merge", "-q", "other"])
            .stdout
            .contains("CONFLICT")
    );
    repo.git(&["update-index", "--skip-worktree", "z"]);
    repo.git(&["update-index", "--assume-unchanged", "gone"]);
    repo.file("z", "hidden\n").file("gone", "hidden\n");
    // A repository in the repository is no file of it.
    let inner = repo.path("inner");
    std::fs::create_dir(&inner).unwrap();
    repo.git(&["init", "-q", inner.to_str().unwrap()]);
    repo.file("inner/file", "x");
    assert_eq!(shown(&changed(&world)), ["conflicted a -"]);
}

#[test]
fn mem_07_sha_256() {
    let world = World::empty();
    let root = world.hermetic.directory("wide");
    let at = root.to_str().unwrap();
    let git = |args: &[&str]| {
        let args: Vec<&str> = ["-C", at].iter().chain(args).copied().collect();
        world.repo.git(&args)
    };
    git(&["init", "-q", "-b", "main", "--object-format=sha256", "."]);
    std::fs::write(root.join("a"), "1\n2\n").unwrap();
    git(&["add", "a"]);
    git(&["commit", "-q", "-m", "first"]);
    git(&["gc", "-q"]);
    std::fs::write(root.join("a"), "1\nTWO\n").unwrap();
    let found = look_at(&world, &root, &PATIENT);
    assert_eq!(found.base.unwrap().as_str().len(), 64);
    assert_eq!(shown(&found.changed.unwrap()), ["modified a +1-1"]);
}

#[test]
fn mem_07_limits_are_told_of() {
    let world = world();
    work(&world);
    for at in 0..30 {
        world.repo.file(&format!("many/{at:02}"), "m\n");
    }
    let with = |limits: WorkLimits| look_at(&world, world.repo.root(), &limits).changed;
    let few = with(WorkLimits {
        changes: 10,
        ..PATIENT
    });
    let few = few.unwrap();
    assert_eq!(few.files.len(), 10);
    assert_eq!(few.left_out, ["more files are changed than are listed"]);
    let short = with(WorkLimits {
        patch: 300,
        ..PATIENT
    });
    let short = short.unwrap();
    assert_eq!(short.patch.len(), 300);
    assert_eq!(short.files.len(), 39);
    assert_eq!(short.left_out, ["the diff was cut"]);
    let none = with(WorkLimits {
        entries: 3,
        ..PATIENT
    });
    assert_eq!(none, Err("there are more files than are looked at"));
    // No time at all: what git was asked for is there, and it is said that the files are not.
    let hasty = WorkLimits {
        time: Duration::ZERO,
        ..PATIENT
    };
    let hasty = look_at(&world, world.repo.root(), &hasty);
    assert!(hasty.base.is_some());
    let left_out = hasty.changed.unwrap().left_out;
    assert!(
        left_out.contains(&"there was no time for all files"),
        "{left_out:?}"
    );
}

#[test]
fn mem_07_what_is_not_understood_is_said() {
    let world = world();
    world.repo.file("a", "changed\n");
    let index = world.repo.path(".git/index");
    let whole = std::fs::read(&index).unwrap();
    world.repo.git(&["update-index", "--split-index"]);
    let split = look(&world);
    assert_eq!(split.changed, Err("the index is split in two files"));
    assert!(split.base.is_some() && split.branch.is_some());
    std::fs::write(&index, b"nothing").unwrap();
    assert_eq!(look(&world).changed, Err("the index is not understood"));
    std::fs::write(&index, &whole).unwrap();
    // Objects that are gone: the index says what was there, and no lines are counted.
    std::fs::remove_dir_all(world.repo.path(".git/objects")).unwrap();
    std::fs::create_dir(world.repo.path(".git/objects")).unwrap();
    let found = changed(&world);
    assert_eq!(shown(&found), ["modified a -"]);
    assert_eq!(found.left_out.len(), 2, "{:?}", found.left_out);
}

#[test]
fn mem_07_credentials_and_binaries_are_named_and_not_shown() {
    let world = World::with(&[(".env", "KEY=one\n"), ("bin", "a\0b\n")]);
    world.repo.file(".env", "KEY=very-hidden\n");
    world.repo.file("sub/id_rsa", "very-hidden\n");
    world.repo.file("bin", "very-hidden\0\n");
    let found = changed(&world);
    let expect = [
        "modified .env -",
        "modified bin -",
        "untracked sub/id_rsa -",
    ];
    assert_eq!(shown(&found), expect);
    assert!(!String::from_utf8_lossy(&found.patch).contains("very-hidden"));
    assert_eq!(found.left_out, ["lines of some files were not counted"]);
}

#[test]
fn mem_07_names_of_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let world = world();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9\nname");
    if std::fs::write(world.repo.root().join(name), "x\n").is_err() {
        return;
    }
    let found = changed(&world);
    assert_eq!(
        found.files[0].path,
        RepoPath::new(&b"caf\xe9\nname"[..]).unwrap()
    );
    world.repo.git(&["add", "-A"]);
    assert_eq!(changed(&world).files[0].status, WorkStatus::Added);
}

/// Filters, the monitor of the file system and hooks of the repository are programs: none of them runs.
#[test]
fn cnf_06_nothing_of_the_repository_runs() {
    let world = world();
    let mark = world.repo.path("ran");
    let run = format!("touch '{}'; cat", mark.display());
    world
        .repo
        .file(".gitattributes", "* filter=evil diff=evil\n");
    world.repo.commit("attributes");
    for (key, value) in [
        ("filter.evil.clean", run.as_str()),
        ("filter.evil.smudge", &run),
        ("filter.evil.process", &run),
        ("diff.evil.textconv", &run),
        ("diff.external", &run),
        ("core.fsmonitor", &run),
    ] {
        world.repo.git(&["config", key, value]);
    }
    std::fs::remove_file(&mark).ok();
    world.repo.file("a", "changed\n");
    world.repo.file("b", "new\n");
    assert_eq!(
        shown(&changed(&world)),
        ["modified a +1-3", "untracked b +1-0"]
    );
    assert!(!mark.exists(), "something of the repository ran");
    // The twin: git's own word on the same tree runs them.
    world.repo.try_git(&["status", "--short"]);
    assert!(mark.exists());
}

/// `core.worktree` and a planted `.git` lead elsewhere: nothing is said of there.
#[test]
fn mem_07_a_work_tree_elsewhere_is_none() {
    let world = world();
    let elsewhere = world.hermetic.directory("elsewhere");
    std::fs::write(elsewhere.join("secret"), "outside").unwrap();
    let at = elsewhere.to_str().unwrap();
    world.repo.git(&["config", "core.worktree", at]);
    assert_eq!(work_changes(&world.git, world.repo.root(), &PATIENT), None);
}

/// A tracked folder that became a link out of the tree is not looked through.
#[test]
fn cnf_01_a_folder_that_became_a_link_is_not_passed() {
    let world = world();
    let outside = world.hermetic.directory("outside");
    std::fs::write(outside.join("b"), "outside\n").unwrap();
    std::fs::remove_dir_all(world.repo.path("dir")).unwrap();
    world.repo.link("dir", &outside);
    let found = changed(&world);
    assert!(shown(&found).contains(&"deleted dir/b +0-1".to_owned()));
    let patch = String::from_utf8_lossy(&found.patch).into_owned();
    assert!(!patch.contains("+outside\n"), "{patch}");
}
