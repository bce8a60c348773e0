//! The first gate: whoever drives an agent sits at this machine.

use super::{GateFault, Grounds};

/// Says how the person reaches this process; set by a surface that is reached from elsewhere.
pub const TRANSPORT_VARIABLE: &str = "TAFFRAIL_TRANSPORT";
/// What is not remote.
const LOCAL: [&str; 3] = ["local", "cli", "tui"];

/// Unset and empty are local; a word that nobody knows is remote.
pub(super) fn check(grounds: &Grounds<'_>) -> Result<(), GateFault> {
    match grounds.variable(TRANSPORT_VARIABLE) {
        Some(value) if !LOCAL.contains(&value.as_str()) => Err(GateFault::Remote {
            variable: TRANSPORT_VARIABLE,
            value,
        }),
        Some(_) | None => Ok(()),
    }
}
