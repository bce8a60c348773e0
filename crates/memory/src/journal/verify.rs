//! Verification of the chain, entry by entry: memory does not grow with the journal.

use crate::journal::{Anchor, Row, hash};

/// The first place where the chain does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("journal entry {seq} {how}")]
pub struct Broken {
    /// Number of the entry.
    pub seq: u64,
    /// What is wrong there.
    pub how: How,
}

/// How the chain is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum How {
    /// The entry's bytes are not those that were hashed.
    #[error("was changed after it was written")]
    Changed,
    /// The entry is whole but names another one as the one before it: this one or the one before was rewritten.
    #[error("does not follow the entry before it: one of the two was rewritten")]
    Unlinked,
    /// The entry is missing.
    #[error("is lost: entry {found} follows in its place")]
    Lost {
        /// The number that follows instead.
        found: u64,
    },
    /// The entry stands at another place than its number says, or stands there twice.
    #[error("stands out of its order")]
    Reordered,
    /// The journal ends before an anchored entry.
    #[error("is lost: the journal ends before entry {anchored}, which was anchored")]
    Truncated {
        /// The number of the anchored entry.
        anchored: u64,
    },
    /// The chain holds, but it is not the one that was anchored: some entry up to this one was written anew.
    #[error(
        "is not the one that was anchored: it or an entry before it was rewritten, with the chain"
    )]
    Rewritten,
}

/// A chain that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Its last entry; [`Anchor::START`] for an empty journal.
    pub head: Anchor,
    /// The last anchor that was met: entries after it could be cut without a trace.
    pub anchored: u64,
}

/// Takes the entries in the order in which they are kept and finds the first that does not hold.
#[derive(Debug)]
pub struct Verifier {
    head: Anchor,
    /// What was not met yet, the next one last.
    anchors: Vec<Anchor>,
    anchored: u64,
    broken: Option<Broken>,
}

impl Verifier {
    /// A verifier that expects these anchors (any order; usually one, from the keychain).
    pub fn new(anchors: &[Anchor]) -> Self {
        let mut anchors: Vec<Anchor> = anchors.iter().copied().filter(|it| it.seq > 0).collect();
        anchors.sort_unstable_by_key(|anchor| std::cmp::Reverse(anchor.seq));
        Self {
            head: Anchor::START,
            anchors,
            anchored: 0,
            broken: None,
        }
    }

    /// The next entry. After a break the rest is only looked at to tell a lost entry from a misplaced one.
    pub fn push(&mut self, row: &Row<'_>) {
        match &mut self.broken {
            Some(broken) => {
                if matches!(broken.how, How::Lost { .. }) && broken.seq == row.seq {
                    broken.how = How::Reordered;
                }
            }
            None => self.broken = self.step(row).err(),
        }
    }

    /// The first break so far.
    pub fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// The verdict, when there are no more entries.
    ///
    /// # Errors
    /// The first entry that does not hold, and how.
    pub fn finish(self) -> Result<Verified, Broken> {
        match (self.broken, self.anchors.last()) {
            (Some(broken), _) => Err(broken),
            (None, Some(anchor)) => Err(Broken {
                seq: self.head.seq.saturating_add(1),
                how: How::Truncated {
                    anchored: anchor.seq,
                },
            }),
            (None, None) => Ok(Verified {
                head: self.head,
                anchored: self.anchored,
            }),
        }
    }

    fn step(&mut self, row: &Row<'_>) -> Result<(), Broken> {
        let expected = self.head.seq.saturating_add(1);
        let broken = |seq, how| Err(Broken { seq, how });
        if row.seq > expected {
            return broken(expected, How::Lost { found: row.seq });
        }
        if row.seq < expected {
            return broken(row.seq, How::Reordered);
        }
        let made = hash(
            &row.previous,
            row.seq,
            row.at,
            row.kind,
            row.subject,
            row.facts,
        );
        if made != row.hash {
            return broken(row.seq, How::Changed);
        }
        if row.previous != self.head.head {
            return broken(row.seq, How::Unlinked);
        }
        self.head = Anchor {
            seq: row.seq,
            head: row.hash,
        };
        self.meet_anchors()
    }

    fn meet_anchors(&mut self) -> Result<(), Broken> {
        while let Some(anchor) = self.anchors.last().filter(|it| it.seq == self.head.seq) {
            if anchor.head != self.head.head {
                return Err(Broken {
                    seq: anchor.seq,
                    how: How::Rewritten,
                });
            }
            self.anchored = anchor.seq;
            self.anchors.pop();
        }
        Ok(())
    }
}
