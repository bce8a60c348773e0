//! What can be typed: clap types only, one file per command. What it means is resolved in `commands/`.

mod acp;
mod agents;
mod audit;
mod boxes;
mod connect;
mod hook;
mod inbox;
mod memory;
mod memory_exchange;
mod notebook;
mod ops;
mod policy;
mod project;
mod prompt;
mod secret;
mod serve_mcp;
mod sessions;
mod workspace;

use clap::{Args, Parser, Subcommand};

pub use acp::AcpArgs;
pub use agents::{
    AgentsArgs, AgentsCommand, ExternalAddArgs, ExternalCommand, ExternalListArgs, ExternalNet,
    ExternalProbeArgs, ExternalRunArgs, ExternalShowArgs, McpScope, TransportChoice,
};
pub use audit::{AuditArgs, AuditCommand};
pub use boxes::{
    BoxArgs, BoxCommand, EnterArgs, LandArgs, NamedArgs, NetChoice, ReviewArgs, RunArgs,
};
pub use connect::{ConnectArgs, ProgramChoice};
pub use hook::{HookArgs, HookCommand, SessionArgs};
pub use inbox::{InboxAnswerArgs, InboxArgs, InboxCommand, InboxShowArgs, ReplyChoice};
pub use memory::{
    AddArgs, ListArgs, MemoryArgs, MemoryCommand, ReviewArgs as MemoryReviewArgs, ScopeArgs,
    SearchArgs, ShowArgs,
};
pub use memory_exchange::{BlameArgs, ExportArgs, FromProgram, ImportArgs, WhyArgs, WhyNotArgs};
pub use notebook::{NotebookArgs, NotebookCommand};
pub use ops::{BackupArgs, BackupCommand, ExportAllArgs, PurgeArgs, RestoreArgs};
pub use policy::{PolicyArgs, PolicyCheckArgs, PolicyCommand};
pub use project::{ProjectArgs, ProjectCommand};
pub use prompt::{PromptArgs, PromptCommand};
pub use secret::{BackendArgs, PlaceChoice, SealKeyCommand, SecretArgs, SecretCommand};
pub use serve_mcp::ServeMcpArgs;
pub use sessions::{SessionsArgs, SessionsCommand, SessionsExportArgs};
pub use workspace::{
    BindArgs, CatchUpArgs, DismissArgs, FromSlates, WorkspaceArchiveArgs, WorkspaceArgs,
    WorkspaceCommand, WorkspaceCreateArgs, WorkspaceImportArgs, WorkspaceListArgs,
    WorkspaceReviewArgs, WorkspaceShowArgs,
};

/// One local harness for coding agents: run them boxed, review what they did, land it as a branch.
#[derive(Debug, Parser)]
#[command(name = "taffrail", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order of the help page.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run any command in a disposable checkout inside the sandbox, then review, land or discard what it changed
    Box(BoxArgs),
    /// Drive other vendors' agents under your policy, and land what they did
    Agents(AgentsArgs),
    /// What runs want to know of you: list it, answer it
    Inbox(InboxArgs),
    /// Write down, review, recall: what agents and you learnt, believed only once a person said so
    Memory(MemoryArgs),
    /// Read and keep the project's notebook, which every turn is given; decide what agents want in it
    Notebook(NotebookArgs),
    /// Projects: which folder is whose, what each holds
    Project(ProjectArgs),
    /// Catch up with what other programs' slates brought: review it, bind it, do without it
    Workspace(WorkspaceArgs),
    /// Show what a turn would be given, section by section
    Prompt(PromptArgs),
    /// Write the entry of our MCP server into another program's own configuration, and take it back
    Connect(ConnectArgs),
    /// What another program calls at the start and the end of its sessions
    Hook(HookArgs),
    /// Serve slates, memory and the project's files to another program over MCP
    ServeMcp(ServeMcpArgs),
    /// Be an agent for an editor or another client of the Agent Client Protocol; plays a script in this version
    Acp(AcpArgs),
    /// Check and show the journal of everything that was written and decided
    Audit(AuditArgs),
    /// Keep provider keys and the seal key: in the keychain, or in an encrypted file that you choose
    Secret(SecretArgs),
    /// Show the main job offline on a throw-away project
    Demo(DemoArgs),
    /// Mask secrets in text from standard input, or line by line in a batch
    Redact(RedactArgs),
    /// Explain what would be asked, let through or refused, and by which rule
    Policy(PolicyArgs),
    /// Agree to what a project's own files want to run, by content; show and revoke it
    Trust(TrustArgs),
    /// Look at the configuration
    Config(ConfigArgs),
    /// Set up local state
    Init(InitArgs),
    /// Check the home, the database, git and the sandbox of this machine
    Doctor(DoctorArgs),
    /// Make one checked archive of the home, or check one
    Backup(BackupArgs),
    /// Bring a home back from an archive
    Restore(RestoreArgs),
    /// Make the files of an agent's run again from what is on record
    Sessions(SessionsArgs),
    /// Write everything on record as JSON lines
    Export(ExportAllArgs),
    /// Erase a project, a session, a memory or what is old, so that no byte of it is left
    Purge(PurgeArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// `taffrail demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Remove the throw-away home and project at the end
    #[arg(long)]
    pub clean: bool,
}

/// `taffrail redact`
#[derive(Debug, Args)]
pub struct RedactArgs {
    /// JSON lines {"id","text"} from this file, or - for standard input; one JSON line each
    #[arg(long, value_name = "FILE")]
    pub batch: Option<std::path::PathBuf>,
    /// Mask personal data too: e-mail, phone, IBAN, card and national ids
    #[arg(long)]
    pub pii: bool,
}

/// `taffrail trust`
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Look or take back; without one: ask about everything that is not agreed to yet
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

/// `taffrail trust …`
#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// What this project wants to run and whether it is agreed to
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take the agreement back
    Revoke,
}

/// `taffrail config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to show
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// `taffrail config …`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Every value with where it comes from
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Where the file lies
    Path,
    /// Open the file in $VISUAL or $EDITOR, and check it afterwards
    Edit,
}

/// `taffrail init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Keep the state of this folder in its own .taffrail/, listed in ~/.taffrail/local-homes
    #[arg(long, required = true)]
    pub local_state: bool,
}

/// `taffrail doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub strict: bool,
    /// Mend what can be mended, after a copy of the database, and say what was done
    #[arg(long)]
    pub repair: bool,
}

/// `taffrail completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
