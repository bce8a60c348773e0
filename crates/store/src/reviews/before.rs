//! What an undo needs: the deciding columns of a row as they were before a decision.

use serde_json::{Value, json};
use taffrail_domain::Millis;
use taffrail_memory::review::Standing;

use crate::convert::{Fault, senseless};
use crate::memories::MemoryRow;

/// The deciding columns of a row at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Before {
    /// Status, bits and the rest.
    pub(super) standing: Standing,
    /// The revision in force.
    pub(super) revision: u64,
    /// The revision that waits.
    pub(super) draft: Option<u64>,
    /// When a person confirmed it last.
    pub(super) confirmed_at: Option<Millis>,
}

impl Before {
    pub(super) fn of(row: &MemoryRow) -> Self {
        Self {
            standing: standing(row),
            revision: row.text.revision,
            draft: row.draft.as_ref().map(|draft| draft.revision),
            confirmed_at: row.confirmed_at,
        }
    }

    pub(super) fn json(&self) -> String {
        json!({
            "standing": self.standing.json(),
            "revision": self.revision,
            "draft": self.draft,
            "confirmedAt": self.confirmed_at.map(|at| at.0),
        })
        .to_string()
    }

    pub(super) fn from_json(text: &str) -> Result<Self, Fault> {
        let row: Value = serde_json::from_str(text).map_err(|error| senseless(&error))?;
        let number = |field: &str| row.get(field).and_then(Value::as_u64);
        let standing = row.get("standing").and_then(Value::as_str).unwrap_or("");
        Ok(Self {
            standing: Standing::from_json(standing).map_err(|error| senseless(&error))?,
            revision: number("revision").ok_or_else(|| senseless(&"no revision to go back to"))?,
            draft: number("draft"),
            confirmed_at: row.get("confirmedAt").and_then(Value::as_i64).map(Millis),
        })
    }
}

/// The deciding columns of a row, as the table of reviews takes them.
pub(super) fn standing(row: &MemoryRow) -> Standing {
    Standing {
        status: row.status,
        lifecycle: row.lifecycle,
        provenance: row.provenance,
        first_provenance: row.first_provenance,
        bits: row.bits,
        shelf: row.shelf,
        channel: row.channel,
    }
}
