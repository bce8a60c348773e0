//! Everything on record as JSON lines, in one order and from one moment (STO-09): each row of each table that is not a
//! mere index, by its key. Text is masked once more on its way out.

use std::io::Write;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::{Map, Value, json};
use taffrail_redact::Redactor;

use crate::backup::hex;
use crate::{Store, StoreError};

/// Columns whose bytes are a path or a branch's name.
const NAMES: [&str; 6] = [
    "project_root",
    "common_dir",
    "root",
    "path",
    "branch",
    "cwd",
];

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// Lines.
    pub lines: u64,
    /// Secret-shaped things that were masked on the way out; 0 unless somebody wrote past this program.
    pub masked: u64,
}

impl Store {
    /// Writes every row of every table as a JSON line `{"kind","…"}`: bytes in hex, JSON columns as JSON, absent
    /// values left out. The tables of the recall index are left out: they say nothing that the memories do not.
    ///
    /// # Errors
    /// `Io` when the output fails; `Busy`, `Damaged`.
    pub fn export(&self, redactor: &Redactor, out: &mut dyn Write) -> Result<Exported, StoreError> {
        let path = self.path().to_owned();
        let conn = crate::connection::open_reader(&path)?;
        let sql = |source| StoreError::sql(&path, source);
        // One transaction: every table is seen at one moment.
        let moment = conn.unchecked_transaction().map_err(sql)?;
        let mut exported = Exported::default();
        for table in tables(&moment).map_err(sql)? {
            rows(&moment, &table, &path, redactor, out, &mut exported)?;
        }
        Ok(exported)
    }
}

struct Table {
    name: String,
    order: Vec<String>,
}

/// Ordinary tables by name, with the columns of their key; neither SQLite's own nor an index's.
fn tables(conn: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut statement = conn.prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    let kept = names.into_iter().filter(|name| !is_index(name));
    kept.map(|name| {
        Ok(Table {
            order: key(conn, &name)?,
            name,
        })
    })
    .collect()
}

/// Whether a table only repeats others for the sake of search.
pub(crate) fn is_index(table: &str) -> bool {
    const OTHERS: [&str; 3] = ["recall_traces", "recall_trace_items", "recall_misses"];
    table.starts_with("recall_") && !OTHERS.contains(&table)
}

fn key(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        conn.prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let columns = statement.query_map([table], |row| row.get(0))?;
    columns.collect()
}

fn rows(
    conn: &Connection,
    table: &Table,
    path: &Path,
    redactor: &Redactor,
    out: &mut dyn Write,
    exported: &mut Exported,
) -> Result<(), StoreError> {
    let sql = |source| StoreError::sql(path, source);
    // Names come from the schema, never from a row or a person; quoted all the same.
    let order: Vec<String> = table.order.iter().map(|name| quoted(name)).collect();
    let order = if order.is_empty() {
        "rowid".to_owned()
    } else {
        order.join(", ")
    };
    let text = format!("SELECT * FROM {} ORDER BY {order}", quoted(&table.name));
    let mut statement = conn.prepare(&text).map_err(sql)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        let line = line(&table.name, &columns, row, redactor, exported).map_err(sql)?;
        writeln!(out, "{line}")
            .map_err(|source| StoreError::io("cannot export from", path, source))?;
        exported.lines += 1;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn line(
    kind: &str,
    columns: &[String],
    row: &Row<'_>,
    redactor: &Redactor,
    exported: &mut Exported,
) -> rusqlite::Result<Value> {
    let mut line = Map::new();
    line.insert("kind".to_owned(), json!(kind));
    for (at, column) in columns.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null => continue,
            ValueRef::Integer(number) => json!(number),
            ValueRef::Real(number) => json!(number),
            ValueRef::Blob(bytes) if NAMES.contains(&column.as_str()) => {
                json!(String::from_utf8_lossy(bytes))
            }
            ValueRef::Blob(bytes) => json!(hex(bytes)),
            ValueRef::Text(bytes) => text(&String::from_utf8_lossy(bytes), redactor, exported),
        };
        // A table with a column `kind` of its own keeps it under its full name.
        let name = if column == "kind" {
            format!("{kind}_kind")
        } else {
            column.clone()
        };
        line.insert(name, value);
    }
    Ok(Value::Object(line))
}

/// A text column: masked, and as JSON where it is JSON.
fn text(text: &str, redactor: &Redactor, exported: &mut Exported) -> Value {
    let clean = redactor.clean(text);
    exported.masked += u64::from(clean.as_str() != text);
    let looks = clean.as_str().starts_with(['{', '[']);
    let parsed = looks.then(|| serde_json::from_str::<Value>(clean.as_str()).ok());
    parsed.flatten().unwrap_or_else(|| json!(clean.as_str()))
}
