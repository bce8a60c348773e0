//! The last gate: the program is there, and says a version. Whether that was tested is a warning, never a refusal.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_config::AgentEntry;
use taffrail_confine::env::ChildEnv;
use taffrail_confine::fs::{private_dir, remove_stale, remove_tree};
use taffrail_confine::tool::{Tool, ToolLimits};
use taffrail_domain::{Ended, hex};

use super::{GateFault, Grounds, program};
use crate::context::random;

/// A program of Node's needs one to three seconds on a loaded machine; one of Python's whose modules are not compiled yet,
/// as `uv` installs them, was seen to need fifteen.
const TIME: Duration = Duration::from_secs(20);
/// A version is a line; some agents write a page around it.
const BYTES: usize = 64 << 10;
/// Bytes of a complaint that are told.
const COMPLAINT: usize = 200;
/// How the homes of probes are called.
const HOMES: &str = "taffrail-probe-";
/// A home of this age is no probe's any more: a Ctrl-C or a kill left it.
const STALE: Duration = Duration::from_secs(600);
/// Variables that the probe gets: the interpreter of a script is on the `PATH`.
const PASSED: [&str; 2] = ["PATH", "LANG"];

/// What a program says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Where it lies.
    pub program: PathBuf,
    /// What it printed, or why nothing.
    said: Result<String, String>,
    /// The version in that.
    pub found: Option<String>,
    /// That it says none, or one that was not tested.
    pub warning: Option<String>,
}

/// Looks for the program of an entry and asks it for its version: twenty seconds at most, an empty HOME that goes away,
/// two variables, away from every project.
///
/// # Errors
/// `Missing`, or `Unfit` where a project holds the program.
pub fn probe(grounds: &Grounds<'_>, entry: &AgentEntry) -> Result<Version, GateFault> {
    let program = program::find(grounds, entry)?;
    let said = ask(grounds, entry, &program);
    let version = Version {
        program,
        said,
        found: None,
        warning: None,
    };
    Ok(version.told_of(entry))
}

impl Version {
    /// What the program said, as this entry reads it.
    pub(crate) fn told_of(self, entry: &AgentEntry) -> Self {
        let (found, warning) = match &self.said {
            Ok(said) => match entry.version_in(said) {
                Some(version) => {
                    let warning = untested(entry, &version);
                    (Some(version), warning)
                }
                None => (None, Some(format!("{} tells no version", entry.id))),
            },
            Err(why) => (None, Some(format!("{} tells no version: {why}", entry.id))),
        };
        Self {
            found,
            warning,
            ..self
        }
    }
}

fn ask(grounds: &Grounds<'_>, entry: &AgentEntry, program: &Path) -> Result<String, String> {
    let name = random::<16>().map_err(|error| error.to_string())?;
    let above = std::env::temp_dir();
    remove_stale(&above, HOMES, STALE);
    let home = above.join(format!("{HOMES}{}", hex(&name)));
    private_dir(&home).map_err(|error| error.to_string())?;
    let answer = ask_in(grounds, entry, program, &home);
    let removed = remove_tree(&home).map_err(|error| error.to_string());
    answer.and_then(|said| removed.map(|()| said))
}

fn ask_in(
    grounds: &Grounds<'_>,
    entry: &AgentEntry,
    program: &Path,
    home: &Path,
) -> Result<String, String> {
    let names = PASSED.map(str::to_owned);
    let tool = Tool {
        program: program.to_owned(),
        args: entry.version_args.iter().map(OsString::from).collect(),
        env: ChildEnv::cleared()
            .pass(&grounds.inputs.environment, &names)
            .set("HOME", home)
            .set("TMPDIR", home)
            .set("NO_COLOR", "1"),
        cwd: home.to_owned(),
        limits: ToolLimits {
            time: TIME,
            stdout: BYTES,
            stderr: BYTES,
        },
    };
    let output = tool.run(b"").map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.ended {
        Ended::Exited(0) => Ok(text),
        ended => Err(format!(
            "it ended with {ended}{}",
            last_line(&output.stderr)
        )),
    }
}

fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    // Some frame their complaint: a line of the frame says nothing.
    let says = |line: &&str| line.contains(char::is_alphanumeric);
    let line = text.lines().rev().find(says).map(str::trim);
    line.map_or_else(String::new, |line| {
        let kept = line.get(..line.floor_char_boundary(COMPLAINT));
        format!(": {}", kept.unwrap_or_default())
    })
}

/// What is to be told of a version that is not in the range that was tested.
fn untested(entry: &AgentEntry, version: &str) -> Option<String> {
    let (first, last) = entry.tested_range()?;
    let below = compare(version, first) == Ordering::Less;
    let above = compare(version, last) == Ordering::Greater;
    (below || above).then(|| {
        let range = if first == last {
            first.to_owned()
        } else {
            format!("{first} to {last}")
        };
        format!("{} {version} was not tested with; {range} was", entry.id)
    })
}

/// As far as the bound says something: `0.61.3` equals the bound `0.61`.
fn compare(version: &str, bound: &str) -> Ordering {
    let parts = |text: &str| -> Vec<u64> {
        let parts = text.split('.').map_while(|part| part.parse().ok());
        parts.collect()
    };
    let bound = parts(bound);
    let version: Vec<u64> = parts(version).into_iter().take(bound.len()).collect();
    version.cmp(&bound)
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
