//! Runs: a row before anything is made, then one update per state, each only from the state before it (FA-12).

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use taffrail_domain::{Ended, Oid, RunId, RunStatus};
use taffrail_redact::Clean;

use crate::convert::{Fault, millis, owner, parsed, parsed_or_none, path, path_bytes, run_id};
use crate::convert::{senseless, session};
use crate::model::{CheckoutRow, ProjectDirs, RunFilter, RunRow, RunTimes};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Every column of [`RunRow`]. A run always has a row in the ledger: both are made in one transaction.
pub(crate) const SELECT: &str = "
    SELECT s.seq, s.id, s.kind, s.name, s.project_root, s.common_dir, s.command, s.agent, s.net, s.facts, s.status,
           s.reason, s.exit_code, s.exit_signal, s.base, s.first_commit, s.enforcement, s.created_at, s.started_at,
           s.ended_at, c.path, c.state AS checkout_state, c.pid, c.start_ticks, c.boot_id, g.state AS change_state,
           EXISTS (SELECT 1 FROM decisions d WHERE d.session = s.seq AND d.state = 'intent') AS deciding
    FROM sessions s JOIN checkouts c ON c.session = s.seq LEFT JOIN changes g ON g.session = s.seq";

/// A run that is live, undecided or still has a checkout: it holds its name.
pub(crate) const OPEN: &str =
    "(s.status IN ('preparing', 'running') OR g.state = 'pending' OR c.state <> 'removed')";

impl Store {
    /// The checkout is whole and based on `base`; `first_commit` holds the operator's uncommitted changes.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` unless the run is being prepared.
    pub fn run_prepared(
        &self,
        run: &RunId,
        base: &Oid,
        first_commit: Option<&Oid>,
    ) -> Result<(), StoreError> {
        let run = *run;
        let base = base.as_str().to_owned();
        let first_commit = first_commit.map(|oid| oid.as_str().to_owned());
        self.write(Durability::Full, move |transaction| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE sessions SET base = ?2, first_commit = ?3
                     WHERE id = ?1 AND status = 'preparing'",
                )?
                .execute(params![run.bytes(), base, first_commit])?;
            one_run(transaction, &run, changed)
        })
    }

    /// The child was started; `enforcement` is what its sandbox enforced, as JSON.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` unless the run is being prepared.
    pub fn run_started(&self, run: &RunId, enforcement: &Clean) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let enforcement = enforcement.as_str().to_owned();
        self.write(Durability::Full, move |transaction| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE sessions SET status = 'running', enforcement = ?2, started_at = ?3
                     WHERE id = ?1 AND status = 'preparing'",
                )?
                .execute(params![run.bytes(), enforcement, now])?;
            one_run(transaction, &run, changed)
        })
    }

    /// The run is over. Only the first ending counts: a sweep and the run itself may both try.
    ///
    /// # Errors
    /// `NotFound`; `WrongStatus` when it ended before, or `status` is not an ending.
    pub fn run_ended(
        &self,
        run: &RunId,
        status: RunStatus,
        reason: &'static str,
        ended: Option<Ended>,
    ) -> Result<(), StoreError> {
        if matches!(status, RunStatus::Preparing | RunStatus::Running) {
            return Err(StoreError::WrongStatus { status });
        }
        let (run, now) = (*run, self.now());
        let (code, signal) = match ended {
            Some(Ended::Exited(code)) => (Some(code), None),
            Some(Ended::Signalled(signal)) => (None, Some(signal)),
            None => (None, None),
        };
        self.write(Durability::Full, move |transaction| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE sessions
                     SET status = ?2, reason = ?3, exit_code = ?4, exit_signal = ?5, ended_at = ?6
                     WHERE id = ?1 AND status IN ('preparing', 'running')",
                )?
                .execute(params![
                    run.bytes(),
                    status.name(),
                    reason,
                    code,
                    signal,
                    now
                ])?;
            one_run(transaction, &run, changed)
        })
    }

    /// Runs, newest first.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn runs(&self, filter: &RunFilter<'_>) -> Result<Vec<RunRow>, StoreError> {
        let common_dir = filter.common_dir.map(path_bytes);
        let limit = filter.limit.map_or(-1, i64::from);
        let sql = format!(
            "{SELECT} WHERE (:dir IS NULL OR s.common_dir = :dir) AND (NOT :open OR {OPEN})
             ORDER BY s.seq DESC LIMIT :limit"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let values = named_params! {
                ":dir": common_dir, ":open": filter.open_only, ":limit": limit,
            };
            let rows = statement.query_map(values, run_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// One run.
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn run(&self, run: &RunId) -> Result<RunRow, StoreError> {
        let sql = format!("{SELECT} WHERE s.id = ?1");
        self.read(|conn| {
            conn.prepare_cached(&sql)?
                .query_row([run.bytes()], run_row)
                .optional()?
                .ok_or_else(|| crate::convert::missing("run", run))
        })
    }
}

/// Turns "no row changed" into its reason.
fn one_run(conn: &Connection, run: &RunId, changed: usize) -> Result<(), Fault> {
    if changed == 1 {
        return Ok(());
    }
    let seq = session(conn, run)?;
    let status = conn
        .prepare_cached("SELECT status FROM sessions WHERE seq = ?1")?
        .query_row([seq], |row| parsed(row, "status"))?;
    Err(StoreError::WrongStatus { status }.into())
}

pub(crate) fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let net: String = row.get("net")?;
    Ok(RunRow {
        seq: row.get("seq")?,
        id: run_id(row)?,
        kind: parsed(row, "kind")?,
        name: row.get("name")?,
        project: ProjectDirs {
            root: path(row, "project_root")?,
            common_dir: path(row, "common_dir")?,
        },
        command: row.get("command")?,
        agent: row.get("agent")?,
        net: serde_json::from_str(&net).map_err(|error| senseless(&error))?,
        facts: row.get("facts")?,
        status: parsed(row, "status")?,
        reason: row.get("reason")?,
        ended: ended(row)?,
        base: parsed_or_none(row, "base")?,
        first_commit: parsed_or_none(row, "first_commit")?,
        enforcement: row.get("enforcement")?,
        times: RunTimes {
            created: millis(row, "created_at")?,
            started: row
                .get::<_, Option<i64>>("started_at")?
                .map(taffrail_domain::Millis),
            ended: row
                .get::<_, Option<i64>>("ended_at")?
                .map(taffrail_domain::Millis),
        },
        checkout: checkout_row(row)?,
        change: parsed_or_none(row, "change_state")?,
        deciding: row.get("deciding")?,
    })
}

pub(crate) fn checkout_row(row: &Row<'_>) -> rusqlite::Result<CheckoutRow> {
    Ok(CheckoutRow {
        path: path(row, "path")?,
        state: parsed(row, "checkout_state")?,
        owner: owner(row)?,
    })
}

fn ended(row: &Row<'_>) -> rusqlite::Result<Option<Ended>> {
    let code: Option<i32> = row.get("exit_code")?;
    let signal: Option<i32> = row.get("exit_signal")?;
    Ok(code.map(Ended::Exited).or(signal.map(Ended::Signalled)))
}
