//! The files of slates that a purge takes with it: folders of projects that are gone, closed slates that no row names any
//! more, and the seeds of erased memories in those that stay.
//!
//! Told from the rows alone, so that a purge that was cut off after its rows is finished by the next one. What is open
//! stays: its seeds were acknowledged, and nobody has seen them yet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;
use taffrail_domain::{CloseTrigger, Millis, ProjectId};
use taffrail_memory::draft::normalised;
use taffrail_memory::journal::EventKind;
use taffrail_slate::external::ExternalId;

use crate::convert::{Fault, millis, parsed};
use crate::slate_files::{CLOSED, closed_slate, listed, name_of, personal};
use crate::{Home, Live, SlateFolder, Store, StoreError, files};

/// The largest file of a slate, as its writer has it.
const SLATE_BYTES: u64 = 16 << 20;

/// Removes them; how many files and folders were removed or written anew.
pub(super) fn remove(home: &Home, conn: &Connection, store: &Store) -> Result<u64, StoreError> {
    let at = |fault: Fault| fault.at(store.path());
    let mut done = 0;
    for folder in erased_folders(conn, home).map_err(at)? {
        super::remove_all(&folder)?;
        done += 1;
    }
    let erased = erased(conn).map_err(at)?;
    for (closed, seeds) in &erased {
        closed.retire(home)?;
        for path in closed.files(home) {
            done += u64::from(strike(&path, seeds)?);
        }
    }
    for path in unnamed(conn, home).map_err(at)? {
        done += u64::from(files::remove(&path)?);
    }
    Ok(done)
}

/// Folders of slates whose project is not on record, sorted. Only names of the form of a project's id are looked at.
pub(crate) fn unknown_folders(conn: &Connection, home: &Home) -> Result<Vec<PathBuf>, Fault> {
    // Listed first: a project is on record before it has a folder.
    let found = listed(&home.external_slates());
    let known = projects(conn)?;
    let known: BTreeSet<String> = known.iter().map(|(_, id)| id.short()).collect();
    let is_project = |name: &str| {
        taffrail_domain::id_prefix(ProjectId::PREFIX, name).is_ok_and(|id| id != ProjectId::PREFIX)
    };
    let unknown = found.into_iter().filter(|path| {
        let name = name_of(path);
        is_project(&name) && !known.contains(&name)
    });
    Ok(unknown.collect())
}

/// Those of them whose project was on record once, by the journal. An older database that was put back by hand knows nothing
/// of a later project: its open seeds are nobody's to erase.
fn erased_folders(conn: &Connection, home: &Home) -> Result<Vec<PathBuf>, Fault> {
    let mut statement =
        conn.prepare_cached("SELECT DISTINCT subject FROM journal WHERE kind = ?1")?;
    let subjects = statement.query_map([EventKind::ProjectChanged.name()], |row| {
        row.get::<_, Option<[u8; 16]>>(0)
    })?;
    let subjects: Vec<Option<[u8; 16]>> = subjects.collect::<rusqlite::Result<_>>()?;
    let once: BTreeSet<String> = subjects
        .into_iter()
        .flatten()
        .map(|id| ProjectId::from_bytes(id).short())
        .collect();
    let mut folders = unknown_folders(conn, home)?;
    folders.retain(|path| once.contains(&name_of(path)));
    Ok(folders)
}

/// Closed slates that no row names.
fn unnamed(conn: &Connection, home: &Home) -> Result<Vec<PathBuf>, Fault> {
    let mut folders = vec![(0, personal(home))];
    for (seq, id) in projects(conn)? {
        folders.push((seq, SlateFolder::new(home, Some(&id)).path().to_owned()));
    }
    let mut named = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM slate_closures WHERE project = ?1 AND external_id = ?2 AND generation = ?3)",
    )?;
    let mut unnamed = Vec::new();
    for (project, folder) in folders {
        for path in listed(&folder.join(CLOSED)) {
            let Some((id, generation)) = closed_slate(&name_of(&path)) else {
                continue;
            };
            if !named.query_row((project, id.as_str(), generation), |row| row.get(0))? {
                unnamed.push(path);
            }
        }
    }
    Ok(unnamed)
}

/// A closed generation that has seeds of erased memories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Closed {
    project: Option<ProjectId>,
    id: ExternalId,
    generation: u32,
    by: CloseTrigger,
    at: Millis,
}

impl Closed {
    /// Its files: one, but where another had the name.
    fn files(&self, home: &Home) -> Vec<PathBuf> {
        let folder = SlateFolder::new(home, self.project.as_ref());
        let ours = |path: &PathBuf| {
            closed_slate(&name_of(path)) == Some((self.id.clone(), self.generation))
        };
        let folder = folder.path().join(CLOSED);
        listed(&folder).into_iter().filter(ours).collect()
    }

    /// Finishes its close where that was cut off after the row.
    fn retire(&self, home: &Home) -> Result<(), StoreError> {
        let folder = SlateFolder::new(home, self.project.as_ref());
        let file = folder.path().join(format!("{}.json", self.id.file_stem()));
        if file.symlink_metadata().is_err() {
            return Ok(());
        }
        let held = folder.lock(&self.id)?;
        match held.read()? {
            Live::Closed(slate) if slate.generation == self.generation => held.retire(&slate),
            Live::Open(mut slate) if slate.generation == self.generation => {
                slate.close(self.by, self.at);
                held.put(&slate)?;
                held.retire(&slate)
            }
            Live::None | Live::Open(_) | Live::Closed(_) | Live::Malformed { .. } => Ok(()),
        }
    }
}

/// The seeds whose memory was erased, by slate.
fn erased(conn: &Connection) -> Result<BTreeMap<Closed, BTreeSet<String>>, Fault> {
    let mut statement = conn.prepare(
        "SELECT p.id AS project_id, c.external_id, c.generation, c.trigger, c.closed_at,
                json_extract(x.seed, '$.id') AS seed_id
         FROM proposal_candidates x
         JOIN proposals o ON o.seq = x.proposal
         JOIN slate_closures c ON c.seq = o.closure
         LEFT JOIN projects p ON p.seq = c.project
         WHERE x.memory IS NULL AND x.outcome <> 'blocked' AND json_valid(x.seed)",
    )?;
    let rows = statement.query_map([], |row| {
        let project: Option<[u8; 16]> = row.get("project_id")?;
        let closed = Closed {
            project: project.map(ProjectId::from_bytes),
            id: parsed(row, "external_id")?,
            generation: row.get("generation")?,
            by: parsed(row, "trigger")?,
            at: millis(row, "closed_at")?,
        };
        Ok((closed, row.get::<_, Option<String>>("seed_id")?))
    })?;
    let mut erased: BTreeMap<Closed, BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        let (closed, seed) = row?;
        erased.entry(closed).or_default().extend(seed);
    }
    Ok(erased)
}

/// Takes seeds out of a file, and those that say the same; whether there were any.
fn strike(path: &Path, ids: &BTreeSet<String>) -> Result<bool, StoreError> {
    let Some(bytes) = files::read_bounded(path, SLATE_BYTES)? else {
        return Ok(false);
    };
    let Ok(mut slate) = serde_json::from_slice::<Value>(&bytes) else {
        return Ok(false);
    };
    let Some(seeds) = slate.get_mut("seeds").and_then(Value::as_array_mut) else {
        return Ok(false);
    };
    let text = |seed: &Value| Some(normalised(seed.get("text")?.as_str()?));
    let is_meant = |seed: &Value| {
        let id = seed.get("id").and_then(Value::as_str);
        id.is_some_and(|id| ids.contains(id))
    };
    let texts: BTreeSet<String> = seeds
        .iter()
        .filter(|seed| is_meant(seed))
        .filter_map(text)
        .collect();
    let before = seeds.len();
    seeds.retain(|seed| !is_meant(seed) && text(seed).is_none_or(|text| !texts.contains(&text)));
    if seeds.len() == before {
        return Ok(false);
    }
    files::write_private(path, slate.to_string().as_bytes()).map(|()| true)
}

fn projects(conn: &Connection) -> Result<Vec<(i64, ProjectId)>, Fault> {
    let mut statement = conn.prepare_cached("SELECT seq, id FROM projects ORDER BY seq")?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1).map(ProjectId::from_bytes)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
