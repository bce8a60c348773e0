//! XSL-04: folders 0700 and files 0600, whatever the umask. Alone in its binary: a umask is the process's.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Looks at what was made, with the plain file system.

mod slates_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::Mode;
use slates_support::{NOW, folder, home_in, id, live, open, write};
use taffrail_domain::CloseTrigger;
use taffrail_store::Live;

#[test]
fn xsl_04_modes_do_not_depend_on_the_umask() {
    for umask in [0o000, 0o022, 0o077, 0o777] {
        let dir = tempfile::tempdir().unwrap();
        let home = home_in(&dir);
        let before = rustix::process::umask(Mode::from_raw_mode(umask));
        // The home itself is made by its own owner elsewhere; here by the first lock.
        let folder = folder(&home);
        for name in ["open", "Closed", "torn"] {
            open(&folder, &id(name), "");
            write(&folder, &id(name), "a text").unwrap();
        }
        let held = folder.lock(&id("Closed")).unwrap();
        let Live::Open(mut slate) = held.read().unwrap() else {
            panic!("it is not open");
        };
        slate.close(CloseTrigger::Close, NOW);
        held.put(&slate).unwrap();
        held.retire(&slate).unwrap();
        drop(held);
        let torn = live(&folder, &id("torn"));
        let file = fs::File::options().write(true).open(&torn).unwrap();
        file.set_len(10).unwrap();
        folder.lock(&id("torn")).unwrap().set_aside(NOW).unwrap();
        rustix::process::umask(before);
        // The home, its slates, the project, `locks` and `closed`; three slates, one to three locks and the one for making.
        let seen = check(home.root());
        assert!(seen >= 10, "only {seen} looked at");
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
