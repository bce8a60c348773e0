//! What `list` and `probe` say of an agent, for people and for scripts.

use serde::Serialize;
use taffrail_app::external::events::Decided;
use taffrail_app::external::gates::{GateFault, Standing};
use taffrail_app::external::registry::Listed;
use taffrail_config::Transport;
use taffrail_domain::{Ground, Rung, Verdict};
use taffrail_text::Shown;

/// One agent for scripts.
#[derive(Serialize)]
pub struct AgentAnswer {
    id: String,
    transport: Option<&'static str>,
    command: Vec<String>,
    installed: Option<bool>,
    program: Option<String>,
    version: Option<String>,
    warning: Option<String>,
    open: bool,
    gates: Vec<GateAnswer>,
    quirks: Vec<&'static str>,
}

/// One gate for scripts.
#[derive(Serialize)]
struct GateAnswer {
    gate: &'static str,
    open: bool,
    code: Option<&'static str>,
    why: Option<String>,
}

/// How far a run would be contained.
#[derive(Serialize)]
pub struct SandboxAnswer {
    rung: &'static str,
    why: Option<String>,
}

impl SandboxAnswer {
    pub fn new(rung: Rung, why: Option<&str>) -> Self {
        Self {
            rung: rung.name(),
            why: why.map(str::to_owned),
        }
    }
}

impl AgentAnswer {
    /// The command and its arguments, for people.
    pub fn command_line(&self) -> String {
        self.command.join(" ")
    }
}

impl From<&Listed> for AgentAnswer {
    fn from(listed: &Listed) -> Self {
        let entry = &listed.entry;
        let version = listed.version.as_ref();
        let found = version.and_then(|version| version.as_ref().ok());
        let command = std::iter::once(&entry.command).chain(&entry.args);
        Self {
            id: entry.id.clone(),
            transport: entry.transport.map(Transport::name),
            command: command.cloned().collect(),
            installed: version.map(Result::is_ok),
            program: found.map(|found| found.program.display().to_string()),
            version: found.and_then(|found| found.found.clone()),
            warning: warning(listed),
            open: listed.gates.iter().all(|gate| gate.shut.is_none()),
            gates: listed.gates.iter().map(GateAnswer::from).collect(),
            quirks: entry.quirks().map(|quirk| quirk.name()).collect(),
        }
    }
}

impl From<&Standing> for GateAnswer {
    fn from(standing: &Standing) -> Self {
        let shut = standing.shut.as_ref();
        Self {
            gate: standing.gate.name(),
            open: shut.is_none(),
            code: shut.map(|fault| fault.code().row().name),
            why: shut.map(ToString::to_string),
        }
    }
}

/// What is to be known of the program: not there, not to be started, or another version than was tested.
pub fn warning(listed: &Listed) -> Option<String> {
    match listed.version.as_ref()? {
        Ok(version) => version.warning.clone(),
        Err(fault) => Some(fault.to_string()),
    }
}

/// The version for the table.
pub fn version(listed: &Listed) -> String {
    match &listed.version {
        None => "not asked".to_owned(),
        Some(Err(GateFault::Missing { .. })) => "not installed".to_owned(),
        Some(Err(_)) => "not asked".to_owned(),
        Some(Ok(version)) => match &version.found {
            Some(found) => Shown::line(found).to_string(),
            None => "unknown".to_owned(),
        },
    }
}

/// The gates for the table: open, or the names of the shut ones.
pub fn gates(listed: &Listed) -> String {
    let shut = listed.gates.iter().filter(|gate| gate.shut.is_some());
    let shut: Vec<&str> = shut.map(|gate| gate.gate.name()).collect();
    if shut.is_empty() {
        "open".to_owned()
    } else {
        format!("shut: {}", shut.join(", "))
    }
}

/// What a verdict rests on, for people.
pub fn ground(name: &str) -> &str {
    match name.parse() {
        Ok(Ground::Policy) => "by the policy",
        Ok(Ground::Grant) => "every edit was allowed before",
        Ok(Ground::SameEdit) => "the edit that was just allowed",
        Ok(Ground::Unattended) => "unattended: nobody is asked",
        Ok(Ground::Timeout) => "nobody answered in time",
        Ok(Ground::Human) => "a person said so",
        Ok(Ground::NoAllowOption) => "it offered no way to allow it once",
        Ok(Ground::Cancelled) => "the turn was cancelled",
        Ok(Ground::Unfit) => "it did not fit",
        Err(_) => name,
    }
}

/// What made the policy refuse, where that is more than its table: a rule, a floor, a run that may not write, a fetch.
pub fn why(decided: &Decided) -> Option<&str> {
    if decided.ground != Ground::Policy.name() || decided.verdict != Verdict::Refused.name() {
        return None;
    }
    let mut reasons = decided.reasons.iter().map(String::as_str);
    let decides = |reason: &&str| {
        let begins = |word: &&str| reason.starts_with(word);
        ["this run", "rule", "managed-state", "network"]
            .iter()
            .any(begins)
    };
    reasons.find(decides)
}

/// A text in which paths of the checkout are told as the project knows them.
pub fn beneath(text: &str, checkout: Option<&String>) -> String {
    match checkout.filter(|checkout| !checkout.is_empty()) {
        Some(checkout) => text.replace(&format!("{checkout}/"), ""),
        None => text.to_owned(),
    }
}

/// How far the sandbox reaches, and why not further.
pub fn rung(rung: Rung, why: Option<&str>) -> String {
    match why {
        Some(why) => format!("{}: {why}", rung.name()),
        None => rung.name().to_owned(),
    }
}
