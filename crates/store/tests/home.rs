//! STO-01: which directory is the home, and that nothing in a cloned tree can become it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // The tests plant files as an attacker or a person would.

mod support;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use taffrail_store::{
    Found, Home, HomeError, HomeInputs, HomeSource, StoreError, init_local_state,
};
use tempfile::TempDir;

struct World {
    _dir: TempDir,
    user: PathBuf,
    tree: PathBuf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let (user, tree) = (root.join("user"), root.join("tree"));
        fs::create_dir_all(tree.join("src/deep")).unwrap();
        fs::create_dir(&user).unwrap();
        Self {
            _dir: dir,
            user,
            tree,
        }
    }

    fn resolve(&self, cwd: &Path) -> Result<Found, HomeError> {
        Home::resolve(&HomeInputs {
            taffrail_home: None,
            user_home: Some(&self.user),
            cwd,
        })
    }

    fn found(&self) -> Found {
        self.resolve(&self.tree.join("src/deep")).unwrap()
    }

    /// What a hostile repository ships.
    fn plant(&self) -> PathBuf {
        let planted = self.tree.join(".taffrail");
        fs::create_dir(&planted).unwrap();
        fs::set_permissions(&planted, Permissions::from_mode(0o700)).unwrap();
        for name in ["taffrail.db", "config.toml", "local-home"] {
            let path = planted.join(name);
            fs::write(&path, "canary = \"planted\"").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        }
        planted
    }

    fn list(&self) -> PathBuf {
        self.user.join(".taffrail/local-homes")
    }
}

#[test]
fn sto_01_a_planted_home_is_ignored_and_reported() {
    let world = World::new();
    let planted = world.plant();
    let found = world.found();
    assert_eq!(found.source, HomeSource::User);
    assert_eq!(found.home.root(), world.user.join(".taffrail"));
    assert_eq!(found.ignored, [planted]);
    let config = fs::read_to_string(found.home.config()).unwrap_or_default();
    assert!(!config.contains("canary"));
}

#[test]
fn sto_01_twin_the_planted_home_works_once_a_person_names_it() {
    let world = World::new();
    let planted = world.plant();
    let found = Home::resolve(&HomeInputs {
        taffrail_home: Some(planted.as_os_str()),
        user_home: Some(&world.user),
        cwd: &world.tree,
    })
    .unwrap();
    assert_eq!(found.source, HomeSource::Environment);
    let config = fs::read_to_string(found.home.config()).unwrap();
    assert!(config.contains("canary"));
}

#[test]
fn sto_01_a_listed_one_is_honoured_from_below() {
    let world = World::new();
    let home = init_local_state(&world.tree, &world.user).unwrap();
    assert_eq!(home.root(), world.tree.join(".taffrail"));
    let found = world.found();
    assert_eq!(found.source, HomeSource::Local);
    assert_eq!(found.home, home);
    assert!(found.ignored.is_empty());
    // Once more changes nothing.
    let before = fs::read(world.list()).unwrap();
    assert_eq!(init_local_state(&world.tree, &world.user).unwrap(), home);
    assert_eq!(fs::read(world.list()).unwrap(), before);
    assert!(home.check().unwrap());
}

#[test]
fn sto_01_the_nearest_listed_one_wins_and_a_planted_one_nearer_is_reported() {
    let world = World::new();
    let home = init_local_state(&world.tree, &world.user).unwrap();
    let nearer = world.tree.join("src/.taffrail");
    fs::create_dir(&nearer).unwrap();
    fs::write(nearer.join("config.toml"), "").unwrap();
    let found = world.found();
    assert_eq!(found.home, home);
    assert_eq!(found.ignored, [nearer]);
    let inner = init_local_state(&world.tree.join("src/deep"), &world.user).unwrap();
    assert_eq!(world.found().home, inner);
}

#[test]
fn sto_01_what_came_with_the_tree_is_not_taken_over() {
    let world = World::new();
    world.plant();
    let refused = init_local_state(&world.tree, &world.user).unwrap_err();
    assert!(
        matches!(refused, StoreError::Home(HomeError::NotLocal { .. })),
        "{refused}"
    );
    assert_eq!(world.found().source, HomeSource::User);
}

#[test]
fn sto_01_a_moved_copied_or_linked_one_is_not_honoured() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    let here = world.tree.join(".taffrail");
    let other = world.tree.join("src/.taffrail");
    fs::rename(&here, &other).unwrap();
    assert_eq!(world.found().source, HomeSource::User, "moved");
    symlink(&other, &here).unwrap();
    assert_eq!(world.found().source, HomeSource::User, "linked");
    fs::remove_file(&here).unwrap();
    fs::create_dir(&here).unwrap();
    fs::set_permissions(&here, Permissions::from_mode(0o700)).unwrap();
    fs::copy(other.join("local-home"), here.join("local-home")).unwrap();
    assert_eq!(world.found().source, HomeSource::User, "copied");
    fs::remove_dir_all(&here).unwrap();
    fs::rename(&other, &here).unwrap();
    assert_eq!(world.found().source, HomeSource::Local, "moved back");
}

#[test]
fn sto_01_a_reused_inode_is_found_out_by_the_token() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    // The same directory with other content stands for a new one that got the old one's inode.
    let token = world.tree.join(".taffrail/local-home");
    let real = fs::read(&token).unwrap();
    fs::write(&token, [b'0'; 32]).unwrap();
    assert_eq!(world.found().source, HomeSource::User);
    fs::write(&token, real).unwrap();
    assert_eq!(world.found().source, HomeSource::Local);
}

#[test]
fn sto_01_one_that_others_may_write_is_not_honoured() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    let here = world.tree.join(".taffrail");
    fs::set_permissions(&here, Permissions::from_mode(0o770)).unwrap();
    assert_eq!(world.found().source, HomeSource::User);
}

#[test]
fn sto_01_a_list_that_others_may_write_stops_everything() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    fs::set_permissions(world.list(), Permissions::from_mode(0o666)).unwrap();
    let refused = world.resolve(&world.tree).unwrap_err();
    assert!(refused.to_string().contains("local-homes"), "{refused}");
    assert!(refused.to_string().contains("0666"), "{refused}");
}

#[test]
fn sto_01_lines_that_make_no_sense_list_nothing() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    let mut list = fs::read(world.list()).unwrap();
    list.splice(
        0..0,
        *b"\n1 2\nx y z /\n-1 5 00000000000000000000000000000000 rel\n",
    );
    fs::write(world.list(), list).unwrap();
    assert_eq!(world.found().source, HomeSource::Local);
}

#[test]
fn sto_01_registrations_at_once_are_all_listed() {
    let world = World::new();
    let trees: Vec<_> = (0..8)
        .map(|at| world.user.join(format!("tree-{at}")))
        .collect();
    std::thread::scope(|scope| {
        for tree in &trees {
            fs::create_dir(tree).unwrap();
            scope.spawn(|| init_local_state(tree, &world.user).unwrap());
        }
    });
    for tree in &trees {
        assert_eq!(world.resolve(tree).unwrap().source, HomeSource::Local);
    }
}

#[test]
fn sto_01_environment_comes_first_and_must_be_absolute() {
    let world = World::new();
    init_local_state(&world.tree, &world.user).unwrap();
    let resolve = |value: &str| {
        Home::resolve(&HomeInputs {
            taffrail_home: Some(OsStr::new(value)),
            user_home: Some(&world.user),
            cwd: &world.tree,
        })
    };
    assert_eq!(resolve("").unwrap().source, HomeSource::Local);
    assert!(matches!(resolve("state"), Err(HomeError::Relative(_))));
    let named = world.user.join("elsewhere");
    let found = resolve(named.to_str().unwrap()).unwrap();
    assert_eq!(found.home.root(), named);
    assert!(!named.exists(), "resolving made it");
}

#[test]
fn sto_01_without_any_home_the_error_says_what_to_set() {
    let world = World::new();
    let none = Home::resolve(&HomeInputs {
        taffrail_home: None,
        user_home: None,
        cwd: &world.tree,
    });
    let error = none.unwrap_err().to_string();
    assert!(error.contains("TAFFRAIL_HOME"), "{error}");
}

#[test]
fn sto_01_a_wider_home_is_refused_by_name_and_left_as_it_is() {
    let world = World::new();
    for mode in [0o755, 0o701, 0o770, 0o1700, 0o2700] {
        let root = world.user.join(format!("{mode:o}"));
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, Permissions::from_mode(mode)).unwrap();
        let home = Home::at(&root).unwrap();
        let refused = home.create().unwrap_err().to_string();
        assert!(refused.contains(&format!("{mode:04o}")), "{refused}");
        assert!(refused.contains(root.to_str().unwrap()), "{refused}");
        assert!(home.check().is_err());
        let after = fs::metadata(&root).unwrap().permissions().mode();
        assert_eq!(after & 0o7777, mode, "a check must not repair");
    }
}

#[test]
fn sto_01_a_file_or_a_link_in_place_of_a_part_is_refused() {
    let world = World::new();
    let home = Home::at(&world.user.join("home")).unwrap();
    assert!(!home.check().unwrap(), "not there yet");
    home.create().unwrap();
    fs::remove_dir(home.checkouts()).unwrap();
    symlink(&world.tree, home.checkouts()).unwrap();
    assert!(home.check().is_err());
    assert!(home.create().is_err());
    fs::remove_file(home.checkouts()).unwrap();
    fs::write(home.checkouts(), "").unwrap();
    assert!(home.create().is_err());
}

#[test]
fn sto_01_a_database_with_a_wider_mode_is_not_opened() {
    let world = World::new();
    let home = Home::at(&world.user.join("home")).unwrap();
    drop(support::open(&home));
    fs::set_permissions(home.db(), Permissions::from_mode(0o644)).unwrap();
    let refused = taffrail_store::Store::open(&home, support::Backwards::new());
    let error = refused.err().unwrap().to_string();
    assert!(
        error.contains("taffrail.db") && error.contains("0644"),
        "{error}"
    );
}

#[test]
fn sto_01_a_home_of_another_user_is_refused_by_name() {
    // What belongs to root for an ordinary user, and to nobody for root.
    let world = World::new();
    let path = if rustix::process::geteuid().is_root() {
        let path = world.user.join("theirs");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(&path, Some(65_534), None).unwrap();
        path
    } else {
        PathBuf::from("/")
    };
    let refused = Home::at(&path).unwrap().check().unwrap_err().to_string();
    assert!(refused.contains("belongs to user"), "{refused}");
}

#[test]
fn sto_01_a_home_behind_a_link_is_used_by_its_real_path() {
    let world = World::new();
    let link = world.user.join("link");
    symlink(&world.tree, &link).unwrap();
    let home = Home::at(&link.join("new/home")).unwrap();
    assert_eq!(home.root(), world.tree.join("new/home"));
    let store = support::open(&home);
    support::insert(&store, support::new_id(), "a").unwrap();
    // A database that is a link itself is not followed.
    drop(store);
    let other = Home::at(&world.user.join("other")).unwrap();
    other.create().unwrap();
    symlink(home.db(), other.db()).unwrap();
    assert!(taffrail_store::Store::open(&other, support::Backwards::new()).is_err());
}
