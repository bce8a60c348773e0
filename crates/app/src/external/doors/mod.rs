//! What the agent of a run reaches of ours: tools over its checkout, approved memory, the notebook, one slate (FA-25).
//!
//! The run's own process answers. Between it and the agent lies a pair of FIFOs in the run's scratch folder, and a pipe
//! without state: `taffrail serve-mcp --broker`. Whatever is asked is told to the run before it is answered.

mod broker;
mod fifos;
mod findings;
mod host;
mod pipe;
mod size;
#[cfg(test)]
mod tests;

pub use broker::{Broker, McpEntry, Opened, SERVER, Serving, TOKEN_BYTES, open};
pub use findings::{FINDINGS_LIMIT, Proposed, propose_findings};
pub use host::{DoorsOf, MethodCall, OnCall, RunDoors};
pub use pipe::pipe;

#[cfg(test)]
pub(crate) use tests::put;
