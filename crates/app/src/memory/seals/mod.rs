//! Seals on approvals: the key from the place of secrets, the anchor beside it, and what verifies (REV-04, REV-05).
//!
//! The key that checks is read from the place of secrets, never from the database that holds the seals.

mod key;
mod record;

use std::collections::BTreeMap;

use taffrail_domain::MemoryId;
use taffrail_memory::journal::Anchor;
use taffrail_memory::seal::verify_anchor;
use taffrail_secrets::Name;
use taffrail_store::SealRow;

use crate::{App, AppError};

pub use key::{Opened, first_anchor, open, put_anchor, take_anchor};
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

/// Approvals by id, each with the hash of the text that was approved.
pub type Sealed = BTreeMap<MemoryId, SealRow>;

/// What was hashed anew of the journal, so that many questions cost it once.
#[derive(Debug, Clone)]
pub struct Chain {
    from: u64,
    to: u64,
    /// The last reviews in it; none where it does not hold.
    reviews: Option<BTreeMap<[u8; 16], Anchor>>,
}

impl Checker {
    /// Which of these memories are approved: in force with the instruction bit, and sealed by their last review. The
    /// others that claim it, with the reason why they are not.
    pub fn check(
        &self,
        app: &App,
        memories: &[MemoryId],
    ) -> Result<(Sealed, BTreeMap<MemoryId, Unsealed>), AppError> {
        self.check_along(app, memories, &mut None)
    }

    /// The same, with what an earlier check walked of the journal. A review that came later is walked to.
    pub fn check_along(
        &self,
        app: &App,
        memories: &[MemoryId],
        chain: &mut Option<Chain>,
    ) -> Result<(Sealed, BTreeMap<MemoryId, Unsealed>), AppError> {
        let rows = app.store.seal_facts(memories)?;
        let (mut sealed, mut unsealed) = (Sealed::new(), BTreeMap::new());
        for (row, fault) in self.faults(app, &rows, chain)? {
            match fault {
                None => _ = sealed.insert(row.memory, row),
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
        chain: &mut Option<Chain>,
    ) -> Result<Vec<(SealRow, Option<Unsealed>)>, AppError> {
        let claims = rows.iter().filter(|row| row.claims_approval());
        let claims: Vec<SealRow> = claims.copied().collect();
        let Self::Ready { public, anchor } = self else {
            let closed = |row| (row, Some(Unsealed::NoKey));
            return Ok(claims.into_iter().map(closed).collect());
        };
        let home = app.store.home_id()?;
        let vouched = vouched(app, anchor.as_ref(), &claims, chain)?;
        let fault = |row: &SealRow| match vouched {
            None => Some(Unsealed::Journal),
            // A review that is not in the chain, or not the last one there, was brought back by hand.
            Some(reviews) if reviews.get(&row.memory.bytes()) != row.review.as_ref() => {
                Some(Unsealed::Seal)
            }
            Some(_) => (!row.verifies(home, public)).then_some(Unsealed::Seal),
        };
        Ok(claims.into_iter().map(|row| (row, fault(&row))).collect())
    }

    /// Whether the journal holds the entry that was newest at the last review, as it was written.
    ///
    /// # Errors
    /// As for every read.
    pub fn reaches(&self, app: &App) -> Result<bool, AppError> {
        match self {
            Self::Ready { anchor, .. } if anchor.is_some() => {
                Ok(vouched(app, anchor.as_ref(), &[], &mut None)?.is_some())
            }
            Self::Ready { .. } | Self::Closed { .. } => Ok(true),
        }
    }
}

/// The last reviews of these memories by the journal, every entry from the first of them to the anchor hashed anew: what
/// the anchor vouches for, and no column. None where the chain does not hold, or where nothing vouches for it.
fn vouched<'a>(
    app: &App,
    anchor: Option<&Anchor>,
    claims: &[SealRow],
    chain: &'a mut Option<Chain>,
) -> Result<Option<&'a BTreeMap<[u8; 16], Anchor>>, AppError> {
    let Some(anchor) = anchor else {
        return Ok(None);
    };
    let reviews = || claims.iter().filter_map(|row| Some(row.review?.seq));
    let from = reviews().chain([anchor.seq]).min().unwrap_or_default();
    let to = reviews().chain([anchor.seq]).max().unwrap_or_default();
    let covers = |chain: &Chain| chain.from <= from && to <= chain.to;
    if !chain.as_ref().is_some_and(covers) {
        // Who asks a second time asks for more: all of it then.
        let from = if chain.is_some() { 1 } else { from };
        let reviews = app.store.reviews_in_chain(from, to, anchor)?;
        *chain = Some(Chain { from, to, reviews });
    }
    Ok(chain.as_ref().and_then(|chain| chain.reviews.as_ref()))
}
