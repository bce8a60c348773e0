//! The second gate: a build machine has nobody to answer, and secrets that no agent should reach.

use taffrail_config::AgentEntry;

use super::{GateFault, Grounds, is_of_user};

/// What build services set.
const VARIABLES: [&str; 14] = [
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "CIRCLECI",
    "TRAVIS",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "BUILDKITE",
    "DRONE",
    "APPVEYOR",
    "CODEBUILD_BUILD_ID",
    "TF_BUILD",
    "BITBUCKET_BUILD_NUMBER",
];
/// Values that say no, in any case.
const NO: [&str; 4] = ["false", "0", "no", "off"];

/// Hard off, but for an entry that the user's own file marks as a test's.
pub(super) fn check(grounds: &Grounds<'_>, entry: &AgentEntry) -> Result<(), GateFault> {
    match variable(grounds) {
        Some(variable) if !(entry.test && is_of_user(entry, "test")) => {
            Err(GateFault::Ci { variable })
        }
        Some(_) | None => Ok(()),
    }
}

/// The first variable that says that this is a build machine.
fn variable(grounds: &Grounds<'_>) -> Option<&'static str> {
    let says_yes = |name: &&str| {
        let value = grounds.variable(name);
        value.is_some_and(|value| !NO.contains(&value.to_ascii_lowercase().as_str()))
    };
    VARIABLES.into_iter().find(says_yes)
}
