//! The Agent Client Protocol, version 1: frames within bounds, the session of a client as a machine of events.
//!
//! Pure: bytes and events come in, effects come out; no IO, no clock. What an agent asks becomes words of the domain here;
//! whether it may is not decided here.
#![forbid(unsafe_code)]
