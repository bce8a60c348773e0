//! What is known of a session, for the record (FA-29).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{NoteKind, Usage};
use crate::v1::{AuthMethod, Implementation, PromptCapabilities, StopReason};

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The version of the protocol that the agent answered with.
    pub protocol_version: Option<Value>,
    /// How the agent calls itself, 256 bytes at most each.
    pub agent: Option<Implementation>,
    /// What a prompt may hold.
    pub prompt: PromptCapabilities,
    /// `agentCapabilities` as sent; null where nothing was sent or it was over 64 KiB.
    pub capabilities: Value,
    /// The ways to sign in that the agent offered.
    pub auth_methods: Vec<AuthMethod>,
    /// The way that was used.
    pub authenticated: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The mode that was forced.
    pub mode: Setting,
    /// The modes that there are, as the agent names them: the first twelve, 64 bytes of each.
    pub modes: Vec<String>,
    /// The model.
    pub model: Setting,
    /// The last tokens and cost that were told; none where nothing was.
    pub usage: Option<Usage>,
    /// `usage` of each prompt's answer (or its `_meta`, where there is none), as sent; null where nothing was sent.
    pub prompt_usage: Vec<Value>,
    /// How the last turn ended.
    pub stop: Option<StopReason>,
    /// How many turns were begun.
    pub turns: u32,
    /// Bytes of message text so far.
    pub text_bytes: u64,
    /// How many permissions were asked for.
    pub permissions: u64,
    /// How often each odd thing was seen.
    pub notes: BTreeMap<NoteKind, u64>,
}

/// What became of a setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    /// What was asked for.
    pub requested: Option<String>,
    /// What it was when the session began.
    pub before: Option<String>,
    /// What it is now, as the agent last told.
    pub effective: Option<String>,
    /// The agent itself told that it is what was asked for.
    pub verified: bool,
    /// Why it is not; none where nothing was asked for or it is verified.
    pub gap: Option<Gap>,
}

/// Why a setting is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// The agent offers no such setting.
    NotOffered,
    /// The setting does not have this value.
    NoSuchValue,
    /// The agent refused; what it said.
    Refused(String),
    /// The agent said yes, and never told its new value.
    NotConfirmed,
    /// The agent told another value.
    Other,
}

impl Gap {
    /// The stable word, as in rows and JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotOffered => "not_offered",
            Self::NoSuchValue => "no_such_value",
            Self::Refused(_) => "refused",
            Self::NotConfirmed => "not_confirmed",
            Self::Other => "other",
        }
    }
}
