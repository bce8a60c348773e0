//! The application behind the MCP server: each tool is one use case of this crate (MCP-01, REC-10).
//!
//! Nothing is opened before the first call that needs it: a client that only asks what there is costs no database.

pub(crate) mod files;
mod memories;
mod records;
mod slates;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use taffrail_domain::{ErrorCode, ProjectId};
use taffrail_mcp::{Caller, Failure, Host, Watch, answers, args};
use taffrail_slate::external::{Client, Origin};
use taffrail_store::{ProjectRow, StoreError};
use taffrail_tools::ProjectFiles;

use crate::secrets;
use crate::slates::{Desk, Place};
use crate::{App, AppError, AppInputs, projects};

/// One server's application: opened at the first call, and anew where what it stands on is gone.
pub struct Server {
    inputs: AppInputs,
    opened: Mutex<Option<Arc<Opened>>>,
    /// The place of secrets that the process has open already, so that nobody is asked for a passphrase again.
    places: Option<secrets::Opened>,
    /// By which surface the seeds come in.
    harness: String,
}

impl Server {
    /// A server over the project of the inputs' working directory. Nothing is opened yet.
    pub fn new(inputs: AppInputs) -> Self {
        Self {
            inputs,
            opened: Mutex::default(),
            places: None,
            harness: Origin::MCP.to_owned(),
        }
    }

    /// A server in the process of a run, beside its own application: what the agent of the run sends comes from `harness`.
    pub(crate) fn of_run(app: &App, harness: String) -> Self {
        let mut inputs = app.inputs.clone();
        // The terminal is the run's.
        inputs.ask = Arc::new(secrets::Nobody);
        Self {
            inputs,
            opened: Mutex::default(),
            places: Some(app.places.share()),
            harness,
        }
    }

    fn files(&self) -> Result<ProjectFiles, Failure> {
        self.app().map_err(failure)?.files()
    }

    /// The open application. A home that could not be opened is tried again by the next call. One whose database was taken
    /// away or replaced, or whose project was erased, is opened anew: an answer must not tell of what is on no record.
    pub(crate) fn app(&self) -> Result<Arc<Opened>, AppError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = opened.as_ref()
            && before.stands()?
        {
            return Ok(Arc::clone(before));
        }
        let mut app = App::open(self.inputs.clone())?;
        if let Some(places) = &self.places {
            app.places = places.share();
        }
        let new = Opened {
            app,
            project: OnceLock::new(),
            desk: OnceLock::new(),
            root: OnceLock::new(),
        };
        Ok(Arc::clone(opened.insert(Arc::new(new))))
    }
}

/// The application, and what was found out about its working directory.
pub(crate) struct Opened {
    app: App,
    project: OnceLock<ProjectId>,
    desk: OnceLock<Desk>,
    root: OnceLock<PathBuf>,
}

impl Deref for Opened {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl Opened {
    /// Whether the database is the file that its path names, and the projects that are known are on record there.
    fn stands(&self) -> Result<bool, AppError> {
        if !self.store.is_in_place() {
            return Ok(false);
        }
        let of_desk = self.desk.get().and_then(|desk| desk.place().project);
        for id in self.project.get().copied().into_iter().chain(of_desk) {
            match self.store.project(&id) {
                Ok(_) => {}
                Err(StoreError::NotFound { .. }) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// The slates of this server's project.
    pub(crate) fn desk(&self) -> Result<&Desk, AppError> {
        if let Some(desk) = self.desk.get() {
            return Ok(desk);
        }
        let place = Place::find_or_make(&self.app)?;
        Ok(self.desk.get_or_init(|| Desk::at(&self.app, place)))
    }

    /// The project that memories and notebooks are looked up for; it is not made here. Git is asked until there is one.
    fn known_project(&self) -> Result<Option<ProjectRow>, AppError> {
        if let Some(known) = self.project.get() {
            return Ok(Some(self.store.project(known)?));
        }
        let found = self.current_project()?;
        if let Some(row) = &found {
            self.project.get_or_init(|| row.id);
        }
        Ok(found)
    }

    /// The files that may be read: of the project's work tree, else of the working directory. Opened at each call: a folder
    /// that was deleted and cloned again is another one.
    fn files(&self) -> Result<ProjectFiles, Failure> {
        self.files_of(self.root().map_err(failure)?)
    }

    /// The files below a folder, what is managed left out.
    pub(crate) fn files_of(&self, root: &Path) -> Result<ProjectFiles, Failure> {
        let managed = secrets::managed(&self.app).map_err(failure)?;
        ProjectFiles::open(root, &managed).map_err(files::refused)
    }

    /// Git is asked once.
    fn root(&self) -> Result<&Path, AppError> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let cwd = &self.inputs.cwd;
        let tree = taffrail_gitbox::work_tree(self.git(), cwd)?;
        // Programs without a project of their own start servers in the home folder or in `/`.
        let mut places = tree.map(|tree| tree.root).into_iter().chain([cwd.clone()]);
        let root = places.find(|place| !projects::holds_a_home(self, place));
        let root = root.ok_or_else(|| AppError::ProjectFolder {
            path: cwd.clone(),
            why: "holds a home folder: its files are no project's",
        })?;
        Ok(self.root.get_or_init(|| root))
    }
}

/// What a use case ended with, as a tool says it.
#[allow(clippy::needless_pass_by_value)] // the shape of `map_err`
pub(crate) fn failure(error: AppError) -> Failure {
    // The other hints are for people, who have a shell.
    let hint = match error.code() {
        ErrorCode::WorkspaceNotFound | ErrorCode::WorkspaceArchived => Some(
            "workspace_list names those that take proposals; none needs to be named".to_owned(),
        ),
        _ => None,
    };
    Failure {
        code: error.code(),
        message: error.to_string(),
        hint,
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
        files::read(&self.files()?, args)
    }

    fn list_files(
        &self,
        _: &Caller,
        args: args::ListFiles,
        watch: &dyn Watch,
    ) -> Result<answers::Files, Failure> {
        files::list(&self.files()?, args, watch)
    }

    fn search_text(
        &self,
        _: &Caller,
        args: args::SearchText,
        watch: &dyn Watch,
    ) -> Result<answers::TextFound, Failure> {
        files::search(&self.files()?, args, watch)
    }

    fn taffrail_docs(
        &self,
        _: &Caller,
        args: args::TaffrailDocs,
    ) -> Result<answers::Docs, Failure> {
        records::docs(&args)
    }
}
