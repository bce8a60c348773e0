//! Proposals: seeds of one kind, each with the memory that it became (XSL-09).

use rusqlite::{Connection, Row, Transaction, params};
use taffrail_domain::{Channel, MemoryId, ProjectId, ProposalId, WorkspaceId, id_prefix};
use taffrail_memory::draft::Scope;

use super::model::{
    CandidateOutcome, CandidateRow, NewCandidate, NewProposal, ProposalFilter, ProposalRow,
    SeedOriginRow,
};
use super::{SHOWN, meant, only, project_id, refuse_id, unknown};
use crate::convert::{Fault, millis, parsed, parsed_or_none};
use crate::memories::{
    BlockedDraft, NewMemory, Outcome, Written, memory_seq, put_all, record_blocked,
};
use crate::{Store, StoreError};

/// Rows of a page when none are asked for.
const PAGE: u32 = 50;
/// Rows of a page at most.
const PAGE_LIMIT: u32 = 200;

/// Everything of a proposal but its candidates.
const SELECT: &str = "
    SELECT o.*, w.id AS workspace_id, w.title, p.id AS project_id, c.external_id, c.generation, c.trigger, c.anchors,
           c.evidence, c.closed_at
    FROM proposals o
    JOIN workspaces w ON w.seq = o.workspace
    JOIN slate_closures c ON c.seq = o.closure
    LEFT JOIN projects p ON p.seq = w.project";

/// Whether something of a proposal waits. `CROSS`: its few candidates are looked at, not every memory that waits.
pub(super) const WAITS: &str = "
    EXISTS (SELECT 1 FROM proposal_candidates x CROSS JOIN memories m ON m.seq = x.memory
            WHERE x.proposal = o.seq AND m.status = 'pending')";

impl Store {
    /// One page of the proposals that fit, oldest first, with their candidates.
    ///
    /// # Errors
    /// `NotFound` for an unknown project or workspace.
    pub fn proposals(&self, filter: &ProposalFilter) -> Result<Vec<ProposalRow>, StoreError> {
        self.read(|conn| {
            let (any, owner) = meant(conn, &filter.whose)?;
            let workspace = filter.workspace.map(|id| number(conn, &id)).transpose()?;
            let limit = filter.limit.unwrap_or(PAGE).min(PAGE_LIMIT);
            let sql = format!(
                "{SELECT} WHERE o.seq > ?1 AND (?2 OR w.project IS ?3) AND (?4 IS NULL OR o.workspace = ?4)
                     AND (NOT ?5 OR {WAITS})
                     AND (?7 IS NULL OR o.created_at >= ?7 AND EXISTS (
                         SELECT 1 FROM proposal_candidates x
                         WHERE x.proposal = o.seq AND x.outcome = 'blocked'))
                 ORDER BY o.seq LIMIT ?6"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let after = filter.after.unwrap_or_default();
            let refused = filter.refused_since.map(|since| since.0);
            let wanted = params![after, any, owner, workspace, filter.waiting, limit, refused];
            let rows = statement.query_map(wanted, proposal_row)?;
            let rows: Vec<ProposalRow> = rows.collect::<rusqlite::Result<_>>()?;
            rows.into_iter()
                .map(|row| with_candidates(conn, row))
                .collect()
        })
    }

    /// The proposal whose id begins so, with its candidates.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_proposal(&self, typed: &str) -> Result<ProposalRow, StoreError> {
        let prefix = id_prefix(ProposalId::PREFIX, typed).map_err(|_| typed);
        self.read(|conn| {
            let prefix = prefix
                .as_ref()
                .map_err(|typed| unknown("proposal", typed))?;
            let sql = format!("{SELECT} WHERE o.short GLOB ?1 || '*' ORDER BY o.seq LIMIT ?2");
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params![prefix, SHOWN], proposal_row)?;
            let rows: Vec<ProposalRow> = rows.collect::<rusqlite::Result<_>>()?;
            let row = only(rows, "proposal", typed, |row| row.id.short())?;
            with_candidates(conn, row)
        })
    }

    /// Where a memory came from as a seed: one row for each proposal's candidate that became it, oldest first (XSL-15).
    ///
    /// # Errors
    /// `NotFound` for an unknown memory.
    pub fn seed_origins(&self, memory: &MemoryId) -> Result<Vec<SeedOriginRow>, StoreError> {
        self.read(|conn| {
            let memory = memory_seq(conn, memory)?;
            let mut statement = conn.prepare_cached(
                "SELECT o.id, o.kind, w.id AS workspace_id, w.title, c.external_id, c.generation, c.trigger, c.anchors,
                        c.closed_at, x.seed
                 FROM proposal_candidates x
                 JOIN proposals o ON o.seq = x.proposal
                 JOIN workspaces w ON w.seq = o.workspace
                 JOIN slate_closures c ON c.seq = o.closure
                 WHERE x.memory = ?1 ORDER BY x.proposal, x.position",
            )?;
            let rows = statement.query_map([memory], origin_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Where proposals go.
pub(super) struct Into<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) closure: i64,
    pub(super) workspace: i64,
    pub(super) project: Option<ProjectId>,
    pub(super) now: i64,
}

impl Into<'_> {
    /// Puts proposals on record. Their memories go in as one batch.
    pub(super) fn put(&self, proposals: &[NewProposal]) -> Result<(), Fault> {
        let memories: Vec<&NewMemory> = proposals
            .iter()
            .flat_map(|one| &one.candidates)
            .filter_map(|candidate| candidate.memory.as_ref().ok())
            .collect();
        let mut written = put_all(self.transaction, &memories, self.now)?.into_iter();
        for proposal in proposals.iter().filter(|one| !one.candidates.is_empty()) {
            let seq = self.insert(proposal)?;
            for (position, candidate) in (0_u32..).zip(&proposal.candidates) {
                self.candidate(seq, position, candidate, &mut written)?;
            }
        }
        Ok(())
    }

    fn insert(&self, proposal: &NewProposal) -> Result<i64, Fault> {
        let (bytes, short) = (proposal.id.bytes(), proposal.id.short());
        let taken = "SELECT EXISTS (SELECT 1 FROM proposals WHERE id = ?1 OR short = ?2)";
        refuse_id(self.transaction, taken, bytes, short.clone())?;
        self.transaction
            .prepare_cached(
                "INSERT INTO proposals (id, short, workspace, closure, kind, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                bytes,
                short,
                self.workspace,
                self.closure,
                proposal.kind.name(),
                self.now,
            ])?;
        Ok(self.transaction.last_insert_rowid())
    }

    fn candidate(
        &self,
        proposal: i64,
        position: u32,
        candidate: &NewCandidate,
        written: &mut impl Iterator<Item = Written>,
    ) -> Result<(), Fault> {
        let (memory, outcome, reason) = match &candidate.memory {
            Ok(_) => {
                let made = written.next().ok_or(rusqlite::Error::QueryReturnedNoRows)?;
                let memory = memory_seq(self.transaction, &made.memory)?;
                let outcome = match made.outcome {
                    Outcome::New => CandidateOutcome::New,
                    Outcome::Repeat { .. } => CandidateOutcome::Repeat,
                };
                (Some(memory), outcome, None)
            }
            Err(why) => {
                let blocked = BlockedDraft {
                    why,
                    scope: self.project.map_or(Scope::Personal, Scope::Project),
                    channel: Channel::External,
                };
                record_blocked(self.transaction, &blocked, self.now)?;
                (None, CandidateOutcome::Blocked, Some(why.to_string()))
            }
        };
        self.transaction
            .prepare_cached(
                "INSERT INTO proposal_candidates (proposal, position, seed, memory, outcome, reason)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                proposal,
                position,
                candidate.seed.as_str(),
                memory,
                outcome.name(),
                reason,
            ])?;
        Ok(())
    }
}

/// The row number of a workspace.
pub(super) fn number(conn: &Connection, id: &WorkspaceId) -> Result<i64, Fault> {
    use rusqlite::OptionalExtension;
    conn.prepare_cached("SELECT seq FROM workspaces WHERE id = ?1")?
        .query_row([id.bytes()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| unknown("workspace", &id.short()))
}

fn with_candidates(conn: &Connection, mut row: ProposalRow) -> Result<ProposalRow, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT x.*, m.id AS memory_id, m.status FROM proposal_candidates x LEFT JOIN memories m ON m.seq = x.memory
         WHERE x.proposal = ?1 ORDER BY x.position",
    )?;
    let candidates = statement.query_map([row.seq], candidate_row)?;
    row.candidates = candidates.collect::<rusqlite::Result<_>>()?;
    Ok(row)
}

fn candidate_row(row: &Row<'_>) -> rusqlite::Result<CandidateRow> {
    let memory: Option<[u8; 16]> = row.get("memory_id")?;
    Ok(CandidateRow {
        position: row.get("position")?,
        seed: row.get("seed")?,
        memory: memory.map(MemoryId::from_bytes),
        status: parsed_or_none(row, "status")?,
        outcome: parsed(row, "outcome")?,
        reason: row.get("reason")?,
    })
}

fn proposal_row(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    Ok(ProposalRow {
        seq: row.get("seq")?,
        id: row.get("id").map(ProposalId::from_bytes)?,
        kind: parsed(row, "kind")?,
        workspace: row.get("workspace_id").map(WorkspaceId::from_bytes)?,
        title: row.get("title")?,
        project: project_id(row)?,
        external_id: row.get("external_id")?,
        generation: row.get("generation")?,
        trigger: parsed(row, "trigger")?,
        anchors: row.get("anchors")?,
        evidence: row.get("evidence")?,
        created_at: millis(row, "created_at")?,
        candidates: Vec::new(),
    })
}

fn origin_row(row: &Row<'_>) -> rusqlite::Result<SeedOriginRow> {
    Ok(SeedOriginRow {
        proposal: row.get("id").map(ProposalId::from_bytes)?,
        workspace: row.get("workspace_id").map(WorkspaceId::from_bytes)?,
        title: row.get("title")?,
        kind: parsed(row, "kind")?,
        external_id: row.get("external_id")?,
        generation: row.get("generation")?,
        trigger: parsed(row, "trigger")?,
        seed: row.get("seed")?,
        anchors: row.get("anchors")?,
        closed_at: millis(row, "closed_at")?,
    })
}
