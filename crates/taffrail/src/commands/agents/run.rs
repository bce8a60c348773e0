//! `taffrail agents external run ID --task …`

use taffrail_app::external::gates::Asked;
use taffrail_domain::ErrorCode;

use super::offer;
use crate::cli::ExternalRunArgs;
use crate::commands::{Ending, boxes};
use crate::failure::Failure;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalRunArgs) -> Ending {
    let mut app = boxes::open(invocation)?;
    let asked = Asked {
        write: args.write,
        unattended: args.unattended,
    };
    let passed = offer::pass(invocation, &mut app, &args.id, &asked)?;
    let why = format!(
        "`{}` passed every gate, and this build drives no agent",
        passed.entry.id
    );
    Err(Failure::new(ErrorCode::AgentUnfit, &why))
}
