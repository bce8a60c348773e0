//! The guardrails, in order: sizes that bound the work, secrets everywhere, emptiness, references.

use taffrail_domain::{Artifact, MemoryType, Provenance, Source, SourceRef};
use taffrail_redact::{Clean, Redactor};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::draft::{
    Blocked, CONTENT_LIMIT, CONTEXT_LIMIT, CONTEXT_SENTENCES, DERIVED_LIMIT, Draft, EVIDENCE_LIMIT,
    FIELD_LIMIT, FOREIGN_IDS_LIMIT, Kept, REFERENCE_LIMIT, REFS_LIMIT, SUMMARY_LIMIT, Screened,
    URI_LIMIT, first_sentence,
};
use crate::orders;

/// Takes a draft through the guardrails (MEM-03).
///
/// # Errors
/// The first of: too many of something, a text over its limit, a secret, an empty text, a reference without a source ref, a
/// reference that holds the thing itself, a confidence out of range.
pub fn screen(draft: Draft, redactor: &Redactor) -> Result<Screened, Blocked> {
    counts(&draft)?;
    let draft = nearest(draft);
    let screener = Screener {
        redactor,
        masks: draft.is_redacted,
    };
    let content = screener.text("content", &draft.content, CONTENT_LIMIT)?;
    let summary = screener.summary(&draft, &content)?;
    not_blank("content", content.as_str())?;
    not_blank("summary", summary.as_str())?;
    let source_refs = screener.source_refs(&draft.source_refs)?;
    let artifacts = screener.artifacts(&draft.artifacts)?;
    let source = screener.source(&draft.source)?;
    let context_before = screener.list("context before", &draft.context.before, CONTEXT_LIMIT)?;
    let context_after = screener.list("context after", &draft.context.after, CONTEXT_LIMIT)?;
    screener.edges(&draft)?;
    reference(draft.kind, content.as_str(), source_refs.len())?;
    let reads_as_orders = orders_in(&summary, &content, &source_refs, &artifacts);
    Ok(Screened(Kept {
        scope: draft.scope,
        kind: draft.kind,
        summary,
        context_before_json: screener.json("context before", &strings(&context_before))?,
        context_after_json: screener.json("context after", &strings(&context_after))?,
        context_before,
        context_after,
        source_refs_json: screener.json("source refs", &source_refs)?,
        source_refs,
        artifacts_json: screener.json("artifacts", &artifacts)?,
        artifacts,
        confidence: confidence(draft.confidence)?,
        stale_after: draft.stale_after,
        channel: draft.channel,
        provenance: claimed(draft.provenance),
        source_json: screener.json("source", &source)?,
        source,
        slate_kind: screener.optional("slate kind", draft.slate_kind.as_deref(), FIELD_LIMIT)?,
        is_open: draft.is_open,
        created: draft.created,
        foreign_ids: each_once(screener.list("foreign id", &draft.foreign_ids, FIELD_LIMIT)?),
        derived_from: each_once(draft.derived_from),
        evidence: screener.optional("evidence", draft.evidence.as_deref(), EVIDENCE_LIMIT)?,
        is_redacted: draft.is_redacted,
        reads_as_orders,
        content,
    }))
}

/// The first of all that a turn may be given which reads as orders.
fn orders_in(
    summary: &Clean,
    content: &Clean,
    source_refs: &[SourceRef],
    artifacts: &[Artifact],
) -> Option<orders::Reason> {
    let titles = source_refs.iter().filter_map(|it| it.title.as_deref());
    let descriptions = artifacts.iter().filter_map(|it| it.description.as_deref());
    [summary.as_str(), content.as_str()]
        .into_iter()
        .chain(titles)
        .chain(descriptions)
        .find_map(orders::reads_as_orders)
}

fn counts(draft: &Draft) -> Result<(), Blocked> {
    [
        ("source refs", draft.source_refs.len(), REFS_LIMIT),
        ("artifacts", draft.artifacts.len(), REFS_LIMIT),
        ("foreign ids", draft.foreign_ids.len(), FOREIGN_IDS_LIMIT),
        (
            "memories it is derived from",
            draft.derived_from.len(),
            DERIVED_LIMIT,
        ),
    ]
    .into_iter()
    .find(|(_, count, limit)| count > limit)
    .map_or(Ok(()), |(what, count, limit)| {
        Err(Blocked::TooMany { what, count, limit })
    })
}

/// The three sentences on each side that are nearest to the source.
fn nearest(mut draft: Draft) -> Draft {
    let far = draft.context.before.len().saturating_sub(CONTEXT_SENTENCES);
    draft.context.before.drain(..far);
    draft.context.after.truncate(CONTEXT_SENTENCES);
    draft
}

struct Screener<'a> {
    redactor: &'a Redactor,
    /// What is found is masked and not refused.
    masks: bool,
}

impl Screener<'_> {
    fn text(&self, place: &str, text: &str, limit: usize) -> Result<Clean, Blocked> {
        let characters = text.chars().count();
        if characters > limit {
            return Err(Blocked::TooLong {
                place: place.to_owned(),
                characters,
                limit,
            });
        }
        self.clean(place, text)
    }

    fn clean(&self, place: &str, text: &str) -> Result<Clean, Blocked> {
        if self.masks {
            return Ok(self.redactor.clean(text));
        }
        let found = self.redactor.findings(text).into_iter().next();
        // What takes no ink parts a secret for the redactor and not for whoever copies it.
        let found = found.or_else(|| {
            let inked = inked(text)?;
            self.redactor.findings(&inked).into_iter().next()
        });
        match found {
            Some(finding) => Err(Blocked::Secret {
                family: finding.family,
                place: place.to_owned(),
            }),
            None => Ok(self.redactor.clean(text)),
        }
    }

    fn optional(
        &self,
        place: &str,
        text: Option<&str>,
        limit: usize,
    ) -> Result<Option<Clean>, Blocked> {
        text.map(|text| self.text(place, text, limit)).transpose()
    }

    fn list(&self, place: &str, texts: &[String], limit: usize) -> Result<Vec<Clean>, Blocked> {
        let numbered = texts.iter().enumerate();
        numbered
            .map(|(at, text)| self.text(&format!("{place} {}", at + 1), text, limit))
            .collect()
    }

    /// The written summary, or the first sentence of the content.
    fn summary(&self, draft: &Draft, content: &Clean) -> Result<Clean, Blocked> {
        match &draft.summary {
            Some(summary) => self.text("summary", summary.trim(), SUMMARY_LIMIT),
            None => self.text(
                "summary",
                &first_sentence(content.as_str(), SUMMARY_LIMIT),
                SUMMARY_LIMIT,
            ),
        }
    }

    /// A secret that is whole only when two neighbouring texts are put together.
    fn edges(&self, draft: &Draft) -> Result<(), Blocked> {
        if self.masks {
            return Ok(());
        }
        let content = draft.content.as_str();
        let summary = draft.summary.as_deref().unwrap_or_default();
        let before = draft.context.before.last().map_or("", String::as_str);
        let after = draft.context.after.first().map_or("", String::as_str);
        [
            ("summary and content", summary, content),
            ("content and summary", content, summary),
            ("context before and content", before, content),
            ("content and context after", content, after),
        ]
        .into_iter()
        .try_for_each(|(place, first, second)| self.edge(place, first, second))
    }

    fn edge(&self, place: &str, first: &str, second: &str) -> Result<(), Blocked> {
        if first.is_empty() || second.is_empty() {
            return Ok(());
        }
        let first = tail(first.trim_end());
        let both = format!("{first}{}", head(second.trim_start()));
        let found = self.redactor.findings(&both);
        let across = found
            .iter()
            .find(|it| it.start < first.len() && it.end > first.len());
        across.map_or(Ok(()), |finding| {
            Err(Blocked::Secret {
                family: finding.family,
                place: place.to_owned(),
            })
        })
    }

    fn source_refs(&self, refs: &[SourceRef]) -> Result<Vec<SourceRef>, Blocked> {
        refs.iter()
            .enumerate()
            .map(|(at, it)| self.source_ref(&format!("source ref {}", at + 1), it))
            .collect()
    }

    fn source_ref(&self, place: &str, it: &SourceRef) -> Result<SourceRef, Blocked> {
        not_blank(&format!("the uri of {place}"), &it.uri)?;
        Ok(SourceRef {
            kind: self.text(place, &it.kind, FIELD_LIMIT)?.into_string(),
            uri: self.text(place, &it.uri, URI_LIMIT)?.into_string(),
            title: self.field(place, it.title.as_deref())?,
            timestamp: self.field(place, it.timestamp.as_deref())?,
        })
    }

    fn artifacts(&self, artifacts: &[Artifact]) -> Result<Vec<Artifact>, Blocked> {
        artifacts
            .iter()
            .enumerate()
            .map(|(at, it)| self.artifact(&format!("artifact {}", at + 1), it))
            .collect()
    }

    fn artifact(&self, place: &str, it: &Artifact) -> Result<Artifact, Blocked> {
        not_blank(&format!("the uri of {place}"), &it.uri)?;
        Ok(Artifact {
            kind: self.text(place, &it.kind, FIELD_LIMIT)?.into_string(),
            uri: self.text(place, &it.uri, URI_LIMIT)?.into_string(),
            description: self.field(place, it.description.as_deref())?,
        })
    }

    fn source(&self, source: &Source) -> Result<Source, Blocked> {
        Ok(Source {
            runtime: self
                .text("source runtime", &source.runtime, FIELD_LIMIT)?
                .into_string(),
            task: self.field("source task", source.task.as_deref())?,
            session: self.field("source session", source.session.as_deref())?,
            step: source.step,
            model: self.field("source model", source.model.as_deref())?,
            client: self.field("source client", source.client.as_deref())?,
        })
    }

    fn field(&self, place: &str, text: Option<&str>) -> Result<Option<String>, Blocked> {
        let clean = self.optional(place, text, FIELD_LIMIT)?;
        Ok(clean.map(Clean::into_string))
    }

    /// JSON of clean parts. Fields that are harmless alone and a secret beside each other (a kind `password`, its value the
    /// uri) are refused here; masking JSON could break it, so it is refused for redacted drafts too.
    fn json<T: serde::Serialize>(&self, place: &str, value: &T) -> Result<Clean, Blocked> {
        let written = serde_json::to_string(value).unwrap_or_default();
        match self.redactor.findings(&written).into_iter().next() {
            Some(finding) => Err(Blocked::Secret {
                family: finding.family,
                place: place.to_owned(),
            }),
            None => Ok(self.redactor.clean(&written)),
        }
    }
}

/// `output` and `artifact_reference` point at a thing and do not hold it: at least one source ref; no fenced block of more
/// than ten lines, no encoded body, no more text than a reference needs.
fn reference(kind: MemoryType, content: &str, refs: usize) -> Result<(), Blocked> {
    match kind {
        MemoryType::Output | MemoryType::ArtifactReference => {}
        MemoryType::Decision
        | MemoryType::Lesson
        | MemoryType::Constraint
        | MemoryType::OpenQuestion
        | MemoryType::Failure
        | MemoryType::WorkLog => return Ok(()),
    }
    if refs == 0 {
        return Err(Blocked::MissingSourceRef { kind });
    }
    inlined(content).map_or(Ok(()), |what| Err(Blocked::Inlined { kind, what }))
}

/// Lines of a fenced block that still quote a thing and do not hold it.
const QUOTED_LINES: usize = 10;
/// Characters of one unbroken base64 run that no path, hash or address has.
const ENCODED_RUN: usize = 256;

fn inlined(content: &str) -> Option<String> {
    let characters = content.chars().count();
    let fenced = longest_fence(content);
    let encoded = longest_run(content);
    if characters > REFERENCE_LIMIT {
        Some(format!(
            "content has {characters} characters, at most {REFERENCE_LIMIT}"
        ))
    } else if fenced > QUOTED_LINES {
        Some(format!(
            "a fenced block has {fenced} lines, at most {QUOTED_LINES}"
        ))
    } else if encoded > ENCODED_RUN {
        Some(format!(
            "an encoded body has {encoded} characters, at most {ENCODED_RUN}"
        ))
    } else {
        None
    }
}

fn longest_fence(content: &str) -> usize {
    let mut longest = 0;
    let mut inside: Option<usize> = None;
    for line in content.lines() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        inside = match (is_fence, inside) {
            (true, Some(_)) => None,
            (true, None) => Some(0),
            (false, Some(lines)) => Some(lines + 1),
            (false, None) => None,
        };
        longest = longest.max(inside.unwrap_or(0));
    }
    longest
}

/// The longest base64 body: lines of the alphabet one after the other count as one run.
fn longest_run(content: &str) -> usize {
    content
        .split(|it: char| {
            !(it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '=' | '\n' | '\r'))
        })
        .map(|run| {
            run.trim()
                .lines()
                .filter(|line| is_encoded(line))
                .map(str::len)
                .sum()
        })
        .max()
        .unwrap_or(0)
}

/// A line of a body, and not a word or a path on a line of its own.
fn is_encoded(line: &str) -> bool {
    line.len() >= 40
        && line.bytes().any(|it| it.is_ascii_uppercase())
        && line.bytes().any(|it| it.is_ascii_lowercase())
        && line.bytes().any(|it| it.is_ascii_digit())
}

fn not_blank(place: &str, text: &str) -> Result<(), Blocked> {
    let has_ink = text
        .chars()
        .any(|it| !it.is_whitespace() && !orders::is_hidden(it));
    if has_ink {
        return Ok(());
    }
    Err(Blocked::Empty {
        place: place.to_owned(),
    })
}

fn confidence(value: Option<f64>) -> Result<Option<f64>, Blocked> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => Err(Blocked::Confidence { value }),
        Some(_) | None => Ok(value),
    }
}

/// A writer does not claim a person's word.
fn claimed(provenance: Provenance) -> Provenance {
    match provenance {
        Provenance::UserConfirmed => Provenance::Observed,
        Provenance::Observed
        | Provenance::Inferred
        | Provenance::Imported
        | Provenance::Generated
        | Provenance::Superseded
        | Provenance::Disputed => provenance,
    }
}

/// How far from an edge a secret that crosses it may reach, in bytes.
const EDGE: usize = 4_096;

fn tail(text: &str) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(EDGE));
    text.get(start..).unwrap_or(text)
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(EDGE)).unwrap_or(text)
}

/// The text as a reader or a program copies it, where that differs: nothing that takes no ink, no control character, no
/// mark on another letter, and wide or styled letters as the plain ones that they stand for.
pub fn inked(text: &str) -> Option<String> {
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r');
    if !text
        .chars()
        .any(|letter| !letter.is_ascii() || is_control(letter))
    {
        return None;
    }
    let left_out =
        |letter: char| is_control(letter) || orders::is_hidden(letter) || is_combining_mark(letter);
    let inked: String = text.nfkd().filter(|letter| !left_out(*letter)).collect();
    (inked != text).then_some(inked)
}

fn strings(texts: &[Clean]) -> Vec<&str> {
    texts.iter().map(Clean::as_str).collect()
}

fn each_once<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    values.into_iter().fold(Vec::new(), |mut kept, value| {
        if !kept.contains(&value) {
            kept.push(value);
        }
        kept
    })
}
