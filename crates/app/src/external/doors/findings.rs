//! What a result document says was found, as candidates for the memory: pending, like everything that an agent writes.

use taffrail_domain::{Channel, MemoryType, RunId, Source, SourceRef};
use taffrail_memory::draft::{CONTENT_LIMIT, Draft, FIELD_LIMIT, SUMMARY_LIMIT, Scope};
use taffrail_slate::external::Origin;
use taffrail_store::Outcome;

use crate::external::result::{Finding, ResultDocument};
use crate::memory::{evidence_of_run, write};
use crate::{App, AppError};

/// Findings of one run that become candidates: a person reads each of them.
pub const FINDINGS_LIMIT: usize = 50;
/// Stands where something was cut.
const CUT: &str = "…";

/// What became of the findings of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proposed {
    /// New candidates.
    pub new: u64,
    /// Findings that were there already.
    pub repeats: u64,
    /// Findings that the guardrails refused; the journal has why.
    pub blocked: u64,
    /// Findings without a text, and those beyond [`FINDINGS_LIMIT`].
    pub left_out: u64,
}

/// Writes the findings down as pending candidates of the run's project; what the run changed stands beside them as evidence,
/// where it is on record already.
///
/// # Errors
/// What the store can give.
pub fn propose_findings(
    app: &App,
    run: &RunId,
    agent: &str,
    document: &ResultDocument,
) -> Result<Proposed, AppError> {
    let told = document.findings.iter().enumerate();
    let told = told.filter(|(_, finding)| !finding.problem.trim().is_empty());
    let mut proposed = Proposed::default();
    let learnt = Learnt::of(app, run, agent)?;
    let drafts: Vec<Draft> = told
        .take(FINDINGS_LIMIT)
        .map(|(at, finding)| learnt.draft(app, at, finding))
        .collect();
    proposed.left_out = (document.findings.len() - drafts.len()) as u64;
    for answer in write::write_all(app, drafts)? {
        match answer.map(|written| written.outcome) {
            Ok(Outcome::New) => proposed.new += 1,
            Ok(Outcome::Repeat { .. }) => proposed.repeats += 1,
            Err(_) => proposed.blocked += 1,
        }
    }
    Ok(proposed)
}

/// What every draft of one run shares.
struct Learnt {
    scope: Scope,
    run: String,
    source: Source,
    evidence: Option<String>,
}

impl Learnt {
    fn of(app: &App, run: &RunId, agent: &str) -> Result<Self, AppError> {
        let project = app.current_project()?;
        let run = run.short();
        Ok(Self {
            scope: project.map_or(Scope::Personal, |row| Scope::Project(row.id)),
            source: Source {
                runtime: format!("{}{agent}", Origin::RUN),
                session: Some(run.clone()),
                ..Source::default()
            },
            // A run that is not on record has nothing to rest on.
            evidence: evidence_of_run(app, &run)
                .ok()
                .map(|facts| facts.to_string()),
            run,
        })
    }

    fn draft(&self, app: &App, at: usize, finding: &Finding) -> Draft {
        // Masked before anything is cut: half of a secret would not be known for one.
        let clean = |text: &str| app.redactor.clean(text).into_string();
        let (kind, is_open) = kind(&finding.severity);
        let content = cut(&clean(&text(finding)), CONTENT_LIMIT);
        let mut draft = Draft::new(self.scope, kind, content, Channel::External);
        draft.summary = Some(cut(&clean(finding.problem.trim()), SUMMARY_LIMIT));
        draft.is_open = is_open;
        draft.is_redacted = true;
        draft.source = self.source.clone();
        draft.evidence.clone_from(&self.evidence);
        draft.source_refs = vec![SourceRef {
            kind: "finding".to_owned(),
            uri: format!("run:{}/findings/{at}", self.run),
            title: (!finding.id.is_empty()).then(|| cut(&clean(&finding.id), FIELD_LIMIT)),
            timestamp: None,
        }];
        draft
    }
}

/// What may go wrong stays open until somebody settles it; everything else was learnt.
fn kind(severity: &str) -> (MemoryType, bool) {
    match severity {
        "blocker" | "major" => (MemoryType::Constraint, true),
        _ => (MemoryType::Lesson, false),
    }
}

/// A finding as sentences that stand on their own.
fn text(finding: &Finding) -> String {
    let parts = [
        ("", &finding.problem),
        ("Impact: ", &finding.impact),
        ("Suggested fix: ", &finding.suggested_fix),
        ("Evidence: ", &finding.evidence),
    ];
    let lines: Vec<String> = parts
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(label, text)| format!("{label}{}", text.trim()))
        .collect();
    lines.join("\n")
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => text
            .chars()
            .take(characters - 1)
            .chain(CUT.chars())
            .collect(),
    }
}
