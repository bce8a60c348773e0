//! Promise: nothing that a repository configures runs when Taffrail works with it (CNF-06).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{boxed, committed, land, review, taffrail, world};
use taffrail_testkit::{Hermetic, Repo, Times, executable, manifest};

/// A way in which a repository has a program run, and a plain git command that takes it. Without one the way is
/// opened all the same: no harmless local command takes it.
struct Door {
    name: &'static str,
    open: fn(&Repo, &str),
    twin: Option<&'static [&'static str]>,
}

fn attributes(repo: &Repo, line: &str) {
    let path = repo.path(".git/info/attributes");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, format!("{before}{line}\n")).unwrap();
}

fn hook(repo: &Repo, name: &str, canary: &str) {
    repo.hook(name, &format!("#!/bin/sh\nexec '{canary}'\n"));
}

const COMMIT: Option<&[&str]> = Some(&["commit", "--allow-empty", "-m", "x"]);

const DOORS: &[Door] = &[
    Door {
        name: "fsmonitor",
        open: |repo, canary| {
            repo.config("core.fsmonitor", canary);
        },
        twin: Some(&["status"]),
    },
    Door {
        name: "pre-commit",
        open: |repo, canary| hook(repo, "pre-commit", canary),
        twin: COMMIT,
    },
    Door {
        name: "commit-msg",
        open: |repo, canary| hook(repo, "commit-msg", canary),
        twin: COMMIT,
    },
    Door {
        name: "prepare-commit-msg",
        open: |repo, canary| hook(repo, "prepare-commit-msg", canary),
        twin: COMMIT,
    },
    Door {
        name: "post-commit",
        open: |repo, canary| hook(repo, "post-commit", canary),
        twin: COMMIT,
    },
    Door {
        name: "reference-transaction",
        open: |repo, canary| hook(repo, "reference-transaction", canary),
        twin: Some(&["branch", "b"]),
    },
    Door {
        name: "post-checkout",
        open: |repo, canary| hook(repo, "post-checkout", canary),
        twin: Some(&["checkout", "-q", "-b", "b"]),
    },
    Door {
        name: "post-index-change",
        open: |repo, canary| hook(repo, "post-index-change", canary),
        twin: Some(&["read-tree", "HEAD"]),
    },
    Door {
        name: "pre-auto-gc",
        open: |repo, canary| hook(repo, "pre-auto-gc", canary),
        twin: None,
    },
    Door {
        name: "update",
        open: |repo, canary| hook(repo, "update", canary),
        twin: None,
    },
    Door {
        name: "hooks-path",
        open: |repo, canary| {
            repo.executable("tools/post-merge", format!("#!/bin/sh\nexec '{canary}'\n"));
            repo.executable("tools/pre-commit", format!("#!/bin/sh\nexec '{canary}'\n"));
            repo.config("core.hooksPath", "tools");
        },
        twin: COMMIT,
    },
    Door {
        name: "filter-clean",
        open: |repo, canary| {
            repo.config("filter.one.clean", canary);
            attributes(repo, "run.sh filter=one");
        },
        twin: Some(&["add", "-A", "--renormalize"]),
    },
    Door {
        name: "filter-smudge",
        open: |repo, canary| {
            repo.config("filter.two.smudge", canary);
            attributes(repo, "src/* filter=two");
        },
        twin: Some(&["checkout-index", "-a", "-f"]),
    },
    Door {
        name: "filter-process",
        open: |repo, canary| {
            repo.config("filter.three.process", canary);
            attributes(repo, "README.md filter=three");
        },
        twin: Some(&["checkout-index", "-a", "-f"]),
    },
    Door {
        name: "diff-external",
        open: |repo, canary| {
            repo.config("diff.external", canary);
        },
        twin: Some(&["diff"]),
    },
    Door {
        name: "diff-driver",
        open: |repo, canary| {
            repo.config("diff.driver.command", canary);
            attributes(repo, "README.md diff=driver");
        },
        twin: Some(&["diff"]),
    },
    Door {
        name: "textconv",
        open: |repo, canary| {
            repo.config("diff.conv.textconv", canary);
            attributes(repo, "README.md diff=conv");
        },
        twin: Some(&["diff"]),
    },
    Door {
        name: "merge-driver",
        open: |repo, canary| {
            repo.config("merge.any.driver", canary);
            attributes(repo, "* merge=any");
        },
        twin: None,
    },
    Door {
        name: "ssh-command",
        open: |repo, canary| {
            repo.config("core.sshCommand", canary);
            repo.config("remote.origin.url", "ssh://example.invalid/x");
        },
        twin: Some(&["fetch", "origin"]),
    },
    Door {
        name: "uploadpack",
        open: |repo, canary| {
            repo.config("remote.up.url", ".");
            repo.config("remote.up.uploadpack", canary);
        },
        twin: Some(&["fetch", "up"]),
    },
    Door {
        name: "remote-helper",
        open: |repo, canary| {
            repo.config("remote.ext.url", &format!("ext::{canary}"));
            repo.config("protocol.ext.allow", "always");
        },
        twin: Some(&["fetch", "ext"]),
    },
    Door {
        name: "submodule",
        open: |repo, canary| {
            repo.file(
                ".gitmodules",
                format!(
                    "[submodule \"s\"]\n\tpath = s\n\turl = ext::{canary}\n\tupdate = !{canary}\n"
                ),
            );
            repo.config("submodule.s.url", &format!("ext::{canary}"));
            repo.config("submodule.s.update", &format!("!{canary}"));
            repo.config("submodule.recurse", "true");
        },
        twin: None,
    },
    Door {
        name: "pager",
        open: |repo, canary| {
            repo.config("core.pager", canary);
            repo.config("pager.rev-parse", "true");
        },
        twin: None,
    },
    Door {
        name: "editor",
        open: |repo, canary| {
            repo.config("core.editor", canary);
        },
        twin: Some(&["commit", "--allow-empty"]),
    },
    Door {
        name: "alias",
        open: |repo, canary| {
            for command in [
                "canary",
                "rev-parse",
                "cat-file",
                "hash-object",
                "update-index",
            ] {
                repo.config(&format!("alias.{command}"), &format!("!{canary}"));
            }
        },
        twin: Some(&["canary"]),
    },
    Door {
        name: "include",
        open: |repo, canary| {
            std::fs::write(
                repo.path(".git/more"),
                format!("[core]\n\tfsmonitor = {canary}\n"),
            )
            .unwrap();
            repo.config("include.path", "more");
        },
        twin: Some(&["status"]),
    },
    Door {
        name: "gpg",
        open: |repo, canary| {
            repo.config("gpg.program", canary);
            repo.config("commit.gpgSign", "true");
        },
        twin: COMMIT,
    },
    Door {
        name: "credential-helper",
        open: |repo, canary| {
            repo.config("credential.helper", &format!("!{canary}"));
        },
        twin: Some(&["credential", "fill"]),
    },
    Door {
        name: "ask-pass",
        open: |repo, canary| {
            repo.config("core.askPass", canary);
        },
        twin: None,
    },
    Door {
        name: "pack-objects-hook",
        open: |repo, canary| {
            repo.config("uploadpack.packObjectsHook", canary);
        },
        twin: None,
    },
    Door {
        name: "alternate-refs",
        open: |repo, canary| {
            repo.config("core.alternateRefsCommand", canary);
        },
        twin: None,
    },
    Door {
        name: "trailer",
        open: |repo, canary| {
            repo.config("trailer.x.cmd", canary);
        },
        twin: None,
    },
];

/// A program that says that it ran, and for which door.
fn canary(world: &Hermetic, name: &str) -> String {
    let folder = world.root().join("canaries");
    std::fs::create_dir_all(folder.join("fired")).unwrap();
    let place = folder.join(name);
    let fired = folder.join("fired").join(name);
    executable(
        &place,
        format!("#!/bin/sh\n: > '{}'\nexit 1\n", fired.display()),
    );
    place.to_string_lossy().into_owned()
}

fn fired(world: &Hermetic) -> BTreeSet<String> {
    let entries = std::fs::read_dir(world.root().join("canaries/fired")).unwrap();
    entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// A committed project with work under way.
fn scene(world: &Hermetic) -> Repo {
    let repo = committed(world);
    repo.file("README.md", "# Project\n\nbeing edited\n");
    repo.file("src/main.txt", "being edited\n");
    repo
}

/// Every command on a box, over a repository whose doors are open, the checkout's own too.
fn whole_life(world: &Hermetic, repo: &Repo) {
    let canaries = world.root().join("canaries");
    // The command opens doors in the checkout; the programs behind them are outside, where only we would run them.
    let script = format!(
        "cp -r .git/hooks hooks-before 2>/dev/null; git config core.fsmonitor '{0}/in-the-box'
         mkdir -p .git/hooks .git/info; for hook in pre-commit post-checkout reference-transaction post-index-change; do
           printf '#!/bin/sh\\nexec {0}/in-the-box\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
         git config filter.own.clean '{0}/in-the-box'; git config diff.external '{0}/in-the-box'
         echo '* filter=own' > .git/info/attributes; git config core.worktree /; git config core.pager '{0}/in-the-box'
         echo agent >> README.md; echo new > new.txt",
        canaries.display()
    );
    let flags = ["--name", "b", "--include-uncommitted", "--keep"];
    let ran = boxed(world, repo, &flags, &script).go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    taffrail(
        world,
        repo,
        &[
            "box",
            "enter",
            "b",
            "--",
            "sh",
            "-c",
            "echo more >> new.txt",
        ],
    )
    .success();
    for args in [
        &["box", "list"][..],
        &["box", "review", "b"],
        &["box", "review", "--record", "b"],
        &["trust", "show"],
    ] {
        taffrail(world, repo, args).success();
    }
    taffrail(world, repo, &["doctor"]);
    let flags: BTreeSet<String> = review(world, repo, "b")["change"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|change| change["flags"].as_array().cloned().unwrap_or_default())
        .filter_map(|flag| flag.as_str().map(str::to_owned))
        .collect();
    assert_eq!(flags, BTreeSet::new());
    land(world, repo, "b", &[]);
    let again = boxed(world, repo, &["--name", "c"], "echo x > x").go();
    assert_eq!(again.code, 0, "{}", again.stderr);
    taffrail(world, repo, &["box", "discard", "c"]).success();
}

#[test]
fn cnf_06_s26_nothing_of_a_repository_runs() {
    let world = world();
    let repo = scene(&world);
    canary(&world, "in-the-box");
    for door in DOORS {
        (door.open)(&repo, &canary(&world, door.name));
    }
    // Opening the doors was git's own work: what it set off is not ours.
    for name in fired(&world) {
        std::fs::remove_file(world.root().join("canaries/fired").join(name)).unwrap();
    }
    whole_life(&world, &repo);
    assert_eq!(fired(&world), BTreeSet::new());
}

#[test]
fn cnf_06_s26_twin_plain_git_runs_it() {
    let mut tried = 0;
    for door in DOORS {
        let Some(twin) = door.twin else { continue };
        let world = world();
        let repo = scene(&world);
        (door.open)(&repo, &canary(&world, door.name));
        for name in fired(&world) {
            std::fs::remove_file(world.root().join("canaries/fired").join(name)).unwrap();
        }
        // `credential fill` asks for a host; the others take no input.
        let input = "protocol=https\nhost=example.invalid\n\n";
        let ran = world
            .program("git", twin)
            .in_directory(repo.root())
            .input(input)
            .go();
        assert!(
            fired(&world).contains(door.name),
            "{}: {}",
            door.name,
            ran.snapshot()
        );
        tried += 1;
    }
    assert!(tried >= 20, "{tried}");
}

#[test]
fn cnf_06_nothing_of_the_environment_or_the_users_own_git_runs() {
    let mut world = world();
    let repo = scene(&world);
    let shell = canary(&world, "environment");
    let own = canary(&world, "own");
    std::fs::write(
        world.home().join(".gitconfig"),
        format!("[core]\n\tfsmonitor = {own}\n\thooksPath = {own}\n\tpager = {own}\n[diff]\n\texternal = {own}\n"),
    )
    .unwrap();
    for (name, value) in [
        ("GIT_EXTERNAL_DIFF", &*shell),
        ("GIT_SSH_COMMAND", &shell),
        ("GIT_PAGER", &shell),
        ("GIT_EDITOR", &shell),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", &shell),
        ("GIT_DIR", "/nowhere"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere/objects"),
        ("GIT_TRACE", &world.root().join("trace").to_string_lossy()),
    ] {
        world.set_env(name, value);
    }
    whole_life(&world, &repo);
    assert_eq!(fired(&world), BTreeSet::new());
    assert!(!world.root().join("trace").exists());
}

#[test]
fn cnf_06_looking_at_a_hostile_repository_writes_nothing_into_it() {
    let world = world();
    let repo = scene(&world);
    for door in DOORS {
        (door.open)(&repo, &canary(&world, door.name));
    }
    let before = manifest(repo.root(), Times::Counted);
    let ran = boxed(
        &world,
        &repo,
        &["--name", "b", "--include-uncommitted"],
        "echo x > x",
    )
    .go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    taffrail(&world, &repo, &["box", "review", "b"]).success();
    taffrail(&world, &repo, &["box", "discard", "b"]).success();
    assert_eq!(manifest(repo.root(), Times::Counted), before);
}

#[test]
fn cnf_06_a_folder_that_only_looks_like_a_repository_is_none() {
    let world = world();
    let folder: PathBuf = world.directory("bare");
    let place = canary(&world, "bare");
    for name in ["objects", "refs", "hooks"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(
        folder.join("config"),
        format!("[core]\n\tfsmonitor = {place}\n\tbare = false\n\tworktree = .\n"),
    )
    .unwrap();
    let ran = world.taffrail_in(&folder, &["box", "--", "true"]);
    assert_ne!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert_eq!(fired(&world), BTreeSet::new());
}
