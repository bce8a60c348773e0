//! Promise: the entry of our MCP server goes into another program's own configuration without touching another byte, and
//! comes out again to the byte (10-external-slates.md, `taffrail connect`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::world;
use serde_json::Value;
use taffrail_testkit::{Hermetic, Ran, Times, manifest};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");

/// A program, the file of its servers below the user's home, what stood there, and what stands there then. `EXE` and
/// `HOME` stand for the executable and for our home.
struct Golden {
    program: &'static str,
    file: &'static str,
    before: &'static str,
    after: &'static str,
}

const GOLDEN: &[Golden] = &[
    Golden {
        program: "claude",
        file: ".claude.json",
        before: "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"docs\": {\n      \"type\": \"http\",\n      \"url\": \"https://docs.example.invalid\"\n    }\n  },\n  \"projects\": {}\n}",
        after: "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"docs\": {\n      \"type\": \"http\",\n      \"url\": \"https://docs.example.invalid\"\n    },\n    \"taffrail\": {\n      \"type\": \"stdio\",\n      \"command\": \"EXE\",\n      \"args\": [\"serve-mcp\"],\n      \"env\": {\n        \"TAFFRAIL_HOME\": \"HOME\"\n      }\n    }\n  },\n  \"projects\": {}\n}",
    },
    Golden {
        program: "codex",
        file: ".codex/config.toml",
        before: "# my settings\nmodel = \"gpt-x\"   # fast\n\n[mcp_servers.docs]\ncommand = 'docs-server'\n",
        after: "# my settings\nmodel = \"gpt-x\"   # fast\n\n[mcp_servers.docs]\ncommand = 'docs-server'\n\n[mcp_servers.taffrail]\ncommand = \"EXE\"\nargs = [\"serve-mcp\"]\nenv = { TAFFRAIL_HOME = \"HOME\" }\n",
    },
    Golden {
        program: "gemini",
        file: ".gemini/settings.json",
        before: "{\n    // how I like it\n    \"ui\": { \"theme\": \"Dracula\" } // dark\n}\n",
        after: "{\n    // how I like it\n    \"ui\": { \"theme\": \"Dracula\" }, // dark\n    \"mcpServers\": {\n        \"taffrail\": {\n            \"command\": \"EXE\",\n            \"args\": [\"serve-mcp\"],\n            \"env\": {\n                \"TAFFRAIL_HOME\": \"HOME\"\n            }\n        }\n    }\n}\n",
    },
    Golden {
        program: "opencode",
        file: ".config/opencode/opencode.jsonc",
        before: "{\r\n\t\"$schema\": \"https://opencode.ai/config.json\",\r\n\t\"mcp\": {\r\n\t\t// none yet\r\n\t},\r\n}\r\n",
        after: "{\r\n\t\"$schema\": \"https://opencode.ai/config.json\",\r\n\t\"mcp\": {\r\n\t\t// none yet\r\n\t\t\"taffrail\": {\r\n\t\t\t\"type\": \"local\",\r\n\t\t\t\"command\": [\"EXE\", \"serve-mcp\"],\r\n\t\t\t\"enabled\": true,\r\n\t\t\t\"environment\": {\r\n\t\t\t\t\"TAFFRAIL_HOME\": \"HOME\"\r\n\t\t\t}\r\n\t\t}\r\n\t},\r\n}\r\n",
    },
    Golden {
        program: "cursor",
        file: ".cursor/mcp.json",
        before: "{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}",
        after: "{\"mcpServers\":{\"a\":{\"command\":\"a\"},\"taffrail\":{\"type\":\"stdio\",\"command\":\"EXE\",\"args\":[\"serve-mcp\"],\"env\":{\"TAFFRAIL_HOME\":\"HOME\"}}}}",
    },
    Golden {
        program: "vscode",
        file: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/mcp.json"
        } else {
            ".config/Code/User/mcp.json"
        },
        before: "\u{feff}{\n\t\"servers\": {\n\t},\n\t\"inputs\": []\n}",
        after: "\u{feff}{\n\t\"servers\": {\n\t\t\"taffrail\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"EXE\",\n\t\t\t\"args\": [\"serve-mcp\"],\n\t\t\t\"env\": {\n\t\t\t\t\"TAFFRAIL_HOME\": \"HOME\"\n\t\t\t}\n\t\t}\n\t},\n\t\"inputs\": []\n}",
    },
    Golden {
        program: "zed",
        file: ".config/zed/settings.json",
        before: "// Zed settings\n{\n  \"theme\": \"One Dark\",\n  /* servers */\n  \"context_servers\": {\n    \"a\": { \"command\": \"a\", \"args\": [], },\n  },\n}\n",
        after: "// Zed settings\n{\n  \"theme\": \"One Dark\",\n  /* servers */\n  \"context_servers\": {\n    \"a\": { \"command\": \"a\", \"args\": [], },\n    \"taffrail\": {\n      \"command\": \"EXE\",\n      \"args\": [\"serve-mcp\"],\n      \"env\": {\n        \"TAFFRAIL_HOME\": \"HOME\"\n      }\n    },\n  },\n}\n",
    },
];

fn file_of(program: &str) -> &'static str {
    let golden = GOLDEN.iter().find(|golden| golden.program == program);
    golden.unwrap().file
}

fn put(world: &Hermetic, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = world.home().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn expected(world: &Hermetic, text: &str) -> String {
    let exe = Path::new(TAFFRAIL).canonicalize().unwrap();
    let home = world.taffrail_home();
    let text = text.replace("HOME\"", &format!("{}\"", home.display()));
    text.replace("EXE", exe.to_str().unwrap())
        .replace(&format!("TAFFRAIL_{}", home.display()), "TAFFRAIL_HOME")
}

fn connect(world: &Hermetic, args: &[&str]) -> Ran {
    let mut line = vec!["connect"];
    line.extend(args);
    world.taffrail(&line)
}

fn text(path: &Path) -> String {
    String::from_utf8(fs::read(path).unwrap()).unwrap()
}

/// Every name and content below the user's home.
fn below_home(world: &Hermetic) -> String {
    format!("{:?}", manifest(&world.home(), Times::Ignored))
}

fn standing(world: &Hermetic, program: &str) -> Vec<(String, String)> {
    let list = connect(world, &["--list", "--json"]).success().json();
    let programs = list["data"].as_array().unwrap().clone();
    let one = programs
        .iter()
        .find(|one| one["program"] == program)
        .unwrap();
    let files = one["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            let word = |key: &str| file[key].as_str().unwrap().to_owned();
            (word("path"), word("standing"))
        })
        .collect()
}

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

/// opencode has one name for a file that is there, another for a new one.
fn file_or_new(golden: &Golden) -> &'static str {
    match golden.program {
        "opencode" => ".config/opencode/opencode.json",
        _ => golden.file,
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
    fs::copy(TAFFRAIL, &old).unwrap();
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

#[test]
fn many_at_once_write_one_entry() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{\n  \"a\": 1\n}\n");
    world.taffrail(&["doctor"]);
    let running: Vec<_> = (0..8)
        .map(|_| world.command(&["connect", "cursor"]).start())
        .collect();
    for one in running {
        let ran = one.wait();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(
        text(&path).matches("taffrail\": {").count(),
        1,
        "{}",
        text(&path)
    );
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_program_that_writes_meanwhile_loses_nothing() {
    let world = world();
    let path = put(&world, ".cursor/mcp.json", "{\"n\": 0}\n");
    world.taffrail(&["doctor"]);
    let (stop, last) = (AtomicBool::new(false), 2_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..=last {
                let beside = path.with_extension("tmp");
                fs::write(&beside, format!("{{\"n\": {n}}}\n")).unwrap();
                fs::rename(&beside, &path).unwrap();
            }
            stop.store(true, Ordering::SeqCst);
        });
        while !stop.load(Ordering::SeqCst) {
            // Done, or given up with a word about it: either is right.
            let ran = connect(&world, &["cursor"]);
            assert!([0, 1].contains(&ran.code), "{}", ran.stderr);
        }
    });
    let left: Value = serde_json::from_str(&text(&path)).unwrap();
    assert_eq!(left["n"], last, "the last write of the other is gone");
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().starts_with(".taffrail")),
        "{names:?}"
    );
}

#[test]
fn what_was_put_on_record_and_never_written_is_understood() {
    let world = world();
    let before = "{\n  \"a\": 1\n}\n";
    let path = put(&world, ".cursor/mcp.json", before);
    connect(&world, &["cursor"]).success();
    // As a process leaves it that is killed between its row and its file.
    fs::write(&path, before).unwrap();
    assert_eq!(standing(&world, "cursor")[0].1, "unwritten");
    let undone = connect(&world, &["--undo", "cursor"]).success();
    assert!(
        undone.stderr.contains("was never written"),
        "{}",
        undone.stderr
    );
    assert_eq!(text(&path), before);
    // Or the command is typed again, and goes through.
    connect(&world, &["cursor"]).success();
    fs::write(&path, before).unwrap();
    connect(&world, &["cursor"]).success();
    assert!(text(&path).contains("taffrail"));
    // Or in the midst of taking back, with a new file made and nothing in it yet.
    fs::write(path.with_file_name(".taffrail-0123456789abcdef"), "").unwrap();
    connect(&world, &["--undo", "cursor"]).success();
    assert_eq!(text(&path), before);
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1, "what a killed process left is gone");
}

#[test]
fn killed_at_any_moment_everything_comes_back_to_the_byte() {
    let world = world();
    let original = "{\n  // mine\n  \"a\": 1,\n}\n";
    let path = put(&world, ".config/zed/settings.json", original);
    world.taffrail(&["doctor"]);
    let (mut written, mut not) = (0, 0);
    for round in 0..40_u64 {
        let mut running = world.command(&["connect", "zed"]).start();
        std::thread::sleep(Duration::from_micros(500 * (round % 40)));
        running.kill();
        let now = text(&path);
        if now == original {
            not += 1;
        } else {
            assert!(now.contains("\"taffrail\""), "torn: {now:?}");
            written += 1;
        }
        connect(&world, &["--list", "--json"]).success();
        let undone = connect(&world, &["--undo", "zed"]);
        assert!([0, 7].contains(&undone.code), "{}", undone.stderr);
        assert_eq!(text(&path), original, "round {round}");
    }
    assert!(written + not == 40);
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1);
}

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

#[test]
fn an_executable_with_an_odd_path_is_quoted_or_refused() {
    let world = world();
    let folder = world.root().join("it's a path");
    fs::create_dir(&folder).unwrap();
    let odd = folder.join("taffrail");
    fs::copy(TAFFRAIL, &odd).unwrap();
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
    fs::copy(TAFFRAIL, folder.join("taffrail")).unwrap();
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
