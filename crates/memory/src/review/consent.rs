//! A person's consent: a typed code over exactly what was shown, or a key for what gives no influence (REV-03).

use std::fmt;

use taffrail_domain::{ContentHash, MemoryId};

use crate::hashing::Hashing;

/// Hex digits of a code: enough that nobody types it for a text that was not on the screen.
const DIGITS: usize = 6;

/// Where a person decides. There are two such places and no third.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// An interactive terminal that showed the whole text.
    Terminal,
    /// A browser session that the operator opened.
    Browser,
}

impl Surface {
    /// The stable word, as in rows and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Browser => "browser",
        }
    }
}

/// The code over a list that is shown: six hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code([u8; DIGITS / 2]);

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// The code over the ordered list of memories and texts that is shown.
pub fn code(shown: &[(MemoryId, ContentHash)]) -> Code {
    let hashing = Hashing::new("taffrail.review.code.v1");
    let hash = shown
        .iter()
        .fold(hashing, |hashing, (id, content)| {
            hashing.field(&id.bytes()).field(&content.0)
        })
        .finish();
    let [first, second, third, ..] = hash;
    Code([first, second, third])
}

/// The typed code is not that of the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeWrong {
    /// Something else was typed.
    #[error("`{typed}` is not the code of {}: nothing is confirmed", shown(*count))]
    Other {
        /// What was typed, at most 16 characters of it.
        typed: String,
        /// How many memories were shown.
        count: usize,
    },
    /// Nothing was shown, so there is nothing to consent to.
    #[error("no memory was shown: nothing is confirmed")]
    NothingShown,
}

fn shown(count: usize) -> String {
    match count {
        1 => "the text shown".to_owned(),
        _ => format!("the {count} texts shown"),
    }
}

/// A person's word that exactly these memories, in exactly these texts, may instruct. Not cloned, not printed into rows.
#[derive(Debug)]
pub struct Consent {
    shown: Vec<(MemoryId, ContentHash)>,
    surface: Surface,
}

impl Consent {
    /// The only door: the code that stood beside the list, typed by a person at a surface. Blanks around it and the case
    /// of its letters do not matter.
    ///
    /// # Errors
    /// `Other` where the code is not that of the list, `NothingShown` for an empty list.
    pub fn typed(
        shown: Vec<(MemoryId, ContentHash)>,
        typed: &str,
        surface: Surface,
    ) -> Result<Self, CodeWrong> {
        if shown.is_empty() {
            return Err(CodeWrong::NothingShown);
        }
        if typed.trim().eq_ignore_ascii_case(&code(&shown).to_string()) {
            return Ok(Self { shown, surface });
        }
        Err(CodeWrong::Other {
            typed: typed.trim().chars().take(16).collect(),
            count: shown.len(),
        })
    }

    /// Whether this memory in this text was shown.
    pub fn covers(&self, id: MemoryId, content: ContentHash) -> bool {
        self.shown.contains(&(id, content))
    }

    /// What was shown, in order.
    pub fn shown(&self) -> &[(MemoryId, ContentHash)] {
        &self.shown
    }

    /// Where the code was typed.
    pub fn surface(&self) -> Surface {
        self.surface
    }
}

/// A key that a person pressed: enough for every decision that gives no influence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    surface: Surface,
}

impl Key {
    /// A key that was pressed at a surface.
    pub fn pressed(surface: Surface) -> Self {
        Self { surface }
    }

    /// Where.
    pub fn surface(&self) -> Surface {
        self.surface
    }
}
