//! Promise: a seed that was acknowledged belongs to an outcome, whatever a kill or an old copy left of a close (XSL-09).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::mcp::{Server, slate_folder};
use common::{committed, world};
use serde_json::json;

/// An open file whose generation has its outcome on record already: killed between the two, or brought back by a copy.
/// Without the look at the record the seed would go into that file and be in no proposal.
#[test]
fn xsl_09_a_file_that_a_cut_off_close_left_open_takes_no_seed() {
    let world = world();
    let repo = committed(&world);
    let mut server = Server::start(&world, repo.root());
    let open = json!({"externalSessionId": "half", "anchors": {"note": "the crane"}});
    server.call("slate.open", &open).done();
    let seed = |text: &str| json!({"externalSessionId": "half", "text": text});
    server
        .call("slate.writeSeed", &seed("the crane lifts nine tons"))
        .done();
    let file = slate_folder(&world).join("half.json");
    let before = std::fs::read(&file).unwrap();
    let closed = server.close("half");
    std::fs::write(&file, before).unwrap();

    let refused = server.call("slate.writeSeed", &seed("lost without the look"));
    assert!(refused.refused().contains("was closed"), "{refused:?}");
    assert!(!file.exists(), "the close was ended by the next call");
    assert_eq!(server.close("half"), closed, "one outcome");

    let opened = server.call("slate.open", &open).done().clone();
    assert_eq!(opened["generation"], 2, "{opened}");
    server
        .call("slate.writeSeed", &seed("the second crane lifts ten"))
        .done();
    let second = server.close("half");
    assert_eq!(second["proposals"][0]["candidates"], 1, "{second}");
}
