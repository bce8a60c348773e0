//! The other side: ourselves as an agent, one machine for all sessions of a connection (FA-45). Events come in, effects
//! come out. Must not know what is done in a turn, files, processes or a clock.

mod answers;
mod event;
mod machine;
mod sessions;

pub use event::{AgentEffect, AgentEvent, ClientOffers, OpenRequest, Stop, TurnKey};
pub use machine::Agent;
