//! One policy for every action of every agent: [`decide`] takes an action, a mode, the user's rules and a context, and
//! gives a decision with its reasons (50-policy.md).
//!
//! Pure: it opens nothing, starts nothing and knows no clock. What it must know of the disk it asks through [`Facts`],
//! which a rim answers. It must not know who shows its answers, who keeps them, or how a command is run.
//!
//! A command line is read twice, by a real grammar of bash and by a small reader of plain words; only where both read the
//! same can it be let through. Everything that is not understood makes the answer stricter.
#![forbid(unsafe_code)]

mod assess;
mod caught;
mod checks;
mod context;
mod decide;
mod fingerprint;
mod foreign;
mod glob;
mod overruled;
mod paths;
mod reason;
mod rules;
mod shell;
mod unseen;

pub use assess::{Assessment, assess};
pub use checks::RuleError;
pub use context::{Context, Facts, Place, Whole};
pub use decide::{Decision, decide, is_floor};
pub use fingerprint::{Fingerprinted, action_bytes, fingerprint};
pub use foreign::{Question, action as foreign_action};
pub use overruled::Overruled;
pub use reason::{Reason, Why};
pub use rules::{RuleSpec, Rules};
pub use shell::{LONGEST as LONGEST_COMMAND, Part, reading_commands};

#[cfg(test)]
mod tests;
