//! The one door by which memories come in: whole batches, each draft a row or a repeat (MEM-02, MEM-04, MEM-05).

use rusqlite::{OptionalExtension, Transaction, params};
use taffrail_domain::{Channel, MemoryId, Shelf};
use taffrail_memory::draft::{
    Blocked, HashedText, Scope, Screened, content_hash, idempotency_key, shelf, text_key, witness,
};
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_memory::review::Standing;

use super::model::{Outcome, Written};
use super::{index, near, read};
use crate::convert::Fault;
use crate::projects::project_seq;
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

/// Drafts of one transaction at most, so that other processes get their turn.
const BATCH: usize = 500;

/// A screened draft on its way in.
#[derive(Debug, Clone)]
pub struct NewMemory {
    /// What the guardrails let through.
    pub draft: Screened,
    /// The id that it gets if it is new.
    pub id: MemoryId,
    /// Random bytes for its hash.
    pub salt: [u8; 16],
}

/// A draft that the guardrails refused: why, and who it was, without the text.
#[derive(Debug, Clone)]
pub struct BlockedDraft<'a> {
    /// Why.
    pub why: &'a Blocked,
    /// Whose memory it would have been.
    pub scope: Scope,
    /// By which door it came.
    pub channel: Channel,
}

impl Store {
    /// Puts one screened draft on record, or says what holds it already. It arrives pending.
    ///
    /// # Errors
    /// `NotFound` for an unknown project or source memory; `IdTaken`; otherwise as for every write.
    pub fn write_memory(&self, new: NewMemory) -> Result<Written, StoreError> {
        let mut written = self.write_memories(vec![new])?;
        written.pop().ok_or_else(|| StoreError::NotFound {
            what: "memory",
            asked: "the draft".to_owned(),
        })
    }

    /// Puts screened drafts on record, in their order: one transaction per 500. The answers stand in the same order. An
    /// error leaves the transactions before it in force; writing the same drafts again repeats nothing.
    ///
    /// # Errors
    /// As for [`Self::write_memory`].
    pub fn write_memories(&self, new: Vec<NewMemory>) -> Result<Vec<Written>, StoreError> {
        let mut written = Vec::with_capacity(new.len());
        let mut rest = new.into_iter();
        loop {
            let batch: Vec<NewMemory> = rest.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(written);
            }
            let now = self.now();
            written.extend(self.write(Durability::Full, move |transaction| {
                let batch: Vec<&NewMemory> = batch.iter().collect();
                put_all(transaction, &batch, now)
            })?);
        }
    }

    /// Puts on record that the guardrails refused a draft: the rule, the family and the kind of place, and no text.
    ///
    /// # Errors
    /// As for every write.
    pub fn block(&self, blocked: &BlockedDraft<'_>) -> Result<(), StoreError> {
        let facts = blocked_facts(blocked);
        let now = self.now();
        self.write(Durability::Full, move |transaction| {
            journal::append(transaction, now, EventKind::MemoryBlocked, None, &facts)?;
            Ok(())
        })
    }
}

/// Puts drafts on record inside somebody's transaction, in their order: the one way in, for batches, closed slates and all.
pub(crate) fn put_all(
    transaction: &Transaction<'_>,
    batch: &[&NewMemory],
    now: i64,
) -> Result<Vec<Written>, Fault> {
    let mut made = Vec::new();
    let written = (0..)
        .zip(batch)
        .map(|(at, new)| {
            Write {
                transaction,
                new,
                at,
                now,
            }
            .run(&mut made)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let made: Vec<_> = made
        .iter()
        .filter_map(|made: &Made| Some((made, &batch.get(made.at)?.draft)))
        .collect();
    index::put_new(transaction, &made, now)?;
    Ok(written)
}

/// Puts on record inside somebody's transaction that the guardrails refused a draft.
pub(crate) fn record_blocked(
    transaction: &Transaction<'_>,
    blocked: &BlockedDraft<'_>,
    now: i64,
) -> Result<(), Fault> {
    let facts = blocked_facts(blocked);
    journal::append(transaction, now, EventKind::MemoryBlocked, None, &facts)?;
    Ok(())
}

fn blocked_facts(blocked: &BlockedDraft<'_>) -> Facts {
    let mut facts = Facts::new()
        .word("channel", blocked.channel.name())
        .word("reason", blocked.why.word());
    if let Some(family) = blocked.why.family() {
        facts = facts.word("family", family);
    }
    if let Some(place) = place_of(blocked.why) {
        facts = facts.word("place", place);
    }
    if let Scope::Project(project) = blocked.scope {
        facts = facts.id("project", project.bytes());
    }
    facts
}

/// The kind of place, in words of ours: a place's own number is left out, because the journal has no free text.
fn place_of(why: &Blocked) -> Option<&'static str> {
    const PLACES: [&str; 9] = [
        "context",
        "summary",
        "content",
        "source ref",
        "artifact",
        "source",
        "foreign id",
        "evidence",
        "slate kind",
    ];
    let place = match why {
        Blocked::Secret { place, .. }
        | Blocked::TooLong { place, .. }
        | Blocked::Empty { place } => place,
        Blocked::MissingSourceRef { .. }
        | Blocked::Inlined { .. }
        | Blocked::TooMany { .. }
        | Blocked::Confidence { .. } => return None,
    };
    PLACES.into_iter().find(|word| place.contains(word))
}

struct Write<'a> {
    transaction: &'a Transaction<'a>,
    new: &'a NewMemory,
    /// Its place in the batch.
    at: usize,
    now: i64,
}

/// A new row, which the recall index is told of with the others of its batch.
pub(crate) struct Made {
    /// The memory's number.
    pub(crate) seq: i64,
    /// Its project's.
    pub(crate) project: Option<i64>,
    /// The place of its draft in the batch.
    pub(crate) at: usize,
}

impl Write<'_> {
    /// What is new is added to `made`.
    fn run(&self, made: &mut Vec<Made>) -> Result<Written, Fault> {
        let draft = &self.new.draft;
        let project = match draft.scope {
            Scope::Project(id) => Some(project_seq(self.transaction, &id)?),
            Scope::Personal => None,
        };
        let key = idempotency_key(draft);
        if let Some((seq, id)) = self.with(
            "SELECT seq, id FROM memories WHERE idempotency_key = ?1",
            &key,
        )? {
            return self.repeat(seq, id, false);
        }
        let text_key = text_key(draft);
        let said = "SELECT seq, id FROM memories WHERE text_key = ?1 ORDER BY seq LIMIT 1";
        if let Some((seq, id)) = self.with(said, &text_key)? {
            return self.repeat(seq, id, true);
        }
        self.refuse_id()?;
        let sources = self.sources()?;
        let seq = self.insert(project, &key, &text_key, &sources)?;
        self.insert_text(seq)?;
        self.insert_about(seq, &sources)?;
        self.witness(seq)?;
        near::find(self.transaction, seq, project, draft.content.as_str())?;
        made.push(Made {
            seq,
            project,
            at: self.at,
        });
        self.record(&sources)?;
        let outcome = Outcome::New;
        Ok(Written {
            memory: self.new.id,
            outcome,
        })
    }

    fn with(&self, sql: &str, key: &[u8; 32]) -> Result<Option<(i64, MemoryId)>, Fault> {
        Ok(self
            .transaction
            .prepare_cached(sql)?
            .query_row([key], |row| {
                Ok((row.get(0)?, row.get(1).map(MemoryId::from_bytes)?))
            })
            .optional()?)
    }

    /// Said again: the row stays as it is. Another task or source is a witness, unless it was told by us.
    fn repeat(&self, seq: i64, memory: MemoryId, by_another: bool) -> Result<Written, Fault> {
        self.insert_foreign_ids(seq)?;
        if by_another && !self.was_told(&memory)? && self.witness(seq)? {
            let facts = Facts::new().word("channel", self.new.draft.channel.name());
            let subject = Some(memory.bytes());
            journal::append(
                self.transaction,
                self.now,
                EventKind::MemoryWitnessed,
                subject,
                &facts,
            )?;
        }
        let witnesses: i64 = self
            .transaction
            .prepare_cached("SELECT count(*) FROM memory_witnesses WHERE memory = ?1")?
            .query_row([seq], |row| row.get(0))?;
        let witnesses = u64::try_from(witnesses).unwrap_or_default();
        let outcome = Outcome::Repeat { witnesses };
        Ok(Written { memory, outcome })
    }

    /// Whether a recall gave this memory to the session that says it now.
    fn was_told(&self, memory: &MemoryId) -> Result<bool, Fault> {
        let Some(session) = &self.new.draft.source.session else {
            return Ok(false);
        };
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM recall_trace_items i JOIN recall_traces t ON t.seq = i.trace
                                WHERE i.memory = ?1 AND i.outcome = 'given' AND t.session = ?2)",
            )?
            .query_row(params![memory.bytes(), session], |row| row.get(0))?)
    }

    /// Counts who says it; whether it is somebody new.
    fn witness(&self, seq: i64) -> Result<bool, Fault> {
        let added = self
            .transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_witnesses (memory, witness, created_at) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![seq, witness(&self.new.draft.source), self.now])?;
        Ok(added > 0)
    }

    fn refuse_id(&self) -> Result<(), Fault> {
        let id = self.new.id;
        let taken: bool = self
            .transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1 OR short = ?2)")?
            .query_row(params![id.bytes(), id.short()], |row| row.get(0))?;
        if taken {
            let id = id.short();
            return Err(StoreError::IdTaken { id }.into());
        }
        Ok(())
    }

    /// What it was derived from, and the lowest channel of all of them and its own (MEM-06).
    fn sources(&self) -> Result<Sources, Fault> {
        let mut sources = Sources {
            memories: Vec::with_capacity(self.new.draft.derived_from.len()),
            channel: self.new.draft.channel,
        };
        for id in &self.new.draft.derived_from {
            let (seq, channel) = self
                .transaction
                .prepare_cached("SELECT seq, channel FROM memories WHERE id = ?1")?
                .query_row([id.bytes()], |row| {
                    Ok((
                        row.get(0)?,
                        crate::convert::parsed::<Channel>(row, "channel")?,
                    ))
                })
                .optional()?
                .ok_or_else(|| read::unknown(&id.short()))?;
            sources.memories.push(seq);
            sources.channel = sources.channel.lowest(channel);
        }
        Ok(sources)
    }

    fn insert(
        &self,
        project: Option<i64>,
        key: &[u8; 32],
        text_key: &[u8; 32],
        sources: &Sources,
    ) -> Result<i64, Fault> {
        let draft = &self.new.draft;
        let shelf = sources.shelf(draft);
        let standing = Standing::at_insert(draft.provenance, sources.channel, shelf);
        self.transaction
            .prepare_cached(
                "INSERT INTO memories (id, short, project, type, first_provenance, provenance, channel,
                     can_use_as_instruction, can_use_as_evidence, requires_user_confirmation,
                     do_not_inject_automatically, status, lifecycle, shelf, confidence, slate_kind, is_open,
                     stale_after, source, idempotency_key, text_key, created_at, inserted_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
                         ?20, ?21, ?22, ?23)",
            )?
            .execute(params![
                self.new.id.bytes(),
                self.new.id.short(),
                project,
                draft.kind.name(),
                standing.first_provenance.name(),
                standing.provenance.name(),
                standing.channel.name(),
                standing.bits.can_use_as_instruction,
                standing.bits.can_use_as_evidence,
                standing.bits.requires_user_confirmation,
                standing.bits.do_not_inject_automatically,
                standing.status.name(),
                standing.lifecycle.name(),
                standing.shelf.name(),
                draft.confidence,
                draft.slate_kind.as_ref().map(|kind| kind.as_str()),
                draft.is_open,
                draft.stale_after.map(|at| at.0),
                draft.source_json.as_str(),
                key,
                text_key,
                draft.created.map_or(self.now, |at| at.0),
                self.now,
            ])?;
        Ok(self.transaction.last_insert_rowid())
    }

    fn insert_text(&self, seq: i64) -> Result<(), Fault> {
        insert_text(
            self.transaction,
            seq,
            1,
            &self.new.draft,
            &self.new.salt,
            self.now,
        )
    }

    fn insert_about(&self, seq: i64, sources: &Sources) -> Result<(), Fault> {
        self.insert_foreign_ids(seq)?;
        for from in &sources.memories {
            self.transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO memory_derivations (memory, derived_from) VALUES (?1, ?2)",
                )?
                .execute(params![seq, from])?;
        }
        if let Some(evidence) = &self.new.draft.evidence {
            self.transaction
                .prepare_cached("INSERT INTO memory_evidence (memory, facts) VALUES (?1, ?2)")?
                .execute(params![seq, evidence.as_str()])?;
        }
        Ok(())
    }

    fn insert_foreign_ids(&self, seq: i64) -> Result<(), Fault> {
        for id in &self.new.draft.foreign_ids {
            self.transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO memory_foreign_ids (memory, foreign_id) VALUES (?1, ?2)",
                )?
                .execute(params![seq, id.as_str()])?;
        }
        Ok(())
    }

    fn record(&self, sources: &Sources) -> Result<(), Fault> {
        let draft = &self.new.draft;
        let facts = Facts::new()
            .word("channel", sources.channel.name())
            .content(
                "content",
                content_hash(&self.new.salt, &HashedText::of(draft)),
            )
            .ids(
                "derived_from",
                draft.derived_from.iter().map(MemoryId::bytes),
            )
            .word("shelf", sources.shelf(draft).name())
            .word("type", draft.kind.name());
        let facts = match draft.scope {
            Scope::Project(project) => facts.id("project", project.bytes()),
            Scope::Personal => facts,
        };
        let subject = Some(self.new.id.bytes());
        journal::append(
            self.transaction,
            self.now,
            EventKind::MemoryWritten,
            subject,
            &facts,
        )?;
        Ok(())
    }
}

/// What a memory was derived from.
struct Sources {
    memories: Vec<i64>,
    channel: Channel,
}

impl Sources {
    /// A row that was derived from what a tool or the web said stands apart too.
    fn shelf(&self, draft: &Screened) -> Shelf {
        match self.channel {
            Channel::Tool | Channel::Web => Shelf::Quarantine,
            Channel::Operator | Channel::Model | Channel::External | Channel::Import => {
                shelf(draft)
            }
        }
    }
}

/// Stores one revision of a memory's text.
pub(crate) fn insert_text(
    transaction: &Transaction<'_>,
    memory: i64,
    revision: i64,
    draft: &Screened,
    salt: &[u8; 16],
    now: i64,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO memory_texts (memory, revision, summary, content, context_before, context_after, source_refs,
                                       artifacts, salt, hash, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            memory,
            revision,
            draft.summary.as_str(),
            draft.content.as_str(),
            draft.context_before_json.as_str(),
            draft.context_after_json.as_str(),
            draft.source_refs_json.as_str(),
            draft.artifacts_json.as_str(),
            salt,
            content_hash(salt, &HashedText::of(draft)).0,
            now,
        ])?;
    Ok(())
}
