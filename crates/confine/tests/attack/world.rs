//! What there is to attack: an operator's home and project, a process, sockets, ports, shared memory. One per attempt.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};

use super::raw::{at, call};

/// What the attacker is told: everything.
#[derive(Serialize, Deserialize, Clone)]
pub struct Target {
    pub root: PathBuf,
    pub home: PathBuf,
    pub project: PathBuf,
    pub boxed: PathBuf,
    pub checkout: PathBuf,
    pub victim: i32,
    pub secret: usize,
    pub operator: i32,
    pub granted: u16,
    pub other: u16,
    pub other6: u16,
    pub udp: u16,
    pub name: String,
    pub shared: i32,
    pub terminal: PathBuf,
}

/// Keeps the other ends alive.
pub struct World {
    pub target: Target,
    victim: Child,
    _ends: Vec<Box<dyn std::any::Any>>,
    folder: tempfile::TempDir,
}

static SECRET: &[u8; 16] = b"operator-secret!";

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        files(&root);
        let victim = victim(&root.join("project"));
        let mut ends: Vec<Box<dyn std::any::Any>> = Vec::new();
        let name = format!(
            "taffrail-test-{}",
            root.file_name().unwrap().to_string_lossy()
        );
        let tcp = |address: &str| TcpListener::bind(address);
        let (granted, other) = (tcp("127.0.0.1:0").unwrap(), tcp("127.0.0.1:0").unwrap());
        let other6 = tcp("[::1]:0").ok();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let terminal = terminal();
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let target = Target {
            home: root.join("home"),
            project: root.join("project"),
            boxed: root.join("box"),
            checkout: root.join("box/wt"),
            victim: i32::try_from(victim.id()).unwrap(),
            secret: at(SECRET),
            operator: i32::try_from(std::process::id()).unwrap(),
            granted: port(&granted),
            other: port(&other),
            other6: other6.as_ref().map_or(0, port),
            udp: udp.local_addr().unwrap().port(),
            shared: shared_memory(),
            terminal: terminal.1,
            name,
            root,
        };
        ends.push(Box::new((granted, other, other6, udp, terminal.0)));
        ends.push(Box::new(sockets(&target)));
        Self {
            target,
            victim,
            _ends: ends,
            folder,
        }
    }

    /// Everything outside the box that an attack could have changed, by content and by facts.
    pub fn outside(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        for part in ["home", "project", "run"] {
            look(&self.folder.path().join(part), &mut seen);
        }
        for scratch in ["/tmp", "/var/tmp", "/dev/shm"] {
            let left = Path::new(scratch).join(&self.target.name);
            seen.push(format!("{} {}", left.display(), left.exists()));
        }
        let pid = self.victim.id() as usize;
        seen.push(format!("ended {:?}", self.victim.try_wait().unwrap()));
        seen.push(format!(
            "nice {:?}",
            call(libc::SYS_getpriority, [0, pid, 0, 0, 0, 0])
        ));
        let mut limit = [0u64; 2];
        let place = std::ptr::from_mut(&mut limit) as usize;
        let core = libc::RLIMIT_CORE as usize;
        let answer = call(libc::SYS_prlimit64, [pid, core, 0, place, 0, 0]);
        seen.push(format!("core {answer:?} {limit:?}"));
        seen
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.victim.kill().ok();
        self.victim.wait().ok();
        let shared = usize::try_from(self.target.shared).unwrap();
        let remove = usize::try_from(libc::IPC_RMID).unwrap();
        call(libc::SYS_shmctl, [shared, remove, 0, 0, 0, 0]).ok();
        for scratch in ["/tmp", "/var/tmp", "/dev/shm"] {
            fs::remove_file(Path::new(scratch).join(&self.target.name)).ok();
        }
    }
}

fn files(root: &Path) {
    for (name, text) in [
        ("project/file", "project"),
        ("project/planted", "project"),
        ("project/.git/config", "[core]\n"),
        ("project/.git/hooks/sample", "#!/bin/sh\n"),
        ("home/.bashrc", "# start\n"),
        ("home/.ssh/id_test", "private key"),
        ("home/.aws/credentials", "secret"),
        ("home/.claude/settings.json", "{}"),
        ("home/.taffrail/config.toml", ""),
        ("home/.taffrail/taffrail.db", "rows"),
        ("run/here", ""),
        ("box/wt/README", "checkout"),
        ("box/home/here", ""),
        ("box/tmp/here", ""),
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    symlink(root.join("project/file"), root.join("home/link")).unwrap();
    symlink(root.join("project/file"), root.join("box/wt/out")).unwrap();
    symlink(root.join("project"), root.join("box/wt/out_dir")).unwrap();
    fs::hard_link(root.join("project/planted"), root.join("box/wt/planted")).unwrap();
}

fn victim(project: &Path) -> Child {
    Command::new("/bin/sleep")
        .arg("600")
        .env("OPERATOR_SECRET", "x")
        .current_dir(project)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The master of a pseudo-terminal of the operator's, and the name of its other side.
fn terminal() -> (std::os::fd::OwnedFd, PathBuf) {
    use rustix::pty;
    let master = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).unwrap();
    pty::grantpt(&master).unwrap();
    pty::unlockpt(&master).unwrap();
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC).unwrap();
    let name = pty::ptsname(&master, Vec::new()).unwrap();
    assert!(master.as_raw_fd() > 2);
    (master, PathBuf::from(name.to_str().unwrap()))
}

fn shared_memory() -> i32 {
    let mode = usize::try_from(libc::IPC_CREAT).unwrap() | 0o600;
    let id = call(libc::SYS_shmget, [0, 4096, mode, 0, 0, 0]).unwrap();
    i32::try_from(id).unwrap()
}

/// Where services listen: Docker in /run and in the home, an agent for keys, the session bus, the user's systemd.
pub const SERVICES: &[&str] = &[
    "run/docker.sock",
    "home/.docker/run/docker.sock",
    "ssh-agent/agent.1",
    "run/user/bus",
    "run/user/systemd/private",
];

fn sockets(target: &Target) -> impl std::any::Any + use<> {
    let mut listeners = Vec::new();
    for name in SERVICES {
        let path = target.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        listeners.push(UnixListener::bind(path).unwrap());
    }
    let name = SocketAddr::from_abstract_name(&target.name).unwrap();
    listeners.push(UnixListener::bind_addr(&name).unwrap());
    let datagrams = UnixDatagram::bind(target.root.join("run/log")).unwrap();
    (listeners, datagrams)
}

fn look(path: &Path, seen: &mut Vec<String>) {
    let facts = path.symlink_metadata().unwrap();
    let content = if facts.is_file() {
        fs::read(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    let (mode, links) = (facts.mode(), facts.nlink());
    let times = (facts.mtime(), facts.mtime_nsec());
    let hash = content.iter().fold(7u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(*byte))
    });
    seen.push(format!(
        "{} {mode:o} {links} {times:?} {hash}",
        path.display()
    ));
    if facts.is_dir() {
        let mut below: Vec<_> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        below.sort();
        for path in below {
            look(&path, seen);
        }
    }
}
