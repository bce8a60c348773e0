//! `taffrail memory why|why-not|blame|export|import`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::memory::ScopeArgs;

/// `taffrail memory why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The trace of a recall (trc_…), a session or run, or SESSION:TURN; without one, the newest traces are listed
    pub what: Option<String>,
    /// Render the section again from what is kept, and compare it with what was given
    #[arg(long, requires = "what")]
    pub replay: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail memory why-not`
#[derive(Debug, Args)]
pub struct WhyNotArgs {
    /// The memory: its id or the beginning of it
    pub memory: String,
    /// The trace of the recall that did not give it; without it, the newest recall
    #[arg(long, value_name = "TRACE")]
    pub trace: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail memory blame`
#[derive(Debug, Args)]
pub struct BlameArgs {
    /// The memory: its id or the beginning of it
    pub memory: String,
    /// Retract it, and the derived memories named here, in one decision on this terminal
    #[arg(long, value_name = "DERIVED", num_args = 0..)]
    pub retract: Option<Vec<String>>,
    /// As JSON
    #[arg(long, conflicts_with = "retract")]
    pub json: bool,
}

/// `taffrail memory export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The folder, made where it is missing; without one, `.taffrail/memory` of the project
    pub folder: Option<PathBuf>,
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail memory import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The folder of an export; with `--from keelson`, the database
    #[arg(required_unless_present_any = ["from", "jsonl"], conflicts_with = "jsonl")]
    pub path: Option<PathBuf>,
    /// What another program keeps for this project
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "jsonl")]
    pub from: Option<FromProgram>,
    /// JSON lines {"id","project"?,"type","summary","content","created"?,"context"?,"sourceRefs"?} from this file, or -
    /// for standard input; one JSON line each
    #[arg(long, value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Make the projects that the lines name and that are not there
    #[arg(long, requires = "jsonl")]
    pub create_projects: bool,
    /// The name of this import, kept with every row: the same text from two imports is two witnesses
    #[arg(long, value_name = "NAME", requires = "jsonl")]
    pub run: Option<String>,
    /// Whose, for a folder or a program's files
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Say what would come in, and write nothing
    #[arg(long, conflicts_with = "jsonl")]
    pub dry_run: bool,
    /// As JSON
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,
}

/// Programs whose files can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FromProgram {
    /// CLAUDE.md, .claude/rules and its memory folder for the project
    Claude,
    /// AGENTS.md and ~/.codex/AGENTS.md
    Codex,
    /// GEMINI.md and ~/.gemini/GEMINI.md
    Gemini,
    /// .cursorrules and .cursor/rules
    Cursor,
    /// AGENTS.md files of the project
    AgentsMd,
    /// A Keelson database: projects, notebooks as suggestions, memories
    Keelson,
}
