//! A seed: a candidate for lasting knowledge, as another program wrote it (XSL-07).

use serde::{Deserialize, Serialize};
use taffrail_domain::{Millis, SeedKind, hex};
use taffrail_redact::{Clean, Redactor};

use super::anchors::within;
use super::{KEY_LIMIT, SlateError, TEXT_LIMIT};

/// Longest name and version of a program, in characters.
const CLIENT_LIMIT: usize = 128;

/// The program at the other end, as its `initialize` names it. Masked like every text of a stranger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Bytes of an agent's id.
const AGENT_LIMIT: usize = 64;

/// Who wrote a seed. Only the server writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// By which surface: `mcp-external`; `external:` and the agent's id for the agent of a run; `keryx` for an imported one.
    pub harness: String,
    /// The program that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
}

impl Origin {
    /// What an MCP client writes comes from here.
    pub const MCP: &'static str = "mcp-external";
    /// What was imported from keryx.
    pub const KERYX: &'static str = "keryx";
    /// What every origin begins with whose seed came from the agent of a run, by a door of the run's own process.
    pub const RUN: &'static str = "external:";

    /// Whether it came from the agent of a run.
    pub fn is_of_run(&self) -> bool {
        self.harness.starts_with(Self::RUN)
    }

    /// Whether it is one of ours. The ids of agents are keys of the configuration.
    fn is_known(&self) -> bool {
        let plain = |at: u8| at.is_ascii_alphanumeric() || b"_-.".contains(&at);
        let of_run = self.harness.strip_prefix(Self::RUN);
        [Self::MCP, Self::KERYX].contains(&self.harness.as_str())
            || of_run.is_some_and(|agent| {
                (1..=AGENT_LIMIT).contains(&agent.len()) && agent.bytes().all(plain)
            })
    }
}

/// A label for the reviewer; it filters nothing (XSL-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// Nobody has checked who wrote it.
    #[serde(rename = "external-unverified")]
    ExternalUnverified,
}

impl Trust {
    /// The stable word, as on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExternalUnverified => "external-unverified",
        }
    }
}

/// A candidate for lasting knowledge. Its text has no secret the redactor knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seed {
    /// `seed-` and a UUID.
    pub id: String,
    text: String,
    #[serde(with = "super::record::moment")]
    /// When it was written.
    pub ts: Millis,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "super::record::word"
    )]
    /// What kind of knowledge it is, where its writer said so.
    pub kind: Option<SeedKind>,
    /// Who wrote it.
    pub origin: Origin,
    /// A label for the reviewer.
    pub trust: Trust,
    /// SHA-256 of the idempotency key that it came with: the same key again is the same seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_hash: Option<String>,
}

impl Seed {
    /// A seed of a text that passed [`Seed::check`] and the redactor.
    pub fn new(
        random: [u8; 16],
        text: Clean,
        ts: Millis,
        kind: Option<SeedKind>,
        origin: Origin,
    ) -> Self {
        let id = uuid::Builder::from_random_bytes(random).into_uuid();
        Self {
            id: format!("seed-{id}"),
            text: text.into_string(),
            ts,
            kind,
            origin,
            trust: Trust::ExternalUnverified,
            key_hash: None,
        }
    }

    /// The limits of a text, before redaction: not blank, at most 4,000 characters.
    ///
    /// # Errors
    /// `Blank`, `TooLong`.
    pub fn check(text: &str) -> Result<(), SlateError> {
        if text.chars().all(says_nothing) {
            return Err(SlateError::Blank { argument: "text" });
        }
        within("text", text, TEXT_LIMIT)
    }

    /// Whether this is an id as [`Seed::new`] makes them.
    pub fn is_id(text: &str) -> bool {
        let uuid = text.strip_prefix("seed-").filter(|uuid| uuid.len() == 36);
        uuid.is_some_and(|uuid| uuid::Uuid::try_parse(uuid).is_ok())
    }

    /// Whether its facts have the shapes that this program gives them; its text may be any.
    pub(super) fn is_whole(&self) -> bool {
        let is_hash =
            |hash: &str| hash.len() == 64 && hash.bytes().all(|at| at.is_ascii_hexdigit());
        let clients = self.origin.client.iter();
        Self::is_id(&self.id)
            && self.origin.is_known()
            && self.key_hash.as_deref().is_none_or(is_hash)
            && clients
                .flat_map(|client| [&client.name, &client.version])
                .all(|text| text.chars().count() <= CLIENT_LIMIT)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 over the seed's id and text, as evidence (MEM-07).
    pub fn hash(&self) -> String {
        use sha2::{Digest, Sha256};
        let mut hasher = Sha256::new();
        hasher.update(b"taffrail seed\0");
        hasher.update(self.id.as_bytes());
        hasher.update([0]);
        hasher.update(self.text.as_bytes());
        hex(&hasher.finalize())
    }
}

/// What an idempotency key is remembered by. The key itself is not kept: it may hold anything.
///
/// # Errors
/// `Blank`, `TooLong`.
pub fn idempotency_hash(key: &str) -> Result<String, SlateError> {
    use sha2::{Digest, Sha256};
    if key.is_empty() {
        let argument = "idempotencyKey";
        return Err(SlateError::Blank { argument });
    }
    within("idempotencyKey", key, KEY_LIMIT)?;
    Ok(hex(&Sha256::digest(key.as_bytes())))
}

impl Client {
    /// The program's own words about itself, masked, then clipped at 128 characters each.
    pub fn masked(name: &str, version: &str, redactor: &Redactor) -> Self {
        // In this order: half of a secret would not be known for one.
        let masked = |text: &str| {
            let clean = redactor.clean(text);
            clean.as_str().chars().take(CLIENT_LIMIT).collect()
        };
        Self {
            name: masked(name),
            version: masked(version),
        }
    }
}

/// Whether a character leaves nothing to read: white space, controls, and what is drawn as nothing.
fn says_nothing(at: char) -> bool {
    /// Soft hyphen, the joiners, the direction marks, the word joiner, the byte order mark, the blank of Hangul.
    const NOTHING: &[char] = &[
        '\u{ad}', '\u{180e}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}',
        '\u{2060}', '\u{3164}', '\u{feff}',
    ];
    at.is_whitespace() || at.is_control() || NOTHING.contains(&at)
}
