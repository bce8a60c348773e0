//! The documentation of the schema, from the comments of the migrations (STO-02).

use crate::migrate::{self, Migration};

/// One table and what its comments say.
#[derive(Debug, Default)]
struct Table {
    name: String,
    about: String,
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    name: String,
    form: String,
    about: String,
}

/// `docs/schema.md`: every table and column of the newest schema.
pub fn schema_doc() -> String {
    let mut doc = format!(
        "# The database\n\n\
         `taffrail.db` in the home is an ordinary SQLite file, schema version {}. This page is generated from the\n\
         comments of `crates/store/migrations/`; a test keeps it so. Times are UTC milliseconds since 1970 and never\n\
         decide an order: `seq` does. Text is redacted before it is written, and untrusted all the same.\n",
        migrate::newest(migrate::ALL)
    );
    for table in tables(migrate::ALL) {
        doc += &format!("\n## `{}`\n\n{}\n\n", table.name, table.about);
        doc.push_str("| column | form | meaning |\n|---|---|---|\n");
        for column in table.columns {
            let Column { name, form, about } = column;
            let about = about.replace('|', "\\|");
            doc += &format!("| `{name}` | {form} | {about} |\n");
        }
    }
    doc
}

/// Reads the form that the migrations are written in: comment lines, then what they describe.
fn tables(migrations: &[Migration]) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut comment = String::new();
    let mut inside = false;
    for line in migrations.iter().flat_map(|step| step.sql.lines()) {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("--") {
            let gap = if comment.is_empty() { "" } else { " " };
            comment = format!("{comment}{gap}{}", text.trim());
            continue;
        }
        let about = std::mem::take(&mut comment);
        if let Some(name) = between(line, "CREATE TABLE ", " (") {
            inside = true;
            tables.push(Table {
                name: name.to_owned(),
                about,
                columns: Vec::new(),
            });
        } else if let Some((name, column)) = added_column(line) {
            let table = tables.iter_mut().find(|table| table.name == name);
            table
                .into_iter()
                .for_each(|table| table.columns.extend(read_column(column, &about)));
        } else if let Some((old, new)) = renamed(line) {
            take_place(&mut tables, old, new);
        } else if line.starts_with(')') {
            inside = false;
        } else if inside && let Some(table) = tables.last_mut() {
            table.columns.extend(read_column(line, &about));
        }
    }
    tables
}

/// A table that was made anew takes the name and the place of the one before it.
fn take_place(tables: &mut Vec<Table>, old: &str, new: &str) {
    let Some(at) = tables.iter().position(|table| table.name == old) else {
        return;
    };
    let mut anew = tables.remove(at);
    new.clone_into(&mut anew.name);
    match tables.iter_mut().find(|table| table.name == new) {
        Some(table) => *table = anew,
        None => tables.push(anew),
    }
}

fn renamed(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("ALTER TABLE ")?
        .strip_suffix(';')?
        .split_once(" RENAME TO ")
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    line.strip_prefix(start)?.strip_suffix(end)
}

fn added_column(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("ALTER TABLE ")?
        .split_once(" ADD COLUMN ")
}

/// A column begins with a lower-case name; constraints of the table are in upper case or carry on a line before.
fn read_column(line: &str, about: &str) -> Option<Column> {
    let (name, rest) = line.split_once(' ')?;
    if about.is_empty() || !name.starts_with(|at: char| at.is_ascii_lowercase()) {
        return None;
    }
    let kind = rest
        .split([' ', ',', ';'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let always = rest.contains("NOT NULL") || rest.contains("PRIMARY KEY");
    let form = if always {
        kind
    } else {
        format!("{kind}, may be absent")
    };
    Some(Column {
        name: name.to_owned(),
        form,
        about: about.to_owned(),
    })
}
