//! One JSON line of an import (CLI-06): what it may hold, and nothing beside. A key that would say more than a text, such as
//! a status, a channel or a seal, is no key.

use serde::Deserialize;
use serde_json::Value;
use taffrail_domain::{MemoryType, Millis, SourceRef};

use super::when::rfc3339;

/// Sentences of context kept on each side: those nearest to the memory.
const CONTEXT_SENTENCES: usize = 3;
/// Characters kept of each: context only helps to find a memory, so a longer one is cut and not refused.
const CONTEXT_CHARS: usize = 512;
/// Characters of an id that is kept.
const ID_CHARS: usize = 256;
/// The form, for messages.
const FORM: &str =
    r#"{"id","project"?,"type","summary","content","created"?,"context"?,"sourceRefs"?}"#;

/// A line that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The id as it came, for the answer.
    pub id: Value,
    /// The id as it is kept.
    pub foreign_id: String,
    /// The name of the project; none for a personal memory.
    pub project: Option<String>,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// One sentence.
    pub summary: String,
    /// The whole.
    pub content: String,
    /// When it was said there.
    pub created: Option<Millis>,
    /// Sentences before it, the last is the nearest.
    pub before: Vec<String>,
    /// Sentences after it, the first is the nearest.
    pub after: Vec<String>,
    /// What it points at.
    pub source_refs: Vec<SourceRef>,
}

/// A line that was not.
#[derive(Debug, Clone, PartialEq)]
pub struct Misread {
    /// Its id, if it has one.
    pub id: Value,
    /// What is wrong with it.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    id: Value,
    project: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    summary: String,
    content: String,
    created: Option<String>,
    #[serde(default)]
    context: Context,
    #[serde(default, rename = "sourceRefs")]
    source_refs: Option<Vec<SourceRef>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Context {
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
}

/// Reads a line.
///
/// # Errors
/// `Misread` for a line that is no JSON, misses a key, has one too many, or holds a value out of its list.
pub fn read(line: &[u8]) -> Result<Line, Misread> {
    let form = serde_json::from_slice::<Form>(line).map_err(|error| Misread {
        id: id_of(line),
        message: format!("the line is not {FORM}: {error}"),
    })?;
    let id = form.id.clone();
    understood(form).map_err(|message| Misread { id, message })
}

/// The id of a line that is otherwise not understood.
pub fn id_of(line: &[u8]) -> Value {
    #[derive(Deserialize)]
    struct OnlyId {
        id: Value,
    }
    serde_json::from_slice::<OnlyId>(line).map_or(Value::Null, |line| line.id)
}

fn understood(form: Form) -> Result<Line, String> {
    let created = form.created.as_deref().map(rfc3339).transpose()?;
    let kind = form.kind.parse();
    let kind = kind.map_err(|error: taffrail_domain::UnknownWord| error.to_string())?;
    Ok(Line {
        foreign_id: foreign_id(&form.id)?,
        id: form.id,
        project: form.project,
        kind,
        summary: form.summary,
        content: form.content,
        created,
        before: last(form.context.before),
        after: first(form.context.after),
        source_refs: form.source_refs.unwrap_or_default(),
    })
}

fn foreign_id(id: &Value) -> Result<String, String> {
    let text = match id {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err("`id` is neither a text nor a number".to_owned()),
    };
    match text.chars().count() {
        0 => Err("`id` is empty".to_owned()),
        count if count > ID_CHARS => Err(format!(
            "`id` has {count} characters, the limit is {ID_CHARS}"
        )),
        _ => Ok(text),
    }
}

fn last(mut sentences: Vec<String>) -> Vec<String> {
    let far = sentences.len().saturating_sub(CONTEXT_SENTENCES);
    first(sentences.split_off(far))
}

fn first(sentences: Vec<String>) -> Vec<String> {
    let near = sentences.into_iter().take(CONTEXT_SENTENCES);
    near.map(cut).collect()
}

fn cut(sentence: String) -> String {
    match sentence.char_indices().nth(CONTEXT_CHARS) {
        Some((at, _)) => sentence.get(..at).unwrap_or_default().to_owned(),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Value {
        serde_json::json!({"id": "a", "type": "lesson", "summary": "s", "content": "c"})
    }

    fn with(key: &str, value: Value) -> Result<Line, Misread> {
        let mut line = good();
        line[key] = value;
        read(line.to_string().as_bytes())
    }

    #[test]
    fn cli_06_a_line_holds_what_it_says() {
        let line = with("created", "2024-02-29T12:00:00+02:00".into()).unwrap();
        assert_eq!(line.created, Some(Millis(1_709_200_800_000)));
        assert_eq!((line.kind, line.project), (MemoryType::Lesson, None));
        let line = with("id", 17.into()).unwrap();
        assert_eq!((line.id, line.foreign_id), (17.into(), "17".to_owned()));
        let refs = serde_json::json!([{"kind": "url", "uri": "https://x.invalid"}]);
        assert_eq!(with("sourceRefs", refs).unwrap().source_refs.len(), 1);
        assert_eq!(with("sourceRefs", Value::Null).unwrap().source_refs, []);
    }

    #[test]
    fn rev_03_no_key_of_a_line_leads_to_an_approval() {
        for key in [
            "status",
            "provenance",
            "channel",
            "can_use_as_instruction",
            "canUseAsInstruction",
            "usePolicy",
            "bits",
            "seal",
            "review_entry",
            "shelf",
            "confirmed_at",
            "lifecycle",
            "confidence",
        ] {
            let misread = with(key, "confirmed".into()).unwrap_err();
            assert_eq!(misread.id, "a");
            assert!(
                misread.message.contains(&format!("`{key}`")),
                "{}",
                misread.message
            );
        }
        let misread = with("context", serde_json::json!({"seal": []})).unwrap_err();
        assert!(misread.message.contains("`seal`"));
    }

    #[test]
    fn cli_06_the_nearest_context_is_kept_and_cut() {
        let long = "ä".repeat(600);
        let context =
            serde_json::json!({"before": ["1", "2", "3", &long], "after": ["a", "b", "c", "d"]});
        let line = with("context", context).unwrap();
        assert_eq!(
            (line.before[0].as_str(), line.before[1].as_str()),
            ("2", "3")
        );
        assert_eq!(line.before[2].chars().count(), 512);
        assert_eq!(line.after, ["a", "b", "c"]);
    }

    #[test]
    fn cli_06_a_bad_line_says_what_is_wrong_and_keeps_its_id() {
        for (key, value, says) in [
            ("type", Value::from("idea"), "`idea` is not a memory type"),
            ("created", "yesterday".into(), "RFC 3339"),
            ("id", Value::Null, "neither a text nor a number"),
            ("id", "".into(), "empty"),
            ("content", 5.into(), "the line is not"),
            ("project", 5.into(), "the line is not"),
        ] {
            let misread = with(key, value.clone()).unwrap_err();
            assert!(misread.message.contains(says), "{key}: {}", misread.message);
            assert_eq!(misread.id, if key == "id" { value } else { "a".into() });
        }
        assert_eq!(read(b"not json").unwrap_err().id, Value::Null);
        assert_eq!(read(b"[]").unwrap_err().id, Value::Null);
    }
}
