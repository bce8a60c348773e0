//! How every gate stands for one agent, without starting anything: what `list` shows.

use taffrail_config::AgentEntry;

use super::{GateFault, Grounds, ci, depth, is_drivable, is_entry_on, is_on, transport};

/// A gate, in the order in which a run goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// The person sits at this machine.
    Transport,
    /// It is no build machine.
    Ci,
    /// Foreign agents are switched on.
    Enabled,
    /// This one is.
    Agent,
    /// No agent of ours stands above.
    Depth,
    /// This version of taffrail can drive it.
    Drivable,
}

impl Gate {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Ci => "ci",
            Self::Enabled => "enabled",
            Self::Agent => "agent",
            Self::Depth => "depth",
            Self::Drivable => "drivable",
        }
    }
}

/// A gate and why it is shut; open without a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The gate.
    pub gate: Gate,
    /// Why it is shut.
    pub shut: Option<GateFault>,
}

/// Every gate but the program's, for one entry.
pub fn standings(grounds: &Grounds<'_>, entry: &AgentEntry) -> Vec<Standing> {
    let each = [
        (Gate::Transport, transport::check(grounds)),
        (Gate::Ci, ci::check(grounds, entry)),
        (Gate::Enabled, is_on(grounds)),
        (Gate::Agent, is_entry_on(entry)),
        (Gate::Depth, depth::check(grounds)),
        (Gate::Drivable, is_drivable(entry)),
    ];
    let each = each.into_iter().map(|(gate, checked)| Standing {
        gate,
        shut: checked.err(),
    });
    each.collect()
}
