//! What of a notebook a turn is given.

use super::chunk::Chunks;

/// What a turn is given of a notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// The text; empty where there is nothing to give.
    pub text: String,
    /// Entries of the log that were left out for the budget.
    pub left_out: usize,
    /// Characters that were left out for the budget, the archive not counted.
    pub left_out_characters: usize,
}

/// Everything but the archive. Over `budget` characters the fixed sections and the newest entries of the log stay, and the last
/// line says how much was left out. An entry is given whole or not at all; a section is cut only where it alone is over the
/// budget. The text is never longer than the budget.
pub fn view(document: &str, budget: usize) -> View {
    let all = Chunks::of(document);
    let text = all.text(0);
    if text.chars().count() <= budget {
        return View {
            text,
            ..View::default()
        };
    }
    thinned(&all, budget).unwrap_or_else(|| squeezed(&all, budget))
}

/// Characters that a turn would be given without a budget.
pub fn injected_characters(document: &str) -> usize {
    Chunks::of(document).characters(0)
}

/// What is missing from a view.
#[derive(Debug, Clone, Copy, Default)]
struct Missing {
    entries: usize,
    sections: usize,
    cut: usize,
    characters: usize,
}

impl Missing {
    /// The one line that says so.
    fn line(self, budget: usize) -> String {
        let counted = |count: usize, one: &str, more: &str| match count {
            0 => None,
            1 => Some(one.to_owned()),
            _ => Some(more.replace("{}", &count.to_string())),
        };
        let what: Vec<String> = [
            counted(
                self.entries,
                "1 older entry of the log",
                "{} older entries of the log",
            ),
            counted(self.sections, "1 section", "{} sections"),
            counted(self.cut, "the rest of 1 section", "the rest of {} sections"),
        ]
        .into_iter()
        .flatten()
        .collect();
        format!(
            "(Left out to stay within {budget} characters: {}; {} characters in all.)",
            what.join(", "),
            self.characters
        )
    }
}

/// All fixed sections, and as many of the newest entries as fit; nothing where the fixed sections alone do not.
fn thinned(all: &Chunks<'_>, budget: usize) -> Option<View> {
    let whole = all.characters(0);
    let attempt = |skip: usize| {
        let text = all.text(skip);
        let missing = Missing {
            entries: skip,
            characters: whole.saturating_sub(text.chars().count()),
            ..Missing::default()
        };
        finished(text, missing, budget)
    };
    let (mut too_few, mut enough) = (0, all.entries);
    let mut best = (enough > 0).then(|| attempt(enough)).flatten()?;
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        match attempt(middle) {
            Some(view) => (enough, best) = (middle, view),
            None => too_few = middle,
        }
    }
    Some(best)
}

fn finished(text: String, missing: Missing, budget: usize) -> Option<View> {
    let gap = if text.is_empty() { "" } else { "\n\n" };
    let text = text + gap + &missing.line(budget);
    (text.chars().count() <= budget).then_some(View {
        text,
        left_out: missing.entries,
        left_out_characters: missing.characters,
    })
}

/// The fixed sections are over the budget: whole ones first, then entries in half of what is left, then the beginning of a section
/// that alone is over the budget.
fn squeezed(all: &Chunks<'_>, budget: usize) -> View {
    let whole = all.characters(0);
    let worst = Missing {
        entries: all.entries,
        sections: all.chunks.len(),
        cut: all.chunks.len(),
        characters: whole,
    };
    let mut room = budget.saturating_sub(worst.line(budget).chars().count() + 2);
    let mut shown = whole_chunks(all, budget, &mut room);
    let skip = newest_entries(all, &mut shown, &mut room);
    let cut = cut_chunks(all, budget, &mut shown, &mut room);
    let texts: Vec<String> = shown.into_iter().flatten().collect();
    let missing = Missing {
        entries: skip,
        sections: all.chunks.len() - texts.len(),
        cut,
        characters: whole.saturating_sub(texts.join("\n\n").chars().count()),
    };
    finished(texts.join("\n\n"), missing, budget).unwrap_or(View {
        text: String::new(),
        left_out: all.entries,
        left_out_characters: whole,
    })
}

/// The sections that fit whole, without entries, in the order of the document; a hole for every other one.
fn whole_chunks(all: &Chunks<'_>, budget: usize, room: &mut usize) -> Vec<Option<String>> {
    let fits = |text: &String| {
        let size = text.chars().count() + 2;
        let fits = size <= budget && size <= *room;
        *room -= if fits { size } else { 0 };
        fits
    };
    let texts = all.chunks.iter().map(|chunk| chunk.text(all.entries));
    let mut fits = fits;
    texts.map(|text| Some(text).filter(&mut fits)).collect()
}

/// Fills up with the newest entries while they need at most half of the room; answers how many older ones are left out.
fn newest_entries(all: &Chunks<'_>, shown: &mut [Option<String>], room: &mut usize) -> usize {
    let sizes = all.entry_sizes(|chunk| shown.get(chunk).is_some_and(Option::is_some));
    let mut left = *room / 2;
    let fits = |size: &&Option<usize>| {
        let rest = size.and_then(|size| left.checked_sub(size));
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let skip = all.entries - sizes.iter().rev().take_while(fits).count();
    let mut filled = shown.to_vec();
    for (chunk, text) in all.chunks.iter().zip(&mut filled) {
        *text = text.take().map(|_| chunk.text(skip));
    }
    let size = |texts: &[Option<String>]| -> usize {
        texts
            .iter()
            .flatten()
            .map(|text| text.chars().count())
            .sum()
    };
    // Blank lines above the entries come back with them; where those are too many, no entry is shown.
    let grown = size(&filled).saturating_sub(size(shown));
    if grown > *room {
        return all.entries;
    }
    *room -= grown;
    shown.clone_from_slice(&filled);
    skip
}

/// The beginnings of sections that alone are over the budget; answers how many were cut.
fn cut_chunks(
    all: &Chunks<'_>,
    budget: usize,
    shown: &mut [Option<String>],
    room: &mut usize,
) -> usize {
    let mut cut = 0;
    for (chunk, text) in all
        .chunks
        .iter()
        .zip(shown.iter_mut())
        .filter(|(_, text)| text.is_none())
    {
        if chunk.text(all.entries).chars().count() + 2 <= budget {
            continue;
        }
        *text = chunk.head(all.entries, room.saturating_sub(2));
        if let Some(head) = text {
            *room -= head.chars().count() + 2;
            cut += 1;
        }
    }
    cut
}
