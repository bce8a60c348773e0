//! A seed without its text, as a candidate's row keeps it: who wrote it, when, and its hash. One shape, written and read here.

use serde::{Deserialize, Serialize};
use taffrail_domain::{Millis, SeedKind};
use taffrail_slate::external::{Origin, Seed, Trust};

/// What is known of a seed besides its text. Untrusted: the program's own words about itself are in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedFacts {
    /// `seed-` and a UUID.
    pub id: String,
    /// When it was written, in milliseconds since 1970.
    #[serde(rename = "ts")]
    millis: i64,
    /// What kind of knowledge its writer said it is; none where it said nothing.
    #[serde(default)]
    kind: Option<String>,
    /// Who wrote it.
    pub origin: Origin,
    /// A label for the reviewer.
    pub trust: Trust,
    /// SHA-256 over its id and text, in hexadecimal.
    pub hash: String,
}

impl SeedFacts {
    pub(super) fn of(seed: &Seed) -> Self {
        Self {
            id: seed.id.clone(),
            millis: seed.ts.0,
            kind: seed.kind.map(|kind| kind.name().to_owned()),
            origin: seed.origin.clone(),
            trust: seed.trust,
            hash: seed.hash(),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Read back; none where the row holds something else.
    pub fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// When it was written.
    pub const fn at(&self) -> Millis {
        Millis(self.millis)
    }

    /// What kind of knowledge its writer said it is.
    pub fn kind(&self) -> Option<SeedKind> {
        self.kind.as_deref()?.parse().ok()
    }

    /// The label as it is written everywhere.
    pub const fn trust(&self) -> &'static str {
        match self.trust {
            Trust::ExternalUnverified => "external-unverified",
        }
    }
}
