//! XSL-06, XSL-09, XSL-12, XSL-15: workspaces, what comes of closed slates, and what waits for a person.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use std::path::{Path, PathBuf};

use support::memory::{confirm, project, random, said};
use support::seeds::{
    candidate, close, closing, external, proposal, proposal_id, proposals, refused, seed_id,
    seeds_json, unbound_id, workspace_id,
};
use support::{clean, home_in, open};
use taffrail_domain::{
    Channel, CloseTrigger, MemoryId, MemoryStatus, ProjectId, SeedKind, Shelf, UnboundState,
    WorkspaceId, WorkspaceStatus,
};
use taffrail_memory::draft::Scope;
use taffrail_memory::journal::Verifier;
use taffrail_store::{
    CandidateOutcome, Closure, NewClosure, NewConnection, NewOutcome, NewProposal, ProposalFilter,
    ResolvedWorkspace, Store, StoreError, UnboundRow, Whose, WorkspaceRow,
};

struct World {
    _dir: tempfile::TempDir,
    store: Store,
    project: ProjectId,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&home_in(&dir));
    let project = project(&store, "harbour", "/harbour").id;
    World {
        _dir: dir,
        store,
        project,
    }
}

impl World {
    fn workspace(&self, title: &str) -> WorkspaceRow {
        let (id, title) = (workspace_id(), clean(title));
        self.store
            .create_workspace(id, Some(&self.project), &title)
            .unwrap()
    }

    fn bound(&self, id: &str, generation: u32, to: WorkspaceId, texts: &[&str]) -> Closure {
        let new = closing(Some(self.project), id, generation, Some(to), texts);
        close(&self.store, new)
    }

    fn unbound(&self, id: &str, texts: &[&str]) -> UnboundRow {
        let made = close(&self.store, closing(Some(self.project), id, 1, None, texts));
        let id = made.unbound.unwrap();
        self.store.find_unbound(&id.short()).unwrap()
    }

    fn memories(&self) -> Vec<MemoryId> {
        let page = self
            .store
            .memories(&taffrail_store::MemoryFilter::default());
        page.unwrap().rows.iter().map(|row| row.id).collect()
    }

    fn kinds(&self) -> Vec<String> {
        let entries = self.store.journal_entries(1, 10_000).unwrap();
        entries.into_iter().map(|entry| entry.kind).collect()
    }

    fn journal_holds(&self) {
        let mut verifier = Verifier::new(&[]);
        for entry in self.store.journal_entries(1, 10_000).unwrap() {
            verifier.push(&entry.seen());
        }
        verifier.finish().unwrap();
    }

    fn all(&self) -> Vec<taffrail_store::ProposalRow> {
        self.store.proposals(&ProposalFilter::default()).unwrap()
    }
}

fn missing<T: std::fmt::Debug>(result: Result<T, StoreError>) -> &'static str {
    match result {
        Err(StoreError::NotFound { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn xsl_06_one_active_workspace_is_found_none_is_made_and_several_are_nobodys() {
    let world = world();
    let (store, whose) = (&world.store, Some(&world.project));
    let resolve = |title: &str| {
        let title = clean(title);
        store.resolve_workspace(whose, workspace_id(), &title)
    };
    let ResolvedWorkspace::Made(made) = resolve("  the\tferry\n at  night ").unwrap() else {
        panic!("none was active");
    };
    assert_eq!(made.title, "the ferry at night");
    assert_eq!(
        (made.project, made.status),
        (Some(world.project), WorkspaceStatus::Active)
    );
    assert_eq!(
        resolve("else").unwrap(),
        ResolvedWorkspace::One(made.clone())
    );
    world.workspace("another");
    assert_eq!(resolve("else").unwrap(), ResolvedWorkspace::Several(2));
    store
        .set_workspace_status(&made.id, WorkspaceStatus::Archived)
        .unwrap();
    let ResolvedWorkspace::One(one) = resolve("else").unwrap() else {
        panic!("one is active");
    };
    assert_eq!(one.title, "another");
    // A project's are nothing to what is personal.
    let title = clean("mine");
    let personal = store.resolve_workspace(None, workspace_id(), &title);
    let ResolvedWorkspace::Made(personal) = personal.unwrap() else {
        panic!("there was no personal one");
    };
    assert_eq!(personal.project, None);
    assert_eq!(
        store.workspaces(&Whose::Personal, false).unwrap(),
        [personal]
    );
}

#[test]
fn xsl_06_sixteen_that_resolve_at_once_make_one_workspace() {
    for _ in 0..20 {
        let world = world();
        let barrier = std::sync::Barrier::new(16);
        let answers: Vec<ResolvedWorkspace> = std::thread::scope(|scope| {
            let ask = || {
                let title = clean("the ferry");
                barrier.wait();
                let whose = Some(&world.project);
                world.store.resolve_workspace(whose, workspace_id(), &title)
            };
            let asked: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
            asked
                .into_iter()
                .map(|one| one.join().unwrap().unwrap())
                .collect()
        });
        let all = world.store.workspaces(&Whose::All, true).unwrap();
        assert_eq!(all.len(), 1);
        let is_made = |one: &&ResolvedWorkspace| matches!(one, ResolvedWorkspace::Made(_));
        assert_eq!(answers.iter().filter(is_made).count(), 1);
        for answer in answers {
            let (ResolvedWorkspace::One(row) | ResolvedWorkspace::Made(row)) = answer else {
                panic!("{answer:?}");
            };
            assert_eq!(row.id, all[0].id);
        }
    }
}

#[test]
fn a_title_has_1_to_200_characters() {
    let world = world();
    let whose = Some(&world.project);
    let create = |title: &str| {
        let title = clean(title);
        world.store.create_workspace(workspace_id(), whose, &title)
    };
    for (title, characters) in [("", 0), (" \n", 0), (&*"ä".repeat(201), 201)] {
        let refused = create(title).unwrap_err();
        let StoreError::TitleUnfit { characters: found } = refused else {
            panic!("{refused}");
        };
        assert_eq!(found, characters);
    }
    assert_eq!(create(&"ä".repeat(200)).unwrap().title.chars().count(), 200);
    world
        .store
        .set_workspace_status(
            &world.store.workspaces(&Whose::All, false).unwrap()[0].id,
            WorkspaceStatus::Archived,
        )
        .unwrap();
    // A stranger's hint cannot be refused: it is made to fit.
    let long = clean(&"word ".repeat(100));
    let made = world.store.resolve_workspace(whose, workspace_id(), &long);
    let ResolvedWorkspace::Made(made) = made.unwrap() else {
        panic!("none was active");
    };
    assert_eq!(made.title.chars().count(), 199);
    assert!(made.title.ends_with("word"));
}

#[test]
fn workspaces_are_found_by_id_and_by_title_and_only_where_they_are_looked_for() {
    let world = world();
    let store = &world.store;
    let (ferry, night) = (world.workspace("the ferry"), world.workspace("the night"));
    let here = Whose::Project(world.project);
    assert_eq!(
        store.workspaces(&here, false).unwrap(),
        [ferry.clone(), night.clone()]
    );
    assert_eq!(
        store.find_workspace(&here, &ferry.id.short()).unwrap(),
        ferry
    );
    assert_eq!(
        store.find_workspace(&Whose::All, "the night").unwrap(),
        night
    );
    let two = store.find_workspace(&here, "wsp_").unwrap_err();
    let StoreError::Ambiguous { candidates, .. } = two else {
        panic!("{two}");
    };
    assert_eq!(candidates, [ferry.id.short(), night.id.short()]);
    for (whose, typed) in [
        (&here, "the"),
        (&here, ""),
        (&Whose::Personal, "the ferry"),
        (&Whose::Personal, &*ferry.id.short()),
        (&here, "wsp_*"),
    ] {
        assert_eq!(
            missing(store.find_workspace(whose, typed)),
            "workspace",
            "{typed}"
        );
    }
    let nowhere = ProjectId::new(0, random());
    let found = store.find_workspace(&Whose::Project(nowhere), "the ferry");
    assert_eq!(missing(found), "project");
    assert_eq!(missing(store.workspace(&workspace_id())), "workspace");
    let again = clean("again");
    let taken = store.create_workspace(ferry.id, Some(&world.project), &again);
    assert!(matches!(taken, Err(StoreError::IdTaken { .. })));
}

#[test]
fn an_archived_workspace_is_listed_on_request_and_can_be_taken_back() {
    let world = world();
    let store = &world.store;
    let row = world.workspace("the ferry");
    let set = |status| store.set_workspace_status(&row.id, status).unwrap();
    let archived = set(WorkspaceStatus::Archived);
    assert!(archived.archived_at.is_some());
    assert_eq!(set(WorkspaceStatus::Archived), archived);
    assert_eq!(store.workspaces(&Whose::All, false).unwrap(), []);
    assert_eq!(store.workspaces(&Whose::All, true).unwrap(), [archived]);
    assert_eq!(set(WorkspaceStatus::Active).status, WorkspaceStatus::Active);
    let changes = store.entries_of(&row.id.bytes()).unwrap();
    let facts: Vec<_> = changes.iter().map(|entry| entry.facts.as_str()).collect();
    let expected = ["made", "archived", "reopened"].map(|done| format!(r#"{{"done":"{done}"}}"#));
    assert_eq!(facts, expected);
    world.journal_holds();
}

#[test]
fn xsl_09_a_bound_slate_becomes_proposals_whose_memories_wait() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let kinds = [SeedKind::Decision, SeedKind::Risk];
    let mut new = closing(Some(world.project), "a", 1, Some(workspace.id), &["x"]);
    let of_kind = |kind, texts: [&str; 2]| NewProposal {
        kind,
        ..proposals(Some(world.project), "a#1", &texts).remove(0)
    };
    if let NewOutcome::Proposals { proposals, .. } = &mut new.outcome {
        *proposals = vec![
            of_kind(
                kinds[0],
                ["Ferries leave at nine.", "Ferries carry no cars."],
            ),
            of_kind(kinds[1], ["The quay may flood.", "The ramp may break."]),
            NewProposal {
                kind: SeedKind::FollowUp,
                ..proposal(Vec::new())
            },
        ];
    }
    new.seeds = 4;
    let made = close(&world.store, new);
    assert_eq!(
        (made.workspace, made.unbound, made.seeds),
        (Some(workspace.id), None, 4)
    );
    let counted: Vec<_> = made
        .proposals
        .iter()
        .map(|one| (one.kind, one.candidates))
        .collect();
    assert_eq!(counted, [(kinds[0], 2), (kinds[1], 2)]);
    let listed = world.all();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0].id, made.proposals[0].id);
    assert_eq!(
        (listed[0].external_id.as_str(), listed[0].generation),
        ("a", 1)
    );
    assert_eq!(listed[0].waiting(), 2);
    assert_eq!(
        (listed[0].title.as_str(), listed[0].project),
        ("the ferry", Some(world.project))
    );
    assert_eq!(listed[0].evidence.as_deref(), Some(r#"{"branch":"main"}"#));
    let row = world
        .store
        .memory(&listed[0].candidates[0].memory.unwrap())
        .unwrap();
    assert_eq!(row.text.content, "Ferries leave at nine.");
    assert_eq!(
        (row.status, row.shelf),
        (MemoryStatus::Pending, Shelf::Queue)
    );
    assert_eq!(
        (row.channel, row.slate_kind.as_deref()),
        (Channel::External, Some("decision"))
    );
    let seen = world.store.workspace(&workspace.id).unwrap();
    assert_eq!((seen.proposals, seen.waiting), (2, 4));
    // The same door as for every memory: it can be recalled as a candidate.
    let number = world.store.project(&world.project).unwrap().seq;
    assert_eq!(
        support::memory::recalled(&world.store, Some(number), "ferries leave nine")[0],
        row.seq
    );
    world.journal_holds();
}

#[test]
fn xsl_09_closing_again_answers_the_first_outcome_and_writes_nothing() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let first = world.bound("a", 1, workspace.id, &["Ferries leave at nine."]);
    let before = (world.memories(), world.kinds());
    let unbound = closing(Some(world.project), "a", 1, None, &["Something else."]);
    assert_eq!(close(&world.store, unbound), first);
    assert_eq!(
        world.bound("a", 1, workspace.id, &["Something else."]),
        first
    );
    assert_eq!((world.memories(), world.kinds()), before);
    assert_eq!(world.store.unbound(&Whose::All, None).unwrap(), []);
}

#[test]
fn xsl_09_a_workspace_that_takes_nothing_any_more_leaves_the_seeds_unbound() {
    let world = world();
    let archived = world.workspace("the ferry").id;
    let set = world
        .store
        .set_workspace_status(&archived, WorkspaceStatus::Archived);
    set.unwrap();
    let elsewhere = {
        let (other, title) = (project(&world.store, "other", "/other").id, clean("x"));
        let made = world
            .store
            .create_workspace(workspace_id(), Some(&other), &title);
        made.unwrap().id
    };
    for (id, workspace) in [("a", archived), ("b", elsewhere), ("c", workspace_id())] {
        let made = world.bound(id, 1, workspace, &["Ferries leave at nine."]);
        assert_eq!((made.workspace, made.proposals.len()), (None, 0), "{id}");
        let row = world
            .store
            .find_unbound(&made.unbound.unwrap().short())
            .unwrap();
        assert_eq!(row.seeds, seeds_json(&["Ferries leave at nine."]));
        assert_eq!(
            (row.state, row.external_id.as_str()),
            (UnboundState::Waiting, id)
        );
    }
    assert_eq!(world.memories(), []);
}

#[test]
fn xsl_09_a_slate_without_seeds_leaves_its_closure_and_nothing_to_review() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let nothing = NewClosure {
        outcome: NewOutcome::Nothing,
        ..closing(Some(world.project), "a", 1, Some(workspace.id), &[])
    };
    let made = close(&world.store, nothing);
    assert_eq!(
        (made.workspace, made.unbound, made.seeds),
        (Some(workspace.id), None, 0)
    );
    assert_eq!((made.proposals.len(), world.all().len()), (0, 0));
    assert_eq!(world.store.unbound(&Whose::All, None).unwrap(), []);
    assert_eq!(
        world
            .store
            .newest_closure(Some(&world.project), &external("a"))
            .unwrap(),
        Some(made)
    );
}

#[test]
fn xsl_09_what_the_guardrails_refuse_is_named_with_its_seed_and_the_rest_goes_on() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let mut new = closing(Some(world.project), "a", 1, Some(workspace.id), &["x"]);
    let told = candidate(Some(world.project), "a#1", 1, "Ferries leave at nine.");
    if let NewOutcome::Proposals { proposals, .. } = &mut new.outcome {
        *proposals = vec![proposal(vec![refused(0), told])];
    }
    let made = close(&world.store, new);
    assert_eq!(made.proposals[0].candidates, 1);
    assert_eq!(
        made.proposals[0].blocked,
        [(seed_id(0), "content is empty".to_owned())]
    );
    let candidates = &world.all()[0].candidates;
    let outcomes: Vec<_> = candidates.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [CandidateOutcome::Blocked, CandidateOutcome::New]);
    assert_eq!((candidates[0].memory, candidates[0].waits()), (None, false));
    let blocked = world
        .kinds()
        .iter()
        .filter(|kind| *kind == "memory_blocked")
        .count();
    assert_eq!(blocked, 1);
}

#[test]
fn mem_05_what_is_said_by_two_slates_is_one_memory_with_two_witnesses() {
    let world = world();
    let workspace = world.workspace("the ferry");
    world.bound(
        "a",
        1,
        workspace.id,
        &["Ferries leave at nine.", "Ferries leave at nine."],
    );
    world.bound("b", 1, workspace.id, &["Ferries leave at nine."]);
    let memories = world.memories();
    assert_eq!(memories.len(), 1);
    assert_eq!(world.store.memory(&memories[0]).unwrap().witnesses, 2);
    let outcomes: Vec<_> = world
        .all()
        .iter()
        .flat_map(|one| one.candidates.clone())
        .map(|one| one.outcome)
        .collect();
    let (new, repeat) = (CandidateOutcome::New, CandidateOutcome::Repeat);
    assert_eq!(outcomes, [new, repeat, repeat]);
    let seen = world.store.workspace(&workspace.id).unwrap();
    assert_eq!(
        (seen.proposals, seen.waiting),
        (2, 1),
        "a memory waits once"
    );
    let origins = world.store.seed_origins(&memories[0]).unwrap();
    let from: Vec<_> = origins.iter().map(|one| one.external_id.as_str()).collect();
    assert_eq!(from, ["a", "a", "b"]);
    assert!(origins[0].seed.contains("external-unverified"));
    assert_eq!(
        (origins[0].workspace, origins[0].title.as_str()),
        (workspace.id, "the ferry")
    );
    let other = said(
        &world.store,
        Scope::Personal,
        "I write dates as days first.",
    );
    assert_eq!(world.store.seed_origins(&other).unwrap(), []);
}

#[test]
fn xsl_10_near_duplicates_of_approved_memories_stand_beside_the_candidate() {
    let world = world();
    let scope = Scope::Project(world.project);
    let approved = said(
        &world.store,
        scope,
        "The evening ferries to the island leave at nine.",
    );
    confirm(&world.store, &[approved]);
    let workspace = world.workspace("the ferry");
    let text = "The evening ferries to the island leave at nine sharp.";
    world.bound("a", 1, workspace.id, &[text]);
    let memory = world.all()[0].candidates[0].memory.unwrap();
    let near = world.store.neighbours(&memory).unwrap();
    assert_eq!(
        near.iter().map(|one| one.memory).collect::<Vec<_>>(),
        [approved]
    );
}

#[test]
fn xsl_12_the_newest_generation_is_found_whatever_the_order_of_closing() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let whose = Some(&world.project);
    assert_eq!(
        world.store.newest_closure(whose, &external("a")).unwrap(),
        None
    );
    let third = world.bound("a", 3, workspace.id, &["Three."]);
    let first = world.bound("a", 1, workspace.id, &["One."]);
    // Another project's and a personal one of the same id are others.
    let personal = close(&world.store, closing(None, "a", 9, None, &["Mine."]));
    assert_eq!(
        world.store.newest_closure(whose, &external("a")).unwrap(),
        Some(third)
    );
    assert_eq!(
        world.store.closure_of(whose, &external("a"), 1).unwrap(),
        Some(first)
    );
    assert_eq!(
        world.store.closure_of(whose, &external("a"), 2).unwrap(),
        None
    );
    assert_eq!(
        world.store.newest_closure(whose, &external("A")).unwrap(),
        None
    );
    assert_eq!(
        world.store.newest_closure(None, &external("a")).unwrap(),
        Some(personal)
    );
}

#[test]
fn xsl_09_sixteen_threads_that_close_one_generation_leave_one_closure() {
    for round in 0..20 {
        let world = world();
        let workspace = world.workspace("the ferry");
        let barrier = std::sync::Barrier::new(16);
        let close_as = |at: usize| {
            let to = (at % 2 == 0).then_some(workspace.id);
            let text = format!("Ferry {at} leaves at nine.");
            let new = closing(Some(world.project), "a", 1, to, &[&text]);
            barrier.wait();
            close(&world.store, new)
        };
        let close_as = &close_as;
        let answers: Vec<Closure> = std::thread::scope(|scope| {
            let closing: Vec<_> = (0..16)
                .map(|at| scope.spawn(move || close_as(at)))
                .collect();
            closing.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|one| *one == answers[0]), "{round}");
        let closed = world
            .kinds()
            .iter()
            .filter(|kind| *kind == "slate_closed")
            .count();
        let outcomes = world.all().len() + world.store.unbound(&Whose::All, None).unwrap().len();
        assert_eq!((closed, outcomes), (1, 1));
        assert_eq!(world.memories().len(), world.all().len());
    }
}

#[test]
fn xsl_09_a_taken_id_leaves_nothing_behind() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let first = world.bound("a", 1, workspace.id, &["Ferries leave at nine."]);
    let mut new = closing(
        Some(world.project),
        "b",
        1,
        Some(workspace.id),
        &["Something else."],
    );
    if let NewOutcome::Proposals { proposals, .. } = &mut new.outcome {
        proposals[0].id = first.proposals[0].id;
    }
    let refused = world.store.close_slate(new).unwrap_err();
    assert!(matches!(refused, StoreError::IdTaken { .. }), "{refused}");
    assert_eq!(world.memories().len(), 1);
    let found = world
        .store
        .newest_closure(Some(&world.project), &external("b"));
    assert_eq!(found.unwrap(), None);
}

#[test]
fn xsl_09_a_person_binds_and_the_seeds_are_proposals_as_at_a_close() {
    let world = world();
    let workspace = world.workspace("the ferry");
    let row = world.unbound("a", &["Ferries leave at nine.", "Refused."]);
    assert_eq!((row.count, row.state), (2, UnboundState::Waiting));
    let told = candidate(Some(world.project), "a#1", 0, "Ferries leave at nine.");
    let made = vec![proposal(vec![told, refused(1)])];
    let bound = world
        .store
        .bind_unbound(&row.id, &workspace.id, made)
        .unwrap();
    assert_eq!(
        (bound.workspace, bound.unbound),
        (Some(workspace.id), Some(row.id))
    );
    assert_eq!(bound.proposals[0].candidates, 1);
    assert_eq!(
        world
            .store
            .newest_closure(Some(&world.project), &external("a"))
            .unwrap(),
        Some(bound)
    );
    let after = world.store.find_unbound(&row.id.short()).unwrap();
    assert_eq!(
        (after.state, after.workspace),
        (UnboundState::Bound, Some(workspace.id))
    );
    assert!(after.decided_at.is_some());
    // What is a memory now lies there alone; what is none lies here.
    assert!(!after.seeds.contains("Ferries") && after.seeds.contains("Refused."));
    assert_eq!(world.store.workspace(&workspace.id).unwrap().waiting, 1);
    let again = proposals(Some(world.project), "a#1", &["Ferries leave at nine."]);
    let refused = world
        .store
        .bind_unbound(&row.id, &workspace.id, again)
        .unwrap_err();
    let StoreError::UnboundDecided { state, .. } = refused else {
        panic!("{refused}");
    };
    assert_eq!(state, UnboundState::Bound);
    world.journal_holds();
}

#[test]
fn xsl_09_what_cannot_be_bound_waits_on() {
    let world = world();
    let row = world.unbound("a", &["Ferries leave at nine."]);
    let archived = world.workspace("the ferry").id;
    let set = world
        .store
        .set_workspace_status(&archived, WorkspaceStatus::Archived);
    set.unwrap();
    let title = clean("mine");
    let personal = world
        .store
        .create_workspace(workspace_id(), None, &title)
        .unwrap()
        .id;
    let bind = |id, workspace: &WorkspaceId| {
        let made = proposals(Some(world.project), "a#1", &["Ferries leave at nine."]);
        world.store.bind_unbound(id, workspace, made)
    };
    assert!(matches!(
        bind(&row.id, &archived),
        Err(StoreError::WorkspaceArchived { .. })
    ));
    assert!(matches!(
        bind(&row.id, &personal),
        Err(StoreError::WorkspaceElsewhere { .. })
    ));
    assert_eq!(missing(bind(&row.id, &workspace_id())), "workspace");
    assert_eq!(missing(bind(&unbound_id(), &archived)), "unbound candidate");
    assert_eq!(world.memories(), []);
    assert_eq!(world.store.find_unbound(&row.id.short()).unwrap(), row);
}

#[test]
fn xsl_09_a_dismissal_keeps_the_seeds_and_can_be_taken_back() {
    let world = world();
    let row = world.unbound("a", &["Ferries leave at nine."]);
    let gone = world.store.dismiss_unbound(&row.id).unwrap();
    assert_eq!(
        (gone.state, &gone.seeds),
        (UnboundState::Dismissed, &row.seeds)
    );
    let waiting = |state| world.store.unbound(&Whose::All, Some(state)).unwrap();
    assert_eq!(waiting(UnboundState::Waiting), []);
    assert_eq!(waiting(UnboundState::Dismissed), [gone]);
    let twice = world.store.dismiss_unbound(&row.id).unwrap_err();
    assert!(
        matches!(twice, StoreError::UnboundDecided { .. }),
        "{twice}"
    );
    assert_eq!(world.store.recall_dismissed(&row.id).unwrap(), row);
    let twice = world.store.recall_dismissed(&row.id).unwrap_err();
    assert!(
        matches!(twice, StoreError::UnboundDecided { .. }),
        "{twice}"
    );
    let facts: Vec<_> = world
        .store
        .entries_of(&row.id.bytes())
        .unwrap()
        .into_iter()
        .map(|entry| entry.facts)
        .collect();
    assert_eq!(
        facts,
        [r#"{"state":"dismissed"}"#, r#"{"state":"waiting"}"#]
    );
}

#[test]
fn unbound_candidates_are_listed_by_whose_they_are() {
    let world = world();
    let ours = world.unbound("a", &["Ours."]);
    let mine = close(&world.store, closing(None, "a", 1, None, &["Mine."]));
    let mine = world
        .store
        .find_unbound(&mine.unbound.unwrap().short())
        .unwrap();
    let list = |whose: &Whose| {
        world
            .store
            .unbound(whose, Some(UnboundState::Waiting))
            .unwrap()
    };
    assert_eq!(list(&Whose::Project(world.project)), [ours.clone()]);
    assert_eq!(list(&Whose::Personal), [mine.clone()]);
    assert_eq!(list(&Whose::All), [ours, mine]);
    assert_eq!(
        missing(world.store.find_unbound("unb_!")),
        "unbound candidate"
    );
    assert!(matches!(
        world.store.find_unbound("unb_"),
        Err(StoreError::Ambiguous { .. })
    ));
}

#[test]
fn proposals_are_listed_page_by_page_and_leave_the_list_when_decided() {
    let world = world();
    let (ferry, night) = (world.workspace("the ferry"), world.workspace("the night"));
    for at in 1..=3_u32 {
        let text = format!("Ferry {at} leaves at nine.");
        world.bound("a", at, ferry.id, &[&text]);
    }
    world.bound("b", 1, night.id, &["Nights are dark."]);
    let list = |filter: ProposalFilter| {
        let rows = world.store.proposals(&filter).unwrap();
        rows.into_iter()
            .map(|row| (row.external_id, row.generation))
            .collect::<Vec<_>>()
    };
    let a = |at| ("a".to_owned(), at);
    let of_ferry = || ProposalFilter {
        workspace: Some(ferry.id),
        ..ProposalFilter::default()
    };
    assert_eq!(list(of_ferry()), [a(1), a(2), a(3)]);
    let first = world
        .store
        .proposals(&ProposalFilter {
            limit: Some(2),
            ..of_ferry()
        })
        .unwrap();
    let after = Some(first[1].seq);
    assert_eq!(
        list(ProposalFilter {
            after,
            ..of_ferry()
        }),
        [a(3)]
    );
    confirm(&world.store, &[first[0].candidates[0].memory.unwrap()]);
    assert_eq!(
        list(ProposalFilter {
            waiting: true,
            ..of_ferry()
        }),
        [a(2), a(3)]
    );
    let whose = Whose::Personal;
    assert_eq!(
        list(ProposalFilter {
            whose,
            ..ProposalFilter::default()
        }),
        []
    );
    assert_eq!(list(ProposalFilter::default()).len(), 4);
    let decided = world.store.find_proposal(&first[0].id.short()).unwrap();
    assert_eq!(decided.candidates[0].status, Some(MemoryStatus::Confirmed));
    assert_eq!(decided.waiting(), 0);
    assert_eq!(missing(world.store.find_proposal("prp_!")), "proposal");
    assert_eq!(
        missing(world.store.find_proposal(&proposal_id().short())),
        "proposal"
    );
}

#[test]
fn the_journal_says_what_came_of_a_slate_and_holds_no_word_of_it() {
    let world = world();
    let workspace = world.workspace("the ferry");
    world.bound(
        "session-of-somebody",
        1,
        workspace.id,
        &["Ferries leave at nine."],
    );
    let row = world.unbound("another-session", &["Nights are dark."]);
    world.store.dismiss_unbound(&row.id).unwrap();
    let all: String = world
        .store
        .journal_entries(1, 100)
        .unwrap()
        .into_iter()
        .map(|entry| entry.facts)
        .collect();
    for word in ["ferry", "Ferries", "Nights", "session", "harbour"] {
        assert!(!all.contains(word), "{word}: {all}");
    }
    assert!(all.contains(r#""trigger":"external-slate-close""#), "{all}");
    let closed = world
        .kinds()
        .into_iter()
        .filter(|kind| kind == "slate_closed")
        .count();
    assert_eq!(closed, 2);
}

#[test]
fn an_import_waits_unbound_and_what_it_repeats_is_no_second_one() {
    let world = world();
    let import = || NewClosure {
        trigger: CloseTrigger::Import,
        ..closing(
            Some(world.project),
            "old",
            1,
            None,
            &["Ferries leave at nine."],
        )
    };
    let first = close(&world.store, import());
    assert_eq!(close(&world.store, import()), first);
    let rows = world.store.unbound(&Whose::All, None).unwrap();
    assert_eq!((rows.len(), rows[0].trigger), (1, CloseTrigger::Import));
}

#[test]
fn connections_are_kept_replaced_and_taken_back() {
    let world = world();
    let new = |path: &str, edit: &str, before_hash| NewConnection {
        program: "gemini".to_owned(),
        path: PathBuf::from(path),
        edit: clean(edit),
        before_hash,
        after_hash: [2; 32],
    };
    let store = &world.store;
    store
        .put_connection(new("/b", r#"{"offset":1}"#, None))
        .unwrap();
    store
        .put_connection(new("/a", r#"{"offset":2}"#, Some([1; 32])))
        .unwrap();
    store
        .put_connection(new("/b", r#"{"offset":3}"#, None))
        .unwrap();
    let rows = store.connections().unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.path.to_str().unwrap(),
                row.edit.as_str(),
                row.before_hash,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("/a", r#"{"offset":2}"#, Some([1; 32])),
            ("/b", r#"{"offset":3}"#, None)
        ]
    );
    assert_eq!(
        store
            .take_connection("gemini", Path::new("/b"))
            .unwrap()
            .unwrap(),
        rows[1]
    );
    assert_eq!(
        store.take_connection("gemini", Path::new("/b")).unwrap(),
        None
    );
    assert_eq!(
        store.take_connection("claude", Path::new("/a")).unwrap(),
        None
    );
    assert_eq!(store.connections().unwrap().len(), 1);
}
