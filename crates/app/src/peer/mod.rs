//! `taffrail acp`: ourselves as an agent, for editors and for other clients of the protocol (FA-45), thin: what is done in a
//! turn is played from a script.
//!
//! One thread decides everything over the session machine of `taffrail_acp`; each turn has a thread of its own that asks and
//! waits. Opens no home and no database.

mod call;
mod connection;
mod fault;
mod mcp;
mod outbox;
mod play;
mod port;
mod script;
mod switch;

pub use connection::serve;
pub use fault::PeerFault;
pub use script::Script;
