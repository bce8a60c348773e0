//! What this machine can enforce, found by trying it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_domain::{Ended, Rung};

use super::{Policy, SandboxError, view};
use crate::env::ChildEnv;
use crate::tool::{Tool, ToolLimits};

/// The first Landlock that scopes signals and abstract sockets. Below it a child could signal the operator's processes.
pub const MIN_LANDLOCK_ABI: i32 = 6;

/// Where bubblewrap is looked for: never on the PATH, which a project may have changed.
const BWRAP: &[&str] = &[
    "/usr/bin/bwrap",
    "/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// It takes 10 ms; a machine where it takes this long would make no run bearable.
const TRIAL: ToolLimits = ToolLimits {
    time: Duration::from_secs(5),
    stdout: 4096,
    stderr: 4096,
};

/// What the trial needs to know.
#[derive(Debug, Clone)]
pub struct LadderInputs {
    /// A bubblewrap to try instead of the usual places.
    pub bwrap: Option<PathBuf>,
    /// An existing directory that the trial's view shows as its box. Nothing is written to it.
    pub scratch: PathBuf,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Ladder {
    /// The bubblewrap that built a view and ran a program in it, or why none did.
    pub bwrap: Result<PathBuf, String>,
    /// The kernel's Landlock ABI; 0 where it has none.
    pub landlock_abi: i32,
    /// Whether the kernel offers seccomp filters.
    pub seccomp: bool,
}

impl Ladder {
    /// The highest rung that can be enforced here.
    pub fn rung(&self) -> Rung {
        if !self.seccomp || self.landlock_abi < MIN_LANDLOCK_ABI {
            Rung::None
        } else if self.bwrap.is_ok() {
            Rung::Full
        } else {
            Rung::Partial
        }
    }

    /// Why the rung is not the full one; `None` where it is.
    pub fn why(&self) -> Option<String> {
        if !self.seccomp {
            Some("the kernel offers no seccomp filters".to_owned())
        } else if self.landlock_abi < MIN_LANDLOCK_ABI {
            Some(format!(
                "the kernel's Landlock has version {}, and {MIN_LANDLOCK_ABI} is needed",
                self.landlock_abi
            ))
        } else {
            self.bwrap.clone().err()
        }
    }
}

/// Tries bubblewrap once, with the flags of a run, and asks the kernel for the rest.
#[cfg(target_os = "linux")]
pub fn probe_ladder(inputs: &LadderInputs) -> Ladder {
    Ladder {
        bwrap: try_bwrap(inputs),
        landlock_abi: super::sys::landlock_abi(),
        seccomp: super::sys::has_seccomp(),
    }
}

/// Nothing can be enforced on this system.
#[cfg(not(target_os = "linux"))]
pub fn probe_ladder(_: &LadderInputs) -> Ladder {
    Ladder {
        bwrap: Err(SandboxError::Platform.to_string()),
        landlock_abi: 0,
        seccomp: false,
    }
}

fn try_bwrap(inputs: &LadderInputs) -> Result<PathBuf, String> {
    let found = match &inputs.bwrap {
        Some(path) => path.is_file().then(|| path.clone()),
        None => BWRAP.iter().map(PathBuf::from).find(|path| path.is_file()),
    };
    let bwrap = found.ok_or_else(|| "bubblewrap is not installed".to_owned())?;
    let line = trial(&bwrap, &inputs.scratch).map_err(|why| why.to_string())?;
    let tool = Tool {
        program: bwrap.clone(),
        args: line.into_iter().skip(1).collect(),
        env: ChildEnv::cleared(),
        cwd: "/".into(),
        limits: TRIAL,
    };
    let output = tool.run(&[]).map_err(|why| why.to_string())?;
    if output.ended == Ended::Exited(0) {
        return Ok(bwrap);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it said nothing").trim();
    Err(format!("{} does not work here: {said}", bwrap.display()))
}

fn trial(bwrap: &Path, scratch: &Path) -> Result<Vec<OsString>, SandboxError> {
    let mut policy = Policy::common(Rung::Full, scratch, scratch)?;
    policy.bwrap = Some(bwrap.to_owned());
    let program = [
        "/usr/bin/true",
        "/bin/true",
        "/run/current-system/sw/bin/true",
    ]
    .map(Path::new)
    .into_iter()
    .find(|path| path.exists())
    .ok_or_else(|| SandboxError::Policy {
        path: "/usr/bin/true".into(),
        why: "the trial needs it",
    })?;
    let mut line = view::view(&policy, program)?;
    line.push("--".into());
    line.push(program.into());
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(bwrap: bool, landlock_abi: i32, seccomp: bool) -> Ladder {
        let bwrap = if bwrap {
            Ok("/b".into())
        } else {
            Err("no".to_owned())
        };
        Ladder {
            bwrap,
            landlock_abi,
            seccomp,
        }
    }

    #[test]
    fn cnf_03_the_rung_is_the_highest_that_every_layer_allows() {
        for (bwrap, abi, seccomp, rung) in [
            (true, 6, true, Rung::Full),
            (false, 6, true, Rung::Partial),
            (true, 5, true, Rung::None),
            (true, 9, false, Rung::None),
            (false, 0, false, Rung::None),
        ] {
            let ladder = ladder(bwrap, abi, seccomp);
            assert_eq!(ladder.rung(), rung, "{ladder:?}");
            assert_eq!(ladder.why().is_none(), rung == Rung::Full, "{ladder:?}");
        }
    }

    #[test]
    fn cnf_03_a_bubblewrap_that_fails_is_named_with_its_reason() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let fake = folder.path().join("bwrap");
        std::fs::write(
            &fake,
            "#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n",
        )
        .unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut inputs = LadderInputs {
            bwrap: Some(fake),
            scratch: folder.path().to_owned(),
        };
        let why = probe_ladder(&inputs).bwrap.unwrap_err();
        assert!(why.contains("no permission"), "{why}");
        inputs.bwrap = Some(folder.path().join("gone"));
        let why = probe_ladder(&inputs).bwrap.unwrap_err();
        assert!(why.contains("not installed"), "{why}");
    }

    #[cfg(feature = "peers")]
    #[test]
    fn cnf_03_the_trial_works_with_bubblewrap() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = LadderInputs {
            bwrap: None,
            scratch: folder.path().to_owned(),
        };
        let ladder = probe_ladder(&inputs);
        assert_eq!(ladder.rung(), Rung::Full, "{ladder:?}");
    }
}
