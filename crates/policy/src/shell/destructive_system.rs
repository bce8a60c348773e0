//! The table of what destroys where it is not a matter of files: Windows beside this system, the kernel, keys, packages,
//! archives, other version control (POL-06). Sources: the manuals of the programs named.

use super::destructive_table::Need::{Flag, Holds, Is, Starts, Sub};
use super::destructive_table::Row;

const WINDOWS_SHELLS: &[&str] = &[
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
    "cmd",
    "cmd.exe",
];
/// What destroys around this machine's files.
pub const SYSTEM: &[Row] = &[
    (
        &[
            "del", "erase", "rd", "rmdir", "format", "cipher", "schtasks", "net", "bcdedit",
        ],
        &[Starts(&[
            "/s", "/S", "/q", "/Q", "/f", "/F", "/w", "/W", "/del", "/DEL", "C:", "D:", "c:", "d:",
        ])],
        "removal on Windows",
    ),
    (
        &[
            "Remove-Item",
            "ri",
            "Clear-Content",
            "Clear-Disk",
            "Format-Volume",
            "Stop-Computer",
            "Restart-Computer",
            "diskpart",
            "diskpart.exe",
        ],
        &[],
        "removal on Windows",
    ),
    (
        &[
            "vssadmin",
            "vssadmin.exe",
            "wmic",
            "wmic.exe",
            "reg",
            "reg.exe",
            "sc.exe",
            "sc",
            "wbadmin",
        ],
        &[Is(&["delete", "Delete"])],
        "removal on Windows",
    ),
    (
        WINDOWS_SHELLS,
        &[Holds(&[
            "remove-item",
            "clear-content",
            "rd /",
            "rmdir /",
            "del /",
            "erase /",
            "rd",
            "del",
            "format",
            "iex",
            "invoke-expression",
            "stop-computer",
            "restart-computer",
            "shutdown",
            "diskpart",
        ])],
        "removal on Windows",
    ),
    (
        &["modprobe", "kmod"],
        &[Flag("r", &["remove"])],
        "a change of the kernel",
    ),
    (&["rmmod", "insmod", "kexec"], &[], "a change of the kernel"),
    (
        &["sysctl"],
        &[Flag("wp", &["write", "load", "system"])],
        "a change of the kernel",
    ),
    (
        &["setenforce", "csrutil", "spctl", "nvram"],
        &[],
        "a change of what protects the system",
    ),
    (&["gpg", "gpg2"], &[Starts(&["--delete"])], "keys removed"),
    (&["ssh-keygen"], &[Flag("R", &[])], "keys removed"),
    (&["security"], &[Starts(&["delete"])], "keys removed"),
    (
        &["launchctl", "tmutil", "defaults", "pmset", "dscl"],
        &[Is(&[
            "remove",
            "bootout",
            "unload",
            "delete",
            "-delete",
            "deletelocalsnapshots",
            "disable",
        ])],
        "something of the system removed",
    ),
    (
        &["ip", "nmcli", "route"],
        &[Is(&["del", "delete", "flush", "down"])],
        "a change of the network",
    ),
    (&["nix-collect-garbage"], &[], "generations removed"),
    (
        &["dpkg"],
        &[Starts(&["--purge", "--remove"])],
        "packages removed",
    ),
    (
        &["flatpak"],
        &[Is(&["uninstall", "remove"])],
        "packages removed",
    ),
    (
        &["7z", "7za", "7zr"],
        &[Is(&["d"])],
        "an archive that removes",
    ),
    (
        &["tar", "gtar", "bsdtar"],
        &[Starts(&[
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
        ])],
        "an archive that runs",
    ),
    (
        &["hg"],
        &[Is(&[
            "strip", "purge", "rollback", "rebase", "histedit", "revert", "-C", "--clean",
        ])],
        "changes thrown away",
    ),
    (
        &["svn", "bzr", "fossil"],
        &[Is(&[
            "revert", "delete", "rm", "remove", "cleanup", "uncommit", "shun",
        ])],
        "changes thrown away",
    ),
    (
        &["jj"],
        &[Is(&["abandon", "restore", "undo", "squash", "rebase"])],
        "changes thrown away",
    ),
    (
        &["bfg", "git-filter-repo", "git-filter-branch"],
        &[],
        "history rewritten",
    ),
    (
        &["docker", "podman"],
        &[Sub(&["swarm", "leave"])],
        "a node taken away",
    ),
    (
        &["podman"],
        &[Sub(&["system", "reset"])],
        "removal of containers, images or volumes",
    ),
];
