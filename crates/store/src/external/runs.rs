//! The row of a run of another vendor's agent: made before the agent, filled when its session stands and at its end.

use rusqlite::{OptionalExtension, Row, Transaction, named_params, params};
use taffrail_domain::{Mode, RunId};
use taffrail_redact::Clean;

use super::model::{
    AgentCounts, AgentEnded, AgentPrompted, AgentReady, AgentRunRow, GrantSource, NewAgentRun,
};
use crate::convert::{Fault, count, missing, parsed, session, signed};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// What stands in `usage` and `cost` where the agent reported none: never a number.
const MISSING: &str = "missing";

fn text(clean: Option<&Clean>) -> Option<String> {
    clean.map(|clean| clean.as_str().to_owned())
}

/// A row to be, owned, for the writer's thread.
pub(crate) struct InsertAgent {
    texts: [String; 6],
    version_found: Option<String>,
    model: Option<String>,
    mode_requested: Mode,
    unattended: bool,
    may_write: bool,
    grant: GrantSource,
}

impl Store {
    /// What the agent is about to be given, before it is started.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn agent_prompted(&self, run: &RunId, given: &AgentPrompted<'_>) -> Result<(), StoreError> {
        let (run, bytes) = (*run, signed(given.bytes));
        let (cut, mcp) = (text(Some(given.cut)), text(Some(given.mcp)));
        self.write(Durability::Full, move |transaction| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE agent_runs SET prompt_bytes = ?2, prompt_cut = ?3, mcp = ?4 WHERE session = ?1",
                )?
                .execute(params![session(transaction, &run)?, bytes, cut, mcp])?;
            one(&run, changed)
        })
    }

    /// The agent's session stands.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn agent_ready(&self, run: &RunId, ready: &AgentReady<'_>) -> Result<(), StoreError> {
        let run = *run;
        let texts = [
            ready.agent_name,
            ready.agent_version,
            ready.agent_capabilities,
            ready.agent_session,
            ready.agent_mode,
        ]
        .map(text);
        let (protocol, verified) = (ready.protocol, ready.agent_mode_verified);
        let embedded = ready.embedded_context;
        self.write(Durability::Full, move |transaction| {
            let [name, version, capabilities, own, mode] = &texts;
            let changed = transaction
                .prepare_cached(
                    "UPDATE agent_runs
                     SET agent_name = ?2, agent_version = ?3, agent_capabilities = ?4, agent_session = ?5,
                         agent_mode = ?6, protocol = ?7, agent_mode_verified = ?8, embedded_context = ?9
                     WHERE session = ?1",
                )?
                .execute(params![
                    session(transaction, &run)?,
                    name,
                    version,
                    capabilities,
                    own,
                    mode,
                    protocol,
                    verified,
                    embedded
                ])?;
            one(&run, changed)
        })
    }

    /// A person said yes to all edits inside the checkout of the run.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn agent_granted(&self, run: &RunId, grant: GrantSource) -> Result<(), StoreError> {
        let run = *run;
        self.write(Durability::Full, move |transaction| {
            let changed = transaction
                .prepare_cached("UPDATE agent_runs SET grant_source = ?2 WHERE session = ?1")?
                .execute(params![session(transaction, &run)?, grant.name()])?;
            one(&run, changed)
        })
    }

    /// What the agent reports that it used, JSON, so that a kill does not lose it. What is none leaves what is on record.
    /// Acknowledged, it survives the end of the process, not the loss of power.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn agent_usage(
        &self,
        run: &RunId,
        usage: Option<&Clean>,
        cost: Option<&Clean>,
    ) -> Result<(), StoreError> {
        let (run, usage, cost) = (*run, text(usage), text(cost));
        self.write(Durability::Normal, move |transaction| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE agent_runs SET usage = coalesce(?2, usage), cost = coalesce(?3, cost)
                     WHERE session = ?1",
                )?
                .execute(params![session(transaction, &run)?, usage, cost])?;
            one(&run, changed)
        })
    }

    /// The end of the agent's part of the run.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn agent_ended(&self, run: &RunId, ended: &AgentEnded<'_>) -> Result<(), StoreError> {
        let run = *run;
        let ending = Ending::new(ended);
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            one(&run, ending.run(transaction, seq)?)
        })
    }

    /// What is on record of a run of another vendor's agent; none for a run of another kind.
    ///
    /// # Errors
    /// `NotFound` where there is no such run; `Busy`, `Damaged`, `Io`.
    pub fn agent_run(&self, run: &RunId) -> Result<Option<AgentRunRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            Ok(conn
                .prepare_cached("SELECT * FROM agent_runs WHERE session = ?1")?
                .query_row([seq], row)
                .optional()?)
        })
    }

    /// How much is on record of a run.
    ///
    /// # Errors
    /// `NotFound` where there is no such run; `Busy`, `Damaged`, `Io`.
    pub fn agent_counts(&self, run: &RunId) -> Result<AgentCounts, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let sql = "SELECT (SELECT count(*) FROM messages WHERE session = ?1) AS messages,
                              (SELECT count(*) FROM tool_calls WHERE session = ?1) AS tool_calls,
                              (SELECT count(*) FROM action_decisions WHERE session = ?1) AS decisions,
                              (SELECT count(*) FROM action_decisions
                               WHERE session = ?1 AND verdict = 'refused') AS refused,
                              (SELECT count(*) FROM questions WHERE session = ?1) AS questions,
                              (SELECT count(*) FROM agent_requests WHERE session = ?1) AS requests";
            Ok(conn.prepare_cached(sql)?.query_row([seq], |row| {
                Ok(AgentCounts {
                    messages: count(row, "messages")?,
                    tool_calls: count(row, "tool_calls")?,
                    decisions: count(row, "decisions")?,
                    refused: count(row, "refused")?,
                    questions: count(row, "questions")?,
                    requests: count(row, "requests")?,
                })
            })?)
        })
    }
}

impl InsertAgent {
    pub(crate) fn new(new: &NewAgentRun<'_>) -> Self {
        let texts = [
            new.agent,
            new.provider,
            new.argv,
            new.task,
            new.client_capabilities,
            new.mcp,
        ];
        Self {
            texts: texts.map(|clean| clean.as_str().to_owned()),
            version_found: text(new.version_found),
            model: text(new.model),
            mode_requested: new.mode_requested,
            unattended: new.unattended,
            may_write: new.may_write,
            grant: new.grant,
        }
    }

    /// Of a prompt nothing is known yet.
    pub(crate) fn run(&self, transaction: &Transaction<'_>, session: i64) -> Result<(), Fault> {
        let [agent, provider, argv, task, client_capabilities, mcp] = &self.texts;
        transaction
            .prepare_cached(
                "INSERT INTO agent_runs (session, agent, provider, argv, version_found, task, prompt_bytes, prompt_cut,
                                         model, mode_requested, mode_effective, unattended, may_write, grant_source,
                                         client_capabilities, mcp)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, '[]', ?7, ?8, 'ask', ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                session,
                agent,
                provider,
                argv,
                self.version_found,
                task,
                self.model,
                self.mode_requested.name(),
                self.unattended,
                self.may_write,
                self.grant.name(),
                client_capabilities,
                mcp,
            ])?;
        Ok(())
    }
}

/// An end to be, owned.
struct Ending {
    texts: [Option<String>; 12],
    flags: [bool; 2],
    counts: [i64; 5],
}

impl Ending {
    fn new(ended: &AgentEnded<'_>) -> Self {
        Self {
            texts: [
                ended.stop_reason,
                ended.end_detail,
                ended.usage,
                ended.cost,
                ended.result,
                ended.result_verdict,
                ended.partial,
                ended.killed,
                ended.stderr,
                ended.junk,
                ended.notes,
                ended.unseen,
            ]
            .map(text),
            flags: [ended.repair_asked, ended.cancel_sent],
            counts: [
                ended.stderr_bytes,
                ended.frames_in,
                ended.bytes_in,
                ended.frames_out,
                ended.bytes_out,
            ]
            .map(signed),
        }
    }

    /// How many rows were changed.
    fn run(&self, transaction: &Transaction<'_>, session: i64) -> Result<usize, Fault> {
        let [
            stop,
            detail,
            usage,
            cost,
            result,
            verdict,
            partial,
            killed,
            stderr,
            junk,
            notes,
            unseen,
        ] = &self.texts;
        let [repair, cancel] = self.flags;
        let [stderr_bytes, frames_in, bytes_in, frames_out, bytes_out] = self.counts;
        Ok(transaction
            .prepare_cached(
                "UPDATE agent_runs
                 SET stop_reason = coalesce(:stop, stop_reason), end_detail = coalesce(:detail, end_detail),
                     usage = coalesce(:usage, usage), cost = coalesce(:cost, cost), result = coalesce(:result, result),
                     result_verdict = coalesce(:verdict, result_verdict), partial = coalesce(:partial, partial),
                     killed = coalesce(:killed, killed), stderr = coalesce(:stderr, stderr),
                     junk = coalesce(:junk, junk), notes = coalesce(:notes, notes), unseen = coalesce(:unseen, unseen),
                     repair_asked = :repair, cancel_sent = :cancel, stderr_bytes = :stderr_bytes,
                     frames_in = :frames_in, bytes_in = :bytes_in, frames_out = :frames_out, bytes_out = :bytes_out
                 WHERE session = :session",
            )?
            .execute(named_params! {
                ":session": session, ":stop": stop, ":detail": detail, ":usage": usage, ":cost": cost,
                ":result": result, ":verdict": verdict, ":partial": partial, ":killed": killed, ":stderr": stderr,
                ":junk": junk, ":notes": notes, ":unseen": unseen, ":repair": repair, ":cancel": cancel,
                ":stderr_bytes": stderr_bytes, ":frames_in": frames_in, ":bytes_in": bytes_in,
                ":frames_out": frames_out, ":bytes_out": bytes_out,
            })?)
    }
}

fn one(run: &RunId, changed: usize) -> Result<(), Fault> {
    (changed == 1)
        .then_some(())
        .ok_or_else(|| missing("run of an agent", run))
}

fn row(row: &Row<'_>) -> rusqlite::Result<AgentRunRow> {
    Ok(AgentRunRow {
        agent: row.get("agent")?,
        provider: row.get("provider")?,
        argv: row.get("argv")?,
        version_found: row.get("version_found")?,
        task: row.get("task")?,
        prompt_bytes: count(row, "prompt_bytes")?,
        prompt_cut: row.get("prompt_cut")?,
        model: row.get("model")?,
        mode_requested: parsed(row, "mode_requested")?,
        mode_effective: parsed(row, "mode_effective")?,
        unattended: row.get("unattended")?,
        may_write: row.get("may_write")?,
        grant: parsed(row, "grant_source")?,
        client_capabilities: row.get("client_capabilities")?,
        mcp: row.get("mcp")?,
        agent_name: row.get("agent_name")?,
        agent_version: row.get("agent_version")?,
        protocol: row.get("protocol")?,
        agent_capabilities: row.get("agent_capabilities")?,
        agent_session: row.get("agent_session")?,
        agent_mode: row.get("agent_mode")?,
        agent_mode_verified: row.get("agent_mode_verified")?,
        embedded_context: row.get("embedded_context")?,
        stop_reason: row.get("stop_reason")?,
        end_detail: row.get("end_detail")?,
        usage: reported(row, "usage")?,
        cost: reported(row, "cost")?,
        result: row.get("result")?,
        result_verdict: row.get("result_verdict")?,
        partial: row.get("partial")?,
        repair_asked: row.get("repair_asked")?,
        cancel_sent: row.get("cancel_sent")?,
        killed: row.get("killed")?,
        stderr: row.get("stderr")?,
        stderr_bytes: counted(row, "stderr_bytes")?,
        frames_in: counted(row, "frames_in")?,
        bytes_in: counted(row, "bytes_in")?,
        frames_out: counted(row, "frames_out")?,
        bytes_out: counted(row, "bytes_out")?,
        junk: row.get("junk")?,
        notes: row.get("notes")?,
        unseen: row.get("unseen")?,
    })
}

fn reported(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    let text: String = row.get(column)?;
    Ok((text != MISSING).then_some(text))
}

fn counted(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<u64>> {
    let number: Option<i64> = row.get(column)?;
    Ok(number.map(i64::unsigned_abs))
}
