//! The table of paths on every door, by the kernel's resolution and by the walk.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, Mode};
use taffrail_domain::RepoPath;

use super::super::*;
use super::{Ground, SECRET, at, word};

/// What reading and replacing a path must come to: `ok`, `bad path` (it is no path in a repository), or an error's word.
struct Case(&'static [u8], &'static str, &'static str);

const CASES: &[Case] = &[
    // Plain.
    Case(b"file", "ok", "ok"),
    Case(b"dir/file", "ok", "ok"),
    Case(b"dir/sub/file", "ok", "ok"),
    Case(b".hidden", "ok", "ok"),
    Case(b"...", "ok", "ok"),
    Case(b"..file", "ok", "ok"),
    Case(b"sp ace/fi le", "ok", "ok"),
    Case(b"new\nline", "ok", "ok"),
    Case(b"\xff\xfe", "ok", "ok"),
    Case(b"dir\xff/file\xfe", "ok", "ok"),
    Case(b"back\\slash", "ok", "ok"),
    Case(b"..\\..\\outside\\secret", "absent", "ok"),
    Case(b"%2e%2e/outside/secret", "absent", "absent"),
    Case(b"~/secret", "absent", "absent"),
    // Not paths of a repository at all.
    Case(b"", "bad path", "bad path"),
    Case(b"/etc/passwd", "bad path", "bad path"),
    Case(b"//etc/passwd", "bad path", "bad path"),
    Case(b"..", "bad path", "bad path"),
    Case(b"../outside/secret", "bad path", "bad path"),
    Case(b"dir/../../outside/secret", "bad path", "bad path"),
    Case(b"dir/../file", "bad path", "bad path"),
    Case(b"dir/..", "bad path", "bad path"),
    Case(b"./file", "bad path", "bad path"),
    Case(b"dir/./file", "bad path", "bad path"),
    Case(b"dir//file", "bad path", "bad path"),
    Case(b"file/", "bad path", "bad path"),
    Case(b"fi\0le", "bad path", "bad path"),
    // Symlinks at the end.
    Case(b"to-secret", "symlink", "symlink"),
    Case(b"to-secret-absolute", "symlink", "symlink"),
    Case(b"to-file", "symlink", "symlink"),
    Case(b"to-outside", "symlink", "symlink"),
    Case(b"to-nothing-outside", "symlink", "symlink"),
    Case(b"to-nothing-inside", "symlink", "symlink"),
    Case(b"to-itself", "symlink", "symlink"),
    Case(b"ping", "symlink", "symlink"),
    Case(b"to-device", "symlink", "symlink"),
    Case(b"to-proc-root", "symlink", "symlink"),
    Case(b"dir/to-secret", "symlink", "symlink"),
    Case(b"dir/sub/to-secret", "symlink", "symlink"),
    Case(b"dir\xff/to-secret", "symlink", "symlink"),
    // Symlinks on the way.
    Case(b"to-outside/secret", "symlink", "symlink"),
    Case(b"to-outside/dir/secret", "symlink", "symlink"),
    Case(b"to-outside/absent", "symlink", "symlink"),
    Case(b"to-outside/absent/deeper", "symlink", "symlink"),
    Case(b"to-outside-absolute/secret", "symlink", "symlink"),
    Case(b"to-chain/secret", "symlink", "symlink"),
    Case(b"to-above/outside/secret", "symlink", "symlink"),
    Case(b"to-here/file", "symlink", "symlink"),
    Case(b"to-dir/file", "symlink", "symlink"),
    Case(b"to-slash/etc/passwd", "symlink", "symlink"),
    Case(b"to-proc-root/etc/passwd", "symlink", "symlink"),
    Case(b"to-itself/file", "symlink", "symlink"),
    Case(b"ping/file", "symlink", "symlink"),
    Case(b"to-nothing-outside/file", "symlink", "symlink"),
    Case(b"dir/to-outside/secret", "symlink", "symlink"),
    Case(b"dir/sub/to-outside/secret", "symlink", "symlink"),
    Case(b"dir/sub/to-outside/dir/secret", "symlink", "symlink"),
    // Missing, on the way and at the end.
    Case(b"absent", "absent", "ok"),
    Case(b"dir/absent", "absent", "ok"),
    Case(b"absent/file", "absent", "absent"),
    Case(b"absent/deeper/file", "absent", "absent"),
    Case(b"dir/absent/file", "absent", "absent"),
    // Through or onto what is no folder and no file.
    Case(b"file/below", "not a folder", "not a folder"),
    Case(b"file/below/deeper", "not a folder", "not a folder"),
    Case(b"pipe/below", "not a folder", "not a folder"),
    Case(b"dir", "not regular", "not regular"),
    Case(b"dir/sub", "not regular", "not regular"),
    Case(b"pipe", "not regular", "not regular"),
    Case(b"dir/pipe", "not regular", "not regular"),
    Case(b"socket", "not regular", "not regular"),
    // Other spellings of names that are there: other files, or nothing.
    Case(b"TO-OUTSIDE/secret", "absent", "absent"),
    Case(b"Dir/file", "absent", "absent"),
    Case(b"file.", "absent", "ok"),
    Case(b"file::$DATA", "absent", "ok"),
    Case(b"to-outside./secret", "absent", "absent"),
    Case("di\u{200c}r/file".as_bytes(), "absent", "absent"),
    // A second name of a file outside: the same bytes are read, never written.
    Case(b"hard", "ok", "ok"),
];

fn ground() -> Ground {
    use std::os::unix::ffi::OsStrExt;
    let ground = Ground::new();
    let path = |name: &[u8]| ground.root.join(std::ffi::OsStr::from_bytes(name));
    for dir in [b"dir/sub".as_slice(), b"sp ace", b"dir\xff"] {
        std::fs::create_dir_all(path(dir)).unwrap();
    }
    let files: [&[u8]; 11] = [
        b"file",
        b"dir/file",
        b"dir/sub/file",
        b".hidden",
        b"...",
        b"..file",
        b"sp ace/fi le",
        b"new\nline",
        b"\xff\xfe",
        b"dir\xff/file\xfe",
        b"back\\slash",
    ];
    for file in files {
        std::fs::write(path(file), b"inside").unwrap();
    }
    let absolute = ground.outside.to_str().unwrap();
    let absolute_secret = format!("{absolute}/secret");
    let links: [(&str, &[u8]); 24] = [
        ("../outside/secret", b"to-secret"),
        (&absolute_secret, b"to-secret-absolute"),
        ("file", b"to-file"),
        ("../outside", b"to-outside"),
        (absolute, b"to-outside-absolute"),
        ("../outside/absent", b"to-nothing-outside"),
        ("dir/absent", b"to-nothing-inside"),
        ("to-itself", b"to-itself"),
        ("pong", b"ping"),
        ("ping", b"pong"),
        ("/dev/zero", b"to-device"),
        ("/proc/self/root", b"to-proc-root"),
        ("../../outside/secret", b"dir/to-secret"),
        (&absolute_secret, b"dir/sub/to-secret"),
        ("../../outside/secret", b"dir\xff/to-secret"),
        ("to-outside", b"to-chain"),
        ("..", b"to-above"),
        (".", b"to-here"),
        ("dir", b"to-dir"),
        ("/", b"to-slash"),
        ("../../outside", b"dir/to-outside"),
        (absolute, b"dir/sub/to-outside"),
        ("/proc/self/cwd", b"to-cwd"),
        ("/proc/self/fd", b"to-fds"),
    ];
    for (target, link) in links {
        symlink(target, path(link)).unwrap();
    }
    for pipe in [b"pipe".as_slice(), b"dir/pipe"] {
        rustix::fs::mkfifoat(CWD, path(pipe), Mode::from_raw_mode(0o600)).unwrap();
    }
    drop(UnixListener::bind(path(b"socket")).unwrap());
    std::fs::hard_link(ground.outside.join("secret"), path(b"hard")).unwrap();
    ground
}

fn outcome(case: &[u8], door: impl FnOnce(&RepoPath) -> Result<(), FsError>) -> &'static str {
    match RepoPath::new(case) {
        Err(_) => "bad path",
        Ok(path) => door(&path).map_or_else(|error| word(&error), |()| "ok"),
    }
}

#[test]
fn cnf_01_s6_reading() {
    assert!(CASES.len() >= 60);
    let ground = ground();
    for root in ground.both() {
        for Case(path, expect, _) in CASES {
            let text = String::from_utf8_lossy(path);
            let read = outcome(path, |path| {
                let bytes = root.read(path, 100)?;
                let expect = if path.name() == b"hard" {
                    SECRET
                } else {
                    b"inside"
                };
                assert_eq!(bytes, expect, "{path:?}");
                Ok(())
            });
            assert_eq!(read, *expect, "read {text:?}");
            let opened = outcome(path, |path| root.open_file(path).map(drop));
            assert_eq!(opened, *expect, "open {text:?}");
        }
    }
    ground.assert_outside_is_as_it_was();
}

#[test]
fn cnf_01_s6_writing() {
    for walk in 0..2 {
        let ground = ground();
        let Some(root) = ground.both().into_iter().nth(walk) else {
            return;
        };
        for Case(path, _, expect) in CASES {
            let text = String::from_utf8_lossy(path);
            let written = outcome(path, |path| {
                let before = root.read(path, 100);
                root.replace(path, b"written", 0o644)?;
                assert_eq!(root.read(path, 100)?, b"written");
                // As it was, for the next case.
                root.remove_file(path)?;
                before.map_or(Ok(()), |before| root.write_new(path, &before, 0o644))
            });
            assert_eq!(written, *expect, "replace {text:?}");
            ground.assert_outside_is_as_it_was();
        }
    }
}

/// Every other door that changes something: whatever it answers, nothing outside changes, and no link is passed.
#[test]
fn cnf_01_s6_every_other_door() {
    type Door = (&'static str, fn(&Root, &RepoPath) -> Result<(), FsError>);
    let doors: [Door; 7] = [
        ("write_new", |root, path| {
            root.write_new(path, b"written", 0o644)
        }),
        ("create_dirs", |root, path| root.create_dirs(path, 0o755)),
        ("symlink", |root, path| root.symlink(b"target", path)),
        ("remove_file", |root, path| root.remove_file(path)),
        ("remove_tree", |root, path| root.remove_tree(path)),
        ("entries", |root, path| root.entries(Some(path)).map(drop)),
        ("stat", |root, path| root.stat(path).map(drop)),
    ];
    for (name, door) in doors {
        let ground = ground();
        for root in ground.both() {
            for Case(path, _, _) in CASES {
                let passes_link = passes_a_link(&root, path);
                let came = outcome(path, |path| door(&root, path));
                let text = String::from_utf8_lossy(path);
                if passes_link {
                    assert_eq!(came, "symlink", "{name} {text:?}");
                }
                ground.assert_outside_is_as_it_was();
            }
        }
    }
}

/// Whether a part before the last is a symlink now.
fn passes_a_link(root: &Root, path: &[u8]) -> bool {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    RepoPath::new(path).is_ok()
        && ends
            .map(|(end, _)| at(&path[..end]))
            .any(|above| matches!(root.stat(&above), Ok((EntryKind::Symlink, _))))
}

/// The twin: by path, the same names lead outside.
#[test]
fn cnf_01_s6_twin_by_path_the_links_lead_outside() {
    let ground = ground();
    for path in [
        "to-secret",
        "to-outside/secret",
        "to-chain/secret",
        "dir/to-secret",
    ] {
        let joined = ground.root.join(path);
        assert!(
            joined.starts_with(&ground.root),
            "a test of the text lets it pass"
        );
        assert_eq!(std::fs::read(joined).unwrap(), SECRET);
    }
    std::fs::write(ground.root.join("to-nothing-outside"), b"planted").unwrap();
    assert_eq!(
        std::fs::read(ground.outside.join("absent")).unwrap(),
        b"planted"
    );
    std::fs::write(ground.root.join("hard"), b"changed").unwrap();
    assert_eq!(
        std::fs::read(ground.outside.join("secret")).unwrap(),
        b"changed"
    );
}

#[test]
fn cnf_01_devices_are_not_opened() {
    for root in super::both(std::path::Path::new("/dev")) {
        for device in ["null", "zero", "tty"] {
            assert_eq!(
                word(&root.read(&at(device), 10).unwrap_err()),
                "not regular"
            );
            let error = root.replace(&at(device), b"x", 0o644).unwrap_err();
            assert_eq!(word(&error), "not regular");
        }
    }
    let null = std::fs::symlink_metadata("/dev/null").unwrap();
    assert!(null.file_type().is_char_device());
}

#[test]
fn lists_and_describes_without_following() {
    let ground = ground();
    for root in ground.both() {
        let entries = root.entries(None).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry.name.clone()).collect();
        assert!(names.is_sorted());
        assert_eq!(
            names.len(),
            std::fs::read_dir(&ground.root).unwrap().count()
        );
        let kind = |name: &[u8]| {
            entries
                .iter()
                .find(|entry| entry.name == name)
                .unwrap()
                .kind
        };
        assert_eq!(kind(b"to-outside"), EntryKind::Symlink);
        assert_eq!(kind(b"pipe"), EntryKind::Other);
        assert_eq!(kind(b"dir"), EntryKind::Dir);
        assert_eq!(kind(b"\xff\xfe"), EntryKind::File);
        assert_eq!(root.entries(Some(&at("dir/sub"))).unwrap().len(), 3);
        assert_eq!(root.stat(&at("hard")).unwrap().1.links, 2);
        assert_eq!(root.stat(&at("file")).unwrap().1.links, 1);
        assert_eq!(root.read_link(&at("to-outside")).unwrap(), b"../outside");
        assert_eq!(
            word(&root.read_link(&at("file")).unwrap_err()),
            "not a symlink"
        );
        assert_eq!(
            word(&root.entries(Some(&at("file"))).unwrap_err()),
            "not a folder"
        );
    }
}

#[test]
fn times_and_modes_are_told() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let ground = ground();
    let path = ground.root.join("file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let expect = std::fs::metadata(&path).unwrap();
    let root = Root::open(&ground.root).unwrap();
    let (kind, stat) = root.stat(&at("file")).unwrap();
    let nanos = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    assert_eq!(kind, EntryKind::File);
    assert!(stat.executable);
    assert_eq!(
        (stat.len, stat.ino, stat.dev),
        (6, expect.ino(), expect.dev())
    );
    assert_eq!(stat.mtime_ns, nanos(expect.mtime(), expect.mtime_nsec()));
    assert_eq!(stat.ctime_ns, nanos(expect.ctime(), expect.ctime_nsec()));
    assert!(!root.stat(&at("dir/file")).unwrap().1.executable);
}

#[test]
fn reading_stops_at_its_limit() {
    let ground = ground();
    let root = Root::open(&ground.root).unwrap();
    assert_eq!(root.read(&at("file"), 6).unwrap(), b"inside");
    let error = root.read(&at("file"), 5).unwrap_err();
    assert!(matches!(error, FsError::TooLarge { limit: 5, .. }));
    assert_eq!(error.path(), ground.root.join("file"));
    let absent = Root::open(&ground.root.join("absent")).err().unwrap();
    assert_eq!(word(&absent), "absent");
}
