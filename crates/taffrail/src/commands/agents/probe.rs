//! `taffrail agents external probe ID`

use serde::Serialize;
use taffrail_app::external::registry::{self, Probed};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::words::{self, AgentAnswer, SandboxAnswer};
use crate::cli::ExternalProbeArgs;
use crate::commands::Ending;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalProbeArgs) -> Ending {
    let app = invocation.open()?;
    let probed = registry::probe(&app, &args.id)?;
    if args.json {
        print_json(&invocation.output, &Envelope::Data(Answer::from(&probed)))?;
        return Ok(ExitCode::Done);
    }
    let text: String = lines(&probed, &app.config.sandbox.hosts)
        .iter()
        .map(|(name, value)| format!("{name:<14}{}\n", Shown::line(value)))
        .collect();
    invocation.output.data(text.as_bytes())?;
    Ok(ExitCode::Done)
}

fn lines(probed: &Probed, shared: &[String]) -> Vec<(&'static str, String)> {
    let entry = &probed.listed.entry;
    let answer = AgentAnswer::from(&probed.listed);
    let mut lines = vec![
        ("agent", entry.id.clone()),
        ("command", answer.command_line()),
    ];
    if let Some(Ok(version)) = &probed.listed.version {
        lines.push(("program", version.program.display().to_string()));
        lines.push(("version", words::version(&probed.listed)));
        lines.extend(
            version
                .warning
                .iter()
                .map(|warning| ("warning", warning.clone())),
        );
    }
    if matches!(probed.listed.version, Some(Err(_))) && !entry.install.is_empty() {
        lines.push(("install", entry.install.clone()));
    }
    for standing in &probed.listed.gates {
        let state = standing
            .shut
            .as_ref()
            .map_or("open".to_owned(), |fault| format!("shut: {fault}"));
        lines.push(("gate", format!("{}: {state}", standing.gate.name())));
    }
    lines.extend([
        ("sign-in files", or_none(&probed.sign_in_files)),
        ("variables", variables(probed)),
        ("sign-in", said(probed.auth_method.as_deref())),
        ("to sign in", entry.sign_in.clone()),
        ("mode", said(entry.mode.as_deref())),
        ("quirks", or_none(&entry.quirks)),
        ("hosts", hosts(&entry.hosts, shared)),
        (
            "sandbox",
            words::rung(probed.sandbox, probed.why.as_deref()),
        ),
    ]);
    lines.retain(|(_, text)| !text.is_empty());
    lines
}

/// The variables that are set; where none is, those that would be passed on.
fn variables(probed: &Probed) -> String {
    let passed = &probed.listed.entry.pass_env;
    match (probed.variables.as_slice(), passed.as_slice()) {
        ([], [_, ..]) => format!("none is set of {}", passed.join(", ")),
        (set, _) => or_none(set),
    }
}

/// Its own; where it names none, those of every command with the network, or what it means that there are none.
fn hosts(own: &[String], shared: &[String]) -> String {
    match (own, shared) {
        ([], []) => {
            "none is named: any host, by port (`hosts` of its entry, or --net off)".to_owned()
        }
        ([], _) => format!("none of its own; of `sandbox.hosts`: {}", shared.join(", ")),
        _ => own.join(", "),
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn said(value: Option<&str>) -> String {
    value.unwrap_or("its own").to_owned()
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    agent: AgentAnswer,
    sign_in_files: &'a [String],
    variables: &'a [String],
    auth_method: Option<&'a str>,
    mode: Option<&'a str>,
    hosts: &'a [String],
    sandbox: SandboxAnswer,
}

impl<'a> From<&'a Probed> for Answer<'a> {
    fn from(probed: &'a Probed) -> Self {
        Self {
            agent: AgentAnswer::from(&probed.listed),
            sign_in_files: &probed.sign_in_files,
            variables: &probed.variables,
            auth_method: probed.auth_method.as_deref(),
            mode: probed.listed.entry.mode.as_deref(),
            hosts: &probed.listed.entry.hosts,
            sandbox: SandboxAnswer::new(probed.sandbox, probed.why.as_deref()),
        }
    }
}
