//! `taffrail acp`: ourselves as an agent over standard input and output.

use taffrail_app::peer::{self, Script};
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::AcpArgs;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &AcpArgs) -> Ending {
    let script = args.script.as_deref().map(Script::read).transpose();
    let script = script.map_err(taffrail_app::AppError::from)?;
    let inputs = invocation.inputs();
    peer::serve(&inputs, script, std::io::stdin(), std::io::stdout())?;
    Ok(ExitCode::Done)
}
