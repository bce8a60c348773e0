//! Entering the sandbox: the warden's one-way door.

#[cfg(target_os = "linux")]
use taffrail_domain::Layer;
use taffrail_domain::{Enforcement, Net, Rung};

use super::{Policy, SandboxError};

/// Puts the policy in force on this process, for good, and proves it. On [`Rung::Full`] this process must have been
/// started inside the view of [`super::bwrap_args`]. Must be called with one thread, and with the child's terminal, if
/// it has one, as descriptor 0, 1 or 2. Whatever is started afterwards is confined too; this process itself shares the
/// child's Landlock domain, so the child can signal it.
///
/// # Errors
/// Any: nothing was enforced or only a part, and no child may be started.
#[cfg(target_os = "linux")]
pub fn enter(policy: &Policy) -> Result<Enforcement, SandboxError> {
    if policy.rung == Rung::None {
        return Ok(enter_none());
    }
    policy.check()?;
    std::env::set_current_dir(&policy.cwd).map_err(|source| SandboxError::Io {
        path: policy.cwd.clone(),
        source,
    })?;
    let before = super::proof::Before::look(policy)?;
    super::capability::drop_all()?;
    super::files::restrict(policy)?;
    super::seccomp::install(policy)?;
    let probes = super::proof::prove(policy, &before);
    if probes.iter().any(|probe| !probe.held) {
        return Err(SandboxError::Broken { probes });
    }
    super::sys::hide_memory().map_err(|why| SandboxError::Step {
        step: "hide the warden's memory",
        why: why.to_string(),
    })?;
    Ok(Enforcement {
        rung: policy.rung,
        layers: layers(policy.rung),
        landlock_abi: super::sys::landlock_abi(),
        net: policy.net.clone(),
        probes,
        open: super::open::sentences(policy),
    })
}

/// There is no sandbox for this system.
///
/// # Errors
/// [`SandboxError::Platform`], unless the policy asks for none.
#[cfg(not(target_os = "linux"))]
pub fn enter(policy: &Policy) -> Result<Enforcement, SandboxError> {
    match policy.rung {
        Rung::None => Ok(enter_none()),
        Rung::Full | Rung::Partial => Err(SandboxError::Platform),
    }
}

/// No sandbox, because the operator said so; capabilities and new privileges are given up all the same, and where the
/// kernel refuses that, `open` says so.
pub fn enter_none() -> Enforcement {
    #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
    let mut open = vec![super::open::NOTHING.to_owned()];
    #[cfg(target_os = "linux")]
    if let Err(why) = super::capability::drop_all() {
        open.push(format!("Not even privileges could be given up: {why}."));
    }
    Enforcement {
        rung: Rung::None,
        layers: Vec::new(),
        landlock_abi: abi(),
        net: Net::Off,
        probes: Vec::new(),
        open,
    }
}

#[cfg(target_os = "linux")]
fn abi() -> i32 {
    super::sys::landlock_abi()
}

#[cfg(not(target_os = "linux"))]
fn abi() -> i32 {
    0
}

#[cfg(target_os = "linux")]
fn layers(rung: Rung) -> Vec<Layer> {
    match rung {
        Rung::Full => vec![Layer::Bubblewrap, Layer::Landlock, Layer::Seccomp],
        Rung::Partial => vec![Layer::Landlock, Layer::Seccomp],
        Rung::None => Vec::new(),
    }
}
