//! What the policy is told about the world, as values and as questions that a rim answers.

use taffrail_domain::{Actor, Held, RepoPath};

/// Where a path leads when it is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the working tree, or nowhere yet.
    Inside,
    /// Out of it.
    Outside,
    /// To something that is taken for a credential.
    Credential,
}

/// What of a folder is read by a command that reads it whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whole {
    /// What is not hidden.
    Visible,
    /// Everything, links aside.
    All,
    /// Everything, links followed: one that leads out of the tree makes the folder unfit as well.
    Followed,
}

/// Questions about names and the disk. A rim answers them; the policy stays pure. Answers that cannot be given are the
/// stricter ones.
pub trait Facts {
    /// Whether something at this path is taken for a credential, by its name alone, wherever its tree lies (CNF-02).
    fn is_credential(&self, path: &RepoPath) -> bool;

    /// Whether a tool executes or obeys what stands at this path: hooks, CI, editor tasks, rules of agents (POL-02).
    fn is_obeyed(&self, path: &RepoPath) -> bool;

    /// Where an absolute path leads, symbolic links followed.
    fn leads(&self, path: &[u8]) -> Place;

    /// Whether a credential lies beneath this absolute path, which a command is about to read whole. Of a file: no.
    fn is_unfit_whole(&self, path: &[u8], whole: Whole) -> bool;
}

/// Who acts, where, and what holds it. Paths are absolute and without `.` and `..`.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Who wants to act.
    pub actor: Actor,
    /// What holds the processes of the action. `Sandboxed` also says that git runs with the environment of CNF-06.
    pub held: Held,
    /// A person said yes to all edits inside of this run's checkout (FA-24). Counts only while `held` is `Sandboxed`.
    pub grant: bool,
    /// The working tree.
    pub root: &'a [u8],
    /// The folder that the action is in.
    pub cwd: &'a [u8],
    /// Taffrail's home.
    pub home: &'a [u8],
    /// The questions.
    pub facts: &'a dyn Facts,
}
