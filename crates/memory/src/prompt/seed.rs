//! The text that a surface gives a session when it opens it.

/// Characters that a seed prompt may have.
pub const SEED_LIMIT: usize = 8_000;

/// Why a text is not a session's seed prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// Too long.
    #[error("the seed prompt has {characters} characters; the limit is {SEED_LIMIT}")]
    TooLong {
        /// Characters that it has.
        characters: usize,
    },
    /// No text.
    #[error("the seed prompt is blank")]
    Blank,
    /// The session has one already.
    #[error("the session has its seed prompt already: it is set once, when the session is opened")]
    AlreadySet,
}

/// A session's seed prompt: set once, at most 8,000 characters, sent verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed(String);

impl Seed {
    /// The seed prompt of a session that has `before`.
    ///
    /// # Errors
    /// `AlreadySet` where there is one; `Blank`; `TooLong` over 8,000 characters.
    pub fn set(before: Option<&Self>, text: &str) -> Result<Self, SeedError> {
        let characters = text.chars().count();
        if before.is_some() {
            Err(SeedError::AlreadySet)
        } else if text.trim().is_empty() {
            Err(SeedError::Blank)
        } else if characters > SEED_LIMIT {
            Err(SeedError::TooLong { characters })
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
