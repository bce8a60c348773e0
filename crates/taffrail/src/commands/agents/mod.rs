//! `taffrail agents external …`

mod add;
mod approver;
mod list;
mod offer;
mod probe;
mod run;
mod show;
mod words;

use super::{Ending, boxes};
use crate::cli::{AgentsArgs, AgentsCommand, ExternalCommand};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &AgentsArgs) -> Ending {
    let AgentsCommand::External(args) = &args.command;
    match &args.command {
        ExternalCommand::List(list) => list::run(invocation, list),
        ExternalCommand::Probe(probe) => probe::run(invocation, probe),
        ExternalCommand::Add(add) => add::run(invocation, add),
        ExternalCommand::Run(run) => run::run(invocation, run),
        ExternalCommand::Show(show) => show::run(invocation, show),
        ExternalCommand::Review(review) => boxes::review(invocation, review),
        ExternalCommand::Land(land) => boxes::land(invocation, land),
        ExternalCommand::Discard(named) => boxes::discard(invocation, named),
    }
}

/// Whether the answer, an error too, is to be JSON.
pub fn wants_json(args: &AgentsArgs) -> bool {
    let AgentsCommand::External(args) = &args.command;
    match &args.command {
        ExternalCommand::List(list) => list.json,
        ExternalCommand::Probe(probe) => probe.json,
        ExternalCommand::Run(run) => run.json,
        ExternalCommand::Show(show) => show.json,
        ExternalCommand::Review(review) => review.json,
        ExternalCommand::Add(_) | ExternalCommand::Land(_) | ExternalCommand::Discard(_) => false,
    }
}
