//! Who wrote the seed that a memory came from, for people and for scripts: origin, trust, slate, workspace (XSL-15).

use serde::Serialize;
use taffrail_app::memory::SeedOrigin;
use taffrail_app::workspaces::SeedFacts;
use taffrail_domain::{CloseTrigger, Millis};
use taffrail_text::Shown;

use super::words::field;
use crate::output::{Moment, Paint, ago};

/// Seeds of one memory that a person is shown; JSON has all.
const SHOWN: usize = 3;
/// Columns of a workspace's title.
const TITLE: usize = 60;

/// A seed for scripts.
#[derive(Serialize)]
pub struct Wire {
    proposal: String,
    workspace: String,
    title: String,
    kind: &'static str,
    slate: String,
    generation: u32,
    trigger: &'static str,
    closed: Moment,
    #[serde(flatten)]
    said: Said,
    anchors: serde_json::Value,
}

/// What is known of a seed besides its text, for scripts.
#[derive(Serialize, Default)]
pub struct Said {
    seed: Option<String>,
    origin: Option<serde_json::Value>,
    trust: Option<&'static str>,
    hash: Option<String>,
    ts: Option<Moment>,
}

impl Said {
    /// Nulls where nothing is known.
    pub fn of(seed: Option<&SeedFacts>) -> Self {
        seed.map_or_else(Self::default, |seed| Self {
            seed: Some(seed.id.clone()),
            origin: serde_json::to_value(&seed.origin).ok(),
            trust: Some(seed.trust()),
            hash: Some(seed.hash.clone()),
            ts: Some(seed.at().into()),
        })
    }
}

/// The seeds that a memory came from, for scripts.
pub fn wires(seeds: &[SeedOrigin]) -> Vec<Wire> {
    let wire = |one: &SeedOrigin| Wire {
        proposal: one.row.proposal.short(),
        workspace: one.row.workspace.short(),
        title: one.row.title.clone(),
        kind: one.row.kind.name(),
        slate: one.row.external_id.clone(),
        generation: one.row.generation,
        trigger: one.row.trigger.name(),
        closed: one.row.closed_at.into(),
        said: Said::of(one.seed.as_ref()),
        anchors: serde_json::from_str(&one.row.anchors).unwrap_or_default(),
    };
    seeds.iter().map(wire).collect()
}

/// The lines of the first seeds, for a person.
pub fn lines(paint: Paint, seeds: &[SeedOrigin], now: Millis) -> String {
    let told = seeds.iter().take(SHOWN).map(|one| told(paint, one, now));
    let more = seeds.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| field(paint, "", &format!("and {more} more said it")));
    told.chain(more).collect()
}

fn told(paint: Paint, one: &SeedOrigin, now: Millis) -> String {
    let row = &one.row;
    let seed = format!("{} by {}", row.kind, who(one.seed.as_ref()));
    let slate = format!(
        "{} generation {}, {} {}",
        Shown::line(&row.external_id),
        row.generation,
        closed(row.trigger),
        ago(row.closed_at, now),
    );
    let workspace = format!(
        "{} {}, proposal {}",
        row.workspace,
        Shown::line(&row.title).truncated(TITLE),
        row.proposal
    );
    [("seed", seed), ("slate", slate), ("workspace", workspace)]
        .map(|(name, value)| field(paint, name, &value))
        .concat()
}

/// `claude-code 2.1 (its own words), mcp-external, external-unverified`
pub fn who(seed: Option<&SeedFacts>) -> String {
    let Some(seed) = seed else {
        return "somebody: its record cannot be read".to_owned();
    };
    let client = seed.origin.client.as_ref().map(|client| {
        let name = format!("{} {}", client.name, client.version);
        format!("{} (its own words)", Shown::line(name.trim()))
    });
    let client = client.unwrap_or_else(|| "a program without a name".to_owned());
    let harness = Shown::line(&seed.origin.harness);
    format!("{client}, {harness}, {}", seed.trust())
}

/// What closed a slate, for a sentence.
pub const fn closed(trigger: CloseTrigger) -> &'static str {
    match trigger {
        CloseTrigger::Close => "closed",
        CloseTrigger::Idle => "closed when idle,",
        CloseTrigger::Import => "imported",
    }
}
