//! The documentation that is in the binary (PRM-03): pages by name, and paragraphs that hold words. Offline, pure.

mod pages;
mod search;
#[cfg(test)]
mod tests;

use pages::PAGES;

pub use search::{Found, search};

/// A page of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its name, as `box`.
    pub name: &'static str,
    /// Its first heading.
    pub title: &'static str,
}

/// Every page, the first ones to read first.
pub fn pages() -> Vec<Page> {
    let pages = PAGES.iter().map(|(name, text)| Page {
        name,
        title: title(text),
    });
    pages.collect()
}

/// The text of a page, in Markdown. The name in any case, with or without `.md`.
pub fn page(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    let plain = name.strip_suffix(".md").unwrap_or(&name);
    let plain = plain.strip_prefix("docs/").unwrap_or(plain);
    let mut pages = PAGES.iter();
    pages.find(|page| page.0 == plain).map(|page| page.1)
}

fn title(text: &'static str) -> &'static str {
    let mut headings = text.lines().filter_map(|line| line.strip_prefix("# "));
    headings.next().unwrap_or_default().trim()
}
