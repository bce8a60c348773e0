//! `taffrail workspace show`

use serde::Serialize;
use taffrail_app::workspaces::{self, Whole};
use taffrail_domain::{ExitCode, Millis};
use taffrail_text::Shown;

use super::Ending;
use super::words::{ProposalLine, WorkspaceLine, candidate, proposal_head};
use crate::cli::WorkspaceShowArgs;
use crate::commands::memory::evidence;
use crate::commands::memory::words::field;
use crate::output::{Colour, Envelope, Paint, ago, print_json};
use crate::startup::Invocation;

#[derive(Serialize)]
struct Wire {
    #[serde(flatten)]
    workspace: WorkspaceLine,
    /// Over the count of the same name.
    holds: Vec<ProposalLine>,
}

pub fn run(invocation: &Invocation, args: &WorkspaceShowArgs) -> Ending {
    let app = invocation.open()?;
    let whole = workspaces::whole(&app, &args.workspace)?;
    let output = &invocation.output;
    if args.json {
        let wire = Wire {
            workspace: WorkspaceLine::of(&whole.workspace),
            holds: whole.proposals.iter().map(ProposalLine::of).collect(),
        };
        print_json(output, &Envelope::Data(wire))?;
        return Ok(ExitCode::Done);
    }
    output.page(&told(output.paint(), &whole, invocation.now()))?;
    if whole.workspace.row.waiting > 0 {
        let id = whole.workspace.row.id;
        output.say(&format!("hint: taffrail workspace review {id}"));
    }
    Ok(ExitCode::Done)
}

fn told(paint: Paint, whole: &Whole, now: Millis) -> String {
    let row = &whole.workspace.row;
    let whose = whole.workspace.project.as_deref().unwrap_or("personal");
    let mut text = format!(
        "{}  {}  {}  made {}, {} to review\n  {}\n",
        paint.with(Colour::Strong, &row.id.short()),
        row.status,
        Shown::line(whose),
        ago(row.created_at, now),
        row.waiting,
        paint.with(Colour::Strong, Shown::line(&row.title).as_str()),
    );
    for proposal in &whole.proposals {
        text.push('\n');
        text.push_str(&proposal_head(paint, proposal, now));
        let kept = proposal.row.evidence.as_deref().map(evidence::of_git);
        for (at, line) in kept.unwrap_or_default().iter().enumerate() {
            text.push_str(&field(paint, if at == 0 { "evidence" } else { "" }, line));
        }
        for one in &proposal.candidates {
            text.push_str(&candidate(paint, one));
        }
    }
    text
}
