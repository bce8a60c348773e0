//! The MCP server: the tools as other programs see them, on the official SDK, over standard input and output, in
//! process, and over HTTP on loopback (MCP-01).
//!
//! What a tool does is behind [`Host`], which `app` implements. Here is what can be asked, how it is checked, and how an
//! answer or a refusal looks on the wire. Knows nothing of the home, of slates' files or of memories.
#![forbid(unsafe_code)]

mod about;
pub mod answers;
pub mod args;
mod begun;
pub mod broker;
mod call;
mod catalog;
pub mod client;
mod error;
mod host;
mod http;
mod lines;
mod names;
mod refusal;
mod schema;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod watch;
mod wire;
mod worker;

#[cfg(test)]
extern crate self as taffrail_mcp;

pub use about::About;
pub use catalog::{Annotations, Offer, OfferedTo, ToolInfo, names_for_runs, tools};
pub use error::{ClientError, ServeError};
pub use host::{Caller, ClientName, Failure, Host, Watch};
pub use http::{HttpOptions, serve_http};
pub use names::Names;
pub use stdio::serve_stdio;
