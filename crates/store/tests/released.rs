//! STO-04: what a released program wrote is kept as a fixture and brought up with every row.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Makes a database from a dump, and looks into it from outside.

mod support;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use support::external;
use support::memory::{
    confirm, draft, key, project, recalled, said, sealer, seen, suggestion_id, write,
};
use support::seeds::{candidate, close, closing, external, proposal, refused, workspace_id};
use support::{clean, home_in, insert, new_id, open};
use taffrail_domain::{
    Answer, Channel, Ground, MemoryStatus, ProjectId, Reply, RunStatus, Served, Surface,
    UnboundState, WorkspaceStatus,
};
use taffrail_memory::draft::Scope;
use taffrail_memory::journal::Verifier;
use taffrail_memory::review::Decision;
use taffrail_store::{
    AgentEnded, AgentReady, Answered, Home, MadeBy, MessageRole, NewConnection, NewSuggestion,
    RunFilter, Store, Taken, Whose, files,
};

const SCHEMA_1: &str = include_str!("fixtures/schema-1.sql");
const SCHEMA_4: &str = include_str!("fixtures/schema-4.sql");
const SCHEMA_5: &str = include_str!("fixtures/schema-5.sql");
const SCHEMA_6: &str = include_str!("fixtures/schema-6.sql");

fn home_of(dir: &tempfile::TempDir, dump: &str) -> Home {
    let home = home_in(dir);
    home.create().unwrap();
    drop(files::create_private_writer(&home.db()).unwrap());
    let conn = Connection::open(home.db()).unwrap();
    conn.execute_batch(dump).unwrap();
    home
}

/// Rows of each table that a person would miss, as text.
fn rows(home: &Home) -> BTreeMap<String, Vec<String>> {
    let conn = Connection::open(home.db()).unwrap();
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
               AND name <> 'schema_migrations'";
    let mut tables = conn.prepare(sql).unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let rows_of = |table: String| {
        let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let values = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
            let values: Vec<_> = values.collect::<rusqlite::Result<_>>()?;
            Ok(format!("{values:?}"))
        });
        let mut rows: Vec<String> = rows.unwrap().map(Result::unwrap).collect();
        rows.sort();
        (table, rows)
    };
    tables.map(|table| rows_of(table.unwrap())).collect()
}

/// Writes the database that `schema-6.sql` is dumped from, as it wrote `schema-5.sql` without its agents and `schema-4.sql`
/// without its slates; see the heads of the fixtures.
#[test]
fn fixture_source() {
    let Some(path) = env::var_os("WRITE_FIXTURE_DB") else {
        return;
    };
    let store = open(&Home::at(Path::new(&path)).unwrap());
    insert(&store, new_id(), "a box").unwrap();
    let row = project(&store, "harbour", "/harbour");
    let scope = Scope::Project(row.id);
    let approved = said(&store, scope, "The harbour closes at nine.");
    let restricted = said(&store, scope, "The lighthouse keeper drinks.");
    said(&store, scope, "The ferry may be late.");
    said(&store, Scope::Personal, "I write dates as days first.");
    write(
        &store,
        draft(scope, "another task", "The harbour closes at nine."),
    );
    confirm(&store, &[approved]);
    let shown = seen(&store, &restricted);
    store
        .review(Decision::Restrict(key()), &[shown], sealer())
        .unwrap();
    store
        .set_setting("secret_backend", &clean("keyring"))
        .unwrap();
    let document = clean("# Harbour\n\nA line of a person.\n");
    store
        .put_notebook(&row.id, 0, &document, MadeBy::Edit)
        .unwrap();
    let suggestion = NewSuggestion {
        id: suggestion_id(),
        project: row.id,
        section: &clean("Log"),
        entry: &clean("An entry that waits."),
        channel: Channel::Model,
        source: &clean(r#"{"runtime":"mcp"}"#),
    };
    store.suggest(&suggestion).unwrap();
    slates(&store, row.id);
    agents(&store);
}

/// A run of another vendor's agent with everything that it can have, and one that is only begun.
fn agents(store: &Store) {
    let run = external::agent_run(store);
    let ready = AgentReady {
        agent_name: Some(&clean("gemini-cli")),
        agent_version: Some(&clean("0.61.0")),
        protocol: Some(1),
        agent_mode_verified: Some(true),
        ..AgentReady::default()
    };
    store.agent_ready(&run, &ready).unwrap();
    for (role, text) in [
        (MessageRole::User, "mend the harbour wall"),
        (MessageRole::Thought, "The wall is of stone."),
        (MessageRole::Assistant, "It stands again."),
    ] {
        store.append_message(&run, role, &clean(text)).unwrap();
    }
    external::called(store, &run, "call-3", "removed", 2);
    external::requested(store, &run, "fs/read_text_file", Served::Served, None);
    let used = external::ask(store, run, [1; 32], None);
    let answered = store.answer_question(&used, &[1; 32], Reply::Yes, None, Surface::Terminal);
    assert_eq!(answered.unwrap(), Answered::Recorded);
    let taken = store.take_answer(&run, &used, &[1; 32]).unwrap();
    assert!(matches!(taken, Taken::Answer(_)));
    external::decide(store, &run, Answer::Ask, Ground::Human, Some(used));
    external::decide(store, &run, Answer::Allow, Ground::Policy, None);
    let ended = AgentEnded {
        stop_reason: Some(&clean("end_turn")),
        usage: Some(&clean(r#"{"used":5,"size":9}"#)),
        result: Some(&clean(r#"{"status":"DONE","summary":"It stands."}"#)),
        frames_in: 12,
        ..AgentEnded::default()
    };
    store.agent_ended(&run, &ended).unwrap();
    let (over, reason) = (RunStatus::Budget, "line_limit");
    store.run_ended(&run, over, reason, None).unwrap();
    let live = external::agent_run(store);
    external::ask(store, live, [2; 32], None);
}

/// Slates of every outcome, and a connection.
fn slates(store: &Store, project: ProjectId) {
    let create = |title: &str| {
        let title = clean(title);
        let made = store.create_workspace(workspace_id(), Some(&project), &title);
        made.unwrap().id
    };
    let (ferry, archived) = (create("the ferry"), create("the old pier"));
    let set = store.set_workspace_status(&archived, WorkspaceStatus::Archived);
    set.unwrap();
    let shut = |id: &str, to, texts: &[&str]| {
        let made = close(store, closing(Some(project), id, 1, to, texts));
        made.unbound
    };
    shut("bound", Some(ferry), &["Ferries leave at nine."]);
    shut("waits", None, &["Ferries carry no cars."]);
    let dismissed = shut("dismissed", None, &["Gulls are loud."]).unwrap();
    store.dismiss_unbound(&dismissed).unwrap();
    let taken = shut("taken", None, &["The ramp is new.", "x"]).unwrap();
    let told = candidate(Some(project), "taken#1", 0, "The ramp is new.");
    let made = vec![proposal(vec![told, refused(1)])];
    store.bind_unbound(&taken, &ferry, made).unwrap();
    let connection = NewConnection {
        program: "gemini".to_owned(),
        path: PathBuf::from("/home/somebody/.gemini/settings.json"),
        edit: clean(r#"{"made":true}"#),
        before_hash: None,
        after_hash: [3; 32],
    };
    store.put_connection(connection).unwrap();
}

#[test]
fn sto_04_every_row_of_schema_1_is_there_after_its_migrations() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_of(&dir, SCHEMA_1);
    let before = rows(&home);
    drop(open(&home));
    let after = rows(&home);
    assert!(before.values().flatten().count() > 8);
    for (table, rows) in before {
        assert_eq!(after.get(&table), Some(&rows), "{table}");
    }
}

#[test]
fn sto_04_schema_4_as_it_was_released_opens_with_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_of(&dir, SCHEMA_4);
    let before = rows(&home);
    let store = open(&home);
    let after = rows(&home);
    for (table, rows) in before {
        assert_eq!(after.get(&table), Some(&rows), "{table}");
    }
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1);
    let row = store.project_by_name("harbour").unwrap().unwrap();
    let held = store.project_holdings(&row.id).unwrap();
    assert_eq!(
        (held.memories, held.notebook_revisions, held.suggestions),
        (3, 1, 1)
    );
    let found = recalled(&store, Some(row.seq), "when does the harbour close");
    assert_eq!(found.first(), Some(&1));
    let approved = store.all_seal_facts(None).unwrap();
    assert_eq!(approved.len(), 1);
    let memory = store.memory(&approved[0].memory).unwrap();
    assert_eq!(memory.status, MemoryStatus::Confirmed);
    let home_id = store.home_id().unwrap();
    let public = taffrail_memory::seal::SealKey::from_seed(support::memory::SEED).public();
    assert!(approved[0].verifies(home_id, &public));
    let mut verifier = Verifier::new(&[]);
    for entry in store.journal_entries(1, 1_000).unwrap() {
        verifier.push(&entry.seen());
    }
    verifier.finish().unwrap();
    said(&store, Scope::Project(row.id), "A new one in an old home.");
}

#[test]
fn sto_04_schema_5_as_it_was_released_opens_with_its_slates() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_of(&dir, SCHEMA_5);
    let before = rows(&home);
    let store = open(&home);
    let after = rows(&home);
    for (table, rows) in before {
        assert_eq!(after.get(&table), Some(&rows), "{table}");
    }
    let project = store.project_by_name("harbour").unwrap().unwrap().id;
    let whose = Whose::Project(project);
    let workspaces = store.workspaces(&whose, true).unwrap();
    let seen: Vec<_> = workspaces
        .iter()
        .map(|row| (row.title.as_str(), row.status, row.proposals, row.waiting))
        .collect();
    let (active, archived) = (WorkspaceStatus::Active, WorkspaceStatus::Archived);
    assert_eq!(
        seen,
        [
            ("the ferry", active, 2, 2),
            ("the old pier", archived, 0, 0)
        ]
    );
    let states: Vec<_> = store
        .unbound(&whose, None)
        .unwrap()
        .iter()
        .map(|row| row.state)
        .collect();
    let (waiting, dismissed) = (UnboundState::Waiting, UnboundState::Dismissed);
    assert_eq!(states, [waiting, dismissed, UnboundState::Bound]);
    let taken = store.newest_closure(Some(&project), &external("taken"));
    assert_eq!(taken.unwrap().unwrap().proposals[0].blocked.len(), 1);
    assert_eq!(store.connections().unwrap()[0].program, "gemini");
    let waits = store.find_workspace(&whose, "the ferry").unwrap();
    let new = closing(Some(project), "new", 1, Some(waits.id), &["A new one."]);
    assert_eq!(close(&store, new).proposals.len(), 1);
}

#[test]
fn sto_04_schema_6_as_it_was_released_opens_with_its_agents() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_of(&dir, SCHEMA_6);
    let before = rows(&home);
    let store = open(&home);
    assert_eq!(rows(&home), before);
    let runs = store.runs(&RunFilter::default()).unwrap();
    let [live, ended, plain] = &runs[..] else {
        panic!("three runs")
    };
    assert_eq!(store.agent_run(&plain.id).unwrap(), None);
    assert_eq!(ended.status, RunStatus::Budget);
    let agent = store.agent_run(&ended.id).unwrap().unwrap();
    assert_eq!((agent.frames_in, agent.cost), (Some(12), None));
    assert_eq!(agent.usage.as_deref(), Some(r#"{"used":5,"size":9}"#));
    let messages = store.messages(&ended.id, 0, 10).unwrap();
    assert_eq!(
        (messages.len(), messages[2].role),
        (3, MessageRole::Assistant)
    );
    assert_eq!(store.tool_calls(&ended.id, 0, 10).unwrap()[0].updates, 2);
    let decisions = store.action_decisions(&ended.id, 0, 10).unwrap();
    assert_eq!((decisions.len(), decisions[0].ground), (2, Ground::Human));
    let asked = store.question(&decisions[0].question.unwrap()).unwrap();
    assert_eq!(asked.answer.unwrap().reply, Reply::Yes);
    assert_eq!(store.agent_requests(&ended.id, 0, 10).unwrap().len(), 1);
    let open = store.open_questions().unwrap();
    assert_eq!((open.len(), open[0].run), (1, live.id));
    let mut verifier = Verifier::new(&[]);
    for entry in store.journal_entries(1, 1_000).unwrap() {
        verifier.push(&entry.seen());
    }
    verifier.finish().unwrap();
}
