//! The record of a run for a person: what was asked, who said what and why, what was enforced, and what could not be seen or
//! controlled (FA-29). Bounded: the whole is in the exports.

use serde_json::Value;
use taffrail_domain::Enforcement;
use taffrail_store::{
    ActionDecisionRow, AgentCounts, AgentRequestRow, AgentRunRow, MessageRole, QuestionRow, RunRow,
    ToolCallRow,
};

use super::exports::{self, Document, pages};
use crate::boxes::ChangeReport;
use crate::boxes::view::Folders;
use crate::{App, AppError};

/// Decisions, requests and tool calls that are shown; a record may have more.
const SHOWN: usize = 200;
/// Bytes of the last answer that are shown.
const ANSWER: usize = 4 << 10;

/// The record of a run. Its texts are redacted and untrusted: a surface escapes them.
#[derive(Debug)]
pub struct RunRecord {
    /// The run.
    pub row: RunRow,
    /// Its agent.
    pub agent: AgentRunRow,
    /// What was enforced; none where nothing was started.
    pub enforcement: Option<Enforcement>,
    /// What it changed; none before the capture.
    pub change: Option<ChangeReport>,
    /// How much is on record; of the lists below the first 200 each are here.
    pub counts: AgentCounts,
    /// What was judged, each with the question that was asked about it.
    pub decisions: Vec<(ActionDecisionRow, Option<QuestionRow>)>,
    /// What the agent asked for beside its questions.
    pub requests: Vec<AgentRequestRow>,
    /// Tool calls as the agent tells them.
    pub tool_calls: Vec<ToolCallRow>,
    /// The last answer of the agent, at most 4 KiB of it.
    pub answer: Option<String>,
    /// Every host that was asked for by its proxy, as the event of the network has them; none where it is by port.
    pub hosts: Vec<Value>,
    /// What could not be seen or controlled.
    pub unseen: Vec<Unseen>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The folder of the exports.
    pub folder: String,
    /// The folder of its checkout, there or not.
    pub checkout: String,
}

/// Something that could not be seen or controlled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// What, in a sentence.
    pub what: String,
    /// What it is about: paths, doors that stay open.
    pub items: Vec<String>,
}

/// The record of the run that a person means: by name, id or the beginning of one.
///
/// # Errors
/// `NotFound` where no agent is on record for it, `Ambiguous`; what the store can give.
pub fn shown(app: &App, name: &str) -> Result<RunRecord, AppError> {
    let run = exports::find(app, name)?;
    let document = Document::of(app, &run)?;
    let unseen = document.unseen();
    let Document {
        row, agent, change, ..
    } = document;
    let enforcement = row.enforcement.as_deref();
    let notes = agent.notes.as_deref().unwrap_or("[]");
    Ok(RunRecord {
        enforcement: enforcement.and_then(|json| serde_json::from_str(json).ok()),
        counts: app.store.agent_counts(&run)?,
        decisions: decisions(app, &run)?,
        requests: pages::requests(&app.store, run)
            .take(SHOWN)
            .collect::<Result<_, _>>()?,
        tool_calls: pages::tool_calls(&app.store, run)
            .take(SHOWN)
            .collect::<Result<_, _>>()?,
        answer: answer(app, &run)?,
        hosts: hosts(app, &run)?,
        unseen: list(&unseen).iter().map(words).collect(),
        notes: serde_json::from_str(notes).unwrap_or_default(),
        folder: app.home.session(&run).display().to_string(),
        checkout: Folders::of(&app.home, &run).tree.display().to_string(),
        row,
        agent,
        change: change.map(ChangeReport::from),
    })
}

/// The same as the exported record, for a program.
///
/// # Errors
/// As for [`shown`].
pub fn document<'a>(app: &'a App, name: &str) -> Result<Document<'a>, AppError> {
    Document::of(app, &exports::find(app, name)?)
}

/// What the agent of a run was to do; none where none is on record for it.
///
/// # Errors
/// What the store can give.
pub fn task(app: &App, run: &taffrail_domain::RunId) -> Result<Option<String>, AppError> {
    Ok(app.store.agent_run(run)?.map(|agent| agent.task))
}

type Judged = (ActionDecisionRow, Option<QuestionRow>);

fn decisions(app: &App, run: &taffrail_domain::RunId) -> Result<Vec<Judged>, AppError> {
    let mut found = Vec::new();
    for row in pages::decisions(&app.store, *run).take(SHOWN) {
        let row = row?;
        let question = row.question.map(|id| app.store.question(&id)).transpose()?;
        found.push((row, question));
    }
    Ok(found)
}

fn hosts(app: &App, run: &taffrail_domain::RunId) -> Result<Vec<Value>, AppError> {
    let events = app.store.events(run)?;
    let of_network = events.iter().filter(|event| event.kind == "network");
    let bodies = of_network.filter_map(|event| serde_json::from_str::<Value>(&event.body).ok());
    Ok(bodies
        .flat_map(|body| body.get("hosts").map(list).unwrap_or_default().to_vec())
        .collect())
}

fn answer(app: &App, run: &taffrail_domain::RunId) -> Result<Option<String>, AppError> {
    let mut last = None;
    for row in pages::messages(&app.store, *run) {
        let row = row?;
        if row.role == MessageRole::Assistant {
            let end = row.text.floor_char_boundary(ANSWER);
            last = row.text.get(..end).map(str::to_owned);
        }
    }
    Ok(last)
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// One entry of the record in words.
fn words(entry: &Value) -> Unseen {
    let texts = |name: &str| {
        let texts = entry.get(name).map(list).unwrap_or_default();
        let texts = texts.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let of_commands = entry.get("may_be_of_commands").and_then(Value::as_bool);
    match entry.get("what").and_then(Value::as_str) {
        Some("wrote_without_asking") => Unseen {
            what: match of_commands {
                Some(true) => "changed without a question about it; a command that was allowed may have done it",
                Some(false) | None => "written without asking",
            }
            .to_owned(),
            items: texts("paths"),
        },
        Some("not_contained") => Unseen {
            what: "not held back by the sandbox".to_owned(),
            items: match entry.get("open") {
                Some(Value::Array(_)) => texts("open"),
                _ => vec!["there was no sandbox".to_owned()],
            },
        },
        what => Unseen {
            what: entry
                .get("text")
                .and_then(Value::as_str)
                .or(what)
                .unwrap_or("something")
                .to_owned(),
            items: Vec::new(),
        },
    }
}
