//! The application behind the MCP server: each tool is one use case of this crate (MCP-01, REC-10).
//!
//! Nothing is opened before the first call that needs it: a client that only asks what there is costs no database.

mod files;
mod memories;
mod records;
mod slates;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use taffrail_domain::{ErrorCode, ProjectId};
use taffrail_mcp::{Caller, Failure, Host, Watch, answers, args};
use taffrail_slate::external::Client;
use taffrail_store::ProjectRow;
use taffrail_tools::ProjectFiles;

use crate::secrets::key_file;
use crate::slates::{Desk, Place};
use crate::{App, AppError, AppInputs};

/// One server's application: opened at the first call.
pub struct Server {
    inputs: Mutex<Option<AppInputs>>,
    app: OnceLock<App>,
    project: OnceLock<ProjectId>,
    desk: OnceLock<Desk>,
    root: OnceLock<PathBuf>,
}

impl Server {
    /// A server over the project of the inputs' working directory. Nothing is opened yet.
    pub fn new(inputs: AppInputs) -> Self {
        Self {
            inputs: Mutex::new(Some(inputs)),
            app: OnceLock::new(),
            project: OnceLock::new(),
            desk: OnceLock::new(),
            root: OnceLock::new(),
        }
    }

    /// The open application. A home that could not be opened is tried again by the next call.
    fn app(&self) -> Result<&App, AppError> {
        if let Some(app) = self.app.get() {
            return Ok(app);
        }
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        if self.app.get().is_none()
            && let Some(given) = inputs.as_ref()
        {
            let app = App::open(given.clone())?;
            drop(self.app.set(app));
            *inputs = None;
        }
        self.app.get().ok_or(AppError::Interrupted)
    }

    /// The slates of this server's project.
    fn desk(&self, app: &App) -> Result<&Desk, AppError> {
        if let Some(desk) = self.desk.get() {
            return Ok(desk);
        }
        let place = Place::find_or_make(app)?;
        Ok(self.desk.get_or_init(|| Desk::at(app, place)))
    }

    /// The project that memories and notebooks are looked up for; it is not made here. Git is asked until there is one.
    fn project(&self, app: &App) -> Result<Option<ProjectRow>, AppError> {
        if let Some(known) = self.project.get() {
            return Ok(Some(app.store.project(known)?));
        }
        let found = app.current_project()?;
        if let Some(row) = &found {
            self.project.get_or_init(|| row.id);
        }
        Ok(found)
    }

    /// The files that may be read: of the project's work tree, else of the working directory. Opened at each call: a folder
    /// that was deleted and cloned again is another one.
    fn files(&self, app: &App) -> Result<ProjectFiles, Failure> {
        let root = self.root(app).map_err(failure)?;
        let key_file = key_file(app).map_err(failure)?;
        let managed: Vec<PathBuf> = std::iter::once(app.home.root().to_owned())
            .chain(key_file)
            .collect();
        ProjectFiles::open(root, &managed).map_err(files::refused)
    }

    /// Git is asked once.
    fn root(&self, app: &App) -> Result<&Path, AppError> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let cwd = &app.inputs.cwd;
        let tree = taffrail_gitbox::work_tree(app.git(), cwd)?;
        let root = tree.map_or_else(|| cwd.clone(), |tree| tree.root);
        Ok(self.root.get_or_init(|| root))
    }
}

/// What a use case ended with, as a tool says it.
#[allow(clippy::needless_pass_by_value)] // the shape of `map_err`
fn failure(error: AppError) -> Failure {
    Failure {
        code: error.code(),
        message: error.to_string(),
        hint: None,
    }
}

fn unfit(message: String) -> Failure {
    Failure {
        code: ErrorCode::ToolArgument,
        message,
        hint: None,
    }
}

/// The program at the other end, as a row keeps it: its own words, masked.
fn client(app: &App, caller: &Caller) -> Option<Client> {
    let named = caller.client.as_ref()?;
    Some(Client::masked(&named.name, &named.version, &app.redactor))
}

/// The secret that a client over HTTP has to know: 256 bits, new at each start (WEB-02).
///
/// # Errors
/// `Random`.
pub fn token() -> Result<[u8; 32], AppError> {
    crate::context::random()
}

impl Host for Server {
    fn slate_open(
        &self,
        _: &Caller,
        args: args::SlateOpen,
    ) -> Result<answers::SlateOpened, Failure> {
        slates::open(self, &args).map_err(failure)
    }

    fn slate_write_seed(
        &self,
        caller: &Caller,
        args: args::SlateWriteSeed,
    ) -> Result<answers::SeedWritten, Failure> {
        slates::write_seed(self, caller, &args).map_err(failure)
    }

    fn slate_close(
        &self,
        _: &Caller,
        args: args::SlateClose,
    ) -> Result<answers::SlateClosed, Failure> {
        slates::close(self, &args).map_err(failure)
    }

    fn memory_recall(
        &self,
        _: &Caller,
        args: args::MemoryRecall,
    ) -> Result<answers::MemoryRecalled, Failure> {
        memories::recall(self, &args)
    }

    fn memory_propose(
        &self,
        caller: &Caller,
        args: args::MemoryPropose,
    ) -> Result<answers::MemoryProposed, Failure> {
        memories::propose(self, caller, args)
    }

    fn notebook_read(&self, _: &Caller) -> Result<answers::NotebookRead, Failure> {
        records::notebook(self).map_err(failure)
    }

    fn notebook_suggest(
        &self,
        caller: &Caller,
        args: args::NotebookSuggest,
    ) -> Result<answers::NotebookSuggested, Failure> {
        records::suggest(self, caller, &args).map_err(failure)
    }

    fn session_search(
        &self,
        _: &Caller,
        args: args::SessionSearch,
    ) -> Result<answers::SessionsFound, Failure> {
        records::sessions(self, &args).map_err(failure)
    }

    fn workspace_list(&self, _: &Caller) -> Result<answers::Workspaces, Failure> {
        records::workspaces(self).map_err(failure)
    }

    fn read_file(&self, _: &Caller, args: args::ReadFile) -> Result<answers::FileText, Failure> {
        files::read(self, args)
    }

    fn list_files(
        &self,
        _: &Caller,
        args: args::ListFiles,
        watch: &dyn Watch,
    ) -> Result<answers::Files, Failure> {
        files::list(self, args, watch)
    }

    fn search_text(
        &self,
        _: &Caller,
        args: args::SearchText,
        watch: &dyn Watch,
    ) -> Result<answers::TextFound, Failure> {
        files::search(self, args, watch)
    }

    fn taffrail_docs(
        &self,
        _: &Caller,
        args: args::TaffrailDocs,
    ) -> Result<answers::Docs, Failure> {
        records::docs(&args)
    }
}
