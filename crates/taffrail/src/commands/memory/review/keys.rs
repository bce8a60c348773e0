//! The keys of the queue.

use crate::failure::Failure;
use crate::output::{Key, Output, ask_key};

/// What a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Confirm,
    Evidence,
    Restrict,
    Reject,
    Stale,
    Replace,
    Merge,
    Edit,
    Batch,
    ConfirmBatch,
    Undo,
    Note,
    Skip,
    Quit,
    Help,
}

/// The question after each memory.
pub const QUESTION: &str =
    "[c]onfirm [e]vidence [r]estrict [x]reject e[d]it [b]atch [s]kip [q]uit [?]more";

/// What the keys do.
pub const HELP: &str = "\
c  confirm: it may instruct later agents, from now on    e  evidence: may be cited, never instructs
r  restrict: kept, never offered by itself               x  reject
p  confirm it, and let it replace a neighbour            m  merge it into a neighbour
t  stale: was right once                                 d  edit the text
b  put it into the batch, B confirms the whole batch     n  a note beside the next decision
u  take the last decision back                           s  skip    q  quit";

/// Asks until a key means something; none for Ctrl-C or a closed terminal.
pub fn choose(output: &Output, question: &str) -> Result<Option<Choice>, Failure> {
    loop {
        match ask_key(output, question)? {
            Key::Interrupt | Key::End => return Ok(None),
            Key::Char(key) => {
                if let Some(choice) = meaning(key) {
                    return Ok(Some(choice));
                }
            }
        }
    }
}

const fn meaning(key: char) -> Option<Choice> {
    Some(match key {
        'c' => Choice::Confirm,
        'e' => Choice::Evidence,
        'r' => Choice::Restrict,
        'x' => Choice::Reject,
        't' => Choice::Stale,
        'p' => Choice::Replace,
        'm' => Choice::Merge,
        'd' => Choice::Edit,
        'b' => Choice::Batch,
        'B' => Choice::ConfirmBatch,
        'u' => Choice::Undo,
        'n' => Choice::Note,
        's' | ' ' => Choice::Skip,
        'q' => Choice::Quit,
        '?' | 'h' => Choice::Help,
        _ => return None,
    })
}
