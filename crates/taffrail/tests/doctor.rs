//! Promise: the doctor looks and has no side effects, and every finding that is not good has a fix (STO-10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{committed, project, taffrail, world};
use taffrail_testkit::{Hermetic, Times, manifest};

#[test]
fn sto_10_doctor_has_no_side_effects() {
    let world = world();
    let repo = project(&world);
    std::fs::remove_dir(world.taffrail_home()).unwrap();
    let all = |world: &Hermetic| {
        let lines = manifest(world.root(), Times::Counted);
        // The scratch folder is there to be used; what is left in it counts.
        lines
            .into_iter()
            .filter(|line| !line.starts_with("tmp ") && !line.starts_with(". "))
            .collect::<Vec<_>>()
    };
    let before = all(&world);
    for args in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["doctor", "--strict"],
        &["config", "path"],
        &["config", "show"],
    ] {
        let ran = taffrail(&world, &repo, args);
        assert!(!ran.stdout.is_empty(), "{}", ran.snapshot());
    }
    assert_eq!(all(&world), before);
    assert!(!world.taffrail_home().exists() && !world.home().join(".taffrail").exists());
}

#[test]
fn sto_10_every_finding_that_is_not_good_has_a_fix() {
    let world = world();
    let repo = committed(&world);
    std::fs::set_permissions(
        world.taffrail_home(),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    world.config("[nonsense]\n");
    let run = world
        .command(&["doctor", "--json"])
        .in_directory(repo.root())
        .env("PATH", "/nowhere");
    let ran = run.go();
    assert_eq!(ran.code, 1);
    let answer = ran.json();
    let findings = answer["data"].as_array().unwrap();
    let bad: Vec<_> = findings
        .iter()
        .filter(|finding| finding["weight"] != "good")
        .collect();
    for about in ["home", "config", "git"] {
        assert!(
            bad.iter().any(|finding| finding["about"] == about),
            "{about}: {answer}"
        );
    }
    assert!(
        bad.iter()
            .all(|finding| finding["fix"].as_str().is_some_and(|fix| !fix.is_empty())),
        "{answer}"
    );
}
