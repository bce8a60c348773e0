//! `taffrail workspace`: one file per command.

mod archive;
mod bind;
mod catch_up;
mod create;
mod dismiss;
mod import;
mod list;
mod review;
mod show;
mod words;

use super::Ending;
use crate::cli::{WorkspaceArgs, WorkspaceCommand};
use crate::startup::Invocation;

pub fn wants_json(args: &WorkspaceArgs) -> bool {
    match &args.command {
        WorkspaceCommand::List(args) => args.json,
        WorkspaceCommand::Show(args) => args.json,
        WorkspaceCommand::Create(args) => args.json,
        WorkspaceCommand::CatchUp(args) => args.json,
        WorkspaceCommand::Bind(args) => args.json,
        WorkspaceCommand::Import(args) => args.json,
        WorkspaceCommand::Archive(_)
        | WorkspaceCommand::Dismiss(_)
        | WorkspaceCommand::Review(_) => false,
    }
}

pub fn run(invocation: &Invocation, args: &WorkspaceArgs) -> Ending {
    match &args.command {
        WorkspaceCommand::List(args) => list::run(invocation, args),
        WorkspaceCommand::Show(args) => show::run(invocation, args),
        WorkspaceCommand::Create(args) => create::run(invocation, args),
        WorkspaceCommand::Archive(args) => archive::run(invocation, args),
        WorkspaceCommand::CatchUp(args) => catch_up::run(invocation, args),
        WorkspaceCommand::Bind(args) => bind::run(invocation, args),
        WorkspaceCommand::Dismiss(args) => dismiss::run(invocation, args),
        WorkspaceCommand::Review(args) => review::run(invocation, args),
        WorkspaceCommand::Import(args) => import::run(invocation, args),
    }
}
