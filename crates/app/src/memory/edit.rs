//! A memory's text in the person's editor: the first line is the summary, what follows after a blank line the text.

use taffrail_store::{TextRow, files};

use crate::configuration::open_editor;
use crate::{App, AppError};

/// A text after an editor had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The first line.
    pub summary: String,
    /// What follows.
    pub content: String,
}

/// Largest file that is read back: far above what the guardrails take, so that they say the size.
const LIMIT: u64 = 1 << 20;

/// Opens the text; none where it came back unchanged.
pub fn in_editor(app: &App, text: &TextRow) -> Result<Option<Changed>, AppError> {
    let random: [u8; 8] = crate::context::random()?;
    let name = format!("memory-{:016x}.md", u64::from_le_bytes(random));
    let path = app.home.root().join(name);
    let before = format!("{}\n\n{}\n", text.summary, text.content);
    files::write_private(&path, before.as_bytes())?;
    let opened = open_editor(&app.inputs, &path);
    let read = files::read_bounded(&path, LIMIT);
    files::remove(&path)?;
    opened?;
    let bytes = read?.unwrap_or_default();
    let after = String::from_utf8(bytes).map_err(|_| AppError::NotText { path })?;
    Ok((after != before).then(|| parsed(&after)))
}

fn parsed(text: &str) -> Changed {
    let (first, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let (summary, content) = (first.trim().to_owned(), rest.trim().to_owned());
    Changed {
        content: if content.is_empty() {
            summary.clone()
        } else {
            content
        },
        summary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rev_02_the_first_line_is_the_summary() {
        let text = parsed("One.\n\nTwo\nthree\n");
        assert_eq!(
            (text.summary.as_str(), text.content.as_str()),
            ("One.", "Two\nthree")
        );
        assert_eq!(parsed("Only one.\n").content, "Only one.");
    }
}
