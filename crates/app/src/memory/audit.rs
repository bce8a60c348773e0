//! The journal checked: its chain, the anchor beside it, and the seal of every approval (REV-04, REV-05).

use taffrail_memory::journal::{Broken, Verifier};
use taffrail_store::{JournalRow, MemoryCursor, SealRow};

use super::seals::{self, Checker, Unsealed};
use crate::notebook::vouch;
use crate::{App, AppError};

/// Entries read at a time.
const PAGE: u32 = 10_000;

/// What a check found.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Entries in the journal.
    pub entries: u64,
    /// The first entry that does not hold, and how.
    pub broken: Option<Broken>,
    /// The number of the anchored entry; none where nothing was anchored.
    pub anchored: Option<u64>,
    /// Approvals whose seal verifies.
    pub sealed: u64,
    /// Rows that claim to be approved and are not, with the reason.
    pub unsealed: Vec<(SealRow, Unsealed)>,
    /// Projects whose notebook is given to no turn, each with the reason.
    pub notebooks: Vec<(String, String)>,
    /// Why no seal could be checked, where that is so.
    pub closed: Option<String>,
}

impl Audit {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.broken.is_none() && self.unsealed.is_empty() && self.notebooks.is_empty()
    }
}

/// Checks everything.
pub fn verify(app: &App) -> Result<Audit, AppError> {
    let checker = seals::checker(app);
    let anchor = match &checker {
        Checker::Ready { anchor, .. } => *anchor,
        Checker::Closed { .. } => None,
    };
    let anchors: Vec<_> = anchor.into_iter().collect();
    let mut verifier = Verifier::new(&anchors);
    let mut from = 1;
    let mut entries = 0;
    loop {
        let page = app.store.journal_entries(from, PAGE)?;
        let Some(last) = page.last() else {
            break;
        };
        from = last.seq.saturating_add(1);
        entries += page.len() as u64;
        page.iter().for_each(|row| verifier.push(&row.seen()));
    }
    let mut audit = Audit {
        entries,
        broken: verifier.finish().err(),
        anchored: anchor.map(|anchor| anchor.seq),
        sealed: 0,
        unsealed: Vec::new(),
        notebooks: vouch::withheld(app)?
            .into_iter()
            .map(|(project, why)| (project.name, why))
            .collect(),
        closed: match &checker {
            Checker::Ready { .. } => None,
            Checker::Closed { why } => Some(why.clone()),
        },
    };
    check_seals(app, &checker, &mut audit)?;
    Ok(audit)
}

fn check_seals(app: &App, checker: &Checker, audit: &mut Audit) -> Result<(), AppError> {
    let mut after: Option<MemoryCursor> = None;
    let mut chain = None;
    loop {
        let rows = app.store.all_seal_facts(after)?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        after = Some(MemoryCursor::at(last.seq));
        for (row, fault) in checker.faults(app, &rows, &mut chain)? {
            match fault {
                None => audit.sealed += 1,
                Some(fault) => audit.unsealed.push((row, fault)),
            }
        }
    }
}

/// The newest entries, newest first; or those of one memory, oldest first.
pub fn entries(app: &App, memory: Option<&str>, limit: u32) -> Result<Vec<JournalRow>, AppError> {
    if let Some(memory) = memory {
        let id = app.store.find_memory(memory)?.id;
        return Ok(app.store.entries_of(&id.bytes())?);
    }
    let head = app.store.journal_head()?.seq;
    let from = head.saturating_sub(u64::from(limit)).saturating_add(1);
    let mut rows = app.store.journal_entries(from, limit)?;
    rows.reverse();
    Ok(rows)
}

/// Every entry, oldest first, page by page.
pub fn export(
    app: &App,
    each: &mut dyn FnMut(&JournalRow) -> Result<(), AppError>,
) -> Result<u64, AppError> {
    let (mut from, mut count) = (1, 0);
    loop {
        let page = app.store.journal_entries(from, PAGE)?;
        let Some(last) = page.last() else {
            return Ok(count);
        };
        from = last.seq.saturating_add(1);
        count += page.len() as u64;
        page.iter().try_for_each(&mut *each)?;
    }
}
