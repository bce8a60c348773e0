//! Reviews: the table of transitions, and a person's consent (REV-01 to REV-03).
//!
//! The type of a decision says what it rests on: what may make a memory instruct carries a [`Consent`], and a consent is
//! minted only from a typed code over exactly what was shown. Knows nothing of terminals, keys and rows.

mod consent;
mod standing;
mod table;
#[cfg(test)]
mod tests;

use taffrail_domain::{ContentHash, MemoryId, MemoryStatus, PolicyBits, ReviewAction};

pub use consent::{Code, CodeWrong, Consent, Key, Surface, code};
pub use standing::{Standing, StandingError};
pub use table::{Effect, Retired, Rule, TABLE, rule};

/// What a person decided, with what it rests on. One decision serves a whole batch.
#[derive(Debug)]
pub enum Decision {
    /// It may instruct.
    Confirm(Consent),
    /// It may be cited.
    Evidence(Key),
    /// It is kept and not offered.
    Restrict(Key),
    /// It is refused.
    Reject(Key),
    /// It was right once.
    Stale(Key),
    /// Another memory holds what it says: this one retires with a pointer to it.
    Merge {
        /// The memory that stays.
        into: MemoryId,
        /// The key that was pressed.
        key: Key,
    },
    /// It is confirmed, and takes the place of another memory, which retires with a pointer to it.
    Replace {
        /// The memory that retires.
        old: MemoryId,
        /// The consent to the new one's text.
        consent: Consent,
    },
    /// Its text is changed: a revision that waits, or takes the place of a text nobody confirmed.
    Edit(Key),
    /// The last decision is taken back; enough for every earlier standing that may not instruct.
    Undo(Key),
    /// The last decision is taken back, and what it was before may instruct again.
    UndoToConfirmed(Consent),
}

impl Decision {
    /// The word for it.
    pub fn action(&self) -> ReviewAction {
        match self {
            Self::Confirm(_) => ReviewAction::Confirm,
            Self::Evidence(_) => ReviewAction::Evidence,
            Self::Restrict(_) => ReviewAction::Restrict,
            Self::Reject(_) => ReviewAction::Reject,
            Self::Stale(_) => ReviewAction::Stale,
            Self::Merge { .. } => ReviewAction::Merge,
            Self::Replace { .. } => ReviewAction::Replace,
            Self::Edit(_) => ReviewAction::Edit,
            Self::Undo(_) | Self::UndoToConfirmed(_) => ReviewAction::Undo,
        }
    }

    /// Where the person sat.
    pub fn surface(&self) -> Surface {
        match self {
            Self::Confirm(consent)
            | Self::Replace { consent, .. }
            | Self::UndoToConfirmed(consent) => consent.surface(),
            Self::Evidence(key)
            | Self::Restrict(key)
            | Self::Reject(key)
            | Self::Stale(key)
            | Self::Merge { key, .. }
            | Self::Edit(key)
            | Self::Undo(key) => key.surface(),
        }
    }

    fn consent(&self) -> Option<&Consent> {
        match self {
            Self::Confirm(consent)
            | Self::Replace { consent, .. }
            | Self::UndoToConfirmed(consent) => Some(consent),
            Self::Evidence(_)
            | Self::Restrict(_)
            | Self::Reject(_)
            | Self::Stale(_)
            | Self::Merge { .. }
            | Self::Edit(_)
            | Self::Undo(_) => None,
        }
    }
}

/// Which memory in which text a decision is about: for a row with a waiting revision, the waiting text's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The memory.
    pub id: MemoryId,
    /// The hash of the text that the decision puts in force.
    pub content: ContentHash,
}

/// A standing that a decision led to. Only [`transition`] and [`undone`] make one, so whoever writes it down holds the
/// proof that a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    subject: Subject,
    action: ReviewAction,
    surface: Surface,
    standing: Standing,
}

impl Decided {
    /// Which memory, in which text.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// What was done.
    pub fn action(&self) -> ReviewAction {
        self.action
    }

    /// Where the person sat.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// The standing after it.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Whether it is an approval, which needs a seal to count.
    pub fn needs_seal(&self) -> bool {
        self.standing.bits.can_use_as_instruction
    }
}

/// Why a decision does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The row is merged or replaced: only undo applies.
    #[error("a merged memory is final: `{action}` does not apply, undo does")]
    Final {
        /// What was asked for.
        action: ReviewAction,
    },
    /// The row is so already.
    #[error("the memory is `{status}` already")]
    Already {
        /// Its status.
        status: MemoryStatus,
    },
    /// The consent was given to other memories or to another text of this one.
    #[error("the code was typed for another text: {id} as it is now was not shown")]
    NotShown {
        /// The memory.
        id: MemoryId,
    },
    /// The earlier standing may instruct, which takes a typed code and not a key.
    #[error("taking this back would let {id} instruct again: that takes the typed code")]
    NeedsCode {
        /// The memory.
        id: MemoryId,
    },
    /// There is no decision that could be taken back.
    #[error("nobody has decided on {id} yet: there is nothing to undo")]
    NothingToUndo {
        /// The memory.
        id: MemoryId,
    },
    /// The memory that should stay, or go, is retired itself.
    #[error("{id} is merged itself: name the memory that took its place")]
    Retired {
        /// The other memory.
        id: MemoryId,
    },
    /// A memory merged into itself, or replacing itself.
    #[error("{id} cannot take its own place")]
    Itself {
        /// The memory.
        id: MemoryId,
    },
    /// The earlier standing belongs to another row: it came by another door.
    #[error("the earlier standing of {id} came by another channel: nothing is taken back")]
    OtherOrigin {
        /// The memory.
        id: MemoryId,
    },
}

/// What a decision makes of a memory. An undo goes through [`undone`], which knows the earlier standing.
///
/// # Errors
/// Every variant of [`Refused`] but `OtherOrigin`; `NothingToUndo` for an undo.
pub fn transition(
    before: &Standing,
    decision: &Decision,
    subject: Subject,
) -> Result<Decided, Refused> {
    let action = decision.action();
    let Subject { id, content } = subject;
    let standing = match rule(before.status, action).effect {
        Effect::Set(set) => set.applied(before),
        Effect::Keep => before.clone(),
        Effect::Already => {
            return Err(Refused::Already {
                status: before.status,
            });
        }
        Effect::Final => return Err(Refused::Final { action }),
        Effect::TakeBack => return Err(Refused::NothingToUndo { id }),
    };
    if decision
        .consent()
        .is_some_and(|consent| !consent.covers(id, content))
    {
        return Err(Refused::NotShown { id });
    }
    match decision {
        Decision::Merge { into: other, .. } | Decision::Replace { old: other, .. }
            if *other == id =>
        {
            Err(Refused::Itself { id })
        }
        _ => Ok(decided(subject, decision, standing)),
    }
}

/// What taking back the last decision makes of a memory: the standing before that decision, whole.
///
/// # Errors
/// `NeedsCode` where the earlier standing may instruct and no consent was given, `NotShown` where it covers another text,
/// `OtherOrigin` where the earlier standing is another row's, `NothingToUndo` for a decision that is no undo.
pub fn undone(
    now: &Standing,
    earlier: &Standing,
    decision: &Decision,
    subject: Subject,
) -> Result<Decided, Refused> {
    let id = subject.id;
    let is_same_row = now.channel == earlier.channel
        && now.first_provenance == earlier.first_provenance
        && now.shelf == earlier.shelf;
    if decision.action() != ReviewAction::Undo {
        return Err(Refused::NothingToUndo { id });
    }
    if !is_same_row {
        return Err(Refused::OtherOrigin { id });
    }
    match decision.consent() {
        Some(consent) if !consent.covers(id, subject.content) => Err(Refused::NotShown { id }),
        None if earlier.bits.can_use_as_instruction => Err(Refused::NeedsCode { id }),
        Some(_) | None => Ok(decided(subject, decision, earlier.clone())),
    }
}

/// What becomes of the memory that a merge or a replacement retires, and of none other.
///
/// # Errors
/// `Retired` where it is retired already.
pub fn retired(id: MemoryId, other: &Standing, how: Retired) -> Result<Standing, Refused> {
    match other.status {
        MemoryStatus::Merged => Err(Refused::Retired { id }),
        MemoryStatus::Pending
        | MemoryStatus::Confirmed
        | MemoryStatus::EvidenceOnly
        | MemoryStatus::Restricted
        | MemoryStatus::Rejected
        | MemoryStatus::Stale => Ok(how.set().applied(other)),
    }
}

/// Whether a memory may take another one in: one that is retired itself may not, or a chain of pointers would arise.
///
/// # Errors
/// `Retired`.
pub fn may_take_in(id: MemoryId, into: &Standing) -> Result<(), Refused> {
    match into.status {
        MemoryStatus::Merged => Err(Refused::Retired { id }),
        MemoryStatus::Pending
        | MemoryStatus::Confirmed
        | MemoryStatus::EvidenceOnly
        | MemoryStatus::Restricted
        | MemoryStatus::Rejected
        | MemoryStatus::Stale => Ok(()),
    }
}

/// Nothing at all: the bits of a row that a person put away.
pub const NO_USE: PolicyBits = PolicyBits {
    can_use_as_instruction: false,
    can_use_as_evidence: false,
    requires_user_confirmation: false,
    do_not_inject_automatically: true,
};

fn decided(subject: Subject, decision: &Decision, standing: Standing) -> Decided {
    Decided {
        subject,
        action: decision.action(),
        surface: decision.surface(),
        standing,
    }
}
