//! Promise: a run of a foreign agent ends at a terminal as a box does: a person says what becomes of its change (FA-06,
//! FA-31).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::external::configure;
use common::{PATIENCE, boxed_terminal, branch_of};
use serde_json::Value;
use taffrail_testkit::{FakeAgent, Hermetic, Key, Repo, Terminal, Times, manifest};

/// The agent's work, which nothing asks about, and its end.
const WORK: &str = "do write new.txt \"hello\\n\"\ndone wrote\n";
/// The last words of the question, which stand on the screen once it takes an answer.
const ASKED: &str = "[k]eep for later  [d]iscard";
/// What is said of a run that did not end well, before its change lands.
const INCOMPLETE: &str = "the run did not complete";
/// What is said to another answer.
const OTHER: &str = "type one of the letters, then Enter";

struct Scene {
    world: Hermetic,
    repo: Repo,
}

impl Scene {
    fn new(script: &str) -> Self {
        let world = common::world();
        let repo = common::project(&world);
        let script = format!("open\n{script}");
        let grant = "write_in_checkout = \"allow\"";
        configure(&world, &FakeAgent::script(&script), grant);
        Self { world, repo }
    }

    /// A run whose streams are all a person's terminal.
    fn run(&self, flags: &[&str]) -> Terminal {
        let mut line = vec!["agents", "external", "run", "fake", "--task", "the task"];
        line.extend(flags);
        self.world.person(self.repo.root(), &line)
    }

    fn asked(&self, flags: &[&str]) -> Terminal {
        let terminal = self.run(flags);
        terminal.wait_for(ASKED, PATIENCE);
        terminal
    }

    fn review(&self, run: &str) -> Value {
        let line = ["agents", "external", "review", "--json", run];
        common::data(&self.world, &self.repo, &line)
    }

    /// What is on record of the change of the run that `screen` tells of.
    #[track_caller]
    fn state(&self, screen: &str) -> String {
        let change = &self.review(&run_of(screen))["change"];
        change["state"].as_str().expect("a change").to_owned()
    }
}

/// The run that the summary names.
#[track_caller]
fn run_of(screen: &str) -> String {
    let after = screen.split("agents external show ").nth(1);
    let run = after.and_then(|rest| rest.split_whitespace().next());
    run.unwrap_or_else(|| panic!("no run is named:\n{screen}"))
        .to_owned()
}

/// Waits until the question stands below `text`: what is typed before it is asked anew counts for nothing.
#[track_caller]
fn asked_below(terminal: &Terminal, text: &str) {
    let is_below = |screen: &vt100::Screen| {
        let shown = screen.contents();
        let rest = shown.split_once(text).map(|(_, rest)| rest.contains(ASKED));
        rest.unwrap_or_default()
    };
    let shown = terminal.wait_until(PATIENCE, is_below);
    assert!(shown, "{text}: {}", terminal.screen());
}

#[track_caller]
fn answer(terminal: &mut Terminal, line: &str) -> i32 {
    terminal.send(format!("{line}\r"));
    let code = terminal.wait_exit(PATIENCE);
    assert!(terminal.is_cooked(), "the terminal is as it was");
    code
}

#[test]
fn fa_31_the_ending_of_a_run_shows_the_change_and_lands_it() {
    let scene = Scene::new(WORK);
    let head = scene.repo.head();
    let mut terminal = scene.asked(&["--write"]);
    let run = run_of(&terminal.screen());
    terminal.send("r\r");
    asked_below(&terminal, "+hello");
    terminal.send("l\r");
    terminal.wait_for("digits of its hash, ", PATIENCE);
    let digits: String = scene.review(&run)["change"]["hash"]
        .as_str()
        .unwrap()
        .chars()
        .take(12)
        .collect();
    assert_eq!(answer(&mut terminal, &digits), 0, "{}", terminal.screen());
    assert!(
        !terminal.screen().contains(INCOMPLETE),
        "{}",
        terminal.screen()
    );
    let branch = branch_of(&terminal.screen());
    assert_eq!(branch, format!("external/{run}"));
    let landed = scene.repo.git(&["show", &format!("{branch}:new.txt")]);
    assert_eq!(landed, "hello\n");
    assert_eq!(scene.repo.head(), head);
    assert!(!scene.repo.root().join("new.txt").exists());
}

/// Its diff can still land, and says so; the twin is the run above.
#[test]
fn fa_05_what_lands_of_a_run_without_a_valid_result_says_so() {
    let turn = "say \"all done\"\nend end_turn\n";
    let scene = Scene::new(&format!(
        "do write new.txt \"hello\\n\"\n{turn}expect session/prompt\n{turn}"
    ));
    let mut terminal = scene.asked(&["--write"]);
    let run = run_of(&terminal.screen());
    terminal.send("l\r");
    terminal.wait_for("digits of its hash, ", PATIENCE);
    let told = format!("{INCOMPLETE}: error (invalid_result)");
    assert!(terminal.screen().contains(&told), "{}", terminal.screen());
    let hash = scene.review(&run)["change"]["hash"].clone();
    let digits = &hash.as_str().unwrap()[..12];
    assert_eq!(answer(&mut terminal, digits), 6, "{}", terminal.screen());
    let landed = scene
        .repo
        .git(&["show", &format!("external/{run}:new.txt")]);
    assert_eq!(landed, "hello\n");
}

#[test]
fn fa_31_other_digits_land_nothing_at_the_ending_of_a_run() {
    let scene = Scene::new(WORK);
    let mut terminal = scene.asked(&["--write"]);
    terminal.send("l\r");
    terminal.wait_for("digits of its hash, ", PATIENCE);
    let code = answer(&mut terminal, "0123456789ab");
    let screen = terminal.screen();
    assert_ne!(code, 0, "{screen}");
    let hint = format!("taffrail agents external review {}", run_of(&screen));
    assert!(screen.contains(&hint), "{screen}");
    assert_eq!(scene.state(&screen), "pending");
    assert_eq!(scene.repo.git(&["branch", "--list", "external/*"]), "");
}

#[test]
fn fa_06_a_run_and_a_box_ask_the_same_at_their_end() {
    let scene = Scene::new(WORK);
    let question = |screen: &str| {
        let line = screen.lines().find(|line| line.contains(ASKED));
        line.expect("the question").trim_end().to_owned()
    };
    let mut of_a_run = scene.asked(&["--write"]);
    let mut of_a_box = boxed_terminal(&scene.world, &scene.repo, &[], "echo hello > new.txt");
    of_a_box.wait_for(ASKED, PATIENCE);
    assert_eq!(question(&of_a_run.screen()), question(&of_a_box.screen()));
    // The same answers, the same words, each with the way to its own kind.
    for terminal in [&mut of_a_run, &mut of_a_box] {
        terminal.send("what\r");
        asked_below(terminal, OTHER);
        assert_eq!(answer(terminal, "k"), 0);
    }
    let (run, boxed) = (of_a_run.screen(), of_a_box.screen());
    let waits = format!("it waits: taffrail agents external review {}", run_of(&run));
    assert!(run.contains(&waits), "{run}");
    assert!(boxed.contains("it waits: taffrail box review "), "{boxed}");
    assert_eq!(scene.state(&run), "pending");
}

#[test]
fn fa_06_the_end_of_input_and_an_interrupt_leave_it_waiting() {
    for key in ['d', 'c'] {
        let scene = Scene::new(WORK);
        let mut terminal = scene.asked(&["--write"]);
        terminal.key(Key::Control(key));
        terminal.wait_exit(PATIENCE);
        assert_eq!(scene.state(&terminal.screen()), "pending", "{key}");
    }
}

#[test]
fn fa_06_discarded_at_the_ending_nothing_waits_and_the_project_is_as_it_was() {
    let scene = Scene::new(WORK);
    let before = manifest(scene.repo.root(), Times::Counted);
    let mut terminal = scene.asked(&["--write"]);
    assert_eq!(answer(&mut terminal, "d"), 0);
    let screen = terminal.screen();
    assert_eq!(screen.lines().last(), Some("discarded"), "{screen}");
    assert_eq!(scene.state(&screen), "discarded");
    assert_eq!(before, manifest(scene.repo.root(), Times::Counted));
}

#[test]
fn fa_30_what_never_lands_is_not_offered_at_the_ending() {
    let scene =
        Scene::new("do write new.txt \"hello\\n\"\ndo symlink away /etc/passwd\ndone wrote\n");
    let mut terminal = scene.asked(&["--write"]);
    let screen = terminal.screen();
    assert!(screen.contains("[r]eview  [k]eep"), "{screen}");
    terminal.send("l\r");
    asked_below(&terminal, OTHER);
    assert_eq!(answer(&mut terminal, "k"), 0);
}

/// S23: the answer was typed while the agent worked, before anything was asked.
#[test]
fn fa_31_what_was_typed_ahead_decides_nothing_at_the_ending() {
    let script = "do write new.txt \"hello\\n\"\nsay \"working\\n\"\n\
                  do shell \"while [ ! -e go ]; do sleep 0.1; done\"\ndone wrote\n";
    let scene = Scene::new(script);
    let mut terminal = scene.run(&["--write"]);
    terminal.wait_for("working", PATIENCE);
    terminal.send("d\r");
    // What is echoed is in the queue.
    let echoed = |screen: &vt100::Screen| {
        let shown = screen.contents();
        let rest = shown
            .split_once("working")
            .map(|(_, rest)| rest.contains('d'));
        rest.unwrap_or_default()
    };
    assert!(
        terminal.wait_until(PATIENCE, echoed),
        "{}",
        terminal.screen()
    );
    let work = common::wait_for_file(&scene.world, "new.txt");
    std::fs::write(work.with_file_name("go"), "").unwrap();
    terminal.wait_for(ASKED, PATIENCE);
    assert_eq!(answer(&mut terminal, "k"), 0);
    assert_eq!(scene.state(&terminal.screen()), "pending");
}

#[test]
fn fa_06_where_nobody_is_to_be_asked_the_run_ends_with_a_hint() {
    let scene = Scene::new(WORK);
    let mut terminal = scene.run(&["--write", "--unattended"]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    hinted(&terminal.screen());
    let mut line = vec!["agents", "external", "run", "fake", "--task", "the task"];
    line.push("--write");
    let piped = scene.world.command(&line).in_directory(scene.repo.root());
    let ran = piped.go().success();
    hinted(&ran.stderr);
    // Lines for a program, and a run that left nothing to decide on, have neither.
    let mut terminal = scene.run(&["--write", "--json"]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    assert!(!terminal.screen().contains("[d]iscard"));
    let mut terminal = scene.run(&[]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    let screen = terminal.screen();
    assert!(!screen.contains("[d]iscard") && !screen.contains("external review"));
}

#[track_caller]
fn hinted(said: &str) {
    let hint = format!("hint: taffrail agents external review {}", run_of(said));
    assert!(
        said.contains(&hint) && !said.contains("[d]iscard"),
        "{said}"
    );
}

#[test]
fn fa_10_what_stays_behind_is_said_once() {
    let scene = Scene::new(WORK);
    scene.repo.file("more", "not committed\n");
    let mut terminal = scene.run(&["--write", "--unattended"]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
    let screen = terminal.screen();
    let said = screen.matches("with uncommitted changes").count();
    assert_eq!(said, 1, "{screen}");
}

#[test]
fn fa_26_whoever_ended_the_run_is_asked_nothing() {
    let script =
        "do write new.txt \"hello\\n\"\nsay \"working\\n\"\nexpect-cancel\nend cancelled\n";
    let scene = Scene::new(script);
    let mut terminal = scene.run(&["--write"]);
    terminal.wait_for("working", PATIENCE);
    terminal.key(Key::Control('c'));
    assert_eq!(terminal.wait_exit(PATIENCE), 130);
    hinted(&terminal.screen());
}
