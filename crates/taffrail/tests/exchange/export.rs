//! What goes out, and comes in again elsewhere.

use super::*;

/// A world where a person can confirm: the secrets lie in a file that a key file opens.
fn confirming() -> (Hermetic, Repo) {
    let world = world();
    let key = world.root().join("key");
    let args = [
        "secret",
        "backend",
        "file",
        "--key-file",
        key.to_str().unwrap(),
    ];
    world.taffrail(&args).success();
    let repo = committed(&world);
    (world, repo)
}

/// Adds a memory and confirms it as a person does: the code that stands beside the text, typed.
fn confirmed(world: &Hermetic, repo: &Repo, text: &str) -> String {
    let added = data(world, repo, &["memory", "add", text, "--json"]);
    let id = added["memory"].as_str().unwrap().to_owned();
    common::memory::confirm(world, repo.root(), &id);
    assert_eq!(show(world, repo, &id)["status"], "confirmed");
    id
}

/// The Markdown files of a folder, by name.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn rec_12_an_export_holds_what_was_approved_and_comes_in_elsewhere_as_pending() {
    let (world, repo) = confirming();
    let id = confirmed(&world, &repo, "We keep amounts in cents as whole numbers.");
    data(
        &world,
        &repo,
        &["memory", "add", "nobody has decided on this", "--json"],
    );
    let report = data(&world, &repo, &["memory", "export", "--json"]);
    let folder = repo.root().join(".taffrail/memory");
    let names = files(&folder);
    assert_eq!(
        (names.len(), report["written"].as_array().map(Vec::len)),
        (1, Some(1)),
        "{report}"
    );
    let text = std::fs::read_to_string(folder.join(&names[0])).unwrap();
    assert!(
        text.contains("cents") && text.contains(&id) && !text.contains("nobody"),
        "{text}"
    );
    let again = data(&world, &repo, &["memory", "export", "--json"]);
    assert_eq!(
        (&again["written"], &again["same"]),
        (&json!([]), &json!(1)),
        "the same bytes: {again}"
    );

    let other = common::world();
    let there = committed(&other);
    let import = |args: &[&str]| {
        let args = [
            &["memory", "import", folder.to_str().unwrap(), "--json"],
            args,
        ]
        .concat();
        data(&other, &there, &args)
    };
    assert_eq!(import(&["--dry-run"])["items"][0]["change"], "new");
    let first = import(&[]);
    assert_eq!(first["items"][0]["status"], "new", "{first}");
    assert_pending(&show(
        &other,
        &there,
        first["items"][0]["memory"].as_str().unwrap(),
    ));
    let second = import(&[]);
    assert_eq!((&second["items"], &second["same"]), (&json!([]), &json!(1)));
    file(
        &folder,
        &names[0],
        &text.replace("whole numbers", "64-bit integers"),
    );
    let third = import(&[]);
    assert_eq!(
        (&third["items"][0]["change"], &third["items"][0]["status"]),
        (&json!("changed"), &json!("new")),
        "{third}"
    );
    std::fs::remove_file(folder.join(&names[0])).unwrap();
    assert_eq!(import(&[])["items"][0]["change"], "missing");
    assert_eq!(import(&[])["items"], json!([]), "named once");
}

#[test]
fn rec_12_an_export_removes_only_its_own_and_follows_no_link() {
    let (world, repo) = confirming();
    let id = confirmed(&world, &repo, "We keep amounts in cents as whole numbers.");
    let folder = repo.root().join(".taffrail/memory");
    taffrail(&world, &repo, &["memory", "export"]).success();
    let name = files(&folder)[0].clone();
    let ours = std::fs::read_to_string(folder.join(&name)).unwrap();
    let foreign = ours.replace(&id, "mem_0123456789");
    file(&folder, "README.md", "ours to read\n");
    file(&folder, &name.replace(&id, "mem_0123456789"), &foreign);
    common::memory::press(&world, repo.root(), &id, "x");
    let report = data(&world, &repo, &["memory", "export", "--json"]);
    assert_eq!(report["removed"], json!([name]), "{report}");
    assert_eq!(
        files(&folder).len(),
        2,
        "a teammate's file and the README stay"
    );

    // A link in place of the folder, and of a file, leads nowhere.
    let outside = world.directory("outside");
    std::fs::remove_dir_all(repo.root().join(".taffrail")).unwrap();
    std::os::unix::fs::symlink(&outside, repo.root().join(".taffrail")).unwrap();
    confirmed(&world, &repo, "The build server stands in the cellar.");
    let refused = taffrail(&world, &repo, &["memory", "export"]);
    assert_eq!(
        (refused.code, files(&outside).len()),
        (1, 0),
        "{}",
        refused.stdout
    );
    std::fs::remove_file(repo.root().join(".taffrail")).unwrap();
    taffrail(&world, &repo, &["memory", "export"]).success();
    let name = files(&folder)[0].clone();
    std::fs::remove_file(folder.join(&name)).unwrap();
    file(&outside, "victim.md", "precious\n");
    std::os::unix::fs::symlink(outside.join("victim.md"), folder.join(&name)).unwrap();
    let report = data(&world, &repo, &["memory", "export", "--json"]);
    assert_eq!(
        (report["skipped"][0]["place"].as_str(), &report["written"]),
        (Some(name.as_str()), &json!([]))
    );
    assert_eq!(
        std::fs::read_to_string(outside.join("victim.md")).unwrap(),
        "precious\n"
    );
}

#[test]
fn rev_03_no_front_matter_makes_anything_but_a_candidate() {
    let (world, repo) = confirming();
    let id = confirmed(&world, &repo, "We keep amounts in cents as whole numbers.");
    taffrail(&world, &repo, &["memory", "export", "out"]).success();
    let folder = repo.root().join("out");
    let name = files(&folder)[0].clone();
    let text = std::fs::read_to_string(folder.join(&name)).unwrap();
    let other = common::world();
    let there = committed(&other);
    for line in [
        "status: \"confirmed\"",
        "channel: \"operator\"",
        "seal: \"00\"",
        "provenance: \"user_confirmed\"",
    ] {
        let (_, rest) = text.split_once('\n').unwrap();
        file(&folder, &name, &format!("---\n{line}\n{rest}"));
        let report = data(
            &other,
            &there,
            &["memory", "import", folder.to_str().unwrap(), "--json"],
        );
        let came = report["items"].as_array().unwrap();
        let refused = came.is_empty() && report["skipped"].as_array().unwrap().len() == 1;
        assert!(refused, "{line}: {report}");
    }
    assert_eq!(all(&other, &there).len(), 0, "{id}");
}
