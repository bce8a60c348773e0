//! Workspaces listed, shown, made and archived; what of one there is to review.

use taffrail_domain::{MemoryId, ProjectId, ProposalId, WorkspaceId, WorkspaceStatus};
use taffrail_memory::draft::Scope;
use taffrail_store::{CandidateRow, MemoryRow, ProposalFilter, ProposalRow, Whose, WorkspaceRow};

use super::SeedFacts;
use crate::memory::write::{Owner, scope};
use crate::memory::{gate, queue};
use crate::{App, AppError};

/// A workspace with the name of its project.
#[derive(Debug, Clone)]
pub struct WorkspaceView {
    /// The workspace.
    pub row: WorkspaceRow,
    /// The name of its project; none for a personal one.
    pub project: Option<String>,
}

/// A workspace with all that it holds.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The workspace.
    pub workspace: WorkspaceView,
    /// Its proposals, oldest first.
    pub proposals: Vec<ProposalView>,
}

/// A proposal with its candidates.
#[derive(Debug, Clone)]
pub struct ProposalView {
    /// The proposal.
    pub row: ProposalRow,
    /// The name of its project; none for a personal one.
    pub project: Option<String>,
    /// Its candidates, in order.
    pub candidates: Vec<CandidateView>,
}

/// A candidate with what is known of its seed and its memory.
#[derive(Debug, Clone)]
pub struct CandidateView {
    /// The candidate.
    pub row: CandidateRow,
    /// What is known of the seed; none where the row holds something else.
    pub seed: Option<SeedFacts>,
    /// The memory; none for a blocked one, and for one that was erased.
    pub memory: Option<MemoryRow>,
}

/// What a person is to be shown, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewList {
    /// What it is of, for one line.
    pub of: String,
    /// The memories that wait, each once, oldest first.
    pub memories: Vec<MemoryId>,
}

/// The workspaces of an owner (none: all), oldest first; the archived ones only where they are asked for.
///
/// # Errors
/// `NotFound` for a project that is not there; what git and the store can give.
pub fn list(
    app: &App,
    owner: Option<Owner<'_>>,
    archived: bool,
) -> Result<Vec<WorkspaceView>, AppError> {
    let whose = queue::whose(app, owner)?;
    let rows = app.store.workspaces(&whose, archived)?;
    rows.into_iter().map(|row| view(app, row)).collect()
}

/// Makes a workspace.
///
/// # Errors
/// As for [`list`]; what the store can give for a title that is blank or too long.
pub fn create(app: &App, title: &str, owner: Owner<'_>) -> Result<WorkspaceView, AppError> {
    // Its title is text that agents are shown as a person's.
    gate::person_only(app)?;
    let project = match scope(app, owner)? {
        Scope::Project(id) => Some(id),
        Scope::Personal => None,
    };
    make(app, title, project)
}

pub(super) fn make(
    app: &App,
    title: &str,
    project: Option<ProjectId>,
) -> Result<WorkspaceView, AppError> {
    let title = app.redactor.clean(title.trim());
    let row = app
        .store
        .create_workspace(new_id(app)?, project.as_ref(), &title)?;
    view(app, row)
}

/// Archives a workspace, or with `undo` lets it take proposals again.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what the store can give.
pub fn archive(app: &App, typed: &str, undo: bool) -> Result<WorkspaceView, AppError> {
    let found = app.store.find_workspace(&Whose::All, typed)?;
    let status = match undo {
        true => WorkspaceStatus::Active,
        false => WorkspaceStatus::Archived,
    };
    view(app, app.store.set_workspace_status(&found.id, status)?)
}

/// A workspace with all that it holds.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what the store can give.
pub fn whole(app: &App, typed: &str) -> Result<Whole, AppError> {
    let workspace = view(app, app.store.find_workspace(&Whose::All, typed)?)?;
    let filter = ProposalFilter {
        workspace: Some(workspace.row.id),
        ..ProposalFilter::default()
    };
    let rows = all(app, filter)?.into_iter();
    Ok(Whole {
        workspace,
        proposals: rows
            .map(|row| proposal(app, row))
            .collect::<Result<_, _>>()?,
    })
}

/// What waits for a review in a workspace or a proposal, by its id; without one, in every workspace of the current project.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what git and the store can give.
pub fn to_review(app: &App, what: Option<&str>) -> Result<ReviewList, AppError> {
    let (of, rows) = match what {
        Some(typed) if typed.starts_with(ProposalId::PREFIX) => {
            let row = app.store.find_proposal(typed)?;
            (row.id.short(), vec![row])
        }
        Some(typed) => {
            let found = app.store.find_workspace(&Whose::All, typed)?;
            let filter = ProposalFilter {
                workspace: Some(found.id),
                waiting: true,
                ..ProposalFilter::default()
            };
            (found.id.short(), all(app, filter)?)
        }
        None => {
            let filter = ProposalFilter {
                whose: queue::whose(app, Some(Owner::Current))?,
                waiting: true,
                ..ProposalFilter::default()
            };
            ("every workspace here".to_owned(), all(app, filter)?)
        }
    };
    let waiting = rows.iter().flat_map(|row| &row.candidates);
    let mut memories: Vec<MemoryId> = Vec::new();
    for memory in waiting
        .filter(|one| one.waits())
        .filter_map(|one| one.memory)
    {
        if !memories.contains(&memory) {
            memories.push(memory);
        }
    }
    Ok(ReviewList { of, memories })
}

/// Every proposal of a filter, page by page.
pub(super) fn all(app: &App, mut filter: ProposalFilter) -> Result<Vec<ProposalRow>, AppError> {
    let mut rows = Vec::new();
    loop {
        let page = app.store.proposals(&filter)?;
        let Some(last) = page.last() else {
            return Ok(rows);
        };
        filter.after = Some(last.seq);
        rows.extend(page);
    }
}

pub(super) fn proposal(app: &App, row: ProposalRow) -> Result<ProposalView, AppError> {
    let candidates = row.candidates.iter().map(|candidate| {
        let memory = candidate
            .memory
            .map(|id| app.store.memory(&id))
            .transpose()?;
        Ok(CandidateView {
            seed: SeedFacts::read(&candidate.seed),
            memory,
            row: candidate.clone(),
        })
    });
    Ok(ProposalView {
        candidates: candidates.collect::<Result<_, AppError>>()?,
        project: project_name(app, row.project.as_ref())?,
        row,
    })
}

pub(super) fn view(app: &App, row: WorkspaceRow) -> Result<WorkspaceView, AppError> {
    Ok(WorkspaceView {
        project: project_name(app, row.project.as_ref())?,
        row,
    })
}

pub(super) fn project_name(
    app: &App,
    project: Option<&ProjectId>,
) -> Result<Option<String>, AppError> {
    let row = project.map(|id| app.store.project(id)).transpose()?;
    Ok(row.map(|row| row.name))
}

/// Whose rows a project's are.
pub(super) const fn whose(project: Option<ProjectId>) -> Whose {
    match project {
        Some(id) => Whose::Project(id),
        None => Whose::Personal,
    }
}

pub(super) fn new_id(app: &App) -> Result<WorkspaceId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    let now = app.inputs.clock.now().0.unsigned_abs();
    Ok(WorkspaceId::new(now, random))
}
