//! Where a memory stands: the columns that a review decides, and the three it never touches.

use serde_json::{Value, json};
use taffrail_domain::{Channel, Lifecycle, MemoryStatus, PolicyBits, Provenance, Shelf};

/// The deciding columns of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What a person decided.
    pub status: MemoryStatus,
    /// Whether it is in force.
    pub lifecycle: Lifecycle,
    /// How it came to be said, or `user_confirmed`.
    pub provenance: Provenance,
    /// How it first came to be said; never changed.
    pub first_provenance: Provenance,
    /// What it may be used for.
    pub bits: PolicyBits,
    /// Where in the queue it stands when it waits; never changed by a review.
    pub shelf: Shelf,
    /// By which door it came; never changed (MEM-06).
    pub channel: Channel,
}

/// Why a text is no standing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a standing: `{field}` is missing or no word of its list")]
pub struct StandingError {
    /// The field.
    pub field: &'static str,
}

impl Standing {
    /// Where every memory begins: pending, in force, of no influence.
    ///
    /// A writer cannot claim `user_confirmed`: it is taken as `observed`.
    pub fn at_insert(provenance: Provenance, channel: Channel, shelf: Shelf) -> Self {
        let first = match provenance {
            Provenance::UserConfirmed => Provenance::Observed,
            Provenance::Observed
            | Provenance::Inferred
            | Provenance::Imported
            | Provenance::Generated
            | Provenance::Superseded
            | Provenance::Disputed => provenance,
        };
        Self {
            status: MemoryStatus::Pending,
            lifecycle: Lifecycle::Active,
            provenance: first,
            first_provenance: first,
            bits: PolicyBits::AT_INSERT,
            shelf,
            channel,
        }
    }

    /// Canonical JSON, as a review's row keeps it for an undo.
    pub fn json(&self) -> String {
        json!({
            "status": self.status,
            "lifecycle": self.lifecycle,
            "provenance": self.provenance,
            "firstProvenance": self.first_provenance,
            "bits": self.bits.byte(),
            "shelf": self.shelf,
            "channel": self.channel,
        })
        .to_string()
    }

    /// The standing that [`Standing::json`] wrote.
    ///
    /// # Errors
    /// The first field that is missing or holds no word of its list.
    pub fn from_json(text: &str) -> Result<Self, StandingError> {
        let row: Value = serde_json::from_str(text).map_err(|_| StandingError { field: "{}" })?;
        Ok(Self {
            status: word(&row, "status")?,
            lifecycle: word(&row, "lifecycle")?,
            provenance: word(&row, "provenance")?,
            first_provenance: word(&row, "firstProvenance")?,
            bits: bits(&row)?,
            shelf: word(&row, "shelf")?,
            channel: word(&row, "channel")?,
        })
    }
}

fn word<T: std::str::FromStr>(row: &Value, field: &'static str) -> Result<T, StandingError> {
    row.get(field)
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok())
        .ok_or(StandingError { field })
}

fn bits(row: &Value) -> Result<PolicyBits, StandingError> {
    row.get("bits")
        .and_then(Value::as_u64)
        .filter(|byte| *byte < 16)
        .map(|byte| PolicyBits {
            can_use_as_instruction: byte & 1 != 0,
            can_use_as_evidence: byte & 2 != 0,
            requires_user_confirmation: byte & 4 != 0,
            do_not_inject_automatically: byte & 8 != 0,
        })
        .ok_or(StandingError { field: "bits" })
}
