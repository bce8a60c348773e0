//! Blocks to pieces: what stands together stays together, with the words above it that say what it is about.

use std::collections::BTreeSet;

use super::blocks::{self, Block, Shape};
use super::kind::kind;
use super::{Piece, PieceKey};
use crate::draft::{CONTENT_LIMIT, SUMMARY_LIMIT, first_sentence};

/// Characters of a heading that is put before a piece; longer ones are sentences themselves.
const HEADING: usize = 80;
/// Characters of a line like `Before a commit:` that is put before the items below it.
const LEAD: usize = 200;
/// How the file that `/init` writes begins; it says nothing about the project.
const BOILERPLATE: &str = "This file provides guidance to ";

/// Headings that say where a text lies and not what it is about.
const PLACES: [&str; 6] = [
    "gemini added memories",
    "memories",
    "memory",
    "notes",
    "misc",
    "overview",
];

/// A piece in the making.
#[derive(Debug, Default)]
struct Raw {
    heading: Option<String>,
    lead: Option<String>,
    lines: Vec<(usize, String)>,
}

/// The pieces of a list of blocks, each text once.
pub(super) fn build(blocks: &[Block<'_>]) -> Vec<Piece> {
    let mut raws: Vec<Raw> = Vec::new();
    let mut heading = None;
    let mut lead: Option<(usize, String)> = None;
    let mut previous = None;
    for (at, block) in blocks.iter().enumerate() {
        let next = blocks.get(at + 1).map(|block| block.shape);
        match (block.shape, raws.last_mut()) {
            (Shape::Heading(level), _) => (heading, lead) = (about(block, level), None),
            (Shape::Code, Some(raw)) if matches!(previous, Some(Shape::Text | Shape::Item(_))) => {
                raw.extend(block)
            }
            (Shape::Text, _) => {
                lead = lead_of(block).filter(|_| matches!(next, Some(Shape::Item(_))));
                if lead.is_none() {
                    raws.push(Raw::of(block, heading.as_ref(), None));
                }
            }
            (Shape::Item(_) | Shape::Code, _) => {
                raws.push(Raw::of(block, heading.as_ref(), lead.as_ref()))
            }
        }
        previous = Some(block.shape);
    }
    let mut seen = BTreeSet::new();
    let pieces = raws
        .iter()
        .filter(|raw| raw.says_something())
        .flat_map(Raw::pieces);
    pieces.filter(|piece| seen.insert(piece.key)).collect()
}

/// The text of a heading, but for the title of the file.
fn about(block: &Block<'_>, level: usize) -> Option<String> {
    let text = block
        .lines
        .first()
        .map_or("", |(_, line)| line.trim_matches(['#', ' ', '\t']));
    let text = plain(text);
    let text = text.trim_end_matches(':').trim();
    let says = !text.is_empty() && !PLACES.contains(&text.to_lowercase().as_str());
    (level > 1 && says && text.chars().count() <= HEADING).then(|| text.to_owned())
}

fn lead_of(block: &Block<'_>) -> Option<(usize, String)> {
    let line = block.lines.first()?.0;
    let texts: Vec<&str> = block.lines.iter().map(|(_, line)| line.trim()).collect();
    let text = texts.join(" ");
    let bare = plain(&text);
    let bare = bare.trim().strip_suffix(':')?;
    (bare.chars().count() <= LEAD).then(|| (line, bare.to_owned()))
}

/// Without the marks of emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").replace("__", "")
}

impl Raw {
    fn of(block: &Block<'_>, heading: Option<&String>, lead: Option<&(usize, String)>) -> Self {
        let mut raw = Self {
            heading: heading.cloned(),
            lead: lead.map(|(_, text)| text.clone()),
            lines: Vec::new(),
        };
        raw.extend(block);
        raw
    }

    /// Takes a block's lines without its marker and the columns that it stands at.
    fn extend(&mut self, block: &Block<'_>) {
        let (column, mut body) = match block.shape {
            Shape::Item(_) => {
                let first = block.lines.first().copied().unwrap_or((0, ""));
                let text = blocks::marker(first.1).unwrap_or(first.1);
                let nested = block
                    .lines
                    .iter()
                    .skip(1)
                    .filter(|(_, line)| !line.trim().is_empty());
                let column = nested
                    .map(|(_, line)| blocks::indent(line))
                    .min()
                    .unwrap_or(0);
                (column, vec![(first.0, text.trim_end().to_owned())])
            }
            Shape::Heading(_) | Shape::Text | Shape::Code => (0, Vec::new()),
        };
        let rest = block.lines.iter().skip(body.len());
        body.extend(rest.map(|(number, line)| (*number, dedented(line, column))));
        self.lines.extend(body);
    }

    fn says_something(&self) -> bool {
        let text = self.text();
        text.chars().any(char::is_alphanumeric) && !text.starts_with(BOILERPLATE)
    }

    fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|(_, line)| line.as_str()).collect();
        lines.join("\n")
    }

    fn prefix(&self) -> String {
        let words = [self.heading.as_ref(), self.lead.as_ref()];
        words
            .into_iter()
            .flatten()
            .map(|word| format!("{word}: "))
            .collect()
    }

    /// One piece, or several where it is longer than a memory may be.
    fn pieces(&self) -> Vec<Piece> {
        let prefix = self.prefix();
        let room = CONTENT_LIMIT - prefix.chars().count();
        split(&self.lines, room)
            .iter()
            .map(|lines| self.piece(&prefix, lines))
            .collect()
    }

    fn piece(&self, prefix: &str, lines: &[(usize, String)]) -> Piece {
        let texts: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let text = texts.join("\n");
        let content = if is_fence(&text) {
            format!("{}\n{text}", prefix.trim_end())
        } else {
            format!("{prefix}{text}")
        };
        let content = content.trim().to_owned();
        let prose = prose(&content);
        let number = |line: Option<&(usize, String)>| line.map_or(0, |(number, _)| *number);
        Piece {
            summary: summary(&prose, &content),
            kind: kind(&prose),
            line: number(lines.first()),
            end_line: number(lines.last()),
            key: PieceKey::of(&format!(
                "{}\n{text}",
                self.lead.as_deref().unwrap_or_default()
            )),
            content,
        }
    }
}

fn is_fence(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("```") || text.starts_with("~~~")
}

/// What stands before the first code block.
fn prose(content: &str) -> String {
    let lines: Vec<&str> = content.lines().take_while(|line| !is_fence(line)).collect();
    plain(&lines.join("\n"))
}

fn summary(prose: &str, content: &str) -> String {
    let nested = |line: &&str| blocks::marker(line).is_some();
    let above: Vec<&str> = prose
        .lines()
        .enumerate()
        .take_while(|(at, line)| *at == 0 || !nested(line))
        .map(|(_, line)| line)
        .collect();
    let first = first_sentence(&above.join("\n"), SUMMARY_LIMIT);
    if !first.is_empty() {
        return first;
    }
    let code = content
        .lines()
        .find(|line| !is_fence(line) && !line.trim().is_empty());
    first_sentence(code.unwrap_or(content), SUMMARY_LIMIT)
}

/// A whole text as one piece, under a summary of its own.
pub(super) fn whole(lines: &[(usize, String)], summary: &str) -> Option<Piece> {
    let raw = Raw {
        lines: lines.to_vec(),
        ..Raw::default()
    };
    let mut pieces = raw.pieces();
    let piece = pieces
        .pop()
        .filter(|_| pieces.is_empty() && raw.says_something())?;
    Some(Piece {
        summary: first_sentence(summary, SUMMARY_LIMIT),
        ..piece
    })
}

fn dedented(line: &str, columns: usize) -> String {
    let mut rest = line;
    let mut left = columns;
    while left > 0 {
        let (width, after) = match rest.strip_prefix(' ') {
            Some(after) => (1, after),
            None => match rest.strip_prefix('\t') {
                Some(after) => (4, after),
                None => break,
            },
        };
        left = left.saturating_sub(width);
        rest = after;
    }
    rest.trim_end().to_owned()
}

/// Lines in parts of at most `room` characters: between paragraphs, else between lines, else inside a line.
fn split(lines: &[(usize, String)], room: usize) -> Vec<Vec<(usize, String)>> {
    let short = lines.iter().flat_map(|(number, line)| {
        let letters: Vec<char> = line.chars().collect();
        let parts: Vec<String> = letters.chunks(room.max(1)).map(String::from_iter).collect();
        let parts = if parts.is_empty() {
            vec![String::new()]
        } else {
            parts
        };
        parts.into_iter().map(|part| (*number, part))
    });
    let mut parts = Vec::new();
    let mut part: Vec<(usize, String)> = Vec::new();
    let mut size = 0;
    for line in short {
        let more = line.1.chars().count() + 1;
        while size + more > room + 1 && !part.is_empty() {
            let cut = part
                .iter()
                .rposition(|(_, line)| line.is_empty())
                .filter(|cut| *cut > 0);
            let rest = part.split_off(cut.unwrap_or(part.len()));
            parts.push(std::mem::take(&mut part));
            part = rest
                .into_iter()
                .skip_while(|(_, line)| line.is_empty())
                .collect();
            size = part.iter().map(|(_, line)| line.chars().count() + 1).sum();
        }
        size += more;
        part.push(line);
    }
    parts.push(part);
    parts
}
