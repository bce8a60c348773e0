//! `taffrail memory …`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use taffrail_domain::{Grade, MemoryStatus, MemoryType, Shelf};

use super::memory_exchange::{BlameArgs, ExportArgs, ImportArgs, WhyArgs, WhyNotArgs};

/// `taffrail memory`
#[derive(Debug, Args)]
pub struct MemoryArgs {
    /// What to do
    #[command(subcommand)]
    pub command: MemoryCommand,
}

/// `taffrail memory …`
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Write something down; it waits for a review
    Add(AddArgs),
    /// List memories, newest first
    List(ListArgs),
    /// Show one memory whole: text, origin, reviews, neighbours
    Show(ShowArgs),
    /// Decide on what waits, one by one, on this terminal
    Review(ReviewArgs),
    /// Change the text of a memory; an approved text stays in force until the new one is confirmed
    Edit(OneArgs),
    /// Take the last decision on a memory back
    Undo(OneArgs),
    /// Search what may be recalled
    Search(SearchArgs),
    /// Why a turn was given what it was given: what was asked, considered, given and left out
    Why(WhyArgs),
    /// Why a recall did not give a memory
    WhyNot(WhyNotArgs),
    /// Where a memory went: every recall and every derived memory; take it back from there on
    Blame(BlameArgs),
    /// Write the approved memories as Markdown files, one each, for git
    Export(ExportArgs),
    /// Bring memories in: Markdown, other programs' files, a Keelson database, JSON lines; all of it waits for a review
    Import(ImportArgs),
}

/// Which memories: of a project, or personal ones.
#[derive(Debug, Args, Clone, Default)]
pub struct ScopeArgs {
    /// Of the project of this name, instead of the one that the folder belongs to
    #[arg(long, value_name = "NAME", conflicts_with = "personal")]
    pub project: Option<String>,
    /// Personal: of no project, seen in all of them
    #[arg(long)]
    pub personal: bool,
}

/// `taffrail memory add`
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The text; without it, standard input
    pub text: Option<String>,
    /// What kind of knowledge it is: decision, output, lesson, constraint, open_question, failure, artifact_reference, work_log
    #[arg(long = "type", value_name = "TYPE", default_value = "lesson")]
    pub kind: MemoryType,
    /// One sentence that says it; without it, the first sentence of the text
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
    /// Whose it is
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// A thing outside that it rests on, as KIND=URI (repeatable): file=src/main.rs, url=https://…
    #[arg(long, value_name = "KIND=URI")]
    pub source_ref: Vec<String>,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    pub confidence: Option<f64>,
    /// Not recalled any more after this many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub stale_after_days: Option<u32>,
    /// The box that it was learnt from, by name or id; what is on record of it goes along as evidence
    #[arg(long, value_name = "BOX")]
    pub run: Option<String>,
    /// Confirm it at once, on this terminal
    #[arg(long)]
    pub confirm: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail memory list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Of every project, and personal ones
    #[arg(long, conflicts_with_all = ["project", "personal"])]
    pub all: bool,
    /// Only with this status: pending, confirmed, evidence_only, restricted, rejected, stale, merged
    #[arg(long, value_name = "STATUS")]
    pub status: Option<MemoryStatus>,
    /// Only of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<MemoryType>,
    /// Only on this shelf: queue, quarantine
    #[arg(long, value_name = "SHELF")]
    pub shelf: Option<Shelf>,
    /// At most this many, up to 200
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// Go on from here: the `next` of the page before
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail memory show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The memory: its id or the beginning of it
    pub memory: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// A command on one memory.
#[derive(Debug, Args)]
pub struct OneArgs {
    /// The memory: its id or the beginning of it
    pub memory: String,
}

/// `taffrail memory review`
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Only these memories; without one, all that wait
    pub memories: Vec<String>,
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Of every project, and personal ones
    #[arg(long, conflicts_with_all = ["project", "personal"])]
    pub all: bool,
    /// What stands apart: it came from a tool or the web, or reads as orders to an agent
    #[arg(long)]
    pub quarantine: bool,
}

/// `taffrail memory search`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to look for
    #[arg(required_unless_present = "batch")]
    pub query: Option<String>,
    /// JSON lines {"id","query","project"?} from this file, or - for standard input; one JSON line each
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    pub batch: Option<PathBuf>,
    /// Whose
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// At most this many, up to 200
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: u32,
    /// What to include: approved, evidence, pending
    #[arg(
        long,
        value_name = "GRADE,…",
        value_delimiter = ',',
        default_value = "approved,evidence"
    )]
    pub include: Vec<Grade>,
    /// The time that ages and limits are taken from, RFC 3339
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
