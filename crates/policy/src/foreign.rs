//! What a foreign agent's permission question is about, as an action of ours (FA-22). What it says of itself only ever
//! makes it stricter: a command in a question of kind `read` is a command.

use taffrail_domain::{Action, ToolKind};

/// What a question holds, gathered from all of its fields.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The kind that the agent gave; none where it gave none that is known.
    pub kind: Option<ToolKind>,
    /// Its title, for the record.
    pub title: String,
    /// A command line, wherever one stood.
    pub command: Option<Vec<u8>>,
    /// Every path of `locations`, `rawInput` and `content`.
    pub paths: Vec<Vec<u8>>,
    /// The host of a URL, where one stood.
    pub host: Option<String>,
}

/// The action.
pub fn action(question: Question) -> Action {
    let Question {
        kind,
        title,
        command,
        paths,
        host,
    } = question;
    let unknown = |paths| Action::Unknown { what: title, paths };
    let kind = kind.unwrap_or(ToolKind::Other);
    match (kind, command) {
        (ToolKind::Fetch, None) => Action::Network {
            host: host.unwrap_or_default(),
        },
        (ToolKind::Other | ToolKind::SwitchMode | ToolKind::Execute, None)
        | (ToolKind::SwitchMode | ToolKind::Fetch, Some(_)) => unknown(paths),
        (_, Some(command)) => Action::Shell { command, paths },
        // A reading that does not say of what may be one of anything.
        (ToolKind::Read, None) if paths.is_empty() && host.is_none() => unknown(paths),
        (ToolKind::Read | ToolKind::Search | ToolKind::Think, None) => match host {
            Some(host) => Action::Network { host },
            None => Action::Read { paths },
        },
        (ToolKind::Edit | ToolKind::Move, None) if !paths.is_empty() => Action::Write {
            paths,
            removes: Vec::new(),
        },
        (ToolKind::Delete, None) if !paths.is_empty() => Action::Write {
            paths: Vec::new(),
            removes: paths,
        },
        (ToolKind::Edit | ToolKind::Move | ToolKind::Delete, None) => unknown(paths),
    }
}
