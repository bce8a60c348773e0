//! Where the program `fake-agent` lies, built when it is older than its source: the tests of other crates need it, and
//! cargo builds the programs of a dependency for nobody.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The program and its arguments, as a configuration names them.
#[derive(Debug, Clone)]
pub struct FakeAgent {
    args: Vec<String>,
}

impl FakeAgent {
    /// An agent that plays `script`.
    pub fn script(script: &str) -> Self {
        Self {
            args: vec!["--inline".to_owned(), script.to_owned()],
        }
    }

    /// An agent that plays the script in `file`.
    pub fn script_file(file: &Path) -> Self {
        Self {
            args: vec!["--script".to_owned(), file.display().to_string()],
        }
    }

    /// An agent that plays the recorded conversation in `file`.
    pub fn playback(file: &Path) -> Self {
        Self {
            args: vec!["playback".to_owned(), file.display().to_string()],
        }
    }

    /// With `${name}` standing for `value`.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.args.push("--set".to_owned());
        self.args.push(format!("{name}={value}"));
        self
    }

    /// The program.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn program(&self) -> &'static Path {
        fake_agent()
    }

    /// Its arguments.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// `command = …` and `args = …`, as TOML.
    pub fn toml(&self) -> String {
        let program = serde_json::Value::String(self.program().display().to_string());
        let args = serde_json::Value::from(self.args.clone());
        // A JSON string is a TOML string, `\/` and DEL apart, which serde_json does not write for such texts.
        format!("command = {program}\nargs = {args}\n")
    }
}

/// The program `fake-agent`, beside the tests that run.
///
/// # Panics
/// When it cannot be built.
pub fn fake_agent() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let profile = profile_folder();
        let program = profile.join("fake-agent");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        if changed(&program).is_none_or(|built| newest(&source) > built) {
            build(&profile);
        }
        program
    })
}

/// `target/debug` of the tests that run: they lie in `target/debug/deps`.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent);
    folder.expect("a folder above the test's").to_owned()
}

fn build(profile: &Path) {
    let target = profile.parent().expect("a target folder");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--quiet", "--offline", "-p", "taffrail-testkit"])
        .args(["--bin", "fake-agent", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "fake-agent cannot be built: {status}");
}

fn newest(folder: &Path) -> SystemTime {
    let entries = std::fs::read_dir(folder).expect("the source of the test kit");
    entries
        .flatten()
        .map(|entry| match entry.path() {
            path if path.is_dir() => newest(&path),
            path => changed(&path).unwrap_or(SystemTime::UNIX_EPOCH),
        })
        .max()
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}
