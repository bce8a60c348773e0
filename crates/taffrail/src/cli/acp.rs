//! `taffrail acp`

use std::path::PathBuf;

use clap::Args;

/// `taffrail acp`
#[derive(Debug, Args)]
pub struct AcpArgs {
    /// Play this script, a list of steps in YAML, at every prompt
    #[arg(long, value_name = "FILE", env = "TAFFRAIL_ACP_SCRIPT")]
    pub script: Option<PathBuf>,
}
