//! The single looks of the doctor.

use std::path::Path;

use taffrail_config::{Config, load_project};
use taffrail_confine::fs::Root;
use taffrail_confine::sandbox::{self, LadderInputs};
use taffrail_domain::{RepoPath, Rung};
use taffrail_store::{Counts, Found, Home, HomeError, Peek};

use super::{Finding, Weight, bad, good, slates, warning};
use crate::AppInputs;
use crate::context::{CONFIG_LIMIT, find_bwrap, git as open_git};

pub(super) fn home(home: &Home) -> Finding {
    let place = home.root().display();
    match home.check() {
        Ok(true) => good("home", format!("{place}, mode 0700")),
        Ok(false) => good(
            "home",
            format!("{place} is not there yet: the first command that keeps something makes it"),
        ),
        Err(error) => bad(
            "home",
            &error.into(),
            "chmod 700 the folder, or point TAFFRAIL_HOME at another",
        ),
    }
}

/// A folder of a project that looks like a home and is not listed as one (STO-01).
pub(super) fn ignored_homes(found: Result<Found, HomeError>) -> Vec<Finding> {
    let ignored = found.map(|found| found.ignored).unwrap_or_default();
    ignored.iter().map(|path| ignored_home(path)).collect()
}

fn ignored_home(path: &Path) -> Finding {
    if holds_a_projects_file(path) {
        let saw = format!("{} is understood", path.join("config.toml").display());
        return good("project", saw);
    }
    let saw = format!(
        "{} looks like a home and is ignored: this user did not set it up",
        path.display()
    );
    warning("home", saw, "if it is yours: taffrail init --local-state")
}

/// Whether what lies there is the file that a project may have, and no database beside it.
fn holds_a_projects_file(folder: &Path) -> bool {
    let text = || {
        let root = Root::open(folder).ok()?;
        if root.stat(&RepoPath::new("taffrail.db").ok()?).is_ok() {
            return None;
        }
        let config = RepoPath::new("config.toml").ok()?;
        String::from_utf8(root.read(&config, CONFIG_LIMIT).ok()?).ok()
    };
    text().is_some_and(|text| load_project((&folder.join("config.toml"), &text)).is_ok())
}

pub(super) fn database(peek: &Peek) -> Vec<Finding> {
    let mut findings = vec![schema(peek), integrity(peek)];
    findings.extend(foreign(peek));
    if let Ok(counts) = peek.counts() {
        let saw = format!(
            "runs {}, changes waiting {}, agreements {}",
            counts.runs, counts.pending, counts.pins
        );
        findings.push(good("records", saw));
        findings.extend(slates::waiting(&counts));
        findings.extend(questions(&counts));
    }
    if let Ok(left) = peek.leftovers()
        && !left.is_empty()
    {
        let saw = format!("{} checkout(s) are on disk", left.len());
        findings.push(warning(
            "checkouts",
            saw,
            "taffrail box list, then land or discard",
        ));
    }
    findings
}

fn schema(peek: &Peek) -> Finding {
    let sqlite = peek.sqlite_version();
    match peek.schema() {
        Ok(state) => match state.problem {
            None => good(
                "database",
                format!("schema {} of {}, SQLite {sqlite}", state.found, state.known),
            ),
            Some(saw) => Finding {
                about: "database",
                weight: Weight::Bad,
                saw,
                fix: "use the taffrail that wrote it, or another home".into(),
            },
        },
        Err(error) => bad(
            "database",
            &error.into(),
            "restore a copy from the home's backups/",
        ),
    }
}

/// Questions of agents that wait for a person, and the command that shows them.
fn questions(counts: &Counts) -> Option<Finding> {
    let waits = |count| good("questions", format!("{count} open: taffrail inbox"));
    (counts.questions > 0).then(|| waits(counts.questions))
}

/// A trigger or a view that somebody put there acts whenever a row is written or read.
fn foreign(peek: &Peek) -> Option<Finding> {
    if peek.schema().ok()?.problem.is_some() {
        return None;
    }
    let found = peek.foreign_schema().ok()?;
    let shown: Vec<String> = found.iter().take(5).cloned().collect();
    (!found.is_empty()).then(|| Finding {
        about: "database",
        weight: Weight::Bad,
        saw: format!(
            "its schema is not as it was made: {} ({} in all)",
            shown.join(", "),
            found.len()
        ),
        fix: "restore a backup; taffrail wrote none of it".into(),
    })
}

fn integrity(peek: &Peek) -> Finding {
    match peek.quick_check() {
        Ok(problems) if problems.is_empty() => good("database", "quick_check found nothing".into()),
        Ok(problems) => Finding {
            about: "database",
            weight: Weight::Bad,
            saw: problems.join("; "),
            fix: "restore a copy from the home's backups/".into(),
        },
        Err(error) => bad(
            "database",
            &error.into(),
            "restore a copy from the home's backups/",
        ),
    }
}

pub(super) fn git(inputs: &AppInputs) -> Finding {
    let version = open_git(inputs).and_then(|git| Ok(git.version()?));
    match version {
        Ok(version) => good("git", format!("git {version}")),
        Err(error) => bad("git", &error, "install git 2.32 or newer"),
    }
}

pub(super) fn sandbox(inputs: &AppInputs, config: &Config) -> Vec<Finding> {
    let ladder = sandbox::probe_ladder(&LadderInputs {
        bwrap: find_bwrap(inputs, config),
        scratch: std::env::temp_dir(),
    });
    let abi = ladder.landlock_abi;
    let finding = match ladder.rung() {
        Rung::Full => good(
            "sandbox",
            format!("full: bubblewrap, Landlock ABI {abi}, seccomp"),
        ),
        Rung::Partial => warning(
            "sandbox",
            format!(
                "partial: Landlock ABI {abi} and seccomp; no bubblewrap: {}",
                ladder.why().unwrap_or_default()
            ),
            "install bubblewrap, and allow user namespaces for it",
        ),
        Rung::None => Finding {
            about: "sandbox",
            weight: Weight::Bad,
            saw: format!("none: {}", ladder.why().unwrap_or_default()),
            fix: "a kernel with Landlock ABI 6 (Linux 6.12) or newer".into(),
        },
    };
    vec![finding]
}

/// Whether the user's rules hold together, and which of them never decide.
pub(super) fn rules(config: &Config) -> Vec<Finding> {
    let fix = "taffrail config edit";
    let rules = match crate::policy::rules(config) {
        Ok(rules) => rules,
        Err(error) => return vec![bad("rules", &error, fix)],
    };
    let idle: Vec<Finding> = rules
        .overruled()
        .iter()
        .map(|found| warning("rules", found.to_string(), fix))
        .collect();
    match rules.iter().count() {
        0 => Vec::new(),
        _ if !idle.is_empty() => idle,
        1 => vec![good("rules", "1 rule, which keeps to its examples".into())],
        count => {
            let saw = format!("{count} rules, which keep to their examples");
            vec![good("rules", saw)]
        }
    }
}

/// Which agents of the registry are installed here.
pub(super) fn agents(inputs: &AppInputs, config: &Config) -> Vec<Finding> {
    let path = inputs.environment.get("PATH").unwrap_or_default();
    let installed = config.agents.values().filter_map(|entry| {
        let found = sandbox::resolve_command(entry.command.as_ref(), path, &inputs.cwd).ok()?;
        Some(good("agents", format!("{}: {}", entry.id, found.display())))
    });
    let installed: Vec<_> = installed.collect();
    if installed.is_empty() {
        vec![good("agents", "none of the registry is installed".into())]
    } else {
        installed
    }
}
