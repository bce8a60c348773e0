//! FA-45: `taffrail acp` as the agent of a run of ours, in the sandbox, from a script: unattended and with a person.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::PathBuf;

use common::external::{events, of_type, result};
use common::memory::with_secrets_file;
use common::{PATIENCE, branch_of, checkouts, press};
use serde_json::Value;
use taffrail_testkit::{Hermetic, Repo, Terminal, TerminalSize};

const SCRIPT: &str = r##"
steps:
  - say: "I mend the greeting.\n"
  - read: README.md
  - edit:
      path: README.md
      old: "# Project"
      new: "# Project, mended"
  - mcp:
      tool: slate.open
      arguments: {externalSessionId: scripted}
  - mcp:
      tool: slate.writeSeed
      arguments: {externalSessionId: scripted, kind: decision, text: "Greetings are mended, never rewritten."}
  - mcp:
      tool: slate.close
      arguments: {externalSessionId: scripted}
  - result: {status: DONE, summary: "the greeting is mended"}
"##;

struct Scene {
    world: Hermetic,
    repo: Repo,
}

impl Scene {
    /// The script lies in a folder of the operator's that runs may read.
    fn new(script: &str, more: &str) -> Self {
        let world = common::world();
        with_secrets_file(&world);
        let repo = common::committed(&world);
        let folder = world.directory("scripts");
        let file = folder.join("agent.yaml");
        std::fs::write(&file, script).unwrap();
        world.config(&format!(
            "[sandbox]\nread = [{folder:?}]\n\
             [external_agents]\nenabled = true\n{more}\n\
             [external_agents.taffrail-acp]\ncommand = {exe:?}\nargs = [\"acp\", \"--script\", {file:?}]\n",
            exe = env!("CARGO_BIN_EXE_taffrail"),
        ));
        Self { world, repo }
    }

    fn line(flags: &[&str]) -> Vec<String> {
        let start = ["agents", "external", "run", "taffrail-acp", "--task"];
        let start = start.iter().chain(&["mend the greeting", "--json"]);
        start.chain(flags).map(|word| (*word).to_owned()).collect()
    }

    /// Runs it with nobody there.
    fn unattended(&self, flags: &[&str]) -> (i32, Vec<Value>) {
        let line = Self::line(&[&["--unattended"], flags].concat());
        let ran = self
            .world
            .command(&line)
            .in_directory(self.repo.root())
            .go();
        (ran.code, events(&ran.stdout))
    }

    /// Runs it on a person's terminal, where what is on the screen is the question.
    fn attended(&self, flags: &[&str]) -> (Terminal, PathBuf) {
        let stdout = self.world.root().join("events.jsonl");
        let mut words = vec![
            "-c".to_owned(),
            r#"out=$1; shift; exec "$@" >"$out""#.to_owned(),
            "sh".to_owned(),
            stdout.display().to_string(),
            env!("CARGO_BIN_EXE_taffrail").to_owned(),
        ];
        words.extend(Self::line(flags));
        let run = self.world.program("/bin/sh", &words);
        let run = run.in_directory(self.repo.root());
        let run = run.env("TERM", "xterm-256color");
        let terminal = Terminal::spawn_orphan(run, TerminalSize::default());
        terminal.wait_for("[n]o", PATIENCE);
        (terminal, stdout)
    }
}

fn grounds(events: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let decisions = of_type(events, "decision").into_iter();
    decisions
        .map(|at| format!("{} {}", text(&at["verdict"]), text(&at["ground"])))
        .collect()
}

#[test]
fn fa_45_the_scripted_agent_edits_and_seeds_unattended_in_the_sandbox() {
    let scene = Scene::new(SCRIPT, "write_in_checkout = \"allow\"");
    let (code, events) = scene.unattended(&["--write"]);
    assert_eq!(code, 0, "{events:#?}");
    let result = result(&events);
    assert_eq!(result["status"], "completed");
    assert_eq!(result["result"]["summary"], "the greeting is mended");
    assert_eq!(result["wrote_without_asking"], serde_json::json!([]));
    let run = result["run"].as_str().unwrap();
    let shown = common::data(&scene.world, &scene.repo, &["memory", "list", "--json"]);
    assert!(
        shown.to_string().contains("Greetings are mended"),
        "the seed waits for a person: {shown:#}"
    );
    let said = common::land(&scene.world, &scene.repo, run, &[]);
    let branch = branch_of(&said);
    assert_eq!(
        scene.repo.git(&["show", &format!("{branch}:README.md")]),
        "# Project, mended\n"
    );
    assert!(checkouts(&scene.world).is_empty());
}

#[test]
fn fa_45_without_the_grant_the_edit_is_refused_and_the_script_goes_on() {
    let scene = Scene::new(SCRIPT, "");
    let (code, events) = scene.unattended(&[]);
    assert_eq!(code, 0, "{events:#?}");
    let result = result(&events);
    assert_eq!(result["patch"], Value::Null);
    assert_eq!(result["refused"].as_array().map(Vec::len), Some(1));
}

#[test]
fn fa_45_a_person_answers_the_scripted_agent_at_the_terminal() {
    let scene = Scene::new(SCRIPT, "");
    let (mut terminal, stdout) = scene.attended(&["--write"]);
    let screen = terminal.screen();
    assert!(screen.contains("+# Project, mended"), "{screen}");
    press(&terminal, "v", "[e]dits of this run");
    press(&terminal, "y", "you said: yes, once");
    let code = terminal.wait_exit(PATIENCE);
    let events = events(&std::fs::read_to_string(stdout).unwrap());
    assert_eq!(code, 0, "{events:#?}");
    assert!(grounds(&events).contains(&"allowed human".to_owned()));
    assert_eq!(result(&events)["status"], "completed");
    assert!(result(&events)["patch"].is_string());
}
