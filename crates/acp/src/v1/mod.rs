//! The words of ACP version 1, read leniently and written exactly. Must not know states: what may be said when is not here.

mod types;

pub use types::{
    AuthMethod, EnvVariable, Implementation, McpServer, OptionKind, PermissionOption,
    PromptCapabilities, StopReason,
};
