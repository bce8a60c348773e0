//! `taffrail audit`: the journal, checked and shown.

use super::Ending;
use crate::cli::{AuditArgs, AuditCommand};
use crate::failure::Failure;
use crate::startup::Invocation;
use taffrail_domain::ErrorCode;

pub fn wants_json(args: &AuditArgs) -> bool {
    match &args.command {
        AuditCommand::Verify { json } | AuditCommand::Show { json, .. } => *json,
        AuditCommand::Export { .. } => false,
    }
}

pub fn run(_: &Invocation, _: &AuditArgs) -> Ending {
    Err(Failure::new(ErrorCode::Internal, "not yet"))
}
