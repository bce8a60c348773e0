//! `taffrail workspace …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ScopeArgs;

/// `taffrail workspace`
#[derive(Debug, Args)]
pub struct WorkspaceArgs {
    /// What to do
    #[command(subcommand)]
    pub command: WorkspaceCommand,
}

/// `taffrail workspace …`
#[derive(Debug, Subcommand)]
pub enum WorkspaceCommand {
    /// List the workspaces of the project, oldest first
    List(WorkspaceListArgs),
    /// Show one workspace: its proposals, and what became of each candidate
    Show(WorkspaceShowArgs),
    /// Make a workspace
    Create(WorkspaceCreateArgs),
    /// Let a workspace take no more proposals; what waits in it can still be reviewed
    Archive(WorkspaceArchiveArgs),
    /// What waits for you: proposals, refused seeds, and seeds of closed slates that belong to no workspace
    CatchUp(CatchUpArgs),
    /// Put the seeds of an unbound candidate into a workspace, as proposals
    Bind(BindArgs),
    /// Do without the seeds of an unbound candidate; they are kept
    Dismiss(DismissArgs),
    /// Decide on the candidates of a workspace or proposal, one by one, on this terminal
    Review(WorkspaceReviewArgs),
    /// Bring the slates of another program in, as unbound candidates
    Import(WorkspaceImportArgs),
}

/// `taffrail workspace list`
#[derive(Debug, Args)]
pub struct WorkspaceListArgs {
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Of every project, and personal ones
    #[arg(long, conflicts_with_all = ["project", "personal"])]
    pub all_projects: bool,
    /// The archived ones too
    #[arg(long)]
    pub archived: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail workspace show`
#[derive(Debug, Args)]
pub struct WorkspaceShowArgs {
    /// The workspace: its id or the beginning of it
    pub workspace: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail workspace create`
#[derive(Debug, Args)]
pub struct WorkspaceCreateArgs {
    /// What it is about, 1 to 200 characters
    pub title: String,
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail workspace archive`
#[derive(Debug, Args)]
pub struct WorkspaceArchiveArgs {
    /// The workspace: its id or the beginning of it
    pub workspace: String,
    /// Let it take proposals again
    #[arg(long)]
    pub undo: bool,
}

/// `taffrail workspace catch-up`
#[derive(Debug, Args)]
pub struct CatchUpArgs {
    /// Only this workspace: its id or the beginning of it
    #[arg(long, value_name = "WORKSPACE", conflicts_with = "all_projects")]
    pub workspace: Option<String>,
    /// Of every project, and what belongs to none
    #[arg(long)]
    pub all_projects: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail workspace bind`
#[derive(Debug, Args)]
pub struct BindArgs {
    /// The unbound candidate: its id or the beginning of it
    pub unbound: String,
    /// The workspace: its id or the beginning of it; without one, the only active one of the project
    pub workspace: Option<String>,
    /// Make a workspace of this title for it
    #[arg(long, value_name = "TITLE", conflicts_with = "workspace")]
    pub new: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail workspace dismiss`
#[derive(Debug, Args)]
pub struct DismissArgs {
    /// The unbound candidate: its id or the beginning of it
    pub unbound: String,
    /// Let it wait again
    #[arg(long)]
    pub undo: bool,
}

/// `taffrail workspace review`
#[derive(Debug, Args)]
pub struct WorkspaceReviewArgs {
    /// A workspace or a proposal: its id or the beginning of it; without one, all that waits in the project
    pub what: Option<String>,
}

/// Programs whose slates can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FromSlates {
    /// The external slates of a keryx project
    Keryx,
}

/// `taffrail workspace import`
#[derive(Debug, Args)]
pub struct WorkspaceImportArgs {
    /// Which program wrote them
    #[arg(long, value_name = "PROGRAM")]
    pub from: FromSlates,
    /// The project's folder, or its external-slates folder
    pub folder: PathBuf,
    /// Whose they are to be
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
