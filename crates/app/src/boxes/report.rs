//! What a surface is told while a box goes on, and at its end.

use std::path::PathBuf;
use std::time::Duration;

use taffrail_domain::{
    Change, ChangeHash, ChangeState, Ended, Enforcement, Net, Oid, RunId, RunStatus,
};
use taffrail_gitbox::Progress;
use taffrail_store::Captured;

use crate::network::HostRow;

/// Tells a surface what happens.
pub type Watch<'a> = dyn FnMut(Step<'_>) + 'a;

/// One thing that happens on the way.
#[derive(Debug)]
pub enum Step<'a> {
    /// The checkout is being made.
    Checkout(Progress),
    /// The setup command starts.
    Setup(&'a str),
    /// The agent's program is being started: until it answers there is nothing to see.
    Starting,
    /// The sandbox stands and was proven; the command starts next.
    Ready(&'a Ready<'a>),
    /// A person stopped the command, or let it go on.
    Suspended(bool),
    /// What changed is being captured.
    Capturing,
    /// Something that a person should know.
    Notice(String),
}

/// The facts that are shown before the command has the screen.
#[derive(Debug)]
pub struct Ready<'a> {
    /// The run.
    pub run: RunId,
    /// The project's root.
    pub project: &'a std::path::Path,
    /// The commit it is based on.
    pub base: &'a Oid,
    /// The branch that the project stood on, if on one.
    pub branch: Option<&'a str>,
    /// The agent's id, if the command is one of the registry's.
    pub agent: Option<&'a str>,
    /// What is enforced.
    pub enforcement: &'a Enforcement,
}

/// A box at its end.
#[derive(Debug, Clone)]
pub struct BoxReport {
    /// The run.
    pub run: RunId,
    /// The box's name.
    pub name: String,
    /// How it ended.
    pub status: RunStatus,
    /// The stable reason.
    pub reason: &'static str,
    /// How the command ended.
    pub ended: Option<Ended>,
    /// How long it took.
    pub lasted: Duration,
    /// Processes that the command had left running, ended by us.
    pub left: usize,
    /// What was enforced.
    pub enforcement: Option<Enforcement>,
    /// The network.
    pub net: Net,
    /// What was reached and refused over the proxy, where the network was by host.
    pub hosts: Vec<HostRow>,
    /// What changed.
    pub change: ChangeReport,
    /// Where the checkout still lies, if it was kept.
    pub kept: Option<PathBuf>,
}

impl From<Captured> for ChangeReport {
    fn from(change: Captured) -> Self {
        Self {
            state: change.state,
            hash: change.hash,
            changes: change.changes,
            ignored: change.ignored_count,
        }
    }
}

/// A captured change, for people and scripts.
#[derive(Debug, Clone)]
pub struct ChangeReport {
    /// Where it stands.
    pub state: ChangeState,
    /// Its hash.
    pub hash: ChangeHash,
    /// The changed paths.
    pub changes: Vec<Change>,
    /// Files left out because the project ignores them.
    pub ignored: u64,
}
