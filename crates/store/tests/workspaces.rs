//! XSL-06: workspaces; what is written into other programs' configurations.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use std::path::{Path, PathBuf};

use support::harbour::{harbour, missing};
use support::memory::random;
use support::seeds::workspace_id;
use support::{clean, open};
use taffrail_domain::{ProjectId, WorkspaceStatus};
use taffrail_store::{NewConnection, ResolvedWorkspace, StoreError, Whose};

#[test]
fn xsl_06_one_active_workspace_is_found_none_is_made_and_several_are_nobodys() {
    let world = harbour();
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
    // A title is a person's only where a person made it.
    assert!(!store.workspace(&made.id).unwrap().by_person);
    assert!(world.workspace("another").by_person);
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
    let listed = store.workspaces(&Whose::Personal, false).unwrap();
    let listed: Vec<_> = listed.iter().map(|row| row.id).collect();
    assert_eq!(listed, [personal.id]);
}

#[test]
fn xsl_06_sixteen_that_resolve_at_once_make_one_workspace() {
    for _ in 0..10 {
        let world = harbour();
        let barrier = std::sync::Barrier::new(16);
        let answers: Vec<ResolvedWorkspace> = std::thread::scope(|scope| {
            let ask = || {
                let title = clean("the ferry");
                // Its own connections, like another process.
                let store = open(&world.home);
                barrier.wait();
                store.resolve_workspace(Some(&world.project), workspace_id(), &title)
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
    let world = harbour();
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
    let world = harbour();
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
    let world = harbour();
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
fn connections_are_kept_replaced_and_taken_back() {
    let world = harbour();
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
