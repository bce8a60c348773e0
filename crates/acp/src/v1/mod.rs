//! The words of ACP version 1, read leniently and written exactly. Must not know states: what may be said when is not here.

mod diffs;
mod encode;
mod host;
mod options;
mod paths;
mod read;
mod shell;
mod types;

pub use diffs::diffs;
pub(crate) use diffs::has_diff;
pub use encode::{Ask, answer, notification, request};
pub use host::hosts;
pub use options::{allow_once, reject_once};
pub use paths::{TooMany, paths};
pub use read::{
    ConfigOption, Initialized, ModeState, NewSession, ToolFields, content_text, raw_input, text_of,
    tool_kind,
};
pub use shell::command;
pub use types::{
    AuthMethod, EnvVariable, Implementation, McpServer, OptionKind, PermissionOption,
    PromptCapabilities, StopReason,
};

/// The version of the protocol that is spoken.
pub const VERSION: u64 = 1;
