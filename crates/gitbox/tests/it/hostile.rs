//! CNF-06: nothing that a repository configures runs, through every operation; and the twin: plain git runs it.

use std::path::Path;

use crate::world::{World, executable, plain_git, put};

/// A door, how a repository opens it to `script`, and a plain git command that walks through it (none: no harmless
/// local command does).
struct Door {
    name: &'static str,
    open: fn(&Path, &str),
    twin: Option<&'static [&'static str]>,
}

fn config(root: &Path, key: &str, value: &str) {
    let output = plain_git(root, &["config", key, value]);
    assert!(output.status.success(), "{key}: {output:?}");
}

fn hook(root: &Path, name: &str, script: &str) {
    put(
        root,
        format!(".git/hooks/{name}"),
        format!("#!/bin/sh\n{script}\n"),
    );
    executable(root, &format!(".git/hooks/{name}"));
}

/// The script under several names, so that a canary says who fired.
const DOORS: &[Door] = &[
    Door {
        name: "fsmonitor",
        open: |root, script| config(root, "core.fsmonitor", script),
        twin: Some(&["status"]),
    },
    Door {
        name: "post-checkout",
        open: |root, script| hook(root, "post-checkout", script),
        twin: Some(&["checkout", "-q", "-b", "b"]),
    },
    Door {
        name: "reference-transaction",
        open: |root, script| hook(root, "reference-transaction", script),
        twin: Some(&["branch", "b"]),
    },
    Door {
        name: "post-index-change",
        open: |root, script| hook(root, "post-index-change", script),
        twin: Some(&["read-tree", "HEAD"]),
    },
    Door {
        name: "pre-commit",
        open: |root, script| hook(root, "pre-commit", script),
        twin: Some(&["commit", "--allow-empty", "-m", "x"]),
    },
    Door {
        name: "commit-msg",
        open: |root, script| hook(root, "commit-msg", script),
        twin: Some(&["commit", "--allow-empty", "-m", "x"]),
    },
    Door {
        name: "post-commit",
        open: |root, script| hook(root, "post-commit", script),
        twin: Some(&["commit", "--allow-empty", "-m", "x"]),
    },
    Door {
        name: "pre-auto-gc",
        open: |root, script| {
            hook(root, "pre-auto-gc", script);
            config(root, "gc.auto", "1");
        },
        twin: None,
    },
    Door {
        name: "hooksPath",
        open: |root, script| {
            put(
                root,
                "tools/post-checkout",
                format!("#!/bin/sh\n{script}\n"),
            );
            executable(root, "tools/post-checkout");
            config(root, "core.hooksPath", "tools");
        },
        twin: Some(&["checkout", "-q", "-b", "b"]),
    },
    Door {
        name: "filter clean",
        open: |root, script| {
            config(root, "filter.any.clean", script);
            put(root, ".git/info/attributes", "* filter=any\n");
        },
        twin: Some(&["add", "-A"]),
    },
    Door {
        name: "filter smudge",
        open: |root, script| {
            config(root, "filter.any.smudge", script);
            put(root, ".git/info/attributes", "* filter=any\n");
        },
        twin: Some(&["checkout-index", "-a", "-f"]),
    },
    Door {
        name: "filter process",
        open: |root, script| {
            config(root, "filter.any.process", script);
            put(root, ".git/info/attributes", "* filter=any\n");
        },
        twin: Some(&["add", "-A"]),
    },
    Door {
        name: "diff.external",
        open: |root, script| config(root, "diff.external", script),
        twin: Some(&["diff"]),
    },
    Door {
        name: "diff driver",
        open: |root, script| {
            config(root, "diff.any.command", script);
            put(root, ".git/info/attributes", "* diff=any\n");
        },
        twin: Some(&["diff"]),
    },
    Door {
        name: "textconv",
        open: |root, script| {
            config(root, "diff.any.textconv", script);
            put(root, ".git/info/attributes", "* diff=any\n");
        },
        twin: Some(&["diff"]),
    },
    Door {
        name: "merge driver",
        open: |root, script| {
            config(root, "merge.any.driver", script);
            put(root, ".git/info/attributes", "* merge=any\n");
        },
        twin: None,
    },
    Door {
        name: "sshCommand",
        open: |root, script| config(root, "core.sshCommand", script),
        twin: Some(&["fetch", "ssh://example.invalid/x"]),
    },
    Door {
        name: "uploadpack of a promisor",
        open: |root, script| {
            config(root, "remote.o.url", ".");
            config(root, "remote.o.uploadpack", script);
            config(root, "remote.o.promisor", "true");
            config(root, "extensions.partialClone", "o");
        },
        twin: Some(&["fetch", "o"]),
    },
    Door {
        name: "remote helper",
        open: |root, script| {
            config(root, "remote.o.url", &format!("ext::{script}"));
            config(root, "protocol.ext.allow", "always");
        },
        twin: Some(&["fetch", "o"]),
    },
    Door {
        name: "submodule with ext",
        open: |root, script| {
            put(
                root,
                ".gitmodules",
                format!("[submodule \"s\"]\n\tpath = s\n\turl = ext::{script}\n"),
            );
            config(root, "submodule.s.url", &format!("ext::{script}"));
            config(root, "submodule.recurse", "true");
            config(root, "protocol.allow", "always");
        },
        twin: None,
    },
    Door {
        name: "pager",
        open: |root, script| {
            config(root, "core.pager", script);
            config(root, "pager.rev-parse", script);
        },
        twin: None,
    },
    Door {
        name: "editor",
        open: |root, script| config(root, "core.editor", script),
        twin: Some(&["commit", "--allow-empty"]),
    },
    Door {
        name: "alias",
        open: |root, script| config(root, "alias.canary", &format!("!{script}")),
        twin: Some(&["canary"]),
    },
    Door {
        name: "alias of a command",
        open: |root, script| config(root, "alias.rev-parse", &format!("!{script}")),
        twin: None,
    },
    Door {
        name: "include",
        open: |root, script| {
            put(
                root,
                ".git/more",
                format!("[core]\n\tfsmonitor = {script}\n"),
            );
            config(root, "include.path", "more");
        },
        twin: Some(&["status"]),
    },
    Door {
        name: "worktreeConfig",
        open: |root, script| {
            config(root, "extensions.worktreeConfig", "true");
            put(
                root,
                ".git/config.worktree",
                format!("[core]\n\tfsmonitor = {script}\n"),
            );
        },
        twin: Some(&["status"]),
    },
    Door {
        name: "credential helper",
        open: |root, script| config(root, "credential.helper", &format!("!{script}")),
        twin: None,
    },
    Door {
        name: "askPass",
        open: |root, script| config(root, "core.askPass", script),
        twin: None,
    },
    Door {
        name: "gpg",
        open: |root, script| {
            config(root, "gpg.program", script);
            config(root, "commit.gpgSign", "true");
        },
        twin: Some(&["commit", "--allow-empty", "-m", "x"]),
    },
    Door {
        name: "packObjectsHook",
        open: |root, script| config(root, "uploadpack.packObjectsHook", script),
        twin: None,
    },
    Door {
        name: "alternateRefsCommand",
        open: |root, script| config(root, "core.alternateRefsCommand", script),
        twin: None,
    },
    Door {
        name: "gitProxy",
        open: |root, script| config(root, "core.gitProxy", script),
        twin: Some(&["fetch", "git://example.invalid/x"]),
    },
    Door {
        name: "trailer",
        open: |root, script| config(root, "trailer.x.cmd", script),
        twin: None,
    },
    Door {
        name: "sequence editor",
        open: |root, script| config(root, "sequence.editor", script),
        twin: None,
    },
];

struct Canary {
    script: String,
    fired: std::path::PathBuf,
}

impl Canary {
    fn new(world: &World) -> Self {
        let fired = world.hermetic.root().join("fired");
        let file = world.hermetic.root().join("canary.sh");
        // Drops what it is given, so that a filter or a pager ends.
        std::fs::write(
            &file,
            format!("#!/bin/sh\n: > '{}'\nexit 1\n", fired.display()),
        )
        .unwrap();
        executable(world.hermetic.root(), "canary.sh");
        Self {
            script: file.display().to_string(),
            fired,
        }
    }

    fn has_fired(&self) -> bool {
        self.fired.exists()
    }
}

fn dirty_world() -> World {
    let world = World::with(&[("a", "1\n"), ("b", "2\n"), (".gitignore", "*.log\n")]);
    put(world.repo.root(), "a", "changed\n");
    put(world.repo.root(), "new", "n\n");
    put(world.repo.root(), "x.log", "log");
    world
}

#[test]
fn cnf_06_s26_nothing_of_a_repository_runs() {
    for door in DOORS {
        let world = dirty_world();
        let canary = Canary::new(&world);
        (door.open)(world.repo.root(), &canary.script);
        // Opening the door was git's work: what it set off is not ours.
        std::fs::remove_file(&canary.fired).ok();
        let before = world.repo.digest_with_times();
        let (project, checkout) = world.checkout_with(true, &["x.log"]).unwrap();
        // A hostile clone: the same door is opened in the checkout, whose git is never asked again.
        (door.open)(&world.dest(), &canary.script);
        std::fs::remove_file(&canary.fired).ok();
        put(&world.dest(), "b", "agent\n");
        let (captured, patch) = world.capture(&project, &checkout.listing);
        assert_eq!(world.repo.digest_with_times(), before, "{}", door.name);
        world
            .land(&project, &checkout, &captured.changes, &patch)
            .unwrap();
        assert!(!canary.has_fired(), "{} fired", door.name);
        let after: Vec<_> = world.repo.manifest();
        let added = after
            .iter()
            .filter(|line| line.contains("refs/heads/external"));
        assert!(added.count() > 0, "{}", door.name);
        // What stands behind a filter stays behind; what a door itself adds is uncommitted too.
        let changes = checkout.uncommitted.unwrap().changes.len();
        let expected = match door.name {
            name if name.starts_with("filter") => 1,
            "submodule with ext" | "hooksPath" => 3,
            _ => 2,
        };
        assert_eq!(changes, expected, "{}", door.name);
    }
}

#[test]
fn cnf_06_s26_twin_plain_git_runs_it() {
    let mut fired = 0;
    for door in DOORS {
        let Some(twin) = door.twin else { continue };
        let world = dirty_world();
        let canary = Canary::new(&world);
        (door.open)(world.repo.root(), &canary.script);
        std::fs::remove_file(&canary.fired).ok();
        let output = plain_git(world.repo.root(), twin);
        assert!(canary.has_fired(), "{}: {output:?}", door.name);
        fired += 1;
    }
    assert!(fired >= 20, "{fired}");
}

#[test]
fn cnf_06_a_linked_worktree_would_run_a_filter_and_our_checkout_does_not() {
    let world = World::with(&[(".gitattributes", "* filter=any\n"), ("a", "1\n")]);
    let canary = Canary::new(&world);
    world.repo.config("filter.any.smudge", &canary.script);
    world.checkout();
    assert!(!canary.has_fired());
    plain_git(world.repo.root(), &["worktree", "add", "../twin"]);
    assert!(canary.has_fired());
}
