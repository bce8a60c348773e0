//! `taffrail workspace bind`

use serde::Serialize;
use taffrail_app::AppError;
use taffrail_app::workspaces::{self, Bound, Target};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use super::words::named;
use crate::cli::BindArgs;
use crate::failure::Failure;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

#[derive(Serialize)]
struct Wire {
    unbound: String,
    workspace: String,
    title: String,
    made: bool,
    bound: Vec<ProposalWire>,
}

#[derive(Serialize)]
struct ProposalWire {
    proposal: String,
    kind: &'static str,
    candidates: u64,
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    seed: String,
    reason: String,
}

pub fn run(invocation: &Invocation, args: &BindArgs) -> Ending {
    let target = match (&args.workspace, &args.new) {
        (Some(workspace), _) => Target::Named(workspace),
        (None, Some(title)) => Target::New(title),
        (None, None) => Target::Only,
    };
    let app = invocation.open()?;
    let bound = workspaces::bind(&app, &args.unbound, target)
        .map_err(|error| unclear(error, &args.unbound))?;
    match args.json {
        true => print_json(&invocation.output, &Envelope::Data(wire(&bound)))?,
        false => tell(invocation, &bound),
    }
    Ok(ExitCode::Done)
}

/// Where no workspace is named and it takes one, the help is how to name one.
fn unclear(error: AppError, unbound: &str) -> Failure {
    let hint = match &error {
        AppError::WorkspaceUnclear { active: 0 } => "--new TITLE",
        AppError::WorkspaceUnclear { .. } => "WORKSPACE",
        _ => return error.into(),
    };
    let unbound = Shown::line(unbound);
    Failure::from(error).hinting(format!("taffrail workspace bind {unbound} {hint}"))
}

fn wire(bound: &Bound) -> Wire {
    let proposals = bound.closure.proposals.iter();
    Wire {
        unbound: bound.unbound.short(),
        workspace: bound.workspace.row.id.short(),
        title: bound.workspace.row.title.clone(),
        made: bound.is_new,
        bound: proposals
            .map(|proposal| ProposalWire {
                proposal: proposal.id.short(),
                kind: proposal.kind.name(),
                candidates: proposal.candidates,
                refused: refused(&proposal.blocked),
            })
            .collect(),
    }
}

fn refused(blocked: &[(String, String)]) -> Vec<Refused> {
    let wire = |(seed, reason): &(String, String)| Refused {
        seed: seed.clone(),
        reason: reason.clone(),
    };
    blocked.iter().map(wire).collect()
}

fn tell(invocation: &Invocation, bound: &Bound) {
    let output = &invocation.output;
    let made = if bound.is_new { ", made now" } else { "" };
    output.say(&format!(
        "{} is bound to {}{made}",
        bound.unbound,
        named(&bound.workspace)
    ));
    for proposal in &bound.closure.proposals {
        let (id, kind, count) = (proposal.id, proposal.kind, proposal.candidates);
        output.say(&format!("{id}: {count} {kind}"));
        for (seed, reason) in &proposal.blocked {
            let (seed, reason) = (Shown::line(seed), Shown::line(reason));
            output.say(&format!("refused: {seed}: {reason}"));
        }
    }
    let id = bound.workspace.row.id;
    output.say(&format!("hint: taffrail workspace review {id}"));
}
