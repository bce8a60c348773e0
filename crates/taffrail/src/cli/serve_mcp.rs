//! `taffrail serve-mcp`

use std::path::PathBuf;

use clap::Args;

/// `taffrail serve-mcp`
#[derive(Debug, Args)]
pub struct ServeMcpArgs {
    /// Offer only what changes nothing
    #[arg(long)]
    pub read_only: bool,
    /// The folder whose project is served, instead of the working directory
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Serve over HTTP on 127.0.0.1 instead of standard input and output; prints one line {"url","token"}
    #[arg(long)]
    pub http: bool,
    /// Pass on what an agent in a run asks of the run's own process; the agent starts this, not a person
    #[arg(long, conflicts_with_all = ["read_only", "cwd", "http", "port"])]
    pub broker: bool,
    /// The port of --http; 0 takes a free one
    #[arg(long, value_name = "N", requires = "http", default_value_t = 0)]
    pub port: u16,
}
