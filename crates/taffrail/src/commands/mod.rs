//! One file per command: from what was typed to a use case, from its result to words.

mod acp;
mod agents;
mod audit;
mod backup;
mod boxes;
mod completions;
mod config;
mod connect;
mod demo;
mod doctor;
mod export;
mod hook;
mod inbox;
mod init;
mod lines;
mod memory;
mod notebook;
mod policy;
mod project;
mod prompt;
mod purge;
mod redact;
mod restore;
mod secret;
mod serve_mcp;
mod sessions;
mod trust;
mod when;
mod workspace;

use boxes::ask_line;
pub use serve_mcp::broker;
use taffrail_domain::ExitCode;

use crate::cli::{BoxCommand, Command, ConfigCommand, TrustCommand};
use crate::failure::Failure;
use crate::startup::Invocation;

/// How a command ends.
pub type Ending = Result<ExitCode, Failure>;

/// Runs the command.
pub fn run(invocation: &Invocation, command: &Command) -> Ending {
    match command {
        Command::Box(args) => boxes::run(invocation, args),
        Command::Agents(args) => agents::run(invocation, args),
        Command::Inbox(args) => inbox::run(invocation, args),
        Command::Memory(args) => memory::run(invocation, args),
        Command::Notebook(args) => notebook::run(invocation, args),
        Command::Project(args) => project::run(invocation, args),
        Command::Workspace(args) => workspace::run(invocation, args),
        Command::Prompt(args) => prompt::run(invocation, args),
        Command::Connect(args) => connect::run(invocation, args),
        Command::Hook(args) => hook::run(invocation, args),
        Command::ServeMcp(args) => serve_mcp::run(invocation, args),
        Command::Acp(args) => acp::run(invocation, args),
        Command::Audit(args) => audit::run(invocation, args),
        Command::Secret(args) => secret::run(invocation, args),
        Command::Demo(args) => demo::run(invocation, args),
        Command::Redact(args) => redact::run(invocation, args),
        Command::Policy(args) => policy::run(invocation, args),
        Command::Trust(args) => trust::run(invocation, args),
        Command::Config(args) => config::run(invocation, args),
        Command::Init(_) => init::run(invocation),
        Command::Doctor(args) => doctor::run(invocation, args),
        Command::Backup(args) => backup::run(invocation, args),
        Command::Restore(args) => restore::run(invocation, args),
        Command::Sessions(args) => sessions::run(invocation, args),
        Command::Export(args) => export::run(invocation, args),
        Command::Purge(args) => purge::run(invocation, args),
        Command::Completions(args) => completions::completions(invocation, args),
        Command::Man => completions::man(invocation),
    }
}

impl Command {
    /// Whether the answer, an error too, is to be JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Box(args) => match &args.command {
                None => args.run.json,
                Some(BoxCommand::List { json, .. }) => *json,
                Some(BoxCommand::Review(review)) => review.json,
                Some(BoxCommand::Enter(_) | BoxCommand::Land(_) | BoxCommand::Discard(_)) => false,
            },
            Self::Agents(args) => agents::wants_json(args),
            Self::Inbox(args) => inbox::wants_json(args),
            Self::Memory(args) => memory::wants_json(args),
            Self::Notebook(args) => notebook::wants_json(args),
            Self::Project(args) => project::wants_json(args),
            Self::Workspace(args) => workspace::wants_json(args),
            Self::Prompt(args) => prompt::wants_json(args),
            Self::Connect(args) => connect::wants_json(args),
            Self::Audit(args) => audit::wants_json(args),
            Self::Secret(args) => secret::wants_json(args),
            Self::Doctor(args) => args.json,
            Self::Backup(args) => backup::wants_json(args),
            Self::Restore(args) => args.json,
            Self::Sessions(args) => sessions::wants_json(args),
            Self::Policy(args) => policy::wants_json(args),
            Self::Purge(args) => args.json,
            Self::Config(args) => matches!(args.command, ConfigCommand::Show { json: true }),
            Self::Trust(args) => matches!(args.command, Some(TrustCommand::Show { json: true })),
            Self::Demo(_)
            | Self::Redact(_)
            | Self::Hook(_)
            | Self::ServeMcp(_)
            | Self::Acp(_)
            | Self::Init(_)
            | Self::Export(_)
            | Self::Completions(_)
            | Self::Man => false,
        }
    }
}
