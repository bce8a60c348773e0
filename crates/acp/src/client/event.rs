//! What the driver tells the session machine, and what it has to do for it.

use serde_json::{Number, Value};
use taffrail_domain::{EndReason, Ended, ToolKind};

use crate::frame::Incoming;
use crate::v1::{PermissionOption, StopReason};
use crate::wire::RpcError;

/// Names one request of the agent towards the driver. Not the id on the wire, which an agent may give twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey(pub u64);

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The agent was started: the first event.
    Begun,
    /// A line came.
    Received(Incoming),
    /// A permission was decided.
    Decided {
        /// Which.
        request: RequestKey,
        /// How.
        decision: Decision,
    },
    /// A file was read, or not.
    ReadDone {
        /// For which request.
        request: RequestKey,
        /// Its text.
        result: Result<String, RpcError>,
    },
    /// A file was written, or not.
    WriteDone {
        /// For which request.
        request: RequestKey,
        /// Whether.
        result: Result<(), RpcError>,
    },
    /// A person is asked (at least one question is shown), or no longer: the clocks stand still while it is true.
    PersonAsked(bool),
    /// A person ends the run.
    Cancel,
    /// A budget of the driver ends the run, at once and without grace.
    Stop(EndReason),
    /// One more turn, after [`Effect::TurnEnded`].
    Prompt(String),
    /// No more turns, after [`Effect::TurnEnded`].
    Finish,
    /// The agent closed its standard output.
    OutputClosed,
    /// The agent's process ended.
    Exited(Ended),
    /// Time passed.
    Tick,
}

/// What becomes of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// [`Asked::allow`] is selected; where there is none, it is as [`Decision::Reject`].
    Allow,
    /// [`Asked::reject`] is selected; where there is none, the answer is `cancelled`.
    Reject,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write these bytes, a line with its newline, to the agent.
    Send(Vec<u8>),
    /// Decide about a tool call, and tell with [`Event::Decided`].
    Permission {
        /// Which.
        request: RequestKey,
        /// About what.
        asked: Box<Asked>,
    },
    /// Read a file, and tell with [`Event::ReadDone`].
    Read {
        /// Which request.
        request: RequestKey,
        /// The path as it was sent.
        path: String,
        /// The first line, from 1.
        line: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
    },
    /// Write a file, and tell with [`Event::WriteDone`].
    Write {
        /// Which request.
        request: RequestKey,
        /// The path as it was sent.
        path: String,
        /// Its whole new text.
        content: String,
    },
    /// The request was answered by the machine (turn cancelled or over, agent withdrew it): nobody needs to be asked any
    /// more, and nothing may be written for it from now on. What the driver still tells of it is ignored.
    Withdrawn {
        /// Which.
        request: RequestKey,
    },
    /// The machine refused a request by itself, and answered it: for the record.
    Refused(Refused),
    /// The agent told something.
    Update(Update),
    /// Something odd, for the record.
    Note(Note),
    /// The session stands: the facts about agent, mode and model are complete. The first prompt follows.
    Ready,
    /// The turn is over. Answer with [`Event::Prompt`] or [`Event::Finish`].
    TurnEnded {
        /// Why.
        stop: StopReason,
        /// The text of the turn: its message chunks, joined without separator.
        text: String,
    },
    /// Close the agent's standard input.
    CloseInput,
    /// The last effect. `EndTurn` says that the last turn ended well, not that its result is valid.
    Ended(EndReason, String),
}

/// What a permission is about, gathered from the request and from what was announced of its tool call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The tool call; it may never have been announced.
    pub tool_call_id: String,
    /// Its kind; none where none that is known was given.
    pub kind: Option<ToolKind>,
    /// Its title, as sent.
    pub title: String,
    /// A command line, wherever one stood in the raw input. Never taken from the title.
    pub command: Option<String>,
    /// Every path of `locations`, of the raw input and of diffs, each once.
    pub paths: Vec<String>,
    /// The host of a URL, lower case, without port. Where several differ, all of them joined by spaces, which is the name
    /// of no host.
    pub host: Option<String>,
    /// What would be written, where that was told.
    pub diffs: Vec<Diff>,
    /// Every option, as sent.
    pub options: Vec<PermissionOption>,
    /// The id of the first `allow_once`, if it promises no more than this one call (FA-24).
    pub allow: Option<String>,
    /// The id of the first `reject_once`.
    pub reject: Option<String>,
}

/// A change of one file, as an agent tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The path as sent.
    pub path: String,
    /// What is replaced; none for a new file, or where only the new text was told.
    pub old: Option<String>,
    /// By what. It may be a part of the file or the whole of it.
    pub new: String,
}

/// A request that the machine answered by itself: with an error, or, for a permission while a cancelled turn winds down, with
/// `cancelled` (told here as -32800).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its method.
    pub method: String,
    /// What it was about: a path, a command, a tool call; else empty. 512 bytes at most.
    pub what: String,
    /// The session that it named.
    pub session: Option<String>,
    /// The reason, as the agent was told.
    pub reason: String,
    /// The code, as the agent was told.
    pub code: i64,
}

/// Something that the agent told.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A piece of its answer.
    Text {
        /// The piece.
        text: String,
        /// The message that it belongs to, if it was told.
        message: Option<String>,
    },
    /// A piece of its thoughts.
    Thought(String),
    /// A tool call began or went on; [`super::Client::tool_call`] has the whole of it.
    Tool(ToolSeen),
    /// Its plan, as sent.
    Plan(Value),
    /// Tokens and cost.
    Usage(Usage),
    /// Its mode is now this.
    Mode(String),
    /// Its session has this title.
    Title(String),
}

/// A step of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSeen {
    /// Its id.
    pub id: String,
    /// Its title so far.
    pub title: String,
    /// Its kind so far.
    pub kind: Option<ToolKind>,
    /// Its status so far, as sent: `pending`, `in_progress`, `completed`, `failed`.
    pub status: Option<String>,
    /// It was not known before.
    pub first: bool,
}

/// Tokens and cost as the agent tells them. What is missing or no number stays missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Tokens in the context now.
    pub used: Option<Number>,
    /// The size of the window.
    pub size: Option<Number>,
    /// The cost of the session so far, never converted.
    pub cost: Option<Cost>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// How much.
    pub amount: Number,
    /// Of which currency; any string, empty where none was told.
    pub currency: String,
}

/// Something odd. Of each kind the first are told; [`super::Facts::notes`] has how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub kind: NoteKind,
    /// More about it, 512 bytes at most.
    pub detail: String,
    /// How often it was seen, this one included.
    pub count: u64,
}

taffrail_domain::words! {
    /// What was odd.
    NoteKind, "kind of note" {
        /// A line that is no message.
        Junk "junk",
        /// A notification or an answer of which only the envelope was read.
        Dropped "dropped",
        /// Damaged text was replaced.
        Mended "mended",
        /// An answer to nothing that was asked, or a second one.
        UnknownAnswer "unknown_answer",
        /// A notification that is not known.
        UnknownNotification "unknown_notification",
        /// An update of a variant that is not known, or without one.
        UnknownUpdate "unknown_update",
        /// An update that does not hold what its variant must.
        OddUpdate "odd_update",
        /// An update of another session.
        OtherSession "other_session",
        /// An update before the session stood, or of a turn when there was none.
        OutsideTurn "outside_turn",
        /// The agent opened a session of its own.
        ChildSession "child_session",
        /// The agent withdrew a request.
        RequestWithdrawn "request_withdrawn",
        /// A tool call grew past what is kept of it.
        ToolCut "tool_cut",
        /// Tokens or cost that are no number, negative, or shrank.
        OddUsage "odd_usage",
        /// The way to sign in is not offered.
        AuthNotOffered "auth_not_offered",
        /// A setting could not be made.
        SettingFailed "setting_failed",
        /// The agent changed its mode during the run.
        ModeChanged "mode_changed",
        /// The driver told something that was not asked, or too late.
        LateEvent "late_event",
    }
}
