//! Paragraphs that hold words, the ones that hold rarer words first.

use std::collections::HashSet;

use super::pages::PAGES;

/// Words of a question that count.
const MOST_WORDS: usize = 16;
/// Bytes of a paragraph that are given.
const LONGEST: usize = 2_000;
/// What a word in the heading counts beside one in the paragraph.
const HEADING: f64 = 0.5;

/// A paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The page's name.
    pub page: &'static str,
    /// The nearest heading above it.
    pub heading: &'static str,
    /// The paragraph, in Markdown, at most 2,000 bytes.
    pub text: &'static str,
}

/// At most `limit` paragraphs that hold a word of the question, the best first; of equal ones the earlier.
pub fn search(query: &str, limit: usize) -> Vec<Found> {
    let words = words(query);
    let all: Vec<Paragraph> = paragraphs().collect();
    let weights: Vec<f64> = words.iter().map(|word| weight(word, &all)).collect();
    let mut scored: Vec<(f64, &Paragraph)> = all
        .iter()
        .map(|paragraph| (paragraph.score(&words, &weights), paragraph))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = scored.into_iter().take(limit);
    best.map(|(_, paragraph)| paragraph.found()).collect()
}

fn words(query: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let split = query.split(|at: char| !at.is_alphanumeric() && at != '_');
    split
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| seen.insert(word.clone()))
        .take(MOST_WORDS)
        .collect()
}

/// A word that is in few paragraphs says more.
fn weight(word: &str, all: &[Paragraph]) -> f64 {
    let holding = all.iter().filter(|paragraph| paragraph.holds(word)).count();
    (all.len() as f64 / holding.max(1) as f64).ln().max(0.1)
}

struct Paragraph {
    page: &'static str,
    heading: &'static str,
    text: &'static str,
    lower: String,
    lower_heading: String,
}

impl Paragraph {
    fn holds(&self, word: &str) -> bool {
        self.lower.contains(word)
    }

    fn score(&self, words: &[String], weights: &[f64]) -> f64 {
        let mut score = 0.0;
        for (word, weight) in words.iter().zip(weights) {
            if self.holds(word) {
                score += weight;
            }
            if self.lower_heading.contains(word.as_str()) {
                score += weight * HEADING;
            }
        }
        score
    }

    fn found(&self) -> Found {
        let end = self.text.floor_char_boundary(LONGEST);
        Found {
            page: self.page,
            heading: self.heading,
            text: self.text.get(..end).unwrap_or(self.text),
        }
    }
}

fn paragraphs() -> impl Iterator<Item = Paragraph> {
    PAGES.iter().flat_map(|(page, text)| {
        let mut heading = "";
        blocks(text).into_iter().filter_map(move |block| {
            let (own, body) = split_heading(block);
            heading = own.unwrap_or(heading);
            (!body.is_empty() && !body.starts_with("<!--")).then(|| Paragraph {
                page,
                heading,
                text: body,
                lower: body.to_lowercase(),
                lower_heading: heading.to_lowercase(),
            })
        })
    })
}

/// The heading that a block begins with, and the rest of it.
fn split_heading(block: &'static str) -> (Option<&'static str>, &'static str) {
    if !block.starts_with('#') {
        return (None, block);
    }
    let (heading, body) = block.split_once('\n').unwrap_or((block, ""));
    (Some(heading.trim_start_matches('#').trim()), body.trim())
}

/// What stands between empty lines; a fenced block is never taken apart.
fn blocks(text: &'static str) -> Vec<&'static str> {
    let mut blocks = Vec::new();
    let (mut start, mut at, mut fenced) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```");
        if line.trim().is_empty() && !fenced {
            blocks.push(text.get(start..at).unwrap_or_default().trim());
            start = at;
        }
        at += line.len();
    }
    blocks.push(text.get(start..).unwrap_or_default().trim());
    blocks.retain(|block| !block.is_empty());
    blocks
}
