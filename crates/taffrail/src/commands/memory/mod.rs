//! `taffrail memory`: one file per command.

mod add;
mod blame;
pub mod evidence;
mod export;
mod import;
mod list;
pub mod review;
mod search;
pub mod seeds;
mod show;
mod why;
mod why_not;
pub mod words;

use taffrail_app::memory::write::Owner;

use super::Ending;
use crate::cli::{MemoryArgs, MemoryCommand, ScopeArgs};
use crate::startup::Invocation;

pub fn wants_json(args: &MemoryArgs) -> bool {
    match &args.command {
        MemoryCommand::Add(args) => args.json,
        MemoryCommand::List(args) => args.json,
        MemoryCommand::Show(args) => args.json,
        MemoryCommand::Search(args) => args.json,
        MemoryCommand::Why(args) => args.json,
        MemoryCommand::WhyNot(args) => args.json,
        MemoryCommand::Blame(args) => args.json,
        MemoryCommand::Export(args) => args.json,
        MemoryCommand::Import(args) => args.json,
        MemoryCommand::Review(_) | MemoryCommand::Edit(_) | MemoryCommand::Undo(_) => false,
    }
}

pub fn run(invocation: &Invocation, args: &MemoryArgs) -> Ending {
    match &args.command {
        MemoryCommand::Add(args) => add::run(invocation, args),
        MemoryCommand::List(args) => list::run(invocation, args),
        MemoryCommand::Show(args) => show::run(invocation, args),
        MemoryCommand::Review(args) => review::run(invocation, args),
        MemoryCommand::Edit(args) => review::edit(invocation, &args.memory),
        MemoryCommand::Undo(args) => review::undo(invocation, &args.memory),
        MemoryCommand::Search(args) => search::run(invocation, args),
        MemoryCommand::Why(args) => why::run(invocation, args),
        MemoryCommand::WhyNot(args) => why_not::run(invocation, args),
        MemoryCommand::Blame(args) => blame::run(invocation, args),
        MemoryCommand::Export(args) => export::run(invocation, args),
        MemoryCommand::Import(args) => import::run(invocation, args),
    }
}

/// Whose memory the flags mean.
pub fn owner(scope: &ScopeArgs) -> Owner<'_> {
    match (&scope.project, scope.personal) {
        (_, true) => Owner::Personal,
        (Some(name), false) => Owner::Project(name),
        (None, false) => Owner::Current,
    }
}

/// The same for a list; none with `--all`.
pub fn owner_or_all(scope: &ScopeArgs, all: bool) -> Option<Owner<'_>> {
    (!all).then(|| owner(scope))
}
