//! The tools as data: names, words for the model, what goes in, what comes out.
//!
//! The wire's answers have no type of their own here: `answers` has the types, and a test holds each against its table.

mod files;
mod knowledge;
mod slates;

use serde::Serialize;
use serde_json::Value;
use taffrail_domain::Transport;

use crate::names::{self, Names};
use crate::schema::{Field, publish};

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) which: Which,
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// For the model that decides whether to call it.
    pub(crate) about: &'static str,
    pub(crate) input: &'static [Field],
    pub(crate) output: &'static [Field],
    pub(crate) effect: Effect,
    /// The largest answer, in bytes of compact JSON.
    pub(crate) answer_limit: usize,
}

/// Which tool: what [`crate::call`] sends where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    SlateOpen,
    SlateWriteSeed,
    SlateClose,
    MemoryRecall,
    MemoryPropose,
    NotebookRead,
    NotebookSuggest,
    SessionSearch,
    WorkspaceList,
    ReadFile,
    ListFiles,
    SearchText,
    TaffrailDocs,
}

impl Which {
    /// Whether it is one of the three that go only over standard input and output or in process (XSL-02).
    pub(crate) const fn is_slate(self) -> bool {
        matches!(
            self,
            Self::SlateOpen | Self::SlateWriteSeed | Self::SlateClose
        )
    }

    /// Whether the agent of a run is offered it.
    pub(crate) const fn is_for_runs(self) -> bool {
        match self {
            Self::SlateOpen
            | Self::SlateWriteSeed
            | Self::SlateClose
            | Self::MemoryRecall
            | Self::NotebookRead
            | Self::ReadFile
            | Self::ListFiles
            | Self::SearchText => true,
            Self::MemoryPropose
            | Self::NotebookSuggest
            | Self::SessionSearch
            | Self::WorkspaceList
            | Self::TaffrailDocs => false,
        }
    }

    /// Whether it may look at many files, and so has a thread of its own, tells of itself and can be taken back.
    pub(crate) const fn is_long(self) -> bool {
        matches!(self, Self::ListFiles | Self::SearchText)
    }
}

/// What a call changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing that lasts.
    Reads,
    /// It adds something; the same call again adds nothing.
    AddsOnce,
    /// It adds something each time.
    Adds,
}

impl Effect {
    /// Whether `--read-only` hides it (MCP-01).
    pub(crate) const fn is_mutating(self) -> bool {
        !matches!(self, Self::Reads)
    }
}

/// An answer's limit where the tool's own limits are far below it.
pub(crate) const ANSWER_LIMIT: usize = 1024 * 1024;

/// Every tool there is, in the order of the listing.
pub(crate) static TOOLS: [&Tool; 13] = [
    &slates::OPEN,
    &slates::WRITE_SEED,
    &slates::CLOSE,
    &knowledge::RECALL,
    &knowledge::PROPOSE,
    &knowledge::NOTEBOOK_READ,
    &knowledge::NOTEBOOK_SUGGEST,
    &knowledge::SESSIONS,
    &knowledge::WORKSPACES,
    &files::READ,
    &files::LIST,
    &files::SEARCH,
    &files::DOCS,
];

/// What a connection is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Without the tools that change something: `slate.*`, `memory_propose`, `notebook_suggest`.
    pub read_only: bool,
    /// How the caller reaches the server; over HTTP no slate is offered (XSL-02).
    pub transport: Transport,
    /// Who is at the other end.
    pub to: OfferedTo,
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferedTo {
    /// A program that a person started.
    Program,
    /// The agent of a run: the project's files, approved memory, the notebook, and the one slate of the run (FA-25).
    Run(Names),
}

impl Offer {
    /// How the tools are called.
    pub(crate) const fn names(&self) -> Names {
        match self.to {
            OfferedTo::Program => Names::Dotted,
            OfferedTo::Run(names) => names,
        }
    }

    /// Whether this tool is listed.
    pub(crate) fn lists(&self, tool: &Tool) -> bool {
        let denied = self.transport == Transport::Http && tool.which.is_slate();
        let hidden = self.read_only && tool.effect.is_mutating();
        let fits = match self.to {
            OfferedTo::Program => true,
            OfferedTo::Run(_) => tool.which.is_for_runs(),
        };
        !denied && !hidden && fits
    }
}

/// A tool as a listing has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolInfo {
    /// The name that a call gives.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// When to use it, for a model.
    pub description: String,
    /// What goes in, as JSON Schema (draft 2020-12).
    pub input_schema: Value,
    /// What comes out, as JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// What a call does to the world.
    pub annotations: Annotations,
}

/// What a call does to the world, in the protocol's own words; hints for a client's questions to its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// It may destroy something.
    pub destructive_hint: bool,
    /// The same call again changes nothing more.
    pub idempotent_hint: bool,
    /// It reaches beyond this machine.
    pub open_world_hint: bool,
}

impl Tool {
    pub(crate) fn info(&self, names: Names) -> ToolInfo {
        ToolInfo {
            name: names.told(self.name),
            title: self.title.to_owned(),
            description: names.told(self.about),
            input_schema: Value::Object(publish(self.input)),
            output_schema: Some(Value::Object(publish(self.output))),
            annotations: self.annotations(),
        }
    }

    /// No tool destroys anything, and none leaves the machine.
    pub(crate) const fn annotations(&self) -> Annotations {
        Annotations {
            read_only_hint: !self.effect.is_mutating(),
            destructive_hint: false,
            idempotent_hint: !matches!(self.effect, Effect::Adds),
            open_world_hint: false,
        }
    }
}

/// The tools that such a connection lists, in their order.
pub fn tools(offer: &Offer) -> Vec<ToolInfo> {
    listed(offer).map(|tool| tool.info(offer.names())).collect()
}

/// The tools that the agent of a run is offered, by the names that records have.
pub fn names_for_runs() -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().filter(|tool| tool.which.is_for_runs());
    tools.map(|tool| tool.name)
}

pub(crate) fn listed(offer: &Offer) -> impl Iterator<Item = &'static Tool> + '_ {
    TOOLS.iter().copied().filter(|tool| offer.lists(tool))
}

/// The tool of this name, in either form, listed or not.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS
        .iter()
        .copied()
        .find(|tool| names::is_of(tool.name, name))
}
