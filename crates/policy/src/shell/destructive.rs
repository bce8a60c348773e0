//! What takes away what cannot easily be brought back (POL-06), as a table over a command's words.
//!
//! The table is wide on purpose and never complete: it only ever makes an answer stricter. What holds is the sandbox.

use super::tree::Word;

/// What must be true of a command's arguments.
#[derive(Debug, Clone, Copy)]
enum Need {
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
use Need::{Flag, Holds, Is, Starts, Sub, Uncertain};

/// Names (a `*` at the end stands for anything), what must hold as well, and what it is called.
type Row = (&'static [&'static str], &'static [Need], &'static str);

const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl"];
const KUBERNETES: &[&str] = &["kubectl", "oc", "k9s"];
const TERRAFORM: &[&str] = &["terraform", "tofu", "terragrunt"];
const DATABASES: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "mongo",
    "mongosh",
    "cqlsh",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "sqlcmd",
    "bq",
    "cockroach",
    "usql",
    "isql",
    "influx",
    "snowsql",
];
const INTERPRETERS: &[&str] = &[
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

const TABLE: &[Row] = &[
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
        &["dropdb", "dropuser", "pg_dropcluster"],
        &[],
        "a database dropped",
    ),
    (
        &["mysqladmin"],
        &[Is(&["drop", "shutdown"])],
        "a database dropped",
    ),
    (
        DATABASES,
        &[Holds(&[
            "drop ",
            "truncate ",
            "delete from",
            "dropdatabase",
            "drop(",
            "deletemany",
            "deleteone",
            "remove(",
        ])],
        "data dropped",
    ),
    (
        &["redis-cli", "valkey-cli"],
        &[Holds(&["flushall", "flushdb", "shutdown", "del"])],
        "data dropped",
    ),
    (
        &["rails", "rake", "bin/rails", "bundle"],
        &[Holds(&[
            "db:drop",
            "db:reset",
            "db:purge",
            "db:schema:load",
        ])],
        "a database dropped",
    ),
    (
        &["prisma", "npx", "pnpm", "yarn"],
        &[Holds(&["reset", "force-reset", "accept-data-loss"])],
        "a database reset",
    ),
    (
        &["python*", "django-admin", "manage.py"],
        &[Is(&["flush", "reset_db", "sqlflush"])],
        "a database emptied",
    ),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[Holds(&["unpublish", "deprecate"])],
        "a package taken back",
    ),
    (&["cargo"], &[Is(&["yank"])], "a package taken back"),
    (&["gem"], &[Is(&["yank"])], "a package taken back"),
    (
        &["dotnet", "nuget"],
        &[Is(&["delete"])],
        "a package taken back",
    ),
    (
        &["gh", "glab", "hub"],
        &[Is(&["delete", "archive"])],
        "something removed at the host",
    ),
    (
        &["gh", "glab"],
        &[Is(&["DELETE", "-XDELETE", "--method=DELETE"])],
        "something removed at the host",
    ),
    (
        &["curl", "http", "https", "xh", "wget"],
        &[Is(&[
            "DELETE",
            "-XDELETE",
            "--request=DELETE",
            "--method=DELETE",
        ])],
        "something removed over HTTP",
    ),
    (
        TERRAFORM,
        &[Is(&["destroy", "-destroy", "--destroy", "taint"])],
        "infrastructure destroyed",
    ),
    (
        TERRAFORM,
        &[Is(&["apply"]), Starts(&["-auto-approve", "--auto-approve"])],
        "infrastructure changed unseen",
    ),
    (
        TERRAFORM,
        &[Sub(&["state", "rm"])],
        "infrastructure forgotten",
    ),
    (
        TERRAFORM,
        &[Sub(&["workspace", "delete"])],
        "infrastructure forgotten",
    ),
    (
        &[
            "pulumi",
            "cdk",
            "sst",
            "serverless",
            "sls",
            "amplify",
            "copilot",
            "vagrant",
            "eksctl",
            "ansible-galaxy",
            "cdktf",
        ],
        &[Is(&["destroy", "remove", "down", "delete", "rm"])],
        "infrastructure destroyed",
    ),
    (
        KUBERNETES,
        &[Is(&["delete", "drain", "evict"])],
        "infrastructure destroyed",
    ),
    (
        KUBERNETES,
        &[Is(&["replace"]), Flag("", &["force"])],
        "infrastructure destroyed",
    ),
    (
        &["helm"],
        &[Is(&["uninstall", "delete", "rollback", "del", "un"])],
        "infrastructure destroyed",
    ),
    (
        &["aws"],
        &[Starts(&[
            "delete-",
            "terminate-",
            "deregister-",
            "purge-",
            "remove-",
            "release-",
        ])],
        "infrastructure destroyed",
    ),
    (
        &["aws"],
        &[Is(&["rb", "rm", "--delete"])],
        "infrastructure destroyed",
    ),
    (
        &[
            "gcloud",
            "az",
            "doctl",
            "linode-cli",
            "hcloud",
            "ibmcloud",
            "oci",
            "scw",
        ],
        &[Holds(&["delete", "destroy", "purge"])],
        "infrastructure destroyed",
    ),
    (
        &["gsutil"],
        &[Is(&["rm", "rb", "-d"])],
        "infrastructure destroyed",
    ),
    (
        &[
            "heroku", "fly", "flyctl", "railway", "vercel", "netlify", "wrangler", "firebase",
            "supabase",
        ],
        &[Holds(&["destroy", "delete", "remove", "reset"])],
        "infrastructure destroyed",
    ),
    (
        &["rclone", "rsync", "mc", "s3cmd"],
        &[Starts(&["--delete", "--del", "--remove-source-files"])],
        "removal at the target",
    ),
    (
        &["rclone"],
        &[Is(&["delete", "purge", "sync", "deletefile", "rmdirs"])],
        "removal at the target",
    ),
    (
        &["s3cmd", "mc"],
        &[Is(&["rm", "del", "rb"])],
        "removal at the target",
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

/// What is destructive about a command, if anything is. `name` is its last part.
pub fn about(name: &str, arguments: &[Word]) -> Option<&'static str> {
    TABLE
        .iter()
        .find(|(names, needs, _)| {
            names.iter().any(|row| is_named(row, name))
                && needs.iter().all(|need| holds(*need, arguments))
        })
        .map(|(_, _, about)| *about)
}

/// Whether a program is called like this row says. Some file systems do not tell cases apart.
fn is_named(row: &str, name: &str) -> bool {
    match row.strip_suffix('*') {
        Some(start) => name
            .get(..start.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => row.eq_ignore_ascii_case(name),
    }
}

/// Whether a program runs text that it is given: what comes out of a pipe, or stands after `-c` or `-e`.
pub fn is_interpreter(name: &str) -> bool {
    let shells = [
        "sh", "bash", "zsh", "dash", "ksh*", "ash", "fish", "csh", "tcsh", "rbash", "mksh",
        "busybox", "source", ".", "eval", "xargs", "parallel", "at", "batch", "crontab", "psql",
        "ssh",
    ];
    let mut rows = shells.iter().chain(INTERPRETERS);
    rows.any(|row| is_named(row, name))
}

fn holds(need: Need, arguments: &[Word]) -> bool {
    let mut texts = arguments.iter().map(Word::text);
    match need {
        Flag(short, long) => texts.any(|text| has_flag(text, short, long)),
        Sub(words) => {
            let plain: Vec<&[u8]> = texts.filter(|text| !text.starts_with(b"-")).collect();
            let fits = |window: &[&[u8]]| {
                window
                    .iter()
                    .zip(words)
                    .all(|(at, word)| *at == word.as_bytes())
            };
            plain.windows(words.len()).any(fits)
        }
        Is(words) => texts.any(|text| words.iter().any(|word| word.as_bytes() == text)),
        Starts(words) => {
            texts.any(|text| words.iter().any(|word| text.starts_with(word.as_bytes())))
        }
        Holds(words) => texts.any(|text| {
            let lower = String::from_utf8_lossy(text).to_lowercase();
            words.iter().any(|word| lower.contains(word))
        }),
        Uncertain => arguments.iter().any(|word| word.value.is_none()),
    }
}

/// Short flags may stand in a cluster, long ones may be abbreviated. After `--` flags count too: stricter.
pub fn has_flag(text: &[u8], short: &str, long: &[&str]) -> bool {
    match text {
        [b'-', b'-', name @ ..] => {
            let name = name.split(|byte| *byte == b'=').next().unwrap_or_default();
            !name.is_empty() && long.iter().any(|long| long.as_bytes().starts_with(name))
        }
        [b'-', cluster @ ..] => cluster.iter().any(|byte| short.as_bytes().contains(byte)),
        _ => false,
    }
}
