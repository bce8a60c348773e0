//! What came of a closed slate, read back: every question is one look into an index, whatever was closed before (XSL-12).

use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_domain::{ProjectId, ProposalId, UnboundId, WorkspaceId};
use taffrail_slate::external::ExternalId;

use super::model::{Closure, ClosureProposal};
use super::{owner, project_id};
use crate::convert::{Fault, count, millis, parsed};
use crate::{Store, StoreError};

/// A closure without its proposals.
const SELECT: &str = "
    SELECT c.*, p.id AS project_id, w.id AS workspace_id, u.id AS unbound_id
    FROM slate_closures c
    LEFT JOIN projects p ON p.seq = c.project
    LEFT JOIN workspaces w ON w.seq = c.workspace
    LEFT JOIN unbound_candidates u ON u.closure = c.seq
    WHERE c.project = ?1 AND c.external_id = ?2";

/// The proposals of a closure.
const PROPOSALS: &str = "SELECT seq, id, kind FROM proposals WHERE closure = ?1 ORDER BY seq";

/// The candidates of a proposal, as far as its closure counts them.
const CANDIDATES: &str = "
    SELECT CASE WHEN json_valid(seed) THEN json_extract(seed, '$.id') END AS seed_id, reason
    FROM proposal_candidates WHERE proposal = ?1 ORDER BY position";

impl Store {
    /// What came of the newest closed generation of an id; none where none was closed.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn newest_closure(
        &self,
        project: Option<&ProjectId>,
        external_id: &ExternalId,
    ) -> Result<Option<Closure>, StoreError> {
        self.read(|conn| {
            let owner = owner(conn, project)?.unwrap_or_default();
            let sql = format!("{SELECT} ORDER BY c.generation DESC LIMIT 1");
            let found = conn
                .prepare_cached(&sql)?
                .query_row(params![owner, external_id.as_str()], closure_row)
                .optional()?;
            found.map(|found| with_proposals(conn, found)).transpose()
        })
    }

    /// What came of one generation of an id; none where it was not closed.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn closure_of(
        &self,
        project: Option<&ProjectId>,
        external_id: &ExternalId,
        generation: u32,
    ) -> Result<Option<Closure>, StoreError> {
        self.read(|conn| {
            let owner = owner(conn, project)?;
            closure(conn, owner, external_id.as_str(), generation)
        })
    }
}

/// What came of one generation.
pub(super) fn closure(
    conn: &Connection,
    owner: Option<i64>,
    external_id: &str,
    generation: u32,
) -> Result<Option<Closure>, Fault> {
    let sql = format!("{SELECT} AND c.generation = ?3");
    let wanted = params![owner.unwrap_or_default(), external_id, generation];
    let found = conn
        .prepare_cached(&sql)?
        .query_row(wanted, closure_row)
        .optional()?;
    found.map(|found| with_proposals(conn, found)).transpose()
}

fn closure_row(row: &Row<'_>) -> rusqlite::Result<(i64, Closure)> {
    let workspace: Option<[u8; 16]> = row.get("workspace_id")?;
    let unbound: Option<[u8; 16]> = row.get("unbound_id")?;
    let closure = Closure {
        project: project_id(row)?,
        external_id: row.get("external_id")?,
        generation: row.get("generation")?,
        trigger: parsed(row, "trigger")?,
        workspace: workspace.map(WorkspaceId::from_bytes),
        anchors: row.get("anchors")?,
        proposals: Vec::new(),
        unbound: unbound.map(UnboundId::from_bytes),
        seeds: count(row, "seeds")?,
        closed_at: millis(row, "closed_at")?,
    };
    Ok((row.get("seq")?, closure))
}

fn with_proposals(conn: &Connection, (seq, mut closure): (i64, Closure)) -> Result<Closure, Fault> {
    let mut statement = conn.prepare_cached(PROPOSALS)?;
    let found = statement.query_map([seq], |row| {
        let proposal = ClosureProposal {
            id: row.get("id").map(ProposalId::from_bytes)?,
            kind: parsed(row, "kind")?,
            candidates: 0,
            blocked: Vec::new(),
        };
        Ok((row.get("seq")?, proposal))
    })?;
    let found: Vec<(i64, ClosureProposal)> = found.collect::<rusqlite::Result<_>>()?;
    closure.proposals = found
        .into_iter()
        .map(|(seq, proposal)| counted(conn, seq, proposal))
        .collect::<Result<_, _>>()?;
    Ok(closure)
}

fn counted(
    conn: &Connection,
    seq: i64,
    mut proposal: ClosureProposal,
) -> Result<ClosureProposal, Fault> {
    let mut statement = conn.prepare_cached(CANDIDATES)?;
    let mut rows = statement.query([seq])?;
    while let Some(row) = rows.next()? {
        match row.get::<_, Option<String>>("reason")? {
            None => proposal.candidates = proposal.candidates.saturating_add(1),
            Some(reason) => {
                let seed: Option<String> = row.get("seed_id")?;
                proposal.blocked.push((seed.unwrap_or_default(), reason));
            }
        }
    }
    Ok(proposal)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by a panic.
mod tests {
    use super::*;
    use crate::migrate;

    /// What SQLite would do, one line for each table.
    fn plan(sql: &str) -> Vec<String> {
        let conn = Connection::open_in_memory().unwrap();
        for step in migrate::ALL {
            conn.execute_batch(step.sql).unwrap();
        }
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = statement.raw_query().mapped(|row| row.get(3));
        lines.collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn xsl_12_no_question_of_a_slates_call_walks_through_what_was_closed() {
        let newest = format!("{SELECT} ORDER BY c.generation DESC LIMIT 1");
        let one = format!("{SELECT} AND c.generation = ?3");
        let active = super::super::bare_sql("w.project IS ?1 AND w.status = 'active'");
        let named = super::super::bare_sql("(?1 OR w.project IS ?2) AND w.title = ?3");
        for sql in [&newest, &one, &active, PROPOSALS, CANDIDATES] {
            let plan = plan(sql);
            let walks = plan.iter().find(|line| line.contains("SCAN"));
            assert_eq!(walks, None, "{sql}: {plan:?}");
        }
        // The test sees a walk where there is one: workspaces are few, and looked through by title.
        assert!(plan(&named).iter().any(|line| line.contains("SCAN")));
    }

    /// Else every proposal is asked for every memory that waits.
    #[test]
    fn what_waits_is_counted_from_the_proposals() {
        let waits = super::super::proposals::WAITS;
        let questions = [
            super::super::SELECT.to_owned(),
            format!("SELECT o.seq FROM proposals o WHERE {waits}"),
        ];
        let by_status = |sql: &str| plan(sql).iter().any(|line| line.contains("status"));
        for sql in questions {
            assert!(!by_status(&sql), "{:?}", plan(&sql));
            // Left to itself, SQLite goes the other way round.
            assert!(by_status(&sql.replace("CROSS ", "")));
        }
    }
}
