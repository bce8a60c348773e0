//! `taffrail memory show`

use serde::Serialize;
use taffrail_app::memory::{Candidate, queue, seals};
use taffrail_domain::{Artifact, ExitCode, Source, SourceRef};
use taffrail_store::{ReviewRow, TextRow};
use taffrail_text::Shown;

use super::{Ending, seeds, words};
use crate::cli::ShowArgs;
use crate::output::{Envelope, Moment, Paint, print_json, timestamp};
use crate::startup::Invocation;

/// A memory for scripts.
#[derive(Serialize)]
pub struct Memory {
    memory: String,
    r#type: &'static str,
    status: &'static str,
    lifecycle: &'static str,
    shelf: &'static str,
    channel: &'static str,
    provenance: &'static str,
    first_provenance: &'static str,
    project: Option<String>,
    slate_kind: Option<String>,
    open: bool,
    can_use_as_instruction: bool,
    can_use_as_evidence: bool,
    requires_user_confirmation: bool,
    do_not_inject_automatically: bool,
    text: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<Text>,
    confidence: Option<f64>,
    witnesses: u64,
    source: Source,
    retired_by: Option<String>,
    created: Moment,
    confirmed: Option<Moment>,
    stale_after: Option<Moment>,
    version: u64,
}

#[derive(Serialize)]
struct Text {
    revision: u64,
    summary: String,
    content: String,
    source_refs: Vec<SourceRef>,
    artifacts: Vec<Artifact>,
    hash: String,
}

impl Memory {
    /// What is on record, without hashes of keys and seals.
    pub fn of(candidate: &Candidate) -> Self {
        let row = &candidate.row;
        Self {
            memory: row.id.short(),
            r#type: row.kind.name(),
            status: row.status.name(),
            lifecycle: row.lifecycle.name(),
            shelf: row.shelf.name(),
            channel: row.channel.name(),
            provenance: row.provenance.name(),
            first_provenance: row.first_provenance.name(),
            project: candidate.project.clone(),
            slate_kind: row.slate_kind.clone(),
            open: row.is_open,
            can_use_as_instruction: row.bits.can_use_as_instruction,
            can_use_as_evidence: row.bits.can_use_as_evidence,
            requires_user_confirmation: row.bits.requires_user_confirmation,
            do_not_inject_automatically: row.bits.do_not_inject_automatically,
            text: Text::of(&row.text),
            draft: row.draft.as_ref().map(Text::of),
            confidence: row.confidence,
            witnesses: row.witnesses,
            source: row.source.clone(),
            retired_by: row.retired_by.map(|id| id.short()),
            created: row.created_at.into(),
            confirmed: row.confirmed_at.map(Moment),
            stale_after: row.stale_after.map(Moment),
            version: row.version,
        }
    }
}

impl Text {
    fn of(text: &TextRow) -> Self {
        Self {
            revision: text.revision,
            summary: text.summary.clone(),
            content: text.content.clone(),
            source_refs: text.source_refs.clone(),
            artifacts: text.artifacts.clone(),
            hash: text.hash.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    memory: Memory,
    seal: &'static str,
    evidence: Option<serde_json::Value>,
    seeds: Vec<seeds::Wire>,
    neighbours: Vec<Near>,
    reviews: Vec<Review>,
}

#[derive(Serialize)]
struct Near {
    memory: String,
    similarity: f64,
}

#[derive(Serialize)]
struct Review {
    action: &'static str,
    surface: String,
    other: Option<String>,
    notes: Option<String>,
    entry: u64,
    undone: bool,
    at: Moment,
}

pub fn run(invocation: &Invocation, args: &ShowArgs) -> Ending {
    let app = invocation.open()?;
    let candidate = queue::find(&app, &args.memory)?;
    let history = app
        .store
        .memory_history(&candidate.row.id)
        .map_err(taffrail_app::AppError::from)?;
    let seal = seal(&app, &candidate)?;
    if args.json {
        let whole = Whole {
            memory: Memory::of(&candidate),
            seal,
            evidence: evidence(&candidate),
            seeds: seeds::wires(&candidate.seeds),
            neighbours: candidate
                .neighbours
                .iter()
                .map(|beside| Near {
                    memory: beside.row.id.short(),
                    similarity: beside.similarity,
                })
                .collect(),
            reviews: history.reviews.iter().map(review).collect(),
        };
        print_json(&invocation.output, &Envelope::Data(whole))?;
        return Ok(ExitCode::Done);
    }
    let paint = invocation.output.paint();
    let mut text = words::whole(paint, &candidate, invocation.now());
    text.push_str(&words::field(paint, "seal", seal));
    history
        .reviews
        .iter()
        .for_each(|row| text.push_str(&line(paint, row)));
    invocation.output.page(&text)?;
    Ok(ExitCode::Done)
}

/// As it is kept; as a text where masks broke its form.
fn evidence(candidate: &Candidate) -> Option<serde_json::Value> {
    let kept = candidate.row.evidence.as_ref()?;
    let read = serde_json::from_str(kept);
    Some(read.unwrap_or_else(|_| serde_json::Value::String(kept.clone())))
}

fn seal(
    app: &taffrail_app::App,
    candidate: &Candidate,
) -> Result<&'static str, taffrail_app::AppError> {
    if !candidate.row.bits.can_use_as_instruction {
        return Ok("none: it may not instruct");
    }
    let (sealed, unsealed) = seals::checker(app).check(app, &[candidate.row.id])?;
    let why = unsealed.get(&candidate.row.id).map(|fault| fault.why());
    Ok(if sealed.is_empty() {
        why.unwrap_or("none")
    } else {
        "verifies"
    })
}

fn review(row: &ReviewRow) -> Review {
    Review {
        action: row.action.name(),
        surface: row.surface.clone(),
        other: row.other.map(|id| id.short()),
        notes: row.notes.clone(),
        entry: row.entry,
        undone: row.undone,
        at: row.at.into(),
    }
}

fn line(paint: Paint, row: &ReviewRow) -> String {
    let other = row.other.map(|id| format!(" {id}")).unwrap_or_default();
    let notes = row
        .notes
        .as_deref()
        .map(|notes| format!(": {}", Shown::line(notes)))
        .unwrap_or_default();
    let undone = if row.undone { " (taken back)" } else { "" };
    let value = format!(
        "{} {}{other} on the {}, entry {}{notes}{undone}",
        timestamp(row.at),
        row.action,
        row.surface,
        row.entry
    );
    words::field(paint, "review", &value)
}
