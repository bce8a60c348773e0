//! One call: arguments checked, made into their type, handed to the host, answered. Blocking; runs on no reactor.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rmcp::model::CallToolResult;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use taffrail_domain::ErrorCode;

use crate::catalog::{Tool, Which};
use crate::host::{Caller, Failure, Host, Watch};
use crate::refusal::Words;
use crate::schema::check;
use crate::wire;

/// What a call needs besides its host.
pub(crate) struct Call {
    pub(crate) tool: &'static Tool,
    pub(crate) caller: Caller,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) words: Words,
}

impl Call {
    /// Makes the call. Never panics: a host that does is a failure of this one call.
    pub(crate) fn run(self, host: &dyn Host, watch: &dyn Watch) -> CallToolResult {
        let (tool, words) = (self.tool, self.words);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.outcome(host, watch)));
        match outcome.unwrap_or_else(|_| Err(broken("the tool broke down"))) {
            Ok(value) => wire::answer(tool, value, words),
            Err(failure) => wire::failure(tool.name, &failure, words),
        }
    }

    fn outcome(self, host: &dyn Host, watch: &dyn Watch) -> Result<Value, Failure> {
        let Self {
            tool,
            caller,
            mut arguments,
            words,
        } = self;
        if tool.which.is_slate() {
            // Only the server writes them; a caller's are dropped, not refused (XSL-03).
            arguments.remove("origin");
            arguments.remove("trust");
        }
        check(tool.input, &mut arguments).map_err(|misfit| {
            let failure = words.misfit(&misfit);
            host.unserved(tool.name, &failure.message);
            failure
        })?;
        let asked = Asked {
            caller: &caller,
            arguments: Value::Object(arguments),
        };
        asked.of(tool.which, host, watch)
    }
}

struct Asked<'a> {
    caller: &'a Caller,
    arguments: Value,
}

impl Asked<'_> {
    fn of(self, which: Which, host: &dyn Host, watch: &dyn Watch) -> Result<Value, Failure> {
        match which {
            Which::SlateOpen => self.with(|caller, args| host.slate_open(caller, args)),
            Which::SlateWriteSeed => self.with(|caller, args| host.slate_write_seed(caller, args)),
            Which::SlateClose => self.with(|caller, args| host.slate_close(caller, args)),
            Which::MemoryRecall => self.with(|caller, args| host.memory_recall(caller, args)),
            Which::MemoryPropose => self.with(|caller, args| host.memory_propose(caller, args)),
            Which::NotebookRead => value(&host.notebook_read(self.caller)?),
            Which::NotebookSuggest => self.with(|caller, args| host.notebook_suggest(caller, args)),
            Which::SessionSearch => self.with(|caller, args| host.session_search(caller, args)),
            Which::WorkspaceList => value(&host.workspace_list(self.caller)?),
            Which::ReadFile => self.with(|caller, args| host.read_file(caller, args)),
            Which::ListFiles => self.with(|caller, args| host.list_files(caller, args, watch)),
            Which::SearchText => self.with(|caller, args| host.search_text(caller, args, watch)),
            Which::TaffrailDocs => self.with(|caller, args| host.taffrail_docs(caller, args)),
        }
    }

    fn with<A: DeserializeOwned, B: Serialize>(
        self,
        ask: impl FnOnce(&Caller, A) -> Result<B, Failure>,
    ) -> Result<Value, Failure> {
        let args = serde_json::from_value(self.arguments)
            .map_err(|_| broken("the arguments fit the schema and not the tool"))?;
        value(&ask(self.caller, args)?)
    }
}

fn value<B: Serialize>(answer: &B) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|_| broken("the answer cannot be written as JSON"))
}

fn broken(what: &str) -> Failure {
    Failure {
        code: ErrorCode::Internal,
        message: what.to_owned(),
        hint: None,
    }
}
