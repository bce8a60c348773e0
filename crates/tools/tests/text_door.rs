//! What passes the door (FA-21): lines and bytes as they are, rights kept, and what the operator opened.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use support::{Ground, SECRET};
use taffrail_tools::{DoorError, DoorOptions, LARGEST_TEXT, Refusal, TextDoor, Written};

fn options(may_write: bool) -> DoorOptions {
    DoorOptions {
        may_write,
        ..DoorOptions::default()
    }
}

fn writing(ground: &Ground) -> TextDoor {
    TextDoor::open(&ground.root, options(true)).unwrap()
}

fn word<T>(came: &Result<T, DoorError>) -> &'static str {
    came.as_ref().map_or_else(DoorError::word, |_| "ok")
}

fn read(door: &TextDoor, path: impl AsRef<Path>) -> Result<String, DoorError> {
    door.read(path.as_ref(), None, None)
}

#[test]
fn fa_21_lines_are_given_as_they_are_and_none_beyond_the_end() {
    let ground = Ground::new();
    let text = "\u{feff}one\r\ntwo\r\n\n\rfour\nlast";
    ground.write("file", text);
    ground.write("ended", "one\n");
    ground.write("empty", "");
    let door = writing(&ground);
    let lines = |path: &str, line, limit| door.read(Path::new(path), line, limit).unwrap();
    for (line, limit, expect) in [
        (None, None, text),
        (Some(1), None, text),
        (Some(0), None, text),
        (None, Some(1), "\u{feff}one\r\n"),
        (Some(2), Some(2), "two\r\n\n"),
        (Some(4), Some(1), "\rfour\n"),
        (Some(5), Some(1), "last"),
        (Some(5), Some(9), "last"),
        (Some(4), None, "\rfour\nlast"),
        (Some(6), None, ""),
        (Some(6), Some(1), ""),
        (Some(u64::MAX), Some(u64::MAX), ""),
        (Some(1), Some(0), ""),
        (None, Some(u64::MAX), text),
    ] {
        assert_eq!(lines("file", line, limit), expect, "{line:?} {limit:?}");
    }
    assert_eq!(lines("ended", Some(2), None), "");
    assert_eq!(lines("empty", None, None), "");
    assert_eq!(lines("empty", Some(7), Some(7)), "");
}

#[test]
fn fa_21_one_call_reads_four_mebibytes_and_no_more() {
    let ground = Ground::new();
    let most = usize::try_from(LARGEST_TEXT).unwrap();
    ground.write("fits", "x".repeat(most));
    // Many lines, more than one call takes in all.
    let line = format!("{}\n", "y".repeat(999));
    ground.write("lines", line.repeat(5_000));
    let door = writing(&ground);
    assert_eq!(read(&door, "fits").unwrap().len(), most);
    assert_eq!(word(&read(&door, "lines")), "too_large");
    let some = door
        .read(Path::new("lines"), Some(4_900), Some(50))
        .unwrap();
    assert_eq!(some, line.repeat(50));
    let rest = door.read(Path::new("lines"), Some(4_900), None).unwrap();
    assert_eq!(rest.len(), 101 * line.len());
    // A hole in a file is read as zeroes: it costs nothing to make one.
    let hole = std::fs::File::create(ground.root.join("hole")).unwrap();
    hole.set_len(1 << 40).unwrap();
    assert_eq!(word(&read(&door, "hole")), "too_large");
    let far = door.read(Path::new("hole"), Some(2), Some(1));
    assert!(far.unwrap_err().to_string().contains("67108864 bytes"));
    // What is no text is none only where it is asked for.
    ground.write("mixed", b"text\n\xff\xfe\nmore\n");
    assert_eq!(
        door.read(Path::new("mixed"), Some(3), None).unwrap(),
        "more\n"
    );
    assert_eq!(word(&door.read(Path::new("mixed"), Some(2), None)), "unfit");
}

#[test]
fn fa_21_what_is_written_is_what_was_sent() {
    let ground = Ground::new();
    let door = writing(&ground);
    let text = "\u{feff}one\r\ntwo\n\0\u{10ffff}";
    assert_eq!(
        door.write(Path::new("new/deep/file"), text).unwrap(),
        Written::New
    );
    let path = ground.root.join("new/deep/file");
    assert_eq!(std::fs::read(&path).unwrap(), text.as_bytes());
    let before = std::fs::metadata(&path).unwrap();
    assert_eq!(
        door.write(Path::new("new/deep/file"), "").unwrap(),
        Written::Old
    );
    let after = std::fs::metadata(&path).unwrap();
    assert!(after.len() == 0 && before.ino() != after.ino());
    let most = usize::try_from(LARGEST_TEXT).unwrap();
    door.write(Path::new("fits"), &"x".repeat(most)).unwrap();
    let large = door
        .write(Path::new("large/file"), &"x".repeat(most + 1))
        .unwrap_err();
    assert!(large.to_string().contains("4194304 bytes"), "{large}");
    assert!(!ground.root.join("large").exists());
}

#[test]
fn fa_21_a_file_keeps_its_rights_but_for_those_of_its_owner_on_others() {
    let ground = Ground::new();
    let door = writing(&ground);
    let path = ground.root.join("file");
    for (mode, expect) in [
        (0o755, 0o755),
        (0o640, 0o640),
        (0o666, 0o666),
        (0o600, 0o600),
        (0o444, 0o444),
        (0o6755, 0o755),
    ] {
        ground.write("file", "before");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(
            door.write(Path::new("file"), "after").unwrap(),
            Written::Old
        );
        let found = std::fs::metadata(&path).unwrap().mode() & 0o7777;
        assert_eq!(found, expect, "{mode:o}");
        std::fs::remove_file(&path).unwrap();
    }
    // A new one has the rights that any program of this user would give it.
    std::fs::write(ground.root.join("plain"), "x").unwrap();
    door.write(Path::new("new"), "x").unwrap();
    let mode = |name: &str| std::fs::metadata(ground.root.join(name)).unwrap().mode();
    assert_eq!(mode("new"), mode("plain"));
}

#[test]
fn fa_21_nothing_is_written_where_the_run_may_not() {
    let ground = Ground::new();
    ground.write("file", "inside");
    let door = TextDoor::open(&ground.root, options(false)).unwrap();
    for path in ["file", "new/file", "/etc/passwd", ".env"] {
        let refused = door.write(Path::new(path), "x");
        let is_named = |error: &DoorError| {
            matches!(
                error,
                DoorError::Refused {
                    why: Refusal::ReadOnly,
                    ..
                }
            )
        };
        assert!(refused.as_ref().is_err_and(is_named), "{refused:?}");
    }
    assert_eq!(read(&door, "file").unwrap(), "inside");
    assert!(!ground.root.join("new").exists());
}

#[test]
fn cnf_01_s35_a_file_with_a_name_outside_is_not_written() {
    let ground = Ground::new();
    std::fs::hard_link(ground.outside.join("secret"), ground.root.join("name")).unwrap();
    let door = writing(&ground);
    assert_eq!(
        word(&door.write(Path::new("name"), "planted")),
        "hard_linked"
    );
    let secret = ground.outside.join("secret");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), SECRET);
    // The twin: written in place it is.
    std::fs::write(ground.root.join("name"), "planted").unwrap();
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "planted");
}

fn opened(ground: &Ground, allow_read: &[PathBuf], managed: &[PathBuf]) -> TextDoor {
    let options = DoorOptions {
        allow_read: allow_read.to_vec(),
        managed: managed.to_vec(),
        may_write: true,
    };
    TextDoor::open(&ground.root, options).unwrap()
}

#[test]
fn cnf_02_s39_a_credential_is_read_where_the_operator_named_it_and_never_written() {
    let ground = Ground::new();
    for path in [
        ".env",
        ".env.local",
        ".aws/config",
        ".aws/deep/key.pem",
        "dir/.env",
    ] {
        ground.write(path, SECRET);
    }
    let named = [
        PathBuf::from(".env"),
        ground.root.join(".aws"),
        "dir".into(),
        ".".into(),
    ];
    let door = opened(&ground, &named, &[]);
    for path in [".env", ".aws/config", ".aws/deep/key.pem"] {
        assert_eq!(read(&door, path).unwrap(), SECRET, "{path}");
        assert_eq!(
            read(&door, ground.root.join(path)).unwrap(),
            SECRET,
            "{path}"
        );
        assert_eq!(
            word(&door.write(Path::new(path), "x")),
            "credential",
            "{path}"
        );
    }
    // A folder that holds more than credentials opens none of them.
    for path in [".env.local", "dir/.env"] {
        assert_eq!(word(&read(&door, path)), "credential", "{path}");
    }
    // What was named is the name in the tree, and no link is followed from there.
    std::fs::remove_file(ground.root.join(".env")).unwrap();
    symlink(ground.outside.join("secret"), ground.root.join(".env")).unwrap();
    assert_eq!(word(&read(&door, ".env")), "symlink");
    // The twin: not named, none is read.
    assert_eq!(word(&read(&writing(&ground), ".aws/config")), "credential");
}

#[test]
fn cnf_02_files_and_folders_elsewhere_are_read_where_the_operator_named_them() {
    let ground = Ground::new();
    ground.write("../docs/page", "page");
    ground.write("../docs/deep/page", "deep");
    ground.write("../docs/.env", SECRET);
    ground.write("../keys/id_rsa", "key");
    ground.write("../keys/other", SECRET);
    ground.link("../outside/secret", "../docs/link");
    let at = |path: &str| ground.top.join(path);
    symlink(at("docs"), at("linked")).unwrap();
    let door = opened(&ground, &[at("linked"), at("keys/id_rsa")], &[]);
    for docs in ["docs", "linked"] {
        let read = |path: &str| read(&door, at(docs).join(path));
        assert_eq!(read("page").unwrap(), "page");
        assert_eq!(read("deep/page").unwrap(), "deep");
        assert_eq!(word(&read(".env")), "credential");
        assert_eq!(word(&read("link")), "symlink");
        assert_eq!(word(&read("../keys/id_rsa")), "form");
        assert_eq!(word(&read("absent")), "missing");
        assert_eq!(word(&door.write(&at(docs).join("page"), "x")), "outside");
    }
    assert_eq!(read(&door, at("keys/id_rsa")).unwrap(), "key");
    for path in ["keys/other", "keys", "keys/id_rsa/below", "outside/secret"] {
        assert_eq!(word(&read(&door, at(path))), "outside", "{path}");
    }
    assert_eq!(word(&read(&writing(&ground), at("docs/page"))), "outside");
    // What is not there cannot be opened to an agent that would make it.
    let mut options = options(false);
    options.allow_read = vec![at("absent")];
    assert_eq!(word(&TextDoor::open(&ground.root, options)), "missing");
}

#[test]
fn cnf_02_the_home_is_closed_but_for_what_the_operator_named_in_it() {
    let ground = Ground::new();
    ground.write("../user/.taffrail/taffrail.db", SECRET);
    ground.write("../user/.taffrail/notes/page", "page");
    ground.write("../user/.taffrail/checkouts/run_1/box/file", "inside");
    ground.write("../user/file", "file");
    let (user, home) = (ground.top.join("user"), ground.top.join("user/.taffrail"));
    let managed = std::slice::from_ref(&home);
    let door = opened(&ground, std::slice::from_ref(&user), managed);
    assert_eq!(read(&door, user.join("file")).unwrap(), "file");
    assert_eq!(word(&read(&door, home.join("taffrail.db"))), "managed");
    let door = opened(&ground, &[home.join("notes")], managed);
    assert_eq!(read(&door, home.join("notes/page")).unwrap(), "page");
    assert_eq!(word(&read(&door, home.join("taffrail.db"))), "outside");
    // The checkout of a run is nobody's state, and all that is beside it is.
    let checkout = home.join("checkouts/run_1/box");
    for (root, expect) in [
        (checkout.as_path(), "ok"),
        (&home.join("checkouts/run_1"), "managed"),
        (&home, "managed"),
    ] {
        let options = DoorOptions {
            managed: managed.to_vec(),
            ..options(true)
        };
        let opened = TextDoor::open(root, options);
        assert_eq!(word(&opened), expect, "{root:?}");
        if let Ok(door) = opened {
            assert_eq!(read(&door, "file").unwrap(), "inside");
            assert_eq!(door.write(&root.join("file"), "x").unwrap(), Written::Old);
            assert_eq!(word(&read(&door, home.join("taffrail.db"))), "outside");
        }
    }
}

#[test]
fn cnf_01_what_is_mounted_is_not_entered_and_devices_are_not_opened() {
    let open = |path: &str| TextDoor::open(Path::new(path), options(false)).unwrap();
    let door = open("/");
    for path in [
        "/proc/version",
        "/proc/self/environ",
        "proc/self/root/etc/passwd",
    ] {
        assert_eq!(word(&read(&door, path)), "outside", "{path}");
    }
    let devices = open("/dev");
    for device in ["null", "/dev/zero", "tty"] {
        assert_eq!(word(&read(&devices, device)), "unfit", "{device}");
    }
    // The twin: with the mount as the root it is read.
    assert_eq!(word(&read(&open("/proc"), "/proc/version")), "ok");
}

#[test]
fn fa_21_the_path_in_the_tree_is_told_for_policy_and_record() {
    let ground = Ground::new();
    let door = writing(&ground);
    let told = |path: &Path| door.beneath(path).map(|path| path.to_text());
    assert_eq!(told(Path::new("./a//b")).as_deref(), Some("a/b"));
    assert_eq!(told(&ground.root.join("a/b")).as_deref(), Some("a/b"));
    for other in ["", ".", "/etc/passwd", "a/../b", "a/"] {
        assert_eq!(told(Path::new(other)), None, "{other}");
    }
    assert_eq!(told(&ground.root), None);
}
