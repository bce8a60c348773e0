//! How a memory is told: whole, with everything of others escaped.

use taffrail_app::memory::{Beside, Candidate};
use taffrail_domain::{Millis, Shelf, SourceRef};
use taffrail_memory::review::Decision;
use taffrail_store::{MemoryRow, TextRow};
use taffrail_text::Shown;
use taffrail_text::words::{Piece, diff};

use super::{evidence, seeds};
use crate::output::{Colour, MARGIN, Paint, ago, timestamp};

/// One line: id, type, status, whose, when.
pub fn head(paint: Paint, candidate: &Candidate, now: Millis) -> String {
    let row = &candidate.row;
    let whose = candidate.project.as_deref().unwrap_or("personal");
    let mut line = format!(
        "{}  {}  {}  {}  {}",
        paint.with(Colour::Strong, &row.id.short()),
        row.kind,
        status(row),
        Shown::line(whose),
        ago(row.inserted_at, now),
    );
    if row.shelf == Shelf::Quarantine {
        let why = candidate
            .quarantined
            .as_deref()
            .unwrap_or("came from a tool or the web");
        line.push_str(&paint.with(Colour::Warn, &format!("  quarantine: {}", Shown::line(why))));
    }
    line
}

/// The status with what a reader must know beside it.
pub fn status(row: &MemoryRow) -> String {
    let draft = if row.draft.is_some() { " + draft" } else { "" };
    let open = if row.is_open { ", open" } else { "" };
    format!("{}{draft}{open}", row.status)
}

/// The whole of it: text, where it came from, what it rests on, what stands beside it.
pub fn whole(paint: Paint, candidate: &Candidate, now: Millis) -> String {
    let row = &candidate.row;
    let mut text = format!("{}\n", head(paint, candidate, now));
    text.push_str(&body(paint, row.reviewed_text()));
    if row.draft.is_some() {
        text.push_str(&field(
            paint,
            "in force",
            &word_diff(paint, &row.text.content, &row.reviewed_text().content),
        ));
    }
    text.push_str(&origin(paint, row));
    text.push_str(&seeds::lines(paint, &candidate.seeds, now));
    for beside in &candidate.neighbours {
        text.push_str(&neighbour(paint, candidate, beside));
    }
    text
}

fn body(paint: Paint, text: &TextRow) -> String {
    let mut out = format!(
        "  {}\n",
        paint.with(Colour::Strong, Shown::line(&text.summary).as_str())
    );
    if text.content.trim() != text.summary.trim() {
        out.push_str(&indented(&text.content, MARGIN));
    }
    for (name, sentences) in [
        ("before", &text.context_before),
        ("after", &text.context_after),
    ] {
        if !sentences.is_empty() {
            out.push_str(&field(
                paint,
                name,
                Shown::line(&sentences.join(" … ")).as_ref(),
            ));
        }
    }
    for source in &text.source_refs {
        out.push_str(&field(paint, "rests on", &source_ref(source)));
    }
    for artifact in &text.artifacts {
        let line = format!("{} {}", artifact.kind, artifact.uri);
        out.push_str(&field(paint, "about", Shown::line(&line).as_str()));
    }
    out
}

fn source_ref(source: &SourceRef) -> String {
    let title = source.title.as_deref().map(|title| format!(" ({title})"));
    let line = format!(
        "{} {}{}",
        source.kind,
        source.uri,
        title.unwrap_or_default()
    );
    Shown::line(&line).to_string()
}

fn origin(paint: Paint, row: &MemoryRow) -> String {
    let mut parts = vec![
        format!("channel {}", row.channel),
        format!("provenance {}", row.first_provenance),
    ];
    let source = &row.source;
    let named = [
        ("by", Some(&source.runtime)),
        ("task", source.task.as_ref()),
        ("session", source.session.as_ref()),
        ("model", source.model.as_ref()),
        ("client", source.client.as_ref()),
    ];
    parts.extend(
        named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
            .map(|(name, value)| format!("{name} {}", Shown::line(value))),
    );
    if row.witnesses > 1 {
        parts.push(format!("said by {} independently", row.witnesses));
    }
    if let Some(confidence) = row.confidence {
        parts.push(format!("confidence {confidence:.2}"));
    }
    if let Some(after) = row.stale_after {
        parts.push(format!("stale after {}", timestamp(after)));
    }
    let mut text = field(paint, "origin", &parts.join(" · "));
    if let Some(evidence) = &row.evidence {
        for (at, line) in evidence::lines(evidence).iter().enumerate() {
            text.push_str(&field(paint, if at == 0 { "evidence" } else { "" }, line));
        }
    }
    text
}

fn neighbour(paint: Paint, candidate: &Candidate, beside: &Beside) -> String {
    let row = &beside.row;
    let head = format!(
        "{} {} ({}, {:.0} % the same words)",
        beside.letter,
        row.id.short(),
        row.status,
        beside.similarity * 100.0,
    );
    let words = word_diff(
        paint,
        &row.text.content,
        &candidate.row.reviewed_text().content,
    );
    format!(
        "{}{}",
        field(paint, "resembles", &head),
        field(paint, "", &words)
    )
}

/// Old and new in one line, what went and what came marked by brackets and, where there is colour, by colour.
pub fn word_diff(paint: Paint, old: &str, new: &str) -> String {
    diff(old, new)
        .iter()
        .map(|piece| match piece {
            Piece::Same(text) => Shown::line(text).to_string(),
            Piece::Removed(text) => {
                paint.with(Colour::Removed, &format!("[-{}-]", Shown::line(text)))
            }
            Piece::Added(text) => {
                paint.with(Colour::Added, &format!("{{+{}+}}", Shown::line(text)))
            }
        })
        .collect()
}

/// A named line of the whole.
pub fn field(paint: Paint, name: &str, value: &str) -> String {
    let name = format!("{name:<10}");
    format!("  {}{value}\n", paint.with(Colour::Place, &name))
}

/// A text of others, each line behind a margin that it cannot write itself.
pub fn indented(text: &str, margin: &str) -> String {
    text.lines()
        .map(|line| format!("{margin}{}\n", Shown::line(line)))
        .collect()
}

/// What a decision did, for one line.
pub const fn done(decision: &Decision) -> &'static str {
    match decision {
        Decision::Confirm(_) => "confirmed",
        Decision::Evidence(_) => "kept as evidence",
        Decision::Restrict(_) => "restricted",
        Decision::Reject(_) => "rejected",
        Decision::Stale(_) => "stale",
        Decision::Merge { .. } => "merged",
        Decision::Replace { .. } => "confirmed; the other one is retired",
        Decision::Edit(_) => "edited",
        Decision::Undo(_) | Decision::UndoToConfirmed(_) => "the last decision is taken back",
    }
}
