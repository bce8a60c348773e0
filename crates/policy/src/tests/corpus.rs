//! The corpora of `tests/corpus`: what is let through, what asks, what is destructive, what is a floor.

use taffrail_domain::{Answer, Held, Mode, Risk};

use super::line;
use crate::is_floor;

const ALLOW: &str = include_str!("../../tests/corpus/allow.txt");
const GIT: &str = include_str!("../../tests/corpus/git.txt");
const ASK: &str = include_str!("../../tests/corpus/ask.txt");
const DESTRUCTIVE: &str = include_str!("../../tests/corpus/destructive.txt");
const BENIGN: &str = include_str!("../../tests/corpus/benign.txt");
const FLOORS: &str = include_str!("../../tests/corpus/floors.txt");

/// The lines of a corpus; `\n` stands for a line break, `\u00a0` for a blank that does not break.
fn lines(corpus: &'static str) -> impl Iterator<Item = (&'static str, String)> {
    corpus
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty())
        .map(|line| (line, line.replace("\\n", "\n").replace("\\u00a0", "\u{a0}")))
}

/// In the corpus of what is let through `\n` stands for itself.
fn as_they_stand(corpus: &'static str) -> impl Iterator<Item = &'static str> {
    corpus
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty())
}

fn report(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn pol_05_what_only_reads_is_let_through_in_every_mode() {
    let mut wrong = Vec::new();
    for command in as_they_stand(ALLOW) {
        for mode in Mode::ALL {
            let found = line(command.as_bytes(), *mode, Held::Open);
            if found.answer != Answer::Allow || found.risk != Risk::Read || found.destructive {
                wrong.push(format!(
                    "{command}: {mode} {} {:?}",
                    found.answer, found.reasons
                ));
            }
        }
    }
    report(&wrong);
}

#[test]
fn pol_05_git_is_let_through_only_in_the_sandbox() {
    let mut wrong = Vec::new();
    for (command, bytes) in lines(GIT) {
        let held = line(bytes.as_bytes(), Mode::Ask, Held::Sandboxed);
        let open = line(bytes.as_bytes(), Mode::Ask, Held::Open);
        if held.answer != Answer::Allow || open.answer != Answer::Ask {
            wrong.push(format!(
                "{command}: {} {} {:?}",
                held.answer, open.answer, held.reasons
            ));
        }
    }
    report(&wrong);
}

#[test]
fn pol_05_everything_else_asks() {
    let mut wrong = Vec::new();
    for (command, bytes) in lines(ASK) {
        let found = line(bytes.as_bytes(), Mode::Ask, Held::Sandboxed);
        if found.answer != Answer::Ask {
            wrong.push(format!("{command}: {} {:?}", found.answer, found.reasons));
        }
    }
    report(&wrong);
}

#[test]
fn pol_06_what_destroys_is_marked_and_asked_in_ask_and_trust() {
    let mut wrong = Vec::new();
    for (command, bytes) in lines(DESTRUCTIVE) {
        for mode in [Mode::Ask, Mode::Trust] {
            let found = line(bytes.as_bytes(), mode, Held::Sandboxed);
            if found.answer != Answer::Ask || !found.destructive {
                wrong.push(format!("{command}: {} {:?}", found.answer, found.reasons));
            }
        }
    }
    report(&wrong);
}

#[test]
fn pol_02_s16_floors_ask_in_every_mode() {
    let mut wrong = Vec::new();
    for (entry, bytes) in lines(FLOORS) {
        let (word, command) = bytes.split_once('\t').unwrap();
        for mode in Mode::ALL {
            let found = line(command.as_bytes(), *mode, Held::Sandboxed);
            let named = found.reasons.iter().any(|reason| reason.why.name() == word);
            if found.answer != Answer::Ask || !named || !found.is_floor() {
                wrong.push(format!(
                    "{entry}: {mode} {} {:?}",
                    found.answer, found.reasons
                ));
            }
        }
    }
    report(&wrong);
}

#[test]
fn pol_06_benign_commands_are_not_called_destructive() {
    let mut wrong = Vec::new();
    for (command, bytes) in lines(BENIGN) {
        let found = line(bytes.as_bytes(), Mode::Trust, Held::Open);
        if found.destructive {
            wrong.push(format!("{command}: {:?}", found.reasons));
        }
    }
    report(&wrong);
}

#[test]
fn pol_05_the_corpora_are_large_enough() {
    let corpora = [ALLOW, GIT, ASK, DESTRUCTIVE, BENIGN, FLOORS];
    let all: usize = corpora
        .into_iter()
        .map(|corpus| as_they_stand(corpus).count())
        .sum();
    assert!(all >= 1000, "{all}");
    assert!(!is_floor(crate::Why::Writes));
}
