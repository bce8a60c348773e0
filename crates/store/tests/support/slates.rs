//! A home with slates as files and rows, as the calls of a server leave them.
#![allow(clippy::disallowed_methods)] // Looks at files from outside.

use std::fs;
use std::path::{Path, PathBuf};

use taffrail_domain::{Channel, CloseTrigger, MemoryId, Millis, ProjectId, WorkspaceId};
use taffrail_memory::draft::{Draft, Scope, of_slate};
use taffrail_slate::external::{Anchors, Origin, Seed, Slate};
use taffrail_store::{
    Closure, Home, Live, NewCandidate, NewClosure, NewMemory, NewOutcome, NewUnbound, PurgeScope,
    Purged, SlateFolder, Store,
};

use super::memory::{memory_id, project, random, screened};
use super::seeds::{close, closing, external, proposal, unbound_id, workspace_id};
use super::{clean, home_in, open};

pub const NOW: Millis = Millis(1_785_594_605_999);
/// In no byte of the home after a purge.
pub const SENTINEL: &str = "zyxsentinelqv";

pub struct Slates {
    pub dir: tempfile::TempDir,
    pub home: Home,
    pub store: Store,
    pub project: ProjectId,
    pub workspace: WorkspaceId,
}

pub fn slates() -> Slates {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let project = project(&store, "harbour", "/harbour").id;
    let title = clean("the ferry");
    let workspace = store.create_workspace(workspace_id(), Some(&project), &title);
    Slates {
        dir,
        home,
        project,
        workspace: workspace.unwrap().id,
        store,
    }
}

pub fn seed(text: &str) -> Seed {
    let origin = Origin {
        harness: Origin::MCP.to_owned(),
        client: None,
    };
    Seed::new(random(), clean(text), NOW, None, origin)
}

impl Slates {
    pub fn folder(&self, project: Option<&ProjectId>) -> SlateFolder {
        SlateFolder::new(&self.home, project)
    }

    /// An open slate with these seeds.
    pub fn open(&self, project: Option<&ProjectId>, id: &str, texts: &[&str]) -> Slate {
        let mut slate = Slate::new(&external(id), 1, Anchors::default(), NOW);
        for text in texts {
            slate.add(seed(text)).unwrap();
        }
        let folder = self.folder(project);
        folder.lock(&external(id)).unwrap().create(&slate).unwrap();
        slate
    }

    /// The row of its close.
    pub fn row(
        &self,
        project: Option<&ProjectId>,
        slate: &Slate,
        to: Option<WorkspaceId>,
    ) -> Closure {
        let candidates = slate
            .seeds()
            .iter()
            .map(|seed| self.candidate(project, slate.id(), seed));
        let seeds = NewUnbound {
            id: unbound_id(),
            seeds: clean(&serde_json::to_string(slate.seeds()).unwrap()),
        };
        let outcome = match to {
            Some(_) => NewOutcome::Proposals {
                proposals: vec![proposal(candidates.collect())],
                otherwise: seeds,
            },
            None => NewOutcome::Unbound(seeds),
        };
        let new = closing(project.copied(), slate.id(), slate.generation, to, &[]);
        close(
            &self.store,
            NewClosure {
                seeds: slate.seeds().len() as u64,
                outcome,
                ..new
            },
        )
    }

    pub fn candidate(&self, project: Option<&ProjectId>, id: &str, seed: &Seed) -> NewCandidate {
        let scope = project.copied().map_or(Scope::Personal, Scope::Project);
        let (kind, _) = of_slate(Some("decision"));
        let mut draft = Draft::new(scope, kind, seed.text().to_owned(), Channel::External);
        draft.source.task = Some(id.to_owned());
        draft.is_redacted = true;
        let facts = serde_json::json!({"id": seed.id, "hash": seed.hash()});
        NewCandidate {
            seed: clean(&facts.to_string()),
            memory: Ok(NewMemory {
                draft: screened(draft),
                id: memory_id(),
                salt: random(),
            }),
        }
    }

    /// Closed as a call closes it: the row, the mark, the move.
    pub fn closed(
        &self,
        project: Option<&ProjectId>,
        id: &str,
        texts: &[&str],
        to: Option<WorkspaceId>,
    ) -> Closure {
        let mut slate = self.open(project, id, texts);
        let row = self.row(project, &slate, to);
        slate.close(CloseTrigger::Close, NOW);
        let folder = self.folder(project);
        let held = folder.lock(&external(id)).unwrap();
        held.put(&slate).unwrap();
        held.retire(&slate).unwrap();
        row
    }

    pub fn live(&self, id: &str) -> Live {
        let folder = self.folder(Some(&self.project));
        folder.lock(&external(id)).unwrap().read().unwrap()
    }

    pub fn memory_of(&self, row: &Closure, at: usize) -> MemoryId {
        let id = row.proposals[0].id.short();
        self.store.find_proposal(&id).unwrap().candidates[at]
            .memory
            .unwrap()
    }

    pub fn purge(&self, scope: PurgeScope) -> Purged {
        let planned = self.store.purge_plan(scope).unwrap();
        let purged = self.store.purge(&self.home, scope, true).unwrap();
        assert_eq!(planned, purged.counts);
        assert!(purged.log_is_cut);
        purged
    }

    pub fn holding(&self, text: &str) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(text.len()).any(|at| at == text.as_bytes())
        };
        files_below(self.home.root())
            .into_iter()
            .filter(holds)
            .collect()
    }
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else if !path.to_string_lossy().ends_with("-shm") {
            found.push(path);
        }
    }
    found.sort();
    found
}
