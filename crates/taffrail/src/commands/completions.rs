//! `taffrail completions SHELL` and `taffrail man`: generated from the same types that parse.

use clap::CommandFactory;
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::{Cli, CompletionsArgs};
use crate::startup::Invocation;

pub fn completions(invocation: &Invocation, args: &CompletionsArgs) -> Ending {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "taffrail", &mut script);
    invocation.output.data(&script)?;
    Ok(ExitCode::Done)
}

pub fn man(invocation: &Invocation) -> Ending {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    invocation.output.data(&page)?;
    Ok(ExitCode::Done)
}
