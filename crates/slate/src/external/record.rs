//! The record of one generation of an external slate, as its file holds it.

use serde::{Deserialize, Serialize};
use taffrail_domain::{CloseTrigger, Millis, WorkspaceId, id_prefix};

use super::{Anchors, ExternalId, SEEDS_LIMIT, Seed, SlateError};

/// An external slate: one generation of one id. Its texts came in as `Clean`, or are read from the home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Slate {
    external_session_id: String,
    /// From 1; one more each time that the id is opened after a close.
    pub generation: u32,
    /// The workspace that it was bound to when it was opened, as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Where the work stands, as sent.
    pub anchors: Anchors,
    seeds: Vec<Seed>,
    /// When it was opened or the last seed was written.
    #[serde(with = "moment")]
    pub last_write_at: Millis,
    /// When it was closed. A file with this is on its way to `closed/`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "moment_maybe"
    )]
    pub closed_at: Option<Millis>,
    /// What closed it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "word")]
    pub closed_by: Option<CloseTrigger>,
}

impl Slate {
    /// A slate without seeds.
    pub fn new(id: &ExternalId, generation: u32, anchors: Anchors, now: Millis) -> Self {
        Self {
            external_session_id: id.as_str().to_owned(),
            generation,
            workspace_id: None,
            anchors,
            seeds: Vec::new(),
            last_write_at: now,
            closed_at: None,
            closed_by: None,
        }
    }

    /// The id, as it was given.
    pub fn id(&self) -> &str {
        &self.external_session_id
    }

    /// Its seeds, oldest first.
    pub fn seeds(&self) -> &[Seed] {
        &self.seeds
    }

    /// The seed that came with a key of this hash.
    pub fn seed_of_key(&self, hash: &str) -> Option<&Seed> {
        self.seeds
            .iter()
            .find(|seed| seed.key_hash.as_deref() == Some(hash))
    }

    /// Adds a seed; it is the last write.
    ///
    /// # Errors
    /// `Full` at 200.
    pub fn add(&mut self, seed: Seed) -> Result<(), SlateError> {
        if self.seeds.len() >= SEEDS_LIMIT {
            return Err(SlateError::Full { limit: SEEDS_LIMIT });
        }
        self.last_write_at = seed.ts;
        self.seeds.push(seed);
        Ok(())
    }

    /// Marks it closed.
    pub fn close(&mut self, by: CloseTrigger, now: Millis) {
        self.closed_at = Some(now);
        self.closed_by = Some(by);
    }

    /// Whether nobody wrote for longer than `idle_millis`. A time in the future is not idle.
    pub fn is_idle(&self, now: Millis, idle_millis: i64) -> bool {
        Self::idle_since(self.last_write_at, now, idle_millis)
    }

    /// [`Slate::is_idle`], where no more than the time of the last write is known.
    pub fn idle_since(last_write: Millis, now: Millis, idle_millis: i64) -> bool {
        now.0.saturating_sub(last_write.0) > idle_millis
    }

    /// The record as its file holds it: one line of JSON.
    ///
    /// # Errors
    /// What does not fit, for a record that [`Slate::read`] would refuse.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        self.check()?;
        let mut bytes = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The record of this id from the bytes of its file.
    ///
    /// # Errors
    /// What is wrong with them. Nothing of what was read is quoted: it may be anything.
    pub fn read(bytes: &[u8], id: &ExternalId) -> Result<Self, String> {
        let slate: Self = serde_json::from_slice(bytes).map_err(|error| unread(&error))?;
        if slate.external_session_id != id.as_str() {
            return Err("it is the slate of another id".to_owned());
        }
        slate.check().map(|()| slate)
    }

    fn check(&self) -> Result<(), String> {
        let fits = |fits: bool, what: &str| fits.then_some(()).ok_or_else(|| what.to_owned());
        fits(self.generation > 0, "its generation is 0")?;
        fits(self.seeds.len() <= SEEDS_LIMIT, "it has too many seeds")?;
        let is_workspace =
            |id: &str| id_prefix(WorkspaceId::PREFIX, id).is_ok_and(|id| id.len() == 14);
        let workspace = self.workspace_id.as_deref().is_none_or(is_workspace);
        fits(workspace, "its workspace is no id")?;
        fits(
            self.seeds.iter().all(Seed::is_whole),
            "a seed of it is none of ours",
        )?;
        fits(
            self.closed_at.is_some() == self.closed_by.is_some(),
            "it does not say when, or by what, it was closed",
        )
    }
}

/// Where reading failed, without a word of what was read.
fn unread(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let (line, column) = (error.line(), error.column());
    let what = match error.classify() {
        Category::Data => "a field does not fit",
        Category::Eof => "it ends too early",
        Category::Syntax | Category::Io => "it is no JSON",
    };
    format!("{what} (line {line}, column {column})")
}

/// Times as the wire and the file write them: `2026-11-30T02:15:00.000Z`.
pub(super) mod moment {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _, ser::Error as _};
    use taffrail_domain::Millis;

    /// Years before it are written with a sign, which other readers do not expect.
    const YEAR_0: Millis = Millis(-62_167_219_200_000);

    pub fn serialize<S: Serializer>(at: &Millis, out: S) -> Result<S::Ok, S::Error> {
        let text =
            text(*at).ok_or_else(|| S::Error::custom("a time outside of the years 0 to 9999"))?;
        out.serialize_str(&text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Millis, D::Error> {
        let text = String::deserialize(from)?;
        parse(&text).ok_or_else(|| D::Error::custom("it is not a time"))
    }

    fn text(at: Millis) -> Option<String> {
        let stamp = jiff::Timestamp::from_millisecond(at.0).ok()?;
        (stamp.as_millisecond() >= YEAR_0.0).then(|| format!("{stamp:.3}"))
    }

    pub(in crate::external) fn parse(text: &str) -> Option<Millis> {
        let stamp: jiff::Timestamp = text.parse().ok()?;
        Some(Millis(stamp.as_millisecond()))
    }
}

/// [`moment`], where it may be absent.
pub(super) mod moment_maybe {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use taffrail_domain::Millis;

    use super::moment;

    pub fn serialize<S: Serializer>(at: &Option<Millis>, out: S) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => moment::serialize(at, out),
            None => out.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Millis>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        let parsed = moment::parse(&text);
        parsed
            .map(Some)
            .ok_or_else(|| D::Error::custom("it is not a time"))
    }
}

/// A word of a closed list, where it may be absent.
pub(super) mod word {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<W: Serialize, S: Serializer>(
        word: &Option<W>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        word.serialize(out)
    }

    pub fn deserialize<'de, W: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<W>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}
