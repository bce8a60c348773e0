//! Seals on approvals: the key from the place of secrets, the anchor beside it, and what verifies (REV-04, REV-05).
//!
//! The key that checks is read from the place of secrets, never from the database that holds the seals.

mod key;
mod record;

use std::collections::{BTreeMap, BTreeSet};

use taffrail_domain::MemoryId;
use taffrail_memory::journal::Anchor;
use taffrail_memory::seal::{SealedFacts, verify, verify_anchor};
use taffrail_secrets::Name;
use taffrail_store::SealRow;

use crate::{App, AppError};

pub use key::{Opened, open, put_anchor};
use record::AnchorRecord;
pub(crate) use record::KeyRecord;

/// What checks approvals, read once per command.
#[derive(Debug, Clone)]
pub enum Checker {
    /// Seals are checked with this key.
    Ready {
        /// The public half.
        public: [u8; 32],
        /// The newest entry of the journal at the last review; none before the first.
        anchor: Option<Anchor>,
    },
    /// No approval counts, for this reason.
    Closed {
        /// What is missing.
        why: String,
    },
}

/// Why an approval does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsealed {
    /// It has no seal, or one that does not fit its text, its bits, its home or its last review.
    Seal,
    /// The journal was cut or exchanged before the last anchor: no approval in it can be believed.
    Journal,
    /// There is no key to check it with.
    NoKey,
}

impl Unsealed {
    /// One line for people.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Seal => "its seal does not fit",
            Self::Journal => "the journal does not reach back to its anchor",
            Self::NoKey => "there is no key to check its seal with",
        }
    }
}

/// Reads what checks approvals. Never fails: what cannot be read makes every approval inert, and says why.
pub fn checker(app: &App) -> Checker {
    match read(app) {
        Ok(Some((public, anchor))) => Checker::Ready { public, anchor },
        Ok(None) => Checker::Closed {
            why: "nothing was approved in this home yet".to_owned(),
        },
        Err(error) => Checker::Closed {
            why: error.to_string(),
        },
    }
}

/// The public half, and the anchor where there is one.
type Checks = ([u8; 32], Option<Anchor>);

fn read(app: &App) -> Result<Option<Checks>, AppError> {
    let places = app.secrets()?;
    let Some(secret) = places.get(&Name::seal_key())? else {
        return Ok(None);
    };
    let record = KeyRecord::from_secret(&secret).ok_or(AppError::SealKeyDamaged)?;
    let public = record.public();
    let anchor = match places.get(&Name::journal_anchor())? {
        Some(secret) => Some(anchor_of(app, &public, &secret)?),
        None => None,
    };
    Ok(Some((public, anchor)))
}

fn anchor_of(
    app: &App,
    public: &[u8; 32],
    secret: &taffrail_secrets::Secret,
) -> Result<Anchor, AppError> {
    let record = AnchorRecord::from_secret(secret).ok_or(AppError::AnchorDamaged)?;
    let home = app.store.home_id()?;
    match record.signature {
        Some(signature) if !verify_anchor(public, home, &record.anchor, &signature) => {
            Err(AppError::AnchorDamaged)
        }
        Some(_) | None => Ok(record.anchor),
    }
}

impl Checker {
    /// Which of these memories are approved: in force with the instruction bit, and sealed by their last review. The
    /// others that claim it, with the reason why they are not.
    pub fn check(
        &self,
        app: &App,
        memories: &[MemoryId],
    ) -> Result<(BTreeSet<MemoryId>, BTreeMap<MemoryId, Unsealed>), AppError> {
        let rows = app.store.seal_facts(memories)?;
        let (mut sealed, mut unsealed) = (BTreeSet::new(), BTreeMap::new());
        for (row, fault) in self.faults(app, &rows)? {
            match fault {
                None => _ = sealed.insert(row.memory),
                Some(fault) => _ = unsealed.insert(row.memory, fault),
            }
        }
        Ok((sealed, unsealed))
    }

    /// The rows that claim to be approved, each with the reason why it is not, where it is not.
    pub fn faults(
        &self,
        app: &App,
        rows: &[SealRow],
    ) -> Result<Vec<(SealRow, Option<Unsealed>)>, AppError> {
        let home = app.store.home_id()?;
        let holds = self.anchor_holds(app)?;
        let claims = rows.iter().filter(|row| row.bits.can_use_as_instruction);
        Ok(claims
            .map(|row| (*row, self.fault(row, home, holds)))
            .collect())
    }

    fn fault(&self, row: &SealRow, home: [u8; 16], anchor_holds: bool) -> Option<Unsealed> {
        let Self::Ready { public, .. } = self else {
            return Some(Unsealed::NoKey);
        };
        if !anchor_holds {
            return Some(Unsealed::Journal);
        }
        match (&row.seal, &row.review) {
            (Some(seal), Some(entry)) if verify(public, &facts(row, home, entry), seal) => None,
            _ => Some(Unsealed::Seal),
        }
    }

    /// Whether the journal still holds the entry that was newest at the last review.
    fn anchor_holds(&self, app: &App) -> Result<bool, AppError> {
        match self {
            Self::Ready {
                anchor: Some(anchor),
                ..
            } => Ok(journal_holds(app, anchor)?),
            Self::Ready { anchor: None, .. } | Self::Closed { .. } => Ok(true),
        }
    }
}

fn journal_holds(app: &App, anchor: &Anchor) -> Result<bool, AppError> {
    let entries = app.store.journal_entries(anchor.seq, 1)?;
    let found = entries.first().map(|row| row.seen());
    Ok(found.is_some_and(|row| row.seq == anchor.seq && row.hash == anchor.head))
}

fn facts(row: &SealRow, home: [u8; 16], entry: &Anchor) -> SealedFacts {
    SealedFacts {
        home,
        memory: row.memory,
        content: row.content,
        bits: row.bits,
        entry_seq: entry.seq,
        entry_hash: entry.head,
    }
}
