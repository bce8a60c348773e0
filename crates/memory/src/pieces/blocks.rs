//! A Markdown text as a flat list of blocks, as far as candidates for a memory need it.

use crate::notebook::fence;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A heading of this level.
    Heading(usize),
    /// A paragraph, a quote or a table.
    Text,
    /// An item of a list that begins at this column, with all that is nested in it.
    Item(usize),
    /// A fenced code block at the margin.
    Code,
}

/// A block and its lines, numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'a> {
    pub shape: Shape,
    pub lines: Vec<(usize, &'a str)>,
}

/// The blocks of `lines`, the first of which has the number `first`. Imports, comments and rules are passed over.
pub(super) fn blocks<'a>(lines: &[&'a str], first: usize) -> Vec<Block<'a>> {
    let inside = fence::inside(lines);
    let open = fence::open_after(lines);
    let hidden = comments(lines, &inside);
    let mut reader = Reader::default();
    for (at, line) in lines.iter().enumerate() {
        let is = |flags: &[bool]| flags.get(at).copied().unwrap_or_default();
        let goes_on = open.get(at).copied().flatten().is_some();
        if is(&inside) {
            reader.fenced(first + at, line, goes_on);
        } else if is(&hidden) || is_import(line) || is_picture(line) {
            reader.blank();
        } else {
            reader.line(first + at, line);
        }
    }
    reader.finish();
    reader.blocks
}

#[derive(Debug, Default)]
struct Reader<'a> {
    blocks: Vec<Block<'a>>,
    current: Option<Block<'a>>,
    after_blank: bool,
    in_fence: bool,
}

impl<'a> Reader<'a> {
    fn fenced(&mut self, number: usize, line: &'a str, goes_on: bool) {
        let nested = indent(line) > 0 && self.item_column().is_some();
        if !self.in_fence && !nested {
            self.start(Shape::Code, number, line);
        } else {
            self.push(number, line);
        }
        self.in_fence = goes_on;
        self.after_blank = false;
        let is_code = self
            .current
            .as_ref()
            .is_some_and(|block| block.shape == Shape::Code);
        if is_code && !goes_on {
            self.finish();
        }
    }

    fn line(&mut self, number: usize, line: &'a str) {
        if line.trim().is_empty() {
            return self.blank();
        }
        if let Some(level) = heading_level(line) {
            self.start(Shape::Heading(level), number, line);
            return self.finish();
        }
        if self.underlines(line) {
            return;
        }
        let column = indent(line);
        let nested = self.item_column().is_some_and(|item| column > item + 1);
        let lazy = !self.after_blank && self.current.is_some();
        match marker(line) {
            _ if nested => self.push(number, line),
            Some(_) => self.start(Shape::Item(column), number, line),
            None if lazy => self.push(number, line),
            None => self.start(Shape::Text, number, line),
        }
        self.after_blank = false;
    }

    /// Whether the line is a rule, or makes a heading of the paragraph above it.
    fn underlines(&mut self, line: &str) -> bool {
        let text = line.trim();
        let only = |mark: char| {
            text.len() >= 3 && text.chars().all(|letter| letter == mark || letter == ' ')
        };
        let level = match () {
            () if only('=') => 1,
            () if only('-') => 2,
            () if only('*') || only('_') => {
                self.finish();
                return true;
            }
            () => return false,
        };
        if let Some(block) = self.current.as_mut()
            && !self.after_blank
            && block.shape == Shape::Text
            && block.lines.len() == 1
        {
            block.shape = Shape::Heading(level);
        }
        self.finish();
        true
    }

    fn blank(&mut self) {
        let closed = self
            .current
            .as_ref()
            .is_some_and(|block| block.shape == Shape::Text);
        if closed {
            self.finish();
        }
        self.after_blank = true;
    }

    fn item_column(&self) -> Option<usize> {
        match self.current.as_ref()?.shape {
            Shape::Item(column) => Some(column),
            Shape::Heading(_) | Shape::Text | Shape::Code => None,
        }
    }

    fn start(&mut self, shape: Shape, number: usize, line: &'a str) {
        self.finish();
        self.current = Some(Block {
            shape,
            lines: vec![(number, line)],
        });
    }

    fn push(&mut self, number: usize, line: &'a str) {
        if let Some(block) = self.current.as_mut() {
            let last = block.lines.last().map_or(number, |(last, _)| *last);
            // Blank lines between an item and what is nested in it.
            block
                .lines
                .extend((last + 1..number).map(|blank| (blank, "")));
            block.lines.push((number, line));
        }
    }

    fn finish(&mut self) {
        self.blocks.extend(self.current.take());
    }
}

/// Columns before the text; a tab counts as four.
pub(super) fn indent(line: &str) -> usize {
    let blank = line
        .chars()
        .take_while(|letter| matches!(letter, ' ' | '\t'));
    blank.map(|letter| if letter == '\t' { 4 } else { 1 }).sum()
}

/// What stands behind the marker of a list item, a box to tick passed over.
pub(super) fn marker(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let bullet = ["- ", "* ", "+ "]
        .into_iter()
        .find_map(|bullet| text.strip_prefix(bullet));
    let rest = bullet.or_else(|| {
        let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = text.len() - rest.len();
        let rest = rest.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
        (1..=3).contains(&digits).then_some(rest)
    })?;
    let boxed = ["[ ] ", "[x] ", "[X] "]
        .into_iter()
        .find_map(|tick| rest.strip_prefix(tick));
    Some(boxed.unwrap_or(rest))
}

fn heading_level(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then_some(level)
}

/// `@docs/style.md` alone on a line: another file's text.
fn is_import(line: &str) -> bool {
    let text = marker(line).unwrap_or(line).trim();
    let path = text.strip_prefix('@').unwrap_or_default();
    path.contains(['/', '.']) && !path.contains(char::is_whitespace)
}

fn is_picture(line: &str) -> bool {
    let text = line.trim();
    (text.starts_with("![") || text.starts_with("[![")) && text.ends_with(')')
}

/// Lines of comments that begin at the start of a line and end somewhere.
fn comments(lines: &[&str], inside: &[bool]) -> Vec<bool> {
    let last_end = lines.iter().rposition(|line| line.contains("-->"));
    let mut open = false;
    let mut hidden = Vec::with_capacity(lines.len());
    for (at, (line, fenced)) in lines.iter().zip(inside).enumerate() {
        let begins = !fenced
            && line.trim_start().starts_with("<!--")
            && last_end.is_some_and(|end| end >= at);
        open |= begins;
        hidden.push(open);
        open &= !line.contains("-->");
    }
    hidden
}
