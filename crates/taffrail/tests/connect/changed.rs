//! What is changed between going in and coming out.

use super::*;

#[test]
fn a_dry_run_shows_the_change_masked_and_writes_nothing() {
    let world = world();
    let token = format!("{}{}", "ghp_", "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5");
    let before = format!(
        "{{\n  \"mcpServers\": {{\n    \"a\": {{\"command\": \"a\", \"env\": {{\"T\": \"{token}\"}}}}\n  }}\n}}\n"
    );
    let path = put(&world, ".gemini/settings.json", &before);
    let found = below_home(&world);
    let shown = connect(&world, &["gemini", "--hooks", "--dry-run"]).success();
    assert!(
        shown.stdout.contains(&format!("--- {}", path.display())),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("+    \"taffrail\": {"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("+    \"SessionStart\": ["),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("--- /dev/null"), "{}", shown.stdout);
    assert!(!shown.stdout.contains(&token), "{}", shown.stdout);
    assert_eq!(below_home(&world), found);
    assert!(standing(&world, "gemini").is_empty());
    connect(&world, &["gemini"]).success();
    let connected = below_home(&world);
    let shown = connect(&world, &["--undo", "gemini", "--dry-run"]).success();
    assert!(
        shown.stdout.contains("-    \"taffrail\": {"),
        "{}",
        shown.stdout
    );
    assert_eq!(below_home(&world), connected);
}

#[test]
fn a_file_that_was_changed_since_keeps_the_change() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    connect(&world, &["cursor"]).success();
    // The owner adds a server by hand; the entry stays where it is.
    let mine = text(&path).replace(
        "\n  }\n}\n",
        ",\n    \"mine\": {\"command\": \"mine\"}\n  }\n}\n",
    );
    fs::write(&path, &mine).unwrap();
    assert_eq!(standing(&world, "cursor")[0].1, "connected");
    let already = connect(&world, &["cursor"]).success();
    assert!(
        already.stderr.contains("has our entry already"),
        "{}",
        already.stderr
    );
    let undone = connect(&world, &["--undo", "cursor"]).success();
    assert!(
        undone.stderr.contains("only our entry is taken out"),
        "{}",
        undone.stderr
    );
    let left: Value = serde_json::from_str(&text(&path)).unwrap();
    assert_eq!(
        left,
        serde_json::json!({"mcpServers": {"mine": {"command": "mine"}}})
    );

    // A program writes the whole file anew, in its own way.
    fs::write(&path, "{}").unwrap();
    connect(&world, &["cursor"]).success();
    let whole: Value = serde_json::from_str(&text(&path)).unwrap();
    let mut whole = whole.as_object().unwrap().clone();
    whole.insert("first".into(), 1.into());
    fs::write(&path, serde_json::to_string(&whole).unwrap()).unwrap();
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), "{\"first\":1}");

    // The owner takes it out by hand: there is nothing to take back.
    fs::write(&path, "{}").unwrap();
    connect(&world, &["cursor"]).success();
    fs::write(&path, "{\"x\": 2}").unwrap();
    assert_eq!(standing(&world, "cursor")[0].1, "missing");
    let undone = connect(&world, &["--undo", "cursor"]).success();
    assert!(
        undone.stderr.contains("has no entry of ours any more"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&path), "{\"x\": 2}");
}

#[test]
fn an_entry_that_its_owner_changed_is_not_written_over() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{}\n");
    connect(&world, &["cursor"]).success();
    let edited = text(&path).replace("[\"serve-mcp\"]", "[\"serve-mcp\", \"--read-only\"]");
    fs::write(&path, &edited).unwrap();
    assert!(
        standing(&world, "cursor")
            .iter()
            .any(|(_, word)| word == "edited")
    );
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(
        refused.stderr.contains("changed by somebody since"),
        "{}",
        refused.stderr
    );
    assert_eq!(text(&path), edited);
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), "{\n}\n");
}

#[test]
fn an_executable_that_moved_is_named_anew_and_the_first_bytes_come_back() {
    let world = world();
    let original = "{\n  \"ui\": {}\n}\n";
    let path = put(&world, ".gemini/settings.json", original);
    let old = world.root().join("old-taffrail");
    executable_copy(Path::new(TAFFRAIL), &old);
    let mut from_old = world.program(&old, &["connect", "gemini", "--hooks"]);
    from_old = from_old.in_directory(world.projects());
    assert_eq!(from_old.go().code, 0);
    let of_old = text(&path);
    assert!(of_old.contains("old-taffrail"));
    assert!(
        standing(&world, "gemini")
            .iter()
            .any(|(_, word)| word == "outdated")
    );
    // Without --hooks: those that were asked for once stay, and are of today.
    let updated = connect(&world, &["gemini"]).success();
    assert!(
        updated.stderr.contains("has our entry as it is today"),
        "{}",
        updated.stderr
    );
    assert!(!text(&path).contains("old-taffrail"));
    assert!(text(&path).contains("hook session-end --client gemini"));
    // As a process leaves it that is killed between its row and its file: the older entry is known, and goes.
    fs::write(&path, &of_old).unwrap();
    assert!(
        standing(&world, "gemini")
            .iter()
            .any(|(_, word)| word == "outdated")
    );
    let undone = connect(&world, &["--undo", "gemini"]).success();
    assert!(
        undone.stderr.contains("is to the byte what it was"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&path), original);
    // Twin: without the older one on record the file would be one that somebody changed.
    fs::write(&path, &of_old).unwrap();
    let refused = connect(&world, &["gemini"]).expect_code(1);
    assert!(
        refused.stderr.contains("that taffrail did not write"),
        "{}",
        refused.stderr
    );
}
