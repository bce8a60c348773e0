//! The Agent Client Protocol, version 1: frames within bounds, the session of a client as a machine of events.
//!
//! Pure: bytes and events come in, effects come out; no IO, no clock. What an agent asks becomes words of the domain here;
//! whether it may is not decided here.
#![forbid(unsafe_code)]

pub mod agent;
pub mod client;
pub mod frame;
pub mod v1;
pub mod wire;

pub use client::{
    Asked, Client, Context, Deadlines, Decision, Diff, Effect, Event, Facts, Gap, Note, NoteKind,
    Plan, Refused, RequestKey, Setting, ToolCall, ToolSeen, Update,
};
pub use frame::{Dropped, DroppedFor, Envelope, Frame, Frames, Incoming, JunkKind, Limits};
pub use wire::{Id, Message, RpcError};
