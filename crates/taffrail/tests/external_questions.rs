//! POL-07, POL-08, FA-24: a person at the terminal of a run, and in a second one with `taffrail inbox`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::external::{configure, events, of_type, result};
use common::{PATIENCE, press};
use rustix::process::Signal;
use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Key, Repo, Terminal, TerminalSize, eventually};

struct Scene {
    world: Hermetic,
    repo: Repo,
}

/// A run on a person's terminal whose stdout is a file: what is on the screen is the question.
struct Attended {
    terminal: Terminal,
    stdout: PathBuf,
}

impl Scene {
    fn new(script: &str) -> Self {
        let world = common::world();
        let repo = common::project(&world);
        configure(&world, &FakeAgent::script(script), "");
        Self { world, repo }
    }

    fn line(flags: &[&str]) -> Vec<String> {
        let start = [
            "agents", "external", "run", "fake", "--task", "the task", "--json",
        ];
        let words = start.iter().chain(flags);
        words.map(|word| (*word).to_owned()).collect()
    }

    fn attended(&self, flags: &[&str]) -> Attended {
        self.attended_on(flags, TerminalSize::default())
    }

    fn attended_on(&self, flags: &[&str], size: TerminalSize) -> Attended {
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
        let run = run
            .in_directory(self.repo.root())
            .env("TERM", "xterm-256color");
        Attended {
            terminal: Terminal::spawn_orphan(run, size),
            stdout,
        }
    }

    fn inbox(&self) -> Vec<Value> {
        let answer = common::data(&self.world, &self.repo, &["inbox", "--json"]);
        answer["questions"].as_array().unwrap().clone()
    }

    /// The one question that waits.
    #[track_caller]
    fn waiting(&self) -> Value {
        let mut all = Vec::new();
        let one = eventually(PATIENCE, || {
            all = self.inbox();
            all.len() == 1
        });
        assert!(one, "{all:#?}");
        all.pop().unwrap()
    }

    fn show(&self, question: &Value) -> Value {
        let id = question["question"].as_str().unwrap();
        common::data(&self.world, &self.repo, &["inbox", "show", id, "--json"])
    }

    fn person(&self, args: &[&str]) -> Terminal {
        self.world.person(self.repo.root(), args)
    }
}

impl Attended {
    fn asks(&self) -> &Self {
        self.terminal.wait_for("[n]o", PATIENCE);
        self
    }

    #[track_caller]
    fn press(&self, key: &str, until: &str) {
        press(&self.terminal, key, until);
    }

    /// To its end: the exit code and every event.
    fn ended(mut self) -> (i32, Vec<Value>) {
        let code = self.terminal.wait_exit(PATIENCE);
        assert!(self.terminal.is_cooked(), "the terminal is as it was");
        let stdout = std::fs::read_to_string(&self.stdout).unwrap();
        (code, events(&stdout))
    }
}

fn grounds(events: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    of_type(events, "decision")
        .into_iter()
        .map(|at| format!("{} {}", text(&at["verdict"]), text(&at["ground"])))
        .collect()
}

const ONE_COMMAND: &str = "open\nask-run q \"rm -rf build\"\ndone asked\n";

#[test]
fn fa_24_a_yes_at_the_terminal_allows_once() {
    let script = "open\nask-run a \"rm -rf build\"\nask-run b \"rm -rf build\"\ndone asked\n";
    let scene = Scene::new(script);
    let run = scene.attended(&[]);
    run.asks();
    let screen = run.terminal.screen();
    for seen in [
        "fake wants to run a command",
        "DESTRUCTIVE",
        "  │ rm -rf build",
        "asked because:",
        "in the agent's own words:",
    ] {
        assert!(screen.contains(seen), "{seen}:\n{screen}");
    }
    assert!(
        !screen.contains("[e]dits"),
        "no grant for a command:\n{screen}"
    );
    run.press("y", "you said: yes, once");
    // The same again is another question.
    run.press("n", "you said: no");
    let (code, events) = run.ended();
    assert_eq!(code, 0);
    assert_eq!(grounds(&events), ["allowed human", "refused human"]);
}

#[test]
fn fa_24_every_edit_of_the_run_is_granted_inside_its_checkout_and_nothing_else() {
    let scene = Scene::new(
        "open\nask-edit a a.txt \"one\\n\"\nask-edit b b.txt \"two\\n\"\n\
         ask-edit c .github/workflows/ci.yml \"on: push\\n\"\ndone edits\n",
    );
    let run = scene.attended(&["--write"]);
    run.asks();
    assert!(run.terminal.screen().contains("+one"));
    run.press("v", "[e]dits of this run");
    run.press("e", "you said: yes, to every edit of this run");
    // What CI obeys is asked again, and a grant is not on offer.
    run.terminal.wait_for("obeyed-file", PATIENCE);
    run.press("v", "[y]es once  [n]o");
    run.press("n", "you said: no");
    let (code, events) = run.ended();
    assert_eq!(code, 0, "{events:#?}");
    assert_eq!(
        grounds(&events),
        ["allowed human", "allowed grant", "refused human"]
    );
}

/// The twin is any run that its limits end; here they are far shorter than the wait.
#[test]
fn fa_26_no_limit_of_the_run_counts_while_a_person_thinks() {
    let scene = Scene::new(ONE_COMMAND);
    let agent = FakeAgent::script(ONE_COMMAND);
    // Longer than the question takes to come on a loaded machine.
    configure(&scene.world, &agent, "inactivity = \"12s\"");
    let run = scene.attended(&["--timeout", "15s"]);
    run.asks();
    run.terminal.wait_quiet(Duration::from_secs(18), PATIENCE);
    run.press("n", "you said: no");
    let (code, events) = run.ended();
    assert_eq!(code, 0, "{events:#?}");
    assert_eq!(grounds(&events), ["refused human"]);
}

#[test]
fn pol_07_a_denial_carries_its_reason() {
    let scene = Scene::new(ONE_COMMAND);
    let run = scene.attended(&[]);
    run.asks();
    run.press("r", "why not?");
    run.terminal.send("use the trash");
    run.terminal.key(Key::Enter);
    run.terminal
        .wait_for("you said: no, use the trash", PATIENCE);
    let (code, events) = run.ended();
    assert_eq!(
        (code, grounds(&events)),
        (0, vec!["refused human".to_owned()])
    );
    let id = of_type(&events, "question")[0]["id"].as_str().unwrap();
    let shown = common::data(&scene.world, &scene.repo, &["inbox", "show", id, "--json"]);
    assert_eq!(shown["state"], "used");
    assert_eq!(shown["answer"]["reply"], "no");
    assert_eq!(shown["answer"]["reason"], "use the trash");
    assert_eq!(shown["answer"]["surface"], "terminal");
}

/// S23: typed while the agent worked, before anything was asked.
#[test]
fn pol_07_s23_what_was_typed_ahead_answers_nothing() {
    let scene = Scene::new(
        "open\ndo write begun.txt x\ndo shell \"while [ ! -e go ]; do sleep 0.1; done\"\n\
         ask-run q \"rm -rf build\"\ndone asked\n",
    );
    let run = scene.attended(&[]);
    let begun = common::wait_for_file(&scene.world, "begun.txt");
    run.terminal.send("y\ny\n");
    // What is echoed is in the queue.
    let is_echoed = || {
        let raw = String::from_utf8_lossy(&run.terminal.raw()).into_owned();
        raw.matches("y\r\n").count() > 1
    };
    assert!(eventually(PATIENCE, is_echoed), "{}", run.terminal.screen());
    std::fs::write(begun.with_file_name("go"), "").unwrap();
    run.asks();
    // Nothing was answered: it waits, long after the guard.
    let answered = run.terminal.wait_until(Duration::from_secs(1), |screen| {
        screen.contents().contains("you said")
    });
    assert!(!answered, "{}", run.terminal.screen());
    assert_eq!(scene.waiting()["state"], "open");
    run.press("n", "you said: no");
    let (_, events) = run.ended();
    assert_eq!(grounds(&events), ["refused human"]);
}

#[test]
fn pol_07_what_does_not_fit_is_shown_before_a_yes_counts() {
    let script = "open\nset long \"${pad:3000}\"\nask-run q \"echo ${long}\"\ndone asked\n";
    let scene = Scene::new(script);
    let run = scene.attended(&[]);
    run.asks();
    assert!(!run.terminal.screen().contains("[y]es"));
    // A yes that does not count yet.
    run.terminal.wait_quiet(Duration::from_secs(1), PATIENCE);
    run.terminal.send("y");
    run.press("v", "[v]iew all (46");
    run.press("v", "[y]es once");
    run.press("y", "you said: yes, once");
    let (_, events) = run.ended();
    assert_eq!(grounds(&events), ["allowed human"]);
}

#[test]
fn pol_07_a_second_terminal_answers_while_the_first_one_waits() {
    let scene = Scene::new(ONE_COMMAND);
    let run = scene.attended(&[]);
    run.asks();
    let question = scene.waiting();
    assert_eq!(question["what"], "run a command: rm -rf build");
    assert_eq!(question["agent"], "fake");
    // Nothing that tells of progress is drawn over the keys.
    let covered = run
        .terminal
        .wait_until(Duration::from_millis(500), |screen| {
            let text = screen.contents();
            text.contains("checkout: ") || !text.contains("[y]es once")
        });
    assert!(!covered, "{}", run.terminal.screen());
    assert_eq!(question["destructive"], true);
    let id = question["question"].as_str().unwrap();
    let mut inbox = scene.person(&["inbox", "answer", id, "yes"]);
    inbox.wait_for("[y]es once", PATIENCE);
    assert!(
        inbox.screen().contains("  │ rm -rf build"),
        "{}",
        inbox.screen()
    );
    press(&inbox, "y", ": yes, once");
    assert_eq!(inbox.wait_exit(PATIENCE), 0);
    assert!(inbox.is_cooked());
    run.terminal
        .wait_for("answered elsewhere (inbox): yes", PATIENCE);
    let (code, events) = run.ended();
    assert_eq!(
        (code, grounds(&events)),
        (0, vec!["allowed human".to_owned()])
    );
    let shown = scene.show(&question);
    assert_eq!(
        (&shown["state"], &shown["answer"]["surface"]),
        (&"used".into(), &"inbox".into())
    );
    // Nothing waits any more, and an answer comes too late.
    assert!(scene.inbox().is_empty());
    let mut late = scene.person(&["inbox", "answer", id, "no"]);
    assert_eq!(late.wait_exit(PATIENCE), 1, "{}", late.screen());
    assert!(
        late.screen().contains("does not wait any more"),
        "{}",
        late.screen()
    );
}

#[test]
fn pol_07_the_inbox_goes_through_what_waits() {
    let scene = Scene::new(ONE_COMMAND);
    let run = scene.attended(&[]);
    run.asks();
    let mut inbox = scene.person(&["inbox"]);
    inbox.wait_for("run a command: rm -rf build", PATIENCE);
    inbox.wait_for("[s]kip", PATIENCE);
    // Somebody is faster at the terminal of the run.
    run.press("n", "you said: no");
    inbox.wait_for("it does not wait any more", PATIENCE);
    inbox.wait_for("nothing else waits for you", PATIENCE);
    assert_eq!(inbox.wait_exit(PATIENCE), 0);
    let (_, events) = run.ended();
    assert_eq!(grounds(&events), ["refused human"]);
    let mut empty = scene.person(&["inbox"]);
    assert_eq!(empty.wait_exit(PATIENCE), 0);
    assert!(empty.screen().contains("nothing waits for you"));
}

/// A run without a terminal: the inbox is the only place, for 45 s.
#[test]
fn fa_24_a_run_without_a_terminal_is_answered_from_the_inbox() {
    let scene = Scene::new(ONE_COMMAND);
    let run = scene.world.command(&Scene::line(&[]));
    let running = run.in_directory(scene.repo.root()).start();
    let question = scene.waiting();
    assert_ne!(question["expires_at"], Value::Null);
    let id = question["question"].as_str().unwrap();

    // Neither a script nor an agent is a person.
    let script = common::taffrail(&scene.world, &scene.repo, &["inbox", "answer", id, "yes"]);
    assert_eq!(script.code, 3, "{script:?}");
    assert!(script.stderr.contains("terminal"), "{script:?}");
    let marked = scene
        .world
        .command(&["inbox", "answer", id, "no"])
        .env("CLAUDECODE", "1")
        .env("TERM", "xterm-256color");
    let marked = marked.in_directory(scene.repo.root());
    let mut agent = Terminal::spawn_orphan(marked, TerminalSize::default());
    assert_eq!(agent.wait_exit(PATIENCE), 3, "{}", agent.screen());
    assert!(
        agent.screen().contains("only a person"),
        "{}",
        agent.screen()
    );
    assert_eq!(scene.waiting()["state"], "open");

    let mut person = scene.person(&["inbox", "answer", id, "no", "--reason", "not now"]);
    assert_eq!(person.wait_exit(PATIENCE), 0, "{}", person.screen());
    let ran = running.wait();
    let events = events(&ran.stdout);
    assert_eq!(grounds(&events), ["refused human"]);
    assert_eq!(scene.show(&question)["answer"]["reason"], "not now");
}

#[test]
fn pol_07_an_interrupt_at_a_question_ends_the_run_and_restores_the_terminal() {
    let scene = Scene::new("open\nask-run q \"rm -rf build\"\nexpect-cancel\nend cancelled\n");
    let run = scene.attended(&[]);
    run.asks();
    let id = scene.waiting()["question"].as_str().unwrap().to_owned();
    run.terminal.key(Key::Control('c'));
    let (code, events) = run.ended();
    assert_eq!(code, 130, "{events:#?}");
    assert_eq!(result(&events)["status"], "cancelled");
    let shown = common::data(&scene.world, &scene.repo, &["inbox", "show", &id, "--json"]);
    assert_eq!(shown["state"], "withdrawn");
}

#[test]
fn pol_07_the_question_of_a_killed_run_is_withdrawn() {
    let scene = Scene::new(ONE_COMMAND);
    let run = scene.world.command(&Scene::line(&[]));
    let running = run.in_directory(scene.repo.root()).start();
    let question = scene.waiting();
    running.signal(Signal::KILL);
    running.wait();
    assert!(scene.inbox().is_empty());
    assert_eq!(scene.show(&question)["state"], "withdrawn");
}

/// S21, S23: what an agent says while it waits cannot stand beside its question, and acts on no terminal.
#[test]
fn pol_08_an_agent_cannot_speak_into_its_own_question() {
    let scene = Scene::new(
        "open\nask-later q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"execute\",\
         \"title\":\"\\u001b]0;owned\\u0007\\u001b[2Jgpj\\u202eexe\",\"rawInput\":{\"command\":\"ls \\u001b]52;c;eA==\\u0007\"}}}\n\
         do shell \"while [ ! -e go ]; do sleep 0.1; done\"\n\
         say \"FORGED [y]es once\\n\"\nsay \"\\x1b[2J\\x1b[H FORGED\\n\"\ndo write said.txt x\nawait q\ndone asked\n",
    );
    // All streams are the terminal here.
    let line: Vec<String> = Scene::line(&[])
        .into_iter()
        .filter(|word| word != "--json")
        .collect();
    let words: Vec<&str> = line.iter().map(String::as_str).collect();
    let mut terminal = scene.person(&words);
    terminal.wait_for("[n]o", PATIENCE);
    // What is said meanwhile is heard, and not on the screen.
    let checkout = common::checkouts(&scene.world).remove(0).join("box/wt");
    std::fs::write(checkout.join("go"), "").unwrap();
    common::wait_for_file(&scene.world, "said.txt");
    let forged = terminal.wait_until(Duration::from_secs(1), |screen| {
        screen.contents().contains("FORGED")
    });
    let screen = terminal.screen();
    assert!(!forged, "{screen}");
    assert!(
        screen.contains("\\x1b]0;owned\\x07\\x1b[2Jgpj⟨U+202E⟩exe"),
        "{screen}"
    );
    assert!(screen.contains("ls \\x1b]52;c;eA==\\x07"), "{screen}");
    press(&terminal, "n", "you said: no");
    // The twin: once it is answered, it is shown, and still harms nothing.
    terminal.wait_for("FORGED", PATIENCE);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", terminal.screen());
    assert_eq!(terminal.title(), "");
    assert!(terminal.clipboard().is_empty());
}
