//! Another program's files.

use super::*;

const RULES: &str = "# Rules\n\n- Amounts are kept in cents as whole numbers.\n- Tests never use the network of the office.\n";

/// A project with a CLAUDE.md, and a person who has one too.
fn with_claude_files() -> (Hermetic, Repo) {
    let world = world();
    let repo = committed(&world);
    repo.file("CLAUDE.md", RULES);
    let personal = "- I prefer short answers in plain words.\n";
    file(&world.home(), ".claude/CLAUDE.md", personal);
    (world, repo)
}

fn import_claude(world: &Hermetic, repo: &Repo) -> serde_json::Value {
    data(
        world,
        repo,
        &["memory", "import", "--from", "claude", "--json"],
    )
}

/// One word of each item of an import.
fn each(report: &serde_json::Value, key: &str) -> Vec<String> {
    let items = report["items"].as_array().unwrap().iter();
    items
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn mem_08_another_program_s_files_come_in_as_candidates() {
    let (world, repo) = with_claude_files();
    let first = import_claude(&world, &repo);
    let places = each(&first, "place");
    assert!(places.len() >= 2, "{first}");
    assert!(each(&first, "status").iter().all(|status| status == "new"));
    assert!(each(&first, "change").iter().all(|change| change == "new"));
    for beginning in ["CLAUDE.md:", "~/.claude/CLAUDE.md:"] {
        let named = places.iter().any(|place| place.starts_with(beginning));
        assert!(named, "{beginning}: {places:?}");
    }
    let shown = show(&world, &repo, &each(&first, "memory")[0]).to_string();
    for wanted in ["CLAUDE.md#L", r#""pending""#, r#""imported""#] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
}

#[test]
fn mem_08_a_second_import_shows_only_what_changed() {
    let (world, repo) = with_claude_files();
    let first = import_claude(&world, &repo);
    let second = import_claude(&world, &repo);
    assert_eq!(second["items"], json!([]), "{second}");
    assert_eq!(second["same"], first["items"].as_array().unwrap().len());
    let changed = RULES.replace("whole numbers", "64-bit whole numbers");
    repo.file("CLAUDE.md", changed);
    let third = import_claude(&world, &repo);
    let changes = each(&third, "change");
    assert!(changes.contains(&"changed".to_owned()), "{third}");
    assert!(changes.contains(&"missing".to_owned()), "{third}");
    assert!(changes.len() <= 3, "only what changed: {third}");
}

#[test]
fn mem_08_a_dry_run_writes_nothing_and_theirs_is_not_touched() {
    let world = world();
    let repo = committed(&world);
    repo.file("AGENTS.md", RULES);
    let before = std::fs::metadata(repo.root().join("AGENTS.md"))
        .unwrap()
        .modified()
        .unwrap();
    let report = data(
        &world,
        &repo,
        &[
            "memory",
            "import",
            "--from",
            "agents-md",
            "--dry-run",
            "--json",
        ],
    );
    assert!(!report["items"].as_array().unwrap().is_empty(), "{report}");
    assert_eq!(all(&world, &repo).len(), 0);
    taffrail(&world, &repo, &["memory", "import", "--from", "agents-md"]).success();
    assert_eq!(
        std::fs::read_to_string(repo.root().join("AGENTS.md")).unwrap(),
        RULES
    );
    let after = std::fs::metadata(repo.root().join("AGENTS.md"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after);
    assert!(!all(&world, &repo).is_empty());
}

#[test]
fn mem_08_a_link_out_of_the_project_is_not_read() {
    let world = world();
    let repo = committed(&world);
    file(
        world.root(),
        "secret.md",
        "- the office door opens with four three two one\n",
    );
    std::os::unix::fs::symlink(
        world.root().join("secret.md"),
        repo.root().join("CLAUDE.md"),
    )
    .unwrap();
    let report = data(
        &world,
        &repo,
        &["memory", "import", "--from", "claude", "--json"],
    );
    assert_eq!(report["items"], json!([]));
    assert_eq!(report["skipped"][0]["place"], "CLAUDE.md", "{report}");
    assert_eq!(
        common::holds(&world.taffrail_home(), b"office door"),
        [] as [&Path; 0]
    );
    // The twin: the link does lead there.
    let text = std::fs::read_to_string(repo.root().join("CLAUDE.md")).unwrap();
    assert!(text.contains("office door"));
}
