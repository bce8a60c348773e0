//! `taffrail workspace review`: the one queue of the memory's review, held to what a workspace or proposal brought.

use taffrail_app::workspaces;
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::WorkspaceReviewArgs;
use crate::commands::memory::review;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &WorkspaceReviewArgs) -> Ending {
    review::require_person(invocation)?;
    let app = invocation.open()?;
    let list = workspaces::to_review(&app, args.what.as_deref())?;
    if list.memories.is_empty() {
        let output = &invocation.output;
        output.say(&format!("nothing of {} waits for a review", list.of));
        output.say("hint: taffrail workspace catch-up");
        return Ok(ExitCode::Done);
    }
    let heading = format!("{} to review of {}", list.memories.len(), list.of);
    review::run_over(invocation, &app, &heading, &list.memories)
}
