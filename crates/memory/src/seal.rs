//! Seals on approvals (REV-04): Ed25519 signatures over exactly what a person approved, and over the journal's heads.
//!
//! Pure: the seed comes in from the keychain. Whoever verifies takes the public key from the keychain too, never from
//! the database that holds the seals.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use taffrail_domain::{ContentHash, MemoryId, Millis, PolicyBits};

use crate::hashing::Hashing;
use crate::journal::Anchor;

/// What an approval vouches for. Change one field and the seal no longer verifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedFacts {
    /// The home that the approval was given in.
    pub home: [u8; 16],
    /// The memory.
    pub memory: MemoryId,
    /// Its text, in the revision that was shown.
    pub content: ContentHash,
    /// What it may be used for.
    pub bits: PolicyBits,
    /// After this it is not recalled: taken away, an approval would outlive what was approved.
    pub stale_after: Option<Millis>,
    /// Number of the journal entry of the review: a seal of an earlier review is no seal of this one.
    pub entry_seq: u64,
    /// Hash of that entry.
    pub entry_hash: [u8; 32],
}

/// The private half of the seal key. Wiped from memory when dropped; not printed, not cloned.
pub struct SealKey(SigningKey);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("SealKey")
    }
}

impl SealKey {
    /// The key that 32 random bytes stand for. The caller wipes its own copy.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&seed))
    }

    /// The public half: it verifies and cannot sign.
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Seals an approval.
    pub fn sign(&self, facts: &SealedFacts) -> [u8; 64] {
        self.0.sign(&message(facts)).to_bytes()
    }

    /// Seals the head of a home's journal.
    pub fn sign_anchor(&self, home: [u8; 16], anchor: &Anchor) -> [u8; 64] {
        self.0.sign(&anchor_message(home, anchor)).to_bytes()
    }
}

/// Whether `seal` was made by the private half of `public` over exactly these facts.
pub fn verify(public: &[u8; 32], facts: &SealedFacts, seal: &[u8; 64]) -> bool {
    verifies(public, &message(facts), seal)
}

/// Whether `seal` was made by the private half of `public` over exactly this head of this home's journal.
pub fn verify_anchor(public: &[u8; 32], home: [u8; 16], anchor: &Anchor, seal: &[u8; 64]) -> bool {
    verifies(public, &anchor_message(home, anchor), seal)
}

/// Strict: weak keys, under which one signature fits several messages, verify nothing.
fn verifies(public: &[u8; 32], message: &[u8; 32], seal: &[u8; 64]) -> bool {
    VerifyingKey::from_bytes(public).is_ok_and(|key| {
        key.verify_strict(message, &Signature::from_bytes(seal))
            .is_ok()
    })
}

fn message(facts: &SealedFacts) -> [u8; 32] {
    let end = facts.stale_after.map(|end| end.0.to_be_bytes());
    Hashing::new("taffrail.seal.approval.v1")
        .field(&facts.home)
        .field(&facts.memory.bytes())
        .field(&facts.content.0)
        .field(&[facts.bits.byte()])
        .optional(end.as_ref().map(<[u8; 8]>::as_slice))
        .field(&facts.entry_seq.to_be_bytes())
        .field(&facts.entry_hash)
        .finish()
}

fn anchor_message(home: [u8; 16], anchor: &Anchor) -> [u8; 32] {
    Hashing::new("taffrail.seal.anchor.v1")
        .field(&home)
        .field(&anchor.seq.to_be_bytes())
        .field(&anchor.head)
        .finish()
}

#[cfg(test)]
mod tests;
