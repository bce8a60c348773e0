//! `taffrail memory blame`: where a memory went, and taking it back from there on (REC-07).

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::memory::{Candidate, Reviewer, queue};
use taffrail_app::traces::{self, Blame};
use taffrail_domain::ExitCode;
use taffrail_memory::review::{Decision, Key as KeyPress, Surface};
use taffrail_store::{Derived, Reached, TraceOutcome};
use taffrail_text::Shown;

use super::review::require_person;
use super::why::{Head, head, turn};
use super::{Ending, words};
use crate::cli::BlameArgs;
use crate::output::{Colour, Envelope, Key, Paint, ago, ask_key, print_json};
use crate::startup::Invocation;

#[derive(Serialize)]
struct Wire {
    memory: String,
    status: &'static str,
    reached: Vec<WireReached>,
    derived: Vec<WireDerived>,
}

#[derive(Serialize)]
struct WireReached {
    #[serde(flatten)]
    trace: Head,
    place: u32,
    revision: u64,
    score: f64,
    outcome: &'static str,
}

#[derive(Serialize)]
struct WireDerived {
    memory: String,
    distance: u32,
    status: &'static str,
    summary: Option<String>,
}

pub fn run(invocation: &Invocation, args: &BlameArgs) -> Ending {
    if args.retract.is_some() {
        require_person(invocation)?;
    }
    let app = invocation.open()?;
    let blame = traces::blame(&app, &args.memory)?;
    if args.json {
        print_json(&invocation.output, &Envelope::Data(wire(&blame)))?;
        return Ok(ExitCode::Done);
    }
    let text = told(invocation, &blame);
    invocation.output.data(text.as_bytes())?;
    match &args.retract {
        Some(derived) => retract(invocation, &app, &blame, derived),
        None => Ok(ExitCode::Done),
    }
}

fn told(invocation: &Invocation, blame: &Blame) -> String {
    let paint = invocation.output.paint();
    let row = &blame.memory;
    let mut text = format!(
        "{}  {}  {}\n",
        paint.with(Colour::Strong, &row.id.short()),
        row.status,
        Shown::line(&row.text.summary),
    );
    let given = blame
        .reached
        .iter()
        .filter(|reached| reached.outcome == TraceOutcome::Given);
    text += &format!(
        "  given in {} of {} kept recalls that considered it\n",
        given.count(),
        blame.reached.len()
    );
    for reached in &blame.reached {
        text += &line(paint, reached, &ago(reached.trace.at, invocation.now()));
    }
    text += &format!("  {} derived from it\n", blame.derived.len());
    for derived in &blame.derived {
        text += &derived_line(derived);
    }
    text
}

fn line(paint: Paint, reached: &Reached, when: &str) -> String {
    let outcome = match reached.outcome {
        TraceOutcome::Given => paint.with(Colour::Warn, "given"),
        _ => reached.outcome.name().to_owned(),
    };
    let trace = &reached.trace;
    format!(
        "  {}  {when}  {}  {outcome} at {}  {}\n",
        trace.id,
        turn(trace),
        reached.place + 1,
        Shown::line(&trace.query),
    )
}

fn derived_line(derived: &Derived) -> String {
    let summary = derived.summary.as_deref().unwrap_or("(purged)");
    format!(
        "  {}  {}  {} step(s)  {}\n",
        derived.memory,
        derived.status,
        derived.distance,
        Shown::line(summary)
    )
}

/// Shows every one whole, then asks once: all of them are rejected together, or none.
fn retract(invocation: &Invocation, app: &App, blame: &Blame, derived: &[String]) -> Ending {
    let reviewer = Reviewer::open(app)?;
    let mut chosen = vec![queue::find(app, &blame.memory.id.short())?];
    for name in derived {
        let candidate = queue::find(app, name)?;
        if chosen.iter().all(|other| other.row.id != candidate.row.id) {
            chosen.push(candidate);
        }
    }
    show(invocation, &chosen)?;
    let question = match chosen.len() {
        1 => "[x] reject it; any other key leaves it as it is".to_owned(),
        many => format!("[x] reject these {many}; any other key leaves them as they are"),
    };
    if ask_key(&invocation.output, &question)? != Key::Char('x') {
        invocation.output.say("nothing was changed");
        return Ok(ExitCode::Failure);
    }
    let decision = Decision::Reject(KeyPress::pressed(Surface::Terminal));
    let notes = format!("retracted with {}", blame.memory.id);
    reviewer.decide(&chosen, decision, Some(&notes))?;
    for candidate in &chosen {
        invocation
            .output
            .say(&format!("{}: rejected", candidate.row.id));
    }
    Ok(ExitCode::Done)
}

fn show(invocation: &Invocation, chosen: &[Candidate]) -> Result<(), crate::failure::Failure> {
    for candidate in chosen {
        let text = words::whole(invocation.output.paint(), candidate, invocation.now());
        invocation.output.page(&format!("\n{text}"))?;
    }
    Ok(())
}

fn wire(blame: &Blame) -> Wire {
    let reached = blame.reached.iter().map(|reached| WireReached {
        trace: head(&reached.trace),
        place: reached.place,
        revision: reached.revision,
        score: reached.score,
        outcome: reached.outcome.name(),
    });
    let derived = blame.derived.iter().map(|derived| WireDerived {
        memory: derived.memory.short(),
        distance: derived.distance,
        status: derived.status.name(),
        summary: derived.summary.clone(),
    });
    Wire {
        memory: blame.memory.id.short(),
        status: blame.memory.status.name(),
        reached: reached.collect(),
        derived: derived.collect(),
    }
}
