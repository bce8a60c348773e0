//! A home with a project, for the tests of workspaces and of what came of slates.

use taffrail_domain::{MemoryId, ProjectId, WorkspaceId};
use taffrail_memory::journal::Verifier;
use taffrail_store::{
    Closure, Home, MemoryFilter, ProposalFilter, ProposalRow, Store, StoreError, UnboundRow,
    WorkspaceRow,
};

use super::memory::project;
use super::seeds::{close, closing, workspace_id};
use super::{clean, home_in, open};

pub struct Harbour {
    _dir: tempfile::TempDir,
    pub home: Home,
    pub store: Store,
    pub project: ProjectId,
}

pub fn harbour() -> Harbour {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let project = project(&store, "harbour", "/harbour").id;
    Harbour {
        _dir: dir,
        home,
        store,
        project,
    }
}

impl Harbour {
    pub fn workspace(&self, title: &str) -> WorkspaceRow {
        let (id, title) = (workspace_id(), clean(title));
        self.store
            .create_workspace(id, Some(&self.project), &title)
            .unwrap()
    }

    pub fn bound(&self, id: &str, generation: u32, to: WorkspaceId, texts: &[&str]) -> Closure {
        let new = closing(Some(self.project), id, generation, Some(to), texts);
        close(&self.store, new)
    }

    pub fn unbound(&self, id: &str, texts: &[&str]) -> UnboundRow {
        let made = close(&self.store, closing(Some(self.project), id, 1, None, texts));
        let id = made.unbound.unwrap();
        self.store.find_unbound(&id.short()).unwrap()
    }

    pub fn memories(&self) -> Vec<MemoryId> {
        let page = self.store.memories(&MemoryFilter::default());
        page.unwrap().rows.iter().map(|row| row.id).collect()
    }

    pub fn kinds(&self) -> Vec<String> {
        let entries = self.store.journal_entries(1, 10_000).unwrap();
        entries.into_iter().map(|entry| entry.kind).collect()
    }

    pub fn journal_holds(&self) {
        let mut verifier = Verifier::new(&[]);
        for entry in self.store.journal_entries(1, 10_000).unwrap() {
            verifier.push(&entry.seen());
        }
        verifier.finish().unwrap();
    }

    pub fn all(&self) -> Vec<ProposalRow> {
        self.store.proposals(&ProposalFilter::default()).unwrap()
    }
}

pub fn missing<T: std::fmt::Debug>(result: Result<T, StoreError>) -> &'static str {
    match result {
        Err(StoreError::NotFound { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}
