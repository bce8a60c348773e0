//! The tools of a run: what the agent may ask, over what, and that each call is told to the run.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;
use taffrail_domain::{ErrorCode, RunId, Served};
use taffrail_mcp::{Caller, Failure, Host, Names, Watch, answers, args};
use taffrail_slate::external::Origin;
use taffrail_store::Closure;
use taffrail_tools::{ProjectFiles, Withheld};

use super::size::bytes_of;
use crate::external::McpScope;
use crate::policy::withheld;
use crate::serve_mcp::{Server, failure, files};
use crate::{App, AppError};

/// Calls of one run. Each is a row; a task needs some hundreds.
const CALLS: u64 = 10_000;
/// Characters of what was asked for that are told.
const WHAT: usize = 400;

/// One call of a tool, for its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodCall {
    /// The tool, as the agent named it where there is none of that name.
    pub tool: String,
    /// What it was asked for, one line: a path, a query. The agent's words.
    pub what: String,
    /// What became of it.
    pub outcome: Served,
    /// Why it was refused: the stable code, and words.
    pub reason: Option<String>,
    /// Bytes of the answer, as JSON.
    pub bytes: u64,
}

/// Whoever puts calls on record. Called on the thread of the calls, not on the run's; must not block for long.
pub type OnCall = Box<dyn Fn(MethodCall) + Send + Sync>;

/// Whose doors these are.
#[derive(Debug, Clone)]
pub struct DoorsOf {
    /// The run.
    pub run: RunId,
    /// The agent's id in the registry.
    pub agent: String,
    /// The work tree of the checkout.
    pub checkout: PathBuf,
    /// The root of the operator's project, read where `scope` says so.
    pub project: PathBuf,
    /// How far the read tools see.
    pub scope: McpScope,
    /// How the agent is told of the tools.
    pub names: Names,
}

/// What the agent of one run may call.
pub struct RunDoors {
    of: DoorsOf,
    server: Server,
    /// What the user's rules keep from the read tools, as they were when the run began.
    withheld: Withheld,
    on_call: OnCall,
    calls: AtomicU64,
    /// Whether the run is over: no slate is opened any more.
    over: AtomicBool,
}

impl RunDoors {
    /// The doors of a run. Nothing is opened yet; the first call opens the home a second time, for its thread.
    ///
    /// # Errors
    /// A rule of the configuration that contradicts its examples.
    pub fn new(app: &App, of: DoorsOf, on_call: OnCall) -> Result<Self, AppError> {
        let harness = format!("{}{}", Origin::RUN, of.agent);
        Ok(Self {
            server: Server::of_run(app, harness),
            withheld: withheld(&app.config)?,
            of,
            on_call,
            calls: AtomicU64::new(0),
            over: AtomicBool::new(false),
        })
    }

    /// Closes the slate of the run, where one is open: its seeds become proposals, or an unbound candidate. No slate is opened
    /// after this. Safe to repeat.
    ///
    /// # Errors
    /// What the store can give.
    pub fn finish(&self) -> Result<Option<Closure>, AppError> {
        self.over.store(true, Ordering::SeqCst);
        if self.calls.load(Ordering::SeqCst) == 0 {
            return Ok(None);
        }
        let app = self.server.app()?;
        let (desk, slate) = (app.desk()?, self.slate());
        // The agent may have closed it itself.
        match desk.close_if_open(&app, &slate)? {
            Some(closure) => Ok(Some(closure)),
            None => desk.newest_closure(&app, &slate),
        }
    }

    /// The run.
    pub const fn run(&self) -> &RunId {
        &self.of.run
    }

    /// The id of the run's slate: the run's own, whatever the agent calls it.
    fn slate(&self) -> String {
        self.of.run.short()
    }

    fn files(&self) -> Result<ProjectFiles, Failure> {
        let app = self.server.app().map_err(failure)?;
        let files = app.files_of(match self.of.scope {
            McpScope::Checkout => &self.of.checkout,
            McpScope::Project => &self.of.project,
        })?;
        Ok(files.withholding(Arc::clone(&self.withheld)))
    }

    /// Makes a call within the bounds of the run, and tells of it.
    fn told<T: Serialize>(
        &self,
        tool: &str,
        what: &dyn Display,
        call: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let answer = match self.calls.fetch_add(1, Ordering::Relaxed) {
            before if before < CALLS => call(),
            // The first one is on record; a flood of them must not be.
            CALLS => Err(no_more_calls()),
            _ => return Err(no_more_calls()),
        };
        let why = answer.as_ref().err();
        let why = why.map(|why| format!("{}: {}", why.code.row().name, why.message));
        self.tell(
            tool,
            &what.to_string(),
            why.as_deref(),
            answer.as_ref().map_or(0, bytes_of),
        );
        answer
    }

    fn tell(&self, tool: &str, what: &str, refused: Option<&str>, bytes: u64) {
        (self.on_call)(MethodCall {
            tool: clipped(tool),
            what: clipped(what),
            outcome: match refused {
                None => Served::Served,
                Some(_) => Served::Refused,
            },
            reason: refused.map(clipped),
            bytes,
        });
    }

    /// Slates only while the run goes on.
    fn slated<T>(&self, call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        if self.over.load(Ordering::SeqCst) {
            return Err(Failure {
                code: ErrorCode::SlateClosed,
                message: "the run is over, and its slate is closed".to_owned(),
                hint: None,
            });
        }
        call()
    }

    /// What a run is not offered, where it is called all the same.
    fn refused<T: Serialize>(&self, tool: &'static str) -> Result<T, Failure> {
        self.told(tool, &"", || {
            Err(Failure {
                code: ErrorCode::ToolArgument,
                message: "the tool is not offered to a run".to_owned(),
                hint: None,
            })
        })
    }
}

fn no_more_calls() -> Failure {
    Failure {
        code: ErrorCode::BudgetUsed,
        message: format!("the run has made {CALLS} calls, and may make no more"),
        hint: Some("finish the task without these tools".to_owned()),
    }
}

/// One line of at most [`WHAT`] characters.
fn clipped(text: &str) -> String {
    let line = text
        .chars()
        .map(|at| if at.is_control() { ' ' } else { at });
    line.take(WHAT).collect()
}

impl Host for RunDoors {
    fn unserved(&self, tool: &str, why: &str) {
        if self.calls.fetch_add(1, Ordering::Relaxed) < CALLS {
            self.tell(tool, "", Some(why), 0);
        }
    }

    fn slate_open(
        &self,
        caller: &Caller,
        args: args::SlateOpen,
    ) -> Result<answers::SlateOpened, Failure> {
        let args = args::SlateOpen {
            external_session_id: self.slate(),
            workspace_id: None,
            anchors: args.anchors,
        };
        self.told("slate.open", &"", || {
            self.slated(|| self.server.slate_open(caller, args))
        })
    }

    fn slate_write_seed(
        &self,
        caller: &Caller,
        args: args::SlateWriteSeed,
    ) -> Result<answers::SeedWritten, Failure> {
        let kind = args.kind.clone().unwrap_or_default();
        let args = args::SlateWriteSeed {
            external_session_id: self.slate(),
            ..args
        };
        self.told("slate.writeSeed", &kind, || {
            self.slated(|| self.server.slate_write_seed(caller, args))
        })
    }

    fn slate_close(
        &self,
        caller: &Caller,
        _: args::SlateClose,
    ) -> Result<answers::SlateClosed, Failure> {
        let args = args::SlateClose {
            external_session_id: self.slate(),
        };
        self.told("slate.close", &"", || {
            self.slated(|| self.server.slate_close(caller, args))
        })
    }

    fn memory_recall(
        &self,
        caller: &Caller,
        args: args::MemoryRecall,
    ) -> Result<answers::MemoryRecalled, Failure> {
        let query = args.query.clone();
        // What was approved, and nothing else: an agent that nobody watches is steered by what it reads.
        let args = args::MemoryRecall {
            include: None,
            ..args
        };
        self.told("memory_recall", &query, || {
            self.server.memory_recall(caller, args)
        })
    }

    fn memory_propose(
        &self,
        _: &Caller,
        _: args::MemoryPropose,
    ) -> Result<answers::MemoryProposed, Failure> {
        self.refused("memory_propose")
    }

    fn notebook_read(&self, caller: &Caller) -> Result<answers::NotebookRead, Failure> {
        self.told("notebook_read", &"", || self.server.notebook_read(caller))
    }

    fn notebook_suggest(
        &self,
        _: &Caller,
        _: args::NotebookSuggest,
    ) -> Result<answers::NotebookSuggested, Failure> {
        self.refused("notebook_suggest")
    }

    fn session_search(
        &self,
        _: &Caller,
        _: args::SessionSearch,
    ) -> Result<answers::SessionsFound, Failure> {
        self.refused("session_search")
    }

    fn workspace_list(&self, _: &Caller) -> Result<answers::Workspaces, Failure> {
        self.refused("workspace_list")
    }

    fn read_file(&self, _: &Caller, args: args::ReadFile) -> Result<answers::FileText, Failure> {
        let path = args.path.clone();
        self.told("read_file", &path, || files::read(&self.files()?, args))
    }

    fn list_files(
        &self,
        _: &Caller,
        args: args::ListFiles,
        watch: &dyn Watch,
    ) -> Result<answers::Files, Failure> {
        let what = two(args.path.as_deref(), args.glob.as_deref());
        self.told("list_files", &what, || {
            files::list(&self.files()?, args, watch)
        })
    }

    fn search_text(
        &self,
        _: &Caller,
        args: args::SearchText,
        watch: &dyn Watch,
    ) -> Result<answers::TextFound, Failure> {
        let what = two(Some(&args.query), args.path.as_deref());
        self.told("search_text", &what, || {
            files::search(&self.files()?, args, watch)
        })
    }

    fn taffrail_docs(&self, _: &Caller, _: args::TaffrailDocs) -> Result<answers::Docs, Failure> {
        self.refused("taffrail_docs")
    }
}

/// Two arguments on one line.
fn two(first: Option<&str>, second: Option<&str>) -> String {
    let parts: Vec<&str> = first.into_iter().chain(second).collect();
    parts.join(" in ")
}
