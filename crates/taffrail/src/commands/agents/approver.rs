//! The person at the terminal of a run (FA-24): asked on `/dev/tty`, so that stdout may be a pipe.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use taffrail_app::App;
use taffrail_app::external::questions::{Approver, Outcome, Question, Said};
use taffrail_app::memory::gate;
use taffrail_domain::{Reply, Surface};
use taffrail_text::Shown;

use crate::output::{Choice, Colour, Dialog, Offers, Output, Place, Screen, Tty, question_lines};

/// How often a question that waits for its turn looks whether it is over.
const LOOK: Duration = Duration::from_millis(100);

/// Asks the person at this process's terminal, one question at a time.
pub struct TerminalApprover<'a> {
    output: &'a Output,
    screen: &'a Screen<'a>,
    turn: Mutex<()>,
}

impl<'a> TerminalApprover<'a> {
    /// None where there is no terminal to ask at, another job has it, or an agent started this: an agent that owns our
    /// terminal would answer for the person.
    pub fn open(app: &App, output: &'a Output, screen: &'a Screen<'a>) -> Option<Self> {
        let somebody = Tty::is_there() && gate::person_only(app).is_ok();
        somebody.then(|| Self {
            output,
            screen,
            turn: Mutex::default(),
        })
    }

    /// Waits for the terminal; none where the question is over before.
    fn turn(&self, over: &dyn Fn() -> Option<Outcome>) -> Option<MutexGuard<'_, ()>> {
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Some(turn),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if over().is_some() => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
    }

    fn asked(&self, question: &Question, over: &dyn Fn() -> Option<Outcome>) -> Option<Said> {
        let mut tty = Tty::open(self.output.is_dumb())?;
        let paint = self.output.paint_tty();
        let rows = |columns| question_lines(question, Place::Run, paint, columns);
        let dialog = Dialog {
            device: &mut tty,
            rows: &rows,
            offers: Offers {
                yes: true,
                edits: question.may_grant,
                skip: false,
            },
            over: &|| over().is_some(),
        };
        let choice = dialog.ask().ok()?;
        let told = told(&choice, over().as_ref());
        let line = paint.with(Colour::Place, &told);
        // A terminal that is gone hears nothing more.
        tty.tell(&line).unwrap_or_default();
        said(choice)
    }
}

impl Approver for TerminalApprover<'_> {
    fn ask(&self, question: &Question, over: &dyn Fn() -> Option<Outcome>) -> Option<Said> {
        let _turn = self.turn(over)?;
        // Dropped last, so that what waited is written when the terminal is as it was.
        let _held = self.screen.hold();
        self.asked(question, over)
    }
}

fn said(choice: Choice) -> Option<Said> {
    let (reply, reason) = match choice {
        Choice::Yes => (Reply::Yes, None),
        Choice::Edits => (Reply::Edits, None),
        Choice::No(reason) => (Reply::No, reason),
        Choice::Skip | Choice::Quit | Choice::Gone | Choice::Over => return None,
    };
    Some(Said {
        reply,
        reason,
        surface: Surface::Terminal,
    })
}

/// What stands where the prompt stood.
fn told(choice: &Choice, over: Option<&Outcome>) -> String {
    match (choice, over) {
        (Choice::Yes, _) => "you said: yes, once".to_owned(),
        (Choice::Edits, _) => "you said: yes, to every edit of this run".to_owned(),
        (Choice::No(None), _) => "you said: no".to_owned(),
        (Choice::No(Some(reason)), _) => format!("you said: no, {}", Shown::line(reason)),
        (_, Some(Outcome::Said(said))) => {
            let (reply, surface) = (said.reply.name(), said.surface.name());
            format!("answered elsewhere ({surface}): {reply}")
        }
        (_, Some(Outcome::Unanswered)) => "nobody answered in time".to_owned(),
        (_, Some(Outcome::Withdrawn) | None) => "the question is withdrawn".to_owned(),
    }
}
