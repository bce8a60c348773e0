//! Questions to a person at the terminal. Typed-ahead keys are dropped, so that no old key answers a new question.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

use rustix::termios::{QueueSelector, tcflush};
use taffrail_domain::Flag;

use crate::failure::Failure;
use crate::output::Output;

/// What a person wants done with what a run changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Show the diff.
    Review,
    /// Make a branch.
    Land,
    /// Leave it waiting.
    Keep,
    /// Throw it away.
    Discard,
}

/// The question after a run. The last word is what a played terminal waits for.
const QUESTION: &str = "[r]eview  [l]and  [k]eep for later  [d]iscard";
/// The same where something in the change never lands.
const REFUSED: &str = "[r]eview  [k]eep for later  [d]iscard";

/// Asks until the answer is one of those that are offered. An end of input keeps.
pub fn choice(output: &Output, can_land: bool) -> Result<Choice, Failure> {
    let question = if can_land { QUESTION } else { REFUSED };
    loop {
        let Some(answer) = ask(output, question)? else {
            return Ok(Choice::Keep);
        };
        match answer.trim() {
            "r" | "review" => return Ok(Choice::Review),
            "l" | "land" if can_land => return Ok(Choice::Land),
            "k" | "keep" => return Ok(Choice::Keep),
            "d" | "discard" => return Ok(Choice::Discard),
            _ => output.say("type one of the letters, then Enter"),
        }
    }
}

/// Asks to type the beginning of the hash.
pub fn confirmation(output: &Output, digits: &str) -> Result<String, Failure> {
    let question = format!(
        "to land, type the first {} digits of its hash, {digits}:",
        digits.len()
    );
    Ok(ask(output, &question)?.unwrap_or_default())
}

/// Asks to type each flag's name, up to the first that is not; the ones that were typed.
pub fn flags(output: &Output, flags: &[Flag]) -> Result<BTreeSet<Flag>, Failure> {
    let mut confirmed = BTreeSet::new();
    for flag in flags {
        let question = format!("flagged {0}: type {0} to confirm:", flag.name());
        if ask(output, &question)?.unwrap_or_default().trim() != flag.name() {
            break;
        }
        confirmed.insert(*flag);
    }
    Ok(confirmed)
}

/// Drops what was typed before the question, asks it, and reads a line; none at the end of input.
pub fn ask(output: &Output, question: &str) -> Result<Option<String>, Failure> {
    let stdin = io::stdin();
    // A terminal that cannot be flushed is none, and then there is nothing typed ahead.
    tcflush(&stdin, QueueSelector::IFlush).unwrap_or_default();
    output.say(question);
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}
