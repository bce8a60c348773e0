//! How the tools are called in what a client is told. A call may use either form.

use crate::catalog::TOOLS;

/// The form of names in a listing and in the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `slate.open`.
    Dotted,
    /// `slate_open`: for a client that passes names on to a provider that takes letters, digits, `_` and `-` only.
    Plain,
}

impl Names {
    /// A text of ours, with the tools in it called so.
    pub(crate) fn told(self, text: &str) -> String {
        let text = text.to_owned();
        match self {
            Self::Dotted => text,
            Self::Plain => TOOLS.iter().fold(text, |text, tool| {
                text.replace(tool.name, &plain(tool.name))
            }),
        }
    }
}

/// Whether a name that a call gives is this tool's.
pub(crate) fn is_of(tool: &str, name: &str) -> bool {
    tool == name || plain(tool) == name
}

fn plain(name: &str) -> String {
    name.replace('.', "_")
}
