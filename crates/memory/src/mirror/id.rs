//! The name of a memory in a file: its shown id, or the id that it has elsewhere.

use std::fmt;
use std::str::FromStr;

use taffrail_domain::{IdError, MemoryId, id_prefix};

/// Characters of a whole shown id: `mem_` and ten more.
const WHOLE: usize = 14;

/// The shown form of a memory's id, maybe of another home.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForeignId(String);

impl ForeignId {
    /// The id as it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<MemoryId> for ForeignId {
    fn from(id: MemoryId) -> Self {
        Self(id.short())
    }
}

impl FromStr for ForeignId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let id = id_prefix(MemoryId::PREFIX, text)?;
        if id.len() == WHOLE {
            Ok(Self(id))
        } else {
            Err(IdError::Text {
                text: id,
                kind: MemoryId::PREFIX,
            })
        }
    }
}

impl fmt::Display for ForeignId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Whether a file of this name may be one of the mirror: a plain name that ends with an id and `.md`.
pub fn is_mirror_name(name: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    name.strip_suffix(".md").is_some_and(|stem| {
        stem.bytes().all(plain)
            && stem
                .rsplit_once('-')
                .is_some_and(|(_, id)| id.parse::<ForeignId>().is_ok())
    })
}
