//! FA-41, FA-06: what must be readable for a command that is installed below the operator's home, as the ways of
//! installing do it, and never more.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use taffrail_confine::sandbox::{Visible, visible_for};

struct Home(
    #[expect(dead_code, reason = "removed when dropped")] tempfile::TempDir,
    PathBuf,
);

impl Home {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let home = Self(folder, real);
        for file in files {
            home.file(file, "");
        }
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.1.join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn link(&self, name: &str, to: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    fn see(&self, command: &str, path: &[&str]) -> Visible {
        let dirs: Vec<PathBuf> = path.iter().map(|dir| self.at(dir)).collect();
        visible_for(&self.at(command), &dirs, &self.1)
    }

    /// The roots below the home, as text.
    fn roots(&self, seen: &Visible) -> Vec<String> {
        let below = |path: &PathBuf| Some(path.strip_prefix(&self.1).ok()?.to_str()?.to_owned());
        seen.read.iter().filter_map(below).collect()
    }

    fn reads(&self, seen: &Visible, file: &str) -> bool {
        let file = self.at(file).canonicalize().unwrap();
        let roots = seen.read.iter().map(|root| root.canonicalize().unwrap());
        roots.into_iter().any(|root| file.starts_with(root))
    }
}

/// Lies in every home; no command may make it readable.
const NEVER: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".cargo/credentials.toml",
    ".npmrc",
    ".npm-global/etc/npmrc",
    ".local/share/uv/credentials/credentials.toml",
    ".local/share/keyrings/login.keyring",
    ".claude/.credentials.json",
    ".bun/install/cache/x",
    ".bash_history",
    ".taffrail/taffrail.db",
    "notes.txt",
    "src/project/main.rs",
];

fn check(home: &Home, seen: &Visible, files: &[&str]) {
    for file in files {
        assert!(home.reads(seen, file), "{file} in {:?}", home.roots(seen));
    }
    for file in NEVER {
        assert!(!home.reads(seen, file), "{file} in {:?}", home.roots(seen));
    }
}

#[test]
fn fa_41_the_native_installer_of_claude() {
    let home = Home::new(NEVER);
    home.file(".local/share/claude/versions/2.1.0", "\u{7f}ELF");
    home.link(".local/bin/claude", "../share/claude/versions/2.1.0");
    let seen = home.see(".local/bin/claude", &[".local/bin"]);
    check(
        &home,
        &seen,
        &[".local/bin/claude", ".local/share/claude/versions/2.1.0"],
    );
    assert_eq!(seen.path, [home.at(".local/bin")]);
}

#[test]
fn fa_41_a_global_package_of_npm_under_nvm() {
    let home = Home::new(NEVER);
    let node = ".nvm/versions/node/v22.1.0";
    home.file(&format!("{node}/bin/node"), "\u{7f}ELF");
    home.file(
        &format!("{node}/lib/node_modules/@open/codex/bin/codex.js"),
        "#!/usr/bin/env node\n",
    );
    home.file(&format!("{node}/lib/node_modules/dependency/index.js"), "");
    home.link(
        &format!("{node}/bin/codex"),
        "../lib/node_modules/@open/codex/bin/codex.js",
    );
    let bin = format!("{node}/bin");
    let seen = home.see(&format!("{bin}/codex"), &[&bin]);
    check(
        &home,
        &seen,
        &[
            &format!("{node}/bin/node"),
            &format!("{node}/lib/node_modules/dependency/index.js"),
        ],
    );
    assert_eq!(seen.path, [home.at(&bin)]);
    assert!(
        seen.env
            .contains(&("NVM_DIR".to_owned(), home.at(".nvm").display().to_string()))
    );
}

#[test]
fn fa_41_a_package_in_a_prefix_that_nobody_knows() {
    let home = Home::new(NEVER);
    home.file("apps/node/bin/node", "\u{7f}ELF");
    home.file("apps/node/lib/libnode.so", "");
    home.file(
        "apps/modules/node_modules/qwen/cli.js",
        "#!/usr/bin/env -S node --no-warnings\n",
    );
    home.file("apps/modules/node_modules/other/index.js", "");
    home.file("apps/modules/secret", "");
    home.link("bin/qwen", "../apps/modules/node_modules/qwen/cli.js");
    let seen = home.see("bin/qwen", &["bin", "apps/node/bin"]);
    let files = [
        "bin/qwen",
        "apps/node/bin/node",
        "apps/modules/node_modules/other/index.js",
    ];
    check(&home, &seen, &files);
    assert!(home.reads(&seen, "apps/node/lib/libnode.so"));
    assert!(!home.reads(&seen, "apps/modules/secret"));
}

#[test]
fn fa_41_a_tool_of_uv_and_one_of_pip() {
    let home = Home::new(NEVER);
    let python = ".local/share/uv/python/cpython-3.12/bin/python3.12";
    home.file(python, "\u{7f}ELF");
    let tool = ".local/share/uv/tools/aider";
    home.link(
        &format!("{tool}/bin/python"),
        home.at(python).to_str().unwrap(),
    );
    home.file(&format!("{tool}/pyvenv.cfg"), "");
    home.file(&format!("{tool}/lib/python3.12/site-packages/aider.py"), "");
    let line = format!("#!{}/bin/python\n", home.at(tool).display());
    home.file(&format!("{tool}/bin/aider"), &line);
    home.link(
        ".local/bin/aider",
        home.at(&format!("{tool}/bin/aider")).to_str().unwrap(),
    );
    let seen = home.see(".local/bin/aider", &[".local/bin"]);
    check(
        &home,
        &seen,
        &[
            python,
            &format!("{tool}/lib/python3.12/site-packages/aider.py"),
        ],
    );
    assert!(!seen.env.iter().any(|(name, _)| name == "PYTHONUSERBASE"));

    home.file(".local/bin/old", "#!/usr/bin/python3\n");
    home.file(".local/lib/python3.11/site-packages/old.py", "");
    let seen = home.see(".local/bin/old", &[".local/bin"]);
    check(
        &home,
        &seen,
        &[".local/lib/python3.11/site-packages/old.py"],
    );
    assert!(seen.env.iter().any(|(name, _)| name == "PYTHONUSERBASE"));
}

#[test]
fn fa_06_rust_below_the_home() {
    let home = Home::new(NEVER);
    home.file(".cargo/bin/cargo", "\u{7f}ELF");
    home.file(".rustup/settings.toml", "");
    home.file(".rustup/toolchains/stable/bin/rustc", "\u{7f}ELF");
    home.file(".rustup/update-hashes/stable", "");
    let seen = home.see(".cargo/bin/cargo", &[".cargo/bin"]);
    check(
        &home,
        &seen,
        &[
            ".cargo/bin/cargo",
            ".rustup/toolchains/stable/bin/rustc",
            ".rustup/update-hashes/stable",
        ],
    );
    assert!(seen.env.contains(&(
        "RUSTUP_HOME".to_owned(),
        home.at(".rustup").display().to_string()
    )));
}

#[test]
fn fa_06_a_program_alone_somewhere() {
    let home = Home::new(NEVER);
    home.file("src/project/target/debug/agent", "\u{7f}ELF");
    let seen = home.see("src/project/target/debug/agent", &[]);
    check(&home, &seen, &["src/project/target/debug/agent"]);
    assert_eq!(home.roots(&seen), ["src/project/target/debug/agent"]);
    assert!(seen.path.is_empty());
}

#[test]
fn fa_41_a_hostile_path_opens_nothing() {
    let home = Home::new(NEVER);
    home.link("shortcut", ".");
    home.link("keys", ".ssh");
    let dirs = [
        "",
        ".ssh",
        ".aws",
        ".config/gh",
        ".cargo",
        ".local/share",
        "shortcut",
        "keys",
        ".",
        "..",
    ];
    let seen = home.see("notes.txt", &dirs);
    assert_eq!(home.roots(&seen), ["notes.txt"]);
    assert!(!seen.read.iter().any(|root| home.1.starts_with(root)));
    assert!(seen.path.is_empty(), "{:?}", seen.path);
}

/// An agent of npm in a folder that is neither the home nor a root that everybody sees, with a helper beside it and a Node
/// of its own: it gets that Node and that helper, not the ones of the system.
#[test]
fn fa_41_a_program_elsewhere_finds_its_own_interpreter_and_helpers_first() {
    let (home, elsewhere) = (
        Home::new(NEVER),
        Home::new(&["agents/secret", "other/bin/x"]),
    );
    let modules = "agents/node_modules";
    elsewhere.file(
        &format!("{modules}/some-acp/index.js"),
        "#!/usr/bin/env node\n",
    );
    elsewhere.file(&format!("{modules}/some/cli.js"), "");
    elsewhere.link(&format!("{modules}/.bin/some-acp"), "../some-acp/index.js");
    elsewhere.link(&format!("{modules}/.bin/some"), "../some/cli.js");
    elsewhere.file("node22/bin/node", "\u{7f}ELF");
    elsewhere.file("node22/lib/node_modules/npm/index.js", "");
    elsewhere.file("single/node", "\u{7f}ELF");
    let dirs: Vec<PathBuf> = [&format!("{modules}/.bin"), "node22/bin", "other/bin"]
        .map(|dir| elsewhere.at(dir))
        .into();
    let command = elsewhere.at(&format!("{modules}/.bin/some-acp"));
    let seen = visible_for(&command, &dirs, &home.1);
    assert_eq!(seen.path, dirs[..2], "the third has nothing that is seen");
    for file in ["agents/node_modules/some/cli.js", "node22/bin/node"] {
        assert!(elsewhere.reads(&seen, file), "{file} in {:?}", seen.read);
    }
    for file in ["agents/secret", "other/bin/x"] {
        assert!(!elsewhere.reads(&seen, file), "{file} in {:?}", seen.read);
    }
    // An interpreter that is one file of its folder is found by its name all the same.
    let dirs = [elsewhere.at("single"), elsewhere.at("node22/bin")];
    let seen = visible_for(&command, &dirs, &home.1);
    assert_eq!(seen.path, dirs[..1]);
    assert!(elsewhere.reads(&seen, "single/node"));
}

#[test]
fn fa_06_a_system_command_adds_nothing_and_keeps_the_system_path() {
    let home = Home::new(&[]);
    let dirs = [
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
        "/root",
        "/no/such",
        "relative",
    ]
    .map(PathBuf::from);
    let seen = visible_for(Path::new("/bin/sh"), &dirs, &home.1);
    assert!(home.roots(&seen).is_empty());
    assert!(seen.env.is_empty());
    assert!(!seen.path.contains(&PathBuf::from("/root")));
    assert!(seen.path.contains(&PathBuf::from("/usr/bin")));
}
