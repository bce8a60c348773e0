//! Promise: remembered is not believed. Nothing that was written steers a later turn until a person at a terminal said so
//! (REV-02 to REV-05), whatever else is tried.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::memory::{
    add, asked_code, asks, confirm, data_in, press, prompt, review_of, said, search, typed_ahead,
    with_secrets_file,
};
use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key, Repo, eventually, executable};

const QUERY: &str = "how do we store amounts of money";
const TEXT: &str = "We store amounts of money in cents as integers, never as floats.";

fn told() -> (Hermetic, Repo, String) {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let memory = add(&world, repo.root(), &["--type", "decision", TEXT]);
    (world, repo, memory)
}

#[test]
fn rev_03_s19_twin_a_confirmed_memory_is_in_the_prompt_and_a_pending_one_is_not() {
    let (world, repo, memory) = told();
    assert!(!prompt(&world, repo.root(), QUERY).contains("cents"));
    assert!(search(&world, repo.root(), &[QUERY]).is_empty());
    let pending = search(&world, repo.root(), &["--include", "pending", QUERY]);
    assert_eq!(pending, std::slice::from_ref(&memory));
    confirm(&world, repo.root(), &memory);
    assert!(prompt(&world, repo.root(), QUERY).contains("cents"));
    assert_eq!(search(&world, repo.root(), &[QUERY]), [memory]);
}

#[test]
fn rev_03_a_wrong_code_confirms_nothing() {
    let (world, repo, memory) = told();
    for typed in ["", "000000", "yes", "c"] {
        let mut terminal = review_of(&world, repo.root(), &memory);
        terminal.send("c");
        terminal.wait_for("digits of its hash", PATIENCE);
        let wrong = if asked_code(&terminal) == typed {
            "111111"
        } else {
            typed
        };
        terminal.send(wrong);
        terminal.key(Key::Enter);
        terminal.wait_for("nothing is confirmed", PATIENCE);
        // What is typed before the question stands again is dropped.
        asks(&terminal, 2);
        terminal.send("q");
        terminal.wait_exit(PATIENCE);
    }
    assert!(!prompt(&world, repo.root(), QUERY).contains("cents"));
}

#[test]
fn rev_03_keys_typed_before_the_question_decide_nothing() {
    let (world, repo, memory) = told();
    let line = ["memory", "review", &memory];
    let mut terminal = typed_ahead(&world, repo.root(), &line, "xxxx");
    asks(&terminal, 1);
    terminal.send("q");
    terminal.wait_exit(PATIENCE);
    let shown = data_in(&world, repo.root(), &["memory", "show", &memory, "--json"]);
    assert_eq!(shown["status"], "pending");
}

#[test]
fn rev_03_a_key_that_was_pressed_twice_decides_once() {
    let (world, repo, first) = told();
    let second = add(
        &world,
        repo.root(),
        &["Another thing that waits behind it."],
    );
    let mut terminal = world.person(repo.root(), &["memory", "review"]);
    asks(&terminal, 1);
    terminal.send("xxx");
    asks(&terminal, 2);
    terminal.send("q");
    terminal.wait_exit(PATIENCE);
    let status = |memory: &str| {
        data_in(&world, repo.root(), &["memory", "show", memory, "--json"])["status"].clone()
    };
    assert_eq!(
        (status(&first), status(&second)),
        ("rejected".into(), "pending".into())
    );
}

#[test]
fn rev_03_without_a_terminal_nobody_reviews() {
    let (world, repo, memory) = told();
    for line in [
        vec!["memory", "review"],
        vec!["memory", "review", &memory],
        vec!["memory", "undo", &memory],
        vec!["memory", "edit", &memory],
        vec!["memory", "add", "--confirm", "something else to confirm"],
    ] {
        for input in ["", "c\n", "y\n", "c\n000000\n"] {
            let ran = world
                .command(&line)
                .in_directory(repo.root())
                .input(input)
                .go();
            assert_eq!(ran.code, 3, "{line:?}: {ran:?}");
            assert!(ran.stderr.contains("terminal"), "{ran:?}");
        }
    }
    let all = data_in(&world, repo.root(), &["memory", "list", "--all", "--json"]);
    assert_eq!(
        all["memories"].as_array().unwrap().len(),
        1,
        "a refused --confirm wrote nothing"
    );
    assert!(!prompt(&world, repo.root(), QUERY).contains("cents"));
}

#[test]
fn rev_03_s19_no_flag_variable_or_line_of_configuration_confirms() {
    let (world, repo, memory) = told();
    for flag in [
        "--yes",
        "--force",
        "--status=confirmed",
        "--approve",
        "--instruction",
    ] {
        let ran = world.taffrail_in(repo.root(), &["memory", "add", flag, "another thing"]);
        assert_eq!(ran.code, 2, "{flag} was taken");
    }
    for variable in [
        "TAFFRAIL_YES",
        "TAFFRAIL_CONFIRM",
        "TAFFRAIL_AUTO_APPROVE",
        "CI",
    ] {
        let ran = world
            .command(&["memory", "review", &memory])
            .env(variable, "1")
            .in_directory(repo.root())
            .go();
        assert_eq!(ran.code, 3, "{variable}: {ran:?}");
    }
    for line in [
        "[review]\nauto = true\n",
        "[memory]\ntrust = \"all\"\n",
        "[review]\nlock = \"off\"\n",
    ] {
        world.config(line);
        let ran = world.taffrail_in(repo.root(), &["memory", "list"]);
        assert_eq!(ran.code, 2, "{line}: {ran:?}");
    }
    world.config("");
    assert!(!prompt(&world, repo.root(), QUERY).contains("cents"));
}

#[test]
fn rev_03_an_agent_that_starts_it_is_told_no() {
    let (world, repo, memory) = told();
    for (marker, value) in [
        ("CLAUDECODE", "1"),
        ("GEMINI_CLI", "1"),
        ("TAFFRAIL_RUN", "run_x"),
    ] {
        let mut marked = Hermetic::below(world.root(), env!("CARGO_BIN_EXE_taffrail"));
        marked.set_env("TAFFRAIL_HOME", world.taffrail_home());
        marked.set_env(marker, value);
        let mut terminal = marked.person(repo.root(), &["memory", "review", &memory]);
        assert_eq!(terminal.wait_exit(PATIENCE), 3, "{}", said(&terminal));
        assert!(said(&terminal).contains(marker), "{}", said(&terminal));
    }
    // The twin: without the mark the same terminal shows the queue.
    let mut terminal = review_of(&world, repo.root(), &memory);
    terminal.send("q");
    assert_eq!(terminal.wait_exit(PATIENCE), 0);
}

#[test]
fn rev_03_an_agent_among_the_ancestors_is_told_no() {
    let (world, repo, memory) = told();
    let script = world.root().join("claude");
    let taffrail = env!("CARGO_BIN_EXE_taffrail");
    executable(&script, format!("#!/bin/sh\n{taffrail} \"$@\"\nexit $?\n"));
    let run = world
        .program(&script, &["memory", "review", &memory])
        .in_directory(repo.root());
    let mut terminal =
        taffrail_testkit::Terminal::spawn(run, taffrail_testkit::TerminalSize::default());
    assert_eq!(terminal.wait_exit(PATIENCE), 3, "{}", said(&terminal));
    assert!(
        said(&terminal).contains("`claude` is an ancestor"),
        "{}",
        said(&terminal)
    );
}

#[test]
fn rev_03_a_box_sees_neither_the_home_nor_the_queue() {
    let (world, repo, memory) = told();
    let home = world.taffrail_home();
    let taffrail = env!("CARGO_BIN_EXE_taffrail");
    let script = format!(
        // Read first: a taffrail in the box would make a home of its own there.
        "cat {home}/taffrail.db >/dev/null 2>&1; echo \"read $?\"; \
         TAFFRAIL_HOME={home} {taffrail} memory review {memory}; echo \"review $?\"; \
         TAFFRAIL_HOME={home} {taffrail} memory show {memory}; echo \"show $?\"",
        home = home.display()
    );
    let ran = common::boxed(&world, &repo, &[], &script).go();
    assert!(
        !ran.stdout.contains("show 0") && !ran.stdout.contains("read 0"),
        "{ran:?}"
    );
    assert!(!ran.stdout.contains("review 0"), "{ran:?}");
    assert!(!prompt(&world, repo.root(), QUERY).contains("cents"));
}

#[test]
fn rev_02_each_key_decides_and_undo_takes_it_back() {
    let (world, repo, memory) = told();
    for (key, status) in [
        ("e", "evidence_only"),
        ("r", "restricted"),
        ("x", "rejected"),
        ("t", "stale"),
    ] {
        press(&world, repo.root(), &memory, key);
        let shown = data_in(&world, repo.root(), &["memory", "show", &memory, "--json"]);
        assert_eq!(shown["status"], status);
        let mut terminal = world.person(repo.root(), &["memory", "undo", &memory]);
        assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
        let shown = data_in(&world, repo.root(), &["memory", "show", &memory, "--json"]);
        assert_eq!(shown["status"], "pending");
    }
}

#[test]
fn rev_02_restricted_then_confirmed_is_really_confirmed() {
    let (world, repo, memory) = told();
    for key in ["r", "x", "t", "e"] {
        press(&world, repo.root(), &memory, key);
        confirm(&world, repo.root(), &memory);
        assert!(
            prompt(&world, repo.root(), QUERY).contains("cents"),
            "after {key}"
        );
    }
}

#[test]
fn rev_02_what_was_replaced_is_never_recalled() {
    let (world, repo, old) = told();
    confirm(&world, repo.root(), &old);
    let text = "We store amounts of money in cents as decimals, never as floats.";
    let new = add(&world, repo.root(), &["--type", "decision", text]);
    let mut terminal = review_of(&world, repo.root(), &new);
    let screen = said(&terminal);
    assert!(
        screen.contains("[-integers-]") && screen.contains("{+decimals+}"),
        "{screen}"
    );
    terminal.send("p");
    terminal.wait_for("which one?", PATIENCE);
    terminal.send("1");
    terminal.key(Key::Enter);
    terminal.wait_for("digits of its hash", PATIENCE);
    terminal.send(asked_code(&terminal));
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    let given = prompt(&world, repo.root(), QUERY);
    assert!(
        given.contains("decimals") && !given.contains("integers"),
        "{given}"
    );
    let everything = [
        "--include",
        "approved,evidence,pending",
        "--limit",
        "200",
        QUERY,
    ];
    assert_eq!(
        search(&world, repo.root(), &everything),
        std::slice::from_ref(&new)
    );
    let shown = data_in(&world, repo.root(), &["memory", "show", &old, "--json"]);
    assert_eq!(shown["retired_by"].as_str(), Some(new.as_str()));
}

#[test]
fn rev_02_an_edit_waits_while_the_confirmed_text_stays_in_force() {
    let (mut world, repo, memory) = told();
    confirm(&world, repo.root(), &memory);
    let editor = world.root().join("editor");
    let script = "#!/bin/sh\nsed -i 's/cents/tenths of cents/' \"$1\"\n";
    executable(&editor, script);
    world.set_env("EDITOR", editor.to_str().unwrap());
    let mut terminal = world.person(repo.root(), &["memory", "edit", &memory]);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    let given = prompt(&world, repo.root(), QUERY);
    assert!(
        given.contains("in cents") && !given.contains("tenths"),
        "{given}"
    );
    confirm(&world, repo.root(), &memory);
    assert!(prompt(&world, repo.root(), QUERY).contains("tenths of cents"));
}

#[test]
fn rev_02_a_batch_is_confirmed_by_one_code() {
    let (world, repo, first) = told();
    let second = add(
        &world,
        repo.root(),
        &[
            "--type",
            "constraint",
            "Invoices keep amounts of money rounded half even.",
        ],
    );
    let mut terminal = world.person(repo.root(), &["memory", "review"]);
    for shown in 1..=2 {
        asks(&terminal, shown);
        terminal.send("b");
    }
    let mut code = None;
    let asked = eventually(PATIENCE, || {
        let screen = said(&terminal);
        let question = screen.split_once("to confirm all 2, type ");
        code = question.and_then(|(_, rest)| Some(rest.split_once(':')?.0.to_owned()));
        code.is_some()
    });
    assert!(asked, "{}", said(&terminal));
    terminal.send(code.unwrap());
    terminal.key(Key::Enter);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    let mut found = search(&world, repo.root(), &[QUERY]);
    let mut wanted = [first, second];
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
}

#[test]
fn rev_01_s21_what_is_shown_cannot_repaint_the_terminal() {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let hostile =
        "Harmless.\u{1b}[2J\u{1b}[H\u{202e} fully different \u{7}\r\nmore\u{1b}]0;owned\u{7}";
    let memory = add(&world, repo.root(), &[hostile]);
    let mut terminal = world.person(repo.root(), &["memory", "review", "--quarantine"]);
    terminal.wait_for("[?]", PATIENCE);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(!raw.contains("\u{1b}[2J") && !raw.contains("\u{1b}]0;") && !raw.contains('\u{202e}'));
    assert!(terminal.title().is_empty());
    terminal.send("q");
    terminal.wait_exit(PATIENCE);
    let ran = world
        .taffrail_in(repo.root(), &["memory", "show", &memory])
        .success();
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}'),
        "{ran:?}"
    );
}

#[test]
fn mem_02_s19_whatever_door_it_came_by_it_arrives_pending() {
    let (world, repo, _) = told();
    let line = r#"{"id":1,"type":"lesson","summary":"By import.","content":"By import."}"#;
    world
        .command(&["memory", "import", "--jsonl", "-"])
        .in_directory(repo.root())
        .input(format!("{line}\n"))
        .go()
        .success();
    repo.file(
        "AGENTS.md",
        "# Rules\n\n- Tests never use the network of the office.\n",
    );
    let import = ["memory", "import", "--from", "agents-md"];
    world.taffrail_in(repo.root(), &import).success();
    let all = data_in(&world, repo.root(), &["memory", "list", "--all", "--json"]);
    let rows = all["memories"].as_array().unwrap();
    assert!(rows.len() >= 3, "{all}");
    for row in rows {
        assert_eq!(row["status"], "pending", "{row}");
        assert_eq!(row["can_use_as_instruction"], false, "{row}");
    }
}

#[test]
fn rev_06_a_candidate_shows_its_source_its_channel_and_its_trust() {
    let (world, repo, memory) = told();
    let mut terminal = review_of(&world, repo.root(), &memory);
    let screen = said(&terminal);
    for wanted in [
        "pending",
        "channel operator",
        "provenance observed",
        "by cli",
    ] {
        assert!(screen.contains(wanted), "{wanted}: {screen}");
    }
    terminal.send("q");
    terminal.wait_exit(PATIENCE);
}
