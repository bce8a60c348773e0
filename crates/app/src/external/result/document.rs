//! What a result document holds: two fields are required, the rest is empty where it is not said.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use taffrail_domain::words;

words! {
    /// How an agent says that its task ended.
    ResultStatus, "status of a result" {
        /// Done.
        Done "DONE",
        /// Done, and something is to be looked at.
        DoneWithConcerns "DONE_WITH_CONCERNS",
        /// It cannot go on without knowing more.
        NeedsContext "NEEDS_CONTEXT",
        /// Something stands in the way.
        Blocked "BLOCKED",
        /// It did not work.
        Failed "FAILED",
    }
}

/// A result document. Every text in it is an agent's: data, to be redacted before it is kept and escaped before it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultDocument {
    /// How it ended.
    #[serde(with = "status")]
    pub status: ResultStatus,
    /// In a sentence or a few.
    pub summary: String,
    /// The same at length, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_markdown: Option<String>,
    /// Files that it says it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<ChangedFile>,
    /// What it found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What it wants to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<ResultQuestion>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ResultError>,
    /// What was asked for, and whether it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<Acceptance>,
    /// What it made beside changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Numbers and words of its own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metrics: Map<String, Value>,
    /// Keys that this version does not know, kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

mod status {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::ResultStatus;

    pub(super) fn serialize<S: Serializer>(
        status: &ResultStatus,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_str(status.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<ResultStatus, D::Error> {
        let word = String::deserialize(from)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

/// One entry of a list: an object of named texts, all optional; a bare text stands for the first of them.
macro_rules! entry {
    ($(#[$about:meta])* $name:ident { $(#[$first_about:meta])* $first:ident, $($(#[$field_about:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(from = "Value")]
        pub struct $name {
            $(#[$first_about])*
            #[serde(skip_serializing_if = "String::is_empty")]
            pub $first: String,
            $($(#[$field_about])*
            #[serde(skip_serializing_if = "String::is_empty")]
            pub $field: String,)*
            /// Keys that this version does not know, and known ones that hold no text, kept.
            #[serde(flatten)]
            pub other: Map<String, Value>,
        }

        impl From<Value> for $name {
            fn from(value: Value) -> Self {
                let mut entry = Self::default();
                match value {
                    Value::Object(mut keys) => {
                        entry.$first = taken(&mut keys, stringify!($first));
                        $(entry.$field = taken(&mut keys, stringify!($field));)*
                        entry.other = keys;
                    }
                    Value::String(text) => entry.$first = text,
                    other => drop(entry.other.insert("value".to_owned(), other)),
                }
                entry
            }
        }
    };
}

/// Takes a text out of the keys; what is no text stays.
fn taken(keys: &mut Map<String, Value>, name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    match keys.remove(name) {
        Some(Value::String(text)) => text,
        Some(other) => {
            keys.insert(name.to_owned(), other);
            String::new()
        }
        None => String::new(),
    }
}

entry! {
    /// A file that an agent says it changed; what did change is the stored diff.
    ChangedFile {
        /// Where.
        path,
        /// How, in its words: `added`, `modified`, `deleted`.
        change,
    }
}

entry! {
    /// Something that it found.
    Finding {
        /// What is wrong, or what was learnt.
        problem,
        /// Its own id.
        id,
        /// `blocker`, `major`, `minor`, `info`.
        severity,
        /// What follows from it.
        impact,
        /// What would help.
        suggested_fix,
        /// What it rests on.
        evidence,
        /// How sure it is, in its words.
        confidence,
        /// Who says so.
        reviewer,
    }
}

entry! {
    /// Something that it wants to know.
    ResultQuestion {
        /// The question.
        question,
        /// Its own id.
        id,
        /// Why it asks.
        why,
    }
}

entry! {
    /// Something that went wrong.
    ResultError {
        /// What.
        message,
        /// `validation-error`, `missing-input`, `execution-error`, `timeout`, `dependency-error`, `unknown`.
        r#type,
        /// More of it.
        detail,
    }
}

entry! {
    /// Something that was asked for.
    Acceptance {
        /// What.
        criterion,
        /// `met`, `partial`, `not_met`, `not_applicable`.
        status,
        /// What that rests on.
        evidence,
    }
}

entry! {
    /// Something that it made.
    Artifact {
        /// Where.
        path,
        /// What kind.
        kind,
        /// What it is.
        summary,
        /// Its hash.
        hash,
    }
}
