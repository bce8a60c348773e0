//! What one run may see, write and reach: plain data that travels to the warden as one blob.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use taffrail_domain::{Net, Rung};

use super::{SandboxError, paths, roots};

/// The grants of one run. Everything not named here is out of reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Which layers are to be in force.
    pub rung: Rung,
    /// The bubblewrap that was tried and works; needed on [`Rung::Full`].
    #[serde(with = "paths::perhaps")]
    pub bwrap: Option<PathBuf>,
    /// The one writable directory, a real path; holds the work tree, the private home and `tmp`.
    #[serde(with = "paths::one")]
    pub boxed: PathBuf,
    /// Where the child starts, inside `boxed`.
    #[serde(with = "paths::one")]
    pub cwd: PathBuf,
    /// Files and directories that may be read and run. A path that is or passes a symbolic link is visible under both
    /// names.
    #[serde(with = "paths::all")]
    pub read: Vec<PathBuf>,
    /// Hidden although they lie below something in `read`; real paths.
    #[serde(with = "paths::all")]
    pub mask: Vec<PathBuf>,
    /// Inside `boxed` but not writable. Only on [`Rung::Full`]; elsewhere the enforcement says that they are writable.
    #[serde(with = "paths::all")]
    pub read_only: Vec<PathBuf>,
    /// What the network is limited to.
    pub net: Net,
    /// Where the proxy of [`Net::Hosts`] is met on the loopback: on [`Rung::Full`] a port inside, on which the warden
    /// listens for us; on [`Rung::Partial`] one of the machine's. Needed there, without meaning elsewhere.
    pub proxy: Option<u16>,
    /// TCP ports that may be listened on, and connected to as well: a server of the child's own needs both. With none,
    /// listening is refused where the network is shared; with a network of its own no port needs to be named.
    pub bind_ports: Vec<u16>,
    /// New pseudo-terminals may be made. Only on [`Rung::Full`]: elsewhere it would open the operator's terminals.
    pub pty: bool,
    /// `/proc` may be read on [`Rung::Partial`] too, which shows every process of the machine.
    pub proc: bool,
    /// A private `/etc/hosts`. Only on [`Rung::Full`].
    #[serde(with = "paths::perhaps")]
    pub hosts: Option<PathBuf>,
    /// What the proof tries, and must not get.
    pub canaries: Vec<Canary>,
    /// The namespaces that the supervisor lives in; the proof wants others on [`Rung::Full`].
    pub outside: Outside,
}

/// Something outside the grants that exists, and that the proof must fail to reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Canary {
    /// A file that the operator can read and the child must not: one in Taffrail's home, one in the operator's.
    Unreadable(#[serde(with = "paths::one")] PathBuf),
    /// A directory in which the operator can create a file and the child must not: the project.
    Uncreatable(#[serde(with = "paths::one")] PathBuf),
}

/// The kernel's numbers of the namespaces of one process; 0 where `/proc` does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// Mounts.
    pub mount: u64,
    /// Process ids.
    pub process: u64,
    /// System V and POSIX inter-process communication.
    pub ipc: u64,
    /// Network.
    pub net: u64,
    /// Users and capabilities.
    pub user: u64,
    /// A port of the loopback out there on which the supervisor listens while the proof is tried: a network of the
    /// child's own must not lead to it. 0 where there is none.
    pub port: u16,
}

impl Outside {
    /// The namespaces of this process.
    pub fn here() -> Self {
        Self {
            mount: namespace("mnt"),
            process: namespace("pid"),
            ipc: namespace("ipc"),
            net: namespace("net"),
            user: namespace("user"),
            port: 0,
        }
    }
}

/// `/proc/self/ns/pid` is a link whose text is `pid:[4026531836]`.
fn namespace(kind: &str) -> u64 {
    std::fs::read_link(Path::new("/proc/self/ns").join(kind))
        .ok()
        .and_then(|text| {
            let text = text.to_str()?;
            text.split_once('[')?.1.strip_suffix(']')?.parse().ok()
        })
        .unwrap_or(0)
}

impl Policy {
    /// A policy with the common roots and masks, no network, no terminal and no canary. `boxed` and `cwd` must exist.
    ///
    /// # Errors
    /// [`SandboxError::Io`] where a path does not exist, [`SandboxError::Policy`] where `cwd` lies outside `boxed`.
    pub fn common(rung: Rung, boxed: &Path, cwd: &Path) -> Result<Self, SandboxError> {
        let policy = Self {
            rung,
            bwrap: None,
            boxed: real(boxed)?,
            cwd: real(cwd)?,
            read: roots::common_read(),
            mask: roots::common_mask(),
            read_only: Vec::new(),
            net: Net::Off,
            proxy: None,
            bind_ports: Vec::new(),
            pty: false,
            proc: false,
            hosts: None,
            canaries: Vec::new(),
            outside: Outside::here(),
        };
        policy.check()?;
        Ok(policy)
    }

    /// Whether the child's network is its own, with nothing in it but a loopback.
    pub(crate) fn own_network(&self) -> bool {
        let shared = match self.net {
            Net::Off | Net::Hosts { .. } => false,
            Net::Ports(_) => true,
        };
        self.rung == Rung::Full && !shared
    }

    /// The ports of a loopback of its own on which the warden listens, to hand the listeners to Taffrail: the proxy's
    /// first, then what is passed through.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn doors(&self) -> Vec<u16> {
        match &self.net {
            Net::Hosts { loopback, .. } if self.own_network() => {
                self.proxy.iter().chain(loopback).copied().collect()
            }
            Net::Hosts { .. } | Net::Off | Net::Ports(_) => Vec::new(),
        }
    }

    /// The TCP ports that may be connected to where the network is shared.
    pub(crate) fn connect(&self) -> Vec<u16> {
        match &self.net {
            Net::Off => Vec::new(),
            Net::Ports(ports) => [&ports[..], &self.bind_ports[..]].concat(),
            Net::Hosts { loopback, .. } => {
                let ports = self.proxy.iter().chain(loopback).chain(&self.bind_ports);
                ports.copied().collect()
            }
        }
    }

    /// Whether the grants reach this path.
    fn readable(&self, path: &Path) -> bool {
        let below = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
        path.starts_with(&self.boxed) || (below(&self.read) && !below(&self.mask))
    }

    /// Refuses what no layer could enforce.
    pub(crate) fn check(&self) -> Result<(), SandboxError> {
        let refuse = |path: &Path, why| {
            Err(SandboxError::Policy {
                path: path.to_owned(),
                why,
            })
        };
        if !self.boxed.is_absolute() || self.boxed.parent().is_none() {
            return refuse(
                &self.boxed,
                "the writable directory must be a real path below /",
            );
        }
        if matches!(self.net, Net::Hosts { .. }) && self.proxy.is_none() {
            return refuse(&self.boxed, "the network is by host and no proxy is there");
        }
        if !self.cwd.starts_with(&self.boxed) {
            return refuse(
                &self.cwd,
                "the child must start inside the writable directory",
            );
        }
        for path in &self.read {
            if !path.is_absolute() || path.parent().is_none() {
                return refuse(path, "a readable path must be absolute and not / itself");
            }
            if self.boxed.starts_with(path) {
                return refuse(path, "a readable path may not hold the writable directory");
            }
        }
        for canary in &self.canaries {
            let (path, open) = match canary {
                Canary::Unreadable(path) => (path, self.readable(path)),
                Canary::Uncreatable(path) => (path, path.starts_with(&self.boxed)),
            };
            if open {
                return refuse(path, "it must stay out of reach and lies inside a grant");
            }
        }
        if let Some(path) = self
            .read_only
            .iter()
            .find(|path| !path.starts_with(&self.boxed))
        {
            return refuse(
                path,
                "a read-only path must lie inside the writable directory",
            );
        }
        Ok(())
    }
}

impl Canary {
    /// The path that must stay out of reach.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable(path) | Self::Uncreatable(path) => path,
        }
    }
}

/// The path with every symbolic link resolved.
pub(crate) fn real(path: &Path) -> Result<PathBuf, SandboxError> {
    path.canonicalize().map_err(|source| SandboxError::Io {
        path: path.to_owned(),
        source,
    })
}
