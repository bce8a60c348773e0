//! `taffrail connect …`

use clap::{Args, ValueEnum};
use taffrail_app::connect::Program;

/// `taffrail connect`
#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// The program whose own configuration gets the entry
    #[arg(value_enum, required_unless_present_any = ["undo", "list"], conflicts_with_all = ["undo", "list"])]
    pub program: Option<ProgramChoice>,
    /// Let the program tell of the start and the end of its sessions too: claude, gemini
    #[arg(long, conflicts_with_all = ["undo", "list"])]
    pub hooks: bool,
    /// Show the change and write nothing
    #[arg(long, conflicts_with = "list")]
    pub dry_run: bool,
    /// Take back what was written into this program's configuration
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "list")]
    pub undo: Option<ProgramChoice>,
    /// Which programs are connected, and where
    #[arg(long)]
    pub list: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// A program that can be connected, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgramChoice {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Zed
    Zed,
}

impl ProgramChoice {
    /// The program that is meant.
    pub const fn program(self) -> Program {
        match self {
            Self::Claude => Program::Claude,
            Self::Codex => Program::Codex,
            Self::Gemini => Program::Gemini,
            Self::Opencode => Program::Opencode,
            Self::Cursor => Program::Cursor,
            Self::Vscode => Program::Vscode,
            Self::Zed => Program::Zed,
        }
    }
}
