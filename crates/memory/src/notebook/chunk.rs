//! What of a document may be shown, cut where a view cuts: sections, and in the log its entries.

use super::parts::{self, Run};
use super::{ARCHIVE, LOG, fence};

/// A line, with the number of the log entry that it belongs to, counted from the oldest.
type Line<'a> = (&'a str, Option<usize>);

/// The text before the first section, or one section with its heading.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<'a> {
    lines: Vec<Line<'a>>,
}

/// Everything but the archive, and how many entries the log has.
#[derive(Debug, Clone)]
pub(crate) struct Chunks<'a> {
    /// In the order of the document.
    pub chunks: Vec<Chunk<'a>>,
    /// Entries of the log.
    pub entries: usize,
}

impl<'a> Chunks<'a> {
    /// The chunks of a document.
    pub(crate) fn of(document: &'a str) -> Self {
        let parts = parts::split(document);
        let preamble = parts::trimmed(&parts.preamble);
        let mut all = Self {
            chunks: Vec::new(),
            entries: 0,
        };
        if !preamble.is_empty() {
            all.push_fixed(preamble);
        }
        for section in &parts.sections {
            match section.name {
                ARCHIVE => {}
                LOG => all.push_log(section.heading, &section.body),
                _ => all.push_fixed(&[&[section.heading], section.body.as_slice()].concat()),
            }
        }
        all
    }

    fn push_fixed(&mut self, lines: &[&'a str]) {
        let lines = lines.iter().map(|line| (*line, None)).collect();
        self.chunks.push(Chunk { lines });
    }

    fn push_log(&mut self, heading: &'a str, body: &[&'a str]) {
        let mut lines: Vec<Line<'a>> = vec![(heading, None)];
        for run in parts::runs(body) {
            match run {
                Run::Fixed(fixed) => lines.extend(fixed.into_iter().map(|line| (line, None))),
                Run::Entry(entry) => {
                    let number = Some(self.entries);
                    self.entries += 1;
                    lines.extend(entry.into_iter().map(|line| (line, number)));
                }
            }
        }
        self.chunks.push(Chunk { lines });
    }

    /// The text without the `skip` oldest entries: one blank line between chunks.
    pub(crate) fn text(&self, skip: usize) -> String {
        let texts: Vec<String> = self.chunks.iter().map(|chunk| chunk.text(skip)).collect();
        texts.join("\n\n")
    }

    /// The size of every entry with its line ends, from the oldest; nothing for those of chunks that are not `shown`.
    pub(crate) fn entry_sizes(&self, shown: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut sizes = vec![None; self.entries];
        for (_, chunk) in self.chunks.iter().enumerate().filter(|(at, _)| shown(*at)) {
            for (line, entry) in &chunk.lines {
                if let Some(size) = entry.and_then(|entry| sizes.get_mut(entry)) {
                    *size = Some(size.unwrap_or(0) + line.chars().count() + 1);
                }
            }
        }
        sizes
    }

    /// Its size in characters.
    pub(crate) fn characters(&self, skip: usize) -> usize {
        self.text(skip).chars().count()
    }
}

impl<'a> Chunk<'a> {
    fn lines(&self, skip: usize) -> Vec<&'a str> {
        let shown =
            |(line, entry): &Line<'a>| entry.is_none_or(|entry| entry >= skip).then_some(*line);
        let mut lines: Vec<&str> = self.lines.iter().filter_map(shown).collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    }

    /// Its text without the `skip` oldest entries.
    pub(crate) fn text(&self, skip: usize) -> String {
        self.lines(skip).join("\n")
    }

    /// As many whole lines of its text, entries left out, as fit into `room` characters; a code block that is cut is closed. Of
    /// a first line that does not fit, its beginning. Nothing where only the heading would be left.
    pub(crate) fn head(&self, skip: usize, room: usize) -> Option<String> {
        let lines = self.lines(skip);
        let open = fence::open_after(&lines);
        let mut used = 0;
        let mut best = 0;
        for (count, (line, open)) in lines.iter().zip(&open).enumerate() {
            used += line.chars().count() + usize::from(count > 0);
            let closing = open.map_or(0, |fence| fence.closing().len() + 1);
            if used + closing <= room {
                best = count + 1;
            }
            if used > room {
                break;
            }
        }
        let mut head: Vec<String> = lines
            .iter()
            .take(best)
            .map(|line| (*line).to_owned())
            .collect();
        let heading = usize::from(head.first().is_some_and(|line| line.starts_with("## ")));
        let only_heading = head.iter().skip(heading).all(|line| line.trim().is_empty());
        let mut shut = best
            .checked_sub(1)
            .and_then(|last| open.get(last).copied().flatten());
        if only_heading {
            shut = None;
            let used = head.join("\n").chars().count() + usize::from(!head.is_empty());
            let line = lines.get(best).filter(|_| used + 2 <= room)?;
            head.push(line.chars().take(room - used - 1).chain(['…']).collect());
        }
        head.extend(shut.map(fence::Fence::closing));
        Some(head.join("\n"))
    }
}
