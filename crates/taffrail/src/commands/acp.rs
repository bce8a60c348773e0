//! `taffrail acp`: ourselves as an agent over standard input and output.

use taffrail_app::AppError;
use taffrail_app::peer::{self, Script};
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::AcpArgs;
use crate::failure::Failure;
use crate::startup::Invocation;

/// Where a person finds what a script may hold.
const STEPS: &str = "taffrail acp --help";

/// For whoever typed it to see what it does.
const FOR_A_PROGRAM: &str =
    "an editor or another client starts this and speaks JSON with it, a line each; Ctrl-D ends it";

pub fn run(invocation: &Invocation, args: &AcpArgs) -> Ending {
    let script = args.script.as_deref().map(Script::read).transpose();
    // A script is no configuration of ours.
    let script = script.map_err(|fault| Failure::from(AppError::from(fault)).hinting(STEPS))?;
    if invocation.output.can_ask() {
        invocation.output.say(FOR_A_PROGRAM);
    }
    let inputs = invocation.inputs();
    peer::serve(&inputs, script, std::io::stdin(), std::io::stdout())?;
    Ok(ExitCode::Done)
}
