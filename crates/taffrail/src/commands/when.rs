//! `--now`: the time that ages and limits are taken from.

use taffrail_app::exchange::rfc3339;
use taffrail_domain::{ErrorCode, Millis};

use crate::failure::Failure;
use crate::startup::Invocation;

/// The time that was named, else the clock's.
pub fn now_or(invocation: &Invocation, named: Option<&str>) -> Result<Millis, Failure> {
    named.map_or_else(
        || Ok(invocation.now()),
        |text| {
            rfc3339(text).map_err(|why| Failure::new(ErrorCode::Usage, &format!("--now: {why}")))
        },
    )
}
