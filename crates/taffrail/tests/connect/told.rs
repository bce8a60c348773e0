//! What is said of it.

use super::*;

#[test]
fn what_is_typed_wrongly_is_told() {
    let world = world();
    for line in [
        &["connect"][..],
        &["connect", "nonsense"],
        &["connect", "claude", "--undo", "codex"],
        &["connect", "--undo", "claude", "--hooks"],
        &["connect", "--list", "--dry-run"],
    ] {
        world.taffrail(line).expect_code(2);
    }
    let list = connect(&world, &["--list", "--json"]).success().json();
    let programs = list["data"].as_array().unwrap();
    assert_eq!(programs.len(), 7);
    assert!(programs.iter().all(|one| one["connected"] == false));
}

#[test]
fn what_was_done_is_told_as_json_too() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{}\n");
    let would = connect(&world, &["cursor", "--dry-run", "--json"]).success();
    let files = would.json()["data"]["files"].clone();
    assert_eq!(files[0]["path"], path.to_str().unwrap());
    assert_eq!(files[0]["outcome"], "written");
    assert!(
        files[0]["diff"]
            .as_str()
            .unwrap()
            .contains("+    \"taffrail\": {")
    );
    assert_eq!(text(&path), "{}\n");
    connect(&world, &["cursor"]).success();
    let undone = connect(&world, &["--undo", "cursor", "--json"]).success();
    let data = &undone.json()["data"];
    assert_eq!(
        (&data["program"], &data["dry_run"]),
        (&"cursor".into(), &false.into())
    );
    let outcomes: Vec<&Value> = data["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["outcome"])
        .collect();
    // The configuration was there, the skill was not.
    assert_eq!(outcomes, ["restored", "gone"]);
    let none = connect(&world, &["--undo", "cursor", "--json"]).expect_code(7);
    assert_eq!(none.json()["error"]["code"], "not_connected");
}
