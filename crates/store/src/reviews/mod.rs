//! Reviews: a person's decisions, each checked against what was shown, journaled, sealed, and undoable (REV-02 to REV-05).

mod apply;
mod before;
mod edit;
mod history;
mod undo;

use taffrail_domain::{ContentHash, MemoryId, MemoryStatus};
use taffrail_memory::journal::Anchor;
use taffrail_memory::review::{Decision, Refused};
use taffrail_memory::seal::SealedFacts;
use taffrail_redact::Clean;

use crate::convert::Fault;
use crate::writer::Durability;
use crate::{Store, StoreError, random};

pub use edit::Edited;
pub(crate) use history::seal_row;
pub use history::{History, SealRow};
pub use undo::{UndoPlan, UndoRow};

/// Memories of one batch at most: what a person reads before typing one code.
pub const REVIEW_BATCH: usize = 200;

/// Seals an approval with the key from the keychain. Called on the writer's thread, inside the transaction, so that the
/// entry it seals is the one on record: it must not wait for a person or call the store.
pub type Sealer = Box<dyn Fn(&SealedFacts) -> [u8; 64] + Send>;

/// A memory as the person who decides saw it.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// Which.
    pub memory: MemoryId,
    /// The version of its row.
    pub expected_version: u64,
    /// The hash of the text that was shown: of the one that waits, else of the one in force; for an undo of the one
    /// that comes back into force.
    pub expected_hash: ContentHash,
    /// What the person wrote beside it.
    pub notes: Option<Clean>,
}

/// A memory after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Which.
    pub memory: MemoryId,
    /// Its status now.
    pub status: MemoryStatus,
    /// Its version now.
    pub version: u64,
    /// Whether its seal was made.
    pub sealed: bool,
    /// The other memory that the decision retired, or brought back.
    pub other: Option<MemoryId>,
}

/// What a batch came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewOutcome {
    /// The memories, in the order of the batch.
    pub rows: Vec<Judged>,
    /// The journal's head after it, to be anchored in the keychain.
    pub head: Anchor,
}

impl Store {
    /// Carries out one decision on a batch of memories: all of them or none, in one transaction that survives the loss of
    /// power. Each row's version and text have to be those that were shown. Every row gets a journal entry, and where it
    /// may instruct, a seal over that entry.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` where a row changed meanwhile; `ReviewRefused` where the table of reviews does not allow it;
    /// `NoConsent` where the code was typed for something else, a code is needed, or an approval has no sealer; `Limit`
    /// for more than [`REVIEW_BATCH`] rows.
    pub fn review(
        &self,
        decision: Decision,
        batch: &[Reviewed],
        sealer: Option<Sealer>,
    ) -> Result<ReviewOutcome, StoreError> {
        if batch.len() > REVIEW_BATCH {
            let (what, limit) = ("memories in one review", REVIEW_BATCH as u64);
            return Err(StoreError::Limit { what, limit });
        }
        let made: [u8; 16] = random::bytes()
            .map_err(|source| StoreError::io("cannot make an id for", self.path(), source))?;
        let (batch, now) = (batch.to_vec(), self.now());
        self.write(Durability::Full, move |transaction| {
            let home = crate::settings::home_id_or(transaction, now, &made)?;
            let review = apply::Review {
                transaction,
                decision: &decision,
                sealer: sealer.as_ref(),
                home,
                now,
            };
            let rows = batch
                .iter()
                .map(|one| review.one(one))
                .collect::<Result<Vec<_>, _>>()?;
            let head = crate::journal::head(transaction)?;
            Ok(ReviewOutcome { rows, head })
        })
    }
}

/// What the table of reviews refuses, by what the caller can do about it.
fn refused(memory: MemoryId, refused: &Refused) -> Fault {
    let why = refused.to_string();
    match refused {
        Refused::NotShown { .. } | Refused::NeedsCode { .. } => {
            StoreError::NoConsent { why }.into()
        }
        Refused::Final { .. }
        | Refused::Already { .. }
        | Refused::NothingToUndo { .. }
        | Refused::Retired { .. }
        | Refused::Itself { .. }
        | Refused::OtherOrigin { .. } => {
            let memory = memory.short();
            StoreError::ReviewRefused { memory, why }.into()
        }
    }
}
