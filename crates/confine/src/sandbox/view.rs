//! The mount view that bubblewrap builds: an empty root, and in it only what is granted.
//!
//! Order matters, the later mount wins: the private scratch; what may be read, parents before children; masks; the box;
//! what is read-only inside it; last the root itself made read-only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use taffrail_domain::Rung;

use super::policy::real;
use super::roots::SCRATCH;
use super::{Canary, Policy, SandboxError};

/// Where the warden's program lies inside the view. The child cannot read it: Landlock does not grant it.
pub const WARDEN_PATH: &str = "/run/taffrail/warden";

/// bubblewrap's complete command line, its own program first, up to `--` and the path of the warden inside the view.
/// The caller appends the warden's arguments, and calls `setsid` before: no `--new-session` here, the warden needs a
/// terminal of its own.
///
/// # Errors
/// [`SandboxError::Policy`] where the policy is not for the full rung or a canary proves nothing;
/// [`SandboxError::Io`] where a path does not exist.
pub fn bwrap_args(policy: &Policy, warden: &Path) -> Result<Vec<OsString>, SandboxError> {
    let mut args = view(policy, warden)?;
    args.push("--".into());
    args.push(WARDEN_PATH.into());
    Ok(args)
}

/// The command line without the program that runs inside.
pub(crate) fn view(policy: &Policy, warden: &Path) -> Result<Vec<OsString>, SandboxError> {
    policy.check()?;
    let bwrap = match (&policy.bwrap, policy.rung) {
        (Some(bwrap), Rung::Full) => bwrap,
        _ => {
            return Err(SandboxError::Policy {
                path: policy.boxed.clone(),
                why: "bubblewrap is for the full rung and its path must be known",
            });
        }
    };
    check_canaries(policy)?;
    let mut line = Line(vec![bwrap.clone().into_os_string()]);
    line.namespaces(policy);
    line.scratch();
    line.roots(policy)?;
    line.masks(policy)?;
    if let Some(hosts) = &policy.hosts {
        line.pair("--ro-bind", &real(hosts)?, Path::new("/etc/hosts"));
    }
    line.pair("--bind", &real(&policy.boxed)?, &policy.boxed);
    for path in &policy.read_only {
        line.pair("--ro-bind", &real(path)?, path);
    }
    line.pair("--ro-bind", &real(warden)?, Path::new(WARDEN_PATH));
    line.one("--remount-ro", Path::new("/"));
    line.one("--chdir", &policy.cwd);
    Ok(line.0)
}

/// A canary that is not there would "hold" in any sandbox.
fn check_canaries(policy: &Policy) -> Result<(), SandboxError> {
    for canary in &policy.canaries {
        let there = match canary {
            Canary::Unreadable(path) => std::fs::File::open(path).is_ok(),
            Canary::Uncreatable(path) => path.is_dir(),
        };
        if !there {
            return Err(SandboxError::Policy {
                path: canary.path().to_owned(),
                why: "it cannot prove anything, because it is out of reach already",
            });
        }
    }
    Ok(())
}

struct Line(Vec<OsString>);

impl Line {
    fn flags(&mut self, flags: &[&str]) {
        self.0.extend(flags.iter().map(OsString::from));
    }

    fn one(&mut self, flag: &str, path: &Path) {
        self.0.push(flag.into());
        self.0.push(path.into());
    }

    fn pair(&mut self, flag: &str, source: &Path, target: &Path) {
        self.one(flag, source);
        self.0.push(target.into());
    }

    fn namespaces(&mut self, policy: &Policy) {
        self.flags(&["--die-with-parent", "--unshare-user", "--unshare-pid"]);
        self.flags(&["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        self.flags(&["--hostname", "box", "--cap-drop", "ALL"]);
        if policy.own_network() {
            self.flags(&["--unshare-net"]);
        }
    }

    fn roots(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        for (path, mount) in mounts(&policy.read)? {
            match mount {
                Mount::Link(text) => self.pair("--symlink", &text, &path),
                Mount::Bind(source) => self.pair("--ro-bind", &source, &path),
            }
        }
        // For root, bubblewrap 0.8 leaves the kernel's settings in /proc/sys writable.
        self.flags(&["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]);
        Ok(())
    }

    fn scratch(&mut self) {
        // bubblewrap's /dev is a tmpfs that brings its own /dev/shm.
        for path in SCRATCH.iter().filter(|path| !path.starts_with("/dev/")) {
            self.flags(&["--perms", "1777", "--tmpfs", path]);
        }
    }

    fn masks(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        let inside = |path: &&PathBuf| policy.read.iter().any(|root| path.starts_with(root));
        for path in policy.mask.iter().filter(inside) {
            if !real(path)?.is_dir() {
                // A device on a mount without devices: opening it fails, where an empty file would be believed.
                self.pair("--ro-bind", Path::new("/dev/null"), path);
                continue;
            }
            self.flags(&["--perms", "0000"]);
            self.one("--tmpfs", path);
            self.one("--remount-ro", path);
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Mount {
    Link(PathBuf),
    Bind(PathBuf),
}

/// Every mount, parents before children, and none for what another one shows already.
fn mounts(read: &[PathBuf]) -> Result<Vec<(PathBuf, Mount)>, SandboxError> {
    let mut wanted: Vec<(PathBuf, Mount)> = Vec::new();
    for path in read {
        let target = real(path)?;
        match std::fs::read_link(path) {
            Ok(text) => wanted.push((path.clone(), Mount::Link(text))),
            Err(_) if target != *path => {
                wanted.push((path.clone(), Mount::Bind(target.clone())));
            }
            Err(_) => {}
        }
        wanted.push((target.clone(), Mount::Bind(target)));
    }
    wanted.sort_by(|left, right| left.0.cmp(&right.0));
    wanted.dedup_by(|right, left| right.0 == left.0);
    let mut kept: Vec<(PathBuf, Mount)> = Vec::new();
    for (path, mount) in wanted {
        let shown = kept.iter().any(|(root, mount)| match mount {
            Mount::Bind(source) => source == root && path.starts_with(root),
            Mount::Link(_) => false,
        });
        if !shown {
            kept.push((path, mount));
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn full(boxed: &Path) -> Policy {
        let mut policy = Policy::common(Rung::Full, boxed, boxed).unwrap();
        policy.bwrap = Some("/usr/bin/bwrap".into());
        policy
    }

    fn text(args: &[OsString]) -> String {
        let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn cnf_03_the_view_is_built_from_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let line = text(&bwrap_args(&full(&folder), Path::new("/proc/self/exe")).unwrap());
        assert!(!line.contains("bind / "), "{line}");
        assert!(!line.contains("--new-session"), "{line}");
        for part in [
            "--die-with-parent --unshare-user --unshare-pid --unshare-ipc --unshare-uts",
            "--cap-drop ALL",
            "--unshare-net",
            "--ro-bind /usr /usr",
            "--remount-ro / ",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(line.contains(&format!("--bind {0} {0}", folder.display())));
        assert!(line.ends_with("-- /run/taffrail/warden"));
    }

    #[test]
    fn cnf_08_granted_ports_keep_the_network_shared() {
        let folder = tempfile::tempdir().unwrap();
        let mut policy = full(folder.path());
        policy.net = taffrail_domain::Net::Ports(vec![443]);
        let line = text(&bwrap_args(&policy, Path::new("/proc/self/exe")).unwrap());
        assert!(!line.contains("--unshare-net"));
    }

    #[test]
    fn cnf_03_a_link_is_shown_as_a_link_and_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let tool = folder.join("tool");
        std::fs::create_dir_all(tool.join("bin")).unwrap();
        symlink("tool", folder.join("link")).unwrap();
        let read = [folder.join("link"), tool.join("bin"), tool.clone()];
        let got = mounts(&read).unwrap();
        let expect = vec![
            (folder.join("link"), Mount::Link("tool".into())),
            (tool.clone(), Mount::Bind(tool)),
        ];
        assert_eq!(got, expect);
    }

    #[test]
    fn cnf_03_what_cannot_be_enforced_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        std::fs::create_dir(&inside).unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "x").unwrap();
        type Change = fn(&mut Policy, &Path);
        let change: [(&str, Change); 6] = [
            ("root", |policy, _| policy.read.push("/".into())),
            ("relative", |policy, _| policy.read.push("usr".into())),
            ("around the box", |policy, at| {
                policy.read.push(at.to_owned());
            }),
            ("missing", |policy, at| policy.read.push(at.join("gone"))),
            ("canary granted", |policy, _| {
                policy
                    .canaries
                    .push(Canary::Unreadable("/etc/passwd".into()));
            }),
            ("canary missing", |policy, at| {
                policy.canaries.push(Canary::Unreadable(at.join("gone")));
            }),
        ];
        for (name, change) in change {
            let mut policy = full(&inside);
            change(&mut policy, &folder.path().canonicalize().unwrap());
            assert!(
                bwrap_args(&policy, Path::new("/proc/self/exe")).is_err(),
                "{name}"
            );
        }
        let mut policy = full(&inside);
        policy.canaries = vec![
            Canary::Unreadable(secret),
            Canary::Uncreatable(folder.path().to_owned()),
        ];
        assert!(bwrap_args(&policy, Path::new("/proc/self/exe")).is_ok());
    }
}
