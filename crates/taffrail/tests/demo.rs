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
