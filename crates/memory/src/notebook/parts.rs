//! A document in its parts: lines without their ends, sections, entries of a log.

use super::fence;

/// A section: its heading line and what stands below it.
#[derive(Debug, Clone)]
pub(crate) struct Section<'a> {
    /// The trimmed text of the heading.
    pub name: &'a str,
    /// Index of the heading line in the document.
    pub line: usize,
    /// The heading line itself.
    pub heading: &'a str,
    /// The lines below.
    pub body: Vec<&'a str>,
}

/// A document: what stands before the first section, and the sections.
#[derive(Debug, Clone)]
pub(crate) struct Parts<'a> {
    /// Lines before the first section.
    pub preamble: Vec<&'a str>,
    /// The sections, in order.
    pub sections: Vec<Section<'a>>,
}

/// The lines of a document, without `\n` or `\r\n`.
pub(crate) fn lines(document: &str) -> Vec<&str> {
    document.lines().collect()
}

/// Cuts a document at its sections.
pub(crate) fn split(document: &str) -> Parts<'_> {
    let lines = lines(document);
    let inside = fence::inside(&lines);
    let mut parts = Parts {
        preamble: Vec::new(),
        sections: Vec::new(),
    };
    for (at, (line, fenced)) in lines.iter().zip(inside).enumerate() {
        match (line.strip_prefix("## "), parts.sections.last_mut()) {
            (Some(name), _) if !fenced => parts.sections.push(Section {
                name: name.trim(),
                line: at,
                heading: line,
                body: Vec::new(),
            }),
            (_, Some(section)) => section.body.push(line),
            (_, None) => parts.preamble.push(line),
        }
    }
    parts
}

/// A stretch of a log's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// A `- ` line and what continues it, with the blank lines behind.
    Entry(Vec<&'a str>),
    /// Anything else: it stays where it is.
    Fixed(Vec<&'a str>),
}

/// Cuts the body of a log into entries and what is none. An entry goes on with indented lines, with blank lines before such, with
/// plain text directly below (a lazy continuation), and with a code block that began inside it.
pub(crate) fn runs<'a>(body: &[&'a str]) -> Vec<Run<'a>> {
    let inside = fence::inside(body);
    let open = fence::open_after(body);
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut was_inside = false;
    let mut after_blank = true;
    for ((line, fenced), open) in body.iter().copied().zip(inside).zip(open) {
        let begins = !was_inside && line.starts_with("- ");
        let goes_on = was_inside || line.trim().is_empty() || continues(line, fenced, after_blank);
        match runs.last_mut() {
            _ if begins => runs.push(Run::Entry(vec![line])),
            Some(Run::Entry(lines)) if goes_on => lines.push(line),
            Some(Run::Fixed(lines)) => lines.push(line),
            Some(Run::Entry(_)) | None => runs.push(Run::Fixed(vec![line])),
        }
        was_inside = open.is_some();
        after_blank = line.trim().is_empty();
    }
    runs
}

fn continues(line: &str, fenced: bool, after_blank: bool) -> bool {
    if line.starts_with([' ', '\t']) {
        return true;
    }
    !fenced && !after_blank && !starts_block(line)
}

/// Whether a line at the margin begins something of its own: a heading, a quote, another list, a rule, a table, HTML.
fn starts_block(line: &str) -> bool {
    let marker = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered =
        marker.len() < line.len() && (marker.starts_with(". ") || marker.starts_with(") "));
    numbered
        || line.starts_with(['#', '>', '<', '|', '`', '~', '=', '_'])
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || line.starts_with("---")
        || line.starts_with("***")
}

/// A body without blank lines at its edges.
pub(crate) fn trimmed<'a, 'b>(body: &'b [&'a str]) -> &'b [&'a str] {
    let blank = |line: &&str| line.trim().is_empty();
    let Some(first) = body.iter().position(|line| !blank(line)) else {
        return &[];
    };
    let last = body.iter().rposition(|line| !blank(line)).unwrap_or(first);
    body.get(first..=last).unwrap_or_default()
}
