//! Front matter of other programs' files: passed over, but for the sentence that says what a file is about.

/// Lines that a front matter may have; more is a text between two rules.
const MOST: usize = 100;

/// What is known of a file from its front matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Front {
    /// Lines to pass over.
    pub lines: usize,
    /// What the file says that it is about.
    pub description: Option<String>,
}

impl Front {
    /// The front matter of a file's lines; nothing where it has none, or one without an end.
    pub(super) fn of(lines: &[&str]) -> Self {
        let is_fence = |line: &&str| line.trim_end() == "---";
        if !lines.first().is_some_and(is_fence) {
            return Self::default();
        }
        let Some(end) = lines.iter().skip(1).take(MOST).position(is_fence) else {
            return Self::default();
        };
        let inner = lines.get(1..=end).unwrap_or_default();
        Self {
            lines: end + 2,
            description: description(inner),
        }
    }
}

/// The value of `description`, which may go on below it, indented.
fn description(lines: &[&str]) -> Option<String> {
    let at = lines
        .iter()
        .position(|line| line.starts_with("description:"))?;
    let mut lines = lines.iter().skip(at);
    let first = lines.next()?.strip_prefix("description:")?.trim();
    let first = if first.starts_with(['>', '|']) {
        ""
    } else {
        first
    };
    let more = lines
        .take_while(|line| line.starts_with(' '))
        .map(|line| line.trim());
    let text = std::iter::once(first)
        .chain(more)
        .collect::<Vec<_>>()
        .join(" ");
    let text = text.trim();
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = quoted.unwrap_or(text).trim();
    (!text.is_empty()).then(|| text.to_owned())
}
