//! The table of reviews as data: every status, every action, every column set explicitly (REV-02).

use taffrail_domain::{Lifecycle, MemoryStatus, PolicyBits, Provenance, ReviewAction};

use crate::review::{NO_USE, Standing};

/// What an action makes of a row in a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The status before.
    pub from: MemoryStatus,
    /// The action.
    pub action: ReviewAction,
    /// What it does.
    pub effect: Effect,
}

/// The effect of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Every deciding column is set to this.
    Set(Set),
    /// The standing stays; a text waits beside it.
    Keep,
    /// Refused: it is so already.
    Already,
    /// Refused: the row is retired.
    Final,
    /// The standing before the last decision comes back.
    TakeBack,
}

/// The deciding columns after an action, whole: nothing is left over from before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Set {
    status: MemoryStatus,
    lifecycle: Lifecycle,
    provenance: Said,
    bits: PolicyBits,
}

/// What becomes of the provenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// A person confirmed it.
    Confirmed,
    /// Back to how it first came to be said.
    First,
    /// Another memory took its place.
    Superseded,
}

impl Set {
    pub(crate) fn applied(&self, before: &Standing) -> Standing {
        Standing {
            status: self.status,
            lifecycle: self.lifecycle,
            provenance: match self.provenance {
                Said::Confirmed => Provenance::UserConfirmed,
                Said::First => before.first_provenance,
                Said::Superseded => Provenance::Superseded,
            },
            first_provenance: before.first_provenance,
            bits: self.bits,
            shelf: before.shelf,
            channel: before.channel,
        }
    }
}

/// How a memory retires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retired {
    /// Another memory holds what it said.
    Merged,
    /// Another memory says it differently now.
    Replaced,
}

impl Retired {
    pub(crate) fn set(self) -> &'static Set {
        match self {
            Self::Merged => &MERGED,
            Self::Replaced => &REPLACED,
        }
    }
}

const CONFIRMED: Set = Set {
    status: MemoryStatus::Confirmed,
    lifecycle: Lifecycle::Active,
    provenance: Said::Confirmed,
    bits: PolicyBits {
        can_use_as_instruction: true,
        can_use_as_evidence: true,
        requires_user_confirmation: false,
        do_not_inject_automatically: false,
    },
};
const EVIDENCE: Set = Set {
    status: MemoryStatus::EvidenceOnly,
    lifecycle: Lifecycle::Active,
    provenance: Said::First,
    bits: PolicyBits {
        can_use_as_instruction: false,
        can_use_as_evidence: true,
        requires_user_confirmation: false,
        do_not_inject_automatically: false,
    },
};
const RESTRICTED: Set = Set {
    status: MemoryStatus::Restricted,
    lifecycle: Lifecycle::Active,
    provenance: Said::First,
    bits: PolicyBits {
        can_use_as_instruction: false,
        can_use_as_evidence: false,
        requires_user_confirmation: true,
        do_not_inject_automatically: true,
    },
};
const REJECTED: Set = Set {
    status: MemoryStatus::Rejected,
    lifecycle: Lifecycle::Rejected,
    provenance: Said::First,
    bits: NO_USE,
};
const STALE: Set = Set {
    status: MemoryStatus::Stale,
    lifecycle: Lifecycle::Stale,
    provenance: Said::First,
    bits: NO_USE,
};
const MERGED: Set = Set {
    status: MemoryStatus::Merged,
    lifecycle: Lifecycle::Superseded,
    provenance: Said::First,
    bits: NO_USE,
};
const REPLACED: Set = Set {
    status: MemoryStatus::Merged,
    lifecycle: Lifecycle::Superseded,
    provenance: Said::Superseded,
    bits: NO_USE,
};

/// The actions, in the order of the columns below.
const ACTIONS: [ReviewAction; 9] = [
    ReviewAction::Confirm,
    ReviewAction::Evidence,
    ReviewAction::Restrict,
    ReviewAction::Reject,
    ReviewAction::Stale,
    ReviewAction::Merge,
    ReviewAction::Replace,
    ReviewAction::Edit,
    ReviewAction::Undo,
];

use Effect::{Already, Final, Keep, TakeBack};

const C: Effect = Effect::Set(CONFIRMED);
const E: Effect = Effect::Set(EVIDENCE);
const R: Effect = Effect::Set(RESTRICTED);
const J: Effect = Effect::Set(REJECTED);
const S: Effect = Effect::Set(STALE);
const M: Effect = Effect::Set(MERGED);

/// One row per status. Confirming what is confirmed, and citing what may be cited, puts a waiting text in force and seals
/// it anew, so the two are no repetition.
#[rustfmt::skip]
const EFFECTS: [(MemoryStatus, [Effect; 9]); 7] = [
    //                             confirm evidence restrict reject   stale    merge  replace edit   undo
    (MemoryStatus::Pending,       [C,      E,       R,       J,       S,       M,     C,      Keep,  TakeBack]),
    (MemoryStatus::Confirmed,     [C,      E,       R,       J,       S,       M,     C,      Keep,  TakeBack]),
    (MemoryStatus::EvidenceOnly,  [C,      E,       R,       J,       S,       M,     C,      Keep,  TakeBack]),
    (MemoryStatus::Restricted,    [C,      E,       Already, J,       S,       M,     C,      Keep,  TakeBack]),
    (MemoryStatus::Rejected,      [C,      E,       R,       Already, S,       M,     C,      Keep,  TakeBack]),
    (MemoryStatus::Stale,         [C,      E,       R,       J,       Already, M,     C,      Keep,  TakeBack]),
    (MemoryStatus::Merged,        [Final,  Final,   Final,   Final,   Final,   Final, Final,  Final, TakeBack]),
];

/// Every status with every action.
pub const TABLE: [Rule; 63] = table();

#[allow(
    clippy::indexing_slicing,
    reason = "evaluated at compile time over two lists of fixed length"
)]
const fn table() -> [Rule; 63] {
    let mut rules = [Rule {
        from: MemoryStatus::Merged,
        action: ReviewAction::Undo,
        effect: Final,
    }; 63];
    let mut at = 0;
    while at < rules.len() {
        let (from, effects) = EFFECTS[at / ACTIONS.len()];
        rules[at] = Rule {
            from,
            action: ACTIONS[at % ACTIONS.len()],
            effect: effects[at % ACTIONS.len()],
        };
        at += 1;
    }
    rules
}

/// The rule for an action on a row in a status. What a menu offers, it asks here.
pub fn rule(from: MemoryStatus, action: ReviewAction) -> Rule {
    TABLE
        .iter()
        .find(|rule| rule.from == from && rule.action == action)
        .copied()
        .unwrap_or(Rule {
            from,
            action,
            effect: Final,
        })
}
