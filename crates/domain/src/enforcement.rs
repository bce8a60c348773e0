//! What a sandbox enforced in one run: the facts of the record, never a promise.

use serde::{Deserialize, Serialize};

/// One layer of the sandbox (CNF-03). None holds alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// bubblewrap: a mount view of its own; process, IPC and host-name namespaces.
    Bubblewrap,
    /// Landlock: files by path, TCP by port, signals and abstract sockets.
    Landlock,
    /// seccomp: system calls.
    Seccomp,
}

impl Layer {
    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

/// How far the sandbox reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// All three layers.
    Full,
    /// Landlock and seccomp: metadata of the user's files stays open, and with `proc` the list of processes.
    Partial,
    /// Nothing: `--no-sandbox`, on record.
    None,
}

impl Rung {
    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }
}

/// What the child may reach over the network (CNF-08).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Net {
    /// Nothing: with bubblewrap not even the machine's own loopback.
    Off,
    /// TCP to these ports of **any** host; names by DNS over TCP. No UDP, no listening.
    Ports(Vec<u16>),
    /// Our own proxy and nothing beside it: it looks up names itself and connects to the hosts that are allowed.
    Hosts {
        /// The rules, as in a registry entry: `api.example.com`, `*.example.com`, `10.0.0.5:8080`.
        allowed: Vec<String>,
        /// Whether a person is asked for a host that no rule names. Otherwise it is refused.
        #[serde(default)]
        ask: bool,
        /// Ports of this machine's 127.0.0.1 that are passed through, where something answered when the run began.
        #[serde(default)]
        loopback: Vec<u16>,
    },
}

/// One thing that the probe tried from inside, before the child was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// What was tried, in a few words: `read a file in the home`.
    pub what: String,
    /// Whether it came out as it must.
    pub held: bool,
    /// The error that came back, or `succeeded`.
    pub saw: String,
}

/// What was enforced, proven from inside, in one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforcement {
    /// How far the sandbox reaches.
    pub rung: Rung,
    /// The layers in force.
    pub layers: Vec<Layer>,
    /// The kernel's Landlock ABI; 0 where it has none.
    pub landlock_abi: i32,
    /// What the network was limited to. Without meaning when `rung` is `None`: nothing is limited then.
    pub net: Net,
    /// The probe's results. Empty only when `rung` is `None`.
    pub probes: Vec<Probe>,
    /// What stays open on this rung, one sentence each, shown on the screen and kept in the record.
    pub open: Vec<String>,
}
