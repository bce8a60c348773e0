//! Commands that run another command: where in their words it begins.

use super::destructive::has_flag;
use super::tree::Word;

/// One wrapper.
struct Wrapper {
    names: &'static [&'static str],
    /// Short flags that are known and take nothing.
    flags: &'static str,
    /// Short flags that take a value.
    valued: &'static str,
    /// Words of its own before the command.
    own: usize,
    /// What it does to the command besides running it.
    does: Does,
}

/// What a wrapper does besides running the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Nothing that matters: time, priority, buffering.
    Nothing,
    /// It changes where, with what or on what the command runs.
    Changes,
    /// It gives the command more rights.
    Raises,
}

const TABLE: &[Wrapper] = &[
    Wrapper {
        names: &["timeout", "gtimeout"],
        flags: "vf",
        valued: "ks",
        own: 1,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["nice", "gnice"],
        flags: "",
        valued: "n",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["time"],
        flags: "p",
        valued: "",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["stdbuf"],
        flags: "",
        valued: "ioe",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["command", "builtin"],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["env", "genv"],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["ionice"],
        flags: "t",
        valued: "cn",
        own: 0,
        does: Does::Nothing,
    },
    Wrapper {
        names: &["setsid", "nohup"],
        flags: "w",
        valued: "",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &["exec"],
        flags: "cl",
        valued: "a",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &["xargs", "gxargs"],
        flags: "0rtxpoil",
        valued: "aEILnPsd",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "parallel",
            "watch",
            "entr",
            "unbuffer",
            "chronic",
            "ts",
            "caffeinate",
        ],
        flags: "",
        valued: "njPd",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "strace", "ltrace", "gdb", "valgrind", "perf", "rlwrap", "script",
        ],
        flags: "fqc",
        valued: "oesp",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "flock",
            "taskset",
            "chrt",
            "prlimit",
            "cpulimit",
            "softlimit",
        ],
        flags: "nxse",
        valued: "wE",
        own: 1,
        does: Does::Changes,
    },
    // Grammar of the shell, where only a piece of it is given.
    Wrapper {
        names: &["!", "then", "do", "else", "elif", "if", "while", "until"],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &["busybox", "toybox", "coproc"],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "chroot",
            "nsenter",
            "unshare",
            "bwrap",
            "firejail",
            "systemd-run",
            "dbus-run-session",
        ],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "npx", "bunx", "pnpx", "uvx", "pipx", "direnv", "asdf", "mise", "dotenv",
        ],
        flags: "",
        valued: "",
        own: 0,
        does: Does::Changes,
    },
    Wrapper {
        names: &[
            "sudo", "doas", "pkexec", "run0", "su", "runuser", "runas", "gosu", "su-exec",
            "sudoedit", "setpriv", "please", "dzdo", "sg", "calife",
        ],
        flags: "nEHSkKbi",
        valued: "ugpCDRTU",
        own: 0,
        does: Does::Raises,
    },
];

/// A command taken out of its wrapper.
pub struct Unwrapped<'a> {
    /// What the wrapper does.
    pub does: Does,
    /// A word of the wrapper's own that is not known to be harmless.
    pub odd: Option<&'a Word>,
    /// The command; empty where there is none.
    pub inner: &'a [Word],
}

/// Takes the command out of a wrapper; none where the name is of no wrapper. `arguments` come without the name.
pub fn unwrap<'a>(name: &str, arguments: &'a [Word]) -> Option<Unwrapped<'a>> {
    let wrapper = TABLE.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let (mut odd, mut own, mut at) = (None, wrapper.own, 0);
    while let Some(word) = arguments.get(at) {
        let text = word.text();
        match text {
            b"--" => {
                at += 1;
                if own == 0 {
                    break;
                }
            }
            [b'-', rest @ ..] if !rest.is_empty() => {
                let (known, takes) = flag(wrapper, rest);
                if !known || word.value.is_none() {
                    odd = odd.or(Some(word));
                }
                at += 1 + usize::from(takes);
            }
            _ if name.ends_with("env") && text.contains(&b'=') => {
                odd = odd.or(Some(word));
                at += 1;
            }
            _ if own > 0 => {
                if word.value.is_none() {
                    odd = odd.or(Some(word));
                }
                own -= 1;
                at += 1;
            }
            _ => break,
        }
    }
    Some(Unwrapped {
        does: wrapper.does,
        odd,
        inner: arguments.get(at..).unwrap_or_default(),
    })
}

/// Whether a flag is known, and whether the next word is its value.
fn flag(wrapper: &Wrapper, rest: &[u8]) -> (bool, bool) {
    let has = |list: &str, byte: u8| list.as_bytes().contains(&byte);
    match rest {
        // `nice -10`.
        digits if wrapper.names.contains(&"nice") && digits.iter().all(u8::is_ascii_digit) => {
            (true, false)
        }
        [byte] if has(wrapper.valued, *byte) => (true, true),
        [byte, ..] if has(wrapper.valued, *byte) => (true, false),
        all => (all.iter().all(|byte| has(wrapper.flags, *byte)), false),
    }
}

/// The text that a shell is told to run: `bash -c TEXT`, and whether nothing else changes what it does.
pub fn script_of<'a>(name: &str, arguments: &'a [Word]) -> Option<(&'a Word, bool)> {
    let shells = [
        "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "su",
        "script",
    ];
    if !shells.contains(&name) {
        return None;
    }
    let is_c = |word: &Word| {
        let text = word.text();
        text.starts_with(b"-") && !text.starts_with(b"--") && text.ends_with(b"c")
            || text == b"--command"
    };
    let place = arguments.iter().position(is_c)?;
    let script = after_flags(arguments.get(place + 1..)?)?;
    let only = place == 0
        && arguments
            .first()
            .is_some_and(|word| word.value.as_deref() == Some(b"-c"))
        && matches!(name, "sh" | "bash" | "dash");
    Some((script, only))
}

/// The first word that is no flag of a shell: they may go on after `-c`.
fn after_flags(mut rest: &[Word]) -> Option<&Word> {
    while let Some((word, more)) = rest.split_first() {
        rest = match word.text() {
            b"--" => return more.first(),
            b"-o" | b"+o" | b"-O" | b"+O" => more.get(1..).unwrap_or_default(),
            [b'-' | b'+', _, ..] => more,
            _ => return Some(word),
        };
    }
    None
}

/// Whether `env` is told to split a word into a command and its arguments: `-S`, also in a cluster.
pub fn splits(name: &str, arguments: &[Word]) -> bool {
    let mut texts = arguments.iter().map(Word::text);
    name.ends_with("env") && texts.any(|text| has_flag(text, "S", &["split-string"]))
}

/// The word that `xargs -I` replaces by what comes in.
pub fn replaced(own: &[Word]) -> Option<&[u8]> {
    let mut texts = own.iter().map(Word::text);
    while let Some(text) = texts.next() {
        match text {
            b"-I" | b"--replace" => return texts.next(),
            [b'-', b'I', mark @ ..] => return Some(mark),
            _ => {}
        }
        if let Some(mark) = text.strip_prefix(b"--replace=") {
            return Some(mark);
        }
    }
    None
}
