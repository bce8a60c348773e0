//! `taffrail workspace catch-up`: what waits for a person, each group apart, each with the command that goes on with it.

use serde::Serialize;
use taffrail_app::workspaces::{
    self, BlockedSeed, CatchUp, ProposalView, Span, UnboundSeed, UnboundView,
};
use taffrail_domain::{ExitCode, Millis};
use taffrail_text::Shown;

use super::Ending;
use super::words::{
    ProposalLine, SUMMARY, TITLE, WorkspaceLine, candidate, counted, proposal_head,
};
use crate::cli::CatchUpArgs;
use crate::commands::memory::seeds::{Said, closed, who};
use crate::commands::memory::words::field;
use crate::output::{Colour, Envelope, Moment, Paint, ago, print_json};
use crate::startup::Invocation;

/// Seeds of one unbound candidate that a person is shown; JSON has all.
const SHOWN_SEEDS: usize = 5;

pub fn run(invocation: &Invocation, args: &CatchUpArgs) -> Ending {
    let span = match (&args.workspace, args.all_projects) {
        (Some(workspace), _) => Span::Workspace(workspace),
        (None, true) => Span::Everywhere,
        (None, false) => Span::Here,
    };
    let app = invocation.open()?;
    let found = workspaces::catch_up(&app, span)?;
    let output = &invocation.output;
    if args.json {
        print_json(output, &Envelope::Data(wire(&found)))?;
        return Ok(ExitCode::Done);
    }
    if found.is_empty() {
        output.say("nothing waits for you here");
        if span == Span::Here {
            output.say("hint: taffrail workspace catch-up --all-projects");
        }
        return Ok(ExitCode::Done);
    }
    output.page(&told(output.paint(), &found, invocation.now()))?;
    Ok(ExitCode::Done)
}

fn told(paint: Paint, found: &CatchUp, now: Millis) -> String {
    let mut text = String::new();
    let groups: [(&str, Vec<String>); 3] = [
        (
            "to review",
            each(&found.proposals, |one| proposal(paint, one, now)),
        ),
        (
            "refused by the guardrails",
            each(&found.blocked, |one| refused(paint, one, now)),
        ),
        (
            "of no workspace",
            each(&found.unbound, |one| unbound(paint, one, now)),
        ),
    ];
    for (name, items) in groups {
        if items.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}\n", paint.with(Colour::Place, name)));
        text.push_str(&items.concat());
    }
    text
}

fn each<T>(items: &[T], told: impl Fn(&T) -> String) -> Vec<String> {
    items.iter().map(told).collect()
}

fn proposal(paint: Paint, view: &ProposalView, now: Millis) -> String {
    let mut text = proposal_head(paint, view, now);
    let title = Shown::line(&view.row.title).truncated(TITLE);
    let whose = of(view.project.as_deref());
    let workspace = format!("{} {title}, {whose}", view.row.workspace);
    text.push_str(&field(paint, "workspace", &workspace));
    let waiting = view.candidates.iter().filter(|one| one.row.waits());
    text.extend(waiting.map(|one| candidate(paint, one)));
    let next = format!("taffrail workspace review {}", view.row.id);
    text + &field(paint, "next", &next)
}

fn refused(paint: Paint, seed: &BlockedSeed, now: Millis) -> String {
    let id = seed.seed.as_deref().unwrap_or("a seed");
    let (slate, generation) = &seed.slate;
    let head = format!(
        "{}  {}  {}  from {} generation {generation}\n",
        Shown::line(id),
        seed.kind,
        ago(seed.at, now),
        Shown::line(slate),
    );
    let next = format!("taffrail workspace show {}", seed.workspace);
    head + &field(paint, "because", Shown::line(&seed.reason).as_str())
        + &field(paint, "next", &next)
}

fn unbound(paint: Paint, view: &UnboundView, now: Millis) -> String {
    let row = &view.row;
    let mut text = format!(
        "{}  {}  {}\n",
        paint.with(Colour::Strong, &row.id.short()),
        counted(&view.kinds()),
        ago(row.created_at, now),
    );
    let slate = format!(
        "{} generation {}, {}, {} by {}",
        Shown::line(&row.external_id),
        row.generation,
        of(view.project.as_deref()),
        closed(row.trigger).trim_end_matches(','),
        who(view.seeds.first().map(|seed| &seed.facts)),
    );
    text.push_str(&field(paint, "slate", &slate));
    for seed in view.seeds.iter().take(SHOWN_SEEDS) {
        let says = Shown::line(&seed.text).truncated(SUMMARY);
        text.push_str(&field(paint, "seed", &format!("{}: {says}", seed.kind)));
    }
    let more = view.seeds.len().saturating_sub(SHOWN_SEEDS);
    if more > 0 {
        text.push_str(&field(paint, "", &format!("and {more} more")));
    }
    let next = format!("taffrail workspace bind {}{}", row.id, target(view.active));
    text.push_str(&field(paint, "next", &next));
    let or = format!("taffrail workspace dismiss {}", row.id);
    text + &field(paint, "or", &or)
}

/// `of shop`, as `workspace create` says it.
fn of(project: Option<&str>) -> String {
    project.map_or_else(
        || "personal".to_owned(),
        |project| format!("of {}", Shown::line(project)),
    )
}

/// What a person must add; nothing where there is one workspace only.
const fn target(active: usize) -> &'static str {
    match active {
        0 => " --new TITLE",
        1 => "",
        _ => " WORKSPACE",
    }
}

#[derive(Serialize)]
struct Wire {
    workspace: Option<WorkspaceLine>,
    proposals: Vec<ProposalLine>,
    blocked: Vec<BlockedWire>,
    unbound: Vec<UnboundWire>,
}

#[derive(Serialize)]
struct BlockedWire {
    proposal: String,
    workspace: String,
    slate: String,
    generation: u32,
    seed: Option<String>,
    kind: &'static str,
    reason: String,
    at: Moment,
}

#[derive(Serialize)]
struct UnboundWire {
    unbound: String,
    project: Option<String>,
    slate: String,
    generation: u32,
    trigger: &'static str,
    created: Moment,
    summary: String,
    anchors: serde_json::Value,
    seeds: Vec<SeedWire>,
}

#[derive(Serialize)]
struct SeedWire {
    kind: &'static str,
    text: String,
    #[serde(flatten)]
    said: Said,
}

fn wire(found: &CatchUp) -> Wire {
    Wire {
        workspace: found.workspace.as_ref().map(WorkspaceLine::of),
        proposals: found.proposals.iter().map(ProposalLine::of).collect(),
        blocked: found.blocked.iter().map(blocked_wire).collect(),
        unbound: found.unbound.iter().map(unbound_wire).collect(),
    }
}

fn blocked_wire(seed: &BlockedSeed) -> BlockedWire {
    BlockedWire {
        proposal: seed.proposal.clone(),
        workspace: seed.workspace.clone(),
        slate: seed.slate.0.clone(),
        generation: seed.slate.1,
        seed: seed.seed.clone(),
        kind: seed.kind.name(),
        reason: seed.reason.clone(),
        at: seed.at.into(),
    }
}

fn unbound_wire(view: &UnboundView) -> UnboundWire {
    let row = &view.row;
    UnboundWire {
        unbound: row.id.short(),
        project: view.project.clone(),
        slate: row.external_id.clone(),
        generation: row.generation,
        trigger: row.trigger.name(),
        created: row.created_at.into(),
        summary: counted(&view.kinds()),
        anchors: serde_json::from_str(&row.anchors).unwrap_or_default(),
        seeds: view.seeds.iter().map(seed_wire).collect(),
    }
}

fn seed_wire(seed: &UnboundSeed) -> SeedWire {
    SeedWire {
        kind: seed.kind.name(),
        text: seed.text.clone(),
        said: Said::of(Some(&seed.facts)),
    }
}
