//! Landlock: files by path, TCP by port, signals and abstract sockets by domain. Every right that the kernel knows is
//! handled, so what no rule grants is refused.

use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope,
};
use taffrail_domain::Rung;

use super::roots::{DEVICES, PROC_FACTS, SCRATCH};
use super::{MIN_LANDLOCK_ABI, Policy, SandboxError, sys};

/// Restricts this thread, and all that it starts, to the policy. `/dev/null` and every root of the policy must exist.
///
/// # Errors
/// [`SandboxError::LandlockTooOld`], [`SandboxError::Io`] for a root that is not there, [`SandboxError::Step`] where the
/// kernel refuses.
pub fn restrict(policy: &Policy) -> Result<(), SandboxError> {
    let have = sys::landlock_abi();
    if have < MIN_LANDLOCK_ABI {
        return Err(SandboxError::LandlockTooOld {
            have,
            need: MIN_LANDLOCK_ABI,
        });
    }
    let mut rules = Rules {
        abi: ABI::from(have),
        ruleset: create(policy, ABI::from(have)).map_err(|why| step(&why))?,
    };
    rules.read(policy)?;
    rules.write(policy)?;
    rules.devices(policy)?;
    rules.processes(policy)?;
    rules.ports(policy)?;
    let status = rules.ruleset.restrict_self().map_err(|why| step(&why))?;
    if status.ruleset == RulesetStatus::FullyEnforced {
        Ok(())
    } else {
        Err(SandboxError::Step {
            step: "landlock",
            why: "the kernel enforces only a part of the rules".to_owned(),
        })
    }
}

fn create(policy: &Policy, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::from_all(abi))?;
    // A network of its own has nothing in it but the run's own servers: no port needs a rule there.
    if !policy.own_network() {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    ruleset.create()
}

struct Rules {
    abi: ABI,
    ruleset: RulesetCreated,
}

impl Rules {
    fn read(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        for root in &policy.read {
            let root = super::policy::real(root)?;
            self.tree(&root, &policy.mask)?;
        }
        if policy.rung == Rung::Full {
            // The view holds only what is granted; its root and the folders on the way may be listed.
            self.add(Path::new("/"), AccessFs::ReadDir.into())?;
        }
        Ok(())
    }

    /// Rules only add: to leave something out, its siblings are granted one by one, at every level above it.
    fn tree(&mut self, root: &Path, masks: &[PathBuf]) -> Result<(), SandboxError> {
        if masks.iter().any(|mask| root.starts_with(mask)) {
            return Ok(());
        }
        if !masks.iter().any(|mask| mask.starts_with(root)) {
            return self.add(
                root,
                AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir,
            );
        }
        self.add(root, AccessFs::ReadDir.into())?;
        let io = |source| SandboxError::Io {
            path: root.to_owned(),
            source,
        };
        for entry in std::fs::read_dir(root).map_err(io)? {
            let entry = entry.map_err(io)?;
            let kind = entry.file_type().map_err(io)?;
            // What a link points to is granted where it lies, or not at all.
            if !kind.is_dir() && !kind.is_file() {
                continue;
            }
            let path = entry.path();
            match self.tree(&path, masks) {
                // Gone since it was listed, as an editor's swap file.
                Err(SandboxError::Io { .. }) if path.symlink_metadata().is_err() => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn write(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        let never =
            AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock | AccessFs::IoctlDev;
        let mut rights = AccessFs::from_all(self.abi) & !never;
        if self.abi >= ABI::V9 {
            rights &= !BitFlags::from(AccessFs::ResolveUnix);
        }
        self.add(&policy.boxed, rights)?;
        if policy.rung == Rung::Full {
            for path in SCRATCH {
                self.add(Path::new(path), rights)?;
            }
        }
        Ok(())
    }

    fn devices(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        let rights = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
        for path in DEVICES.iter().map(Path::new) {
            if path.exists() || path == Path::new("/dev/null") {
                self.add(path, rights)?;
            }
        }
        if policy.pty && policy.rung == Rung::Full {
            self.add(Path::new("/dev/pts"), rights | AccessFs::ReadDir)?;
        }
        // `> /dev/stderr` opens the terminal anew by its descriptor, under a name that the view may not have.
        for at in [
            std::io::stdin().as_fd(),
            std::io::stdout().as_fd(),
            std::io::stderr().as_fd(),
        ] {
            if at.is_terminal() {
                self.add_open(at, rights)?;
            }
        }
        Ok(())
    }

    fn processes(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        let rights = AccessFs::ReadFile | AccessFs::ReadDir;
        if policy.rung == Rung::Full || policy.proc {
            return self.add(Path::new("/proc"), rights);
        }
        for path in PROC_FACTS
            .iter()
            .map(Path::new)
            .filter(|path| path.exists())
        {
            self.add(path, AccessFs::ReadFile.into())?;
        }
        Ok(())
    }

    fn ports(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        if policy.own_network() {
            return Ok(());
        }
        let connect = policy.connect();
        let connect = connect.iter().map(|port| (port, AccessNet::ConnectTcp));
        let listen = policy.bind_ports.iter();
        let bind = listen.map(|port| (port, AccessNet::BindTcp));
        for (port, right) in connect.chain(bind) {
            let rule = NetPort::new(*port, right);
            (&mut self.ruleset)
                .add_rule(rule)
                .map_err(|why| step(&why))?;
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), SandboxError> {
        let opened = PathFd::new(path).map_err(|why| SandboxError::Io {
            path: path.to_owned(),
            source: std::io::Error::other(why),
        })?;
        let rights = if path.is_dir() {
            rights
        } else {
            rights & AccessFs::from_file(self.abi)
        };
        let rule = PathBeneath::new(opened, rights);
        (&mut self.ruleset)
            .add_rule(rule)
            .map_err(|why| step(&why))?;
        Ok(())
    }

    fn add_open(
        &mut self,
        at: BorrowedFd<'_>,
        rights: BitFlags<AccessFs>,
    ) -> Result<(), SandboxError> {
        let rule = PathBeneath::new(at, rights);
        (&mut self.ruleset)
            .add_rule(rule)
            .map_err(|why| step(&why))?;
        Ok(())
    }
}

fn step(why: &RulesetError) -> SandboxError {
    SandboxError::Step {
        step: "landlock",
        why: why.to_string(),
    }
}

/// A folder of the mount view's own memory, in which anybody could make a file but for Landlock: the proof tries it to see
/// Landlock alone. What lies in it will not do: it is our executable, which a run may be granted (FA-25).
pub(crate) const SHOWN_NOT_GRANTED: &str = "/dev";
