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
c  confirm: from now on it may instruct agents
e  evidence: may be cited, never instructs  r  restrict: kept, not offered
x  reject                                   t  stale: was right once
p  confirm, in place of a neighbour         m  merge into a neighbour
b  into the batch; B confirms all of it     d  edit the text
u  take the last decision back              n  a note beside the next decision
s  skip                                     q  quit";

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
