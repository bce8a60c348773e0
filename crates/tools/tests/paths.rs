//! The table of paths on all three tools (CNF-01, CNF-02).
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use support::{Ground, SECRET, list, read, search, word};
use taffrail_tools::ProjectFiles;

/// A path, and what comes of reading it, of listing it and of searching in it.
struct Case(&'static str, &'static str, &'static str, &'static str);

/// A file that is read and searched; as a folder it is none.
const fn file(path: &'static str) -> Case {
    Case(path, "ok", "unfit", "ok")
}

/// A folder that is listed and searched; as a file it is none.
const fn folder(path: &'static str) -> Case {
    Case(path, "unfit", "ok", "ok")
}

const fn refused(path: &'static str) -> Case {
    Case(path, "refused", "refused", "refused")
}

const fn unfit(path: &'static str) -> Case {
    Case(path, "unfit", "unfit", "unfit")
}

const CASES: &[Case] = &[
    // Plain.
    file("file"),
    file("dir/file"),
    file("dir/sub/file"),
    file("./dir/file"),
    file(".hidden"),
    file("..."),
    file("..file"),
    file("sp ace/fi le"),
    file("new\nline"),
    file("back\\slash"),
    file("caf\u{e9}"),
    folder("dir"),
    folder("dir/"),
    folder("./dir/sub/"),
    folder("."),
    folder("./"),
    // Not paths below a root at all.
    refused(""),
    refused("/"),
    refused("/etc/passwd"),
    refused("//etc/passwd"),
    refused(".."),
    refused("../outside/secret"),
    refused("dir/../../outside/secret"),
    refused("dir/../file"),
    refused("dir/.."),
    refused("./../outside/secret"),
    refused("././file"),
    refused(".//etc/passwd"),
    refused("dir/./file"),
    refused("dir//file"),
    refused("fi\0le"),
    refused("file\0"),
    // Symlinks, at the end and on the way: out, in, absolute, to nothing, round, by magic.
    Case("to-secret", "refused", "refused", "refused"),
    refused("to-secret-absolute"),
    refused("to-file"),
    refused("to-outside"),
    refused("to-outside/secret"),
    refused("to-outside/dir/secret"),
    refused("to-outside/absent"),
    refused("to-dir/file"),
    refused("to-here/file"),
    refused("to-above/outside/secret"),
    refused("to-chain/secret"),
    refused("to-slash/etc/passwd"),
    refused("to-nothing"),
    refused("to-itself"),
    refused("ping"),
    refused("ping/file"),
    refused("to-root-by-magic/etc/passwd"),
    refused("to-file-by-magic"),
    refused("to-working-folder"),
    refused("dir/to-outside/secret"),
    // What is no file and no folder.
    unfit("pipe"),
    unfit("dir/pipe"),
    unfit("socket"),
    unfit("to-be"),
    unfit("absent/file"),
    unfit("file/below"),
    unfit("pipe/below"),
    unfit("~/secret"),
    unfit("%2e%2e/outside/secret"),
    unfit("..\\outside\\secret"),
    unfit("FILE"),
    unfit("file."),
    unfit("file::$DATA"),
    unfit("di\u{200c}r/file"),
    unfit("cafe\u{301}"),
    // Credentials: there or not, in every spelling, also as a folder and below one.
    refused(".env"),
    refused(".ENV"),
    refused(".env.local"),
    refused("dir/.Env.Production"),
    refused("absent/.env"),
    refused(".env."),
    refused(".e\u{200c}nv"),
    refused(".e\u{ad}nv"),
    refused("./.env"),
    refused(".env/"),
    refused("id_rsa"),
    refused("tls/server.KEY"),
    refused(".aws/config"),
    refused(".aws"),
    refused(".\u{17f}\u{17f}h/config"),
    refused(".\u{df}h/config"),
    refused(".\u{212a}ube/config"),
    refused(".npmrc"),
    refused("sub/.netrc"),
    file(".env.example"),
    file("dir/.env.sample"),
    file(".env.template"),
    file("id_rsa.pub"),
    // A plain name that leads to a credential.
    refused("to-env"),
    refused("to-key"),
    // State that git or Taffrail manages; a home in the project under a name of its own.
    refused(".git"),
    refused(".git/config"),
    refused(".GIT/config"),
    refused("git~1/config"),
    refused(".g\u{200d}it/config"),
    refused("dir/.git/HEAD"),
    refused(".taffrail/config.toml"),
    refused(".Taffrail/config.toml"),
    Case("state", "unfit", "refused", "refused"),
    Case("state/", "unfit", "refused", "refused"),
    refused("state/taffrail.db"),
    refused("state/absent"),
    refused("state/checkouts/run_1/box/file"),
    file(".gitignore"),
    file("git/config"),
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
    "dir/.env.sample",
    ".env.template",
    "id_rsa.pub",
    "git/config",
    "state.md",
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
    ".git/config",
    "dir/.git/HEAD",
    ".taffrail/config.toml",
    "state/taffrail.db",
    "state/checkouts/run_1/box/file",
];

fn ground() -> Ground {
    let ground = Ground::new();
    PLAIN.iter().for_each(|path| ground.write(path, "inside"));
    ground.write(".gitignore", "# inside\n");
    HELD.iter().for_each(|path| ground.write(path, SECRET));
    let absolute = ground.outside.to_str().unwrap().to_owned();
    let secret = format!("{absolute}/secret");
    let magic_file = "/proc/self/fd/0";
    let links: [(&str, &str); 19] = [
        ("../outside/secret", "to-secret"),
        (&secret, "to-secret-absolute"),
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
        (magic_file, "to-file-by-magic"),
        ("/proc/self/cwd", "to-working-folder"),
        ("../../outside", "dir/to-outside"),
        (".env", "to-env"),
        ("id_rsa", "to-key"),
    ];
    links
        .iter()
        .for_each(|(target, path)| ground.link(target, path));
    for pipe in ["pipe", "dir/pipe"] {
        make_pipe(&ground.root.join(pipe));
    }
    drop(UnixListener::bind(ground.root.join("socket")).unwrap());
    ground
}

fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, Mode, mkfifoat};
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).unwrap();
}

#[test]
fn cnf_01_cnf_02_every_path_on_every_tool() {
    assert!(CASES.len() >= 100);
    let ground = ground();
    let files = ground.files();
    for Case(path, on_read, on_list, on_search) in CASES {
        let came = read(&files, path);
        assert_eq!(word(&came), *on_read, "read {path:?}: {came:?}");
        if let Ok(text) = &came {
            assert!(text.content.contains("inside"), "{path:?}");
        }
        let came = list(&files, Some(path));
        assert_eq!(word(&came), *on_list, "list {path:?}: {came:?}");
        let came = search(&files, "side", Some(path));
        assert_eq!(word(&came), *on_search, "search {path:?}: {came:?}");
        if let Ok(found) = &came {
            assert!(!found.matches.is_empty(), "{path:?}");
            let clean = found.matches.iter().all(|one| one.text.contains("inside"));
            assert!(clean, "{path:?}: {found:?}");
        }
    }
}

/// No message says where the root is, and none holds content.
#[test]
fn cnf_02_a_refusal_tells_nothing() {
    let ground = ground();
    let files = ground.files();
    let top = ground.top.to_str().unwrap();
    for Case(path, ..) in CASES {
        let refusals = [
            read(&files, path).map(drop),
            list(&files, Some(path)).map(drop),
            search(&files, "side", Some(path)).map(drop),
        ];
        for error in refusals.into_iter().filter_map(Result::err) {
            let text = error.to_string();
            assert!(!text.contains(top), "{text}");
            assert!(!text.contains(&format!("{SECRET}\"")), "{text}");
        }
    }
}

#[test]
fn cnf_02_lists_and_searches_pass_over_what_is_refused_and_do_not_count_it() {
    let ground = ground();
    let files = ground.files();
    let listed = list(&files, None).unwrap();
    let expect = [
        "...",
        "..file",
        ".env.example",
        ".env.template",
        ".gitignore",
        ".hidden",
        "back\\slash",
        "caf\u{e9}",
        "dir/.env.sample",
        "dir/file",
        "dir/sub/file",
        "file",
        "git/config",
        "id_rsa.pub",
        "new\nline",
        "sp ace/fi le",
        "state.md",
    ];
    assert_eq!(listed.files, expect);
    assert!(!listed.truncated);
    let found = search(&files, "side", None).unwrap();
    assert_eq!(found.files, expect.len() as u64);
    assert_eq!(found.matches.len(), expect.len());
    assert!(search(&files, SECRET, None).unwrap().matches.is_empty());
}

/// The twin: what a reader by path gives of the same names.
#[test]
fn cnf_01_cnf_02_s6_s39_twin_by_path_all_of_it_is_read() {
    let ground = ground();
    for path in [
        "to-secret",
        "to-outside/secret",
        "to-env",
        "dir/../../outside/secret",
        ".git/config",
        "state/taffrail.db",
    ] {
        let joined = ground.root.join(path);
        assert!(joined.starts_with(&ground.root), "a test of the text");
        assert_eq!(std::fs::read_to_string(joined).unwrap(), SECRET, "{path}");
    }
}

#[test]
fn cnf_02_a_home_in_the_project_is_refused_whatever_it_is_called_and_whenever_it_comes() {
    let ground = Ground::new();
    let home = ground.root.join("later");
    let files = ProjectFiles::open(&ground.root, std::slice::from_ref(&home)).unwrap();
    assert_eq!(word(&read(&files, "later/taffrail.db")), "unfit");
    ground.write("later/taffrail.db", SECRET);
    ground.write("other/file", "inside");
    assert_eq!(word(&read(&files, "later/taffrail.db")), "refused");
    assert_eq!(list(&files, None).unwrap().files, ["other/file"]);
    // Renamed while the operator's path leads to it still: it is what it is.
    std::fs::rename(&home, ground.root.join("renamed")).unwrap();
    symlink("renamed", &home).unwrap();
    for path in ["renamed/taffrail.db", "later/taffrail.db"] {
        assert_eq!(word(&read(&files, path)), "refused", "{path}");
    }
    assert_eq!(list(&files, None).unwrap().files, ["other/file"]);
    // One file that is managed is known by its second name too.
    let key = ground.top.join("key");
    std::fs::write(&key, SECRET).unwrap();
    std::fs::hard_link(&key, ground.root.join("other/name")).unwrap();
    let files = ProjectFiles::open(&ground.root, &[key]).unwrap();
    assert_eq!(word(&read(&files, "other/name")), "refused");
    assert_eq!(list(&files, Some("other")).unwrap().files, ["other/file"]);
    assert!(
        search(&files, SECRET, Some("other"))
            .unwrap()
            .matches
            .is_empty()
    );
}

#[test]
fn cnf_02_a_root_in_the_home_is_refused_but_for_a_checkout() {
    let ground = Ground::new();
    ground.write("checkouts/run_1/box/src/file", "inside");
    ground.write("checkouts/run_1/listing", SECRET);
    ground.write("external-slates/box/file", SECRET);
    let open = |path: &str| {
        let root = ground.root.join(path);
        ProjectFiles::open(&root, std::slice::from_ref(&ground.root))
    };
    for bad in [
        "",
        "checkouts",
        "checkouts/run_1",
        "external-slates/box",
        "external-slates",
    ] {
        assert_eq!(word(&open(bad)), "refused", "{bad:?}");
    }
    for good in ["checkouts/run_1/box", "checkouts/run_1/box/src"] {
        assert_eq!(list(&open(good).unwrap(), None).unwrap().files.len(), 1);
    }
    // Through a link, it is where it is.
    symlink(&ground.root, ground.top.join("link")).unwrap();
    let linked = ProjectFiles::open(&ground.top.join("link"), std::slice::from_ref(&ground.root));
    assert_eq!(word(&linked), "refused");
    assert_eq!(word(&open("absent")), "unfit");
}

#[test]
fn cnf_01_a_second_name_of_a_file_is_read() {
    let ground = Ground::new();
    std::fs::hard_link(ground.outside.join("secret"), ground.root.join("name")).unwrap();
    assert_eq!(read(&ground.files(), "name").unwrap().content, SECRET);
}

#[cfg(target_os = "linux")]
#[test]
fn cnf_01_what_is_mounted_is_not_entered_and_devices_are_not_opened() {
    let files = ProjectFiles::open(Path::new("/"), &[]).unwrap();
    for path in [
        "proc/version",
        "proc/self/environ",
        "proc/self/root/etc/passwd",
    ] {
        assert_eq!(word(&read(&files, path)), "refused", "{path}");
        assert_eq!(word(&search(&files, "a", Some(path))), "refused", "{path}");
    }
    assert_eq!(word(&list(&files, Some("proc/self"))), "refused");
    let devices = ProjectFiles::open(Path::new("/dev"), &[]).unwrap();
    for device in ["null", "zero", "tty"] {
        assert_eq!(word(&read(&devices, device)), "unfit", "{device}");
    }
    // The twin: with the mount as the root, or by path, all of it is read.
    let inside = ProjectFiles::open(Path::new("/proc"), &[]).unwrap();
    assert_eq!(word(&read(&inside, "version")), "ok");
    assert!(std::fs::read("/proc/self/environ").is_ok());
}

#[test]
fn cnf_01_a_path_is_no_longer_than_the_kernel_takes() {
    let ground = Ground::new();
    let files = ground.files();
    let long = "a/".repeat(2_047);
    assert_eq!(word(&read(&files, &format!("{long}a"))), "unfit");
    assert_eq!(word(&read(&files, &format!("{long}aa"))), "argument");
    assert_eq!(word(&read(&files, &"a".repeat(300))), "unfit");
}
