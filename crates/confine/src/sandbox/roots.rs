//! What every run may read, what stays hidden below it, and the devices it may use: the same lists on every rung.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// System roots, where they exist. `/var`, `/run`, `/home`, `/root`, `/srv`, `/mnt` and `/sys` are not among them.
const READ: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];

/// Files that `/etc` may hold as links to somewhere outside the roots (systemd-resolved, NixOS).
const LINKED: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/machine-id",
];

/// Keys, passwords and tokens of the machine. An ordinary user can read few of them; root can read all.
const MASK: &[&str] = &[
    "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d",
    "/etc/ceph",
    "/etc/chef",
    "/etc/cloud",
    "/etc/cni/net.d",
    "/etc/consul.d",
    "/etc/containers/auth.json",
    "/etc/credstore",
    "/etc/credstore.encrypted",
    "/etc/crypttab",
    "/etc/cryptsetup-keys.d",
    "/etc/docker",
    "/etc/exim4/passwd.client",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ipsec.d/private",
    "/etc/ipsec.secrets",
    "/etc/iwd",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/ldap.secret",
    "/etc/letsencrypt",
    "/etc/libnss-ldap.secret",
    "/etc/msmtprc",
    "/etc/munge",
    "/etc/mysql/debian.cnf",
    "/etc/netplan",
    "/etc/NetworkManager/system-connections",
    "/etc/nomad.d",
    "/etc/openvpn",
    "/etc/pam_ldap.secret",
    "/etc/pki/private",
    "/etc/pki/tls/private",
    "/etc/postfix/sasl_passwd",
    "/etc/postfix/sasl_passwd.db",
    "/etc/ppp",
    "/etc/pve/priv",
    "/etc/rancher",
    "/etc/salt/pki",
    "/etc/samba",
    "/etc/security/opasswd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sssd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/swanctl",
    "/etc/vault.d",
    "/etc/wireguard",
    "/etc/wpa_supplicant",
];

/// Entries of `/etc` that are looked at for their mode. A large machine has 5,000; it takes about 5 ms.
const MOST_LOOKED_AT: usize = 20_000;

/// Devices that may be read, written and asked. `/dev/null` must be there, the others may be missing.
pub(crate) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Scratch of the machine: private and in memory on the full rung, not granted elsewhere, where other users' files and
/// sockets lie in them.
pub(crate) const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Facts about the machine that show no process. Granted one by one where `/proc` as a whole is not.
#[cfg(target_os = "linux")]
pub(crate) const PROC_FACTS: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
];

/// The common readable roots that exist here, with the real files behind links out of `/etc`.
pub fn common_read() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = existing(READ).collect();
    let behind: Vec<PathBuf> = existing(LINKED)
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| !roots.iter().any(|root| path.starts_with(root)))
        .collect();
    roots.extend(behind);
    roots
}

/// The common masks that exist here: credentials of the machine below `/etc` by name, the host's SSH keys included, and
/// whatever else there is not for everybody to read, which root and members of a group could.
pub fn common_mask() -> Vec<PathBuf> {
    let mut masks: Vec<PathBuf> = existing(MASK)
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    masks.extend(host_keys(Path::new("/etc/ssh")));
    for path in not_for_everybody(Path::new("/etc")) {
        if !masks.iter().any(|mask| path.starts_with(mask)) {
            masks.push(path);
        }
    }
    masks
}

/// Files that others may not read, and folders that they may not list or enter, below a folder. Links are not followed.
fn not_for_everybody(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting, mut looked_at) = (Vec::new(), vec![folder.to_owned()], 0);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            let wanted = if facts.is_dir() { 0o005 } else { 0o004 };
            looked_at += 1;
            if !facts.is_symlink() && facts.mode() & wanted != wanted {
                found.push(entry.path());
            } else if facts.is_dir() && looked_at < MOST_LOOKED_AT {
                waiting.push(entry.path());
            }
        }
    }
    found
}

fn existing(list: &[&str]) -> impl Iterator<Item = PathBuf> {
    list.iter()
        .map(PathBuf::from)
        .filter(|path| path.symlink_metadata().is_ok())
}

/// `ssh_host_*_key`, whatever the algorithm is called.
fn host_keys(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("ssh_host_") && name.ends_with("_key")
        })
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_03_the_roots_hold_no_home_and_no_runtime_directory() {
        for root in common_read() {
            for never in [
                "/home", "/root", "/var", "/mnt", "/srv", "/tmp", "/proc", "/sys",
            ] {
                assert!(!Path::new(never).starts_with(&root), "{}", root.display());
                assert!(!root.starts_with(never), "{}", root.display());
            }
            assert_ne!(root, Path::new("/run"));
        }
    }

    #[test]
    fn cnf_03_what_is_not_for_everybody_is_masked_by_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                std::fs::create_dir_all(&path).unwrap();
            } else {
                std::fs::write(&path, "").unwrap();
            }
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        make("open/", 0o755);
        make("open/readable", 0o644);
        let secret = make("open/secret", 0o640);
        make("closed/", 0o700);
        make("closed/inside", 0o644);
        std::os::unix::fs::symlink(&secret, folder.path().join("link")).unwrap();
        let mut found = not_for_everybody(folder.path());
        found.sort();
        assert_eq!(found, [folder.path().join("closed"), secret]);
    }

    #[test]
    fn cnf_03_the_masks_hold_the_password_file_and_the_host_keys() {
        let masks = common_mask();
        if Path::new("/etc/shadow").exists() {
            assert!(masks.contains(&PathBuf::from("/etc/shadow")));
        }
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "ssh_host_ed25519_key",
            "ssh_host_ed25519_key.pub",
            "ssh_config",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(
            host_keys(folder.path()),
            [folder.path().join("ssh_host_ed25519_key")]
        );
    }
}
