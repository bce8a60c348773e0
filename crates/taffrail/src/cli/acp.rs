//! `taffrail acp`

use std::path::PathBuf;

use clap::Args;

/// `taffrail acp`
#[derive(Debug, Args)]
pub struct AcpArgs {
    /// Play this script at every prompt: YAML, a list of `steps`, each of say, think, plan, read, edit, run, mcp or result
    #[arg(long, value_name = "FILE", env = "TAFFRAIL_ACP_SCRIPT")]
    pub script: Option<PathBuf>,
}
