//! An agent's entry: what it is started with, what it needs in a box, and what the guide says about it (CFG-02).

use std::collections::BTreeMap;
use std::ops::Range;

use taffrail_domain::Duration;

use crate::choice::choice;
use crate::message::{clip, did_you_mean, unknown};
use crate::reader::{Check, Reader, View};
use crate::section::KeyDoc;
use crate::setting::Setting;
use crate::show::Row;
use crate::value::Origin;
use crate::{built_in, checks, error::Problem, sections::ExternalAgents};

/// The section whose tables are the entries.
pub(crate) const SECTION: &str = ExternalAgents::PATH;
/// Longest id, in characters.
const LONGEST_ID: usize = 32;
/// What is read of an ACP agent's stderr: 16 MiB (FA-27).
const STDERR_ACP: u64 = 16 << 20;
/// What is read of a line stream's stderr: 256 MiB (FA-27).
const STDERR_LINE: u64 = 256 << 20;

choice! {
    /// How Taffrail talks with an agent that it drives.
    pub enum Transport, expected "\"acp\" or \"line\"", later [] {
        /// Two-way JSON-RPC over stdin and stdout.
        Acp = "acp",
        /// One-way JSON lines on stdout.
        Line = "line",
    }
}

choice! {
    /// What one has to do otherwise with an agent than the protocol says.
    pub enum Quirk, expected "a quirk that taffrail knows", later [] {
        /// It cannot make a file unless a missing one is answered as an empty one, which a run that writes does.
        MissingFileIsEmpty = "missing-file-is-empty",
        /// It writes files of its checkout without asking: a run cannot hold it back from that, and the record says so.
        WritesUnasked = "writes-unasked",
        /// It never asks: what it may do is what the sandbox lets it.
        NeverAsks = "never-asks",
        /// It says no kind of what it asks for, or `other` for all: the strictest kind is taken.
        NoKind = "no-kind",
        /// It tells a mode that it is not in until it is set: the mode is set whatever it tells.
        ModeOnlyWhenSet = "mode-only-when-set",
        /// A refusal ends its turn.
        RefusalEndsTurn = "refusal-ends-turn",
        /// It goes on when its standard input ends: it is ended by signals.
        IgnoresEof = "ignores-eof",
        /// It takes seconds to go when its standard input ends.
        SlowEof = "slow-eof",
        /// It has a sandbox of its own that cannot start inside ours: what it runs in there fails.
        OwnSandboxFails = "own-sandbox-fails",
        /// It is never let write.
        ReadsOnly = "reads-only",
        /// It says that its turn ended well when its model failed.
        EndsWellOnErrors = "ends-well-on-errors",
        /// It names tool calls in questions that it never announced.
        UnannouncedCalls = "unannounced-calls",
        /// It fails where our MCP server is offered: a run leaves that out, and the record says so.
        FailsWithMcp = "fails-with-mcp",
        /// It passes the names of tools on as they are, to providers that take no dot in one: ours are told as `slate_open`.
        PlainToolNames = "plain-tool-names",
    }
}

/// Programs that run another, and this one: a command of theirs is not by itself an agent's.
const LOADERS: &[&str] = &[
    "npx", "npm", "bunx", "bun", "deno", "node", "uvx", "uv", "pipx", "python", "python3", "env",
    "sh", "bash", "docker", "podman", "taffrail",
];

/// A version where an entry names no pattern.
const PLAIN_VERSION: &str = r"([0-9]+\.[0-9]+\.[0-9]+)";

/// Defines the entry: one declaration gives the struct, the overlay, the rows and the guide's table.
macro_rules! entry {
    ($(
        $(#[doc = $meaning:expr])+
        $key:ident: $kind:ty = $default:expr $(, check $check:path)?;
    )+) => {
        /// An agent's entry, with the user's keys over the built-in ones. Paths are relative to the HOME.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct AgentEntry {
            /// The id: the last part of `[external_agents.<id>]`.
            pub id: String,
            $($(#[doc = $meaning])+ pub $key: $kind,)+
            origins: BTreeMap<String, Origin>,
        }

        impl AgentEntry {
            pub(crate) const KEYS: &'static [&'static str] = &[$(stringify!($key),)+];

            /// An entry that says nothing yet.
            fn new(id: &str) -> Self {
                Self { id: id.to_owned(), $($key: $default,)+ origins: BTreeMap::new() }
            }

            /// Takes over every key that the table has.
            fn take(&mut self, reader: &Reader<'_>, table: &View<'_>) {
                $(
                    let check: Check<$kind> = $crate::section::section!(@check $($check)?);
                    if let Some(found) = reader.setting::<$kind>(table, stringify!($key), check) {
                        Layer::lay(&mut self.$key, found.value, stringify!($key), |key| {
                            self.origins.insert(key, found.origin);
                        });
                    }
                )+
            }

            fn all_rows(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($key), self.$key.shown()),)+]
            }

            pub(crate) fn docs() -> Vec<KeyDoc> {
                vec![$(KeyDoc {
                    name: stringify!($key),
                    expected: <$kind as Setting>::EXPECTED,
                    default: <$kind as Setting>::shown(&$default),
                    env: None,
                    meaning: concat!($($meaning,)+),
                },)+]
            }
        }
    };
}

entry! {
    /// The program: a name to look for on the `PATH`, or an absolute path. Required in an entry of your own.
    command: String = String::new(), check checks::command;
    /// Arguments that Taffrail starts it with when it drives it; `taffrail box` takes yours instead.
    args: Vec<String> = Vec::new();
    /// Arguments put in right after the command in a box, before yours.
    box_args: Vec<String> = Vec::new();
    /// Whether the entry is in force. Off: a box runs the command like any other, without its credentials.
    enabled: bool = true;
    /// Whether it may run where `CI` is set, as a test's own agent does.
    test: bool = false;
    /// How it is driven; unset means that it is for `taffrail box` only.
    transport: Option<Transport> = None;
    /// Variables set for it. A built-in entry's are kept where yours does not name them.
    env: BTreeMap<String, String> = BTreeMap::new(), check checks::variables;
    /// Variables of your environment that are passed on. Every other one stays outside.
    pass_env: Vec<String> = Vec::new(), check checks::variable_names;
    /// Files copied from your HOME into the run's own, readable by the agent, mode 0600. Missing ones are skipped.
    credential_files: Vec<String> = Vec::new(), check checks::home_paths;
    /// Those of them that are copied back after a run, when the new file is still of its kind (`.json`, `.toml`):
    /// a refreshed sign-in. Settings never are.
    write_back: Vec<String> = Vec::new(), check checks::written_back;
    /// Folders below the run's HOME that it writes.
    state_dirs: Vec<String> = Vec::new(), check checks::home_paths;
    /// Hosts it may reach where the network is on: `api.example.com`, `*.example.com`, with `:port` behind them where it
    /// is not 443 or 80.
    hosts: Vec<String> = Vec::new(), check checks::hosts;
    /// Whether the addresses of `hosts` are looked up before the start and pinned in its `/etc/hosts`: for a program
    /// that asks for names over UDP only, which the sandbox does not have. Needs bubblewrap, and counts only where the network
    /// is by port: by host, the proxy looks names up.
    pin_hosts: bool = false;
    /// Ports of 127.0.0.1 that it may listen on and connect to. Where the network is by host, with bubblewrap: what answers
    /// on one of them on this machine when the run begins is reached in the run as well; the others are the run's own.
    loopback_ports: Vec<u16> = Vec::new(), check checks::own_ports;
    /// Whether it opens pseudo-terminals of its own for its commands.
    pty: bool = false;
    /// Whether it reads `/proc` and dies without it. Without bubblewrap that shows it the processes of the machine.
    proc: bool = false;
    /// Arguments that make it print its version.
    version_args: Vec<String> = vec!["--version".to_owned()];
    /// A regular expression over that output; its first group is the version.
    version_pattern: Option<String> = None, check checks::pattern;
    /// Most bytes read of its stderr before the run ends; unset means 16 MiB over ACP and 256 MiB as a line stream.
    max_stderr_bytes: Option<u64> = None;
    /// The lowest and the highest version that it was tested with; any other is a warning on record. A bound that says
    /// less covers more: `0.61` holds for `0.61.3`.
    tested: Vec<String> = Vec::new(), check checks::version_range;
    /// How long it may take to answer `initialize`; a cold start through `npx` needs minutes.
    initialize_timeout: Duration = Duration::from_secs(60), check checks::not_zero;
    /// What one has to do otherwise with it than the protocol says, as words of a closed list.
    quirks: Vec<String> = Vec::new(), check checks::quirks;
    /// The argument that names the model, put before the model's own: `--model`.
    model_flag: Option<String> = None;
    /// The variable that names the model.
    model_env: Option<String> = None, check checks::one_variable;
    /// The ACP sign-in method to ask for.
    auth_method: Option<String> = None;
    /// The variable without which no sign-in method is asked for: the agent's own sign-in is used then.
    auth_env: Option<String> = None, check checks::one_variable;
    /// The ACP session mode to set: the strictest one that asks.
    mode: Option<String> = None;
    /// How it is installed.
    install: String = String::new();
    /// How one signs in to it.
    sign_in: String = String::new();
    /// What it sends home, apart from the model's requests.
    sends_home: String = String::new();
    /// What it asks a person for before it does it.
    consent: String = String::new();
    /// What else one has to know about it in a box or a run.
    notes: String = String::new();
}

/// Keys that only the guide reads.
const TEXTS: &[&str] = &["install", "sign_in", "sends_home", "consent", "notes"];

impl AgentEntry {
    /// Where a key's value came from; of a variable with `env.NAME`.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).copied().unwrap_or(Origin::Default)
    }

    /// Most bytes read of its stderr before the run ends.
    pub fn stderr_budget(&self) -> u64 {
        self.max_stderr_bytes.unwrap_or(match self.transport {
            Some(Transport::Acp) => STDERR_ACP,
            Some(Transport::Line) | None => STDERR_LINE,
        })
    }

    /// The version in what the program printed: the first group of the pattern, or the first three numbers with dots.
    pub fn version_in(&self, printed: &str) -> Option<String> {
        let pattern = self.version_pattern.as_deref().unwrap_or(PLAIN_VERSION);
        let found = regex::Regex::new(pattern).ok()?.captures(printed)?;
        Some(found.get(1)?.as_str().to_owned())
    }

    /// The lowest and the highest version that it was tested with.
    pub fn tested_range(&self) -> Option<(&str, &str)> {
        match self.tested.as_slice() {
            [lowest, highest] => Some((lowest, highest)),
            _ => None,
        }
    }

    /// What one has to do otherwise with it than the protocol says.
    pub fn quirks(&self) -> impl Iterator<Item = Quirk> {
        self.quirks.iter().filter_map(|word| word.parse().ok())
    }

    /// Whether it has this quirk.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks().any(|found| found == quirk)
    }

    /// Whether its command runs any program: what is started so says nothing of whose agent it is.
    pub fn is_loaded(&self) -> bool {
        LOADERS.contains(&self.basename())
    }

    /// The command without its folders.
    pub fn basename(&self) -> &str {
        self.command.rsplit('/').next().unwrap_or_default()
    }

    /// Every key but the guide's texts; a variable has a row of its own.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let row = |key: &str, value| Row {
            key: format!("{SECTION}.{}.{key}", self.id),
            value,
            origin: self.origin(key),
        };
        let keys = self.all_rows().into_iter();
        let keys = keys.filter(|(key, _)| *key != "env" && !TEXTS.contains(key));
        let variables = self.env.iter().map(|(name, value)| {
            let key = format!("env.{name}");
            row(&key, crate::show::variable(name, value))
        });
        keys.map(|(key, value)| row(key, crate::show::guarded(value)))
            .chain(variables)
            .collect()
    }
}

/// How a found value goes over the one that is there, and under which names its origin is kept.
trait Layer: Sized {
    fn lay(&mut self, found: Self, key: &str, origin: impl FnMut(String));
}

macro_rules! replaces {
    ($($kind:ty),+) => {
        $(impl Layer for $kind {
            fn lay(&mut self, found: Self, key: &str, mut origin: impl FnMut(String)) {
                *self = found;
                origin(key.to_owned());
            }
        })+
    };
}

replaces!(
    bool,
    String,
    Vec<String>,
    Vec<u16>,
    Option<u64>,
    Option<String>,
    Option<Transport>,
    Duration
);

/// Variables one by one, so that one of your own does not switch a built-in one off.
impl Layer for BTreeMap<String, String> {
    fn lay(&mut self, found: Self, key: &str, mut origin: impl FnMut(String)) {
        for (name, value) in found {
            origin(format!("{key}.{name}"));
            self.insert(name, value);
        }
    }
}

/// The built-in entries with the user's over them.
pub(crate) fn read_all(
    reader: &Reader<'_>,
    section: Option<&View<'_>>,
) -> BTreeMap<String, AgentEntry> {
    let mut entries = built_in::entries().unwrap_or_else(|error| {
        reader.adopt(error);
        BTreeMap::new()
    });
    if let Some(section) = section {
        overlay(reader, section, &mut entries);
    }
    entries
}

/// Lays every table of the section over the entries.
pub(crate) fn overlay(
    reader: &Reader<'_>,
    section: &View<'_>,
    entries: &mut BTreeMap<String, AgentEntry>,
) {
    for (key, value) in section.table {
        let name = key.get_ref().as_ref();
        if ExternalAgents::KEYS.contains(&name) {
            continue;
        }
        if !value.get_ref().is_table() {
            let problem = unknown(name, ExternalAgents::KEYS);
            reader.note(&key.span(), section.key(name), problem);
        } else if let Some(table) = reader.table(section, name) {
            overlay_one(reader, &table, name, entries);
        }
    }
}

fn overlay_one(
    reader: &Reader<'_>,
    table: &View<'_>,
    id: &str,
    entries: &mut BTreeMap<String, AgentEntry>,
) {
    if !is_id(id) {
        let why = format!(
            "an id is a lower-case letter, then letters, digits and `-`, at most {LONGEST_ID}"
        );
        let key = table.path.clone();
        reader.note(&table.span, key, Problem::BadValue { why });
        return;
    }
    reader.known_keys(Some(table), AgentEntry::KEYS);
    let mut entry = entries
        .get(id)
        .cloned()
        .unwrap_or_else(|| AgentEntry::new(id));
    entry.take(reader, table);
    if entry.command.is_empty() && !table.table.contains_key("command") {
        let known: Vec<&str> = entries.keys().map(String::as_str).collect();
        note_no_command(reader, table, did_you_mean(id, &known));
    }
    check_write_back(reader, table, &mut entry);
    entries.insert(id.to_owned(), entry);
}

fn note_no_command(reader: &Reader<'_>, table: &View<'_>, meant: Option<&str>) {
    let help = meant.map(|id| format!("did you mean the built-in `{id}`?"));
    let problem = Problem::Missing { help };
    reader.note(&table.span, table.key("command"), problem);
}

/// What comes back must have gone in. A built-in entry's list follows the user's shorter `credential_files`.
fn check_write_back(reader: &Reader<'_>, table: &View<'_>, entry: &mut AgentEntry) {
    let copied = entry.credential_files.clone();
    let Some((key, _)) = table.table.get_key_value("write_back") else {
        entry.write_back.retain(|path| copied.contains(path));
        return;
    };
    if let Some(stray) = entry.write_back.iter().find(|path| !copied.contains(path)) {
        let span: Range<usize> = key.span();
        let why = format!("`{}` is not in `credential_files`", clip(stray));
        let key = table.key("write_back");
        reader.note(&span, key, Problem::BadValue { why });
    }
}

fn is_id(id: &str) -> bool {
    id.len() <= LONGEST_ID
        && id.starts_with(|at: char| at.is_ascii_lowercase())
        && id
            .bytes()
            .all(|at| matches!(at, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// The enabled entry whose command has this name (without folders). Where several do: those that are for boxes only, so
/// that one of them that is switched off stays off; of these the one that is called like it, then the first by id.
pub fn entry_for_command<'c>(config: &'c crate::Config, program: &str) -> Option<&'c AgentEntry> {
    let named = || {
        let entries = config.agents.values();
        entries.filter(|entry| entry.basename() == program && !entry.is_loaded())
    };
    let for_boxes = named().any(|entry| entry.transport.is_none());
    named()
        .filter(|entry| entry.enabled && (entry.transport.is_none() || !for_boxes))
        .min_by_key(|entry| entry.id != program)
}
