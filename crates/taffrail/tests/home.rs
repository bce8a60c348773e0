//! Promise: the home is the user's own, what is kept is private, and what a tree ships changes nothing (STO-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{committed, waiting, world};
use taffrail_testkit::{Hermetic, Ran, Repo, Run};

/// A command in a project, with `~/.taffrail` or a home of the tree instead of a named one.
fn at_home(world: &Hermetic, repo: &Repo, args: &[&str]) -> Run {
    world
        .command(args)
        .in_directory(repo.root())
        .without_env("TAFFRAIL_HOME")
}

#[track_caller]
fn go(world: &Hermetic, repo: &Repo, args: &[&str]) -> Ran {
    at_home(world, repo, args).go().success()
}

const LOOK: [&str; 5] = ["box", "--", "sh", "-c", "env; ls -A \"$HOME\"; ls -A ."];

/// Everything that a home could be made to do: an agent's entry with an environment and the user's credentials, the
/// network, a setup, paths to carry, a weaker sandbox.
const CANARIES: &str = r#"
[external_agents.shell]
command = "sh"
env = { CANARY_ENV = "1" }
pass_env = ["CANARY_PASSED"]
credential_files = [".ssh/id_canary"]
[checkout]
setup = "touch canary-setup"
carry = [".env"]
[sandbox]
net = "on"
read = ["/"]
"#;

/// What shows that one of the canaries had its way.
const SONGS: [&str; 5] = [
    "CANARY_ENV",
    "CANARY_PASSED",
    ".ssh",
    "canary-setup",
    ".env",
];

/// A project that ships a home, and a user who has what it is after.
fn shipped(world: &mut Hermetic, config: &str) -> Repo {
    std::fs::create_dir(world.home().join(".ssh")).unwrap();
    std::fs::write(world.home().join(".ssh/id_canary"), "canary\n").unwrap();
    world.set_env("CANARY_PASSED", "1");
    // A real database, with a run in it that could be shown, entered or landed.
    let donor = world.repo("donor");
    donor.file("a", "a\n");
    donor.commit("a");
    waiting(world, &donor, "planted", "echo x > x");
    let repo = committed(world);
    repo.file(".gitignore", "build/\n.env\n");
    std::fs::create_dir(repo.path(".taffrail")).unwrap();
    std::fs::copy(
        world.taffrail_home().join("taffrail.db"),
        repo.path(".taffrail/taffrail.db"),
    )
    .unwrap();
    repo.file(".taffrail/config.toml", config);
    for (name, mode) in [("", 0o700), ("taffrail.db", 0o600), ("config.toml", 0o600)] {
        let path = repo.path(".taffrail").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    repo.commit("ships a home");
    repo.file(".env", "TOKEN=canary\n");
    repo
}

#[test]
fn sto_01_s1_a_home_that_a_tree_ships_changes_nothing() {
    let mut world = world();
    let repo = shipped(&mut world, CANARIES);
    let ran = go(&world, &repo, &LOOK);
    for song in SONGS {
        assert!(!ran.stdout.contains(song), "{song}: {}", ran.snapshot());
    }
    assert!(
        ran.stderr.contains("network off") && ran.stderr.contains("own file is not used"),
        "{}",
        ran.stderr
    );
    let listed = go(&world, &repo, &["box", "list", "--all"]);
    assert!(!listed.stdout.contains("planted"), "{}", listed.stdout);
    assert!(world.home().join(".taffrail/taffrail.db").exists());
    // Below the tree's own root it is no different.
    std::fs::create_dir_all(repo.path("src/deep")).unwrap();
    let path = at_home(&world, &repo, &["config", "path"])
        .in_directory(repo.path("src/deep"))
        .go();
    assert_eq!(
        path.stdout.trim(),
        world.home().join(".taffrail/config.toml").to_str().unwrap()
    );
    let doctor = at_home(&world, &repo, &["doctor"]).go();
    assert!(
        doctor
            .stdout
            .contains(".taffrail looks like a home and is ignored"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn sto_01_s1_twin_the_same_in_the_users_own_home_is_in_force() {
    let mut world = world();
    let repo = shipped(&mut world, "");
    repo.remove(".taffrail/config.toml");
    std::fs::create_dir(world.home().join(".taffrail")).unwrap();
    std::fs::set_permissions(
        world.home().join(".taffrail"),
        std::fs::Permissions::from_mode(0o700),
    )
    .unwrap();
    let path = world.home().join(".taffrail/config.toml");
    std::fs::write(&path, CANARIES.replace("read = [\"/\"]\n", "")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    // A shell by its name is no agent, whatever an entry says.
    let look: Vec<&str> = ["box", "--agent", "shell"]
        .into_iter()
        .chain(LOOK.iter().copied().skip(1))
        .collect();
    let ran = go(&world, &repo, &look);
    for song in SONGS {
        assert!(ran.stdout.contains(song), "{song}: {}", ran.snapshot());
    }
    assert!(ran.stderr.contains("network on"), "{}", ran.stderr);
}

#[test]
fn sto_01_local_state_is_kept_where_its_user_listed_it() {
    let world = world();
    let repo = committed(&world);
    go(&world, &repo, &["init", "--local-state"]);
    let home = repo.path(".taffrail");
    let path = |folder: &Path| {
        let ran = at_home(&world, &repo, &["config", "path"])
            .in_directory(folder)
            .go()
            .success();
        ran.stdout.trim().to_owned()
    };
    let local = home.join("config.toml").display().to_string();
    let users = world
        .home()
        .join(".taffrail/config.toml")
        .display()
        .to_string();
    assert_eq!(path(repo.root()), local);
    std::fs::create_dir_all(repo.path("a/b")).unwrap();
    assert_eq!(path(&repo.path("a/b")), local);
    assert_eq!(
        path(&world.projects()),
        users,
        "elsewhere it is the user's own"
    );

    std::fs::write(repo.path(".git/info/exclude"), ".taffrail/\n").unwrap();
    let line = "box --name b -- touch x";
    go(&world, &repo, &line.split(' ').collect::<Vec<_>>());
    assert!(home.join("taffrail.db").exists());
    let listed = go(&world, &repo, &["box", "list"]);
    assert!(listed.stdout.contains("b  "), "{}", listed.stdout);
    // Again is no error, and loses nothing.
    go(&world, &repo, &["init", "--local-state"]);
    assert!(go(&world, &repo, &["box", "list"]).stdout.contains("b  "));

    // The same bytes in another place, or another directory in this place, are not what was listed.
    let copy = world.directory("copy");
    let copied = world
        .program(
            "cp",
            &["-a", home.to_str().unwrap(), copy.to_str().unwrap()],
        )
        .go();
    assert_eq!(copied.code, 0, "{}", copied.stderr);
    assert_eq!(path(&copy), users);
    std::fs::rename(&home, repo.path("moved")).unwrap();
    let again = world
        .program(
            "cp",
            &[
                "-a",
                repo.path("moved").to_str().unwrap(),
                home.to_str().unwrap(),
            ],
        )
        .go();
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(path(repo.root()), users, "another inode");
}

#[test]
fn sto_01_what_a_tree_ships_is_not_taken_over_as_local_state() {
    let mut world = world();
    let repo = shipped(&mut world, CANARIES);
    let ran = at_home(&world, &repo, &["init", "--local-state"]).go();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cannot hold local state") && ran.stderr.contains(".taffrail"),
        "{}",
        ran.stderr
    );
    let ran = go(&world, &repo, &LOOK);
    assert!(!ran.stdout.contains("CANARY_ENV"), "{}", ran.stdout);
}

#[test]
fn sto_01_a_list_that_others_can_write_lists_nothing() {
    let world = world();
    let repo = committed(&world);
    go(&world, &repo, &["init", "--local-state"]);
    let list = world.home().join(".taffrail/local-homes");
    std::fs::set_permissions(&list, std::fs::Permissions::from_mode(0o666)).unwrap();
    let ran = at_home(&world, &repo, &["config", "path"]).go();
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stderr.contains("local-homes"), "{}", ran.stderr);
}

/// Path and mode of everything below the home, but not the work trees, which are the command's own, and git's objects
/// of uncommitted work, which git makes read-only.
fn modes(home: &Path, found: &mut Vec<(String, u32)>) {
    let meta = home.symlink_metadata().unwrap();
    found.push((
        home.display().to_string(),
        meta.permissions().mode() & 0o7777,
    ));
    if meta.is_dir() && !home.ends_with("wt") && !home.ends_with("kept") {
        for entry in std::fs::read_dir(home).unwrap().flatten() {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn sto_01_s8_everything_is_private_whatever_the_umask() {
    for umask in ["000", "027", "077"] {
        let world = world();
        let repo = committed(&world);
        std::fs::remove_dir(world.taffrail_home()).unwrap();
        repo.file("README.md", "edited\n");
        let taffrail = env!("CARGO_BIN_EXE_taffrail");
        let line = format!(
            "umask {umask}; '{taffrail}' box --keep --include-uncommitted --name b -- sh -c 'umask 022; echo x > x' &&
             '{taffrail}' box review b >/dev/null && '{taffrail}' config show > /dev/null"
        );
        let ran = world
            .program("sh", &["-c", &line])
            .in_directory(repo.root())
            .go();
        assert_eq!(ran.code, 0, "umask {umask}: {}", ran.stderr);
        let mut found = Vec::new();
        modes(&world.taffrail_home(), &mut found);
        assert!(found.len() > 15, "{found:#?}");
        for (path, mode) in found {
            let is_tree = path.ends_with("/wt");
            let expected = if Path::new(&path).is_dir() {
                0o700
            } else {
                0o600
            };
            assert!(
                mode == expected || is_tree && mode & 0o700 == 0o700,
                "umask {umask}: {path} has {mode:o}"
            );
        }
    }
}

#[test]
fn sto_01_a_home_that_others_can_enter_is_refused_by_name() {
    let world = world();
    let repo = committed(&world);
    let home = world.taffrail_home();
    for mode in [0o755, 0o750, 0o701, 0o770, 0o1777] {
        std::fs::set_permissions(&home, std::fs::Permissions::from_mode(mode)).unwrap();
        let ran = world.taffrail_in(repo.root(), &["box", "--", "true"]);
        assert_eq!(ran.code, 1, "{mode:o}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(home.to_str().unwrap()) && ran.stderr.contains("700"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert!(!home.join("taffrail.db").exists());
        let json = world.taffrail_in(repo.root(), &["box", "list", "--json"]);
        assert_eq!(json.json()["error"]["code"], "home_unsafe");
    }
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).unwrap();
    world
        .taffrail_in(repo.root(), &["box", "--", "true"])
        .success();
}

#[test]
fn sto_01_a_home_that_is_no_absolute_path_or_no_directory_is_refused() {
    let world = world();
    let repo = committed(&world);
    let run = |home: &str| {
        world
            .command(&["box", "list"])
            .in_directory(repo.root())
            .env("TAFFRAIL_HOME", home)
            .go()
    };
    for home in ["relative", "./x", "~"] {
        let ran = run(home);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("not an absolute path"),
            "{}",
            ran.stderr
        );
    }
    let file = world.root().join("file");
    std::fs::write(&file, "").unwrap();
    let ran = run(file.to_str().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(file.to_str().unwrap()),
        "{}",
        ran.stderr
    );
}
