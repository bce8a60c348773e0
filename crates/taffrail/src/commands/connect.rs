//! `taffrail connect`: the entry of our MCP server in another program's configuration.

use taffrail_domain::ErrorCode;

use super::Ending;
use crate::cli::{ConnectArgs, ProgramChoice};
use crate::failure::Failure;
use crate::startup::Invocation;

pub fn run(_invocation: &Invocation, args: &ConnectArgs) -> Ending {
    let name = args.program.or(args.undo).map(ProgramChoice::program);
    let name = name.map_or("no program", |program| program.name());
    Err(Failure::new(
        ErrorCode::NotConnected,
        &format!("{name} is not connected"),
    ))
}

pub const fn wants_json(args: &ConnectArgs) -> bool {
    args.json
}
