//! A project of all kinds of files, what it was before, and a command that tries to reach it.

use taffrail_testkit::{Hermetic, Ran, Repo, Times, manifest};

use super::{boxed, checkouts, project, review, world};

/// Changes of every kind inside the checkout, and tries to reach the operator's tree by its path. Every try is told
/// apart from a box that cannot work at all: the script goes on.
pub fn script(repo: &Repo, then: &str) -> String {
    let root = repo.root().display();
    format!(
        "echo new > new.txt; rm src/main.txt; chmod -x run.sh; ln -sf run.sh link; git add -A; git commit -qm work
         echo x > '{root}/planted'; echo x >> '{root}/README.md'; echo x > '{root}/.git/hooks/post-checkout'
         rm '{root}/untracked.txt'
         echo ready > ready; {then}"
    )
}

/// A world with a project of all kinds of files, and what that project was before.
pub struct Scene {
    pub world: Hermetic,
    pub repo: Repo,
    pub before: Vec<String>,
}

impl Scene {
    pub fn new() -> Self {
        let world = world();
        let repo = project(&world);
        let before = manifest(repo.root(), Times::Counted);
        Self {
            world,
            repo,
            before,
        }
    }

    #[track_caller]
    pub fn assert_untouched(&self) {
        let after = manifest(self.repo.root(), Times::Counted);
        let changed: Vec<_> = after
            .iter()
            .filter(|line| !self.before.contains(line))
            .collect();
        assert!(
            after == self.before,
            "the operator's tree is not as it was: {changed:#?}"
        );
    }

    /// Untouched, and nothing on disk but the record.
    #[track_caller]
    pub fn assert_clean(&self) {
        self.assert_untouched();
        assert_eq!(checkouts(&self.world), Vec::<std::path::PathBuf>::new());
    }

    pub fn boxed(&self, flags: &[&str], then: &str) -> Ran {
        boxed(&self.world, &self.repo, flags, &script(&self.repo, then)).go()
    }

    /// The paths of the change of a box.
    #[track_caller]
    pub fn changed(&self, name: &str) -> Vec<String> {
        let answer = review(&self.world, &self.repo, name);
        let changes = answer["change"]["changes"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        changes
            .iter()
            .filter_map(|change| Some(change["path"].as_str()?.to_owned()))
            .collect()
    }
}

/// What the script changes.
pub const CHANGED: [&str; 5] = ["link", "new.txt", "ready", "run.sh", "src/main.txt"];
