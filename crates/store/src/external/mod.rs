//! What another vendor's agent did in a run: what was agreed on, said, called, asked and decided (FA-29, POL-01, POL-07).
//! Knows nothing of the protocol or of the policy: it records their words.

mod asking;
mod calls;
mod decided;
mod judged;
mod messages;
mod model;
mod questions;
mod requests;
mod runs;
mod watch;

use rusqlite::Connection;

use crate::convert::Fault;

pub use judged::{
    ActionDecisionRow, Answered, DecisionSource, NewActionDecision, NewQuestion, QuestionAnswer,
    QuestionRow, Taken,
};
pub use model::{
    AgentCounts, AgentEnded, AgentPrompted, AgentReady, AgentRequestRow, AgentRunRow, GrantSource,
    MessageRole, MessageRow, NewAgentRequest, NewAgentRun, NewMessage, ToolCallRow, ToolCallSeen,
};

pub(crate) use runs::InsertAgent;
pub(crate) use watch::Watched;

/// Rows of one page at most.
pub const EXTERNAL_PAGE: u32 = 1_000;

/// The next place in a session of a table that numbers its rows from 0.
fn next_position(conn: &Connection, table: &'static str, session: i64) -> Result<i64, Fault> {
    let sql = format!("SELECT coalesce(max(position) + 1, 0) FROM {table} WHERE session = ?1");
    Ok(conn
        .prepare_cached(&sql)?
        .query_row([session], |row| row.get(0))?)
}
