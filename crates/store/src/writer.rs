//! The one thread of a process that writes: short immediate transactions, one after the other (STO-03).

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::connection::retry;
use crate::convert::Fault;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// What an acknowledged transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The loss of power: decisions, the ledger, states of a run.
    Full,
    /// The end of the process: events.
    Normal,
}

/// The writer thread and the way to it.
pub(crate) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
    busy_limit: Duration,
}

impl Writer {
    pub(crate) fn start(
        mut conn: Connection,
        path: &Path,
        busy_limit: Duration,
    ) -> Result<Self, StoreError> {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = channel();
        let thread = Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || queue.into_iter().for_each(|job| job(&mut conn)))
            .map_err(|source| StoreError::io("cannot start the writer of", path, source))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            path: path.to_owned(),
            busy_limit,
        })
    }

    /// Runs `work` in a transaction and waits until it is acknowledged. `work` runs again after a lock.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        mut work: impl FnMut(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = || StoreError::WriterStopped {
            path: self.path.clone(),
        };
        let (reply, answer) = sync_channel(1);
        let (path, limit) = (self.path.clone(), self.busy_limit);
        let job: Job = Box::new(move |conn| {
            let result = retry(limit, || {
                transact(conn, durability, &mut work).map_err(|fault| fault.at(&path))
            });
            // The caller may be gone; the transaction stands all the same.
            drop(reply.send(result));
        });
        self.jobs
            .as_ref()
            .and_then(|jobs| jobs.send(job).ok())
            .ok_or_else(stopped)?;
        answer.recv().unwrap_or_else(|_| Err(stopped()))
    }
}

impl Drop for Writer {
    /// Lets the thread finish, so that the connection is closed and the log is folded in.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn transact<T>(
    conn: &mut Connection,
    durability: Durability,
    work: &mut impl FnMut(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let synchronous = match durability {
        Durability::Full => "FULL",
        Durability::Normal => "NORMAL",
    };
    conn.pragma_update(None, "synchronous", synchronous)?;
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}
