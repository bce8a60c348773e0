//! The table of paths on both ways through the door (FA-21, CNF-01, CNF-02; S6, S37, S39).
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use support::{Ground, SECRET};
use taffrail_tools::{DoorError, DoorOptions, TextDoor, Written};

/// A path, and what comes of reading and of writing it. `@` at the front is the root's own path.
struct Case(&'static str, &'static str, &'static str);

const fn open(path: &'static str) -> Case {
    Case(path, "ok", "ok")
}

const fn absent(path: &'static str) -> Case {
    Case(path, "missing", "ok")
}

const fn closed(path: &'static str, why: &'static str) -> Case {
    Case(path, why, why)
}

const CASES: &[Case] = &[
    // Plain, in every way that means the same.
    open("file"),
    open("dir/file"),
    open("dir/sub/file"),
    open("./dir/file"),
    open("././file"),
    open("dir//file"),
    open("dir/./file"),
    open(".hidden"),
    open("..."),
    open("..file"),
    open("sp ace/fi le"),
    open("new\nline"),
    open("back\\slash"),
    open("caf\u{e9}"),
    open("@/file"),
    open("@/dir/sub/file"),
    open("@//file"),
    open("/@/file"),
    open("//@//dir///file"),
    open("@/./file"),
    // Folders, and what names one.
    closed("dir", "unfit"),
    closed("dir/", "unfit"),
    closed("dir/.", "unfit"),
    closed("file/", "unfit"),
    closed(".", "unfit"),
    closed("./", "unfit"),
    closed("@", "unfit"),
    closed("@/", "unfit"),
    closed("/", "unfit"),
    // No path of a file.
    closed("", "form"),
    closed("..", "form"),
    closed("../outside/secret", "form"),
    closed("./../outside/secret", "form"),
    closed("dir/..", "form"),
    closed("dir/../file", "form"),
    closed("dir/../../outside/secret", "form"),
    closed("@/../outside/secret", "form"),
    closed("@/dir/../file", "form"),
    closed("@/../root/file", "form"),
    closed("/proc/self/root/../etc/passwd", "form"),
    closed("fi\0le", "form"),
    closed("file\0", "form"),
    // Elsewhere.
    closed("/etc/passwd", "outside"),
    closed("//etc/passwd", "outside"),
    closed("/file", "outside"),
    closed("@-evil/file", "outside"),
    closed("@evil", "outside"),
    closed("@.", "outside"),
    closed("@ /file", "outside"),
    closed("/@evil/file", "outside"),
    closed("/proc/self/environ", "outside"),
    closed("/proc/self/cwd/Cargo.toml", "outside"),
    closed("/proc/self/root@/file", "outside"),
    closed("/proc/self/fd/0", "outside"),
    closed("/dev/null", "outside"),
    closed("/dev/tty", "outside"),
    closed("/tmp", "outside"),
    // Symlinks, at the end and on the way: out, in, absolute, to nothing, round, by magic.
    closed("to-secret", "symlink"),
    closed("to-secret-absolute", "symlink"),
    closed("to-file", "symlink"),
    closed("@/to-file", "symlink"),
    closed("to-outside", "symlink"),
    closed("to-outside/secret", "symlink"),
    closed("to-outside/dir/secret", "symlink"),
    closed("to-outside/new", "symlink"),
    closed("to-outside/new/deeper", "symlink"),
    closed("to-dir/file", "symlink"),
    closed("to-here/file", "symlink"),
    closed("to-above/outside/secret", "symlink"),
    closed("to-chain/secret", "symlink"),
    closed("to-slash/etc/passwd", "symlink"),
    closed("to-nothing", "symlink"),
    closed("to-itself", "symlink"),
    closed("ping", "symlink"),
    closed("ping/file", "symlink"),
    closed("to-root-by-magic/etc/passwd", "symlink"),
    closed("to-file-by-magic", "symlink"),
    closed("to-working-folder", "symlink"),
    closed("dir/to-outside/secret", "symlink"),
    closed("to-env", "symlink"),
    closed("to-git/config", "symlink"),
    // What is no regular file.
    closed("pipe", "unfit"),
    closed("dir/pipe", "unfit"),
    closed("socket", "unfit"),
    closed("pipe/below", "unfit"),
    closed("file/below", "unfit"),
    // What is no text, and too much of it.
    Case("large", "too_large", "ok"),
    Case("latin", "unfit", "ok"),
    Case("binary", "unfit", "ok"),
    Case("sixteen", "unfit", "ok"),
    // Two names of one file.
    Case("one", "ok", "hard_linked"),
    Case("dir/two", "ok", "hard_linked"),
    // Not there: in the folders that are, and below those that are not.
    absent("absent"),
    absent("dir/absent"),
    absent("new/deep/er/file"),
    absent("@/new/file"),
    absent("~/secret"),
    absent("%2e%2e/outside/secret"),
    absent("..\\outside\\secret"),
    absent("FILE"),
    absent("file."),
    absent("di\u{200c}r/file"),
    absent("cafe\u{301}"),
    absent("file:///etc/passwd"),
    // Credentials: there or not, in every spelling.
    closed(".env", "credential"),
    closed("@/.env", "credential"),
    closed(".//.env", "credential"),
    closed(".ENV", "credential"),
    closed(".env.local", "credential"),
    closed("dir/.Env.Production", "credential"),
    closed("absent/.env", "credential"),
    closed(".env.", "credential"),
    closed(".env ", "credential"),
    closed(".env::$DATA", "credential"),
    closed(".e\u{200c}nv", "credential"),
    closed("id_rsa", "credential"),
    closed("tls/server.KEY", "credential"),
    closed(".aws/config", "credential"),
    closed(".\u{17f}sh/config", "credential"),
    closed(".npmrc", "credential"),
    closed("sub/.netrc", "credential"),
    closed("to-outside/.env", "credential"),
    open(".env.example"),
    open("id_rsa.pub"),
    // State that git and Taffrail manage: read by name, never written, under any name.
    Case(".git/config", "ok", "managed"),
    Case("dir/.git/HEAD", "ok", "managed"),
    Case(".taffrail/config.toml", "ok", "managed"),
    Case("@/.git/config", "ok", "managed"),
    Case(".git", "unfit", "managed"),
    Case(".GIT/config", "missing", "managed"),
    Case("git~1/hooks/pre-commit", "missing", "managed"),
    Case(".g\u{200d}it/config", "missing", "managed"),
    Case(".git./hooks/post-checkout", "missing", "managed"),
    Case("absent/.git/config", "missing", "managed"),
    Case("state", "unfit", "managed"),
    closed("state/taffrail.db", "managed"),
    closed("state/absent", "managed"),
    closed("state/new/file", "managed"),
    closed("state/checkouts/run_1/box/file", "managed"),
    open(".gitignore"),
    open("git/config"),
];

const PLAIN: &[&str] = &[
    "file",
    "dir/file",
    "dir/sub/file",
    ".hidden",
    "...",
    "..file",
    "sp ace/fi le",
    "new\nline",
    "back\\slash",
    "caf\u{e9}",
    ".env.example",
    "id_rsa.pub",
    ".gitignore",
    "git/config",
    ".git/config",
    "dir/.git/HEAD",
    ".taffrail/config.toml",
    "one",
];

const HELD: &[&str] = &[
    ".env",
    ".env.local",
    "dir/.Env.Production",
    "id_rsa",
    "tls/server.KEY",
    ".aws/config",
    ".npmrc",
    "sub/.netrc",
    "state/taffrail.db",
    "state/checkouts/run_1/box/file",
];

const LINKS: &[(&str, &str)] = &[
    ("../outside/secret", "to-secret"),
    ("file", "to-file"),
    ("../outside", "to-outside"),
    ("dir", "to-dir"),
    (".", "to-here"),
    ("..", "to-above"),
    ("to-outside", "to-chain"),
    ("/", "to-slash"),
    ("dir/absent", "to-nothing"),
    ("to-itself", "to-itself"),
    ("pong", "ping"),
    ("ping", "pong"),
    ("/proc/self/root", "to-root-by-magic"),
    ("/proc/self/fd/0", "to-file-by-magic"),
    ("/proc/self/cwd", "to-working-folder"),
    ("../../outside", "dir/to-outside"),
    (".env", "to-env"),
    (".git", "to-git"),
];

fn ground() -> Ground {
    let ground = Ground::in_memory();
    PLAIN.iter().for_each(|path| ground.write(path, "inside"));
    HELD.iter().for_each(|path| ground.write(path, SECRET));
    for (target, path) in LINKS {
        ground.link(target, path);
    }
    let secret = ground.outside.join("secret");
    ground.link(secret.to_str().unwrap(), "to-secret-absolute");
    ground.write("../root-evil/file", SECRET);
    ground.write("../rootevil", SECRET);
    std::fs::hard_link(ground.root.join("one"), ground.root.join("dir/two")).unwrap();
    let large = std::fs::File::create(ground.root.join("large")).unwrap();
    large.set_len((4 << 20) + 1).unwrap();
    ground.write("latin", b"caf\xe9");
    ground.write("binary", b"in\0side");
    ground.write("sixteen", b"\xff\xfei\0n\0");
    for pipe in ["pipe", "dir/pipe"] {
        use rustix::fs::{CWD, Mode, mkfifoat};
        mkfifoat(CWD, ground.root.join(pipe), Mode::from_raw_mode(0o600)).unwrap();
    }
    drop(UnixListener::bind(ground.root.join("socket")).unwrap());
    ground
}

fn door_of(ground: &Ground, root: &Path) -> TextDoor {
    let options = DoorOptions {
        allow_read: Vec::new(),
        managed: vec![ground.root.join("state")],
        may_write: true,
    };
    TextDoor::open(root, options).unwrap()
}

fn asked(path: &str, root: &Path) -> PathBuf {
    path.replacen('@', root.to_str().unwrap(), 1).into()
}

fn word<T>(came: &Result<T, DoorError>) -> &'static str {
    came.as_ref().map_or_else(DoorError::word, |_| "ok")
}

/// Everything outside of the root, and inside everything that must stay as it is.
fn untouched(ground: &Ground) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut todo = vec![
        ground.outside.clone(),
        ground.top.join("root-evil"),
        ground.top.join("rootevil"),
        ground.root.join("state"),
        ground.root.join(".git"),
        ground.root.join(".aws"),
        ground.root.join(".taffrail"),
        ground.root.join(".env"),
        ground.root.join("id_rsa"),
        ground.root.join("one"),
    ];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|one| one.unwrap().path()),
            );
            all.push((path, Vec::new()));
        } else {
            let held = std::fs::read(&path).unwrap();
            all.push((path, held));
        }
    }
    all.sort();
    all
}

#[test]
fn fa_21_cnf_01_cnf_02_every_path_on_reading() {
    assert!(CASES.len() >= 130);
    let ground = ground();
    let door = door_of(&ground, &ground.root);
    for Case(path, on_read, _) in CASES {
        let came = door.read(&asked(path, &ground.root), None, None);
        assert_eq!(word(&came), *on_read, "{path:?}: {came:?}");
        if let Ok(text) = came {
            assert_eq!(text, "inside", "{path:?}");
        }
    }
}

#[test]
fn fa_21_cnf_01_cnf_02_every_path_on_writing() {
    let before = untouched(&ground());
    let names = |all: &[(PathBuf, Vec<u8>)]| all.len();
    for Case(path, _, on_write) in CASES {
        let ground = ground();
        let door = door_of(&ground, &ground.root);
        let asked = asked(path, &ground.root);
        let came = door.write(&asked, "written\r\n");
        assert_eq!(word(&came), *on_write, "{path:?}: {came:?}");
        let after = untouched(&ground);
        assert_eq!(names(&after), names(&before), "{path:?}");
        let is_inside = |(_, held): &&(PathBuf, Vec<u8>)| held.starts_with(b"written");
        assert_eq!(after.iter().find(is_inside), None, "{path:?}");
        if came.is_ok() {
            let real = door.beneath(&asked).unwrap();
            let real = ground.root.join(real.to_text());
            assert_eq!(std::fs::read(&real).unwrap(), b"written\r\n", "{path:?}");
            assert_eq!(door.read(&asked, None, None).unwrap(), "written\r\n");
        } else {
            assert!(!ground.root.join("new").exists(), "{path:?}");
        }
        let root = std::fs::read_dir(&ground.root).unwrap();
        let left = root.filter(|one| {
            let name = one.as_ref().unwrap().file_name();
            name.to_str().unwrap().starts_with(".taffrail-")
        });
        assert_eq!(left.count(), 0, "{path:?}");
    }
}

/// The twin: what a door by path and text gives of the same names, and takes.
#[test]
fn cnf_01_cnf_02_s6_s39_twin_by_path_all_of_it_is_read_and_written() {
    let ground = ground();
    for path in [
        "to-secret",
        "to-outside/secret",
        "to-env",
        "dir/../../outside/secret",
        "state/taffrail.db",
        ".env",
    ] {
        let joined = ground.root.join(path);
        assert!(joined.starts_with(&ground.root), "a test of the text");
        assert_eq!(std::fs::read_to_string(&joined).unwrap(), SECRET, "{path}");
        std::fs::write(&joined, "planted").unwrap();
        assert_eq!(
            std::fs::read_to_string(&joined).unwrap(),
            "planted",
            "{path}"
        );
        std::fs::write(&joined, SECRET).unwrap();
    }
    // A prefix of the text is none of the parts.
    let evil = format!("{}-evil/file", ground.root.display());
    assert!(evil.starts_with(ground.root.to_str().unwrap()));
    assert_eq!(std::fs::read_to_string(&evil).unwrap(), SECRET);
    // Written in place, a file changes under all of its names.
    std::fs::write(ground.root.join("one"), "planted").unwrap();
    let two = std::fs::read_to_string(ground.root.join("dir/two"));
    assert_eq!(two.unwrap(), "planted");
}

#[test]
fn cnf_01_the_root_is_known_by_the_path_that_was_given_and_by_its_real_one() {
    let ground = ground();
    let link = ground.top.join("link");
    symlink(&ground.root, &link).unwrap();
    let linked = door_of(&ground, &link);
    for spelled in [&link, &ground.root] {
        let path = spelled.join("dir/file");
        assert_eq!(linked.read(&path, None, None).unwrap(), "inside");
        assert_eq!(linked.write(&path, "inside").unwrap(), Written::Old);
        let evil = PathBuf::from(format!("{}-evil/file", spelled.display()));
        assert_eq!(word(&linked.read(&evil, None, None)), "outside");
    }
    // Somebody else's link to it is not its name.
    let plain = door_of(&ground, &ground.root);
    let path = link.join("dir/file");
    assert_eq!(word(&plain.read(&path, None, None)), "outside");
    assert_eq!(word(&plain.write(&path, "x")), "outside");
    // What the link leads to later does not matter to a door that is open.
    std::fs::remove_file(&link).unwrap();
    symlink(&ground.outside, &link).unwrap();
    assert_eq!(
        word(&linked.read(&link.join("secret"), None, None)),
        "missing"
    );
    assert_eq!(
        linked.read(&link.join("file"), None, None).unwrap(),
        "inside"
    );
}

#[test]
fn cnf_01_names_and_paths_that_are_too_long() {
    let ground = ground();
    let door = door_of(&ground, &ground.root);
    let name = PathBuf::from("a".repeat(300));
    assert_eq!(word(&door.read(&name, None, None)), "unfit");
    assert_eq!(word(&door.write(&name, "x")), "unfit");
    let long = "a/".repeat(2_047);
    let fits = PathBuf::from(format!("{long}a"));
    assert_eq!(word(&door.read(&fits, None, None)), "missing");
    assert_eq!(
        word(&door.read(&PathBuf::from(format!("{long}aa")), None, None)),
        "form"
    );
}

#[test]
fn fa_21_a_message_says_path_and_reason_and_nothing_of_where_we_are() {
    let ground = ground();
    let door = door_of(&ground, &ground.root);
    let top = ground.top.to_str().unwrap();
    for Case(path, ..) in CASES.iter().filter(|Case(path, ..)| !path.contains('@')) {
        let read = door.read(Path::new(path), None, None).map(drop);
        let written = match word(&read) {
            "ok" | "missing" | "too_large" => Ok(()),
            _ => door.write(Path::new(path), "x").map(drop),
        };
        for error in [read, written].into_iter().filter_map(Result::err) {
            let text = error.to_string();
            assert!(text.starts_with(&format!("`{path}`")), "{text}");
            assert!(!text.contains(top) && text.len() > path.len() + 5, "{text}");
        }
    }
    let large = door.read(Path::new("large"), None, None).unwrap_err();
    assert!(large.to_string().contains("4194304 bytes"), "{large}");
}
