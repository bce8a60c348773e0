//! `taffrail hook`: what another program calls at the start and the end of its sessions.

use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::{HookArgs, HookCommand};
use crate::startup::Invocation;

pub fn run(_invocation: &Invocation, args: &HookArgs) -> Ending {
    match &args.command {
        HookCommand::SessionStart(_) | HookCommand::SessionEnd(_) => Ok(ExitCode::Done),
    }
}
