//! `taffrail completions SHELL` and `taffrail man`: generated from the same types that parse.

use clap::{Command, CommandFactory};
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

/// The page of the program and one of each command: they are looked up in no directory, so they come together.
pub fn man(invocation: &Invocation) -> Ending {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    render(&root, &mut pages)?;
    invocation.output.data(&pages)?;
    Ok(ExitCode::Done)
}

fn render(command: &Command, pages: &mut Vec<u8>) -> std::io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    let named = command.get_subcommands();
    named
        .filter(|within| within.get_name() != "help")
        .try_for_each(|within| render(within, pages))
}
