//! Promise: with `review.lock = "passphrase"` nothing that lacks the passphrase mints an approval, whatever terminal it
//! fakes. Without it a program of the same user can, and the tests show it: the security page says so (REV-03, REV-04).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::memory::{
    add, asked_code, asks, code_after, codes, confirm, prompt, review_of, said, with_secrets_file,
};
use common::{PATIENCE, committed, world};
use taffrail_testkit::{Hermetic, Key, Repo, Terminal, eventually, executable};

const QUERY: &str = "how do we store amounts of money";
const TEXT: &str = "We store amounts of money in cents as integers, never as floats.";
const LOCK: &str = "[review]\nlock = \"passphrase\"\n";
const ASKED: &str = "passphrase of the seal key:";
const NEW: &str = "a passphrase for the seal key:";

struct Told {
    world: Hermetic,
    repo: Repo,
    memory: String,
}

fn told(config: &str) -> Told {
    let world = world();
    with_secrets_file(&world);
    world.config(config);
    let repo = committed(&world);
    let memory = add(&world, repo.root(), &["--type", "decision", TEXT]);
    Told {
        world,
        repo,
        memory,
    }
}

impl Told {
    /// One key at a memory, the code as it is asked for, then each answer to its question; what was on the screen.
    fn confirm_answering(&self, memory: &str, answers: &[(&str, &str)]) -> String {
        let mut terminal = review_of(&self.world, self.repo.root(), memory);
        type_code(&mut terminal);
        for (question, answer) in answers {
            terminal.wait_for(question, PATIENCE);
            terminal.send(answer);
            terminal.key(Key::Enter);
        }
        finish(&mut terminal);
        said(&terminal)
    }

    fn lock(&self, passphrase: &str) {
        let answers = [(NEW, passphrase), ("once more", passphrase)];
        let screen = self.confirm_answering(&self.memory, &answers);
        assert!(screen.contains("confirmed"), "{screen}");
    }

    fn second(&self) -> String {
        let text = "Invoices keep amounts of money rounded half even, says a second memory.";
        add(&self.world, self.repo.root(), &[text])
    }

    /// What turns about either memory are given.
    fn given(&self) -> String {
        let about = |query| prompt(&self.world, self.repo.root(), query);
        about(QUERY) + &about("are invoices rounded half even")
    }
}

fn type_code(terminal: &mut Terminal) {
    // An earlier question may still be on the screen.
    let earlier = codes(terminal);
    terminal.send("c");
    let code = code_after(terminal, earlier);
    terminal.send(&code);
    terminal.key(Key::Enter);
}

/// To the end, whether it went on or asks about the same memory again: opening a wrapped key takes its time.
fn finish(terminal: &mut Terminal) {
    let asks_again = |terminal: &Terminal| said(terminal).matches("[?]").count() > 1;
    let is_over = |terminal: &Terminal| said(terminal).contains("decided");
    assert!(
        eventually(PATIENCE, || asks_again(terminal) || is_over(terminal)),
        "{}",
        said(terminal)
    );
    if asks_again(terminal) {
        terminal.send("q");
    }
    terminal.wait_exit(PATIENCE);
}

#[test]
fn rev_03_a_wrong_passphrase_mints_nothing_and_the_right_one_does() {
    let told = told(LOCK);
    told.lock("a long passphrase");
    assert!(told.given().contains("cents"));
    let second = told.second();
    for wrong in ["a wrong one", "", "a long passphrase "] {
        let screen = told.confirm_answering(&second, &[(ASKED, wrong)]);
        assert!(!screen.contains(": confirmed"), "{screen}");
        assert!(!told.given().contains("half even"), "{wrong:?}");
    }
    // A recall takes no passphrase: what was approved counts on.
    assert!(told.given().contains("cents"));
    let screen = told.confirm_answering(&second, &[(ASKED, "a long passphrase")]);
    assert!(screen.contains("confirmed"), "{screen}");
    assert!(told.given().contains("half even"));
    let raw = said(&review_of(&told.world, told.repo.root(), &second));
    assert!(!raw.contains("a long passphrase"));
}

#[test]
fn rev_03_a_lock_that_is_switched_on_later_wraps_the_key_that_is_there() {
    let told = told("");
    confirm(&told.world, told.repo.root(), &told.memory);
    told.world.config(LOCK);
    let second = told.second();
    let answers = [(NEW, "chosen later"), ("once more", "chosen later")];
    let screen = told.confirm_answering(&second, &answers);
    assert!(screen.contains("confirmed"), "{screen}");
    let given = told.given();
    assert!(
        given.contains("cents") && given.contains("half even"),
        "{given}"
    );
    let third = add(
        &told.world,
        told.repo.root(),
        &["A third one about amounts of money."],
    );
    let screen = told.confirm_answering(&third, &[(ASKED, "guessed")]);
    assert!(!screen.contains(": confirmed"), "{screen}");
}

#[test]
fn rev_03_a_line_of_configuration_does_not_take_the_lock_off() {
    let told = told(LOCK);
    told.lock("a long passphrase");
    let second = told.second();
    for config in [
        "",
        "[review]\nlock = \"none\"\n",
        "[review]\nlock = \"passphrase\"\nunlock = \"8760h\"\n",
    ] {
        told.world.config(config);
        let screen = told.confirm_answering(&second, &[(ASKED, "guessed")]);
        assert!(!screen.contains(": confirmed"), "{config}: {screen}");
        assert!(!told.given().contains("half even"), "{config}");
    }
}

#[test]
fn rev_03_an_open_key_is_kept_for_the_time_that_was_set_and_by_nobody_else() {
    let told = told(LOCK);
    told.lock("a long passphrase");
    let second = told.second();
    let third = add(
        &told.world,
        told.repo.root(),
        &["A third one about amounts of money."],
    );
    // In one sitting the passphrase is asked for once.
    let mut terminal = told
        .world
        .person(told.repo.root(), &["memory", "review", &second, &third]);
    asks(&terminal, 1);
    type_code(&mut terminal);
    terminal.wait_for(ASKED, PATIENCE);
    terminal.send("a long passphrase");
    terminal.key(Key::Enter);
    asks(&terminal, 2);
    type_code(&mut terminal);
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    assert_eq!(said(&terminal).matches(ASKED).count(), 1);
    // Another process has to be told again.
    let fourth = add(
        &told.world,
        told.repo.root(),
        &["A fourth one about amounts of money."],
    );
    let screen = told.confirm_answering(&fourth, &[(ASKED, "guessed")]);
    assert!(!screen.contains(": confirmed"), "{screen}");
}

#[test]
fn rev_03_after_its_time_the_open_key_is_closed_again() {
    let told = told(&format!("{LOCK}unlock = \"1ms\"\n"));
    told.lock("a long passphrase");
    let second = told.second();
    let third = add(
        &told.world,
        told.repo.root(),
        &["A third one about amounts of money."],
    );
    let mut terminal = told
        .world
        .person(told.repo.root(), &["memory", "review", &second, &third]);
    for (memory, times) in [(&second, 1), (&third, 2)] {
        asks(&terminal, times);
        type_code(&mut terminal);
        let is_asked = || said(&terminal).matches(ASKED).count() == times;
        assert!(eventually(PATIENCE, is_asked), "{}", said(&terminal));
        terminal.send("a long passphrase");
        terminal.key(Key::Enter);
        terminal.wait_for(&format!("{memory}: confirmed"), PATIENCE);
    }
    assert_eq!(terminal.wait_exit(PATIENCE), 0, "{}", said(&terminal));
    assert_eq!(said(&terminal).matches(ASKED).count(), 2);
}

#[test]
fn rev_03_an_undo_that_approves_again_takes_the_passphrase_too() {
    let told = told(LOCK);
    told.lock("a long passphrase");
    common::memory::press(&told.world, told.repo.root(), &told.memory, "x");
    assert!(!told.given().contains("cents"));
    let mut terminal = told
        .world
        .person(told.repo.root(), &["memory", "undo", &told.memory]);
    terminal.wait_for("digits of its hash", PATIENCE);
    let code = asked_code(&terminal);
    terminal.send(&code);
    terminal.key(Key::Enter);
    terminal.wait_for(ASKED, PATIENCE);
    terminal.send("guessed");
    terminal.key(Key::Enter);
    terminal.wait_exit(PATIENCE);
    assert!(!told.given().contains("cents"));
}

#[test]
fn rev_03_what_a_program_of_the_same_user_can_do_and_what_the_lock_takes_from_it() {
    // It opens a terminal of its own, reads the code and types it: the security page says so.
    let fooled = told("");
    let screen = fooled.confirm_answering(&fooled.memory, &[]);
    assert!(screen.contains("confirmed"), "{screen}");
    assert!(fooled.given().contains("cents"));
    // With the lock the same steps end at a question that it cannot answer.
    let locked = told(LOCK);
    locked.lock("a long passphrase");
    let second = locked.second();
    let mut terminal = review_of(&locked.world, locked.repo.root(), &second);
    type_code(&mut terminal);
    terminal.wait_for(ASKED, PATIENCE);
    terminal.key(Key::Enter);
    finish(&mut terminal);
    assert!(!locked.given().contains("half even"));
    // It can take the key away: then everything that was approved is pending again, and it is said.
    std::fs::remove_file(locked.world.taffrail_home().join("secrets.sealed")).unwrap();
    assert!(!locked.given().contains("cents"));
    let audit = locked
        .world
        .taffrail_in(locked.repo.root(), &["audit", "verify"]);
    assert_eq!(audit.code, 1, "{audit:?}");
}

#[test]
fn rev_03_an_undo_shows_the_text_that_comes_back() {
    let mut told = told("");
    confirm(&told.world, told.repo.root(), &told.memory);
    let editor = told.world.root().join("editor");
    executable(&editor, "#!/bin/sh\nsed -i 's/cents/tenths/' \"$1\"\n");
    told.world.set_env("EDITOR", editor.to_str().unwrap());
    let line = ["memory", "edit", &told.memory];
    let mut terminal = told.world.person(told.repo.root(), &line);
    terminal.wait_exit(PATIENCE);
    confirm(&told.world, told.repo.root(), &told.memory);
    assert!(told.given().contains("tenths"));
    let line = ["memory", "undo", &told.memory];
    let mut terminal = told.world.person(told.repo.root(), &line);
    terminal.wait_for("digits of its hash", PATIENCE);
    let screen = said(&terminal);
    assert!(
        screen.contains("cents") && !screen.contains("tenths"),
        "{screen}"
    );
    let code = asked_code(&terminal);
    terminal.send(&code);
    terminal.key(Key::Enter);
    terminal.wait_exit(PATIENCE);
    assert!(told.given().contains("cents"), "{}", said(&terminal));
}
