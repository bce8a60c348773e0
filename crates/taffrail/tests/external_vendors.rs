//! Agents from PyPI as they were seen, played by the fake agent: questions that name no call, modes of their own, a release
//! that only says farewell, one path told twice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::PATIENCE;
use common::external::{configure, events, of_type, result, run};
use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Ran, Repo, eventually};

struct Scene {
    world: Hermetic,
    repo: Repo,
}

impl Scene {
    /// A world whose agent plays this; `keys` are lines of its entry.
    fn new(script: &str, keys: &str) -> Self {
        let world = common::world();
        let repo = common::project(&world);
        configure(&world, &FakeAgent::script(script), "");
        let path = world.taffrail_home().join("config.toml");
        let config = std::fs::read_to_string(&path).unwrap();
        world.config(&format!("{config}{keys}"));
        Self { world, repo }
    }

    fn events(&self, flags: &[&str]) -> Vec<Value> {
        events(
            &run(&self.world, &self.repo, flags)
                .limit(PATIENCE)
                .go()
                .stdout,
        )
    }

    /// A run as a person reads it, of whom no terminal is there.
    fn words(&self, flags: &[&str]) -> Ran {
        let mut line = vec!["agents", "external", "run", "fake", "--task", "the task"];
        line.extend(flags);
        let run = self.world.command(&line).in_directory(self.repo.root());
        run.limit(PATIENCE).go()
    }

    fn questions(&self) -> Vec<Value> {
        let answer = common::data(&self.world, &self.repo, &["inbox", "--json"]);
        answer["questions"].as_array().unwrap().clone()
    }
}

fn notes(events: &[Value]) -> Vec<String> {
    let notes = of_type(events, "note").into_iter();
    notes
        .map(|note| note["text"].as_str().unwrap().to_owned())
        .collect()
}

/// As openhands does: the call is announced, then a yes is asked for under an id and a title of its own.
const CONFIRMS: &str = r#"open
update {"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "terminal: cat README.md", "kind": "execute", "status": "completed", "rawInput": {"command": "cat README.md"}}
update {"sessionUpdate": "tool_call", "toolCallId": "call_2", "title": "terminal: wipe the disk", "kind": "execute", "status": "in_progress", "rawInput": {"command": "rm -rf build"}}
ask q {"toolCall": {"toolCallId": "confirmation-1", "title": "Confirm Agent Actions", "kind": "other", "status": "pending"}}
done asked
"#;

#[test]
fn pol_07_a_question_that_names_no_call_is_shown_with_the_calls_that_are_open() {
    let scene = Scene::new(CONFIRMS, "");
    let asks = run(&scene.world, &scene.repo, &[]).limit(PATIENCE);
    std::thread::scope(|scope| {
        let ran = scope.spawn(|| asks.go());
        let waits = eventually(PATIENCE, || !scene.questions().is_empty());
        assert!(waits, "nobody was asked");
        let id = scene.questions()[0]["question"]
            .as_str()
            .unwrap()
            .to_owned();
        let shown = common::data(&scene.world, &scene.repo, &["inbox", "show", &id, "--json"]);
        let shown = shown.to_string();
        assert!(shown.contains("it announced, and has not ended"), "{shown}");
        assert!(shown.contains("terminal: wipe the disk"), "{shown}");
        assert!(shown.contains("rm -rf build"), "{shown}");
        assert!(!shown.contains("cat README.md"), "what is over: {shown}");
        let asking = scene.questions()[0]["run"].as_str().unwrap().to_owned();
        let line = ["agents", "external", "show", &asking];
        let goes_on = scene.world.command(&line).in_directory(scene.repo.root());
        let goes_on = goes_on.limit(PATIENCE).go().success().stdout;
        assert!(goes_on.contains("none yet: it goes on"), "{goes_on}");
        let person = scene
            .world
            .person(scene.repo.root(), &["inbox", "answer", &id, "no"]);
        person.wait_for("no", PATIENCE);
        let events = events(&ran.join().unwrap().stdout);
        let decided = of_type(&events, "decision");
        assert_eq!(decided[0]["ground"], "human", "{decided:#?}");
        // What it announced is its own word, and lowers nothing.
        assert_eq!(decided[0]["risk"], "destructive", "{decided:#?}");
    });
}

#[test]
fn pol_07_a_question_that_no_terminal_shows_says_how_it_is_answered() {
    let scene = Scene::new("open\nask-run q \"make\"\ndone asked\n", "");
    let mut line = vec!["agents", "external", "run", "fake", "--task", "the task"];
    line.extend(["--timeout", "60s"]);
    let asks = scene.world.command(&line).in_directory(scene.repo.root());
    let asks = asks.limit(PATIENCE);
    std::thread::scope(|scope| {
        let ran = scope.spawn(|| asks.go());
        assert!(eventually(PATIENCE, || !scene.questions().is_empty()));
        let id = scene.questions()[0]["question"]
            .as_str()
            .unwrap()
            .to_owned();
        let person = scene
            .world
            .person(scene.repo.root(), &["inbox", "answer", &id, "no"]);
        person.wait_for("no", PATIENCE);
        let told = ran.join().unwrap().stderr;
        let line = format!("taffrail inbox answer {id} yes|no");
        assert!(told.contains("asked: run a command: make (45 s"), "{told}");
        assert!(told.contains(&line), "{told}");
    });
}

/// As vibe does: it begins in a mode in which edits are not asked about.
const MODES: &str = r#"expect initialize
answer {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "vibe", "version": "3.0.2"}}
expect session/new
answer {"sessionId": "s1", "modes": {"currentModeId": "accept-edits", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "accept-edits", "name": "Accept Edits"}, {"id": "auto-approve", "name": "Auto Approve"}]}}
expect session/prompt
done settled
"#;

#[test]
fn fa_22_a_mode_that_is_the_agents_own_choice_is_told_with_the_others() {
    let told = notes(&Scene::new(MODES, "").events(&["--unattended"]));
    let own = "the agent is in its own mode accept-edits, of ask, accept-edits, auto-approve";
    assert!(told.iter().any(|note| note.starts_with(own)), "{told:#?}");
    // One that the entry names is set, and there is nothing to tell.
    let script = MODES.replace(
        "expect session/prompt",
        "expect session/set_mode\nanswer {}\nupdate {\"sessionUpdate\": \"current_mode_update\", \
         \"currentModeId\": \"ask\"}\nexpect session/prompt",
    );
    let told = notes(&Scene::new(&script, "mode = \"ask\"\n").events(&["--unattended"]));
    assert!(
        !told.iter().any(|note| note.contains("own mode")),
        "{told:#?}"
    );
}

#[test]
fn fa_22_a_mode_that_there_is_not_is_told_with_those_that_there_are() {
    let told = notes(&Scene::new(MODES, "mode = \"default\"\n").events(&["--unattended"]));
    let line = "the agent does not have the setting that was asked for: mode default: it has ask, accept-edits, auto-approve";
    assert!(told.contains(&line.to_owned()), "{told:#?}");
}

/// As the last kimi-cli of PyPI does: one line on standard output, and it is gone without a complaint.
#[test]
fn fa_26_an_agent_that_only_prints_and_goes_is_told_with_what_it_printed() {
    let script = "raw \"it is no longer maintained: use the other one\\n\"\nexit 0\n";
    let scene = Scene::new(script, "");
    let told = scene.events(&["--unattended"]);
    let end = result(&told);
    assert_eq!(
        (&end["status"], &end["reason"]),
        (&"died".into(), &"exited".into())
    );
    let detail = end["detail"].as_str().unwrap();
    assert!(
        detail.contains("it printed: it is no longer maintained: use the other one"),
        "{detail}"
    );
    // Noise of one that worked is no reason for anything.
    let script = "raw \"a banner\\n\"\nopen\ndone well\n";
    let told = Scene::new(script, "").events(&["--unattended"]);
    assert_eq!(result(&told)["status"], "completed");
    assert!(!result(&told).to_string().contains("banner"));
}

/// As vibe does: the location is absolute, the diff's path is not.
#[test]
fn fa_22_a_path_that_is_told_twice_is_one_path() {
    let scene = Scene::new(
        r#"open
ask q {"toolCall": {"toolCallId": "c", "title": "Writing a.txt", "kind": "edit", "locations": [{"path": "${cwd}/a.txt"}], "content": [{"type": "diff", "path": "a.txt", "newText": "a\n"}]}}
done asked
"#,
        "",
    );
    let told = scene.events(&["--unattended"]);
    let decided = of_type(&told, "decision");
    assert_eq!(decided[0]["what"], "write files: a.txt", "{decided:#?}");
}

#[test]
fn fa_01_who_is_not_signed_in_is_told_what_to_do() {
    let script = "expect initialize\nanswer {\"protocolVersion\": 1}\nexpect session/new\n\
                  fail -32000 \"Authentication required\"\nexpect-end\n";
    let ran = Scene::new(script, "").words(&["--unattended"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("`credential_files`"), "{}", ran.stderr);
    let known = "sign_in = \"Start it once, and follow it.\"\n";
    let ran = Scene::new(script, known).words(&["--unattended"]);
    let hint = "hint: Start it once, and follow it.";
    assert!(ran.stderr.contains(hint), "{}", ran.stderr);
}

#[test]
fn fa_01_a_probe_says_how_an_agent_is_installed_and_signed_in() {
    let scene = Scene::new("open\ndone well\n", "");
    let line = ["agents", "external", "probe", "vibe-acp"];
    let told = scene.world.command(&line).in_directory(scene.repo.root());
    // Whoever runs this may have it.
    let told = told.env("PATH", common::tools(&scene.world));
    let told = told.limit(PATIENCE).go().success().stdout;
    assert!(told.contains("install       `uv tool install"), "{told}");
    assert!(told.contains("to sign in    `vibe-acp --setup`"), "{told}");
    // Of one that is there it needs no telling, and an own entry says nothing.
    let line = ["agents", "external", "probe", "fake"];
    let told = scene.world.command(&line).in_directory(scene.repo.root());
    let told = told.limit(PATIENCE).go().success().stdout;
    assert!(
        !told.contains("install ") && !told.contains("to sign in"),
        "{told}"
    );
}

/// The public registry names some that are built in.
#[test]
fn fa_03_an_agent_of_the_public_registry_goes_beside_an_entry_of_ours() {
    let scene = Scene::new("open\ndone well\n", "");
    let copy = scene.world.root().join("registry.json");
    let agent = r#"{"id": "fast-agent", "distribution": {"uvx": {"package": "fast-agent-acp==0.10.48", "args": ["-x"]}}}"#;
    std::fs::write(&copy, agent).unwrap();
    let copy = copy.display().to_string();
    let add = [
        "agents",
        "external",
        "add",
        "--from-registry",
        "fast-agent",
        "--registry",
        &copy,
    ];
    let mut person = scene.world.person(scene.repo.root(), &add);
    person.wait_for("type yes to write it:", PATIENCE);
    let screen = person.screen();
    assert!(
        screen.contains("[external_agents.fast-agent-registry]"),
        "{screen}"
    );
    assert!(
        screen.contains("there is an entry `fast-agent-acp` already"),
        "{screen}"
    );
    assert!(screen.contains("its model's hosts"), "{screen}");
    person.send("yes\r");
    assert_eq!(person.wait_exit(PATIENCE), 0);
    // The entry of ours is as it was; the same again is refused.
    let line = ["agents", "external", "list", "--no-probe", "--json"];
    let listed = common::data(&scene.world, &scene.repo, &line);
    let agents = listed["agents"].as_array().unwrap();
    let of = |id: &str| agents.iter().find(|agent| agent["id"] == id).unwrap();
    assert_eq!(of("fast-agent-acp")["command"][0], "fast-agent");
    assert_eq!(of("fast-agent-registry")["command"][0], "uvx");
    let ran = scene.world.command(&add).in_directory(scene.repo.root());
    let told = ran.limit(PATIENCE).go().stderr;
    assert!(
        told.contains("`fast-agent-registry` is in the registry already"),
        "{told}"
    );
}

/// As fast-agent and kimi pass names on to providers of models.
#[test]
fn fa_25_an_agent_that_wants_plain_names_is_told_of_tools_without_a_dot() {
    let script = "open\nmcp start\nmcp list -> L\nsay \"first ${L.result.tools.0.name}\"\n\
        mcp call slate_open {\"externalSessionId\":\"x\"} -> O\nmcp stop\ndone well\n";
    for (entry, first) in [
        ("quirks = [\"plain-tool-names\"]\n", "first slate_open"),
        ("", "first slate.open"),
    ] {
        let scene = Scene::new(script, entry);
        let told = scene.events(&["--unattended"]);
        assert!(format!("{told:?}").contains(first), "{told:#?}");
        let run = result(&told)["run"].as_str().unwrap().to_owned();
        let line = ["agents", "external", "show", &run];
        let shown = scene.world.command(&line).in_directory(scene.repo.root());
        let shown = shown.limit(PATIENCE).go().success().stdout;
        assert!(shown.contains("mcp/slate.open"), "{shown}");
    }
}

/// As openhands does with a tool that has an argument `kind`.
#[test]
fn fa_25_an_agent_that_fails_with_our_server_is_not_offered_it() {
    let script = "open\nsay \"offered ${mcpServers.0.name}\"\ndone well\n";
    let offered = Scene::new(script, "").events(&["--unattended"]);
    assert_eq!(result(&offered)["status"], "completed", "the twin");
    let scene = Scene::new("open\ndone well\n", "quirks = [\"fails-with-mcp\"]\n");
    let told = scene.events(&["--unattended"]);
    let run = result(&told)["run"].as_str().unwrap().to_owned();
    let line = ["agents", "external", "show", &run];
    let shown = scene.world.command(&line).in_directory(scene.repo.root());
    let shown = shown.limit(PATIENCE).go().success().stdout;
    let line = "our MCP server: not offered: the agent fails with it (fails-with-mcp)";
    assert!(shown.contains(line), "{shown}");
    // A script that names what is not there ends with code 98.
    let none = Scene::new(script, "quirks = [\"fails-with-mcp\"]\n").events(&["--unattended"]);
    assert_eq!(result(&none)["status"], "died", "{none:#?}");
}
