//! `taffrail agents external list`

use std::collections::BTreeSet;

use serde::Serialize;
use taffrail_app::external::gates::GateFault;
use taffrail_app::external::registry::{self, Listing};
use taffrail_config::Transport;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::words::{self, AgentAnswer, SandboxAnswer};
use crate::cli::ExternalListArgs;
use crate::commands::Ending;
use crate::output::{Envelope, Table, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalListArgs) -> Ending {
    let app = invocation.open()?;
    let listing = registry::list(&app, !args.no_probe);
    if args.json {
        let answer = Answer {
            agents: listing.agents.iter().map(AgentAnswer::from).collect(),
            sandbox: SandboxAnswer::new(listing.sandbox, listing.why.as_deref()),
        };
        print_json(&invocation.output, &Envelope::Data(answer))?;
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["agent", "transport", "version", "gates"]);
    for listed in &listing.agents {
        table.row([
            listed.entry.id.clone(),
            listed
                .entry
                .transport
                .map_or("-", Transport::name)
                .to_owned(),
            words::version(listed),
            words::gates(listed),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    remarks(invocation, &listing);
    Ok(ExitCode::Done)
}

/// Why gates are shut, each reason once; warnings; the sandbox.
fn remarks(invocation: &Invocation, listing: &Listing) {
    let gates = listing.agents.iter().flat_map(|listed| &listed.gates);
    let mut told = BTreeSet::new();
    for standing in gates {
        // What is not installed the table says.
        let Some(fault) = standing.shut.as_ref().filter(|fault| !is_missing(fault)) else {
            continue;
        };
        let why = fault.to_string();
        if told.insert(why.clone()) {
            let line = format!("{}: {}", standing.gate.name(), Shown::line(&why));
            invocation.output.say(&line);
        }
    }
    for listed in &listing.agents {
        if let Some(Ok(version)) = &listed.version
            && let Some(warning) = &version.warning
        {
            invocation
                .output
                .say(&format!("warning: {}", Shown::line(warning)));
        }
    }
    let sandbox = words::rung(listing.sandbox, listing.why.as_deref());
    let line = format!("sandbox: {}", Shown::line(&sandbox));
    invocation.output.say(&line);
}

fn is_missing(fault: &GateFault) -> bool {
    matches!(fault, GateFault::Missing { .. })
}

#[derive(Serialize)]
struct Answer {
    agents: Vec<AgentAnswer>,
    sandbox: SandboxAnswer,
}
