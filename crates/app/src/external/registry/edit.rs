//! Changes of the user's own `config.toml`: something is put in, and every other byte stays where it is.
//!
//! What comes out is read again and held against what it was to say before anybody writes it.

use taffrail_config::Config;
use taffrail_confine::fs::lock_folder;
use taffrail_store::files;
use toml_edit::{Document, Item, Table, Value};

use super::RegistryFault;
use crate::context::{CONFIG_LIMIT, parse_config};
use crate::{App, AppError};

/// The section of the agents.
const SECTION: &str = "external_agents";
/// Its switch.
const SWITCH: &str = "enabled";
/// A byte order mark stays where it is.
const MARK: &str = "\u{feff}";

/// Sets `external_agents.enabled = true`, and gives the configuration that holds now.
///
/// # Errors
/// [`RegistryFault::Config`]; the file is as it was then.
pub(crate) fn switch_on(app: &App) -> Result<Config, AppError> {
    let is_ours = |key: &str| key == "external_agents.enabled";
    let _lock = lock_folder(app.home.root())?;
    let changed = changed(app, &switched_on, &is_ours)?;
    if !changed.config.external_agents.enabled.value {
        return Err(fault(app, UNPLACED.into()));
    }
    files::write_private(&app.home.config(), changed.text.as_bytes())?;
    Ok(changed.config)
}

/// Puts an entry into the user's file: these lines below a heading of its own.
///
/// # Errors
/// [`RegistryFault::Config`]; the file is as it was then.
pub(super) fn add(app: &App, id: &str, keys: &[(&str, Value)]) -> Result<(), AppError> {
    let _lock = lock_folder(app.home.root())?;
    let changed = with_it(app, id, keys)?;
    Ok(files::write_private(
        &app.home.config(),
        changed.text.as_bytes(),
    )?)
}

/// [`add`] without writing.
pub(super) fn try_add(app: &App, id: &str, keys: &[(&str, Value)]) -> Result<(), AppError> {
    with_it(app, id, keys).map(drop)
}

fn with_it(app: &App, id: &str, keys: &[(&str, Value)]) -> Result<Changed, AppError> {
    let prefix = format!("external_agents.{id}.");
    let is_ours = |key: &str| key.starts_with(&prefix);
    changed(app, &|text| with_entry(text, id, keys), &is_ours)
}

/// The file as it would be, and what it would say.
struct Changed {
    text: String,
    config: Config,
}

/// Edits the text of the file; what comes out says everything else that it said.
fn changed(
    app: &App,
    edit: &dyn Fn(&str) -> Result<String, String>,
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<Changed, AppError> {
    let path = app.home.config();
    let before = files::read_bounded(&path, CONFIG_LIMIT)?.unwrap_or_default();
    let before = String::from_utf8(before).map_err(|_| AppError::NotText { path: path.clone() })?;
    let old = parse_config(&app.inputs, &path, &before)?;
    let after = edit(&before).map_err(|why| fault(app, why))?;
    let new = parse_config(&app.inputs, &path, &after)
        .map_err(|error| fault(app, format!("would not be understood afterwards: {error}")))?;
    if said(&old, is_ours) != said(&new, is_ours) {
        return Err(fault(app, "would say something else too".into()));
    }
    Ok(Changed {
        text: after,
        config: new,
    })
}

/// What a configuration says, apart from what we change.
fn said(config: &Config, is_ours: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
    let rows = taffrail_config::show(config).into_iter();
    let rows = rows.filter(|row| !is_ours(&row.key));
    rows.map(|row| (row.key, row.value)).collect()
}

fn fault(app: &App, why: String) -> AppError {
    let path = app.home.config();
    RegistryFault::Config { path, why }.into()
}

/// The text with the switch on. The reason is the end of a sentence about the file.
fn switched_on(text: &str) -> Result<String, String> {
    let shift = mark(text);
    let bare = text.get(shift..).unwrap_or_default();
    let document = parse(bare)?;
    let newline = newline(text);
    let Some(item) = document.get(SECTION) else {
        return Ok(appended(
            text,
            &format!("[{SECTION}]{newline}{SWITCH} = true"),
        ));
    };
    let table = item
        .as_table_like()
        .ok_or_else(|| format!("has `{SECTION}` as something else than a table"))?;
    if let Some(place) = table.get(SWITCH).and_then(Item::span) {
        return Ok(spliced(
            text,
            shift + place.start,
            shift + place.end,
            "true",
        ));
    }
    let (at, line) = match item {
        Item::Table(table) if table.is_dotted() => (
            line_start(bare, key_place(document.as_table())?),
            format!("{SECTION}.{SWITCH} = true{newline}"),
        ),
        Item::Table(table) if table.is_implicit() => {
            return Ok(appended(
                text,
                &format!("[{SECTION}]{newline}{SWITCH} = true"),
            ));
        }
        Item::Table(table) => below_heading(bare, table, newline)?,
        Item::Value(Value::InlineTable(inline)) => {
            let comma = if inline.is_empty() { " " } else { "," };
            let start = inline.span().ok_or(UNPLACED)?.start;
            (start + 1, format!(" {SWITCH} = true{comma}"))
        }
        Item::None | Item::Value(_) | Item::ArrayOfTables(_) => return Err(UNPLACED.into()),
    };
    Ok(spliced(text, shift + at, shift + at, &line))
}

/// Where the parser does not say where something stands.
const UNPLACED: &str = "is written in a way that nothing can be put into it safely";

fn key_place(root: &Table) -> Result<usize, String> {
    let place = root.key(SECTION).and_then(toml_edit::Key::span);
    place.map(|span| span.start).ok_or_else(|| UNPLACED.into())
}

/// The beginning of the line below a table's heading, and the line to put there.
fn below_heading(
    text: &str,
    table: &Table,
    newline: &'static str,
) -> Result<(usize, String), String> {
    let heading = table.span().ok_or(UNPLACED)?.start;
    let rest = text.get(heading..).unwrap_or_default();
    Ok(match rest.find('\n') {
        Some(end) => (heading + end + 1, format!("{SWITCH} = true{newline}")),
        None => (text.len(), format!("{newline}{SWITCH} = true")),
    })
}

/// The text with an entry at its end.
fn with_entry(text: &str, id: &str, keys: &[(&str, Value)]) -> Result<String, String> {
    let document = parse(text.get(mark(text)..).unwrap_or_default())?;
    let entries = document.get(SECTION).and_then(Item::as_table_like);
    if entries.is_some_and(|entries| entries.contains_key(id)) {
        return Err(format!("has an entry `{id}` already"));
    }
    let newline = newline(text);
    let mut block = format!("[{SECTION}.{id}]");
    for (key, value) in keys {
        block.push_str(&format!("{newline}{key} = {value}"));
    }
    Ok(appended(text, &block))
}

fn parse(text: &str) -> Result<Document<&str>, String> {
    Document::parse(text).map_err(|error| format!("is no TOML: {}", error.message()))
}

/// The text with a block behind it, an empty line between them.
fn appended(text: &str, block: &str) -> String {
    let newline = newline(text);
    let bare = text.get(mark(text)..).unwrap_or_default();
    let between = match bare {
        "" => "",
        some if some.ends_with("\n\n") || some.ends_with("\n\r\n") => "",
        some if some.ends_with('\n') => newline,
        _ if newline == "\r\n" => "\r\n\r\n",
        _ => "\n\n",
    };
    format!("{text}{between}{block}{newline}")
}

fn spliced(text: &str, start: usize, end: usize, put: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(start..end, put);
    text
}

fn line_start(text: &str, at: usize) -> usize {
    let above = text.get(..at).unwrap_or_default();
    above.rfind('\n').map_or(0, |end| end + 1)
}

fn mark(text: &str) -> usize {
    if text.starts_with(MARK) {
        MARK.len()
    } else {
        0
    }
}

/// How the file ends its lines.
fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
