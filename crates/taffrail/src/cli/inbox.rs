//! `taffrail inbox …`

use clap::{Args, Subcommand, ValueEnum};

/// `taffrail inbox`
#[derive(Debug, Args)]
pub struct InboxArgs {
    /// Look at one or answer one; without it: the list, and on a terminal one after the other
    #[command(subcommand)]
    pub command: Option<InboxCommand>,
    /// The list as JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail inbox …`
#[derive(Debug, Subcommand)]
pub enum InboxCommand {
    /// Show a question whole
    Show(InboxShowArgs),
    /// Answer a question; a yes shows it whole first. Needs a terminal
    Answer(InboxAnswerArgs),
}

/// `taffrail inbox show`
#[derive(Debug, Args)]
pub struct InboxShowArgs {
    /// The question's id, or the beginning of it
    #[arg(value_name = "ID")]
    pub id: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail inbox answer`
#[derive(Debug, Args)]
pub struct InboxAnswerArgs {
    /// The question's id, or the beginning of it
    #[arg(value_name = "ID")]
    pub id: String,
    /// yes: this once; edits: every edit inside the checkout of its run; no
    #[arg(value_enum, value_name = "yes|edits|no")]
    pub reply: ReplyChoice,
    /// Why not; the agent is told
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReplyChoice {
    /// This once
    Yes,
    /// Every edit inside the checkout of its run
    Edits,
    /// Not this
    No,
}
