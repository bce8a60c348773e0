//! How a run ends at a terminal, of a box or of an agent that was driven: a person says what becomes of its change.

use taffrail_app::App;
use taffrail_app::boxes::{self, ChangeReport};
use taffrail_domain::{ChangeState, RunId, RunKind, RunStatus};

use super::ask::{self, Choice};
use super::{land, review, words};
use crate::failure::Failure;
use crate::startup::Invocation;

/// A run that is over, and how it was started.
pub struct Over<'a> {
    pub run: &'a RunId,
    pub kind: RunKind,
    /// What the run is called in a hint.
    pub name: &'a str,
    pub status: RunStatus,
    pub change: &'a ChangeReport,
    pub unattended: bool,
    pub json: bool,
}

impl Over<'_> {
    /// Whether there is a person to decide. Whoever ended taffrail itself wants no question.
    fn asks(&self, invocation: &Invocation) -> bool {
        let wanted = !self.unattended && !self.json && self.status != RunStatus::Cancelled;
        wanted && invocation.output.can_ask()
    }

    fn review(&self) -> String {
        words::command(self.kind, "review", self.name)
    }
}

/// Asks what becomes of a change that waits. Where nobody can be asked, says how it is looked at.
pub fn ending(invocation: &Invocation, app: &App, over: &Over<'_>) -> Result<(), Failure> {
    if over.change.state != ChangeState::Pending {
        return Ok(());
    }
    if over.asks(invocation) {
        return decide(invocation, app, over);
    }
    if !over.json {
        invocation.output.say(&format!("hint: {}", over.review()));
    }
    Ok(())
}

/// The person's decision. What is not decided here waits.
fn decide(invocation: &Invocation, app: &App, over: &Over<'_>) -> Result<(), Failure> {
    let mut changes = over.change.changes.iter();
    let can_land = changes.all(|change| change.refused.is_none());
    let run = over.run.short();
    loop {
        match ask::choice(&invocation.output, can_land)? {
            Choice::Review => {
                let reviewed = boxes::review::find(app, &run)?;
                review::page(invocation, app, &reviewed)?;
            }
            Choice::Land => {
                return land::with_questions(invocation, app, &run, &land::Wishes::default());
            }
            Choice::Discard => {
                boxes::discard::by_name(app, &run)?;
                invocation.output.say("discarded");
                return Ok(());
            }
            Choice::Keep => {
                let line = format!("it waits: {}", over.review());
                invocation.output.say(&line);
                return Ok(());
            }
        }
    }
}
