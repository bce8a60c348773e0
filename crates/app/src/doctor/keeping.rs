//! What the doctor sees of the records themselves: the recall index, the journal, seals, rows and folders that belong to
//! nothing, modes, and room on the disk. Looks only.

use taffrail_store::{Home, Loose, Orphans, Peek, StoreError, human, loose, room};

use super::{Finding, Weight, bad, good, warning};

/// Below this much room a database that grows is in danger.
const LITTLE_ROOM: u64 = 256 << 20;
/// Things of one kind that are named; the rest is counted.
const NAMED: usize = 5;
const REPAIR: &str = "taffrail doctor --repair";

/// The findings on a database of this program's schema.
pub(super) fn records(peek: &Peek, home: &Home) -> Vec<Finding> {
    let mut findings = vec![journal(peek), index(peek)];
    match peek.orphans(home) {
        Ok(orphans) => findings.extend(belonging(&orphans)),
        Err(error) => findings.push(broken("records", error)),
    }
    findings.extend(erasing(peek));
    findings.extend(seals(peek));
    findings
}

fn broken(about: &'static str, error: StoreError) -> Finding {
    bad(
        about,
        &error.into(),
        "restore a backup: taffrail restore FILE --force",
    )
}

fn journal(peek: &Peek) -> Finding {
    match peek.journal() {
        Ok(Ok(entries)) => good("journal", format!("{entries} entries, the chain holds")),
        Ok(Err(saw)) => Finding {
            about: "journal",
            weight: Weight::Bad,
            saw,
            fix: "taffrail audit verify, then restore a backup from before".to_owned(),
        },
        Err(error) => broken("journal", error),
    }
}

fn index(peek: &Peek) -> Finding {
    match peek.recall_index() {
        Ok(problems) if problems.is_empty() => good("index", "agrees with the memories".to_owned()),
        Ok(problems) => Finding {
            about: "index",
            weight: Weight::Bad,
            saw: problems.join("; "),
            fix: REPAIR.to_owned(),
        },
        Err(error) => bad("index", &error.into(), REPAIR),
    }
}

/// A deletion that was cut off before the file was rewritten, or that another process kept from its end.
fn erasing(peek: &Peek) -> Option<Finding> {
    let saw = "what was erased may still lie in the file: the rewriting was cut off";
    match peek.is_erasing_unfinished() {
        Ok(false) => None,
        Ok(true) => Some(warning("records", saw.to_owned(), REPAIR)),
        Err(error) => Some(broken("records", error)),
    }
}

fn belonging(orphans: &Orphans) -> Vec<Finding> {
    let mut findings = Vec::new();
    if orphans.is_empty() {
        findings.push(good(
            "records",
            "no row and no folder without an owner".to_owned(),
        ));
    }
    for (table, rows) in &orphans.rows {
        let saw = format!("{rows} row(s) of {table} point at nothing");
        findings.push(warning("records", saw, REPAIR));
    }
    let folders = orphans
        .folders
        .iter()
        .map(|path| path.display().to_string());
    findings.extend(named(
        "records",
        "folder(s) that no run has",
        folders.collect(),
        REPAIR,
    ));
    let left = orphans
        .leftovers
        .iter()
        .map(|path| path.display().to_string());
    findings.extend(named(
        "records",
        "left by a command that was cut off",
        left.collect(),
        REPAIR,
    ));
    let missing = orphans.missing_diffs.clone();
    let fix = "restore a backup that has them, or taffrail box discard";
    findings.extend(named(
        "records",
        "waiting change(s) whose diff is not on disk",
        missing,
        fix,
    ));
    findings
}

pub(super) fn named(
    about: &'static str,
    what: &str,
    names: Vec<String>,
    fix: &str,
) -> Option<Finding> {
    let count = names.len();
    let shown: Vec<String> = names.into_iter().take(NAMED).collect();
    let more = if count > NAMED { " …" } else { "" };
    let saw = format!("{count} {what}: {}{more}", shown.join(", "));
    (count > 0).then(|| warning(about, saw, fix))
}

/// Seals against the public key that lies beside the database: finds rows that somebody edited, not somebody who put
/// a key of their own there too. `audit verify` asks the place of secrets for the key.
fn seals(peek: &Peek) -> Vec<Finding> {
    match peek.unsealed() {
        Ok(None) => vec![good("seals", "nothing was approved yet".to_owned())],
        Ok(Some(faults)) if faults.is_empty() => vec![good(
            "seals",
            "every approval fits; taffrail audit verify asks the keychain too".to_owned(),
        )],
        Ok(Some(faults)) => {
            let fix = "taffrail audit verify, then review them again";
            let names = faults.iter().map(|id| id.short()).collect();
            named(
                "seals",
                "approval(s) do not verify and count as pending",
                names,
                fix,
            )
            .into_iter()
            .collect()
        }
        Err(error) => vec![bad("seals", &error.into(), "taffrail audit verify")],
    }
}

/// Modes of everything in the home.
pub(super) fn modes(home: &Home) -> Option<Finding> {
    let found = loose(home);
    let name = |one: &Loose| format!("{} ({:04o})", one.path.display(), one.mode);
    let names = found.iter().map(name).collect();
    named(
        "home",
        "file(s) or folder(s) that others can reach",
        names,
        REPAIR,
    )
}

/// How much room the home's file system has.
pub(super) fn disk(home: &Home) -> Option<Finding> {
    let found = room(&home.db(), home.root());
    let free = found.free?;
    if free < LITTLE_ROOM {
        let saw = format!("only {} are left at {}", human(free), found.mount.display());
        return Some(warning("disk", saw, &found.advice()));
    }
    Some(good(
        "disk",
        format!("{} are left at {}", human(free), found.mount.display()),
    ))
}
