//! XSL-09: seeds that belong to no workspace wait for a person.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use support::clean;
use support::harbour::{harbour, missing};
use support::seeds::{
    candidate, close, closing, external, proposal, proposals, refused, unbound_id, workspace_id,
};
use taffrail_domain::{CloseTrigger, UnboundState, WorkspaceId, WorkspaceStatus};
use taffrail_store::{NewClosure, StoreError, Whose};

#[test]
fn xsl_09_a_person_binds_and_the_seeds_are_proposals_as_at_a_close() {
    let world = harbour();
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
fn xsl_09_a_workspace_is_made_for_seeds_that_are_bound_or_not_at_all() {
    let world = harbour();
    let row = world.unbound("a", &["Ferries leave at nine."]);
    let made = || proposals(Some(world.project), "a#1", &["Ferries leave at nine."]);
    let new = workspace_id();
    let bind = |id: &WorkspaceId, title: &str| {
        let store = &world.store;
        store.bind_unbound_to_new(&row.id, id, &clean(title), made())
    };
    let refused = bind(&new, "  ").unwrap_err();
    assert!(
        matches!(refused, StoreError::TitleUnfit { .. }),
        "{refused}"
    );
    let bound = bind(&new, "the ferry").unwrap();
    assert_eq!(bound.workspace, Some(new));
    let refused = bind(&workspace_id(), "another ferry").unwrap_err();
    assert!(
        matches!(refused, StoreError::UnboundDecided { .. }),
        "{refused}"
    );
    let all = world.store.workspaces(&Whose::All, true).unwrap();
    let titles: Vec<&str> = all.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["the ferry"]);
    assert!(all[0].by_person);
    world.journal_holds();
}

#[test]
fn xsl_09_what_cannot_be_bound_waits_on() {
    let world = harbour();
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
    let world = harbour();
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
    let world = harbour();
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
    assert_eq!(
        list(&Whose::Project(world.project)),
        std::slice::from_ref(&ours)
    );
    assert_eq!(list(&Whose::Personal), std::slice::from_ref(&mine));
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
fn an_import_waits_unbound_and_what_it_repeats_is_no_second_one() {
    let world = harbour();
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
