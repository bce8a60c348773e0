//! The parts that messages of both directions are made of.

use serde::{Deserialize, Serialize};

/// How a program calls itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implementation {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its version.
    #[serde(default)]
    pub version: String,
}

/// What a prompt may hold beside text and links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptCapabilities {
    /// Images.
    pub image: bool,
    /// Sound.
    pub audio: bool,
    /// `resource` blocks.
    pub embedded_context: bool,
}

/// A way to sign in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthMethod {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// An MCP server over standard input and output: the only kind that every agent takes. It has no `type`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// The program, absolute.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its environment.
    #[serde(default)]
    pub env: Vec<EnvVariable>,
}

/// A variable of an environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvVariable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// One way to answer a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// Its id.
    pub option_id: String,
    /// What it says.
    pub name: String,
    /// Its kind.
    pub kind: OptionKind,
}

/// What an option promises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// This call.
    AllowOnce,
    /// This call and others.
    AllowAlways,
    /// Not this call.
    RejectOnce,
    /// Neither this call nor others.
    RejectAlways,
    /// Something that is not known.
    Unknown(String),
}

impl OptionKind {
    /// The word on the wire.
    pub fn name(&self) -> &str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
            Self::RejectAlways => "reject_always",
            Self::Unknown(word) => word,
        }
    }

    /// The kind that a word means.
    pub fn read(word: &str) -> Self {
        match word {
            "allow_once" => Self::AllowOnce,
            "allow_always" => Self::AllowAlways,
            "reject_once" => Self::RejectOnce,
            "reject_always" => Self::RejectAlways,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

impl Serialize for OptionKind {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The agent is done.
    EndTurn,
    /// Its model used up its tokens.
    MaxTokens,
    /// It used up its requests.
    MaxTurnRequests,
    /// It refused.
    Refusal,
    /// It was cancelled, or says so.
    Cancelled,
    /// Something that is not known; empty where nothing was told.
    Unknown(String),
}

impl StopReason {
    /// The word on the wire.
    pub fn name(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::MaxTurnRequests => "max_turn_requests",
            Self::Refusal => "refusal",
            Self::Cancelled => "cancelled",
            Self::Unknown(word) => word,
        }
    }

    /// The reason that a word means.
    pub fn read(word: &str) -> Self {
        match word {
            "end_turn" => Self::EndTurn,
            "max_tokens" => Self::MaxTokens,
            "max_turn_requests" => Self::MaxTurnRequests,
            "refusal" => Self::Refusal,
            "cancelled" => Self::Cancelled,
            other => Self::Unknown(other.to_owned()),
        }
    }
}
