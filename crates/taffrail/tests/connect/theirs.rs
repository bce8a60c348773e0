//! What somebody else wrote stays as it is.

use super::*;

#[test]
fn an_entry_of_somebody_else_stays_and_is_shown() {
    let world = world();
    let token = format!("{}{}", "ghp_", "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5");
    let theirs = format!(
        "{{\n  \"mcpServers\": {{\n    \"taffrail\": {{\"command\": \"other\", \"env\": {{\"T\": \"{token}\"}}}}\n  }}\n}}\n"
    );
    let path = put(&world, ".cursor/mcp.json", &theirs);
    let before = below_home(&world);
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(
        refused
            .stderr
            .contains("line 3, has an entry `taffrail` that taffrail did not write"),
        "{}",
        refused.stderr
    );
    assert!(
        refused
            .stderr
            .contains("it is \"taffrail\": {\"command\": \"other\""),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains(&token), "{}", refused.stderr);
    assert_eq!(below_home(&world), before);
    assert!(standing(&world, "cursor").is_empty());
    // The same as ours, from another home's hand: nothing to do, and nothing to take back.
    fs::write(&path, "{}").unwrap();
    connect(&world, &["cursor"]).success();
    let ours = text(&path);
    connect(&world, &["--undo", "cursor"]).success();
    fs::write(&path, &ours).unwrap();
    let same = connect(&world, &["cursor"]).success();
    assert!(
        same.stderr.contains("from somebody else"),
        "{}",
        same.stderr
    );
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), ours);
}

#[test]
fn a_configuration_that_is_none_is_refused_with_its_line_and_nothing_is_written() {
    let hostile: &[(&str, &[u8], &str)] = &[
        ("claude", b"{\n  // a comment\n}\n", "line 2,"),
        ("claude", b"{\n  \"a\": 1,\n}\n", "line 2,"),
        (
            "claude",
            b"{\n  \"mcpServers\": null\n}\n",
            "line 2, is no object",
        ),
        ("claude", b"\xff\xfe{\x00}\x00", "is not UTF-8 text"),
        (
            "gemini",
            b"{ \"mcpServers\": {}, \"mcpServers\": {} }",
            "a second time",
        ),
        ("gemini", b"{\n\n\"a\" 1}", "line 3,"),
        ("cursor", b"[]", "line 1, is no object"),
        (
            "cursor",
            b"{\"mcpServers\": {\"taffrail\": 1, \"taffrail\": 2}}",
            "a second time",
        ),
        ("zed", b"{", "line 1,"),
        ("vscode", b"{} trailing", "line 1,"),
        ("codex", b"a = 1\na = 2\n", "line 2, is no TOML"),
        ("codex", b"mcp_servers = \"x\"\n", "line 1, is no table"),
    ];
    for (program, bytes, why) in hostile {
        let world = world();
        put(&world, file_of(program), bytes);
        let before = below_home(&world);
        let refused = connect(&world, &[program]).expect_code(1);
        assert!(
            refused.stderr.contains(why),
            "{program}: {}",
            refused.stderr
        );
        assert_eq!(below_home(&world), before, "{program}");
        assert!(standing(&world, program).is_empty());
    }
    // Escape sequences of a hostile file reach no screen.
    let world = world();
    put(
        &world,
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"taffrail\": \"\u{1b}[2Jx\u{202e}\"}}",
    );
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(!refused.stderr.contains('\u{1b}') && !refused.stderr.contains('\u{202e}'));
    let deep = "[".repeat(200_000);
    put(&world, ".cursor/mcp.json", format!("{{\"a\": {deep}"));
    connect(&world, &["cursor"]).expect_code(1);
}

#[test]
fn a_file_that_is_not_the_users_alone_is_refused() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{}");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(
        refused.stderr.contains("may be written by everybody"),
        "{}",
        refused.stderr
    );
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(
        refused.stderr.contains("is not a regular file"),
        "{}",
        refused.stderr
    );
    fs::remove_dir(&path).unwrap();
    symlink("nowhere", &path).unwrap();
    let refused = connect(&world, &["cursor"]).expect_code(1);
    assert!(
        refused.stderr.contains("is a symlink to nothing"),
        "{}",
        refused.stderr
    );
    assert!(path.is_symlink());
}

#[test]
fn a_dotfile_that_is_a_symlink_stays_one() {
    let world = world();
    let real = put(&world, "dotfiles/zed.json", "{}\n");
    let link = world.home().join(".config/zed/settings.json");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink("../../dotfiles/zed.json", &link).unwrap();
    connect(&world, &["zed"]).success();
    assert!(link.is_symlink());
    assert!(text(&real).contains("taffrail"));
    connect(&world, &["--undo", "zed"]).success();
    assert!(link.is_symlink());
    assert_eq!(text(&real), "{}\n");
}
