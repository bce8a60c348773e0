//! The sentences and rows of a box, for people and for scripts. All text of others is escaped here.

use serde::Serialize;
use taffrail_app::boxes::sweep::Swept;
use taffrail_app::boxes::{ChangeReport, Progress, Ready};
use taffrail_app::network::HostRow;
use taffrail_domain::{Change, ChangeKind, Enforcement, Layer, Net, RunKind, RunStatus, Rung};
use taffrail_store::RunRow;
use taffrail_text::{Shown, width};

use crate::output::{Colour, Paint};

/// Paths listed in a summary; the rest is counted.
const LISTED: usize = 20;

/// A name that somebody gave, for a line.
pub fn name(name: &str) -> String {
    Shown::line(name).to_string()
}

/// What is typed to do something with a run, in the family that started it.
pub fn command(kind: RunKind, verb: &str, run: &str) -> String {
    let family = match kind {
        RunKind::Box => "box",
        RunKind::External => "agents external",
    };
    format!("taffrail {family} {verb} {}", name(run))
}

/// What the sweep did.
pub fn swept(swept: &Swept) -> String {
    match swept {
        Swept::CutOff {
            kind,
            name: run,
            killed,
        } => format!(
            "{} was cut off; {} ended, its checkout is kept: {}",
            name(run),
            processes(*killed),
            command(*kind, "review", run)
        ),
        Swept::Removed { name: run } => format!("removed what {} had left", name(run)),
        Swept::Reopened { run } => {
            format!("the landing of {run} was cut off; its change waits again")
        }
        Swept::Discarded { run } => {
            format!("the discard of {run} was cut off; it is done now")
        }
        Swept::Failed { name: run, why } => {
            let why = Shown::line(why);
            format!("could not clear what {} left: {why}", name(run))
        }
    }
}

/// `1 process`, `3 processes`.
pub fn processes(count: usize) -> String {
    match count {
        1 => "1 process".to_owned(),
        many => format!("{many} processes"),
    }
}

/// How far the checkout is.
pub fn checkout(at: Progress) -> String {
    const MIB: u64 = 1 << 20;
    match at {
        Progress::Objects(bytes) => format!("checkout: {} MiB of objects copied", bytes / MIB),
        Progress::Files(done, of) => format!("checkout: {done} of {of} files"),
        Progress::Carry(bytes) => format!("checkout: {} MiB brought along", bytes / MIB),
    }
}

/// The lines before the command has the screen.
pub fn ready(ready: &Ready<'_>, paint: Paint) -> Vec<String> {
    let place = Shown::line(&ready.project.display().to_string()).to_string();
    let base: String = ready.base.as_str().chars().take(10).collect();
    let branch = ready
        .branch
        .map(|branch| format!(" ({})", name(branch)))
        .unwrap_or_default();
    let agent = ready
        .agent
        .map(|agent| format!(" · agent {}", name(agent)))
        .unwrap_or_default();
    let mut lines = vec![format!(
        "box {} · {place} at {base}{branch}{agent}",
        ready.run
    )];
    lines.extend(enforced(ready.enforcement, paint));
    lines
}

/// What is enforced, and what stays open.
pub fn enforced(enforcement: &Enforcement, paint: Paint) -> Vec<String> {
    let layers: Vec<_> = enforcement
        .layers
        .iter()
        .copied()
        .map(Layer::name)
        .collect();
    let head = match enforcement.rung {
        Rung::Full => paint.with(Colour::Added, "sandbox full"),
        Rung::Partial => paint.with(Colour::Warn, "sandbox partial"),
        Rung::None => {
            let warning = "NO SANDBOX: the command can do all that you can";
            return vec![paint.with(Colour::Removed, warning)];
        }
    };
    let (layers, network) = (layers.join(", "), network(&enforcement.net));
    let mut lines = vec![format!("{head}: {layers} · {network}")];
    lines.extend(
        enforcement
            .open
            .iter()
            .map(|open| format!("  open: {}", Shown::line(open))),
    );
    lines
}

/// The network in words.
pub fn network(net: &Net) -> String {
    match net {
        Net::Off => "network off".to_owned(),
        Net::Ports(ports) => {
            let ports: Vec<_> = ports.iter().map(u16::to_string).collect();
            format!("network on: TCP {} of any host", ports.join(" "))
        }
        Net::Hosts {
            allowed,
            ask,
            loopback,
        } => hosts(allowed, *ask, loopback),
    }
}

/// A long list is cut: `box review --record` has it whole.
fn hosts(allowed: &[String], ask: bool, loopback: &[u16]) -> String {
    const SHOWN: usize = 6;
    let mut names: Vec<_> = allowed
        .iter()
        .take(SHOWN)
        .map(|name| Shown::line(name).to_string())
        .collect();
    names.extend(loopback.iter().map(|port| format!("127.0.0.1:{port}")));
    let more = allowed.len().saturating_sub(SHOWN);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    let others = if ask {
        "others ask"
    } else {
        "others are refused"
    };
    match names.is_empty() {
        true => format!("network by host: {others}"),
        false => format!("network by host: {} · {others}", names.join(" ")),
    }
}

/// Hosts that were asked for and refused, in the words of whoever would allow them.
pub fn refused_hosts(hosts: &[HostRow]) -> Option<String> {
    of_verdict(hosts, "refused")
}

/// Hosts that were allowed, and did not answer or have no address.
pub fn unreached_hosts(hosts: &[HostRow]) -> Option<String> {
    of_verdict(hosts, "unreachable")
}

fn of_verdict(hosts: &[HostRow], verdict: &str) -> Option<String> {
    const SHOWN: usize = 5;
    let refused: Vec<_> = hosts.iter().filter(|row| row.verdict == verdict).collect();
    let shown = refused.iter().take(SHOWN).map(|row| refused_host(row));
    let mut words: Vec<_> = shown.collect();
    let more = refused.len().saturating_sub(SHOWN);
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn refused_host(row: &HostRow) -> String {
    let host = Shown::line(&row.host);
    let place = format!("{host}:{}", row.port);
    match (&row.tunnel, row.why) {
        (_, _) if row.port == 0 => format!("{host} (malformed)"),
        (Some(tunnel), _) => format!("{place} (in a tunnel to {})", Shown::line(tunnel)),
        (None, Some("no_name")) => format!("{place} (its TLS names no host)"),
        (None, Some("not_tls")) => format!("{place} (no TLS)"),
        (None, Some("malformed")) => format!("{place} (malformed TLS)"),
        (None, _) => place,
    }
}

/// One line per changed path, with its flags.
pub fn changes(report: &ChangeReport, paint: Paint, all: bool) -> Vec<String> {
    let limit = if all { usize::MAX } else { LISTED };
    let shown = || report.changes.iter().take(limit);
    let widest = shown()
        .map(|change| width(&path(change)))
        .max()
        .unwrap_or_default()
        .min(60);
    let mut lines: Vec<_> = shown().map(|change| line(change, widest, paint)).collect();
    let more = report.changes.len().saturating_sub(limit);
    if more > 0 {
        lines.push(format!("  … and {more} more"));
    }
    if report.ignored > 0 {
        lines.push(match report.ignored {
            1 => "  1 ignored file is not part of it".to_owned(),
            many => format!("  {many} ignored files are not part of it"),
        });
    }
    lines
}

fn line(change: &Change, widest: usize, paint: Paint) -> String {
    let path = path(change);
    let gap = " ".repeat(widest.saturating_sub(width(&path)));
    let counts = match (change.added, change.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        (None, _) | (_, None) if change.refused.is_some() => String::new(),
        (None, _) | (_, None) => "binary".to_owned(),
    };
    let flags: Vec<_> = change.flags.iter().map(|flag| flag.name()).collect();
    let flags = if flags.is_empty() {
        String::new()
    } else {
        paint.with(Colour::Warn, &format!("  [{}]", flags.join(" ")))
    };
    let refused = change
        .refused
        .map(|why| paint.with(Colour::Removed, &format!("  [refused: {}]", why.name())));
    format!(
        "  {} {path}{gap}  {counts}{flags}{}",
        letter(change.kind),
        refused.unwrap_or_default()
    )
}

fn path(change: &Change) -> String {
    Shown::bytes_line(change.path.as_bytes()).to_string()
}

const fn letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::ModeChanged => 'X',
        ChangeKind::TypeChanged => 'T',
    }
}

/// That a run whose change is to land did not end well, and why.
pub fn unfinished(row: &RunRow) -> Option<String> {
    let reason = row.reason.as_deref().map(Shown::line);
    let reason = reason.map(|reason| format!(" ({reason})"));
    let (status, reason) = (row.status.name(), reason.unwrap_or_default());
    let ended_well = row.status == RunStatus::Completed;
    (!ended_well).then(|| format!("the run did not complete: {status}{reason}"))
}

/// `3 files changed, +10 -2, 1 flagged`
pub fn totals(report: &ChangeReport) -> String {
    let count = report.changes.len();
    if count == 0 {
        return "nothing changed".to_owned();
    }
    let sum = |of: fn(&Change) -> Option<u32>| {
        report
            .changes
            .iter()
            .filter_map(of)
            .map(u64::from)
            .sum::<u64>()
    };
    let (added, removed) = (sum(|change| change.added), sum(|change| change.removed));
    let flagged = report
        .changes
        .iter()
        .filter(|change| !change.flags.is_empty() || change.refused.is_some())
        .count();
    let files = if count == 1 { "file" } else { "files" };
    let flagged = if flagged == 0 {
        String::new()
    } else {
        format!(", {flagged} flagged")
    };
    format!("{count} {files} changed, +{added} -{removed}{flagged}")
}

/// A changed path for scripts. `path` is lossy where the name is not UTF-8; `path_bytes` is then its hex.
#[derive(Serialize)]
pub struct ChangeRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    kind: ChangeKind,
    old_mode: Option<&'static str>,
    new_mode: Option<&'static str>,
    added: Option<u32>,
    removed: Option<u32>,
    flags: Vec<&'static str>,
    refused: Option<&'static str>,
}

/// A change for scripts.
#[derive(Serialize)]
pub struct ChangeAnswer {
    state: &'static str,
    hash: String,
    ignored: u64,
    changes: Vec<ChangeRow>,
}

impl From<&ChangeReport> for ChangeAnswer {
    fn from(report: &ChangeReport) -> Self {
        Self {
            state: report.state.name(),
            hash: report.hash.to_string(),
            ignored: report.ignored,
            changes: report.changes.iter().map(ChangeRow::from).collect(),
        }
    }
}

impl From<&Change> for ChangeRow {
    fn from(change: &Change) -> Self {
        let bytes = change.path.as_bytes();
        let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            path: change.path.to_text(),
            path_bytes: std::str::from_utf8(bytes).is_err().then(hex),
            kind: change.kind,
            old_mode: change.old.as_ref().map(|(mode, _)| mode.octal()),
            new_mode: change.new.as_ref().map(|(mode, _)| mode.octal()),
            added: change.added,
            removed: change.removed,
            flags: change.flags.iter().map(|flag| flag.name()).collect(),
            refused: change.refused.map(taffrail_domain::Refusal::name),
        }
    }
}
