use std::path::Path;

use taffrail_domain::{
    Change, ChangeHash, ChangeKind, ChangeState, FileMode, Millis, Mode, Net, RepoPath, RunId,
    RunKind,
};
use taffrail_store::{GrantSource, NewAgentRun, NewChange, NewRun, Owner, ProjectRoot, ProjectRow};

use super::*;
use crate::a_world::{World, world};

fn project(roots: &[(&str, Option<&str>)]) -> ProjectRow {
    ProjectRow {
        seq: 1,
        id: taffrail_domain::ProjectId::new(1, [0; 10]),
        name: "here".to_owned(),
        roots: roots
            .iter()
            .map(|(root, dir)| ProjectRoot {
                root: root.into(),
                common_dir: dir.map(Into::into),
            })
            .collect(),
        created_at: Millis(0),
    }
}

fn run(world: &World, end: u8, name: &str, root: &str, command: &str) -> RunId {
    with_new_run(world, end, (name, root, command), |run| {
        world.app.store.insert_run(run).unwrap();
        run.id
    })
}

fn with_new_run<T>(
    world: &World,
    end: u8,
    (name, root, command): (&str, &str, &str),
    insert: impl FnOnce(&NewRun<'_>) -> T,
) -> T {
    let clean = |text: &str| world.app.redactor.clean(text);
    let owner = Owner {
        pid: 7,
        start_ticks: 1,
        boot_id: "5f0c0c1e-0000-4000-8000-000000000001".to_owned(),
    };
    insert(&NewRun {
        id: RunId::new(1_800_000_000_000, [0, 0, 0, 0, 0, 0, 0, 0, 0, end]),
        kind: RunKind::Box,
        name: &clean(name),
        project_root: Path::new(root),
        common_dir: &Path::new(root).join(".git"),
        command: &clean(command),
        agent: end.is_multiple_of(2).then(|| clean("claude 2.0")).as_ref(),
        net: &Net::Off,
        owner: &owner,
        checkout: Path::new(&format!("/checkouts/{end}")),
        facts: &clean("{}"),
    })
}

fn changed(world: &World, id: &RunId, path: &str) {
    let oid = || "a".repeat(40).parse().unwrap();
    let changes = [Change {
        path: RepoPath::new(path).unwrap(),
        kind: ChangeKind::Modified,
        old: Some((FileMode::File, oid())),
        new: Some((FileMode::File, oid())),
        added: Some(1),
        removed: Some(1),
        flags: Vec::new(),
        refused: None,
    }];
    let change = NewChange {
        hash: &ChangeHash::new([1; 32]),
        state: ChangeState::Pending,
        patch_bytes: 10,
        changes: &changes,
        ignored_count: 0,
    };
    world.app.store.record_change(id, &change).unwrap();
}

fn names(found: &(Vec<SessionHit>, bool)) -> Vec<&str> {
    found.0.iter().map(|hit| hit.name.as_str()).collect()
}

#[test]
fn mcp_01_sessions_are_found_by_all_of_their_words_newest_first() {
    let world = world();
    let here = project(&[("/p", Some("/p/.git"))]);
    let one = run(&world, 1, "one", "/p", "make Test");
    let two = run(&world, 2, "two", "/p", "claude --resume");
    run(&world, 3, "elsewhere", "/q", "make test");
    changed(&world, &one, "src/Parser.rs");
    changed(&world, &two, "src/lib.rs");
    let ask = |query: Option<&str>, limit| search(&world.app, Some(&here), query, limit).unwrap();
    assert_eq!(names(&ask(None, 10)), ["two", "one"]);
    assert_eq!(names(&ask(Some(""), 10)), ["two", "one"]);
    let cases: [(&str, &[&str]); 9] = [
        ("test", &["one"]),
        ("MAKE parser", &["one"]),
        ("src", &["two", "one"]),
        ("claude", &["two"]),
        ("claude lib.rs", &["two"]),
        ("claude parser", &[]),
        ("preparing", &["two", "one"]),
        ("elsewhere", &[]),
        ("nothing", &[]),
    ];
    for (query, expect) in cases {
        assert_eq!(names(&ask(Some(query), 10)), expect, "{query}");
    }
    let first = ask(None, 1);
    assert_eq!((names(&first), first.1), (vec!["two"], true));
    assert!(!ask(None, 2).1);
    let hit = &ask(Some("parser"), 1).0[0];
    assert_eq!(hit.files, ["src/Parser.rs"]);
    assert_eq!(
        (hit.kind.as_str(), hit.status.as_str()),
        ("box", "preparing")
    );
    assert_eq!((hit.id.as_str(), &hit.agent), (one.short().as_str(), &None));
}

#[test]
fn mcp_01_sessions_are_of_the_project_alone() {
    let world = world();
    run(&world, 1, "mine", "/p", "make");
    run(&world, 2, "below", "/wide/inner", "make");
    let ask = |project: Option<&ProjectRow>| {
        let found = search(&world.app, project, None, 10).unwrap();
        names(&found).join(" ")
    };
    assert_eq!(ask(None), "");
    assert_eq!(ask(Some(&project(&[("/p", Some("/p/.git"))]))), "mine");
    assert_eq!(ask(Some(&project(&[("/wide", None)]))), "below");
    let both = project(&[("/p", Some("/p/.git")), ("/wide", None)]);
    assert_eq!(ask(Some(&both)), "below mine");
    assert_eq!(ask(Some(&project(&[]))), "");
}

#[test]
fn red_01_a_secret_in_the_name_of_a_file_is_masked_and_cannot_be_guessed_at() {
    let world = world();
    let here = project(&[("/p", Some("/p/.git"))]);
    let secret = ["ghp_", "x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua4E"].concat();
    let id = run(&world, 1, "one", "/p", "make");
    changed(&world, &id, &format!("dump/{secret}.txt"));
    let all = search(&world.app, Some(&here), None, 1).unwrap();
    assert!(!all.0[0].files[0].contains(&secret), "{all:?}");
    let guess = search(&world.app, Some(&here), Some(&secret[..12]), 1).unwrap();
    assert!(guess.0.is_empty());
}

#[test]
fn fa_29_a_run_of_an_agent_is_found_by_its_task() {
    let world = world();
    let here = project(&[("/p", Some("/p/.git"))]);
    let clean = |text: &str| world.app.redactor.clean(text);
    let agent = NewAgentRun {
        agent: &clean("gemini-acp"),
        provider: &clean("acp:gemini-acp"),
        argv: &clean("[]"),
        version_found: None,
        task: &clean("mend the harbour wall"),
        model: None,
        mode_requested: Mode::Ask,
        unattended: true,
        may_write: false,
        grant: GrantSource::None,
        client_capabilities: &clean("{}"),
        mcp: &clean("{}"),
    };
    with_new_run(&world, 1, ("one", "/p", "gemini --acp"), |run| {
        world.app.store.insert_agent_run(run, &agent).unwrap();
    });
    let ask = |query: &str| search(&world.app, Some(&here), Some(query), 10).unwrap();
    assert_eq!(names(&ask("Harbour gemini-acp")), ["one"]);
    assert_eq!(ask("harbour").0[0].agent.as_deref(), Some("gemini-acp"));
    assert!(ask("lighthouse").0.is_empty());
}
