//! How the tools are called in what a client is told. A call may use either form.

/// The form of names in a listing and in the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `slate.open`.
    Dotted,
    /// `slate_open`: for a client that passes names on to a provider that takes letters, digits, `_` and `-` only.
    Plain,
}

/// The names that have a dot, each with its plain form.
const DOTTED: [(&str, &str); 3] = [
    ("slate.open", "slate_open"),
    ("slate.writeSeed", "slate_writeSeed"),
    ("slate.close", "slate_close"),
];

impl Names {
    /// A text of ours, with the tools in it called so.
    pub(crate) fn told(self, text: &str) -> String {
        let text = text.to_owned();
        match self {
            Self::Dotted => text,
            Self::Plain => DOTTED
                .iter()
                .fold(text, |text, (dotted, plain)| text.replace(dotted, plain)),
        }
    }
}

/// Whether a name that a call gives is this tool's.
pub(crate) fn is_of(tool: &str, name: &str) -> bool {
    tool == name || DOTTED.contains(&(tool, name))
}
