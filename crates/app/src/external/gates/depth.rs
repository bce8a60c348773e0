//! The fifth gate: agents do not start agents without end.

use super::{GateFault, Grounds};

/// Counts how many agents stand above a process.
pub const DEPTH_VARIABLE: &str = "TAFFRAIL_EXTERNAL_DEPTH";
/// How many may: an agent that we drive starts no other through us.
const LIMIT: u32 = 1;

/// What is no number counts as too deep: somebody tampered with it.
pub(super) fn check(grounds: &Grounds<'_>) -> Result<(), GateFault> {
    let Some(value) = grounds.variable(DEPTH_VARIABLE) else {
        return Ok(());
    };
    match value.parse::<u32>() {
        Ok(depth) if depth < LIMIT => Ok(()),
        Ok(_) | Err(_) => Err(GateFault::Depth {
            variable: DEPTH_VARIABLE,
            value,
            limit: LIMIT,
        }),
    }
}

pub(super) fn of_child(grounds: &Grounds<'_>) -> String {
    let depth = grounds.variable(DEPTH_VARIABLE);
    let depth = depth.and_then(|depth| depth.parse::<u32>().ok());
    depth.unwrap_or(0).saturating_add(1).to_string()
}
