//! NB-01, NB-03: whose a folder is, what goes with a project, notebooks and what waits beside them, settings.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.

mod support;

use std::path::Path;

use support::memory::{project, said, suggestion_id};
use support::{clean, home_in, insert, new_id, open};
use taffrail_domain::{Channel, Ended, ProjectId, RunStatus};
use taffrail_memory::draft::Scope;
use taffrail_memory::journal::Verifier;
use taffrail_redact::Clean;
use taffrail_store::{
    Accepted, Holdings, MadeBy, NewSuggestion, ProjectName, ProjectRoot, SUGGESTIONS_OPEN, Saved,
    Store, StoreError, SuggestionState, Verdict,
};

struct Kept {
    store: Store,
    _dir: tempfile::TempDir,
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&home_in(&dir));
    Kept { store, _dir: dir }
}

fn whose(store: &Store, path: &str, common_dir: Option<&str>) -> Option<String> {
    let found = store.project_of(Path::new(path), common_dir.map(Path::new));
    found.unwrap().map(|row| row.name)
}

#[test]
fn nb_01_the_longest_root_that_contains_a_folder_says_whose_it_is() {
    let Kept { store, _dir } = kept();
    project(&store, "outer", "/a/b");
    project(&store, "inner", "/a/b/c");
    let name = |text: &str| Some(text.to_owned());
    for (path, owner) in [
        ("/a/b", name("outer")),
        ("/a/b/x/y", name("outer")),
        ("/a/b/c", name("inner")),
        ("/a/b/c/d", name("inner")),
        // A sibling whose name begins the same is another folder.
        ("/a/bc", None),
        ("/a/b/cd", name("outer")),
        ("/a", None),
        ("/", None),
    ] {
        assert_eq!(whose(&store, path, None), owner, "{path}");
    }
    // A linked worktree lies elsewhere and shares the repository.
    assert_eq!(whose(&store, "/w/linked", Some("/a/b/.git")), name("outer"));
    assert_eq!(whose(&store, "/w/linked", Some("/other/.git")), None);
}

#[test]
fn nb_01_a_runs_checkout_belongs_where_the_run_does() {
    let Kept { store, _dir } = kept();
    project(&store, "ours", "/project");
    let run = new_id();
    insert(&store, run, "first").unwrap();
    let inside = format!("/home/checkouts/{run}/src");
    // The checkout has a repository of its own.
    assert_eq!(
        whose(&store, &inside, Some("/elsewhere/.git")),
        Some("ours".to_owned())
    );
    assert_eq!(whose(&store, "/home/checkouts", None), None);
}

#[test]
fn nb_01_projects_are_found_renamed_and_taken_only_once() {
    let Kept { store, _dir } = kept();
    let first = project(&store, "first", "/first");
    let second = project(&store, "second", "/second");
    let name = ProjectName::new(&clean("second")).unwrap();
    let taken = store.rename_project(&first.id, &name);
    assert!(matches!(taken, Err(StoreError::ProjectTaken { taken }) if taken == "second"));
    let roots = [ProjectRoot {
        root: "/second".into(),
        common_dir: None,
    }];
    let id = ProjectId::new(1, [9; 10]);
    let third = ProjectName::new(&clean("third")).unwrap();
    let taken = store.add_project(id, &third, &roots);
    assert!(matches!(taken, Err(StoreError::ProjectTaken { taken }) if taken == "/second"));
    assert!(
        store.project_by_name("third").unwrap().is_none(),
        "half a project"
    );

    store.rename_project(&first.id, &third).unwrap();
    assert_eq!(store.find_project("third").unwrap().id, first.id);
    assert_eq!(store.find_project(&second.id.short()).unwrap(), second);
    assert!(matches!(
        store.find_project("prj_"),
        Err(StoreError::Ambiguous { .. })
    ));
    assert!(matches!(
        store.find_project("first"),
        Err(StoreError::NotFound { .. })
    ));
    let names: Vec<_> = store
        .projects()
        .unwrap()
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, ["second", "third"]);
}

#[test]
fn nb_01_a_project_goes_with_everything_in_it_or_not_at_all() {
    let Kept { store, _dir } = kept();
    let gone = project(&store, "gone", "/project");
    let stays = project(&store, "stays", "/stays");
    for content in ["the parser wants a newline", "the linter is slow"] {
        said(&store, Scope::Project(gone.id), content);
    }
    said(
        &store,
        Scope::Project(stays.id),
        "the parser wants a newline",
    );
    let personal = said(&store, Scope::Personal, "tea before noon");
    store
        .put_notebook(&gone.id, 0, &clean("# G\n"), MadeBy::Edit)
        .unwrap();
    suggest(&store, &gone.id, "an entry").unwrap();
    let run = new_id();
    insert(&store, run, "live").unwrap();

    let held = Holdings {
        memories: 2,
        notebook_revisions: 1,
        suggestions: 1,
        traces: 0,
        workspaces: 0,
        slates: 0,
    };
    assert_eq!(store.project_holdings(&gone.id).unwrap(), held);
    let refused = store.remove_project(&gone.id);
    assert!(matches!(refused, Err(StoreError::ProjectLive { run: live }) if live == run.short()));
    assert_eq!(
        store.project_holdings(&gone.id).unwrap(),
        held,
        "half of it went"
    );

    store
        .run_ended(&run, RunStatus::Completed, "exited", Some(Ended::Exited(0)))
        .unwrap();
    assert_eq!(store.remove_project(&gone.id).unwrap(), held);
    assert!(matches!(
        store.project(&gone.id),
        Err(StoreError::NotFound { .. })
    ));
    let left = store
        .memories(&taffrail_store::MemoryFilter::default())
        .unwrap();
    assert_eq!(left.rows.len(), 2);
    assert!(store.memory(&personal).is_ok());
    assert_eq!(
        support::memory::recalled(&store, Some(gone.seq), "linter slow"),
        [0_i64; 0]
    );
    assert_eq!(whose(&store, "/project", None), None);
}

fn suggest(
    store: &Store,
    project: &ProjectId,
    entry: &str,
) -> Result<taffrail_domain::SuggestionId, StoreError> {
    store.suggest(&NewSuggestion {
        id: suggestion_id(),
        project: *project,
        section: &clean("Log"),
        entry: &clean(entry),
        channel: Channel::Model,
        source: &clean(r#"{"runtime":"mcp","client":"x"}"#),
    })
}

#[test]
fn nb_03_a_stale_save_is_refused_and_shows_what_is_there() {
    let Kept { store, _dir } = kept();
    let id = project(&store, "ours", "/ours").id;
    assert_eq!(store.notebook(&id).unwrap().version, 0);
    let put = |version, text: &str| {
        store
            .put_notebook(&id, version, &clean(text), MadeBy::Edit)
            .unwrap()
    };
    assert_eq!(put(0, "one"), Saved::As { version: 1 });
    assert_eq!(put(1, "two"), Saved::As { version: 2 });
    match put(1, "mine") {
        Saved::Stale { found } => assert_eq!((found.version, found.content.as_str()), (2, "two")),
        Saved::As { .. } => panic!("a stale save was taken"),
    }
    assert_eq!(store.notebook(&id).unwrap().content, "two");
    assert_eq!(store.notebook_at(&id, 1).unwrap().content, "one");
    let kinds: Vec<_> = store.notebook_revisions(&id, 10).unwrap();
    assert_eq!(kinds.len(), 2);
    assert_eq!((kinds[0].version, kinds[0].bytes), (2, 3));
    // The journal knows of both, and holds neither text.
    let entries = store.entries_of(&id.bytes()).unwrap();
    let changed = entries
        .iter()
        .filter(|entry| entry.kind == "notebook_changed");
    assert_eq!(changed.count(), 2);
    assert!(entries.iter().all(|entry| !entry.facts.contains("two")));
}

#[test]
fn nb_03_a_suggestion_enters_by_a_persons_accept_and_only_once() {
    let Kept { store, _dir } = kept();
    let id = project(&store, "ours", "/ours").id;
    let first = suggest(&store, &id, "the build needs two cores").unwrap();
    assert_eq!(
        suggest(&store, &id, "the build needs two cores").unwrap(),
        first
    );
    assert_eq!(store.notebook(&id).unwrap().content, "");
    let accept = |version, content: &str| Verdict::Accept {
        expected_version: version,
        content: clean(content),
    };

    store
        .put_notebook(&id, 0, &clean("# N\n"), MadeBy::Edit)
        .unwrap();
    let stale = store.decide_suggestion(&first, &accept(0, "whole"));
    assert!(matches!(stale, Ok(Accepted::Notebook(Saved::Stale { .. }))));
    let open = store.suggestions(&id, Some(SuggestionState::Open)).unwrap();
    assert_eq!(open.len(), 1, "a stale accept settled it");
    assert_eq!(open[0].source.client.as_deref(), Some("x"));

    let done = store
        .decide_suggestion(&first, &accept(1, "# N\n- it\n"))
        .unwrap();
    assert_eq!(done, Accepted::Notebook(Saved::As { version: 2 }));
    assert_eq!(store.notebook(&id).unwrap().content, "# N\n- it\n");
    let again = store.decide_suggestion(&first, &Verdict::Dismiss);
    assert!(matches!(
        again,
        Err(StoreError::Decided { state: "accepted" })
    ));

    let second = suggest(&store, &id, "another").unwrap();
    assert_eq!(
        store.find_suggestion(&second.short()).unwrap().entry,
        "another"
    );
    store.decide_suggestion(&second, &Verdict::Dismiss).unwrap();
    assert_eq!(store.notebook(&id).unwrap().version, 2);
    assert!(
        store
            .suggestions(&id, Some(SuggestionState::Open))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn nb_03_a_flood_of_suggestions_ends_at_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let id = project(&store, "ours", "/ours").id;
    // One after the other each would cost its own fsync.
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    conn.execute(
        "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?1 - 1)
         INSERT INTO notebook_suggestions (id, short, project, section, entry, channel, source, state, salt, created_at)
         SELECT randomblob(16), 'sug_' || at, 1, 'Log', 'entry ' || at, 'model', '{\"runtime\":\"mcp\"}', 'open',
                randomblob(32), 0 FROM n",
        [SUGGESTIONS_OPEN],
    )
    .unwrap();
    assert!(suggest(&store, &id, "the last that fits").is_ok());
    let refused = suggest(&store, &id, "one too many");
    assert!(matches!(
        refused,
        Err(StoreError::Limit { limit: 1_000, .. })
    ));
    let other = project(&store, "other", "/other").id;
    assert!(suggest(&store, &other, "another project has its own room").is_ok());
}

#[test]
fn the_home_has_one_id_and_the_journal_names_settings_only() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let id = store.home_id().unwrap();
    assert_eq!(open(&home).home_id().unwrap(), id);
    store
        .set_setting("secret_backend", &Clean::ours("file"))
        .unwrap();
    assert_eq!(
        store.setting("secret_backend").unwrap().as_deref(),
        Some("file")
    );
    assert_eq!(store.setting("unknown").unwrap(), None);
    let entries = store.journal_entries(1, 100).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].facts, r#"{"setting":"secret_backend"}"#);
    let mut verifier = Verifier::new(&[store.journal_head().unwrap()]);
    entries
        .iter()
        .for_each(|entry| verifier.push(&entry.seen()));
    assert_eq!(verifier.finish().unwrap().anchored, 2);
}
