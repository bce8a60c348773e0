//! The arguments of the tools, after they were checked against the published schemas.

use serde::Deserialize;

/// `slate.open`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlateOpen {
    /// 1 to 128 of `A-Z a-z 0-9 _ -`.
    pub external_session_id: String,
    /// A workspace of the project, as it is shown.
    pub workspace_id: Option<String>,
    /// Where the work stands.
    pub anchors: Option<Anchors>,
}

/// `anchors` of `slate.open`: stored as sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// The root of the work, at most 4,096 characters.
    pub root: Option<String>,
    /// Files touched: at most 200 of at most 1,024 characters.
    #[serde(default)]
    pub touched: Vec<String>,
    /// What it is about, at most 2,000 characters.
    pub note: Option<String>,
}

/// `slate.writeSeed`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlateWriteSeed {
    /// The id of an open slate.
    pub external_session_id: String,
    /// 1 to 4,000 characters, not blank.
    pub text: String,
    /// One of the six kinds of seed.
    pub kind: Option<String>,
    /// The same key again is the same seed; at most 200 characters.
    pub idempotency_key: Option<String>,
}

/// `slate.close`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlateClose {
    /// The id of a slate.
    pub external_session_id: String,
}

/// `memory_recall`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRecall {
    /// What is looked for, 1 to 4,000 characters.
    pub query: String,
    /// How many at most, 1 to 20; 5 without it.
    pub limit: Option<u64>,
    /// `approved`, `evidence`; approved without it. What nobody has reviewed is never given.
    pub include: Option<Vec<String>>,
}

/// `memory_propose`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryPropose {
    /// A memory type.
    pub r#type: String,
    /// The whole text, 1 to 8,192 characters.
    pub content: String,
    /// One sentence, at most 512 characters; the first of the text without it.
    pub summary: Option<String>,
    /// Things outside that it rests on.
    #[serde(default)]
    pub source_refs: Vec<taffrail_domain::SourceRef>,
    /// 0 to 100, in percent.
    pub confidence_percent: Option<u64>,
    /// Days after which it is not recalled, 1 to 3,650.
    pub stale_after_days: Option<u64>,
}

/// `notebook_suggest`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotebookSuggest {
    /// The section it is for.
    pub section: String,
    /// The entry, one line.
    pub entry: String,
}

/// `session_search`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionSearch {
    /// Words that the record of a run must hold, at most 400 characters; without it the newest runs.
    pub query: Option<String>,
    /// How many at most, 1 to 50; 10 without it.
    pub limit: Option<u64>,
}

/// `read_file`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// The file, relative to the project's root.
    pub path: String,
    /// The first line, from 1.
    pub line: Option<u64>,
    /// How many lines at most, 1 to 2,000; 2,000 without it.
    pub limit: Option<u64>,
}

/// `list_files`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    /// A folder, relative to the project's root; the root without it.
    pub path: Option<String>,
    /// A glob that the path must fit: `src/**/*.rs`.
    pub glob: Option<String>,
    /// How many at most, 1 to 1,000; 200 without it.
    pub limit: Option<u64>,
}

/// `search_text`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchText {
    /// What is looked for: a text, or a regular expression where `regex` is true; 1 to 1,000 characters.
    pub query: String,
    /// Whether `query` is a regular expression.
    #[serde(default)]
    pub regex: bool,
    /// Whether capitals count; they do not without it.
    #[serde(default)]
    pub case_sensitive: bool,
    /// A folder or file, relative to the project's root.
    pub path: Option<String>,
    /// A glob that the path must fit.
    pub glob: Option<String>,
    /// How many lines at most, 1 to 500; 100 without it.
    pub limit: Option<u64>,
}

/// `taffrail_docs`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaffrailDocs {
    /// A page by its name; without one and without a query the list of pages.
    pub page: Option<String>,
    /// Words to look for in all pages.
    pub query: Option<String>,
}
