//! The table of what destroys (POL-06). Sources: the manuals of the programs named.
//!
//! It is wide on purpose and never complete: it only ever makes an answer stricter. What holds is the sandbox.

/// What must be true of a command's arguments.
#[derive(Debug, Clone, Copy)]
pub enum Need {
    /// One of these short flags, or a long flag that begins one of these.
    Flag(&'static str, &'static [&'static str]),
    /// These words, in this order and next to each other, flags left out.
    Sub(&'static [&'static str]),
    /// One of these, whole.
    Is(&'static [&'static str]),
    /// One that begins with one of these.
    Starts(&'static [&'static str]),
    /// One that holds one of these, in any case.
    Holds(&'static [&'static str]),
    /// One whose value is not certain.
    Uncertain,
}
use Need::{Flag, Holds, Is, Starts, Uncertain};

/// Names (a `*` at the end stands for anything), what must hold as well, and what it is called.
pub type Row = (&'static [&'static str], &'static [Need], &'static str);

const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl"];
/// Programs that run text that they are given.
pub const INTERPRETERS: &[&str] = &[
    "python*",
    "perl*",
    "ruby*",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php*",
    "lua*",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "osascript",
    "pwsh",
    "powershell",
    "tclsh",
    "R",
    "Rscript",
    "julia",
    "elixir",
    "erl",
    "guile",
];

/// What destroys on this machine.
pub const TABLE: &[Row] = &[
    (
        &["rm"],
        &[Flag("rRf", &["recursive", "force", "no-preserve-root"])],
        "recursive or forced removal",
    ),
    (
        &["rm", "rmdir", "unlink"],
        &[Uncertain],
        "removal of what is not certain",
    ),
    (
        &["rm"],
        &[Is(&["/", ".", "..", "~", "*"])],
        "removal of a whole folder",
    ),
    (
        &[
            "rimraf",
            "trash-empty",
            "srm",
            "shred",
            "wipe",
            "wipefs",
            "scrub",
        ],
        &[],
        "removal for good",
    ),
    (
        &["find", "gfind", "bfs"],
        &[Is(&["-delete"])],
        "removal of what is found",
    ),
    (
        &["find", "gfind", "bfs"],
        &[Starts(&["-exec", "-ok", "-fprint", "-fls"])],
        "a command or a file for what is found",
    ),
    (
        &["fd", "fdfind"],
        &[Flag("xX", &["exec", "exec-batch"])],
        "a command for what is found",
    ),
    (&["truncate"], &[], "truncation"),
    (&["dd", "ddrescue", "dcfldd"], &[], "writing of raw blocks"),
    (
        &[
            "mkfs*",
            "mke2fs",
            "mkswap",
            "newfs*",
            "blkdiscard",
            "badblocks",
        ],
        &[],
        "a new file system",
    ),
    (
        &[
            "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "hdparm", "nvme", "losetup",
            "dmsetup", "mdadm",
        ],
        &[],
        "a change of a disk",
    ),
    (
        &[
            "cryptsetup",
            "lvremove",
            "vgremove",
            "pvremove",
            "lvreduce",
            "lvm",
        ],
        &[],
        "a change of a volume",
    ),
    (
        &["zfs", "zpool", "btrfs"],
        &[Holds(&["destroy", "rollback", "delete", "labelclear"])],
        "removal of a volume",
    ),
    (
        &["diskutil"],
        &[Holds(&["erase", "partition", "reformat", "delete", "zero"])],
        "a change of a disk",
    ),
    (
        &["mount", "umount", "swapoff"],
        &[],
        "a change of what is mounted",
    ),
    (
        &["chmod", "chown", "chgrp", "setfacl", "chattr", "chcon"],
        &[Flag("R", &["recursive"])],
        "recursive rights",
    ),
    (
        &["shutdown", "reboot", "halt", "poweroff", "pm-suspend"],
        &[],
        "power",
    ),
    (
        &["init", "telinit"],
        &[Is(&["0", "1", "6", "s", "S"])],
        "power",
    ),
    (
        &["systemctl", "loginctl"],
        &[Is(&[
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "suspend",
            "hibernate",
            "rescue",
            "emergency",
            "isolate",
            "stop",
            "disable",
            "mask",
        ])],
        "power or services",
    ),
    (&["kill"], &[Is(&["-1"])], "an end to every process"),
    (
        &["killall", "pkill", "killall5", "skill"],
        &[],
        "an end to processes by name",
    ),
    (
        CONTAINERS,
        &[Starts(&[
            "--privileged",
            "--device",
            "--cap-add",
            "--security-opt",
        ])],
        "a container without walls",
    ),
    (
        CONTAINERS,
        &[Is(&["host"])],
        "a container in a namespace of the host",
    ),
    (
        CONTAINERS,
        &[Starts(&[
            "--pid=host",
            "--net=host",
            "--network=host",
            "--ipc=host",
            "--userns=host",
            "--uts=host",
            "--cgroupns=host",
        ])],
        "a container in a namespace of the host",
    ),
    (
        CONTAINERS,
        &[Holds(&["docker.sock", "containerd.sock", "podman.sock"])],
        "a container with the engine's socket",
    ),
    (
        CONTAINERS,
        &[Starts(&["/:", "-v/:", "--volume=/:", "-v=/:"])],
        "a container with the whole disk",
    ),
    (
        CONTAINERS,
        &[Holds(&[
            "source=/,",
            "src=/,",
            "/etc:",
            "/root:",
            "/proc:",
            "/sys:",
            "/dev:",
        ])],
        "a container with the host's files",
    ),
    (
        CONTAINERS,
        &[Is(&["prune", "rm", "rmi", "kill"])],
        "removal of containers, images or volumes",
    ),
    (
        &["docker", "docker-compose", "podman", "podman-compose"],
        &[Is(&["down"]), Flag("v", &["volumes", "rmi"])],
        "removal of volumes",
    ),
    (
        &["nsenter", "chroot", "unshare", "pivot_root", "capsh"],
        &[],
        "another namespace",
    ),
    (
        &["tar", "gtar", "bsdtar"],
        &[Starts(&[
            "--remove-files",
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
        ])],
        "an archive that removes or runs",
    ),
    (
        &["zip"],
        &[Flag("mT", &["move"])],
        "an archive that removes",
    ),
    (
        &["crontab"],
        &[Flag("r", &["remove"])],
        "a table of jobs removed",
    ),
    (
        &[
            "userdel", "groupdel", "deluser", "delgroup", "usermod", "passwd", "chpasswd", "visudo",
        ],
        &[],
        "a change of users",
    ),
    (
        &[
            "iptables",
            "ip6tables",
            "nft",
            "ufw",
            "pfctl",
            "firewall-cmd",
        ],
        &[],
        "a change of the firewall",
    ),
    (
        &[
            "apt", "apt-get", "dnf", "yum", "zypper", "pacman", "brew", "apk", "snap", "dpkg",
            "rpm",
        ],
        &[Is(&[
            "remove",
            "purge",
            "autoremove",
            "erase",
            "uninstall",
            "del",
            "-R",
            "-Rns",
            "-Rs",
            "-r",
            "-e",
            "-P",
        ])],
        "packages removed",
    ),
    (&["mv"], &[Is(&["/dev/null"])], "a file thrown away"),
    (
        &["cp", "mv", "tee", "install"],
        &[Starts(&[
            "/dev/sd",
            "/dev/nvme",
            "/dev/disk",
            "/dev/hd",
            "/dev/vd",
            "/dev/mmcblk",
            "/dev/mem",
            "/proc/sys",
        ])],
        "a device overwritten",
    ),
    (&["history"], &[Flag("cw", &[])], "a history removed"),
    (
        INTERPRETERS,
        &[Holds(&[
            "rmtree",
            "unlink",
            "os.remove",
            "rmsync",
            "rm -",
            "rimraf",
            "removesync",
            "system(",
            "exec(",
            "execsync",
            "spawn(",
            "popen",
            "subprocess",
            "remove_dir",
            "fileutils.rm",
            "truncate(",
            "file.delete",
            "rmdir",
            "qx",
            "child_process",
            "shell_exec",
            "passthru",
        ])],
        "code that may remove or run",
    ),
    (
        &["sed", "gsed"],
        &[Holds(&["/e;", "1e ", "w /dev/", "/e'"])],
        "a script that runs",
    ),
    (
        &["make", "gmake", "ninja", "just", "task"],
        &[Is(&["uninstall", "destroy", "mrproper", "distclean"])],
        "a target that removes",
    ),
    (&["yes"], &[], "output without an end"),
];
