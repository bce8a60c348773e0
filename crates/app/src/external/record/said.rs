//! What an agent says and thinks: told by whole lines, kept by turns.

use taffrail_store::MessageRole;

use super::Record;
use crate::AppError;
use crate::external::events::RunEvent;

/// Bytes of one line of a message that are told at once; a longer one is told in pieces.
const LINE: usize = 16 << 10;

/// What an agent says and thinks, told by whole lines: a secret that is cut between two chunks is masked all the same.
#[derive(Default)]
pub(super) struct Said {
    answer: String,
    thought: String,
    all_thoughts: String,
}

impl Record<'_> {
    /// A piece of the agent's message or thought.
    pub fn says(&mut self, piece: &str, thought: bool) {
        let held = if thought {
            &mut self.said.thought
        } else {
            &mut self.said.answer
        };
        held.push_str(piece);
        let whole = held.rfind('\n').map(|at| at + 1);
        let whole = whole.or_else(|| (held.len() > LINE).then_some(held.len()));
        if let Some(whole) = whole {
            let lines: String = held.drain(..whole).collect();
            self.tell_said(&lines, thought);
        }
    }

    fn tell_said(&mut self, lines: &str, thought: bool) {
        let text = self.app.redactor.clean(lines).as_str().to_owned();
        if thought {
            self.said.all_thoughts.push_str(lines);
        }
        self.tell(RunEvent::Message { text, thought });
    }

    /// Tells what is held of a line that has not ended, before something that a person reads after it.
    pub fn flush(&mut self) {
        for thought in [true, false] {
            let held = if thought {
                &mut self.said.thought
            } else {
                &mut self.said.answer
            };
            let rest = std::mem::take(held);
            if !rest.is_empty() {
                self.tell_said(&rest, thought);
            }
        }
    }

    /// The end of a turn: what is held of its text is told, and the whole is kept.
    pub fn turn(&mut self, text: &str) -> Result<(), AppError> {
        self.flush();
        let thoughts = std::mem::take(&mut self.said.all_thoughts);
        if !thoughts.is_empty() {
            self.message(MessageRole::Thought, &thoughts)?;
        }
        if text.is_empty() {
            Ok(())
        } else {
            self.message(MessageRole::Assistant, text)
        }
    }

    pub fn message(&mut self, role: MessageRole, text: &str) -> Result<(), AppError> {
        let text = self.app.redactor.clean(text);
        Ok(self.app.store.append_message(&self.run, role, &text)?)
    }
}
