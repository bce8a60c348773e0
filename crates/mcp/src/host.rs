//! What the server asks of the application: one method per tool, typed on both sides.

use taffrail_domain::{ErrorCode, Transport};

use crate::{answers, args};

/// Who calls, as far as the server can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// How it reaches the server.
    pub transport: Transport,
    /// What it calls itself in `initialize`; its own words, not to be believed.
    pub client: Option<ClientName>,
}

/// What a client calls itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientName {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Why a tool did not do what it was asked. On the wire: an `isError` result with the tool's name before the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable code.
    pub code: ErrorCode,
    /// The thing, the value and the limit; lower-case start. The server redacts and escapes it.
    pub message: String,
    /// What helps, where it is not the code's own hint.
    pub hint: Option<String>,
}

/// How a long call tells of itself, and learns that nobody waits for it any more.
pub trait Watch: Send + Sync {
    /// Whether the caller took the call back: stop, what is answered goes nowhere.
    fn is_cancelled(&self) -> bool;
    /// So much of so much is done. Cheap: call it as often as it is true.
    fn progress(&self, done: u64, total: Option<u64>);
}

/// What each tool does. Calls come from several threads; quick ones of one connection come one after the other, in order.
pub trait Host: Send + Sync + 'static {
    /// A call came that is answered without the tool: it is not offered, there is none of that name, or its arguments do not
    /// fit. For whoever keeps a record of every call; nothing else is to be done.
    fn unserved(&self, _tool: &str, _why: &str) {}
    /// `slate.open`
    ///
    /// # Errors
    /// As its code says; so for all below.
    fn slate_open(
        &self,
        caller: &Caller,
        args: args::SlateOpen,
    ) -> Result<answers::SlateOpened, Failure>;
    /// `slate.writeSeed`
    ///
    /// # Errors
    /// As its code says.
    fn slate_write_seed(
        &self,
        caller: &Caller,
        args: args::SlateWriteSeed,
    ) -> Result<answers::SeedWritten, Failure>;
    /// `slate.close`
    ///
    /// # Errors
    /// As its code says.
    fn slate_close(
        &self,
        caller: &Caller,
        args: args::SlateClose,
    ) -> Result<answers::SlateClosed, Failure>;
    /// `memory_recall`
    ///
    /// # Errors
    /// As its code says.
    fn memory_recall(
        &self,
        caller: &Caller,
        args: args::MemoryRecall,
    ) -> Result<answers::MemoryRecalled, Failure>;
    /// `memory_propose`
    ///
    /// # Errors
    /// As its code says.
    fn memory_propose(
        &self,
        caller: &Caller,
        args: args::MemoryPropose,
    ) -> Result<answers::MemoryProposed, Failure>;
    /// `notebook_read`
    ///
    /// # Errors
    /// As its code says.
    fn notebook_read(&self, caller: &Caller) -> Result<answers::NotebookRead, Failure>;
    /// `notebook_suggest`
    ///
    /// # Errors
    /// As its code says.
    fn notebook_suggest(
        &self,
        caller: &Caller,
        args: args::NotebookSuggest,
    ) -> Result<answers::NotebookSuggested, Failure>;
    /// `session_search`
    ///
    /// # Errors
    /// As its code says.
    fn session_search(
        &self,
        caller: &Caller,
        args: args::SessionSearch,
    ) -> Result<answers::SessionsFound, Failure>;
    /// `workspace_list`
    ///
    /// # Errors
    /// As its code says.
    fn workspace_list(&self, caller: &Caller) -> Result<answers::Workspaces, Failure>;
    /// `read_file`
    ///
    /// # Errors
    /// As its code says.
    fn read_file(
        &self,
        caller: &Caller,
        args: args::ReadFile,
    ) -> Result<answers::FileText, Failure>;
    /// `list_files`
    ///
    /// # Errors
    /// As its code says.
    fn list_files(
        &self,
        caller: &Caller,
        args: args::ListFiles,
        watch: &dyn Watch,
    ) -> Result<answers::Files, Failure>;
    /// `search_text`
    ///
    /// # Errors
    /// As its code says.
    fn search_text(
        &self,
        caller: &Caller,
        args: args::SearchText,
        watch: &dyn Watch,
    ) -> Result<answers::TextFound, Failure>;
    /// `taffrail_docs`
    ///
    /// # Errors
    /// As its code says.
    fn taffrail_docs(
        &self,
        caller: &Caller,
        args: args::TaffrailDocs,
    ) -> Result<answers::Docs, Failure>;
}
