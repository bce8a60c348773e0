//! The name of a memory in a file: its shown id, or the id that it has elsewhere.

use std::fmt;
use std::str::FromStr;

use taffrail_domain::{IdError, MemoryId, MemoryType, id_prefix};

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

/// The id at the end of a file's name, where the name is one that the mirror gives: plain, in lower case, without a folder. A
/// file whose summary was edited has a new name and the same id.
pub fn id_in_name(name: &str) -> Option<ForeignId> {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    let stem = name.strip_suffix(".md")?;
    let (kind, id) = stem.rsplit_once('-').filter(|_| stem.bytes().all(plain))?;
    let kind = kind.split('-').next()?;
    kind.parse::<MemoryType>().ok()?;
    id.parse().ok()
}
