//! Which work tree a folder lies in (NB-01).

use std::path::Path;

use taffrail_gitbox::{WorkTree, work_tree};

use super::world::World;

fn find(world: &World, folder: &Path) -> Option<WorkTree> {
    work_tree(&world.git, folder).unwrap()
}

#[test]
fn nb_01_a_work_tree_needs_no_commit() {
    let world = World::empty();
    let below = world.repo.root().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    let found = find(&world, &below).unwrap();
    assert_eq!(found.root, world.repo.root());
    assert_eq!(found.common_dir, world.repo.root().join(".git"));
    assert_eq!(found.main_root(), world.repo.root());
}

#[test]
fn nb_01_outside_of_a_work_tree_there_is_none() {
    let world = World::with(&[("a", "1")]);
    for folder in [
        world.hermetic.directory("plain"),
        world.repo.root().join(".git"),
    ] {
        assert_eq!(find(&world, &folder), None, "{}", folder.display());
    }
    let bare = world.hermetic.directory("bare.git");
    world
        .repo
        .git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    assert_eq!(find(&world, &bare), None);
}

#[test]
fn nb_01_a_linked_work_tree_knows_the_main_one() {
    let world = World::with(&[("a", "1")]);
    let linked = world.repo.worktree("linked");
    let found = find(&world, linked.root()).unwrap();
    assert_eq!(found.root, linked.root());
    assert_eq!(found.main_root(), world.repo.root());
}

#[test]
fn nb_01_a_submodule_is_a_part_of_the_outer_work_tree() {
    let world = World::with(&[("a", "1")]);
    let other = world.hermetic.repo("other");
    other.file("x", "1");
    other.commit("first");
    world.repo.submodule(&other, "parts/other");
    let found = find(&world, &world.repo.root().join("parts/other")).unwrap();
    assert_eq!(found.root, world.repo.root());
    // A clone that only lies there is not a part of it.
    let clone = world.repo.root().join("clone");
    world.repo.git(&["init", "-q", clone.to_str().unwrap()]);
    assert_eq!(find(&world, &clone).unwrap().root, clone);
}

/// A repository that names another folder as its files does not take that folder for itself.
#[test]
fn nb_01_another_folder_named_by_config_is_not_taken() {
    let world = World::with(&[("a", "1")]);
    let victim = world.hermetic.directory("victim");
    world.repo.config("core.worktree", victim.to_str().unwrap());
    assert_eq!(find(&world, world.repo.root()), None);
}

/// Nor one that it lies in: what is beside it is not its own.
#[test]
fn cnf_01_a_folder_above_that_config_names_is_not_taken() {
    let world = World::with(&[("a", "1")]);
    let above = world.repo.root().parent().unwrap();
    world.repo.config("core.worktree", above.to_str().unwrap());
    assert_eq!(find(&world, world.repo.root()), None);
    // The twin: git itself takes it, and so does who only asks whether the folder lies in it.
    let said = world.repo.git(&["rev-parse", "--show-toplevel"]);
    assert_eq!(Path::new(said.trim()), above);
}

/// A folder that points at the repository of another project is not a part of that project.
#[test]
fn nb_01_a_git_file_that_names_another_repository_is_no_link() {
    let world = World::with(&[("a", "1")]);
    world.repo.worktree("linked");
    let theirs = world.repo.root().join(".git");
    type Mark<'a> = &'a dyn Fn(&Path);
    let marks: [(&str, Mark<'_>); 4] = [
        ("file", &|own: &Path| {
            std::fs::write(own, format!("gitdir: {}\n", theirs.display())).unwrap();
        }),
        ("link", &|own: &Path| {
            std::os::unix::fs::symlink(&theirs, own).unwrap();
        }),
        ("stolen", &|own: &Path| {
            let linked = theirs.join("worktrees/linked");
            std::fs::write(own, format!("gitdir: {}\n", linked.display())).unwrap();
        }),
        ("commondir", &|own: &Path| {
            std::fs::create_dir(own).unwrap();
            std::fs::copy(theirs.join("HEAD"), own.join("HEAD")).unwrap();
            std::fs::write(own.join("commondir"), theirs.to_str().unwrap()).unwrap();
        }),
    ];
    for (name, mark) in marks {
        let hostile = world.hermetic.directory(name);
        mark(&hostile.join(".git"));
        let found = find(&world, &hostile).unwrap();
        assert_eq!(found.main_root(), hostile, "{name}");
        assert_ne!(found.common_dir, theirs, "{name}");
    }
}
