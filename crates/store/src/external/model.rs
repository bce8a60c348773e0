//! What goes in and what comes out. Everything that comes out is redacted and untrusted: wrap it before it reaches a screen.

use taffrail_domain::{Millis, Mode, Served, words};
use taffrail_redact::Clean;

words! {
    /// Where the yes to all edits inside the checkout of a run came from.
    GrantSource, "source of a grant" {
        /// There is none.
        None "none",
        /// The user's configuration.
        Config "config",
        /// A person said so during the run.
        Human "human",
    }
}

words! {
    /// Who says something.
    MessageRole, "role" {
        /// Taffrail, in the person's name.
        User "user",
        /// The agent.
        Assistant "assistant",
        /// The agent, thinking aloud.
        Thought "thought",
    }
}

/// What is known of a run before its agent is started. JSON where it says so.
#[derive(Debug, Clone, Copy)]
pub struct NewAgentRun<'a> {
    /// The agent's id in the registry.
    pub agent: &'a Clean,
    /// How it is spoken to, and its id: `acp:gemini-acp`.
    pub provider: &'a Clean,
    /// The command line, a JSON array.
    pub argv: &'a Clean,
    /// The version that the program itself told before the run.
    pub version_found: Option<&'a Clean>,
    /// The task, in the person's words.
    pub task: &'a Clean,
    /// The model that was asked for.
    pub model: Option<&'a Clean>,
    /// The policy's mode that was asked for; the one that counts is always `ask` (POL-03).
    pub mode_requested: Mode,
    /// Nobody is asked.
    pub unattended: bool,
    /// What it changes is captured, and it may write through the protocol.
    pub may_write: bool,
    /// Where a yes to all edits came from.
    pub grant: GrantSource,
    /// What the client tells the agent that it serves, JSON.
    pub client_capabilities: &'a Clean,
    /// `{"offered":false,"reason":…}`, for nothing is offered yet.
    pub mcp: &'a Clean,
}

/// What an agent is given at its start.
#[derive(Debug, Clone, Copy)]
pub struct AgentPrompted<'a> {
    /// Length of the whole prompt in bytes.
    pub bytes: u64,
    /// What was cut from the prompt, a JSON array.
    pub cut: &'a Clean,
    /// `{"offered":true,"server":…,"scope":…}` or `{"offered":false,"reason":…}`.
    pub mcp: &'a Clean,
}

/// What the agent says of itself once its session stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentReady<'a> {
    /// Its name.
    pub agent_name: Option<&'a Clean>,
    /// Its version.
    pub agent_version: Option<&'a Clean>,
    /// The version of the protocol.
    pub protocol: Option<i64>,
    /// What it can do, JSON.
    pub agent_capabilities: Option<&'a Clean>,
    /// Its own id of its session.
    pub agent_session: Option<&'a Clean>,
    /// Its own mode that was asked for.
    pub agent_mode: Option<&'a Clean>,
    /// Whether it confirmed that mode.
    pub agent_mode_verified: Option<bool>,
    /// Whether context went as resources of its own, or as text.
    pub embedded_context: Option<bool>,
}

/// What there is to say at the end. What is none leaves what is on record.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentEnded<'a> {
    /// Why the turn stopped, in the agent's word.
    pub stop_reason: Option<&'a Clean>,
    /// What there is to say of the ending.
    pub end_detail: Option<&'a Clean>,
    /// Tokens as the agent reports them, JSON.
    pub usage: Option<&'a Clean>,
    /// Cost as the agent reports it, JSON.
    pub cost: Option<&'a Clean>,
    /// The valid result document, JSON.
    pub result: Option<&'a Clean>,
    /// `valid`, `missing`, or what is wrong with it.
    pub result_verdict: Option<&'a Clean>,
    /// The final text of a run without a valid one.
    pub partial: Option<&'a Clean>,
    /// The agent was asked once more for a result document.
    pub repair_asked: bool,
    /// The agent was told to cancel.
    pub cancel_sent: bool,
    /// Why its processes were killed.
    pub killed: Option<&'a Clean>,
    /// What was kept of its standard error.
    pub stderr: Option<&'a Clean>,
    /// Bytes that it wrote there.
    pub stderr_bytes: u64,
    /// Frames that came from the agent.
    pub frames_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Frames that were sent to it.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// What came that is no frame, counted by kind, JSON.
    pub junk: Option<&'a Clean>,
    /// What a reader should know, a JSON array.
    pub notes: Option<&'a Clean>,
    /// What could not be seen or controlled, a JSON array.
    pub unseen: Option<&'a Clean>,
}

/// A run of another vendor's agent on record; see [`NewAgentRun`], [`AgentReady`] and [`AgentEnded`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRunRow {
    /// The agent's id in the registry.
    pub agent: String,
    /// How it is spoken to, and its id.
    pub provider: String,
    /// The command line, a JSON array.
    pub argv: String,
    /// The version that the program itself told before the run.
    pub version_found: Option<String>,
    /// The task.
    pub task: String,
    /// Length of the whole prompt in bytes; 0 where the run was cut off before there was one.
    pub prompt_bytes: u64,
    /// What was cut from the prompt, a JSON array.
    pub prompt_cut: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The policy's mode that was asked for.
    pub mode_requested: Mode,
    /// The policy's mode that counted.
    pub mode_effective: Mode,
    /// Nobody was asked.
    pub unattended: bool,
    /// What it changed is captured.
    pub may_write: bool,
    /// Where a yes to all edits came from.
    pub grant: GrantSource,
    /// What the client told the agent that it serves, JSON.
    pub client_capabilities: String,
    /// Our MCP server, JSON.
    pub mcp: String,
    /// The agent's name as it reports it.
    pub agent_name: Option<String>,
    /// Its version.
    pub agent_version: Option<String>,
    /// The version of the protocol.
    pub protocol: Option<i64>,
    /// What it says that it can do, JSON.
    pub agent_capabilities: Option<String>,
    /// Its own id of its session.
    pub agent_session: Option<String>,
    /// Its own mode that was asked for.
    pub agent_mode: Option<String>,
    /// Whether it confirmed that mode.
    pub agent_mode_verified: Option<bool>,
    /// Whether context went as resources of its own.
    pub embedded_context: Option<bool>,
    /// Why the turn stopped, in the agent's word.
    pub stop_reason: Option<String>,
    /// What there is to say of the ending.
    pub end_detail: Option<String>,
    /// Tokens as the agent reports them, JSON; none where it reported none.
    pub usage: Option<String>,
    /// Cost as the agent reports it, JSON; none where it reported none.
    pub cost: Option<String>,
    /// The valid result document, JSON.
    pub result: Option<String>,
    /// `valid`, `missing`, or what is wrong with it.
    pub result_verdict: Option<String>,
    /// The final text of a run without a valid one.
    pub partial: Option<String>,
    /// The agent was asked once more.
    pub repair_asked: bool,
    /// The agent was told to cancel.
    pub cancel_sent: bool,
    /// Why its processes were killed.
    pub killed: Option<String>,
    /// What was kept of its standard error.
    pub stderr: Option<String>,
    /// Bytes that it wrote there; none where nobody was left to count, as for all counts below.
    pub stderr_bytes: Option<u64>,
    /// Frames that came from the agent.
    pub frames_in: Option<u64>,
    /// Their bytes.
    pub bytes_in: Option<u64>,
    /// Frames that were sent to it.
    pub frames_out: Option<u64>,
    /// Their bytes.
    pub bytes_out: Option<u64>,
    /// What came that is no frame, counted by kind, JSON.
    pub junk: Option<String>,
    /// What a reader should know, a JSON array.
    pub notes: Option<String>,
    /// What could not be seen or controlled, a JSON array.
    pub unseen: Option<String>,
}

/// Something said.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// By whom.
    pub role: MessageRole,
    /// The text, whole.
    pub text: &'a Clean,
}

/// Something said, on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its place in the session, from 0.
    pub position: u64,
    /// By whom.
    pub role: MessageRole,
    /// The text.
    pub text: String,
    /// When it was recorded.
    pub at: Millis,
}

/// What was newly seen of a tool call. What is none leaves what is on record.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallSeen<'a> {
    /// The agent's own id of the call.
    pub call: &'a Clean,
    /// What the agent calls it.
    pub title: Option<&'a Clean>,
    /// Its kind.
    pub kind: Option<&'a Clean>,
    /// Its status.
    pub status: Option<&'a Clean>,
    /// The places that it names, a JSON array.
    pub locations: Option<&'a Clean>,
    /// Its input, JSON; what is longer than 64 KiB is kept as an object with its length and its beginning.
    pub input: Option<&'a Clean>,
    /// The whole of its output so far; the first 64 KiB are kept.
    pub output: Option<&'a Clean>,
    /// How many updates this stands for.
    pub updates: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A tool call on record, as the agent described it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallRow {
    /// Its place in the session, from 0.
    pub position: u64,
    /// The agent's own id of the call.
    pub call: String,
    /// What the agent calls it.
    pub title: Option<String>,
    /// Its kind, in the agent's word.
    pub kind: Option<String>,
    /// Its status, in the agent's word.
    pub status: Option<String>,
    /// The places that it names, a JSON array.
    pub locations: Option<String>,
    /// Its input, JSON.
    pub input: Option<String>,
    /// The last that was seen of its output.
    pub output: Option<String>,
    /// How often the agent told of it.
    pub updates: u64,
    /// Bytes of all that it told.
    pub bytes: u64,
    /// When the first word of it came.
    pub first_at: Millis,
    /// When the last one did.
    pub last_at: Millis,
}

/// What an agent asked of the client beside its questions.
#[derive(Debug, Clone, Copy)]
pub struct NewAgentRequest<'a> {
    /// The method; the first 200 bytes are kept.
    pub method: &'a Clean,
    /// What it was about; the first 4 KiB are kept.
    pub what: Option<&'a Clean>,
    /// What became of it.
    pub outcome: Served,
    /// Why, where it was not served; the first 4 KiB are kept.
    pub reason: Option<&'a Clean>,
    /// Bytes that were read or written.
    pub bytes: u64,
}

/// The same on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRequestRow {
    /// Its place in the session, from 0.
    pub position: u64,
    /// The method.
    pub method: String,
    /// What it was about.
    pub what: Option<String>,
    /// What became of it.
    pub outcome: Served,
    /// Why, where it was not served.
    pub reason: Option<String>,
    /// Bytes that were read or written.
    pub bytes: u64,
    /// When it was answered.
    pub at: Millis,
}

/// How much is on record of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentCounts {
    /// Messages.
    pub messages: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Judged actions.
    pub decisions: u64,
    /// Of these, refused ones.
    pub refused: u64,
    /// Questions to a person.
    pub questions: u64,
    /// Requests of the agent beside its questions.
    pub requests: u64,
}
