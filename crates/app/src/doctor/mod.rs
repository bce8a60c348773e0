//! `taffrail doctor`: what holds on this machine, each finding with a fix (STO-10).
//!
//! Looks only: no directory is made, no database migrated, nothing swept. The one thing it starts is the trial of the
//! sandbox and `git --version`.

mod checks;
mod keeping;
mod repair;
mod slates;

pub use repair::repair;
use taffrail_store::{Home, Peek};

use crate::context::{find_home, home_inputs, read_config};
use crate::{AppError, AppInputs};

/// How a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// As it should be.
    Good,
    /// Works, with less than it could have.
    Warning,
    /// Does not work.
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// What was looked at, a stable name: `home`, `database`, `git`, `sandbox` …
    pub about: &'static str,
    /// How it weighs.
    pub weight: Weight,
    /// What was seen.
    pub saw: String,
    /// What helps; empty where all is good.
    pub fix: String,
}

/// Looks at everything.
pub fn examine(inputs: &AppInputs) -> Vec<Finding> {
    let mut findings = Vec::new();
    match find_home(inputs) {
        Ok(home) => of_home(inputs, &home, &mut findings),
        Err(error) => findings.push(bad(
            "home",
            &error,
            "set TAFFRAIL_HOME to a folder of your own with mode 0700",
        )),
    }
    findings.push(checks::git(inputs));
    findings
}

fn of_home(inputs: &AppInputs, home: &Home, findings: &mut Vec<Finding>) {
    findings.push(checks::home(home));
    findings.extend(keeping::modes(home));
    if home.root().is_dir() {
        findings.extend(keeping::disk(home));
    }
    findings.extend(checks::ignored_homes(taffrail_store::Home::resolve(
        &home_inputs(inputs),
    )));
    match Peek::open(home) {
        Ok(Some(peek)) => {
            findings.extend(checks::database(&peek));
            if peek
                .schema()
                .is_ok_and(|state| state.problem.is_none() && state.found == state.known)
            {
                findings.extend(keeping::records(&peek, home));
            }
        }
        Ok(None) => findings.push(good(
            "database",
            "none yet: it is made together with the home".into(),
        )),
        Err(error) => findings.push(bad(
            "database",
            &error.into(),
            "restore a copy from the home's backups/",
        )),
    }
    findings.extend(slates::files(home));
    findings.extend(crate::secrets::findings(inputs));
    match read_config(inputs, home) {
        Ok(config) => {
            findings.push(good(
                "config",
                format!("{} is understood", home.config().display()),
            ));
            findings.extend(checks::rules(&config));
            findings.extend(checks::sandbox(inputs, &config));
            findings.extend(checks::agents(inputs, &config));
        }
        Err(error) => findings.push(bad("config", &error, "taffrail config edit")),
    }
}

pub(super) fn good(about: &'static str, saw: String) -> Finding {
    Finding {
        about,
        weight: Weight::Good,
        saw,
        fix: String::new(),
    }
}

pub(super) fn warning(about: &'static str, saw: String, fix: &str) -> Finding {
    Finding {
        about,
        weight: Weight::Warning,
        saw,
        fix: fix.to_owned(),
    }
}

pub(super) fn bad(about: &'static str, error: &AppError, fix: &str) -> Finding {
    Finding {
        about,
        weight: Weight::Bad,
        saw: error.to_string(),
        fix: fix.to_owned(),
    }
}
