//! Reads the record of an external slate as another harness, keryx, keeps it, for `workspace import --from keryx`.
//!
//! The file is a stranger's: bounded, masked on the way in, and whatever does not fit is left out and said. What is absent
//! or of another type counts as not given; only an id must be there.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};
use taffrail_domain::Millis;
use taffrail_redact::{Clean, Redactor};
use thiserror::Error;

use super::record::moment;
use super::{
    Anchors, AnchorsSent, ExternalId, NOTE_LIMIT, Origin, ROOT_LIMIT, SEEDS_LIMIT, Seed,
    SlateError, TOUCHED_ITEM_LIMIT, TOUCHED_LIMIT,
};

/// Largest file that is read, in bytes. Its own limits, 200 seeds of 4,000 UTF-16 units, keep it below 6 MiB.
pub const FILE_LIMIT: usize = 16 << 20;

/// What an import needs of a record. No text of it has a secret that the redactor knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The id that the other program gave it.
    pub id: ExternalId,
    /// The workspace that it was bound to there, if it was; it means nothing here.
    pub workspace: Option<Clean>,
    /// Where the work stood.
    pub anchors: Anchors,
    /// Its seeds, in its order; each says `keryx` as where it comes from.
    pub seeds: Vec<Seed>,
    /// When it was written to last.
    pub last_write_at: Millis,
    /// When it was closed; absent for one that is open there.
    pub closed_at: Option<Millis>,
    /// What was not taken as it stands there.
    pub remarks: Vec<Remark>,
}

/// Why a file is no record. Quotes nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeryxError {
    /// It is larger than what is read.
    #[error("it is larger than {FILE_LIMIT} bytes")]
    TooLarge,
    /// It is no JSON object.
    #[error("it is no JSON object")]
    NotJson,
    /// It has no `externalSessionId`.
    #[error("it has no 'externalSessionId'")]
    NoId,
    /// Its id is none of ours.
    #[error(transparent)]
    Id(#[from] SlateError),
}

/// Something that was not taken as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A seed was left out.
    Seed {
        /// Its place, from 1.
        place: usize,
        /// Why.
        why: SlateError,
    },
    /// A seed's kind is none of ours: it counts as a follow-up.
    Kind {
        /// The seed's place, from 1.
        place: usize,
    },
    /// Seeds past the most that a slate may have were left out.
    Seeds {
        /// How many.
        count: usize,
    },
    /// An anchor was cut at its limit.
    Cut {
        /// Which.
        argument: &'static str,
        /// Its limit, in characters.
        limit: usize,
    },
    /// Files past the most that anchors may have were left out.
    Touched {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed { place, why } => write!(out, "seed {place} was left out: {why}"),
            Self::Kind { place } => {
                write!(
                    out,
                    "the kind of seed {place} is unknown: it is a follow-up"
                )
            }
            Self::Seeds { count } => {
                write!(
                    out,
                    "{count} seeds past the first {SEEDS_LIMIT} were left out"
                )
            }
            Self::Cut { argument, limit } => {
                write!(out, "'{argument}' was cut at {limit} characters")
            }
            Self::Touched { count } => write!(
                out,
                "{count} of 'anchors.touched' past the first {TOUCHED_LIMIT} were left out"
            ),
        }
    }
}

/// Reads one record. `now` stands for a time that it does not say.
///
/// # Errors
/// What makes it no record at all; everything else is a remark.
pub fn read(bytes: &[u8], redactor: &Redactor, now: Millis) -> Result<Imported, KeryxError> {
    if bytes.len() > FILE_LIMIT {
        return Err(KeryxError::TooLarge);
    }
    let record: Value = serde_json::from_slice(bytes).map_err(|_| KeryxError::NotJson)?;
    if !record.is_object() {
        return Err(KeryxError::NotJson);
    }
    let id = text(&record, "externalSessionId").ok_or(KeryxError::NoId)?;
    let id = ExternalId::new(id, redactor)?;
    let (closed_at, last_write) = (time(&record, "closedAt"), time(&record, "lastWriteAt"));
    let mut reader = Reader {
        redactor,
        id: id.as_str(),
        now: last_write.or(closed_at).unwrap_or(now),
        remarks: Vec::new(),
    };
    let anchors = reader.anchors(record.get("anchors").unwrap_or(&Value::Null))?;
    let seeds = reader.seeds(record.get("seeds").unwrap_or(&Value::Null));
    let latest = seeds.iter().map(|seed| seed.ts).max();
    Ok(Imported {
        workspace: text(&record, "workspaceId").map(|id| redactor.clean(id)),
        anchors,
        last_write_at: last_write.or(latest).unwrap_or(reader.now),
        closed_at,
        remarks: reader.remarks,
        seeds,
        id,
    })
}

struct Reader<'a> {
    redactor: &'a Redactor,
    id: &'a str,
    /// The time of a seed that does not say one.
    now: Millis,
    remarks: Vec<Remark>,
}

impl Reader<'_> {
    fn anchors(&mut self, from: &Value) -> Result<Anchors, SlateError> {
        let listed = from.get("touched").and_then(Value::as_array);
        let texts = listed.into_iter().flatten().filter_map(Value::as_str);
        let count = texts.clone().count().saturating_sub(TOUCHED_LIMIT);
        if count > 0 {
            self.remarks.push(Remark::Touched { count });
        }
        let sent = AnchorsSent {
            root: text(from, "root").map(|root| self.cut("anchors.root", root, ROOT_LIMIT)),
            touched: texts
                .take(TOUCHED_LIMIT)
                .map(|item| self.cut("anchors.touched[]", item, TOUCHED_ITEM_LIMIT))
                .collect(),
            note: text(from, "note").map(|note| self.cut("anchors.note", note, NOTE_LIMIT)),
        };
        Anchors::new(&sent, self.redactor)
    }

    /// Masked first: half of a secret would not be known for one.
    fn cut(&mut self, argument: &'static str, text: &str, limit: usize) -> String {
        let masked = self.redactor.clean(text).into_string();
        let Some((end, _)) = masked.char_indices().nth(limit) else {
            return masked;
        };
        let remark = Remark::Cut { argument, limit };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
        masked.get(..end).unwrap_or_default().to_owned()
    }

    fn seeds(&mut self, from: &Value) -> Vec<Seed> {
        let listed = from.as_array().map(Vec::as_slice).unwrap_or_default();
        let count = listed.len().saturating_sub(SEEDS_LIMIT);
        let places = listed.iter().take(SEEDS_LIMIT).zip(1..);
        let mut seeds = Vec::new();
        for (from, place) in places {
            match self.seed(from, place) {
                Ok(seed) => seeds.push(seed),
                Err(why) => self.remarks.push(Remark::Seed { place, why }),
            }
        }
        if count > 0 {
            self.remarks.push(Remark::Seeds { count });
        }
        seeds
    }

    fn seed(&mut self, from: &Value, place: usize) -> Result<Seed, SlateError> {
        let said = text(from, "text").unwrap_or_default();
        Seed::check(said)?;
        let word = from.get("kind").filter(|kind| !kind.is_null());
        let kind = word
            .and_then(Value::as_str)
            .and_then(|kind| kind.parse().ok());
        if word.is_some() && kind.is_none() {
            self.remarks.push(Remark::Kind { place });
        }
        let origin = Origin {
            harness: Origin::KERYX.to_owned(),
            client: None,
        };
        let ts = time(from, "ts").unwrap_or(self.now);
        let random = self.random(said, place);
        let mut seed = Seed::new(random, self.redactor.clean(said), ts, kind, origin);
        if let Some(id) = text(from, "id").filter(|id| Seed::is_id(id)) {
            seed.id = id.to_owned();
        }
        Ok(seed)
    }

    /// The bytes of the id of a seed without one of its own: the same file gives the same ids again.
    fn random(&self, said: &str, place: usize) -> [u8; 16] {
        let mut hasher = Sha256::new();
        hasher.update(format!("keryx seed\0{}\0{place}\0{said}", self.id));
        let hash = hasher.finalize();
        hash.first_chunk().copied().unwrap_or_default()
    }
}

fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name)?.as_str()
}

fn time(of: &Value, name: &str) -> Option<Millis> {
    moment::parse(text(of, name)?)
}
