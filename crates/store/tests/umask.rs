//! STO-01: directories 0700 and files 0600, whatever the umask. Alone in its binary: a umask is the process's.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Looks at what was made, with the plain file system.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::Mode;
use taffrail_redact::Clean;
use taffrail_store::{files, init_local_state};

#[test]
fn sto_01_modes_do_not_depend_on_the_umask() {
    for umask in [0o000, 0o022, 0o777] {
        let dir = tempfile::tempdir().unwrap();
        let before = rustix::process::umask(Mode::from_raw_mode(umask));
        let home = support::home_in(&dir);
        let store = support::open(&home);
        let id = support::new_id();
        support::insert(&store, id, "a").unwrap();
        store.add_event(&id, "started", &Clean::ours("{}")).unwrap();
        files::make_private_dir(&home.session(&id)).unwrap();
        files::write_private(&home.config(), b"").unwrap();
        let patch = home.session(&id).join("run.patch");
        files::create_private_writer(&patch).unwrap();
        init_local_state(dir.path(), dir.path().join("user").as_path()).unwrap();
        rustix::process::umask(before);
        let seen = check(home.root()) + check(&dir.path().join(".taffrail"));
        // Four parts, the database, its log and shared memory, configuration, session and patch; the local home.
        assert!(seen >= 15, "only {seen} looked at");
        assert!(home.db().with_extension("db-wal").exists());
    }
}

fn check(path: &Path) -> usize {
    let found = fs::symlink_metadata(path).unwrap();
    let wanted = if found.is_dir() { 0o700 } else { 0o600 };
    let mode = found.permissions().mode() & 0o7777;
    assert_eq!(mode, wanted, "{} has {mode:o}", path.display());
    let below = found.is_dir().then(|| fs::read_dir(path).unwrap());
    let below = below.into_iter().flatten();
    1 + below
        .map(|entry| check(&entry.unwrap().path()))
        .sum::<usize>()
}
