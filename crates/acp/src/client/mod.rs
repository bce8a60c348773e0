//! The session of a client as a machine: events come in with the time since the run began, effects come out (FA-20 to
//! FA-28). Must not know files, processes, the policy or a clock.

mod ask;
mod clock;
mod ending;
mod event;
mod facts;
mod machine;
mod notes;
mod opening;
mod pending;
mod plan;
mod requests;
mod settle;
mod tools;
mod turn;
mod update;

pub use event::{
    Asked, Cost, Decision, Diff, Effect, Event, Note, NoteKind, Refused, RequestKey, ToolSeen,
    Update, Usage,
};
pub use facts::{Facts, Gap, Setting};
pub use machine::Client;
pub use plan::{Context, Deadlines, Plan};
pub use tools::ToolCall;
