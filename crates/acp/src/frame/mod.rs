//! Bytes of a stream become frames, one line each, within bounds (FA-27, FA-28). Must not know what a message means.

mod classify;
mod reader;
mod scan;

use crate::wire::{Id, Message};

pub use reader::Frames;

/// How long things may be, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A line past this ends the stream. 64 MiB.
    pub line: u64,
    /// A line past this is never parsed into a value. 4 MiB.
    pub parsed: usize,
    /// The memory that one parsed value may take. 32 MiB.
    pub memory: usize,
    /// How much is kept of a line that is not parsed. 4 KiB.
    pub head: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line: 64 << 20,
            parsed: 4 << 20,
            memory: 32 << 20,
            head: 4 << 10,
        }
    }
}

/// One line, with what is kept of its bytes for the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// What it is.
    pub incoming: Incoming,
    /// All of its bytes for a message, else the first of them ([`Limits::head`]); without the end of the line.
    pub line: Vec<u8>,
    /// How many bytes it had, without its newline.
    pub bytes: u64,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// An answer or a notification with damaged text (not UTF-8, half a surrogate pair), which was replaced. A request
    /// with damaged text is [`Incoming::Dropped`]: what is asked must be exactly what was sent.
    Mended(Message),
    /// A message of which only the envelope was read.
    Dropped(Dropped),
    /// Something else.
    Junk {
        /// What.
        kind: JunkKind,
        /// How many bytes it had.
        bytes: u64,
    },
    /// The line never ended. Nothing comes after it.
    LineTooLong {
        /// How many bytes were seen.
        bytes: u64,
    },
}

/// A message of which only the envelope was read; its body was counted and dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// Its envelope.
    pub envelope: Envelope,
    /// Why.
    pub why: DroppedFor,
    /// How many bytes it had.
    pub bytes: u64,
}

/// What can be told of a message without its body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Its method, 512 bytes at most; none for an answer.
    pub method: Option<String>,
    /// Its id, 512 bytes at most; none for a notification, or where it is no id.
    pub id: Option<Id>,
    /// The session that its parameters name.
    pub session: Option<String>,
    /// It had a result or an error.
    pub answers: bool,
}

taffrail_domain::words! {
    /// Why only the envelope of a message was read.
    DroppedFor, "reason of a dropped frame" {
        /// Its line is longer than 4 MiB.
        TooLong "too_long",
        /// Its value would take more than 32 MiB of memory.
        TooHeavy "too_heavy",
        /// It is not UTF-8, holds half a surrogate pair, or nests deeper than 127 levels.
        Unreadable "unreadable",
    }
}

taffrail_domain::words! {
    /// What a line is that is no message.
    JunkKind, "kind of junk" {
        /// No JSON.
        NotJson "not_json",
        /// JSON, but no object.
        NotObject "not_object",
        /// An object that is no message of JSON-RPC 2.0.
        NotMessage "not_message",
    }
}
