//! The proof: before the child is started, the warden tries from inside what must fail, and the few things that must
//! work. A return code of a restriction is not believed; `/proc` says nothing about Landlock at all.

mod tries;

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use taffrail_domain::{Net, Probe, Rung};

use super::{Canary, Outside, Policy, SandboxError, capability, sys};

/// An address of a block that is set aside for documents (TEST-NET-1): nobody is ever there.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

/// What can only be seen before the restrictions are in force.
#[derive(Debug)]
pub struct Before {
    /// Descriptors from 3 on that a program started here would inherit.
    inherited: Vec<i32>,
}

impl Before {
    /// Looks around. One thread only may run, and each canary must be within reach still (on the full rung the view
    /// hides them already, and [`super::bwrap_args`] has looked).
    ///
    /// # Errors
    /// [`SandboxError::Threads`], [`SandboxError::Policy`] for a canary that proves nothing, [`SandboxError::Io`] where
    /// `/proc/self` cannot be read.
    pub fn look(policy: &Policy) -> Result<Self, SandboxError> {
        let count = names("/proc/self/task")?.len();
        if count != 1 {
            return Err(SandboxError::Threads { count });
        }
        if policy.rung != Rung::Full {
            for canary in &policy.canaries {
                if !within_reach(canary) {
                    return Err(SandboxError::Policy {
                        path: canary.path().to_owned(),
                        why: "it cannot prove anything, because it is out of reach already",
                    });
                }
            }
        }
        let open = names("/proc/self/fd")?;
        let inherited = open
            .into_iter()
            .filter(|at| *at > 2 && tries::stays_open(*at));
        Ok(Self {
            inherited: inherited.collect(),
        })
    }
}

fn within_reach(canary: &Canary) -> bool {
    match canary {
        Canary::Unreadable(path) => std::fs::File::open(path).is_ok(),
        Canary::Uncreatable(path) => path.is_dir(),
    }
}

fn names(directory: &str) -> Result<Vec<i32>, SandboxError> {
    let io = |source| SandboxError::Io {
        path: directory.into(),
        source,
    };
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    Ok(numbers)
}

/// Tries everything and gives a row for each; the caller refuses to go on when one did not hold.
pub fn prove(policy: &Policy, before: &Before) -> Vec<Probe> {
    let mut rows = Rows(Vec::new());
    rows.state(policy, before);
    rows.files(policy);
    rows.network(policy);
    rows.calls();
    rows.needed(policy);
    rows.0
}

struct Rows(Vec<Probe>);

impl Rows {
    /// A row that holds when the call failed with one of these errors.
    fn fails<T>(&mut self, what: impl Into<String>, saw: Result<T, i32>, expect: &[i32]) {
        let (held, saw) = match saw.err() {
            None => (false, "succeeded".to_owned()),
            Some(errno) => (expect.contains(&errno), tries::name(errno)),
        };
        let what = what.into();
        self.0.push(Probe { what, held, saw });
    }

    /// A row that holds when nothing was found.
    fn clear(&mut self, what: &str, found: Option<String>) {
        self.0.push(Probe {
            what: what.to_owned(),
            held: found.is_none(),
            saw: found.unwrap_or_else(|| "none".to_owned()),
        });
    }

    /// A row that holds when the call succeeded.
    fn works(&mut self, what: impl Into<String>, saw: Result<(), i32>) {
        self.0.push(Probe {
            what: what.into(),
            held: saw.is_ok(),
            saw: saw.map_or_else(tries::name, |()| "succeeded".to_owned()),
        });
    }

    fn state(&mut self, policy: &Policy, before: &Before) {
        self.clear("capabilities", capability::left());
        let locked = rustix::thread::no_new_privs() == Ok(true);
        self.clear("new privileges", (!locked).then(|| "allowed".to_owned()));
        let mode = sys::seccomp_mode();
        let free = (mode != Ok(2)).then(|| format!("mode {mode:?}"));
        self.clear("a thread without a system call filter", free);
        let list = (!before.inherited.is_empty()).then(|| format!("{:?}", before.inherited));
        self.clear("descriptors that the child would inherit", list);
        if policy.rung == Rung::Full {
            let shared = shared_namespaces(policy, &policy.outside, &Outside::here());
            self.clear("namespaces shared with the operator", shared);
        }
    }

    fn files(&mut self, policy: &Policy) {
        // On the full rung the view lacks the name; elsewhere only Landlock's own error counts.
        let hidden: &[i32] = match policy.rung {
            Rung::Full => &[libc::EACCES, libc::ENOENT, libc::ENOTDIR, libc::EROFS],
            Rung::Partial | Rung::None => &[libc::EACCES],
        };
        for canary in &policy.canaries {
            let shown = canary.path().display();
            match canary {
                Canary::Unreadable(path) => {
                    self.fails(format!("read {shown}"), tries::read(path), hidden);
                }
                Canary::Uncreatable(path) => {
                    let saw = tries::create(path);
                    self.fails(format!("create a file in {shown}"), saw, hidden);
                }
            }
        }
        if policy.rung == Rung::Full {
            let path = Path::new(super::files::SHOWN_NOT_GRANTED);
            self.fails(
                "create a file where only Landlock forbids it",
                tries::create(path),
                &[libc::EACCES],
            );
        }
    }

    fn network(&mut self, policy: &Policy) {
        let refused = &[libc::EACCES];
        let connect = policy.connect();
        self.fails(
            "open a Unix socket",
            tries::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0),
            refused,
        );
        self.fails(
            "open a UDP socket",
            tries::socket(libc::AF_INET, libc::SOCK_DGRAM, 0),
            refused,
        );
        let multipath = tries::socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP);
        self.fails("open a multipath socket", multipath, refused);
        let tcp = tries::socket(libc::AF_INET, libc::SOCK_STREAM, 0);
        if !policy.own_network() && connect.is_empty() {
            self.fails("open a TCP socket", tcp, refused);
            return;
        }
        let Some(port) = (1..=u16::MAX).find(|port| !connect.contains(port)) else {
            return;
        };
        let tcp = match tcp {
            Ok(tcp) => tcp,
            Err(errno) => return self.works("open a TCP socket", Err(errno)),
        };
        self.fails(
            "connect by TCP Fast Open",
            tries::fast_open(&tcp, port),
            &[libc::EPERM],
        );
        self.hosts(policy);
        if policy.own_network() {
            // The namespace is known to be another one; that nothing leads out of it is seen here.
            self.fails(
                "connect to another machine",
                tries::connect((ELSEWHERE, port)),
                &[libc::ENETUNREACH],
            );
            if policy.outside.port != 0 {
                self.fails(
                    "connect to a server of this machine",
                    tries::meet(policy.outside.port),
                    &[libc::ECONNREFUSED],
                );
            }
            return;
        }
        self.fails(
            format!("connect to port {port}"),
            tries::connect((Ipv4Addr::LOCALHOST, port)),
            refused,
        );
        if policy.bind_ports.is_empty() {
            self.fails("listen", tries::listen(), refused);
        }
    }

    /// The proxy's port, and what is passed through, must answer: a run whose network is by host has no other.
    fn hosts(&mut self, policy: &Policy) {
        let Net::Hosts { loopback, .. } = &policy.net else {
            return;
        };
        for port in policy.proxy.iter().chain(loopback) {
            self.works(format!("connect to port {port}"), tries::meet(*port));
        }
    }

    fn calls(&mut self) {
        self.fails(
            "signal the supervisor",
            tries::signal_parent(),
            &[libc::EPERM, libc::ESRCH],
        );
        let ring = sys::call(libc::SYS_io_uring_setup, [1, 0, 0]);
        self.fails("set up io_uring", ring, &[libc::ENOSYS]);
        let trace = sys::call(libc::SYS_ptrace, [usize::MAX, 0, 0]);
        self.fails("trace a process", trace, &[libc::EPERM]);
        let mount = sys::call(libc::SYS_mount, [0, 0, 0]);
        self.fails("mount", mount, &[libc::EPERM]);
        let users = sys::call(libc::SYS_unshare, [libc::CLONE_NEWUSER as usize, 0, 0]);
        self.fails("make a user namespace", users, &[libc::EPERM]);
    }

    fn needed(&mut self, policy: &Policy) {
        for path in [&policy.boxed, &policy.cwd] {
            self.works(format!("write in {}", path.display()), tries::create(path));
        }
        self.works("write to /dev/null", tries::write(Path::new("/dev/null")));
        self.works("run a program", tries::run());
    }
}

/// The namespaces that are not the child's own; a number that is not known counts as shared.
fn shared_namespaces(policy: &Policy, outside: &Outside, inside: &Outside) -> Option<String> {
    let mut pairs = vec![
        ("mount", outside.mount, inside.mount),
        ("process", outside.process, inside.process),
        ("ipc", outside.ipc, inside.ipc),
        ("user", outside.user, inside.user),
    ];
    if policy.own_network() {
        pairs.push(("network", outside.net, inside.net));
    }
    let shared: Vec<&str> = pairs
        .into_iter()
        .filter(|(_, outside, inside)| outside == inside || *outside == 0 || *inside == 0)
        .map(|(name, ..)| name)
        .collect();
    (!shared.is_empty()).then(|| shared.join(", "))
}

/// A name for a file that the proof makes and removes; one per process, so that two runs in one box do not meet.
fn probe_file(directory: &Path) -> PathBuf {
    directory.join(format!(".taffrail-probe-{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_03_an_unknown_or_equal_namespace_counts_as_shared() {
        let folder = tempfile::tempdir().unwrap();
        let policy = Policy::common(Rung::Full, folder.path(), folder.path()).unwrap();
        let outside = Outside {
            mount: 1,
            process: 2,
            ipc: 3,
            net: 4,
            user: 5,
            port: 0,
        };
        let inside = Outside {
            mount: 11,
            process: 12,
            ipc: 13,
            net: 14,
            user: 15,
            port: 0,
        };
        assert_eq!(shared_namespaces(&policy, &outside, &inside), None);
        let equal = Outside { net: 4, ..inside };
        let got = shared_namespaces(&policy, &outside, &equal);
        assert_eq!(got.as_deref(), Some("network"));
        let got = shared_namespaces(&policy, &Outside::default(), &inside);
        assert_eq!(got.as_deref(), Some("mount, process, ipc, user, network"));
        assert!(shared_namespaces(&policy, &Outside::here(), &Outside::here()).is_some());
    }
}
