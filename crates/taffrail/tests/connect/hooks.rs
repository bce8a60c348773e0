//! Hooks and skills.

use super::*;

#[test]
fn hooks_go_behind_those_that_are_there() {
    let world = world();
    let settings = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n      }\n    ]\n  },\n  \"model\": \"x\"\n}\n";
    let path = put(&world, ".claude/settings.json", settings);
    connect(&world, &["claude", "--hooks"]).success();
    let after: Value = serde_json::from_str(&text(&path)).unwrap();
    let start = after["hooks"]["SessionStart"].as_array().unwrap();
    assert_eq!(start[0]["hooks"][0]["command"], "mine");
    let ours = &start[1]["hooks"][0];
    let command = ours["command"].as_str().unwrap();
    assert!(
        command.ends_with(" hook session-start --client claude"),
        "{command}"
    );
    assert_eq!(ours["timeout"], 10);
    let end = &after["hooks"]["SessionEnd"][0]["hooks"][0];
    assert!(
        end["command"]
            .as_str()
            .unwrap()
            .ends_with(" hook session-end --client claude")
    );
    // The line is one that a shell runs.
    let ran = world.program("/bin/sh", &["-c", command]).input("{}").go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("hookSpecificOutput"), "{}", ran.stdout);
    connect(&world, &["--undo", "claude"]).success();
    assert_eq!(text(&path), settings);

    put(&world, ".gemini/settings.json", "{}\n");
    connect(&world, &["gemini", "--hooks"]).success();
    let after: Value =
        serde_json::from_str(&text(&world.home().join(".gemini/settings.json"))).unwrap();
    // Gemini CLI counts milliseconds.
    assert_eq!(
        after["hooks"]["SessionStart"][0]["hooks"][0]["timeout"],
        10_000
    );
    connect(&world, &["--undo", "gemini"]).success();
    assert_eq!(text(&world.home().join(".gemini/settings.json")), "{}\n");

    for program in ["codex", "opencode", "cursor", "vscode", "zed"] {
        let refused = connect(&world, &[program, "--hooks"]).expect_code(2);
        assert!(
            refused
                .stderr
                .contains("has no hooks that taffrail can add to"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_skill_is_left_where_it_is_not_as_we_wrote_it() {
    let world = world();
    connect(&world, &["claude"]).success();
    let skill = world.home().join(".claude/skills/taffrail/SKILL.md");
    assert!(text(&skill).starts_with("---\nname: taffrail\n"));
    assert!(text(&skill).lines().count() <= 60);
    fs::write(&skill, "mine now\n").unwrap();
    let again = connect(&world, &["claude"]).success();
    assert!(again.stderr.contains("stays as it is"), "{}", again.stderr);
    let undone = connect(&world, &["--undo", "claude"]).success();
    assert!(
        undone.stderr.contains("stays as it is"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&skill), "mine now\n");
    // One that somebody else put there is not ours to begin with.
    let other = connect(&world, &["claude"]).success();
    assert!(other.stderr.contains("stays as it is"), "{}", other.stderr);
    assert_eq!(text(&skill), "mine now\n");
}
