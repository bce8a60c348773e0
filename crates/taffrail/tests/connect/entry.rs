//! The entry goes in, and comes out to the byte.

use super::*;

#[test]
fn every_program_gets_its_entry_and_gives_it_back_to_the_byte() {
    for golden in GOLDEN {
        let world = world();
        let path = put(&world, golden.file, golden.before);
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let before = below_home(&world);
        connect(&world, &[golden.program]).success();
        assert_eq!(
            text(&path),
            expected(&world, golden.after),
            "{}",
            golden.program
        );
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o640);
        let standing = standing(&world, golden.program);
        assert!(
            standing.iter().all(|(_, word)| word == "connected"),
            "{standing:?}"
        );
        assert!(standing.iter().any(|(at, _)| at == path.to_str().unwrap()));
        // Again: nothing to do, and nothing done.
        let ino = path.metadata().unwrap().ino();
        let again = connect(&world, &[golden.program]).success();
        assert!(
            again.stderr.contains("has our entry already"),
            "{}",
            again.stderr
        );
        assert_eq!(path.metadata().unwrap().ino(), ino);
        let undone = connect(&world, &["--undo", golden.program]).success();
        assert!(
            undone.stderr.contains("is to the byte what it was"),
            "{}",
            undone.stderr
        );
        assert_eq!(text(&path), golden.before, "{}", golden.program);
        assert_eq!(below_home(&world), before, "{}", golden.program);
        let nothing = connect(&world, &["--undo", golden.program]).expect_code(7);
        assert!(
            nothing.stderr.contains("is not connected"),
            "{}",
            nothing.stderr
        );
    }
}

#[test]
fn a_program_that_was_never_started_gets_files_that_go_again() {
    for golden in GOLDEN {
        let world = world();
        let before = below_home(&world);
        connect(&world, &[golden.program]).success();
        let path = world.home().join(file_or_new(golden));
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o600);
        assert!(text(&path).contains("serve-mcp"));
        connect(&world, &["--undo", golden.program]).success();
        assert_eq!(below_home(&world), before, "{}", golden.program);
    }
}

#[test]
fn what_the_environment_names_is_where_it_goes() {
    let cases = [
        ("claude", "CLAUDE_CONFIG_DIR", "named/.claude.json"),
        (
            "claude",
            "CLAUDE_CONFIG_DIR",
            "named/skills/taffrail/SKILL.md",
        ),
        ("codex", "CODEX_HOME", "named/config.toml"),
        ("gemini", "GEMINI_CLI_HOME", "named/.gemini/settings.json"),
        (
            "opencode",
            "XDG_CONFIG_HOME",
            "named/opencode/opencode.json",
        ),
        ("opencode", "OPENCODE_CONFIG_DIR", "named/opencode.json"),
        ("zed", "XDG_CONFIG_HOME", "named/zed/settings.json"),
    ];
    for (program, variable, file) in cases {
        let mut world = world();
        let named = world.home().join("named");
        world.set_env(variable, &named);
        connect(&world, &[program]).success();
        assert!(world.home().join(file).is_file(), "{program} {variable}");
    }
    let mut world = world();
    world.set_env("OPENCODE_CONFIG", world.home().join("mine.json"));
    connect(&world, &["opencode"]).success();
    assert!(world.home().join("mine.json").is_file());
    // The Insiders build, where it is the only one.
    if cfg!(target_os = "linux") {
        let insiders = put(&world, ".config/Code - Insiders/User/mcp.json", "{}");
        connect(&world, &["vscode"]).success();
        assert!(text(&insiders).contains("taffrail"));
    }
}

#[test]
fn a_home_that_is_the_usual_one_is_not_named() {
    let world = world();
    let ran = world
        .command(&["connect", "cursor"])
        .without_env("TAFFRAIL_HOME")
        .go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let entry: Value = serde_json::from_str(&text(&world.home().join(".cursor/mcp.json"))).unwrap();
    let keys: Vec<&String> = entry["mcpServers"]["taffrail"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(keys, ["args", "command", "type"]);
}

#[test]
fn an_executable_with_an_odd_path_is_quoted_or_refused() {
    let world = world();
    let folder = world.root().join("it's a path");
    fs::create_dir(&folder).unwrap();
    let odd = folder.join("taffrail");
    executable_copy(Path::new(TAFFRAIL), &odd);
    let ran = world.program(&odd, &["connect", "claude", "--hooks"]).go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let settings = text(&world.home().join(".claude/settings.json"));
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let command = &settings["hooks"]["SessionStart"][0]["hooks"][0]["command"];
    let ran = world
        .program("/bin/sh", &["-c", command.as_str().unwrap()])
        .go();
    assert!(ran.stdout.contains("hookSpecificOutput"), "{}", ran.stderr);
    // Programs put the environment in for a `$`.
    let folder = world.root().join("$HOME");
    fs::create_dir(&folder).unwrap();
    executable_copy(Path::new(TAFFRAIL), &folder.join("taffrail"));
    let before = below_home(&world);
    let ran = world
        .program(folder.join("taffrail"), &["connect", "cursor"])
        .go();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the path of this executable"),
        "{}",
        ran.stderr
    );
    assert_eq!(below_home(&world), before);
}
