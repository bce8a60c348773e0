//! A host that does nothing but remember who asked what.

use std::sync::{Mutex, PoisonError};

use taffrail_mcp::answers::{
    Anchors, BlockedSeed, Client, DocFound, DocPage, Docs, FileText, Files, Match, Memory,
    MemoryProposed, MemoryRecalled, NotebookRead, NotebookSuggested, Origin, Proposal, Seed,
    SeedWritten, Session, SessionsFound, SlateClosed, SlateOpened, TextFound, Workspace,
    Workspaces,
};
use taffrail_mcp::{Caller, Failure, Host, Watch, args};

/// One call that reached the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub tool: &'static str,
    pub caller: Caller,
    /// The arguments as Rust shows them.
    pub args: String,
}

type Act = dyn Fn(&Seen, Option<&dyn Watch>) -> Result<(), Failure> + Send + Sync;

/// See the module.
pub struct Fake {
    seen: Mutex<Vec<Seen>>,
    act: Box<Act>,
    /// Whether answers have everything that may be left out.
    full: bool,
}

impl Default for Fake {
    fn default() -> Self {
        Self::with(|_, _| Ok(()))
    }
}

impl Fake {
    /// Does this in each call, before it answers.
    pub fn with(
        act: impl Fn(&Seen, Option<&dyn Watch>) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Self {
        Self {
            seen: Mutex::default(),
            act: Box::new(act),
            full: false,
        }
    }

    /// Answers with everything that may be left out.
    pub fn full() -> Self {
        Self {
            full: true,
            ..Self::default()
        }
    }

    /// What reached the host so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn note(
        &self,
        tool: &'static str,
        caller: &Caller,
        args: &dyn std::fmt::Debug,
        watch: Option<&dyn Watch>,
    ) -> Result<(), Failure> {
        let seen = Seen {
            tool,
            caller: caller.clone(),
            args: format!("{args:?}"),
        };
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(seen.clone());
        (self.act)(&seen, watch)
    }

    fn maybe<T>(&self, value: T) -> Option<T> {
        self.full.then_some(value)
    }

    fn many<T>(&self, value: T) -> Vec<T> {
        self.maybe(value).into_iter().collect()
    }

    fn seed(&self, text: String, kind: Option<String>) -> Seed {
        Seed {
            id: "seed-1".to_owned(),
            text,
            ts: WHEN.to_owned(),
            kind: kind.or_else(|| self.maybe("risk".to_owned())),
            origin: Origin {
                harness: "mcp-external".to_owned(),
                client: self.maybe(Client {
                    name: "test".to_owned(),
                    version: "1".to_owned(),
                }),
            },
            trust: "external-unverified",
        }
    }
}

const WHEN: &str = "2026-11-30T00:00:00Z";

impl Host for Fake {
    fn slate_open(&self, caller: &Caller, args: args::SlateOpen) -> Result<SlateOpened, Failure> {
        self.note("slate.open", caller, &args, None)?;
        let anchors = args.anchors.unwrap_or_default();
        Ok(SlateOpened {
            external_session_id: args.external_session_id,
            generation: 1,
            workspace_id: self.maybe("wsp_1".to_owned()),
            anchors: Anchors {
                root: anchors.root.unwrap_or_default(),
                touched: anchors.touched,
                note: anchors.note.or_else(|| self.maybe("note".to_owned())),
            },
            seeds: self.many(self.seed("text".to_owned(), None)),
            last_write_at: WHEN.to_owned(),
            note: self.maybe("note".to_owned()),
        })
    }

    fn slate_write_seed(
        &self,
        caller: &Caller,
        args: args::SlateWriteSeed,
    ) -> Result<SeedWritten, Failure> {
        self.note("slate.writeSeed", caller, &args, None)?;
        Ok(SeedWritten {
            seed: self.seed(args.text, args.kind),
            redacted: self.many("github-token".to_owned()),
            note: self.maybe("note".to_owned()),
        })
    }

    fn slate_close(&self, caller: &Caller, args: args::SlateClose) -> Result<SlateClosed, Failure> {
        self.note("slate.close", caller, &args, None)?;
        Ok(SlateClosed {
            external_session_id: args.external_session_id,
            closed: true,
            generation: 1,
            workspace_id: self.maybe("wsp_1".to_owned()),
            proposals: self.many(Proposal {
                id: "prp_1".to_owned(),
                kind: "risk".to_owned(),
                candidates: 1,
            }),
            unbound: false,
            blocked: self.many(BlockedSeed {
                seed: "seed-1".to_owned(),
                reason: "blank".to_owned(),
            }),
        })
    }

    fn memory_recall(
        &self,
        caller: &Caller,
        args: args::MemoryRecall,
    ) -> Result<MemoryRecalled, Failure> {
        self.note("memory_recall", caller, &args, None)?;
        Ok(MemoryRecalled {
            memories: self.many(Memory {
                id: "mem_1".to_owned(),
                r#type: "decision".to_owned(),
                grade: "approved".to_owned(),
                summary: "summary".to_owned(),
                content: "content".to_owned(),
                created: WHEN.to_owned(),
                scope: "project",
                score: 0.5,
                open: true,
            }),
            trace: self.maybe("trc_1".to_owned()),
            note: self.maybe("note".to_owned()),
        })
    }

    fn memory_propose(
        &self,
        caller: &Caller,
        args: args::MemoryPropose,
    ) -> Result<MemoryProposed, Failure> {
        self.note("memory_propose", caller, &args, None)?;
        Ok(MemoryProposed {
            id: "mem_1".to_owned(),
            outcome: "new",
            status: "pending".to_owned(),
        })
    }

    fn notebook_read(&self, caller: &Caller) -> Result<NotebookRead, Failure> {
        self.note("notebook_read", caller, &(), None)?;
        Ok(NotebookRead {
            project: self.maybe("project".to_owned()),
            content: String::new(),
            version: 0,
            note: self.maybe("note".to_owned()),
        })
    }

    fn notebook_suggest(
        &self,
        caller: &Caller,
        args: args::NotebookSuggest,
    ) -> Result<NotebookSuggested, Failure> {
        self.note("notebook_suggest", caller, &args, None)?;
        Ok(NotebookSuggested {
            id: "sug_1".to_owned(),
            status: "waiting",
        })
    }

    fn session_search(
        &self,
        caller: &Caller,
        args: args::SessionSearch,
    ) -> Result<SessionsFound, Failure> {
        self.note("session_search", caller, &args, None)?;
        Ok(SessionsFound {
            sessions: self.many(Session {
                id: "run_1".to_owned(),
                name: "name".to_owned(),
                kind: "box".to_owned(),
                agent: Some("gemini".to_owned()),
                command: "gemini".to_owned(),
                status: "done".to_owned(),
                started: WHEN.to_owned(),
                files: vec!["src/lib.rs".to_owned()],
                files_truncated: true,
            }),
            truncated: false,
        })
    }

    fn workspace_list(&self, caller: &Caller) -> Result<Workspaces, Failure> {
        self.note("workspace_list", caller, &(), None)?;
        Ok(Workspaces {
            workspaces: self.many(Workspace {
                id: "wsp_1".to_owned(),
                title: "title".to_owned(),
                status: "active".to_owned(),
                waiting: 3,
            }),
            truncated: false,
        })
    }

    fn read_file(&self, caller: &Caller, args: args::ReadFile) -> Result<FileText, Failure> {
        self.note("read_file", caller, &args, None)?;
        Ok(FileText {
            path: args.path,
            content: String::new(),
            line: 1,
            lines: 0,
            total_lines: 0,
            truncated: false,
        })
    }

    fn list_files(
        &self,
        caller: &Caller,
        args: args::ListFiles,
        watch: &dyn Watch,
    ) -> Result<Files, Failure> {
        self.note("list_files", caller, &args, Some(watch))?;
        Ok(Files {
            files: self.many("src/lib.rs".to_owned()),
            truncated: false,
        })
    }

    fn search_text(
        &self,
        caller: &Caller,
        args: args::SearchText,
        watch: &dyn Watch,
    ) -> Result<TextFound, Failure> {
        self.note("search_text", caller, &args, Some(watch))?;
        Ok(TextFound {
            matches: self.many(Match {
                path: "src/lib.rs".to_owned(),
                line: 1,
                text: "text".to_owned(),
            }),
            files: 1,
            truncated: false,
        })
    }

    fn taffrail_docs(&self, caller: &Caller, args: args::TaffrailDocs) -> Result<Docs, Failure> {
        self.note("taffrail_docs", caller, &args, None)?;
        Ok(Docs {
            pages: self.many(DocPage {
                name: "slates".to_owned(),
                title: "Slates".to_owned(),
            }),
            content: self.maybe("content".to_owned()),
            found: self.many(DocFound {
                page: "slates".to_owned(),
                heading: "Slates".to_owned(),
                text: "text".to_owned(),
            }),
        })
    }
}
