//! Promise: the diffs that a home keeps stay within their quota, and what does not fit is not lost (STO-06).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::{boxed, committed, review, taffrail, world};

/// 900 KiB of text that no diff makes smaller.
const WRITES: &str = "head -c 675000 /dev/urandom | base64 > big.txt";

#[test]
fn sto_06_a_diff_over_the_quota_is_refused_and_its_tree_kept() {
    let world = world();
    let repo = committed(&world);
    world.config("[record]\ndiffs_mib = 1\n");
    boxed(&world, &repo, &["--name", "first"], WRITES)
        .go()
        .success();
    let ran = boxed(&world, &repo, &["--name", "second"], WRITES).go();
    assert_eq!(ran.code, 5, "{ran:?}");
    for wanted in ["1048576", "record.diffs_mib", "the checkout is kept at"] {
        assert!(ran.stderr.contains(wanted), "{wanted}: {}", ran.stderr);
    }
    // What does not fit can be thrown away.
    boxed(&world, &repo, &["--name", "third"], WRITES)
        .go()
        .expect_code(5);
    taffrail(&world, &repo, &["box", "discard", "third"]).success();
    // The twin: with room for it the same tree is captured, whole.
    world.config("[record]\ndiffs_mib = 2\n");
    let answer = review(&world, &repo, "second");
    assert_eq!(
        answer["change"]["changes"][0]["path"], "big.txt",
        "{answer}"
    );
}

#[test]
fn sto_06_what_was_captured_before_is_not_counted_against_itself() {
    let world = world();
    let repo = committed(&world);
    world.config("[record]\ndiffs_mib = 1\n");
    boxed(&world, &repo, &["--name", "again", "--keep"], WRITES)
        .go()
        .success();
    let entered = ["box", "enter", "again", "--", "sh", "-c", WRITES];
    world.taffrail_in(repo.root(), &entered).success();
}
