//! XSL-09, XSL-12, XSL-15: what comes of closed slates.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use support::harbour::{harbour, missing};
use support::memory::{confirm, project, said};
use support::seeds::{
    candidate, close, closing, external, proposal, proposal_id, proposals, refused, seed_id,
    seeds_json, workspace_id,
};
use support::{clean, open};
use taffrail_domain::{
    Channel, MemoryStatus, Millis, SeedKind, Shelf, UnboundState, WorkspaceStatus,
};
use taffrail_memory::draft::Scope;
use taffrail_store::{
    CandidateOutcome, Closure, NewClosure, NewOutcome, NewProposal, ProposalFilter, StoreError,
    Whose,
};

#[test]
fn xsl_09_a_bound_slate_becomes_proposals_whose_memories_wait() {
    let world = harbour();
    let workspace = world.workspace("the ferry");
    let kinds = [SeedKind::Decision, SeedKind::Risk];
    let mut new = closing(Some(world.project), "a", 1, Some(workspace.id), &["x"; 4]);
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
    // The same door as for every memory.
    let memory = listed[0].candidates[0].memory.unwrap();
    let row = world.store.memory(&memory).unwrap();
    assert_eq!(row.text.content, "Ferries leave at nine.");
    let stands = (row.status, row.shelf, row.channel);
    let pending = (MemoryStatus::Pending, Shelf::Queue, Channel::External);
    assert_eq!(stands, pending);
    assert_eq!(row.slate_kind.as_deref(), Some("decision"));
    let seen = world.store.workspace(&workspace.id).unwrap();
    assert_eq!((seen.proposals, seen.waiting), (2, 4));
    let number = Some(world.store.project(&world.project).unwrap().seq);
    let found = support::memory::recalled(&world.store, number, "ferries leave nine");
    assert_eq!(found.first(), Some(&row.seq));
    world.journal_holds();
}

#[test]
fn xsl_09_closing_again_answers_the_first_outcome_and_writes_nothing() {
    let world = harbour();
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
    let world = harbour();
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
    let world = harbour();
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
    let world = harbour();
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
    let at = world.all()[0].created_at.0;
    world.bound("b", 1, workspace.id, &["Nothing of it was refused."]);
    let refused_since = |since: i64| {
        let filter = ProposalFilter {
            refused_since: Some(Millis(since)),
            ..ProposalFilter::default()
        };
        world.store.proposals(&filter).unwrap().len()
    };
    assert_eq!((refused_since(at), refused_since(at + 1)), (1, 0));
    let blocked = world
        .kinds()
        .iter()
        .filter(|kind| *kind == "memory_blocked")
        .count();
    assert_eq!(blocked, 1);
}

#[test]
fn mem_05_what_is_said_by_two_slates_is_one_memory_with_two_witnesses() {
    let world = harbour();
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
    let world = harbour();
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
    let world = harbour();
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
    for round in 0..10 {
        let world = harbour();
        let workspace = world.workspace("the ferry");
        let barrier = std::sync::Barrier::new(16);
        let close_as = |at: usize| {
            let to = at.is_multiple_of(2).then_some(workspace.id);
            let text = format!("Ferry {at} leaves at nine.");
            let new = closing(Some(world.project), "a", 1, to, &[&text]);
            // Its own connections, like another process.
            let store = open(&world.home);
            barrier.wait();
            close(&store, new)
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
    let world = harbour();
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
fn proposals_are_listed_page_by_page_and_leave_the_list_when_decided() {
    let world = harbour();
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
    let world = harbour();
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
