//! Promise: odd places and odd moments are served or refused in words, with the right exit code (FA-06, SUR-10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use common::{boxed, checkouts, committed, digits, land_typing, taffrail, waiting, world};

#[test]
fn fa_06_project_and_home_need_not_be_utf_8() {
    let mut world = world();
    let repo = committed(&world);
    let odd = world.root().join(OsStr::from_bytes(b"new\nline \xff\xfe"));
    std::fs::create_dir(&odd).unwrap();
    let project = odd.join("project");
    std::fs::rename(repo.root(), &project).unwrap();
    world.set_env("TAFFRAIL_HOME", odd.join("home"));
    let line = ["box", "--name", "b", "--", "sh", "-c", "echo 1 > one"];
    world.taffrail_in(&project, &line).success();
    let review = world
        .taffrail_in(&project, &["box", "review", "b"])
        .success();
    assert!(review.stdout.contains("+++ b/one"), "{}", review.stdout);
}

#[test]
fn fa_06_a_limit_on_time_before_the_start_is_a_limit_on_time() {
    let world = world();
    let repo = committed(&world);
    for limit in ["0s", "1ms", "20ms"] {
        let ran = boxed(&world, &repo, &["--timeout", limit], "sleep 60").go();
        let ran = ran.expect_code(5);
        assert!(!ran.stderr.contains("error:"), "{limit}: {}", ran.stderr);
    }
    assert!(checkouts(&world).is_empty());
}

#[test]
fn an_output_that_takes_nothing_is_told_of() {
    let world = world();
    let repo = committed(&world);
    let script = format!(
        "'{}' box list --json > /dev/full",
        env!("CARGO_BIN_EXE_taffrail")
    );
    let ran = world.program("sh", &["-c", &script]);
    let ran = ran.in_directory(repo.root()).go().expect_code(1);
    assert!(
        ran.stderr.contains("cannot write the output"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_name_that_cannot_be_typed_is_refused_before_anything_is_made() {
    let world = world();
    let repo = committed(&world);
    let long = "n".repeat(10_000);
    for name in ["", "run_x", "-x", "\u{1b}[31m", &long] {
        let flag = format!("--name={name}");
        let ran = taffrail(&world, &repo, &["box", &flag, "--", "true"]).expect_code(2);
        assert!(
            ran.stderr.contains("cannot be a run's name: "),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.len() < 300 && !ran.stderr.contains('\u{1b}'));
    }
    assert!(checkouts(&world).is_empty());
}

#[test]
fn cnf_07_what_cannot_be_a_configuration_is_a_mistake_in_it() {
    let world = world();
    let repo = committed(&world);
    taffrail(&world, &repo, &["box", "list"]).success();
    let path = world.taffrail_home().join("config.toml");
    let refused = |why: &str| {
        let ran = taffrail(&world, &repo, &["box", "list"]).expect_code(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    };
    std::fs::create_dir(&path).unwrap();
    refused("not a regular file");
    std::fs::remove_dir(&path).unwrap();
    std::os::unix::fs::symlink("/dev/null", &path).unwrap();
    refused("it is a symbolic link");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    refused("it is larger than 1048576 bytes");
}

#[test]
fn fa_31_a_branch_that_reads_as_a_flag_or_as_head_is_refused() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "b", "echo 1 > one");
    let digits = digits(&world, &repo, "b");
    let before = repo.digest();
    for branch in ["-x", "HEAD", "a..b", ""] {
        let flag = format!("--branch={branch}");
        let (code, said) = land_typing(&world, &repo, &["b", &flag], &[], Some(&digits));
        assert_eq!(code, 2, "{branch}: {said}");
    }
    assert_eq!(repo.digest(), before);
}

#[test]
fn fa_10_a_damaged_repository_is_not_one_that_is_to_be_made() {
    let world = world();
    let plain = world.directory("plain");
    let message = |folder: &std::path::Path| {
        let ran = world.taffrail_in(folder, &["box", "--json", "--", "true"]);
        let error = ran.expect_code(1).json()["error"].clone();
        (error["code"].clone(), error["message"].to_string())
    };
    assert_eq!(message(&plain).0, "project_not_git");
    std::fs::write(plain.join(".git"), "gitdir: /nowhere\n").unwrap();
    let inner = world.directory("plain/inner");
    let repo = committed(&world);
    repo.file(".git/HEAD", "garbage\n");
    for folder in [&plain, &inner, repo.root()] {
        let (code, said) = message(folder);
        assert_eq!(code, "project_unsupported", "{said}");
        assert!(said.contains("does not recognise its `.git`"), "{said}");
        assert!(!said.contains("inner"), "{said}");
    }
}
