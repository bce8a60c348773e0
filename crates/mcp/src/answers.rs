//! What the tools answer, as the wire has it.

use serde::Serialize;

/// `slate.open`
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlateOpened {
    /// The id.
    pub external_session_id: String,
    /// Which opening of the id this is, from 1.
    pub generation: u32,
    /// The workspace that it is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Where the work stands, as sent.
    pub anchors: Anchors,
    /// What it holds.
    pub seeds: Vec<Seed>,
    /// When it was opened or last written, RFC 3339.
    pub last_write_at: String,
    /// What the caller should know: that a closed slate went on as a new generation, that a damaged one was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Anchors as stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Anchors {
    /// The root of the work; empty where none was sent.
    pub root: String,
    /// Files touched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A seed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seed {
    /// `seed-` and a UUID.
    pub id: String,
    /// The text, without what looked secret.
    pub text: String,
    /// When it was written, RFC 3339.
    pub ts: String,
    /// Its kind, where its writer said one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Who wrote it.
    pub origin: Origin,
    /// `external-unverified`.
    pub trust: &'static str,
}

/// Who wrote a seed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    /// `mcp-external`.
    pub harness: String,
    /// The program at the other end, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
}

/// A program's own words about itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// `slate.writeSeed`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeedWritten {
    /// The seed.
    #[serde(flatten)]
    pub seed: Seed,
    /// What was masked in the text, by family; absent where nothing was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// What the caller should know: that the id's last slate had been closed for idleness, and this is the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `slate.close`
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlateClosed {
    /// The id.
    pub external_session_id: String,
    /// Always true.
    pub closed: bool,
    /// Which opening of the id was closed.
    pub generation: u32,
    /// The workspace that holds the proposals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// One for each kind.
    pub proposals: Vec<Proposal>,
    /// Whether the seeds wait for a person to bind them to a workspace.
    pub unbound: bool,
    /// Seeds that the guardrails refused, with the reason; they stay in the closed slate's record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedSeed>,
}

/// A batch of candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// The kind of its seeds.
    pub kind: String,
    /// How many wait for a person.
    pub candidates: u64,
}

/// A seed that is no candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockedSeed {
    /// Which.
    pub seed: String,
    /// Why.
    pub reason: String,
}

/// `memory_recall`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryRecalled {
    /// What was found, the best first.
    pub memories: Vec<Memory>,
    /// The trace of this recall, for `taffrail memory why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What the caller should know: that approvals could not be checked, or that nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A memory that was found: data, and only `approved` ones were confirmed by a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Memory {
    /// Its id.
    pub id: String,
    /// What kind of knowledge.
    pub r#type: String,
    /// `approved` or `evidence`.
    pub grade: String,
    /// One sentence.
    pub summary: String,
    /// The whole text.
    pub content: String,
    /// When it was said, RFC 3339.
    pub created: String,
    /// Whether it is of the project or the operator's own.
    pub scope: &'static str,
    /// How well it fits.
    pub score: f64,
    /// Whether it is a risk that nobody has settled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// `memory_propose`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryProposed {
    /// The memory.
    pub id: String,
    /// `new`, or `repeat` where it was there already.
    pub outcome: &'static str,
    /// `pending`: it steers nobody until a person has reviewed it; or what a person decided on the earlier one.
    pub status: String,
}

/// `notebook_read`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotebookRead {
    /// The project's name; absent outside of every project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The document, as a person wrote it; empty where there is none.
    pub content: String,
    /// Its version; 0 where there is none.
    pub version: u64,
    /// What the caller should know: that the document was withheld or cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `notebook_suggest`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotebookSuggested {
    /// The suggestion.
    pub id: String,
    /// `waiting`: it is in no prompt until a person accepts it.
    pub status: &'static str,
}

/// `session_search`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionsFound {
    /// The sessions, newest first.
    pub sessions: Vec<Session>,
    /// Whether there were more.
    pub truncated: bool,
}

/// A session on record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What kind: `box`.
    pub kind: String,
    /// The agent, where it was a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The command line.
    pub command: String,
    /// How it stands.
    pub status: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// Files that it changed, at most 50.
    pub files: Vec<String>,
    /// Whether there were more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub files_truncated: bool,
}

/// `workspace_list`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Workspaces {
    /// Of this project, oldest first.
    pub workspaces: Vec<Workspace>,
    /// Whether there were more than 200.
    pub truncated: bool,
}

/// A workspace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// `active` or `archived`.
    pub status: String,
    /// Candidates that wait for a person.
    pub waiting: u64,
}

/// `read_file`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileText {
    /// The file.
    pub path: String,
    /// The lines, without what looked secret.
    pub content: String,
    /// The first line that is given, from 1.
    pub line: u64,
    /// How many are given.
    pub lines: u64,
    /// How many the file has.
    pub total_lines: u64,
    /// Whether there is more of the file.
    pub truncated: bool,
}

/// `list_files`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Files {
    /// Paths relative to the project's root, sorted; folders are not listed.
    pub files: Vec<String>,
    /// Whether there were more.
    pub truncated: bool,
}

/// `search_text`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextFound {
    /// The lines that fit, by path and number.
    pub matches: Vec<Match>,
    /// Files that were looked at.
    pub files: u64,
    /// Whether there were more.
    pub truncated: bool,
}

/// A line that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The text of the line, at most 500 characters, without what looked secret.
    pub text: String,
}

/// `taffrail_docs`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Docs {
    /// The pages there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<DocPage>,
    /// The page that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Paragraphs that hold the words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<DocFound>,
}

/// A page of the documentation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocPage {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub title: String,
}

/// A paragraph of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocFound {
    /// The page.
    pub page: String,
    /// The heading that it stands under.
    pub heading: String,
    /// The paragraph.
    pub text: String,
}
