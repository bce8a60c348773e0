//! The id that another program gives its slate, and the name of the file that holds it (XSL-04).

use std::fmt;
use std::str::FromStr;

use taffrail_redact::Redactor;

use super::{ID_LIMIT, SlateError};

/// 1 to 128 of `A-Z a-z 0-9 _ -`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExternalId(String);

/// Names that are devices on some systems, in lower case.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];
/// Characters of what was given that an error repeats.
const SHOWN: usize = 80;
/// What an encoded name begins with. No plain name holds a dot, so none collides.
const ENCODED: &str = "x.";
/// Five bits each. Lower-case letters and digits, so that the names differ where case does not count.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

impl ExternalId {
    /// The id of what a stranger sent: it is stored and shown, so it must not have the shape of a secret either.
    ///
    /// # Errors
    /// `Id`, `SecretId`.
    pub fn new(text: &str, redactor: &Redactor) -> Result<Self, SlateError> {
        let id: Self = text.parse()?;
        match redactor.findings(text).first() {
            None => Ok(id),
            Some(found) => Err(SlateError::SecretId {
                family: found.family.as_str(),
            }),
        }
    }

    /// The id as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file's name without `.json`, at most 157 bytes of `a-z 0-9 _ - .`: the id itself where it is lower-case and no
    /// device's name; else `x.`, the id in lower case, and, where it has capitals, `.` and which they are, five places to a
    /// character. No two ids share one on any file system.
    pub fn file_stem(&self) -> String {
        let capitals = capitals(&self.0);
        if capitals.is_empty() && !is_device(&self.0) {
            return self.0.clone();
        }
        let lower = self.0.to_ascii_lowercase();
        match capitals.as_str() {
            "" => format!("{ENCODED}{lower}"),
            capitals => format!("{ENCODED}{lower}.{capitals}"),
        }
    }

    /// The id whose file has this name without `.json`; none for a name that [`ExternalId::file_stem`] gives to none.
    pub fn from_file_stem(stem: &str) -> Option<Self> {
        let text = match stem.strip_prefix(ENCODED) {
            None => stem.to_owned(),
            Some(rest) => {
                let (lower, capitals) = rest.split_once('.').unwrap_or((rest, ""));
                raised(lower, capitals)?
            }
        };
        let id: Self = text.parse().ok()?;
        (id.file_stem() == stem).then_some(id)
    }
}

/// Which characters are capitals: a bit each, the first one lowest, as far as the last capital.
fn capitals(id: &str) -> String {
    let groups = id.as_bytes().chunks(5).map(|group| {
        let bits = group.iter().enumerate();
        bits.fold(0_usize, |bits, (at, byte)| {
            bits | usize::from(byte.is_ascii_uppercase()) << at
        })
    });
    let digits = groups.filter_map(|bits| ALPHABET.get(bits).copied().map(char::from));
    digits.collect::<String>().trim_end_matches('0').to_owned()
}

/// The id with its capitals; none where a digit is none.
fn raised(lower: &str, capitals: &str) -> Option<String> {
    let mut bytes = lower.as_bytes().to_vec();
    for (group, digit) in bytes.chunks_mut(5).zip(capitals.bytes()) {
        let bits = ALPHABET.iter().position(|known| *known == digit)?;
        for (at, byte) in group.iter_mut().enumerate() {
            if bits >> at & 1 == 1 {
                byte.make_ascii_uppercase();
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn is_device(name: &str) -> bool {
    let numbered = |port: &str| {
        name.strip_prefix(port)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|at| at.is_ascii_digit()))
    };
    DEVICES.contains(&name) || numbered("com") || numbered("lpt")
}

impl FromStr for ExternalId {
    type Err = SlateError;

    fn from_str(text: &str) -> Result<Self, SlateError> {
        let allowed = |at: u8| at.is_ascii_alphanumeric() || at == b'_' || at == b'-';
        if text.is_empty() || text.len() > ID_LIMIT || !text.bytes().all(allowed) {
            let given = text.chars().take(SHOWN).collect();
            return Err(SlateError::Id { given });
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}
