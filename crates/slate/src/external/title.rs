//! What a workspace for a slate would be called (XSL-06).

use super::{Anchors, ExternalId, TITLE_LIMIT};

/// One line of 1 to 200 characters: the anchors' note, else their root, else the id. Control characters and runs of white
/// space are one space each.
pub fn workspace_title(anchors: &Anchors, id: &ExternalId) -> String {
    let said = [anchors.note().unwrap_or_default(), anchors.root()];
    let mut lines = said.into_iter().map(one_line);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or_else(|| id.to_string())
}

fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|at| if at.is_control() { ' ' } else { at })
        .collect();
    let line = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(TITLE_LIMIT).collect();
    cut.trim_end().to_owned()
}
