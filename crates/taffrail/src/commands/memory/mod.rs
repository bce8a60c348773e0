//! `taffrail memory`: one file per command.

use super::Ending;
use crate::cli::{MemoryArgs, MemoryCommand};
use crate::failure::Failure;
use crate::startup::Invocation;
use taffrail_domain::ErrorCode;

pub fn wants_json(args: &MemoryArgs) -> bool {
    match &args.command {
        MemoryCommand::Add(args) => args.json,
        MemoryCommand::List(args) => args.json,
        MemoryCommand::Show(args) => args.json,
        MemoryCommand::Search(args) => args.json,
        MemoryCommand::Review(_) | MemoryCommand::Edit(_) | MemoryCommand::Undo(_) => false,
    }
}

pub fn run(_: &Invocation, args: &MemoryArgs) -> Ending {
    match &args.command {
        MemoryCommand::Add(_)
        | MemoryCommand::List(_)
        | MemoryCommand::Show(_)
        | MemoryCommand::Review(_)
        | MemoryCommand::Edit(_)
        | MemoryCommand::Undo(_)
        | MemoryCommand::Search(_) => Err(Failure::new(ErrorCode::Internal, "not yet")),
    }
}
