//! The one form in which secrets lie in bytes: a header that says how it opens, then XChaCha20-Poly1305 over the rest.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | `taffrail` |
//! | 1 | version, 1 |
//! | 1 | purpose: 1 the file of secrets, 2 a wrapped secret |
//! | 1 | key: 1 a passphrase by Argon2id, 2 a key file |
//! | 4, 4, 1 | Argon2id: memory in KiB, passes, lanes; 0 with a key file |
//! | 16 | salt |
//! | 24 | nonce |
//! | 8 | check of the key: tells a wrong passphrase from a damaged file |
//! | 8 | SHA-256 of the header so far: tells a damaged header from a wrong passphrase |
//! | rest | ciphertext and tag; the whole header is associated data |
//!
//! Numbers are little-endian. The check says no more than the tag does: either lets a guess be tried offline, at the
//! price of one Argon2id.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::{Secret, SecretsError};

const MAGIC: &[u8; 8] = b"taffrail";
const VERSION: u8 = 1;
const HEADER: usize = 8 + 3 + 9 + 16 + 24 + 8 + 8;
const TAG: usize = 16;
/// Bytes of a key file.
const KEY_FILE: usize = 32;
/// A header may not ask for more: what it says is untrusted until the tag is checked.
const MOST: Cost = Cost {
    memory_kib: 1 << 20,
    passes: 16,
    lanes: 4,
};

type Key = Zeroizing<[u8; 32]>;

/// What it costs to try one passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u8,
}

impl Cost {
    /// 64 MiB, 3 passes, 1 lane: the second recommendation of RFC 9106 with one lane instead of four. 0.15 s of processor
    /// time in a release build on a machine of 2026.
    pub const USUAL: Self = Self {
        memory_kib: 64 << 10,
        passes: 3,
        lanes: 1,
    };

    /// Next to nothing. For tests: a passphrase behind it is guessed at once.
    pub const TINY: Self = Self {
        memory_kib: 8,
        passes: 1,
        lanes: 1,
    };

    const NONE: Self = Self {
        memory_kib: 0,
        passes: 0,
        lanes: 0,
    };

    fn is_bearable(self) -> bool {
        self.memory_kib <= MOST.memory_kib
            && self.passes <= MOST.passes
            && (1..=MOST.lanes).contains(&self.lanes)
    }
}

/// What opens a file of secrets.
#[derive(Debug)]
pub enum FileKey {
    /// What a person types.
    Passphrase(Secret),
    /// The 32 bytes of a key file.
    KeyFile(Secret),
}

impl FileKey {
    /// The key of a key file's bytes.
    ///
    /// # Errors
    /// `KeyFileUnfit` unless it is 32 bytes.
    pub fn of_key_file(bytes: Secret) -> Result<Self, SecretsError> {
        match bytes.expose().len() {
            KEY_FILE => Ok(Self::KeyFile(bytes)),
            found => Err(SecretsError::KeyFileUnfit {
                expected: KEY_FILE,
                found,
            }),
        }
    }

    /// What it is called: `passphrase` or `key file`.
    pub const fn word(&self) -> &'static str {
        KeyKind::of(self).word()
    }
}

/// What a sealed text is for; one does not open as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    File = 1,
    Wrap = 2,
}

impl Purpose {
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::File => "file of secrets",
            Self::Wrap => "wrapped secret",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Passphrase = 1,
    KeyFile = 2,
}

impl KeyKind {
    const fn of(key: &FileKey) -> Self {
        match key {
            FileKey::Passphrase(_) => Self::Passphrase,
            FileKey::KeyFile(_) => Self::KeyFile,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Passphrase => "passphrase",
            Self::KeyFile => "key file",
        }
    }
}

/// How a key comes from what a person has: the part of a header that stays the same from write to write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recipe {
    kind: KeyKind,
    cost: Cost,
    salt: [u8; 16],
}

impl Recipe {
    /// A recipe for something new, with a salt of its own.
    pub(crate) fn new(key: &FileKey, cost: Cost) -> Result<Self, SecretsError> {
        let kind = KeyKind::of(key);
        let cost = match kind {
            KeyKind::Passphrase => cost,
            KeyKind::KeyFile => Cost::NONE,
        };
        let mut salt = [0; 16];
        fill(&mut salt)?;
        Ok(Self { kind, cost, salt })
    }

    /// The recipe that sealed bytes name.
    pub(crate) fn of(bytes: &[u8], purpose: Purpose) -> Result<Self, SecretsError> {
        Ok(Header::read(bytes, purpose)?.recipe)
    }

    /// What it asks for: `passphrase` or `key file`.
    pub(crate) const fn key_word(&self) -> &'static str {
        self.kind.word()
    }

    /// Does the work: what [`Cost`] says for a passphrase.
    pub(crate) fn derive(&self, key: &FileKey) -> Result<Derived, SecretsError> {
        if self.kind != KeyKind::of(key) {
            let needed = self.kind.word();
            return Err(SecretsError::OtherKey { needed });
        }
        let bytes = match key {
            FileKey::Passphrase(text) => self.stretch(text)?,
            FileKey::KeyFile(bytes) => {
                digest(b"taffrail key file 1", &[&self.salt, bytes.expose()])
            }
        };
        Ok(Derived {
            recipe: *self,
            bytes,
        })
    }

    fn stretch(&self, passphrase: &Secret) -> Result<Key, SecretsError> {
        let Cost {
            memory_kib,
            passes,
            lanes,
        } = self.cost;
        let unfit = |_| SecretsError::Damaged {
            what: "header",
            why: "its cost is no cost of Argon2id",
        };
        let params = Params::new(memory_kib, passes, u32::from(lanes), Some(32)).map_err(unfit)?;
        let mut key = Key::default();
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.expose(), &self.salt, &mut *key)
            .map_err(unfit)?;
        Ok(key)
    }
}

/// A key that is ready, with the recipe that it came by.
pub(crate) struct Derived {
    recipe: Recipe,
    bytes: Key,
}

impl Derived {
    /// Whether sealed bytes name the recipe that this came by.
    pub(crate) fn fits(&self, recipe: &Recipe) -> bool {
        self.recipe == *recipe
    }

    /// Seals a text under a nonce that was never used.
    pub(crate) fn seal(&self, plain: &[u8], purpose: Purpose) -> Result<Vec<u8>, SecretsError> {
        let mut header = Header {
            recipe: self.recipe,
            nonce: [0; 24],
            check: self.check(),
        };
        fill(&mut header.nonce)?;
        let mut sealed = header.write(purpose);
        // Room for the tag beforehand: a buffer that grows leaves a copy of the text behind.
        let mut text = Zeroizing::new(Vec::with_capacity(plain.len() + TAG));
        text.extend_from_slice(plain);
        self.cipher()
            .encrypt_in_place(&XNonce::from(header.nonce), &sealed, &mut *text)
            .map_err(|_| SecretsError::TooLarge {
                what: purpose.what(),
                limit: u32::MAX as usize,
            })?;
        sealed.extend_from_slice(&text);
        Ok(sealed)
    }

    /// Opens what was sealed with this key.
    pub(crate) fn open(
        &self,
        sealed: &[u8],
        purpose: Purpose,
    ) -> Result<Zeroizing<Vec<u8>>, SecretsError> {
        let header = Header::read(sealed, purpose)?;
        if header.check != self.check() {
            let what = self.recipe.kind.word();
            return Err(SecretsError::WrongPassphrase { what });
        }
        let (bound, text) = sealed.split_at_checked(HEADER).unwrap_or((sealed, &[]));
        let mut text = Zeroizing::new(text.to_vec());
        self.cipher()
            .decrypt_in_place(&XNonce::from(header.nonce), bound, &mut *text)
            .map_err(|_| damaged(purpose, "its content was cut or changed"))?;
        Ok(text)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.bytes).into())
    }

    fn check(&self) -> [u8; 8] {
        short(b"taffrail key check 1", &[&*self.bytes])
    }
}

struct Header {
    recipe: Recipe,
    nonce: [u8; 24],
    check: [u8; 8],
}

impl Header {
    fn write(&self, purpose: Purpose) -> Vec<u8> {
        let cost = self.recipe.cost;
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[VERSION, purpose as u8, self.recipe.kind as u8]);
        bytes.extend_from_slice(&cost.memory_kib.to_le_bytes());
        bytes.extend_from_slice(&cost.passes.to_le_bytes());
        bytes.push(cost.lanes);
        bytes.extend_from_slice(&self.recipe.salt);
        bytes.extend_from_slice(&self.nonce);
        bytes.extend_from_slice(&self.check);
        let sum = short(b"taffrail header 1", &[&bytes]);
        bytes.extend_from_slice(&sum);
        bytes
    }

    fn read(bytes: &[u8], purpose: Purpose) -> Result<Self, SecretsError> {
        let what = purpose.what();
        let mut rest = bytes;
        let magic: [u8; 8] = chunk(&mut rest, purpose)?;
        if magic != *MAGIC {
            return Err(damaged(purpose, "it is none of taffrail's"));
        }
        let [version] = chunk(&mut rest, purpose)?;
        if version > VERSION {
            let found = version;
            return Err(SecretsError::Newer { what, found });
        }
        let [used, kind] = chunk(&mut rest, purpose)?;
        let cost = Cost {
            memory_kib: u32::from_le_bytes(chunk(&mut rest, purpose)?),
            passes: u32::from_le_bytes(chunk(&mut rest, purpose)?),
            lanes: u8::from_le_bytes(chunk(&mut rest, purpose)?),
        };
        let salt = chunk(&mut rest, purpose)?;
        let nonce = chunk(&mut rest, purpose)?;
        let check = chunk(&mut rest, purpose)?;
        let sum: [u8; 8] = chunk(&mut rest, purpose)?;
        let summed = bytes.get(..HEADER - sum.len()).unwrap_or(bytes);
        if version != VERSION || sum != short(b"taffrail header 1", &[summed]) {
            return Err(damaged(purpose, "its header was changed"));
        }
        if used != purpose as u8 {
            return Err(damaged(purpose, "it was sealed for another purpose"));
        }
        let kind = match kind {
            1 if cost.is_bearable() => KeyKind::Passphrase,
            2 => KeyKind::KeyFile,
            _ => return Err(damaged(purpose, "its header asks for what is not done")),
        };
        let recipe = Recipe { kind, cost, salt };
        Ok(Self {
            recipe,
            nonce,
            check,
        })
    }
}

fn chunk<const N: usize>(rest: &mut &[u8], purpose: Purpose) -> Result<[u8; N], SecretsError> {
    let (chunk, after) = rest
        .split_first_chunk()
        .ok_or_else(|| damaged(purpose, "it is cut off"))?;
    *rest = after;
    Ok(*chunk)
}

fn damaged(purpose: Purpose, why: &'static str) -> SecretsError {
    let what = purpose.what();
    SecretsError::Damaged { what, why }
}

/// SHA-256 over a domain and length-prefixed parts.
fn digest(domain: &[u8], parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    for part in std::iter::once(&domain).chain(parts) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Key::new(hash.finalize().into())
}

fn short(domain: &[u8], parts: &[&[u8]]) -> [u8; 8] {
    let whole = digest(domain, parts);
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(whole.iter()) {
        *to = *from;
    }
    first
}

/// Random bytes of the system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), SecretsError> {
    getrandom::fill(bytes).map_err(|error| SecretsError::Random(error.to_string()))
}

#[cfg(test)]
#[path = "sealed_tests.rs"]
mod tests;
