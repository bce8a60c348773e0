//! How every gate stands for one agent: what `list` shows.

use taffrail_config::AgentEntry;

use super::{GateFault, Grounds, Version, ci, depth, is_drivable, is_entry_on, is_on, transport};

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
    /// Its program is there and may be started.
    Program,
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
            Self::Program => "program",
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

/// Every gate for one entry. That of the program is among them where it was asked for its version: nothing is started here.
pub fn standings(
    grounds: &Grounds<'_>,
    entry: &AgentEntry,
    version: Option<&Result<Version, GateFault>>,
) -> Vec<Standing> {
    let program = version.map(|version| Standing {
        gate: Gate::Program,
        shut: version.as_ref().err().cloned(),
    });
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
    each.chain(program).collect()
}
