//! The sections of a turn's system prompt, in their order (PRM-01).
//!
//! Assembly of bytes and nothing else: what applies is decided by the caller, and masking for a screen is done by it.

mod guidance;
mod kept;
mod seed;

pub use kept::Kept;
pub use seed::{SEED_LIMIT, Seed, SeedError};

use sha2::{Digest, Sha256};

use crate::notebook::View;

/// What a turn's prompt is made of; what is absent or empty has no section.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts<'a> {
    /// The view of the project's notebook.
    pub notebook: Option<&'a View>,
    /// The rendered section of the recall, as `inject::render` or `Kept` holds it.
    pub recall: Option<&'a str>,
    /// The session's seed prompt.
    pub seed: Option<&'a Seed>,
    /// The names of the workflows, when workflow tools are active; an empty list has its section too.
    pub workflows: Option<&'a [String]>,
    /// Whether `canvas_publish` rides.
    pub canvas: bool,
    /// Whether `taffrail_docs` rides.
    pub docs: bool,
}

/// Which section, in the order of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionName {
    /// The project's notebook.
    Notebook,
    /// Recalled memories.
    Recall,
    /// The session's seed prompt.
    Seed,
    /// How to use workflows.
    Workflows,
    /// How to publish a page.
    Canvas,
    /// Where the documentation is.
    Docs,
}

impl SectionName {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notebook => "notebook",
            Self::Recall => "recall",
            Self::Seed => "seed",
            Self::Workflows => "workflows",
            Self::Canvas => "canvas",
            Self::Docs => "docs",
        }
    }
}

/// One section as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Which one.
    pub name: SectionName,
    /// Its bytes.
    pub text: String,
    /// Its size in characters.
    pub characters: usize,
}

/// SHA-256 of the exact bytes of a prompt or of one section.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PromptHash(pub [u8; 32]);

impl PromptHash {
    /// The hash of `text`.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl std::fmt::Display for PromptHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl std::fmt::Debug for PromptHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "PromptHash({self})")
    }
}

/// A turn's prompt, as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The sections that apply, in order.
    pub sections: Vec<Section>,
    /// All of them, joined by one blank line; empty where none applies.
    pub text: String,
    /// The hash of `text`.
    pub hash: PromptHash,
}

/// The prompt of a turn.
pub fn assemble(parts: &Parts<'_>) -> Prompt {
    let notebook = parts
        .notebook
        .and_then(|view| guidance::notebook(&view.text));
    let recall = parts.recall.filter(|section| !section.is_empty());
    let texts = [
        (SectionName::Notebook, notebook),
        (SectionName::Recall, recall.map(str::to_owned)),
        (
            SectionName::Seed,
            parts.seed.map(|seed| seed.as_str().to_owned()),
        ),
        (
            SectionName::Workflows,
            parts.workflows.map(guidance::workflows),
        ),
        (SectionName::Canvas, parts.canvas.then(guidance::canvas)),
        (SectionName::Docs, parts.docs.then(guidance::docs)),
    ];
    let sections: Vec<Section> = texts
        .into_iter()
        .filter_map(|(name, text)| text.map(|text| section(name, text)))
        .collect();
    let texts: Vec<&str> = sections
        .iter()
        .map(|section| section.text.as_str())
        .collect();
    let text = texts.join("\n\n");
    let hash = PromptHash::of(&text);
    Prompt {
        sections,
        text,
        hash,
    }
}

fn section(name: SectionName, text: String) -> Section {
    let characters = text.chars().count();
    Section {
        name,
        text,
        characters,
    }
}

#[cfg(test)]
mod tests;
