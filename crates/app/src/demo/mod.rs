//! `taffrail demo`: the main job, offline, on a throw-away project in a throw-away home (CLI-04).
//!
//! The commands are real ones of this very program, started on a pseudo-terminal; the person's part is played, and
//! the output says so. No other command has that path.

mod acts;
mod stage;

use std::path::PathBuf;

use taffrail_confine::fs::remove_tree;

use crate::memory::gate;
use crate::{AppError, AppInputs};

/// What a demo tells while it goes on.
pub enum Shown<'a> {
    /// A line of ours.
    Line(&'a str),
    /// What the played terminal shows, as it is.
    Terminal(&'a [u8]),
}

/// Where the demo left its things.
pub struct Demo {
    /// The throw-away folder with everything in it.
    pub folder: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// The home.
    pub home: PathBuf,
    /// The run of the agent.
    pub run: String,
}

/// Plays the whole of it.
///
/// # Errors
/// `AgentPresent` where an agent started this: its commands would take the played person for that agent, and ask nobody. What
/// a command that is played came to.
pub fn play(inputs: &AppInputs, tell: &mut dyn FnMut(Shown<'_>)) -> Result<Demo, AppError> {
    gate::no_agent_above(&taffrail_config::load(None, &|_| None)?, &inputs.exe)?;
    let demo = stage::stage(inputs)?;
    tell(Shown::Line(
        "a throw-away project, and a home of its own with a seal key of its own; nothing of yours is used",
    ));
    let mut acts = acts::Acts::new(inputs, &demo, tell);
    acts.choose_a_place_for_the_key()?;
    let run = acts.drive_an_agent()?;
    acts.look(&run)?;
    acts.land(&run)?;
    acts.catch_up()?;
    acts.nothing_is_recalled_yet()?;
    acts.review()?;
    acts.recall()?;
    acts.audit()?;
    Ok(Demo { run, ..demo })
}

/// Removes what the demo left.
pub fn clean(demo: &Demo) -> Result<(), AppError> {
    Ok(remove_tree(&demo.folder)?)
}
