//! Promise: what lands is exactly what was reviewed, on a new local branch, after a person confirmed it at a terminal;
//! the operator's HEAD, index and tree are not touched (FA-30, FA-31).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{
    PATIENCE, boxed, branch_of, committed, digits, land, land_typing, project, review, waiting,
    world,
};
use rustix::process::Signal;
use taffrail_testkit::{Hermetic, Key, Repo, Times, eventually, manifest};

/// Every kind of change that can land: added, modified, deleted, mode, link, type, odd bytes, no newline, empty,
/// a folder emptied, a name with blanks and quotes.
const WORK: &str = "
    printf 'one\\nTWO\\nthree\\nfour' > src/main.txt
    mkdir -p deep/er; printf 'a\\0b\\377' > deep/er/bytes.bin; : > deep/empty
    rm README.md; chmod -x run.sh; rm link; echo 'was a link' > link; ln -s src/main.txt other
    printf 'crlf\\r\\n' > 'a \"name\" with blanks'; printf '\\303\\244\\n' > umlaut-\u{e4}
    git add -A; git -c user.name=agent -c user.email=agent@x commit -qm 'my own commit'
    echo later > not-committed; echo built > build/out.o || { mkdir build; echo built > build/out.o; }
";

const FLAGS: [&str; 2] = ["symlink", "binary"];

/// Path, mode and blob of everything in a tree.
fn tree(repo: &Repo, of: &str) -> BTreeSet<String> {
    repo.git(&["ls-tree", "-r", "-z", of])
        .split('\0')
        .map(str::to_owned)
        .collect()
}

/// What a twin repository holds after the same work was done by plain git.
fn worked(world: &Hermetic, repo: &Repo) -> BTreeSet<String> {
    let twin = world.repo("twin");
    std::fs::remove_dir_all(twin.root()).unwrap();
    let (from, to) = (repo.root().as_os_str(), twin.root().as_os_str());
    world
        .program("git", &["clone".as_ref(), "-q".as_ref(), from, to])
        .go()
        .success();
    let work = WORK.replace(
        "mkdir -p deep",
        "git config user.name t; git config user.email t@t; mkdir -p deep",
    );
    world
        .program("sh", &["-c", &work])
        .in_directory(twin.root())
        .go();
    twin.commit("all of it");
    tree(&twin, "HEAD")
}

/// The operator's repository without what a landing may add: objects, and the refs below `external/`.
fn without_the_branch(repo: &Repo) -> Vec<String> {
    let may_come = [
        ".git/objects/",
        ".git/refs/heads/external",
        ".git/objects ",
        ".git/refs/heads ",
    ];
    let all = manifest(repo.root(), Times::Counted);
    all.into_iter()
        .filter(|line| !may_come.iter().any(|start| line.starts_with(start)))
        .collect()
}

#[test]
fn fa_31_the_branch_has_exactly_the_change() {
    let world = world();
    let repo = committed(&world);
    let base = repo.head();
    waiting(&world, &repo, "b", WORK);
    let said = land(&world, &repo, "b", &FLAGS);
    let branch = branch_of(&said);
    assert!(branch.starts_with("external/run_"), "{said}");
    assert_eq!(tree(&repo, &branch), worked(&world, &repo));
    assert_eq!(repo.git(&["rev-parse", &format!("{branch}^")]).trim(), base);
    assert_eq!(
        repo.git(&["rev-list", "--count", &format!("main..{branch}")])
            .trim(),
        "1"
    );
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn fa_30_the_stored_diff_is_what_git_says_of_the_branch() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", WORK);
    let answer = review(&world, &repo, "b");
    let said = land(&world, &repo, "b", &FLAGS);
    let named = repo.git(&[
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--name-only",
        "main",
        &branch_of(&said),
    ]);
    let changed: BTreeSet<&str> = named.split('\0').filter(|name| !name.is_empty()).collect();
    let listed = answer["change"]["changes"].as_array().unwrap();
    let listed: BTreeSet<&str> = listed
        .iter()
        .filter_map(|change| change["path"].as_str())
        .collect();
    assert_eq!(listed, changed);
    assert_eq!(
        answer["change"]["ignored"], 1,
        "the ignored file is counted, not landed"
    );
    // Plain git makes the same tree of the stored bytes.
    let twin = world.repo("applied");
    std::fs::remove_dir_all(twin.root()).unwrap();
    let (from, to) = (repo.root().as_os_str(), twin.root().as_os_str());
    world
        .program("git", &["clone".as_ref(), "-q".as_ref(), from, to])
        .go()
        .success();
    twin.git(&["apply", "--index", patch(&world).to_str().unwrap()]);
    assert_eq!(
        twin.git(&["write-tree"]),
        repo.git(&["rev-parse", &format!("{}^{{tree}}", branch_of(&said))])
    );
}

#[test]
fn fa_31_author_committer_and_message() {
    let world = world();
    let repo = committed(&world);
    repo.config("commit.gpgSign", "true")
        .config("gpg.program", "/nowhere/gpg");
    waiting(&world, &repo, "b", "echo new > new.txt");
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    let shown = repo.git(&["log", "-1", "--format=%an <%ae>|%cn|%G?|%B", &branch]);
    assert!(
        shown.starts_with("Ada Operator <ada@example.invalid>|taffrail (box)|N|"),
        "{shown}"
    );
    assert!(shown.contains("Taffrail-Run: run_"), "{shown}");
}

#[test]
fn fa_31_a_message_and_a_branch_of_ones_own() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", "echo new > new.txt");
    let typed = digits(&world, &repo, "b");
    let args = ["b", "--branch", "mine/new", "--message", "added: a file"];
    let (code, said) = land_typing(&world, &repo, &args, &[], Some(&typed));
    assert_eq!((code, branch_of(&said).as_str()), (0, "mine/new"), "{said}");
    assert!(
        repo.git(&["log", "-1", "--format=%s", "mine/new"])
            .starts_with("added: a file")
    );
}

#[test]
fn fa_31_head_index_and_tree_are_not_touched() {
    let world = world();
    let repo = project(&world);
    // Every hook of git would tell.
    for hook in [
        "reference-transaction",
        "post-commit",
        "pre-commit",
        "post-checkout",
        "update",
        "pre-auto-gc",
    ] {
        repo.hook(
            hook,
            &format!(
                "#!/bin/sh\ntouch '{}'\n",
                world.root().join("fired").display()
            ),
        );
    }
    waiting(&world, &repo, "b", WORK);
    let before = without_the_branch(&repo);
    let refs = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let said = land(&world, &repo, "b", &FLAGS);
    assert_eq!(without_the_branch(&repo), before);
    assert!(!world.root().join("fired").exists(), "a hook ran");
    let after = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
    let new: Vec<&str> = after.lines().filter(|line| !refs.contains(line)).collect();
    assert_eq!(new.len(), 1, "{after}");
    assert!(
        new[0].starts_with(&format!("refs/heads/{}", branch_of(&said))),
        "{after}"
    );
}

#[test]
fn fa_31_uncommitted_work_is_a_first_commit_of_its_own() {
    let world = world();
    let repo = project(&world);
    let script = "cat README.md untracked.txt staged.txt > seen.txt; echo more >> README.md";
    let ran = boxed(
        &world,
        &repo,
        &["--name", "b", "--include-uncommitted"],
        script,
    )
    .go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let before = without_the_branch(&repo);
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    assert_eq!(without_the_branch(&repo), before);
    assert_eq!(
        repo.git(&["rev-list", "--count", &format!("main..{branch}")])
            .trim(),
        "2"
    );
    let of = |range: [&str; 2]| repo.git(&["diff", "--name-only", range[0], range[1]]);
    let first = format!("{branch}^");
    assert_eq!(
        of(["main", &first]),
        "README.md\nstaged.txt\nuntracked.txt\n"
    );
    assert_eq!(of([&first, &branch]), "README.md\nseen.txt\n");
    let seen = repo.git(&["show", &format!("{branch}:seen.txt")]);
    assert_eq!(seen, "# Project\n\nbeing edited\nnot added\nstaged\n");
}

#[test]
fn fa_31_without_the_flag_uncommitted_work_stays_at_home() {
    let world = world();
    let repo = project(&world);
    waiting(
        &world,
        &repo,
        "b",
        "ls > seen.txt; cat README.md >> seen.txt",
    );
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    let seen = repo.git(&["show", &format!("{branch}:seen.txt")]);
    assert!(
        !seen.contains("untracked") && !seen.contains("staged") && !seen.contains("edited"),
        "{seen}"
    );
}

#[test]
fn fa_31_a_base_that_moved_on_is_still_the_base() {
    let world = world();
    let repo = committed(&world);
    let base = repo.head();
    waiting(&world, &repo, "b", "echo new >> src/main.txt");
    repo.file("src/main.txt", "moved on\n");
    repo.commit("moved on");
    let branch = branch_of(&land(&world, &repo, "b", &[]));
    assert_eq!(repo.git(&["rev-parse", &format!("{branch}^")]).trim(), base);
}

#[test]
fn fa_31_of_two_landings_at_once_one_wins() {
    let world = world();
    let repo = committed(&world);
    for round in 0..3 {
        let name = format!("b{round}");
        waiting(&world, &repo, &name, &format!("echo {round} > new.txt"));
        let typed = digits(&world, &repo, &name);
        let branches = ["one", "two", "three"].map(|branch| format!("race{round}/{branch}"));
        let terminals = branches.each_ref().map(|branch| {
            let terminal = world.terminal(repo.root(), &["box", "land", &name, "--branch", branch]);
            terminal.wait_for("digits of its hash", PATIENCE);
            terminal.send(&typed);
            terminal
        });
        // All at the last key.
        terminals
            .iter()
            .for_each(|terminal| terminal.key(Key::Enter));
        let codes = terminals.map(|mut terminal| (terminal.wait_exit(PATIENCE), terminal.screen()));
        let won = codes.iter().filter(|(code, _)| *code == 0).count();
        assert_eq!(won, 1, "{codes:#?}");
        let made = repo.git(&["branch", "--list", &format!("race{round}/*")]);
        assert_eq!(made.lines().count(), 1, "{made}");
    }
}

#[test]
fn fa_31_kill_nine_in_the_middle_of_a_landing() {
    let world = world();
    let repo = committed(&world);
    let mut cut = 0;
    for round in 0..6 {
        let name = format!("b{round}");
        waiting(
            &world,
            &repo,
            &name,
            &format!("i=0; while [ $i -lt 300 ]; do echo {round} > f$i; i=$((i+1)); done"),
        );
        let typed = digits(&world, &repo, &name);
        let mut terminal = world.terminal(repo.root(), &["box", "land", &name]);
        terminal.wait_for("digits of its hash", PATIENCE);
        let run = review(&world, &repo, &name)["run"]
            .as_str()
            .unwrap()
            .to_owned();
        let scratch = world
            .taffrail_home()
            .join("sessions")
            .join(&run)
            .join("land");
        terminal.send(format!("{typed}\r"));
        // Killed at a later moment each time: as soon as the landing works, then some polls on.
        let mut looks = 0;
        eventually(PATIENCE, || {
            looks += usize::from(scratch.exists());
            looks > round * 12 || terminal.find("landed as branch").is_some()
        });
        let pid = rustix::process::Pid::from_raw(terminal.pid().cast_signed()).unwrap();
        rustix::process::kill_process(pid, Signal::KILL).ok();
        cut += usize::from(terminal.wait_exit(PATIENCE) == 128 + 9);

        repo.git(&["fsck", "--strict", "--no-dangling"]);
        let branch = format!("external/{run}");
        let made = repo.try_git(&["rev-parse", "--verify", "-q", &branch]);
        let state = review(&world, &repo, &name)["change"]["state"]
            .as_str()
            .unwrap()
            .to_owned();
        // Cut off after its branch was there, it is taken up again: also where git made the branch while it died.
        if state == "pending" {
            land(&world, &repo, &name, &[]);
        }
        if made.code == 0 {
            assert_eq!(repo.git(&["rev-parse", &branch]), made.stdout);
        }
        assert_eq!(
            repo.git(&["diff", "--name-only", "main", &branch])
                .lines()
                .count(),
            300
        );
        assert!(
            !scratch.exists(),
            "what the landing had made is left at {}",
            scratch.display()
        );
    }
    assert!(cut > 0, "no landing was cut off: the test tested nothing");
}

/// The one stored diff of the world.
fn patch(world: &Hermetic) -> PathBuf {
    let sessions = std::fs::read_dir(world.taffrail_home().join("sessions")).unwrap();
    let patches = sessions
        .flatten()
        .map(|entry| entry.path().join("change.patch"));
    patches
        .into_iter()
        .find(|path| path.exists())
        .expect("a stored diff")
}
