//! Promise: nothing lands that was not confirmed, is not what was reviewed, or must never land; the checks come in the
//! order of FA-31.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{
    PATIENCE, committed, data, digits, land, land_typing, review, taffrail, typed_ahead, waiting,
    world,
};
use taffrail_testkit::{Hermetic, Repo};

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
        let code = terminal.wait_exit(PATIENCE);
        let said = String::from_utf8_lossy(&terminal.raw()).into_owned();
        assert_eq!(code, 3, "{missing}: {said}");
        assert!(!said.contains("digits of its hash"), "asked on: {said}");
        let why = if missing == "binary" {
            "binary file(s) are not confirmed"
        } else {
            missing
        };
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
    let args = ["b", "--confirm", &all.join(",")];
    assert_eq!(land_typing(&world, &repo, &args, &[], Some(&typed)).0, 0);
}

#[test]
fn fa_31_s28_what_never_lands() {
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
    let mut terminal = typed_ahead(&world, &repo, &["box", "land", "b"], &typed);
    terminal.wait_for("digits of its hash", PATIENCE);
    terminal.send("no\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 3, "{}", terminal.screen());
    assert_eq!(repo.git(&["branch", "--list", "external/*"]), "");
}
