//! `taffrail memory review`: what waits, one by one, on a person's terminal (REV-03).

mod edit;
mod keys;

use taffrail_app::doctor::Weight;
use taffrail_app::memory::{Candidate, Reviewer, queue, text_to_review};
use taffrail_app::{App, AppError, secrets};
use taffrail_domain::{ContentHash, ErrorCode, ExitCode, MemoryId, MemoryStatus, Shelf};
use taffrail_memory::review::{Consent, Decision, Key as KeyPress, Surface, code};
use taffrail_store::{MemoryCursor, ReviewOutcome, Whose};
use taffrail_text::Shown;

use super::{Ending, owner_or_all, words};
use crate::cli::MemoryReviewArgs;
use crate::commands::ask_line;
use crate::failure::Failure;
use crate::output::Colour;
use crate::startup::Invocation;

use keys::{Choice, QUESTION};

pub fn run(invocation: &Invocation, args: &MemoryReviewArgs) -> Ending {
    require_person(invocation)?;
    let app = invocation.open()?;
    let mut session = Session::new(invocation, &app)?;
    let ending = if args.memories.is_empty() {
        session.queue(args)
    } else {
        session.each_of(&args.memories, Shows::All)
    };
    ending.and_then(|going_on| session.close(going_on))
}

/// The same queue, held to these memories, each as it stands when its turn comes; `heading` says what they are of.
pub fn run_over(
    invocation: &Invocation,
    app: &App,
    heading: &str,
    memories: &[MemoryId],
) -> Ending {
    let mut session = Session::new(invocation, app)?;
    session.say(heading);
    session.warn_of_place();
    let named: Vec<String> = memories.iter().map(MemoryId::short).collect();
    let going_on = session.each_of(&named, Shows::Waiting)?;
    session.close(going_on)
}

/// One of these two surfaces shows a whole text to a person: stdin and stdout must both be their terminal.
pub fn require_person(invocation: &Invocation) -> Result<(), Failure> {
    let output = &invocation.output;
    if output.can_ask() && output.stdout_is_terminal {
        return Ok(());
    }
    Err(Failure::new(
        ErrorCode::NeedsTerminal,
        "a person at a terminal reviews: standard input, output and error must be one",
    ))
}

/// Shows one memory whole and confirms it on the spot: `memory add --confirm`.
pub fn confirm_now(invocation: &Invocation, app: &App, memory: &MemoryId) -> Ending {
    let mut session = Session::new(invocation, app)?;
    let candidate = queue::find(app, &memory.short())?;
    session.show(&candidate)?;
    session.act(&candidate, Choice::Confirm)?;
    Ok(if session.decided == 1 {
        ExitCode::Done
    } else {
        ExitCode::Failure
    })
}

/// Whether there is more to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GoOn {
    Next,
    Again,
    Quit,
    Interrupted,
}

/// Which of the memories that are named are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Each, whatever was decided before: its id was typed.
    All,
    /// Those that still wait when their turn comes.
    Waiting,
}

/// Columns of a summary, where the whole text was shown before.
const SUMMARY: usize = 74;

/// One sitting at the queue.
struct Session<'a> {
    invocation: &'a Invocation,
    app: &'a App,
    reviewer: Reviewer<'a>,
    /// What was shown and is to be confirmed together.
    batch: Vec<Candidate>,
    last: Option<MemoryId>,
    decided: usize,
    notes: Option<String>,
}

impl<'a> Session<'a> {
    fn new(invocation: &'a Invocation, app: &'a App) -> Result<Self, Failure> {
        Ok(Self {
            invocation,
            app,
            reviewer: Reviewer::open(app)?,
            batch: Vec::new(),
            last: None,
            decided: 0,
            notes: None,
        })
    }

    fn queue(&mut self, args: &MemoryReviewArgs) -> Result<GoOn, Failure> {
        let whose = queue::whose(self.app, owner_or_all(&args.scope, args.all))?;
        let shelf = if args.quarantine {
            Shelf::Quarantine
        } else {
            Shelf::Queue
        };
        self.announce(&whose, shelf)?;
        self.warn_of_place();
        let mut after: Option<MemoryCursor> = None;
        while let Some((candidate, here)) = queue::waiting(self.app, &whose, shelf, after)? {
            match self.one(&candidate)? {
                GoOn::Next => after = Some(here),
                GoOn::Again => {}
                end @ (GoOn::Quit | GoOn::Interrupted) => return Ok(end),
            }
        }
        Ok(GoOn::Next)
    }

    fn each_of(&mut self, memories: &[String], shows: Shows) -> Result<GoOn, Failure> {
        for memory in memories {
            loop {
                let candidate = queue::find(self.app, memory)?;
                if shows == Shows::Waiting && candidate.row.status != MemoryStatus::Pending {
                    break;
                }
                match self.one(&candidate)? {
                    GoOn::Next => break,
                    GoOn::Again => {}
                    end @ (GoOn::Quit | GoOn::Interrupted) => return Ok(end),
                }
            }
        }
        Ok(GoOn::Next)
    }

    fn announce(&self, whose: &Whose, shelf: Shelf) -> Result<(), Failure> {
        let counts = queue::counts(self.app, whose)?;
        let line = match shelf {
            Shelf::Queue => format!(
                "{} to review, {} in quarantine",
                counts.queue, counts.quarantine
            ),
            Shelf::Quarantine => format!("{} in quarantine", counts.quarantine),
        };
        self.say(&line);
        Ok(())
    }

    /// Said before anybody reads and types a code for nothing.
    fn warn_of_place(&self) {
        let findings = secrets::findings(&self.app.inputs);
        for finding in findings.iter().filter(|one| one.weight != Weight::Good) {
            let saw = Shown::line(&finding.saw);
            self.say(&format!("note: {saw}\nhint: {}", finding.fix));
        }
    }

    fn one(&mut self, candidate: &Candidate) -> Result<GoOn, Failure> {
        self.show(candidate)?;
        loop {
            let Some(choice) = keys::choose(&self.invocation.output, QUESTION)? else {
                return Ok(GoOn::Interrupted);
            };
            if let Some(going_on) = self.act(candidate, choice)? {
                return Ok(going_on);
            }
        }
    }

    fn show(&self, candidate: &Candidate) -> Result<(), Failure> {
        let output = &self.invocation.output;
        let text = words::whole(output.paint(), candidate, self.invocation.now());
        output.page(&format!("\n{text}"))?;
        Ok(())
    }

    /// Does what was chosen; none where the question stands again.
    fn act(&mut self, candidate: &Candidate, choice: Choice) -> Result<Option<GoOn>, Failure> {
        let key = KeyPress::pressed(Surface::Terminal);
        let decision = match choice {
            Choice::Skip => return Ok(Some(GoOn::Next)),
            Choice::Quit => return Ok(Some(GoOn::Quit)),
            Choice::Help => {
                self.say(keys::HELP);
                return Ok(None);
            }
            Choice::Batch => return self.put_into_batch(candidate),
            Choice::ConfirmBatch => return self.confirm_batch(),
            Choice::Undo => return self.undo_last(),
            Choice::Edit => return edit::edit(self, candidate),
            Choice::Note => {
                self.notes = ask_line(&self.invocation.output, "note, kept beside the decision:")?;
                return Ok(None);
            }
            Choice::Confirm => match self.consent(std::slice::from_ref(candidate))? {
                Some(consent) => Decision::Confirm(consent),
                None => return Ok(None),
            },
            Choice::Replace => match self.replacement(candidate)? {
                Some(decision) => decision,
                None => return Ok(None),
            },
            Choice::Merge => match self.neighbour(candidate)? {
                Some(into) => Decision::Merge { into, key },
                None => return Ok(None),
            },
            Choice::Evidence => Decision::Evidence(key),
            Choice::Restrict => Decision::Restrict(key),
            Choice::Reject => Decision::Reject(key),
            Choice::Stale => Decision::Stale(key),
        };
        self.decide(std::slice::from_ref(candidate), decision)
    }

    fn decide(
        &mut self,
        candidates: &[Candidate],
        decision: Decision,
    ) -> Result<Option<GoOn>, Failure> {
        let (notes, done) = (self.notes.take(), words::done(&decision));
        let outcome = self.reviewer.decide(candidates, decision, notes.as_deref());
        self.tell(outcome, done)
    }

    /// What a decision came to; a candidate that changed meanwhile is shown again.
    fn tell(
        &mut self,
        outcome: Result<ReviewOutcome, AppError>,
        done: &str,
    ) -> Result<Option<GoOn>, Failure> {
        match outcome {
            Ok(outcome) => {
                self.decided += outcome.rows.len();
                self.last = outcome.rows.last().map(|row| row.memory);
                for row in &outcome.rows {
                    self.say(&format!("{}: {done}", row.memory));
                }
                Ok(Some(GoOn::Next))
            }
            Err(error) if error.code() == ErrorCode::Conflict => {
                self.say("it was changed meanwhile; here it is as it is now");
                Ok(Some(GoOn::Again))
            }
            Err(error) if error.code() == ErrorCode::TransitionRefused => {
                self.say(Shown::line(&error.to_string()).as_str());
                Ok(None)
            }
            // Nothing was decided, and what needs no key can still be.
            Err(error) if is_of_place(error.code()) => {
                Failure::from(error).tell(&self.invocation.output);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The typed code over exactly what was shown; none where something else was typed.
    fn consent(&self, candidates: &[Candidate]) -> Result<Option<Consent>, Failure> {
        self.consent_to(shown(candidates))
    }

    fn consent_to(&self, shown: Vec<(MemoryId, ContentHash)>) -> Result<Option<Consent>, Failure> {
        let question = match shown.as_slice() {
            [_] => format!(
                "to confirm, type the first 6 digits of its hash, {}:",
                code(&shown)
            ),
            many => format!("to confirm all {}, type {}:", many.len(), code(&shown)),
        };
        let typed = ask_line(&self.invocation.output, &question)?.unwrap_or_default();
        if typed.trim().is_empty() {
            self.say("nothing was typed: nothing is confirmed");
            return Ok(None);
        }
        match Consent::typed(shown, &typed, Surface::Terminal) {
            Ok(consent) => Ok(Some(consent)),
            Err(wrong) => {
                self.say(Shown::line(&wrong.to_string()).as_str());
                Ok(None)
            }
        }
    }

    fn replacement(&self, candidate: &Candidate) -> Result<Option<Decision>, Failure> {
        let Some(old) = self.neighbour(candidate)? else {
            return Ok(None);
        };
        let consent = self.consent(std::slice::from_ref(candidate))?;
        Ok(consent.map(|consent| Decision::Replace { old, consent }))
    }

    /// Which memory is meant: a neighbour by its number, or any by its id.
    fn neighbour(&self, candidate: &Candidate) -> Result<Option<MemoryId>, Failure> {
        let question = "which one? a number from above, or an id:";
        let typed = ask_line(&self.invocation.output, question)?.unwrap_or_default();
        let typed = typed.trim();
        let beside = candidate
            .neighbours
            .iter()
            .find(|beside| typed == beside.letter.to_string());
        if let Some(beside) = beside {
            return Ok(Some(beside.row.id));
        }
        match queue::find(self.app, typed) {
            Ok(other) => {
                self.show(&other)?;
                Ok(Some(other.row.id))
            }
            Err(error) => {
                self.say(Shown::line(&error.to_string()).as_str());
                Ok(None)
            }
        }
    }

    fn put_into_batch(&mut self, candidate: &Candidate) -> Result<Option<GoOn>, Failure> {
        self.batch.retain(|kept| kept.row.id != candidate.row.id);
        self.batch.push(candidate.clone());
        self.say(&format!(
            "in the batch: {}; B confirms it",
            self.batch.len()
        ));
        Ok(Some(GoOn::Next))
    }

    fn confirm_batch(&mut self) -> Result<Option<GoOn>, Failure> {
        if self.batch.is_empty() {
            self.say("the batch is empty: b puts the memory that is shown into it");
            return Ok(None);
        }
        let batch = std::mem::take(&mut self.batch);
        let paint = self.invocation.output.paint_talk();
        for candidate in &batch {
            let summary = Shown::line(&text_to_review(&candidate.row).summary).truncated(SUMMARY);
            let head = words::head(paint, candidate, self.invocation.now());
            self.say(&format!("{head}\n  {summary}"));
        }
        match self.consent(&batch)? {
            Some(consent) => {
                let going_on = self.decide(&batch, Decision::Confirm(consent))?;
                if going_on.is_none() {
                    self.batch = batch;
                }
                Ok(going_on.map(|_| GoOn::Again))
            }
            None => {
                self.batch = batch;
                Ok(None)
            }
        }
    }

    fn undo_last(&mut self) -> Result<Option<GoOn>, Failure> {
        let Some(memory) = self.last else {
            self.say("nothing was decided yet in this sitting; taffrail memory undo ID takes an older one back");
            return Ok(None);
        };
        let candidate = queue::find(self.app, &memory.short())?;
        let before = self.decided;
        self.undo(&candidate)?;
        // What was taken back is not decided any more, and taking it back was no decision of its own.
        let taken_back = self.decided.saturating_sub(before);
        self.decided = before.saturating_sub(taken_back);
        Ok(Some(GoOn::Again))
    }

    /// Takes the last decision on a memory back; asks for the code where what comes back may instruct.
    fn undo(&mut self, candidate: &Candidate) -> Result<(), Failure> {
        let plan = self.reviewer.undo_plan(&candidate.row.id)?;
        let decision = if plan.needs_code {
            let mut shown = Vec::new();
            for row in &plan.rows {
                self.show(&self.reviewer.restored(row)?)?;
                shown.push((row.memory, row.content));
            }
            match self.consent_to(shown)? {
                Some(consent) => Decision::UndoToConfirmed(consent),
                None => return Ok(()),
            }
        } else {
            Decision::Undo(KeyPress::pressed(Surface::Terminal))
        };
        let notes = self.notes.take();
        let outcome = self
            .reviewer
            .undo(candidate, &plan, decision, notes.as_deref());
        self.tell(outcome, "the last decision is taken back")?;
        Ok(())
    }

    fn close(&mut self, going_on: GoOn) -> Ending {
        if !self.batch.is_empty() && going_on != GoOn::Interrupted {
            self.confirm_batch()?;
        }
        if !self.batch.is_empty() {
            self.say("the batch was not confirmed: its memories wait as before");
        }
        self.say(&format!("{} decided", self.decided));
        Ok(match going_on {
            GoOn::Interrupted => ExitCode::Interrupted,
            GoOn::Next | GoOn::Again | GoOn::Quit => ExitCode::Done,
        })
    }

    fn say(&self, line: &str) {
        let paint = self.invocation.output.paint_talk();
        self.invocation.output.say(&paint.with(Colour::Place, line));
    }
}

/// `taffrail memory undo`
pub fn undo(invocation: &Invocation, memory: &str) -> Ending {
    one(
        invocation,
        memory,
        ExitCode::Failure,
        |session, candidate| session.undo(candidate),
    )
}

/// `taffrail memory edit`
pub fn edit(invocation: &Invocation, memory: &str) -> Ending {
    one(invocation, memory, ExitCode::Done, |session, candidate| {
        if edit::edit(session, candidate)?.is_some() {
            let id = candidate.row.id;
            session.say(&format!("hint: taffrail memory review {id}"));
        }
        Ok(())
    })
}

fn one(
    invocation: &Invocation,
    memory: &str,
    nothing_decided: ExitCode,
    act: impl FnOnce(&mut Session<'_>, &Candidate) -> Result<(), Failure>,
) -> Ending {
    require_person(invocation)?;
    let app = invocation.open()?;
    let mut session = Session::new(invocation, &app)?;
    let candidate = queue::find(&app, memory)?;
    act(&mut session, &candidate)?;
    Ok(match session.decided {
        0 => nothing_decided,
        _ => ExitCode::Done,
    })
}

/// Whether an error is of the place of secrets, where the seal key is.
fn is_of_place(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::KeychainUnavailable | ErrorCode::SecretStoreDamaged | ErrorCode::PassphraseWrong
    )
}

fn shown(candidates: &[Candidate]) -> Vec<(MemoryId, ContentHash)> {
    candidates
        .iter()
        .map(|candidate| (candidate.row.id, text_to_review(&candidate.row).hash))
        .collect()
}
