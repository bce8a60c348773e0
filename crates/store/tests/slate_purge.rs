//! STO-09, STO-10 for slates: erased whole or kept whole, found when nothing names them.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Looks at files from outside.

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use rusqlite::Connection;
use support::clean;
use support::memory::{project, random};
use support::seeds::{external, workspace_id};
use support::slates::{NOW, SENTINEL, files_below, slates};
use taffrail_domain::{CloseTrigger, Millis, ProjectId, WorkspaceStatus};
use taffrail_slate::external::{Anchors, Seed, Slate};
use taffrail_store::{Live, Peek, PurgeScope, Whose, files};

#[test]
fn sto_09_a_purged_project_takes_its_workspaces_and_slates_along() {
    let world = slates();
    let said = format!("Ferries {SENTINEL} leave.");
    let other = project(&world.store, "other", "/other").id;
    let title = clean(SENTINEL);
    world
        .store
        .create_workspace(workspace_id(), Some(&world.project), &title)
        .unwrap();
    world.open(Some(&world.project), "open", &[&said]);
    world.closed(
        Some(&world.project),
        "bound",
        &[&said],
        Some(world.workspace),
    );
    world.closed(Some(&world.project), "unbound", &[&said], None);
    let folder = world.folder(Some(&world.project)).path().to_owned();
    files::write_private(&folder.join("bad.corrupt-20260801-143005"), said.as_bytes()).unwrap();
    world.closed(Some(&other), "kept", &["Nights are dark."], None);
    world.open(None, "mine", &["A personal seed."]);
    assert!(world.holding(SENTINEL).len() >= 5);
    let purged = world.purge(PurgeScope::Project(world.project));
    let counts = &purged.counts;
    assert_eq!(
        (counts.workspaces, counts.slates, counts.unbound),
        (2, 2, 1)
    );
    assert_eq!(world.holding(SENTINEL), Vec::<PathBuf>::new());
    assert!(!folder.exists());
    assert_eq!(world.store.unbound(&Whose::All, None).unwrap().len(), 1);
    assert!(world.folder(None).path().join("mine.json").is_file());
    assert!(
        world
            .folder(Some(&other))
            .path()
            .join("closed/kept.1.json")
            .is_file()
    );
}

#[test]
fn nb_01_a_removed_project_takes_its_workspaces_and_slates_along() {
    let world = slates();
    world.open(Some(&world.project), "open", &[SENTINEL]);
    world.closed(
        Some(&world.project),
        "bound",
        &[SENTINEL],
        Some(world.workspace),
    );
    let held = world.store.project_holdings(&world.project).unwrap();
    assert_eq!((held.memories, held.workspaces, held.slates), (1, 1, 1));
    assert_eq!(world.store.remove_project(&world.project).unwrap(), held);
    assert!(world.store.finish_erasing(&world.home).unwrap());
    assert_eq!(world.holding(SENTINEL), Vec::<PathBuf>::new());
    assert_eq!(world.store.workspaces(&Whose::All, true).unwrap(), []);
}

#[test]
fn sto_09_a_purged_memory_leaves_its_proposal_without_its_text() {
    let world = slates();
    let (said, stays) = (format!("Ferries {SENTINEL} leave."), "Nights are dark.");
    let spaced = format!("  {said}\n");
    // The same thing twice in one slate is one candidate; in another it is a repeat.
    let mut slate = world.open(Some(&world.project), "a", &[&said, &spaced, stays]);
    let row = {
        let kept: Vec<Seed> = vec![slate.seeds()[0].clone(), slate.seeds()[2].clone()];
        let mut proposed = Slate::new(&external("a"), 1, Anchors::default(), NOW);
        kept.into_iter()
            .for_each(|seed| proposed.add(seed).unwrap());
        world.row(Some(&world.project), &proposed, Some(world.workspace))
    };
    slate.close(CloseTrigger::Close, NOW);
    {
        let folder = world.folder(Some(&world.project));
        let held = folder.lock(&external("a")).unwrap();
        held.put(&slate).unwrap();
        held.retire(&slate).unwrap();
    }
    world.closed(Some(&world.project), "b", &[&said], Some(world.workspace));
    // Its close was cut off after the row: the file is where it was.
    let cut = world.open(Some(&world.project), "c", &[&said]);
    world.row(Some(&world.project), &cut, Some(world.workspace));
    let memory = world.memory_of(&row, 0);
    let hash = slate.seeds()[0].hash();
    assert!(!world.holding(&hash).is_empty());
    let purged = world.purge(PurgeScope::Memory(memory));
    assert_eq!((purged.counts.memories, purged.files), (1, 3));
    assert_eq!(world.holding(SENTINEL), Vec::<PathBuf>::new());
    assert_eq!(
        world.holding(&hash),
        Vec::<PathBuf>::new(),
        "a hash says whether a guess is right"
    );
    let after = world
        .store
        .find_proposal(&row.proposals[0].id.short())
        .unwrap();
    let (gone, kept) = (&after.candidates[0], &after.candidates[1]);
    assert_eq!((gone.memory, gone.waits()), (None, false));
    assert!(gone.seed.contains(&slate.seeds()[0].id));
    assert_eq!(
        world
            .store
            .memory(&kept.memory.unwrap())
            .unwrap()
            .text
            .content,
        stays
    );
    assert_eq!(world.holding(stays).len(), 2, "the database and the slate");
    assert_eq!(world.live("c"), Live::None);
    // The outcome of the slate is what it was.
    let again = world
        .store
        .newest_closure(Some(&world.project), &external("a"))
        .unwrap();
    assert_eq!(again.unwrap(), row);
}

#[test]
fn sto_09_a_purge_that_was_cut_off_after_its_rows_is_finished_later() {
    let world = slates();
    let row = world.closed(
        Some(&world.project),
        "a",
        &[SENTINEL],
        Some(world.workspace),
    );
    // What a kill between the transaction and the files leaves.
    let memory = world.memory_of(&row, 0);
    let file = world
        .folder(Some(&world.project))
        .path()
        .join("closed/a.1.json");
    let bytes = fs::read(&file).unwrap();
    world.purge(PurgeScope::Memory(memory));
    files::write_private(&file, &bytes).unwrap();
    let conn = Connection::open(world.home.db()).unwrap();
    conn.execute(
        "INSERT INTO settings (name, value, changed_at) VALUES ('erasing', 'unfinished', 1)",
        [],
    )
    .unwrap();
    drop(conn);
    assert!(world.store.finish_erasing(&world.home).unwrap());
    assert_eq!(world.holding(SENTINEL), Vec::<PathBuf>::new());
}

#[test]
fn sto_09_before_a_time_closed_slates_go_and_open_ones_stay() {
    let world = slates();
    let said = format!("Ferries {SENTINEL} leave.");
    world.closed(
        Some(&world.project),
        "bound",
        &[&said],
        Some(world.workspace),
    );
    world.closed(Some(&world.project), "unbound", &[&said], None);
    world.closed(None, "mine", &[&said], None);
    world.open(Some(&world.project), "open", &["Nobody has seen it."]);
    let archived = world
        .store
        .create_workspace(workspace_id(), None, &clean("old"))
        .unwrap()
        .id;
    world
        .store
        .set_workspace_status(&archived, WorkspaceStatus::Archived)
        .unwrap();
    let purged = world.purge(PurgeScope::Before(Millis(i64::MAX)));
    let counts = &purged.counts;
    assert_eq!(
        (
            counts.memories,
            counts.slates,
            counts.unbound,
            counts.workspaces
        ),
        (1, 3, 2, 1)
    );
    assert_eq!(world.holding(SENTINEL), Vec::<PathBuf>::new());
    let left = world.store.workspaces(&Whose::All, true).unwrap();
    assert_eq!(
        left.iter().map(|row| row.id).collect::<Vec<_>>(),
        [world.workspace]
    );
    assert!(matches!(world.live("open"), Live::Open(_)));
    assert!(
        world
            .purge(PurgeScope::Before(Millis(i64::MAX)))
            .counts
            .is_empty()
    );
    // Nothing is from before the first day.
    world.closed(
        Some(&world.project),
        "later",
        &["Nights are dark."],
        Some(world.workspace),
    );
    assert!(world.purge(PurgeScope::Before(Millis(0))).counts.is_empty());
    assert_eq!(world.holding("Nights are dark.").len(), 2);
}

/// An older database, put back by hand, beside the slates of a later project.
#[test]
fn sto_09_a_purge_erases_no_slates_of_a_project_that_was_never_on_record_here() {
    let world = slates();
    let later = ProjectId::new(1, random());
    world.open(Some(&later), "later", &["Acknowledged."]);
    world.closed(Some(&world.project), "mine", &["Mine."], None);
    let kept = world.folder(Some(&later)).path().join("later.json");
    let erased = world.folder(Some(&world.project)).path().to_owned();
    world.purge(PurgeScope::Project(world.project));
    assert!(kept.is_file() && !erased.exists());
}

#[test]
fn sto_10_the_doctor_counts_what_waits_and_finds_folders_without_a_project() {
    let world = slates();
    world.closed(
        Some(&world.project),
        "a",
        &["Ferries leave at nine.", "Nights are dark."],
        Some(world.workspace),
    );
    world.closed(None, "b", &["Unbound."], None);
    let lost = ProjectId::new(1, random());
    world.open(Some(&lost), "lost", &["Seeds of nobody."]);
    let lost = world.folder(Some(&lost)).path().to_owned();
    let temporary = world.folder(None).path().join("b.0123456789abcdef.tmp");
    files::write_private(&temporary, b"half").unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH;
    fs::File::options()
        .write(true)
        .open(&temporary)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let peek = Peek::open(&world.home).unwrap().unwrap();
    let counts = peek.counts().unwrap();
    assert_eq!(
        (counts.workspaces, counts.proposals, counts.unbound),
        (1, 1, 1)
    );
    let orphans = peek.orphans(&world.home).unwrap();
    assert_eq!(
        (orphans.folders, orphans.leftovers),
        (vec![lost.clone()], vec![temporary.clone()])
    );
    drop(peek);
    world.store.repair(&world.home).unwrap();
    assert!(!lost.exists() && !temporary.exists());
    let aside = files_below(&world.home.backups());
    assert!(
        aside.iter().any(|path| path.ends_with("lost.json")),
        "{aside:?}"
    );
    assert!(
        Peek::open(&world.home)
            .unwrap()
            .unwrap()
            .orphans(&world.home)
            .unwrap()
            .is_empty()
    );
    // What can be reached by others is closed.
    let file = world.folder(None).path().join("closed/b.1.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(taffrail_store::mend_modes(&world.home).unwrap(), 1);
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
}
