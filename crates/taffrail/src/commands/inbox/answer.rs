//! A person's answer: the question whole on their terminal, then one key.

use std::collections::BTreeSet;

use taffrail_app::external::questions::{self, Said, Waiting};
use taffrail_app::memory::gate;
use taffrail_app::{App, AppError};
use taffrail_confine::interrupt::Interrupt;
use taffrail_domain::{ErrorCode, ExitCode, QuestionId, Reply, Surface};
use taffrail_text::Shown;

use crate::cli::{InboxAnswerArgs, ReplyChoice};
use crate::commands::Ending;
use crate::failure::Failure;
use crate::output::{Choice, Colour, Dialog, Offers, Place, Tty, question_lines};
use crate::startup::Invocation;

/// Whether a person sits there: all three streams are their terminal.
pub fn is_person(invocation: &Invocation) -> bool {
    invocation.output.can_ask() && invocation.output.stdout_is_terminal
}

/// `taffrail inbox answer`: a no is taken as it was typed; a yes is asked for again below the whole question.
pub fn one(invocation: &Invocation, args: &InboxAnswerArgs) -> Ending {
    require_person(invocation)?;
    let app = invocation.open()?;
    gate::person_only(&app)?;
    let waiting = questions::find(&app, &args.id)?;
    let offers = match args.reply {
        ReplyChoice::No => {
            questions::answer(&app, &waiting, &no(args.reason.clone()))?;
            tell(invocation, &waiting, &no(args.reason.clone()));
            return Ok(ExitCode::Done);
        }
        ReplyChoice::Yes => Offers {
            yes: true,
            edits: false,
            skip: true,
        },
        ReplyChoice::Edits => Offers {
            yes: false,
            edits: true,
            skip: true,
        },
    };
    must_take(&waiting, args)?;
    match ask(invocation, &app, &waiting, offers)? {
        Step::Answered => Ok(ExitCode::Done),
        Step::Skipped | Step::Left | Step::Over => Ok(ExitCode::Failure),
        Step::Interrupted => Ok(ExitCode::Interrupted),
    }
}

/// One after the other, also those that come meanwhile, until nothing waits that was not skipped.
pub fn all(invocation: &Invocation, app: &App, mut waiting: Vec<Waiting>) -> Ending {
    let mut seen: BTreeSet<QuestionId> = BTreeSet::new();
    loop {
        let next = waiting.iter().find(|one| !seen.contains(&one.question.id));
        let Some(next) = next else {
            invocation.output.say("nothing else waits for you");
            return Ok(ExitCode::Done);
        };
        seen.insert(next.question.id);
        let whole = !next.question.view.masked;
        let offers = Offers {
            yes: whole,
            edits: whole && next.question.may_grant,
            skip: true,
        };
        match ask(invocation, app, next, offers)? {
            Step::Left => return Ok(ExitCode::Done),
            Step::Interrupted => return Ok(ExitCode::Interrupted),
            Step::Answered | Step::Skipped | Step::Over => {}
        }
        waiting = questions::waiting(app)?;
    }
}

enum Step {
    Answered,
    Skipped,
    Left,
    Over,
    Interrupted,
}

fn ask(
    invocation: &Invocation,
    app: &App,
    waiting: &Waiting,
    offers: Offers,
) -> Result<Step, Failure> {
    let output = &invocation.output;
    let interrupt = Interrupt::note();
    let choice = {
        let mut tty = Tty::open(output.is_dumb()).ok_or_else(needs_terminal)?;
        let place = Place::Inbox(&waiting.run_name);
        let rows = |columns| question_lines(&waiting.question, place, output.paint(), columns);
        let id = waiting.question.id.short();
        let is_over = || {
            // What cannot be read now is told when the answer is written.
            interrupt.came() || questions::find(app, &id).is_ok_and(|now| !now.is_open())
        };
        let dialog = Dialog {
            device: &mut tty,
            rows: &rows,
            offers,
            over: &is_over,
        };
        dialog.ask()?
    };
    if interrupt.came() {
        return Ok(Step::Interrupted);
    }
    let said = match choice {
        Choice::Yes => yes(Reply::Yes),
        Choice::Edits => yes(Reply::Edits),
        Choice::No(reason) => no(reason),
        Choice::Skip => return Ok(Step::Skipped),
        Choice::Quit | Choice::Gone => return Ok(Step::Left),
        Choice::Over => {
            say(
                invocation,
                "it does not wait any more: somebody was faster, or its run is over",
            );
            return Ok(Step::Over);
        }
    };
    match questions::answer(app, waiting, &said) {
        Ok(()) => {
            tell(invocation, waiting, &said);
            Ok(Step::Answered)
        }
        Err(error) if error.code() == ErrorCode::QuestionClosed => {
            say(invocation, Shown::line(&error.to_string()).as_str());
            Ok(Step::Over)
        }
        Err(error) => Err(error.into()),
    }
}

/// What would be refused at the end is refused before anybody reads.
fn must_take(waiting: &Waiting, args: &InboxAnswerArgs) -> Result<(), Failure> {
    let reply = match args.reply {
        ReplyChoice::Yes => Reply::Yes,
        ReplyChoice::Edits => Reply::Edits,
        ReplyChoice::No => Reply::No,
    };
    if args.reason.is_some() {
        let message = "a reason goes with a no: the agent is told why not";
        return Err(Failure::new(ErrorCode::Usage, message));
    }
    questions::takes(waiting, reply).map_err(AppError::from)?;
    Ok(())
}

fn require_person(invocation: &Invocation) -> Result<(), Failure> {
    match is_person(invocation) {
        true => Ok(()),
        false => Err(needs_terminal()),
    }
}

fn needs_terminal() -> Failure {
    Failure::new(
        ErrorCode::NeedsTerminal,
        "a person at a terminal answers: standard input, output and error must be one",
    )
}

fn yes(reply: Reply) -> Said {
    Said {
        reply,
        reason: None,
        surface: Surface::Inbox,
    }
}

fn no(reason: Option<String>) -> Said {
    Said {
        reply: Reply::No,
        reason,
        surface: Surface::Inbox,
    }
}

fn tell(invocation: &Invocation, waiting: &Waiting, said: &Said) {
    let reply = match said.reply {
        Reply::Yes => "yes, once",
        Reply::Edits => "yes, to every edit of its run",
        Reply::No => "no",
    };
    say(invocation, &format!("{}: {reply}", waiting.question.id));
}

fn say(invocation: &Invocation, line: &str) {
    let output = &invocation.output;
    output.say(&output.paint_talk().with(Colour::Place, line));
}
