//! The rows of a `keelson.db`: each column is asked for its type and length before it is believed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use taffrail_domain::{Artifact, Millis, Provenance, SourceRef};

use super::{Keelson, KeelsonMemory, KeelsonNotebook, KeelsonProject, KeelsonSkipped, MOST_ROWS};

/// That program's own cap on a field of a memory is 8,192 bytes; more is cut by nobody and skipped here.
const MOST_FIELD: usize = 64 << 10;
/// Its cap on a notebook is 200,000 characters.
const MOST_NOTEBOOK: usize = 1 << 20;
/// Names, ids, addresses.
const MOST_WORD: usize = 4 << 10;
/// References and artifacts of one memory.
const MOST_PARTS: usize = 100;
/// Skipped rows that are named.
const MOST_NAMED: usize = 100;

/// Reads everything.
pub(super) fn read(conn: &Connection, found: &mut Keelson) -> rusqlite::Result<()> {
    projects(conn, found)?;
    if is_table(conn, "project_notebooks")? {
        notebooks(conn, found)?;
    }
    let mut refs = parts(conn, "memory_source_refs", ["kind", "identifier", "url"])?;
    let mut artifacts = parts(conn, "memory_artifacts", ["kind", "content", "content"])?;
    memories(conn, found, &mut refs, &mut artifacts)
}

/// Whether there is an ordinary table of this name: no view, no virtual table, nothing generated.
pub(super) fn is_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    let ordinary: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM pragma_table_list
                        WHERE schema = 'main' AND name = ?1 AND type = 'table')",
        [name],
        |row| row.get(0),
    )?;
    let generated: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0)",
        [name],
        |row| row.get(0),
    )?;
    Ok(ordinary && !generated)
}

fn projects(conn: &Connection, found: &mut Keelson) -> rusqlite::Result<()> {
    let sql = "SELECT id, name, root_path, created_at FROM keelson_projects ORDER BY name, id";
    each(conn, sql, "keelson_projects", found, |row, found| {
        let project = KeelsonProject {
            id: text(row, 0, MOST_WORD)?,
            name: text(row, 1, MOST_WORD)?,
            root: PathBuf::from(text(row, 2, MOST_WORD)?),
            created_at: time(row, 3),
        };
        found.projects.push(project);
        Ok(())
    })
}

fn notebooks(conn: &Connection, found: &mut Keelson) -> rusqlite::Result<()> {
    let sql = "SELECT project_id, content, updated_at FROM project_notebooks ORDER BY project_id";
    each(conn, sql, "project_notebooks", found, |row, found| {
        let notebook = KeelsonNotebook {
            project: text(row, 0, MOST_WORD)?,
            content: text(row, 1, MOST_NOTEBOOK)?,
            updated_at: time(row, 2),
        };
        if !notebook.content.trim().is_empty() {
            found.notebooks.push(notebook);
        }
        Ok(())
    })
}

fn memories(
    conn: &Connection,
    found: &mut Keelson,
    refs: &mut Parts,
    artifacts: &mut Parts,
) -> rusqlite::Result<()> {
    let sql = "SELECT id, type, summary, content, provenance, scope_project_id, scope_visibility, review_status,
                      lifecycle, confidence, runtime, task_id, model, created_at, stale_after
               FROM memories ORDER BY created_at, id";
    each(conn, sql, "memories", found, |row, found| {
        let id = text(row, 0, MOST_WORD)?;
        let memory = memory(row, id, refs, artifacts)?;
        found.memories.push(memory);
        Ok(())
    })
}

fn memory(
    row: &Row<'_>,
    id: String,
    refs: &mut Parts,
    artifacts: &mut Parts,
) -> Result<KeelsonMemory, String> {
    let provenance: Provenance = word(row, 4)?;
    let visibility = text(row, 6, MOST_WORD)?;
    let project = match visibility.as_str() {
        "project" => Some(text(row, 5, MOST_WORD)?),
        "personal" => None,
        other => return Err(format!("its visibility is `{}`", cut(other))),
    };
    let of = |parts: &mut Parts| parts.remove(&id).unwrap_or_default();
    let source_refs = of(refs).into_iter().map(|[kind, identifier, url]| {
        let uri = if url.is_empty() { identifier } else { url };
        SourceRef {
            kind,
            uri,
            title: None,
            timestamp: None,
        }
    });
    let source_refs = source_refs.collect();
    let artifacts = of(artifacts).into_iter().map(|[kind, uri, _]| Artifact {
        kind,
        uri,
        description: None,
    });
    let artifacts = artifacts.collect();
    Ok(KeelsonMemory {
        kind: word(row, 1)?,
        summary: text(row, 2, MOST_FIELD)?,
        content: text(row, 3, MOST_FIELD)?,
        provenance,
        project,
        status: text(row, 7, MOST_WORD)?,
        lifecycle: text(row, 8, MOST_WORD)?,
        confidence: row
            .get::<_, f64>(9)
            .ok()
            .filter(|sure| (0.0..=1.0).contains(sure)),
        runtime: text(row, 10, MOST_WORD)?,
        task: text(row, 11, MOST_WORD).ok(),
        model: text(row, 12, MOST_WORD).ok(),
        created_at: time(row, 13).ok_or("its time is not a time")?,
        stale_after: time(row, 14),
        source_refs,
        artifacts,
        id,
    })
}

/// Three texts each, by memory.
type Parts = BTreeMap<String, Vec<[String; 3]>>;

fn parts(conn: &Connection, table: &str, columns: [&str; 3]) -> rusqlite::Result<Parts> {
    let mut parts = Parts::new();
    if !is_table(conn, table)? {
        return Ok(parts);
    }
    let [first, second, third] = columns;
    let sql = format!("SELECT memory_id, {first}, {second}, {third} FROM {table} ORDER BY id");
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        if count > MOST_ROWS {
            break;
        }
        let optional = |at| text(row, at, MOST_WORD).unwrap_or_default();
        let (Ok(memory), Ok(kind)) = (text(row, 0, MOST_WORD), text(row, 1, MOST_WORD)) else {
            continue;
        };
        let of_memory = parts.entry(memory).or_default();
        if of_memory.len() < MOST_PARTS {
            of_memory.push([kind, optional(2), optional(3)]);
        }
    }
    Ok(parts)
}

/// Takes each row; one that makes no sense is left out and named.
fn each(
    conn: &Connection,
    sql: &str,
    table: &'static str,
    found: &mut Keelson,
    mut take: impl FnMut(&Row<'_>, &mut Keelson) -> Result<(), String>,
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        let taken = match count > MOST_ROWS {
            true => Err(format!("the table has more than {MOST_ROWS} rows")),
            false => take(row, found),
        };
        if let Err(why) = taken {
            let id = text(row, 0, MOST_WORD).unwrap_or_default();
            found.skipped_count += 1;
            if found.skipped.len() < MOST_NAMED {
                found.skipped.push(KeelsonSkipped {
                    table,
                    id: cut(&id),
                    why,
                });
            }
        }
        if count > MOST_ROWS {
            break;
        }
    }
    Ok(())
}

/// A column that has to be text of at most so many bytes.
fn text(row: &Row<'_>, at: usize, most: usize) -> Result<String, String> {
    let name = || row.as_ref().column_name(at).unwrap_or_default().to_owned();
    match row.get_ref(at) {
        Ok(ValueRef::Text(bytes)) if bytes.len() > most => Err(format!(
            "`{}` has {} bytes, more than {most}",
            name(),
            bytes.len()
        )),
        Ok(ValueRef::Text(bytes)) => {
            String::from_utf8(bytes.to_vec()).map_err(|_| format!("`{}` is not UTF-8", name()))
        }
        _ => Err(format!("`{}` is not text", name())),
    }
}

fn word<T: std::str::FromStr<Err: std::fmt::Display>>(
    row: &Row<'_>,
    at: usize,
) -> Result<T, String> {
    text(row, at, MOST_WORD)?
        .parse()
        .map_err(|error: T::Err| cut(&error.to_string()))
}

/// The beginning of a text that is only named.
fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(80);
    text.get(..end).unwrap_or_default().to_owned()
}

/// A time as that program writes it: ISO 8601, UTC, with or without milliseconds.
fn time(row: &Row<'_>, at: usize) -> Option<Millis> {
    parse_time(&text(row, at, 64).ok()?)
}

fn parse_time(text: &str) -> Option<Millis> {
    let (date, rest) = text.strip_suffix('Z')?.split_once('T')?;
    let mut parts = date.splitn(3, '-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (clock, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
    let mut parts = clock.splitn(3, ':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis = number(
        &format!("{fraction:0<3}")
            .chars()
            .take(3)
            .collect::<String>(),
    )?;
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    fits.then_some(Millis(seconds * 1_000 + millis))
}

fn number(text: &str) -> Option<i64> {
    let digits =
        !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Days from 1970 to a date of the Gregorian calendar, with years that begin in March.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rec_12_times_are_read_as_they_are_written_there() {
        for (text, millis) in [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400_000)),
            ("2026-08-01T14:30:05.999Z", Some(1_785_594_605_999)),
            ("2026-08-01T14:30:05.5Z", Some(1_785_594_605_500)),
            ("2026-08-01", None),
            ("yesterday", None),
            ("2026-13-01T00:00:00.000Z", None),
            ("2026-08-01T25:00:00.000Z", None),
            ("9999999999-08-01T00:00:00.000Z", None),
            ("2026-08-01T14:30:05.999é0Z", None),
        ] {
            assert_eq!(parse_time(text).map(|time| time.0), millis, "{text}");
        }
    }
}
