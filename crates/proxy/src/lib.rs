//! A forward proxy that lets a run reach the hosts that it may, looks up their names itself, connects to the very
//! addresses that it checked, and tells of every host with its bytes (CNF-08).
//!
//! HTTP/1.1 and nothing else: `CONNECT`, and requests in absolute form, one for each connection. TLS in a tunnel has to
//! name the tunnel's own host (S13): nothing goes up before. It accepts on listeners that it is given; where they come
//! from it does not know. Must not know: sandboxes, the store, who is asked.
#![forbid(unsafe_code)]
// This crate owns the sockets of a run's network: its limits need the monotonic clock.
#![allow(clippy::disallowed_methods)]

mod address;
mod answer;
mod base64;
mod body;
mod connection;
mod head;
mod hello;
mod judge;
mod poll;
mod pump;
mod serve;
mod tunnel;
mod visit;
mod watch;

pub use judge::{Ask, Names, SystemNames};
pub use serve::{Limits, Proxy, ProxyError, Service, Settings, answers_here, listen_here};
pub use visit::{Verdict, Visit, Why};
