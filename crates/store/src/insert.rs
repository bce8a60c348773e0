//! The first row of a run, with its place in the ledger, before anything of it is on disk (FA-12).

use rusqlite::{Transaction, params};
use taffrail_domain::{Net, RunId, RunKind};

use crate::convert::{Fault, path_bytes, signed};
use crate::external::{InsertAgent, NewAgentRun};
use crate::model::{NewRun, Owner};
use crate::runs::{OPEN, SELECT};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Characters in a name.
const NAME_LIMIT: usize = 64;

/// A row to be, owned, for the writer's thread.
struct Insert {
    run: RunId,
    kind: RunKind,
    name: String,
    project_root: Vec<u8>,
    common_dir: Vec<u8>,
    command: String,
    agent: Option<String>,
    net: String,
    facts: String,
    owner: Owner,
    checkout: Vec<u8>,
    now: i64,
}

impl Store {
    /// Puts a run and its checkout on record, in one transaction that survives the loss of power. Nothing of the run
    /// may be made on disk before this returns.
    ///
    /// # Errors
    /// `NameTaken`, `NameUnfit`, `IdTaken`; otherwise as for every write: `Busy`, `DiskFull`, `Damaged`.
    pub fn insert_run(&self, run: &NewRun<'_>) -> Result<(), StoreError> {
        let insert = Insert::new(run, self.now())?;
        self.write(Durability::Full, move |transaction| {
            insert.run(transaction).map(drop)
        })
    }

    /// The same for a run of another vendor's agent, with what is known of that agent: whatever cuts the run off, its row
    /// says whose it was and what for.
    ///
    /// # Errors
    /// As for [`insert_run`](Self::insert_run).
    pub fn insert_agent_run(
        &self,
        run: &NewRun<'_>,
        agent: &NewAgentRun<'_>,
    ) -> Result<(), StoreError> {
        let insert = Insert::new(run, self.now())?;
        let agent = InsertAgent::new(agent);
        self.write(Durability::Full, move |transaction| {
            let session = insert.run(transaction)?;
            agent.run(transaction, session)
        })
    }
}

/// Why a word cannot name a run: it has to fit a line, be typed after a command, and be told from an id.
fn unfit(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name.starts_with("run_") {
        Some("it begins with `run_`, as an id does")
    } else if name.starts_with('-') {
        Some("it begins with `-`, as a flag does")
    } else if name.chars().any(char::is_control) {
        Some("it holds a control character")
    } else if name.chars().count() > NAME_LIMIT {
        Some("it is longer than 64 characters")
    } else {
        None
    }
}

impl Insert {
    fn new(run: &NewRun<'_>, now: i64) -> Result<Self, StoreError> {
        let name = run.name.as_str().to_owned();
        if name != run.id.short()
            && let Some(why) = unfit(&name)
        {
            let name = name.chars().take(NAME_LIMIT).collect();
            return Err(StoreError::NameUnfit { name, why });
        }
        Ok(Self {
            run: run.id,
            kind: run.kind,
            name,
            project_root: path_bytes(run.project_root),
            common_dir: path_bytes(run.common_dir),
            command: run.command.as_str().to_owned(),
            agent: run.agent.map(|agent| agent.as_str().to_owned()),
            net: net_text(run.net),
            facts: run.facts.as_str().to_owned(),
            owner: run.owner.clone(),
            checkout: path_bytes(run.checkout),
            now,
        })
    }

    /// The row of the session.
    fn run(&self, transaction: &Transaction<'_>) -> Result<i64, Fault> {
        self.refuse_taken(transaction)?;
        transaction
            .prepare_cached(
                "INSERT INTO sessions (id, short, kind, name, project_root, common_dir, command, agent, net, facts,
                                       status, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'preparing', ?11)",
            )?
            .execute(params![
                self.run.bytes(),
                self.run.short(),
                self.kind.name(),
                self.name,
                self.project_root,
                self.common_dir,
                self.command,
                self.agent,
                self.net,
                self.facts,
                self.now,
            ])?;
        let session = transaction.last_insert_rowid();
        transaction
            .prepare_cached(
                "INSERT INTO checkouts (session, path, state, pid, start_ticks, boot_id, changed_at)
                 VALUES (?1, ?2, 'preparing', ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                session,
                self.checkout,
                self.owner.pid,
                signed(self.owner.start_ticks),
                self.owner.boot_id,
                self.now,
            ])?;
        Ok(session)
    }

    fn refuse_taken(&self, transaction: &Transaction<'_>) -> Result<(), Fault> {
        let id: bool = transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1 OR short = ?2)")?
            .query_row(params![self.run.bytes(), self.run.short()], |row| {
                row.get(0)
            })?;
        if id {
            let id = self.run.short();
            return Err(StoreError::IdTaken { id }.into());
        }
        let sql = format!("SELECT EXISTS ({SELECT} WHERE s.name = ?1 AND {OPEN})");
        let taken: bool = transaction
            .prepare_cached(&sql)?
            .query_row([&self.name], |row| row.get(0))?;
        if taken {
            let name = self.name.clone();
            return Err(StoreError::NameTaken { name }.into());
        }
        Ok(())
    }
}

/// Numbers, truth values and text cannot fail to become JSON; were it so, the row would say too little, never too much.
fn net_text(net: &Net) -> String {
    serde_json::to_string(net).unwrap_or_else(|_| "\"off\"".to_owned())
}
