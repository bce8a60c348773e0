//! A scripted model server on loopback that speaks the wire formats of the big vendors, so that real agents and the
//! product's own providers can be run offline.
//!
//! Stateless: the newest user message that carries a marker `<<script:NAME>>` chooses the script, and the number of
//! answers of tools after it is the step. So an agent may repeat a request, fork it, or open side conversations.
//! Threads and blocking sockets, because a test has a handful of connections.

mod act;
mod conversation;
mod http;
mod server;
mod tools;
mod wire;

pub use act::{Act, Script, Scripts};
pub use server::{ModelServer, Recorded};
pub use wire::Wire;

#[cfg(test)]
mod tests;
