//! `taffrail`: parses what was typed, opens what it needs, calls one use case, turns its end into an exit code.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod failure;
mod output;
mod startup;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use taffrail_confine::supervise;

use cli::{Cli, Command};
use output::Output;
use startup::Invocation;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // The supervisor and the warden of a run are this program too; they must meet nothing of the rest.
    if let Some(code) = supervise::reexec(&args) {
        return ExitCode::from(code);
    }
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error, &args),
    };
    // The pipe of an agent in a run needs a folder and a token, and neither HOME nor working directory.
    if let Command::ServeMcp(args) = &cli.command
        && args.broker
    {
        return commands::broker(&startup::environment());
    }
    let invocation = match Invocation::new() {
        Ok(invocation) => invocation,
        Err(failure) => {
            let plain = Output::new(true, None);
            return failure.report(&plain, cli.command.wants_json());
        }
    };
    match commands::run(&invocation, &cli.command) {
        Ok(code) => ExitCode::from(code as u8),
        Err(failure) => failure
            .of_command(|| usage::help(&args))
            .report(&invocation.output, cli.command.wants_json()),
    }
}
