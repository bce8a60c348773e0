//! A project, a checkout of it, and what a run does to it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use taffrail_confine::env::Environment;
use taffrail_domain::{Change, Millis, RepoPath};
use taffrail_gitbox::{
    CapturePlan, Captured, Checkout, CheckoutPlan, Git, GitError, Identity, LandError, LandPlan,
    Landed, Listing, Project, Step, capture, discover, land, make_checkout,
};
use taffrail_testkit::{Hermetic, Repo};

/// A temporary world with one repository.
pub struct World {
    pub hermetic: Hermetic,
    pub repo: Repo,
    pub git: Git,
    pub run: tempfile::TempDir,
}

impl World {
    /// A world around an empty repository.
    pub fn empty() -> Self {
        let hermetic = Hermetic::new("/bin/sh");
        let repo = hermetic.repo("p");
        let home = hermetic.home();
        Self {
            repo,
            git: git_with_home(&home),
            hermetic,
            run: tempfile::tempdir().unwrap(),
        }
    }

    /// A world around a repository with one commit of these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::empty();
        for (name, content) in files {
            world.repo.file(name, content);
        }
        world.repo.commit("first");
        world
    }

    pub fn project(&self) -> Project {
        discover(&self.git, self.repo.root()).unwrap()
    }

    /// A folder of the run.
    pub fn run_dir(&self) -> &Path {
        self.run.path()
    }

    pub fn dest(&self) -> PathBuf {
        self.run.path().join("wt")
    }

    pub fn checkout(&self) -> (Project, Checkout) {
        self.checkout_with(false, &[]).unwrap()
    }

    pub fn checkout_with(
        &self,
        include_uncommitted: bool,
        carry: &[&str],
    ) -> Result<(Project, Checkout), GitError> {
        let project = self.project();
        let carry: Vec<String> = carry.iter().map(|name| (*name).to_owned()).collect();
        let plan = CheckoutPlan {
            dest: &self.dest(),
            kept: self.run.path(),
            include_uncommitted,
            carry: &carry,
            credentials: &[],
        };
        let checkout = make_checkout(&self.git, &project, &plan, &mut |_| ())?;
        Ok((project, checkout))
    }

    pub fn capture(&self, project: &Project, listing: &Listing) -> (Captured, Vec<u8>) {
        let mut patch = Vec::new();
        let captured = self.try_capture(project, listing, &mut patch).unwrap();
        (captured, patch)
    }

    pub fn try_capture(
        &self,
        project: &Project,
        listing: &Listing,
        patch: &mut Vec<u8>,
    ) -> Result<Captured, GitError> {
        let plan = CapturePlan {
            listing,
            worktree: &self.dest(),
            kept: Some(self.run.path()),
            is_secret: &|bytes| bytes.windows(7).any(|window| window == b"SECRET="),
        };
        capture(&self.git, project, &plan, patch)
    }

    /// Lands a capture as `external/x`.
    pub fn land(
        &self,
        project: &Project,
        checkout: &Checkout,
        changes: &[Change],
        patch: &[u8],
    ) -> Result<Landed, LandError> {
        self.land_at(project, checkout, changes, patch, Millis(1_700_000_000_123))
    }

    /// The same at another time.
    pub fn land_at(
        &self,
        project: &Project,
        checkout: &Checkout,
        changes: &[Change],
        patch: &[u8],
        when: Millis,
    ) -> Result<Landed, LandError> {
        let file = self.run.path().join("change.patch");
        std::fs::write(&file, patch).unwrap();
        let first_file = self.run.path().join("first.patch");
        let first = checkout.uncommitted.as_ref().map(|work| {
            std::fs::write(&first_file, &work.patch).unwrap();
            Step {
                patch: &first_file,
                changes: &work.changes,
                message: "uncommitted work\n",
            }
        });
        let plan = LandPlan {
            base: &checkout.base,
            first,
            change: Step {
                patch: &file,
                changes,
                message: "what the agent did\n",
            },
            branch: "external/x",
            author: &identity("Operator", "op@example.invalid"),
            committer: &identity("taffrail (sh)", "taffrail@localhost"),
            when,
            scratch: self.run.path(),
        };
        land(&self.git, project, &plan)
    }
}

/// git as the operator with this home has it.
pub fn git_with_home(home: &Path) -> Git {
    let path = std::env::var_os("PATH").unwrap();
    let vars = [
        ("PATH".into(), path),
        ("HOME".into(), home.as_os_str().to_owned()),
    ];
    Git::new("git".into(), &Environment::new(vars))
}

pub fn identity(name: &str, email: &str) -> Identity {
    Identity {
        name: name.to_owned(),
        email: email.to_owned(),
    }
}

pub fn repo_path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// Writes a file in a checkout, with the folders above it.
pub fn put(root: &Path, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
    let path = root.join(OsStr::from_bytes(name.as_ref()));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

pub fn link(root: &Path, name: &str, target: &str) {
    std::os::unix::fs::symlink(target, root.join(name)).unwrap();
}

/// Makes a file executable: a copy that another program writes, which can be started at once. What is open for writing
/// here is so in every child that is just being started, too.
pub fn executable(root: &Path, name: &str) {
    let script = r#"cp "$0" "$0.new" && chmod 755 "$0.new" && mv "$0.new" "$0""#;
    let copied = std::process::Command::new("/bin/sh")
        .args(["-c", script])
        .arg(root.join(name))
        .status();
    assert!(copied.unwrap().success());
}

/// `kind path flags refusal` of every change.
pub fn summary(captured: &Captured) -> Vec<String> {
    let line = |change: &Change| {
        let mut text = format!("{:?} {}", change.kind, change.path.to_text());
        for flag in &change.flags {
            text += &format!(" +{}", flag.name());
        }
        if let Some(refusal) = change.refused {
            text += &format!(" !{}", refusal.name());
        }
        text
    };
    captured.changes.iter().map(line).collect()
}

/// Runs plain git, with all that a repository configures.
pub fn plain_git(cwd: &Path, args: &[&str]) -> std::process::Output {
    std::process::Command::new("git")
        .args(args)
        .current_dir(cwd)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", cwd.join("no-home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.invalid")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.invalid")
        .output()
        .unwrap()
}

/// As [`plain_git`], and must succeed.
pub fn plain_ok(cwd: &Path, args: &[&str]) -> String {
    let output = plain_git(cwd, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
