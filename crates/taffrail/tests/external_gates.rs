//! Promise: a foreign agent is driven only where the person at this machine switched it on, and nothing that a project
//! holds can register, enable or start one (FA-02, FA-03; S1, S2).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;
#[path = "gates/looks.rs"]
mod looks;

use std::path::{Path, PathBuf};

use common::{PATIENCE, committed, taffrail};
use serde_json::Value;
use taffrail_testkit::{Hermetic, Repo, executable};

const EXTERNAL: [&str; 2] = ["agents", "external"];

fn external<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    EXTERNAL.into_iter().chain(rest.iter().copied()).collect()
}

/// A program that leaves a mark when it is started, and says a version.
fn marking(path: &Path, mark: &Path) {
    let touches = format!("#!/bin/sh\ntouch {}\necho 1.2.3\n", mark.display());
    executable(path, touches);
}

/// Everything that a project could hold to have something started, each with its own mark.
fn canaries(world: &Hermetic, repo: &Repo) -> (PathBuf, String) {
    let marks = world.root().join("marks");
    std::fs::create_dir_all(&marks).unwrap();
    marking(&repo.root().join("tools/mine"), &marks.join("mine"));
    marking(&repo.root().join("tools/gemini"), &marks.join("gemini"));
    let mine = repo.root().join("tools/mine").display().to_string();
    let entry = format!(
        "[external_agents]\nenabled = true\nwrite_in_checkout = \"allow\"\n\
         [external_agents.mine]\ncommand = \"{mine}\"\ntransport = \"acp\"\n\
         [external_agents.gemini-acp]\ncommand = \"{mine}\"\n"
    );
    let touch = |name: &str| format!("touch {}", marks.join(name).display());
    repo.file(".taffrail/config.toml", &entry)
        .file("config.toml", &entry)
        .file("taffrail.toml", &entry)
        .file(".env", "TAFFRAIL_HOME=.taffrail\nTAFFRAIL_TRANSPORT=local\nGEMINI_API_KEY=x\n")
        .file("acp-registry.json", "{\"agents\":[{\"id\":\"mine\",\"distribution\":{\"npx\":{\"package\":\"mine@1.0.0\"}}}]}")
        .file(".mcp.json", format!("{{\"mcpServers\":{{\"x\":{{\"command\":\"sh\",\"args\":[\"-c\",\"{}\"]}}}}}}", touch("mcp")))
        .file(".gemini/settings.json", format!("{{\"mcpServers\":{{\"x\":{{\"command\":\"sh\",\"args\":[\"-c\",\"{}\"]}}}}}}", touch("settings")))
        .file(".claude/settings.json", format!("{{\"hooks\":{{\"SessionStart\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{}\"}}]}}]}}}}", touch("hook")))
        .file("package.json", format!("{{\"scripts\":{{\"preinstall\":\"{}\"}}}}", touch("npm")));
    repo.commit("traps");
    (marks, entry)
}

fn marked(marks: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(marks).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A world whose PATH leads through the project first, as some people have it.
fn trapped() -> (Hermetic, Repo, PathBuf, String) {
    let mut world = common::world();
    let repo = committed(&world);
    let (marks, entry) = canaries(&world, &repo);
    let tools = common::tools(&world);
    let path = format!(
        "{}:{}",
        repo.root().join("tools").display(),
        tools.display()
    );
    world.set_env("PATH", path);
    (world, repo, marks, entry)
}

#[test]
fn fa_03_s1_nothing_that_a_project_holds_registers_enables_or_starts_an_agent() {
    let (world, repo, marks, _) = trapped();
    let listed = taffrail(&world, &repo, &external(&["list", "--json"]));
    let listed = listed.success().json();
    let agents = listed["data"]["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 18);
    let gemini = find(agents, "gemini-acp");
    assert_eq!(gemini["command"][0], "gemini");
    assert_eq!(gemini["open"], false);
    assert_eq!(gemini["installed"], false, "{gemini}");
    for (args, code) in [
        (external(&["probe", "mine"]), "agent_unknown"),
        (
            external(&["run", "mine", "--task", "x", "--json"]),
            "agent_unknown",
        ),
        (
            external(&["run", "gemini-acp", "--task", "x"]),
            "external_off",
        ),
        (
            external(&["add", "--from-registry", "mine"]),
            "registry_unfit",
        ),
    ] {
        let ran = taffrail(&world, &repo, &args);
        assert_ne!(ran.code, 0, "{args:?}");
        let row = taffrail_domain::ErrorCode::ALL
            .iter()
            .find(|row| row.row().name == code)
            .unwrap();
        assert_eq!(
            ran.code,
            row.row().exit as i32,
            "{args:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    taffrail(&world, &repo, &external(&["probe", "gemini-acp"])).success();
    taffrail(&world, &repo, &["doctor"]);
    assert_eq!(marked(&marks), Vec::<String>::new());
    assert!(!world.taffrail_home().join("config.toml").exists());
}

#[test]
fn fa_03_s1_twin_the_same_words_in_the_users_own_file_do_register_and_start() {
    let (world, repo, marks, entry) = trapped();
    world.config(&entry.replace("/tools/mine", "/../mine-of-the-user"));
    let of_user = repo.root().join("../mine-of-the-user");
    marking(&of_user, &marks.join("user"));
    let world_config = std::fs::read_to_string(world.taffrail_home().join("config.toml")).unwrap();
    let plain = of_user.canonicalize().unwrap().display().to_string();
    world.config(&world_config.replace(&of_user.display().to_string(), &plain));
    let probed = taffrail(&world, &repo, &external(&["probe", "mine", "--json"]));
    let probed = probed.success().json();
    assert_eq!(probed["data"]["version"], "1.2.3", "{probed}");
    assert_eq!(probed["data"]["open"], true);
    assert_eq!(marked(&marks), ["user"]);
}

fn find<'a>(agents: &'a [Value], id: &str) -> &'a Value {
    let found = agents.iter().find(|agent| agent["id"] == id);
    found.unwrap_or_else(|| panic!("{id} is not listed"))
}

/// A user with an agent of their own that is not there, so that the gates behind the switch say so.
fn user() -> (Hermetic, Repo) {
    let world = common::world();
    let repo = committed(&world);
    world.config("# my file\n[external_agents.mine]\ncommand = \"mine-is-not-here\" # yet\ntransport = \"acp\"\n");
    (world, repo)
}

#[test]
fn fa_02_the_switch_is_offered_to_a_person_once_and_kept() {
    let (world, repo) = user();
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let line = external(&["run", "mine", "--task", "x"]);
    // Nobody at a terminal: no question.
    let ran = taffrail(&world, &repo, &line);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("external_agents.enabled"),
        "{}",
        ran.stderr
    );
    // A no is a no, and the last word.
    let mut terminal = world.person(repo.root(), &line);
    terminal.wait_for("switch them on? [y/N]", PATIENCE);
    terminal.send("\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 3);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let mut terminal = world.person(repo.root(), &line);
    assert_eq!(terminal.wait_exit(PATIENCE), 3);
    assert!(
        !terminal.screen().contains("switch them on"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn fa_02_a_yes_is_written_into_the_users_file_and_the_run_goes_on_to_the_next_gate() {
    let (world, repo) = user();
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let line = external(&["run", "mine", "--task", "x"]);
    let mut terminal = world.person(repo.root(), &line);
    terminal.wait_for("switch them on? [y/N]", PATIENCE);
    terminal.send("y\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 3);
    assert!(
        terminal.screen().contains("is not installed"),
        "{}",
        terminal.screen()
    );
    let after = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        after,
        format!("{before}\n[external_agents]\nenabled = true\n")
    );
    let ran = taffrail(&world, &repo, &line);
    assert!(ran.stderr.contains("is not installed"), "{}", ran.stderr);
}

#[test]
fn fa_02_an_agent_that_starts_taffrail_switches_nothing_on() {
    let (mut world, repo) = user();
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    world.set_env("CLAUDECODE", "1");
    let mut terminal = world.person(repo.root(), &external(&["run", "mine", "--task", "x"]));
    terminal.wait_for("switch them on? [y/N]", PATIENCE);
    terminal.send("y\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 3);
    assert!(
        terminal.screen().contains("only a person"),
        "{}",
        terminal.screen()
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

#[test]
#[allow(clippy::too_many_lines)] // one conversation
fn fa_03_an_entry_is_written_only_after_a_typed_yes() {
    let (mut world, repo) = user();
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let line = external(&[
        "add",
        "other",
        "--command",
        "other-agent",
        "--arg=--acp",
        "--arg",
        "a b",
        "--pass-env",
        "OTHER_KEY",
        "--host",
        "*.example.com",
        "--credential-file",
        ".other/auth.json",
    ]);
    let ran = taffrail(&world, &repo, &line);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("a person at a terminal"),
        "{}",
        ran.stderr
    );
    for answer in ["y\r", "\r", "YES\r", "\u{4}"] {
        let mut terminal = world.person(repo.root(), &line);
        terminal.wait_for("type yes to write it:", PATIENCE);
        terminal.send(answer);
        assert_eq!(terminal.wait_exit(PATIENCE), 3, "{answer:?}");
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            before,
            "{answer:?}"
        );
    }
    let mut terminal = world.person(repo.root(), &line);
    terminal.wait_for("type yes to write it:", PATIENCE);
    let screen = terminal.screen();
    for word in [
        "  other-agent",
        "  --acp",
        "  a b",
        "[external_agents.other]",
    ] {
        assert!(screen.contains(word), "{word}: {screen}");
    }
    terminal.send("yes\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    let after = std::fs::read_to_string(&file).unwrap();
    let block = "\n[external_agents.other]\ntransport = \"acp\"\ncommand = \"other-agent\"\nargs = [\"--acp\", \"a b\"]\npass_env = [\"OTHER_KEY\"]\n\
                 hosts = [\"*.example.com\"]\ncredential_files = [\".other/auth.json\"]\n";
    assert_eq!(after, format!("{before}{block}"));
    // Its id is taken now, and an agent adds none.
    let ran = taffrail(&world, &repo, &line);
    assert!(
        ran.stderr.contains("is in the registry already"),
        "{}",
        ran.stderr
    );
    world.set_env("GEMINI_CLI", "1");
    let line = external(&["add", "third", "--command", "third"]);
    let mut terminal = world.person(repo.root(), &line);
    terminal.wait_for("type yes to write it:", PATIENCE);
    terminal.send("yes\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 3);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), after);
}

#[test]
fn fa_03_an_agent_of_the_public_registry_runs_nothing_before_a_person_agreed() {
    let (mut world, repo) = user();
    let mark = world.root().join("npx-ran");
    let bin = world.directory("bin");
    marking(&bin.join("npx"), &mark);
    world.set_env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let copy = world.root().join("registry.json");
    let entry = r#"{"id": "some", "name": "Some", "version": "1.0.0", "description": "d",
        "distribution": {"npx": {"package": "@scope/some@1.0.0", "args": ["--acp"], "env": {"SOME_MODE": "acp"}}}}"#;
    std::fs::write(
        &copy,
        format!("{{\"version\": \"1.0.0\", \"agents\": [{entry}], \"extensions\": []}}"),
    )
    .unwrap();
    let copy = copy.display().to_string();
    let line = external(&["add", "--from-registry", "some", "--registry", &copy]);
    let mut terminal = world.person(repo.root(), &line);
    terminal.wait_for("type yes to write it:", PATIENCE);
    let screen = terminal.screen();
    for word in [
        "  npx",
        "  --yes",
        "  @scope/some@1.0.0",
        "  --acp",
        "SOME_MODE=acp",
        "registry.npmjs.org",
    ] {
        assert!(screen.contains(word), "{word}: {screen}");
    }
    assert!(!mark.exists());
    terminal.send("yes\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    assert!(!mark.exists());
    let shown = taffrail(&world, &repo, &["config", "show"])
        .success()
        .stdout;
    assert!(
        shown.contains("external_agents.some-acp.command"),
        "{shown}"
    );
    // The twin: once it is agreed to, a probe starts it.
    taffrail(&world, &repo, &external(&["probe", "some-acp"])).success();
    assert!(mark.exists());
}

#[test]
fn fa_03_a_hostile_or_missing_registry_changes_nothing() {
    let (world, repo) = user();
    let file = world.taffrail_home().join("config.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let copy = world.root().join("registry.json");
    let path = copy.display().to_string();
    let line = external(&["add", "--from-registry", "some", "--registry", &path]);
    let refused = |why: &str| {
        let ran = taffrail(&world, &repo, &line);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    };
    refused("it is not there");
    let distribution =
        |npx: &str| format!("{{\"id\": \"some\", \"distribution\": {{\"npx\": {npx}}}}}");
    for (text, why) in [
        ("nonsense".to_owned(), "it is no JSON"),
        (distribution(r#"{"package": "some"}"#), "not pinned"),
        (
            distribution(r#"{"package": "\u001b]0;x\u0007@1.0.0"}"#),
            "not the name",
        ),
        (
            distribution(r#"{"package": "some@1.0.0", "args": ["\u001b[2J"]}"#),
            "control or invisible",
        ),
        (
            distribution(r#"{"package": "some@1.0.0", "env": {"LD_PRELOAD": "/tmp/x.so"}}"#),
            "LD_PRELOAD",
        ),
    ] {
        std::fs::write(&copy, text).unwrap();
        refused(why);
    }
    std::fs::write(&copy, vec![b' '; (8 << 20) + 1]).unwrap();
    let ran = taffrail(&world, &repo, &line);
    assert!(
        ran.code != 0 && ran.stderr.contains("larger than"),
        "{}",
        ran.stderr
    );
    // The twin: an honest one gets as far as the question.
    std::fs::write(&copy, distribution(r#"{"package": "some@1.0.0"}"#)).unwrap();
    let ran = taffrail(&world, &repo, &line);
    assert!(
        ran.stderr.contains("a person at a terminal"),
        "{}",
        ran.stderr
    );
}
