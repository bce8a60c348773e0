//! Promise: the demo shows the circle: what an agent taught over MCP is in no prompt until a person said so (CLI-04).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::world;

#[test]
fn cli_04_the_demo_drives_an_agent_lands_its_edit_takes_its_seed_and_recalls_what_was_confirmed() {
    let said = world().taffrail(&["demo", "--clean"]).success().stdout;
    let after = |mark: &str| {
        said.find(mark)
            .unwrap_or_else(|| panic!("no `{mark}` in {said}"))
    };
    let asked = after("wants to write files");
    let refused = after("refused: run a command: rm -rf .git (a person said so)");
    let landed = after("landed as branch");
    let proposed = after("prp_");
    let nothing = after("is given nothing");
    let confirmed = after(": confirmed");
    let recalled = after("<recalled_memories>");
    assert!(
        [
            asked, refused, landed, proposed, nothing, confirmed, recalled
        ]
        .is_sorted(),
        "{said}"
    );
    assert!(
        said.contains("1 sealed") && !said.contains("REACHED"),
        "{said}"
    );
}

/// As it is called where a release was loaded: its commands take it for no agent that stands above them.
#[test]
fn cli_04_the_demo_plays_under_any_name_of_the_program() {
    let world = world();
    let program = world.root().join("taffrail-0.1-linux");
    let built = env!("CARGO_BIN_EXE_taffrail");
    if std::fs::hard_link(built, &program).is_err() {
        std::fs::copy(built, &program).unwrap();
    }
    let run = world.program(&program, &["demo".to_owned(), "--clean".to_owned()]);
    let said = run.go().success().stdout;
    assert!(said.contains("<recalled_memories>"), "{said}");
}

/// Below an agent nobody could play the person: it says so at once, and leaves nothing.
#[test]
fn cli_04_below_an_agent_the_demo_does_not_begin() {
    let world = world();
    let agent = world.root().join("claude");
    std::fs::write(
        &agent,
        format!("{} demo\nexit $?\n", env!("CARGO_BIN_EXE_taffrail")),
    )
    .unwrap();
    let ran = world.program("/bin/bash", &[&agent]).go();
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("`claude` is an ancestor"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stdout, "");
}
