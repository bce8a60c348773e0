//! Lands a captured diff as a new branch (FA-31), by plumbing: index and objects of a first pass lie in a scratch
//! folder, the result is compared with what was recorded, and only then objects and one ref are written.

use std::path::Path;

use taffrail_confine::fs::{Root, remove_tree};
use taffrail_confine::tool::ToolOutput;
use taffrail_domain::{Change, Ended, Millis, Oid, RepoPath};

use crate::capture::first_refusal;
use crate::error::{GitError, LandError};
use crate::listing::{Listing, staged};
use crate::project::{Identity, Project};
use crate::runner::{Call, Git, failed, shown_stderr};
use crate::walk::Files;

/// Below the scratch folder, while git makes the branch: its reference. Left there by a landing that was cut off.
const MAKING: &str = "land/making";
/// Bytes of a reference that is looked at, and of the lock of one: the longest id and a newline.
const REFERENCE: u64 = 4096;
const LOCK: u64 = 65;

/// One commit to make.
pub struct Step<'a> {
    /// The file with the diff, as [`capture`](crate::capture()) wrote it. An absolute path.
    pub patch: &'a Path,
    /// What the diff changes, as it was recorded.
    pub changes: &'a [Change],
    /// The commit's message.
    pub message: &'a str,
}

/// What to land.
pub struct LandPlan<'a> {
    /// The operator's commit that the run started from.
    pub base: &'a Oid,
    /// The operator's uncommitted work, as the run got it.
    pub first: Option<Step<'a>>,
    /// What the run changed.
    pub change: Step<'a>,
    /// The new branch, without `refs/heads/`.
    pub branch: &'a str,
    /// The operator.
    pub author: &'a Identity,
    /// `taffrail (<agent>)`
    pub committer: &'a Identity,
    /// The time of both commits.
    pub when: Millis,
    /// An existing folder outside the project; a folder `land` is made in it and removed.
    pub scratch: &'a Path,
}

/// What landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landed {
    /// The branch's commit.
    pub commit: Oid,
    /// The branch, without `refs/heads/`.
    pub branch: String,
}

/// Makes the branch. The operator's head, index and work tree are not touched; no hook runs, nothing is signed, no
/// reflog is written.
///
/// A branch that already is exactly this commit, but for the time, is what a landing made that was cut off before it
/// could say so: it is taken as it is.
///
/// # Errors
/// In this order: [`LandError::Refused`], [`LandError::BranchName`], [`LandError::BranchExists`],
/// [`LandError::BaseGone`], [`LandError::ApplyFailed`], [`LandError::NotAsRecorded`].
pub fn land(git: &Git, project: &Project, plan: &LandPlan<'_>) -> Result<Landed, LandError> {
    let steps: Vec<&Step<'_>> = plan.first.iter().chain([&plan.change]).collect();
    refuse_refused(&steps)?;
    let scratch = plan.scratch.join("land");
    let root = Root::open(plan.scratch)?;
    unlock(project, &root)?;
    root.remove_tree(&repo_path("land")?)?;
    root.create_dirs(&repo_path("land/objects")?, 0o700)?;
    root.create_dirs(&repo_path("land/tree")?, 0o700)?;
    let landing = Landing {
        git,
        project,
        plan,
        steps,
        when: plan.when,
        scratch: &scratch,
    };
    let landed = landing.run();
    remove_tree(&scratch)?;
    landed
}

fn repo_path(path: impl Into<Vec<u8>>) -> Result<RepoPath, GitError> {
    RepoPath::new(path).map_err(|why| GitError::Listing(why.to_string()))
}

/// Takes away the lock on a branch that git left when a landing was cut off while git made it: with it nobody makes that
/// branch any more. One that holds anything but an id is not git's.
fn unlock(project: &Project, scratch: &Root) -> Result<(), LandError> {
    let Ok(reference) = scratch.read(&repo_path(MAKING)?, REFERENCE) else {
        return Ok(());
    };
    if !reference.starts_with(b"refs/heads/") {
        return Ok(());
    }
    let lock = repo_path([&*reference, b".lock"].concat())?;
    let common = Root::open(&project.common_dir)?;
    let is_of_git = |bytes: &Vec<u8>| {
        bytes
            .iter()
            .all(|at| at.is_ascii_hexdigit() || *at == b'\n')
    };
    if common.read(&lock, LOCK).is_ok_and(|held| is_of_git(&held)) {
        common.remove_file(&lock)?;
    }
    Ok(())
}

fn refuse_refused(steps: &[&Step<'_>]) -> Result<(), LandError> {
    let mut refused = steps.iter().filter_map(|step| first_refusal(step.changes));
    match refused.next() {
        Some((path, refusal)) => Err(LandError::Refused {
            path: path.clone(),
            reason: refusal.name(),
        }),
        None => Ok(()),
    }
}

#[derive(Clone)]
struct Landing<'a> {
    git: &'a Git,
    project: &'a Project,
    plan: &'a LandPlan<'a>,
    steps: Vec<&'a Step<'a>>,
    when: Millis,
    scratch: &'a Path,
}

/// Where a pass writes objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Into the scratch folder, to be looked at.
    Trial,
    /// Into the operator's repository.
    Real,
}

impl Landing<'_> {
    fn run(&self) -> Result<Landed, LandError> {
        let reference = format!("refs/heads/{}", self.plan.branch);
        let commit = match self.make(&reference) {
            Err(LandError::BranchExists { branch }) => self
                .cut_off(&reference)
                .ok_or(LandError::BranchExists { branch })?,
            made => made?,
        };
        Ok(Landed {
            commit,
            branch: self.plan.branch.to_owned(),
        })
    }

    /// The commit of a branch that an earlier landing of the same made; none where it is anything else.
    fn cut_off(&self, reference: &str) -> Option<Oid> {
        let there = self
            .call(["show-ref", "--verify", "--hash"], Pass::Real)
            .arg(reference);
        let there: Oid = there.text().ok()?.parse().ok()?;
        let raw = self.call(["cat-file", "commit"], Pass::Real);
        let when = committed_at(&raw.arg(there.as_str()).text().ok()?)?;
        let again = Landing {
            when,
            ..self.clone()
        };
        let same = again.build(Pass::Trial).ok()?;
        (same == there).then_some(there)
    }

    fn make(&self, reference: &str) -> Result<Oid, LandError> {
        self.check_branch(reference)?;
        self.check_base()?;
        let tried = self.build(Pass::Trial)?;
        let commit = self.build(Pass::Real)?;
        if tried != commit {
            let text = format!("the commit came out as {tried}, then as {commit}");
            return Err(GitError::Listing(text).into());
        }
        self.create_branch(reference, &commit)?;
        Ok(commit)
    }

    /// A command in the operator's repository whose work tree is an empty scratch folder.
    fn call<const N: usize>(&self, args: [&str; N], pass: Pass) -> Call<'_> {
        let tree = self.scratch.join("tree");
        let call = self
            .git
            .call(args, &tree)
            .repository(&self.project.common_dir)
            .env("GIT_WORK_TREE", &tree)
            .env("GIT_INDEX_FILE", self.scratch.join(index_name(pass)))
            .long();
        match pass {
            Pass::Trial => call
                .env("GIT_OBJECT_DIRECTORY", self.scratch.join("objects"))
                .also_objects(&self.project.common_dir.join("objects")),
            Pass::Real => call,
        }
    }

    fn check_branch(&self, reference: &str) -> Result<(), LandError> {
        let branch = || self.plan.branch.to_owned();
        let name = self.call(["check-ref-format"], Pass::Trial).arg(reference);
        // As a reference these are well formed; as a word after `git merge` they are a flag and other things.
        let misleads =
            branch().starts_with('-') || branch().starts_with("refs/") || branch() == "HEAD";
        if misleads || name.output()?.ended != Ended::Exited(0) {
            return Err(LandError::BranchName { branch: branch() });
        }
        // A branch `a` stands in the way of `a/b`: refs are files.
        let ends = branch()
            .match_indices('/')
            .map(|(at, _)| at)
            .collect::<Vec<_>>();
        for end in ends.into_iter().chain([branch().len()]) {
            let branch: String = branch().get(..end).unwrap_or_default().to_owned();
            let there = self.call(["show-ref", "--verify", "--quiet"], Pass::Trial);
            let there = there.arg(format!("refs/heads/{branch}")).output()?;
            if there.ended == Ended::Exited(0) {
                return Err(LandError::BranchExists { branch });
            }
        }
        Ok(())
    }

    fn check_base(&self) -> Result<(), LandError> {
        let commit = format!("{}^{{commit}}", self.plan.base);
        let output = self
            .call(["cat-file", "-e"], Pass::Trial)
            .arg(commit)
            .output()?;
        if output.ended == Ended::Exited(0) {
            return Ok(());
        }
        Err(LandError::BaseGone {
            oid: self.plan.base.to_string(),
        })
    }

    /// The commit at the end of all steps.
    fn build(&self, pass: Pass) -> Result<Oid, LandError> {
        let mut parent = self.plan.base.clone();
        self.call(["read-tree"], pass)
            .arg(parent.as_str())
            .bytes()?;
        let mut expected = match pass {
            Pass::Trial => Some(self.base_files()?),
            Pass::Real => None,
        };
        for step in &self.steps {
            self.apply(step, pass)?;
            if let Some(files) = &mut expected {
                record(files, step.changes);
                self.compare(files)?;
            }
            let tree = self.call(["write-tree"], pass).text()?;
            parent = self.commit(&tree, &parent, step.message, pass)?;
        }
        Ok(parent)
    }

    fn base_files(&self) -> Result<Files, LandError> {
        let bytes = self
            .call(["ls-tree", "-r", "-z", "--full-tree"], Pass::Trial)
            .arg(self.plan.base.as_str())
            .bytes()?;
        let listing = Listing::from_ls_tree(self.project.object_format, self.plan.base, &bytes)?;
        Ok(listing.files)
    }

    fn apply(&self, step: &Step<'_>, pass: Pass) -> Result<(), LandError> {
        if step.changes.is_empty() {
            return Ok(());
        }
        let args = [
            "apply",
            "--cached",
            "--binary",
            "--whitespace=nowarn",
            "-p1",
            "--",
        ];
        let output = self.call(args, pass).arg(step.patch).output()?;
        match output.ended {
            Ended::Exited(0) => Ok(()),
            _ => Err(LandError::ApplyFailed {
                stderr: shown_stderr(&output),
            }),
        }
    }

    /// Whether the scratch index holds exactly what it should.
    fn compare(&self, expected: &Files) -> Result<(), LandError> {
        let bytes = self
            .call(["ls-files", "--stage", "-z"], Pass::Trial)
            .bytes()?;
        let found = staged(&bytes)?;
        match first_difference(expected, &found) {
            Some(path) => Err(LandError::NotAsRecorded { path: path.clone() }),
            None => Ok(()),
        }
    }

    fn commit(
        &self,
        tree: &str,
        parent: &Oid,
        message: &str,
        pass: Pass,
    ) -> Result<Oid, LandError> {
        let date = format!("@{} +0000", self.when.0.div_euclid(1000));
        let (author, committer) = (self.plan.author, self.plan.committer);
        let text = self
            .call(["commit-tree", "--no-gpg-sign"], pass)
            .arg("-p")
            .arg(parent.as_str())
            .arg(tree)
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", &committer.name)
            .env("GIT_COMMITTER_EMAIL", &committer.email)
            .env("GIT_COMMITTER_DATE", &date)
            .stdin(message)
            .text()?;
        Ok(text.parse().map_err(GitError::Listing)?)
    }

    /// Creates the branch only when it is not there: 0 is the id that git takes for "nothing yet".
    fn create_branch(&self, reference: &str, commit: &Oid) -> Result<(), LandError> {
        let scratch = Root::open(self.plan.scratch)?;
        scratch.write_new(&repo_path(MAKING)?, reference.as_bytes(), 0o600)?;
        let output = self
            .call(["update-ref"], Pass::Real)
            .arg(reference)
            .arg(commit.as_str())
            .arg("0".repeat(commit.as_str().len()))
            .output()?;
        match output.ended {
            Ended::Exited(0) => Ok(()),
            _ => Err(self.branch_error(&output)),
        }
    }

    fn branch_error(&self, output: &ToolOutput) -> LandError {
        let said = shown_stderr(output);
        // A lock that is there is no branch.
        if said.contains("exists") && !said.contains("File exists") {
            LandError::BranchExists {
                branch: self.plan.branch.to_owned(),
            }
        } else {
            failed("update-ref", output).into()
        }
    }
}

/// The committer's time in a commit as git stores it.
fn committed_at(raw: &str) -> Option<Millis> {
    let mut lines = raw.lines().take_while(|line| !line.is_empty());
    let committer = lines.find(|line| line.starts_with("committer "))?;
    let seconds: i64 = committer.rsplit(' ').nth(1)?.parse().ok()?;
    seconds.checked_mul(1000).map(Millis)
}

const fn index_name(pass: Pass) -> &'static str {
    match pass {
        Pass::Trial => "index-trial",
        Pass::Real => "index-real",
    }
}

/// What the files are after these changes.
fn record(files: &mut Files, changes: &[Change]) {
    for change in changes {
        match &change.new {
            Some(new) => files.insert(change.path.clone(), new.clone()),
            None => files.remove(&change.path),
        };
    }
}

fn first_difference<'a>(expected: &'a Files, found: &'a Files) -> Option<&'a RepoPath> {
    let missing = expected
        .iter()
        .find(|(path, entry)| found.get(*path) != Some(*entry));
    let extra = || found.keys().find(|path| !expected.contains_key(*path));
    missing.map(|(path, _)| path).or_else(extra)
}
