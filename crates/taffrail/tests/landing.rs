//! Promise: what lands is exactly what was reviewed, on a new local branch, after a person confirmed it at a terminal;
//! the operator's HEAD, index and tree are not touched (FA-30, FA-31).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{
    PATIENCE, boxed, branch_of, committed, data, digits, land, land_typing, project, review,
    taffrail, waiting, world,
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

/// The error of a landing that asks nothing before it is refused.
#[track_caller]
fn refused(
    world: &Hermetic,
    repo: &Repo,
    args: &[&str],
    flags: &[&str],
    typed: Option<&str>,
) -> (i32, String) {
    let (code, said) = land_typing(world, repo, args, flags, typed);
    assert_ne!(code, 0, "{said}");
    assert!(said.contains("error:"), "{said}");
    (code, said)
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

#[test]
fn fa_31_not_found_comes_first() {
    let world = world();
    let repo = committed(&world);
    assert_eq!(refused(&world, &repo, &["nothing"], &[], None).0, 7);
    let ran = taffrail(&world, &repo, &["box", "review", "--json", "nothing"]);
    assert_eq!(
        (ran.code, &ran.json()["error"]["code"]),
        (7, &"not-found".into())
    );
}

#[test]
fn fa_31_one_decision_per_run() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "landed", "echo new > new.txt");
    land(&world, &repo, "landed", &[]);
    waiting(&world, &repo, "discarded", "echo new > new.txt");
    taffrail(&world, &repo, &["box", "discard", "discarded"]).success();
    waiting(&world, &repo, "empty", "true");
    let runs = data(&world, &repo, &["box", "list", "--all", "--json"]);
    for (name, state) in [
        ("landed", "landed"),
        ("discarded", "discarded"),
        ("empty", "empty"),
    ] {
        let run = runs
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == name)
            .unwrap();
        let (code, said) = refused(&world, &repo, &[run["run"].as_str().unwrap()], &[], None);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(&format!("is {state}")), "{said}");
    }
    // Not pending wins over a diff that is gone: it was removed with the decision.
    let branches = repo.git(&["branch", "--list", "external/*"]);
    assert_eq!(branches.lines().count(), 1, "{branches}");
    let again = taffrail(&world, &repo, &["box", "discard", "landed"]);
    assert_eq!(again.code, 1, "{}", again.stderr);
}

#[test]
fn fa_31_the_stored_diff_must_be_there_and_be_the_one() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", WORK);
    let stored = patch(&world);
    let bytes = std::fs::read(&stored).unwrap();
    let typed = digits(&world, &repo, "b");

    std::fs::remove_file(&stored).unwrap();
    let (code, said) = refused(&world, &repo, &["b"], &[], None);
    assert!(code == 1 && said.contains("is not there"), "{said}");

    let tampered = String::from_utf8_lossy(&bytes)
        .replace("+later", "+LATER")
        .into_bytes();
    assert_ne!(tampered, bytes);
    write_private(&stored, &tampered);
    let (code, said) = refused(&world, &repo, &["b"], &[], None);
    assert!(
        code == 3 && said.contains("the stored diff does not fit"),
        "{said}"
    );

    write_private(&stored, &bytes);
    let (code, said) = land_typing(&world, &repo, &["b"], &FLAGS, Some(&typed));
    assert_eq!(code, 0, "the twin: the very bytes land\n{said}");
}

/// A file of the home as an attacker with the user's rights would write it, mode kept private.
fn write_private(path: &std::path::Path, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn fa_31_wrong_digits_land_nothing() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", "echo new > new.txt");
    let right = digits(&world, &repo, "b");
    let wrong = [
        "",
        "y",
        "yes",
        &right[..11],
        "000000000000",
        &format!("{right}0"),
        &right.to_uppercase(),
    ];
    for typed in wrong.into_iter().filter(|typed| **typed != *right) {
        let (code, said) = refused(&world, &repo, &["b"], &[], Some(typed));
        assert!(
            code == 3 && said.contains("what was typed does not fit"),
            "`{typed}`: {said}"
        );
    }
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
    land(&world, &repo, "b", &[]);
}

#[test]
fn fa_31_binary_and_flags_are_confirmed_by_name() {
    let world = world();
    let repo = committed(&world);
    let work = "printf 'a\\0b' > bytes.bin; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml
                echo rules > AGENTS.md; echo '*.x text' > .gitattributes; printf '#!/bin/sh\\n' > tool; chmod +x tool";
    waiting(&world, &repo, "b", work);
    let typed = digits(&world, &repo, "b");
    let all = ["ci", "agent-rules", "git-config", "executable", "binary"];
    let flags: BTreeSet<String> = review(&world, &repo, "b")["change"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|change| change["flags"].as_array().cloned().unwrap_or_default())
        .filter_map(|flag| flag.as_str().map(str::to_owned))
        .collect();
    assert_eq!(flags, all.iter().map(|flag| (*flag).to_owned()).collect());

    for missing in all {
        let args: Vec<&str> = std::iter::once("b")
            .chain(
                all.iter()
                    .filter(|flag| **flag != missing)
                    .flat_map(|flag| ["--confirm", *flag]),
            )
            .collect();
        let mut terminal =
            world.terminal(repo.root(), &[&["box", "land"], args.as_slice()].concat());
        terminal.wait_for(&format!("type {missing} to confirm"), PATIENCE);
        terminal.send("yes\r");
        terminal.wait_for("digits of its hash", PATIENCE);
        terminal.send(format!("{typed}\r"));
        let code = terminal.wait_exit(PATIENCE);
        let said = String::from_utf8_lossy(&terminal.raw()).into_owned();
        assert_eq!(code, 3, "{missing}: {said}");
        let why = if missing == "binary" {
            "binary file(s) are not confirmed"
        } else {
            missing
        };
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
    let args: Vec<&str> = std::iter::once("b")
        .chain(all.iter().flat_map(|flag| ["--confirm", *flag]))
        .collect();
    assert_eq!(land_typing(&world, &repo, &args, &[], Some(&typed)).0, 0);
}

#[test]
fn fa_31_what_never_lands() {
    for (work, reason) in [
        ("ln -s /etc/passwd out", "symlink-leaves"),
        ("ln -s ../../x out", "symlink-leaves"),
        ("mkfifo pipe", "special-file"),
        ("mkdir -p sub/.git && echo x > sub/.git/config", "gitlink"),
        (
            "mkdir -p sub/.GIT && echo x > sub/.GIT/config",
            "git-folder",
        ),
        ("mkdir git~1 && echo x > git~1/config", "git-folder"),
        ("echo x > one && ln one two", "hard-link"),
    ] {
        let world = world();
        let repo = committed(&world);
        waiting(&world, &repo, "b", &format!("{work}; echo good > good.txt"));
        let changes = review(&world, &repo, "b")["change"]["changes"].to_string();
        assert!(changes.contains(reason), "{work}: {changes}");
        let (code, said) = refused(&world, &repo, &["b"], &[], None);
        assert!(code == 3 && said.contains("never land"), "{work}: {said}");
        assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
    }
}

#[test]
fn fa_31_a_branch_that_is_there_is_left_alone() {
    let world = world();
    let repo = committed(&world);
    repo.git(&["branch", "taken"]);
    waiting(&world, &repo, "b", "echo new > new.txt");
    let typed = digits(&world, &repo, "b");
    let before = repo.git(&["rev-parse", "taken"]);
    for branch in ["taken", "taken/below", "main"] {
        let (code, said) = refused(&world, &repo, &["b", "--branch", branch], &[], Some(&typed));
        assert_eq!(code, 1, "{said}");
    }
    assert_eq!(repo.git(&["rev-parse", "taken"]), before);
    // The change waits again.
    land(&world, &repo, "b", &[]);
}

#[test]
fn fa_31_a_base_that_is_gone_applies_to_nothing() {
    let world = world();
    let repo = committed(&world);
    repo.file("second.txt", "second\n");
    repo.commit("second");
    waiting(&world, &repo, "b", "echo new >> second.txt");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    let typed = digits(&world, &repo, "b");
    let (code, said) = refused(&world, &repo, &["b"], &[], Some(&typed));
    assert_eq!(code, 1, "{said}");
    assert_eq!(review(&world, &repo, "b")["change"]["state"], "pending");
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
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
fn fa_31_a_landing_needs_a_person_at_a_terminal() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", "echo new > new.txt");
    let typed = digits(&world, &repo, "b");
    for input in [String::new(), format!("{typed}\n"), format!("y\n{typed}\n")] {
        let ran = world
            .command(&["box", "land", "b"])
            .in_directory(repo.root())
            .input(input)
            .go();
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("a person at a terminal"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
}

#[test]
fn fa_31_keys_typed_before_the_question_answer_nothing() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", "echo new > new.txt");
    let typed = digits(&world, &repo, "b");
    let terminal = world.terminal(repo.root(), &["box", "land", "b"]);
    terminal.send(format!("{typed}\r"));
    terminal.wait_for("digits of its hash", PATIENCE);
    terminal.send("no\r");
    let mut terminal = terminal;
    assert_eq!(terminal.wait_exit(PATIENCE), 3, "{}", terminal.screen());
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
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
        let made = repo.try_git(&["rev-parse", "--verify", "-q", &branch]).code == 0;
        let state = review(&world, &repo, &name)["change"]["state"]
            .as_str()
            .unwrap()
            .to_owned();
        if state == "pending" && made {
            let (code, said) = refused(&world, &repo, &[&name], &[], Some(&typed));
            assert!(code == 1 && said.contains(&branch), "{said}");
            repo.git(&["branch", "-D", "-q", &branch]);
        }
        if state == "pending" {
            land(&world, &repo, &name, &[]);
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
